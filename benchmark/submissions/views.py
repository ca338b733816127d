"""A submission's pages: its progress, its owner's actions, details and file, and the list of an owner's submissions."""

from __future__ import annotations

from contextlib import closing
from pathlib import PurePath

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
)  # fmt: skip
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchmark import data, storage
from benchmark.inputs import Parameters, takes
from benchmark.operations.counting import TooMuch
from benchmark.submissions import steering
from benchmark.submissions.access import (
    Access,
    access_of,
    deleted_of,
    find,
)  # fmt: skip
from benchmark.submissions.forms import LANGUAGE_CHOICES, DetailsForm, language_of
from benchmark.submissions.grid import grid_of
from benchmark.submissions.models import Submission, Visibility
from benchmark.submissions.progress import Progress, progress_of, recent_progress
from benchmark.submissions.states import UNDO, UNDO_MINUTES, Actor, IllegalMove, State
from tasks.errors import InputError
from tasks.files import GZIP
from tasks.languages import language_name

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
A_PAGE = 50


def _situation(access: Access, progress: Progress) -> dict[str, object]:
    submission = access.submission
    return {
        "access": access,
        "submission": submission,
        "name": submission.name if access.is_owner else submission.display_name,
        "progress": progress,
        "grid": grid_of(submission, progress),
        "quarter": int(4 * progress.share) * 25,
        "title": TITLES[State(submission.state)],
        "failures": submission.cells.filter(state="failed"),
        "data": None if submission.is_final else data.notice(),
    }


