"""Submitting a file and following it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.forms import model_to_dict
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchmark import data, multipart
from benchmark.data import suite_for_new_files
from benchmark.operations.counting import TooMuch
from benchmark.operations.gate import STATUS
from benchmark.responses import keep_secret, policy
from benchmark.submissions import fetching, listed_hosts, steering
from benchmark.submissions.access import Access, access_of, cookie_name, cookie_token, find
from benchmark.submissions.forms import LANGUAGE_CHOICES, SubmissionForm, UploadForm, language_of
from benchmark.submissions.intake import may_submit, read_form
from benchmark.submissions.models import Submission
from benchmark.submissions.progress import expected_of_a_new_file, progress_of
from benchmark.submissions.states import UNDO_MINUTES, Actor, IllegalMove, State
from tasks.errors import InputError
from tasks.guess_language import COMMON, FIRST, LEAD, LEAST_SHARE
from tasks.languages import ENGLISH, language_name
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
        return _form_page(request, UploadForm(initial=_given_before(request)))
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


@require_safe
def languages(request: HttpRequest) -> HttpResponse:
    """Languages with their most common words, by which the form guesses that of a chosen file as its check will."""
    known = [(language_name(code), sorted(words)) for code, words in COMMON.items()]
    response = JsonResponse({"first": FIRST, "least_share": LEAST_SHARE, "lead": LEAD, "languages": known})
    patch_cache_control(response, public=True, max_age=24 * 3600)
    return response


def _given_before(request: HttpRequest) -> dict[str, object]:
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
    suite = suite_for_new_files()
    context = {
        "data": data.notice(),
        "form": form,
        "open_details": form.is_bound or "again" in request.GET,
        "limits": limits,
        "formats": [form.sentence for form in FORMATS if form.sentence],
        "suite": suite,
        "jobs": sum(task.applies_to(ENGLISH) for task, _ in suite.cells()),
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
        "data": None if submission.is_final else data.notice(),
    }


@never_cache
@require_safe
def status(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Where a submission is, for people; the owner also sees the owner link and what can be done."""
    access = access_of(request, submission_id)
    token = cookie_token(request, submission_id) if access.is_owner else ""
    link = request.build_absolute_uri(reverse("submissions:owner", args=[submission_id, token])) if token else ""
    context = _situation(access) | {"owner_link": link, "is_new": "new" in request.GET, "languages": LANGUAGE_CHOICES}
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


ASKED = {
    "cancel": (
        "Cancel this submission?",
        "No further tasks will run. The file and all results so far are kept, and you can continue at any time.",
        "Cancel the submission",
    ),
    "withdraw": (
        "Withdraw this entry?",
        "It leaves the board, exports and the API; the file and the results are kept. "
        f"You can undo this for {UNDO_MINUTES} minutes; after that, only the operator can put the entry back.",
        "Withdraw the entry",
    ),
}
"""Actions that ask first: what is asked, what will happen, and what the button says."""
DISCARDS = "The part of the file that has arrived is discarded, so this cannot be undone."
SAID = {
    "retry": "The evaluation continues; results so far are kept.",
    "cancel": "Cancelled. The file and all results so far are kept; you can continue below.",
    "withdraw": f"Withdrawn: the entry is off the board. You can undo this below for {UNDO_MINUTES} minutes.",
    "undo": "The withdrawal is undone: the entry is on the site again.",
    "rank": "Only this entry is ranked now.",
    "rank-all": "All your entries are ranked now.",
    "adopt": "Added to your account.",
}
TOO_LATE = "Nothing was changed: this is no longer possible in the state that the submission is in now."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def steer(request: HttpRequest, submission_id: str, action: str) -> HttpResponse:
    """The owner's actions; those that take something away ask first. What is no longer possible changes nothing."""
    access = access_of(request, submission_id)
    if not access.is_owner:
        return render(
            request, "403.html", {"reason": "Only the owner can do this. Open the owner link first."}, status=403
        )
    if request.method != "POST":
        return _ask(request, access, action)
    arriving, before = access.submission.state == State.RECEIVING, access.submission.language
    try:
        done = _do(access, action, request.POST.get("language", ""))
    except TooMuch:
        raise
    except InputError as error:
        messages.error(request, error.message)
        return redirect("submissions:status", submission_id)
    except IllegalMove:
        done = False  # it moved on while the person was reading; the page shows where it is now
    if not done:
        messages.warning(request, TOO_LATE)
    elif action == "language":
        messages.success(request, _said_of_language(access.submission, before))
    else:
        messages.success(request, "The upload was cancelled." if arriving and action == "cancel" else SAID[action])
    return redirect("submissions:status", submission_id)


def _said_of_language(submission: Submission, before: str) -> str:
    submission.refresh_from_db()
    if submission.language == before:
        return f"The language was {language_name(before)} already; nothing was changed."
    return "The language is corrected" + ("; all tasks run again." if submission.checked_at else ".")


def _do(access: Access, action: str, language: str) -> bool:
    """Whether it was possible; ``language``: the one to correct to."""
    submission = access.submission
    if action == "undo":
        return access.may_undo_withdrawal and steering.undo_withdrawal(submission)
    if action == "retry" and access.may_retry:
        steering.retry(submission, Actor.OWNER)
    elif action == "cancel" and access.may_cancel:
        steering.cancel(submission, Actor.OWNER)
    elif action == "withdraw" and access.may_withdraw:
        steering.withdraw(submission)
    elif action == "rank" and access.may_edit:
        steering.rank_only(submission)
    elif action == "rank-all" and access.may_edit:
        steering.rank_all(submission)
    elif action == "adopt" and access.may_adopt:
        steering.adopt(submission, access.user)
    elif action == "language" and access.may_correct_language:
        steering.correct_language(submission, language_of(language), Actor.OWNER)
    else:
        return False
    return True


def _ask(request: HttpRequest, access: Access, action: str) -> HttpResponse:
    """The page before an action that takes something away; other actions have none."""
    if action not in ASKED:
        return HttpResponseNotAllowed(["POST"])
    question, consequence, button = ASKED[action]
    if access.submission.state == State.RECEIVING:
        consequence = DISCARDS
    context = {"submission": access.submission, "question": question, "consequence": consequence, "button": button}
    return render(request, "submissions/ask.html", context)
