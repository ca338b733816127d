"""An owner's pages: the list of submissions, editing details, and the file that an owner offers."""

from __future__ import annotations

from contextlib import closing
from pathlib import PurePath

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchmark import storage
from benchmark.inputs import Parameters
from benchmark.submissions import steering
from benchmark.submissions.access import Access, access_of, deleted_of, remembered_tokens
from benchmark.submissions.forms import DetailsForm
from benchmark.submissions.models import Submission
from benchmark.submissions.progress import progress_of
from benchmark.submissions.states import UNDO, UNDO_MINUTES, Actor
from tasks.files import GZIP

A_PAGE = 50


@never_cache
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """The account's submissions, newest first, with what can be done; without one those that this browser sent."""
    tokens = remembered_tokens(request)
    if request.user.is_authenticated:
        own = Submission.objects.owned_by(request.user)
    elif tokens:
        own = Submission.objects.with_secrets(tokens.values())
    else:
        return redirect_to_login(request.get_full_path())
    own = own.select_related("report").order_by("-created_at")
    pages, asked = Paginator(own, A_PAGE), Parameters(request.GET)
    page = pages.get_page(asked.one_of("page", map(str, pages.page_range), "1"))
    rows = [
        (Access(entry, tokens.get(entry.pk, ""), request.user), None if entry.is_final else progress_of(entry))
        for entry in page
    ]
    some_unranked = own.filter(ranked=False).exists()
    return render(
        request,
        "submissions/mine.html",
        {"rows": rows, "page": page, "some_unranked": some_unranked, "ignored": asked.ignored},
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Name, description, criteria, visibility and the offer of the file."""
    access = access_of(request, submission_id)
    if not access.may_edit:
        raise Http404("There is no such page.")
    submission = access.submission
    form = DetailsForm(request.POST if request.method == "POST" else None, instance=submission)
    if request.method == "POST" and form.is_valid():
        # Only what was edited: a worker may have changed other columns in the meantime.
        Submission.objects.filter(pk=submission.pk).update(**form.cleaned_data)
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
    """The file as it was uploaded, if its owner offers it; to the owner in any case."""
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
    """Ending of the file as it is stored: runs taken out of an archive are gzipped, whatever their names in it."""
    with closing(storage.opened(submission.file_key)) as file:
        if file.read(len(GZIP)) == GZIP:
            return ".gz"
    suffix = slugify(PurePath(submission.original_name).suffix)
    return f".{suffix}" if suffix and not submission.is_anonymous else ""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Confirm, then delete: off the site at once, and erased when the time to undo that is over."""
    access = access_of(request, submission_id)
    if not access.may_delete:
        raise Http404("There is no such page.")
    if request.method == "POST":
        steering.delete(access.submission, Actor.OWNER)
        return redirect("submissions:deleted", submission_id)
    return render(request, "submissions/delete.html", {"submission": access.submission, "minutes": UNDO_MINUTES})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def deleted(request: HttpRequest, submission_id: str) -> HttpResponse:
    """What was deleted, and until when that can be undone; a POST undoes it."""
    submission = deleted_of(request, submission_id)
    if request.method == "POST" and steering.undo_deletion(submission):
        messages.success(request, "Deletion undone.")
        return redirect("submissions:status", submission_id)
    until = submission.deleted_at + UNDO if submission.deleted_at else None
    return render(request, "submissions/deleted.html", {"submission": submission, "until": until})