@takes("new")
@never_cache
@require_safe
def status(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Status page of a submission; for its owner, with the owner link and actions."""
    access = access_of(request, submission_id)
    token = Submission.secret_in(request, submission_id) if access.is_owner else ""
    link = request.build_absolute_uri(reverse("submissions:owner", args=[submission_id, token])) if token else ""
    context = _situation(access, progress_of(access.submission)) | {
        "owner_link": link,
        "is_new": "new" in request.GET,
        "languages": LANGUAGE_CHOICES,
    }
    return render(request, "submissions/status.html", context)


@never_cache
@require_safe
def progress(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The changing part of the status page."""
    access = access_of(request, submission_id)
    return render(request, "submissions/_progress.html", _situation(access, recent_progress(access.submission)))


@never_cache
@require_safe
def owner(request: HttpRequest, submission_id: str, token: str) -> HttpResponseBase:
    """The secret owner link: moves the secret into a cookie, and redirects to remove it from the address bar."""
    find(submission_id, token)
    response = redirect("submissions:status", submission_id)
    Submission.objects.get(pk=submission_id).remember(request, response, token)
    return response


ASKED = {
    "cancel": (
        "Cancel this submission?",
        "No further tasks will run. The file and all results so far are kept, and you can continue at any time.",
        "Cancel the submission",
    ),
    "withdraw": (
        "Withdraw this entry?",
        "It leaves the leaderboard, exports and the API; the file and the results are kept. "
        f"You can undo this for {UNDO_MINUTES} minutes; after that, only the operator can put the entry back.",
        "Withdraw the entry",
    ),
}
"""Actions with a confirmation: question, consequence, button label."""
DISCARDS = "The part of the file that has arrived is discarded, so this cannot be undone."
SAID = {
    "retry": "The evaluation continues; results so far are kept.",
    "cancel": "Cancelled. The file and all results so far are kept; you can continue below.",
    "withdraw": f"Withdrawn: the entry is off the leaderboard. You can undo this below for {UNDO_MINUTES} minutes.",
    "undo": "The withdrawal is undone: the entry is on the site again.",
    "rank": "Only this entry is ranked now.",
    "rank-all": "All your entries are ranked now.",
    "adopt": "Added to your account.",
}
TOO_LATE = "Nothing was changed: this is no longer possible in the submission's current state."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def steer(request: HttpRequest, submission_id: str, action: str) -> HttpResponse:
    """The owner's actions, some with a confirmation. An action that is no longer possible changes nothing."""
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
        done = False  # its state changed meanwhile; the page shows the current one
    if not done:
        messages.warning(request, TOO_LATE)
    elif action == "language":
        messages.success(request, _language_message(access.submission, before))
    else:
        messages.success(request, "The upload was cancelled." if arriving and action == "cancel" else SAID[action])
    return redirect("submissions:status", submission_id)


def _language_message(submission: Submission, before: str) -> str:
    submission.refresh_from_db()
    if submission.language == before:
        return f"The language was already {language_name(before)}; nothing was changed."
    return "The language is corrected" + ("; all tasks run again." if submission.checked_at else ".")


def _do(access: Access, action: str, language: str) -> bool:
    """Perform an action; False if it is not possible. ``language`` is the corrected one."""
    submission = access.submission
    if action == "undo":
        return access.may_undo_withdrawal and steering.undo(submission, "withdrawn_at")
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
        steering.correct_language(submission, language_of(language))
    else:
        return False
    return True


def _ask(request: HttpRequest, access: Access, action: str) -> HttpResponse:
    """The confirmation page of an action, if it has one."""
    if action not in ASKED:
        return HttpResponseNotAllowed(["POST"])
    question, consequence, button = ASKED[action]
    if access.submission.state == State.RECEIVING:
        consequence = DISCARDS
    context = {"question": question, "consequence": consequence, "button": button}
    return render(request, "confirm.html", context | _named(access.submission))


def _named(submission: Submission) -> dict[str, str]:
    return {"name": submission.name, "here": submission.get_absolute_url()}


@takes("page")
@never_cache
@require_safe
def my_submissions(request: HttpRequest) -> HttpResponse:
    """Submissions of the account, or of this browser, newest first, with their actions."""
    tokens = Submission.secrets_in(request)
    if request.user.is_authenticated:
        entries = Submission.objects.owned_by(request.user)
    elif tokens:
        entries = Submission.objects.filter(Submission.of_visitor(request), deleted_at=None)
    else:
        return redirect_to_login(request.get_full_path())
    entries = entries.select_related("report").order_by("-created_at")
    pages, parameters = Paginator(entries, A_PAGE), Parameters(request.GET)
    page = pages.get_page(parameters.one_of("page", map(str, pages.page_range), "1"))
    rows = [
        (Access(entry, tokens.get(entry.pk, ""), request.user), None if entry.is_final else progress_of(entry))
        for entry in page
    ]
    some_unranked = entries.filter(ranked=False).exists()
    return render(
        request,
        "submissions/mine.html",
        {"rows": rows, "page": page, "some_unranked": some_unranked, "ignored": parameters.ignored},
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Edit name, description, criteria, visibility and the download offer."""
    if request.method == "POST":
        steering.end_embargoes()
    access = access_of(request, submission_id)
    if not access.may_edit:
        raise Http404("There is no such page.")
    submission = access.submission
    if submission.current_visibility == Visibility.PUBLIC:  # also by a date that has passed, which is not stored yet
        submission.visibility, submission.public_from = Visibility.PUBLIC, None
    form = DetailsForm(request.POST if request.method == "POST" else None, instance=submission)
    if request.method == "POST" and form.is_valid():
        steering.edit(submission, form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("submissions:status", submission_id)
    name = Submission.objects.values_list("name", flat=True).get(pk=submission_id)
    return render(
        request,
        "submissions/edit.html",
        {"form": form, "submission": submission, "name": name},
        status=400 if form.is_bound else 200,
    )


@require_safe
def vectors(request: HttpRequest, submission_id: str) -> HttpResponseBase:
    """The uploaded file, for its owner and, if the owner offers it, for everybody."""
    access = access_of(request, submission_id)
    submission = access.submission
    if not submission.file_key or not (access.is_owner or submission.facts.offers_download):
        raise Http404("These vectors are not offered for download.")
    try:
        file = storage.opened(submission.file_key)
    except FileNotFoundError:
        raise Http404("This site no longer keeps the file.") from None
    name = f"{slugify(submission.display_name) or 'vectors'}-{submission.pk}{_suffix(submission)}"
    response = FileResponse(file, as_attachment=True, filename=name, content_type="application/octet-stream")
    response["Cache-Control"] = "private, no-cache"
    return response


def _suffix(submission: Submission) -> str:
    """Suffix of the stored file: runs unpacked from an archive are gzipped, regardless of their names in it."""
    with closing(storage.opened(submission.file_key)) as file:
        if file.read(len(GZIP)) == GZIP:
            return ".gz"
    suffix = slugify(PurePath(submission.original_name).suffix)
    return f".{suffix}" if suffix and not submission.is_anonymous else ""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Delete after a confirmation: from the site at once, permanently once undo has expired."""
    access = access_of(request, submission_id)
    if not access.may_delete:
        raise Http404("There is no such page.")
    if request.method == "POST":
        steering.delete(access.submission, Actor.OWNER)
        return redirect("submissions:deleted", submission_id)
    question = {"question": "Delete permanently?", "button": f"Delete {access.submission.name}"}
    context = {"submission": access.submission, "minutes": UNDO_MINUTES} | question | _named(access.submission)
    return render(request, "submissions/delete.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def deleted(request: HttpRequest, submission_id: str) -> HttpResponse:
    """A deleted submission, with the end of its undo period; a POST restores it."""
    submission = deleted_of(request, submission_id)
    if request.method == "POST" and steering.undo(submission, "deleted_at"):
        messages.success(request, "Deletion undone.")
        return redirect("submissions:status", submission_id)
    until = submission.deleted_at + UNDO if submission.deleted_at else None
    return render(request, "submissions/deleted.html", {"submission": submission, "until": until})
