"""Submitting a file and following it."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.forms import model_to_dict
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark import multipart
from benchmark.cookies import keep_secret
from benchmark.headers import policy
from benchmark.submissions import fetching, listed_hosts, steering
from benchmark.submissions.access import Access, access_of, cookie_name, cookie_token, find
from benchmark.submissions.forms import SubmissionForm, UploadForm
from benchmark.submissions.intake import may_submit, read_form
from benchmark.submissions.models import Submission
from benchmark.submissions.progress import expected_of_a_new_file, progress_of
from benchmark.submissions.sending import STATUS
from benchmark.submissions.states import Actor, IllegalMove, State
from benchmark.suites import current_suite
from tasks.errors import InputError
from tasks.vector_files.formats import FORMATS

RETRY_AFTER_SECONDS = 3
TITLES = {
    State.RECEIVING: "Receiving",
    State.UPLOADED: "Waiting to be checked",
    State.CHECKING: "Checking",
    State.REJECTED: "Rejected",
    State.QUEUED: "Queued",
    State.RUNNING: "Evaluating",
    State.DONE: "Report ready",
    State.FAILED: "Failed",
    State.CANCELLED: "Cancelled",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The form; a POST receives the file whole. With JavaScript it arrives in pieces (``sending``)."""
    if not may_submit(request.user):
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return _form_page(request, UploadForm(initial=_told_before(request)))
    try:
        form = read_form(request)
    except InputError as error:
        form = UploadForm(request.POST)
        form.errors.clear()  # what else is missing did not arrive because of this
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _form_page(request, form, STATUS.get(error.code, 400))
    if not form.is_valid():
        return _form_page(request, form, 400)
    submission, token = fetching.accept(form, request.user)
    response = redirect(f"{submission.get_absolute_url()}?new=1")
    keep_secret(response, request, cookie_name(submission.pk), token)
    return response


def _told_before(request: HttpRequest) -> dict[str, object]:
    """What the owner of a rejected file entered with it, so that nothing has to be typed twice."""
    if "again" not in request.GET:
        return {}
    access = access_of(request, request.GET["again"])
    if not access.is_owner:
        return {}
    file = access.submission.web_file
    return model_to_dict(access.submission, SubmissionForm.Meta.fields) | {"url": file.url if file else ""}


def _form_page(request: HttpRequest, form: UploadForm, status: int = 200) -> HttpResponse:
    limits = {
        "bytes": settings.VECBOARD_MAX_UPLOAD_BYTES,
        "expanded": settings.VECBOARD_MAX_EXPANDED_BYTES,
        "words": settings.VECBOARD_MAX_WORDS,
        "dimensions": settings.VECBOARD_MAX_DIMENSIONS,
    }
    suite = current_suite()
    context = {
        "form": form,
        "open_details": form.is_bound or "again" in request.GET,
        "limits": limits,
        "formats": [form.sentence for form in FORMATS if form.sentence],
        "suite": suite,
        "expected": expected_of_a_new_file(suite),
        "to_bucket": multipart.is_offered(),
        "listed_hosts": listed_hosts.listed(),
    }
    response = render(request, "submissions/submit.html", context, status=status)
    if multipart.is_offered():
        response["Content-Security-Policy"] = policy(connect=multipart.origin())
    return response


def _situation(access: Access) -> dict[str, object]:
    submission = access.submission
    return {
        "access": access,
        "submission": submission,
        "name": submission.name if access.is_owner else submission.display_name,
        "progress": progress_of(submission),
        "title": TITLES[State(submission.state)],
        "failures": submission.runs.filter(state="failed"),
    }


@never_cache
@require_safe
def status(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Where a submission is, for people; the owner also sees the owner link and what can be done."""
    access = access_of(request, submission_id)
    token = cookie_token(request, submission_id) if access.is_owner else ""
    link = request.build_absolute_uri(reverse("submissions:owner", args=[submission_id, token])) if token else ""
    context = _situation(access) | {"owner_link": link, "is_new": "new" in request.GET}
    return render(request, "submissions/status.html", context)


@never_cache
@require_safe
def progress(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The part of the status page that changes. It gives the time of the next request, or ends the polling."""
    access = access_of(request, submission_id)
    context = _situation(access)
    response = render(request, "submissions/_progress.html", context)
    response["X-Title"] = f"{context['title']}: {access.submission.pk}"
    if not access.submission.is_final:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


@never_cache
@require_safe
def owner(request: HttpRequest, submission_id: str, token: str) -> HttpResponseBase:
    """The secret owner link: this browser remembers the secret, and the address bar forgets it."""
    find(submission_id, token)
    response = redirect("submissions:status", submission_id)
    if Submission.objects.get(pk=submission_id).is_owned_with(token):
        keep_secret(response, request, cookie_name(submission_id), token)
    return response


@never_cache
@require_POST
def steer(request: HttpRequest, submission_id: str, action: str) -> HttpResponse:
    """The owner's one-click actions. Actions that are no longer possible change nothing."""
    access = access_of(request, submission_id)
    if not access.is_owner:
        return render(
            request, "403.html", {"reason": "Only the owner can do this. Open the owner link first."}, status=403
        )
    try:
        if action == "retry" and access.may_retry:
            steering.retry(access.submission, Actor.OWNER)
        elif action == "cancel" and access.may_cancel:
            steering.cancel(access.submission, Actor.OWNER)
        elif action == "withdraw" and access.may_withdraw:
            steering.withdraw(access.submission)
        elif action == "rank" and access.may_edit:
            steering.rank_only(access.submission)
        elif action == "rank-all" and access.may_edit:
            steering.rank_all(access.submission)
        elif action == "adopt" and access.may_adopt:
            steering.adopt(access.submission, request.user)
    except IllegalMove:
        pass  # it moved on while the person was reading; the page shows where it is now
    return redirect("submissions:status", submission_id)
