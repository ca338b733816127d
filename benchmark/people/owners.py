"""Pages of those who run a study: make, fill, open and close it, merge variants, read answers in, erase, delete."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.inputs import Ignored, Parameters
from benchmark.operations import fair_queue
from benchmark.operations.counting import TooMuch, spend
from benchmark.people import limits, sources
from benchmark.people.access import cookie_name, find, find_owned
from benchmark.people.erasure import erase_study
from benchmark.people.exchange import import_answers
from benchmark.people.forms import SourceForm, StudyForm
from benchmark.people.lists import SETTLED, merge
from benchmark.people.models import Comparison, Kind, Study
from benchmark.people.states import IllegalStudyMove, StudyState, move_study
from benchmark.people.texts import consent_of
from benchmark.people.uploads import uploaded_text
from benchmark.responses import keep_secret
from benchmark.submissions.ids import new_token, token_hash
from benchmark.submissions.models import WorkerBeat
from benchmark.templatetags.figures import size
from tasks.errors import InputError
from tasks.languages import LANGUAGES
from tasks.left_out import LeftOut
from tasks.political.cues import CUE_LISTS

MOST_ANSWERS_BYTES = 20_000_000
MOST_LISTS_BYTES = 1_000_000
"""Of lists as a source: a hundred words a cue take less, and every page of the study reads all of them."""


FORGETTING = (
    "Counted from when the study closes{idle}. Browser and participant codes, rater ids and replies to "
    "your questions are then deleted; the answers stay."
)
UNCLOSED = ", or, if you never close it, from {days} days after the last answer"


def _forgetting() -> str:
    days = settings.VECBOARD_STUDY_IDLE_DAYS
    return FORGETTING.format(idle=UNCLOSED.format(days=days) if days else "")


def _form_page(
    request: HttpRequest, form: StudyForm, study: Study | None, status: int = 200, ignored: Sequence[Ignored] = ()
) -> HttpResponse:
    context = {
        "ignored": ignored,
        "form": form,
        "study": study,
        "cue_lists": CUE_LISTS.values(),
        "forgetting": _forgetting(),
        "consent": {kind.label.partition(":")[0]: consent_of(form["language"].value() or "en", kind) for kind in Kind},
    }
    return render(request, "people/edit.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form of a new study; its maker's browser keeps the owner's secret."""
    if request.method != "POST":
        asked = Parameters(request.GET)
        language = asked.one_of("language", LANGUAGES, "en")
        return _form_page(request, StudyForm(initial={"language": language}), None, ignored=asked.ignored)
    form = StudyForm(request.POST)
    if not form.is_valid():
        return _form_page(request, form, None, 400)
    if not spend(limits.NEW_STUDIES, limits.address_of(request)):
        form.add_error(None, "Too many studies were created from this address within an hour; try again later.")
        return _form_page(request, form, None, 429)
    token = new_token()
    study: Study = form.save(commit=False)
    study.owner_token_hash = token_hash(token)
    if request.user.is_authenticated:
        study.owner = request.user
    study.save()
    response = redirect("people:study", study.pk)
    keep_secret(response, request, cookie_name(study.pk), token)
    return response


@never_cache
@require_safe
def owner(request: HttpRequest, study_id: str, token: str) -> HttpResponseBase:
    """The secret owner link: this browser remembers the secret, and the address bar forgets it."""
    study = get_object_or_404(Study, pk=study_id)
    response = redirect("people:study", study_id)
    if study.is_owned_with(token):
        keep_secret(response, request, cookie_name(study_id), token)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, study_id: str) -> HttpResponse:
    """Change a draft; an open study keeps what its raters agreed to."""
    study = find_owned(request, study_id)
    if study.is_settled:
        return _message(request, study, SETTLED, 409)
    if request.method != "POST":
        return _form_page(request, StudyForm(instance=study), study)
    form = StudyForm(request.POST, instance=study)
    if not form.is_valid():
        return _form_page(request, form, study, 400)
    with transaction.atomic():
        form.save()
        sources.refresh(study)
    return redirect("people:study", study.pk)


@require_POST
def add_source(request: HttpRequest, study_id: str) -> HttpResponse:
    study = find_owned(request, study_id)
    form = SourceForm(request.POST)
    try:
        if study.asks_triads and study.is_settled:
            raise InputError("settled", SETTLED, field="kind")
        if not form.is_valid():
            raise InputError("bad-form", str(next(iter(form.errors.values()))[0]), field=next(iter(form.errors)))
        text = uploaded_text(request, MOST_LISTS_BYTES, field="lists") or form.cleaned_data["lists"]
        left_out = LeftOut()
        sources.add(request, study, form, _counted(request, text), left_out)
    except TooMuch:
        raise
    except InputError as error:
        return study_page(request, study, form=form, problem=error, status=400)
    if left_out.count:
        messages.warning(request, left_out.sentence("Words"))
    return redirect(f"{study.get_absolute_url()}#sources")


@require_POST
def change_source(request: HttpRequest, study_id: str, source_id: int, action: str) -> HttpResponse:
    study = find_owned(request, study_id)
    source = get_object_or_404(study.sources, pk=source_id)
    if study.asks_triads and study.is_settled:
        return _message(request, study, SETTLED, 409)
    if action == "remove":
        sources.remove(study, source)
    elif study.asks_triads:
        sources.take_as_baseline(study, source)
    return redirect(f"{study.get_absolute_url()}#sources")


@require_POST
def remake(request: HttpRequest, study_id: str) -> HttpResponse:
    """Make lists or ranks again, after words were merged or an entry was measured."""
    study = find_owned(request, study_id)
    if study.asks_triads and study.is_settled:
        return _message(request, study, SETTLED, 409)
    sources.refresh(study)
    return redirect(f"{study.get_absolute_url()}#sources")


@require_POST
def move(request: HttpRequest, study_id: str, action: str) -> HttpResponse:
    """Open or close."""
    study = find_owned(request, study_id)
    if action == "open" and (stops := sources.obstacles(study)):
        return _message(request, study, " ".join(stops), 409)
    try:
        move_study(study, StudyState.OPEN if action == "open" else StudyState.CLOSED)
    except IllegalStudyMove as error:
        return _message(request, study, str(error), 409)
    return redirect("people:study", study.pk)


@require_POST
def merge_variant(request: HttpRequest, study_id: str) -> HttpResponse:
    study = find_owned(request, study_id)
    cue = request.POST.get("cue", "")
    try:
        merge(study, cue, request.POST.get("variant", ""), request.POST.get("word", ""))
    except InputError as error:
        return _message(request, study, error.message, 400)
    number = study.cues.index(cue) + 1 if cue in study.cues else 1
    return redirect(f"{reverse('people:results', args=[study.pk])}#cue-{number}")


@require_POST
def read_in(request: HttpRequest, study_id: str) -> HttpResponse:
    """Add answers that were collected elsewhere."""
    study = find_owned(request, study_id)
    if not spend(limits.IMPORTS, study.pk):
        return _message(request, study, "Too many files were imported within an hour; try again later.", 429)
    try:
        text = uploaded_text(request, MOST_ANSWERS_BYTES, field="answers") or request.POST.get("answers", "")
        return _message(request, study, import_answers(study, _counted(request, text)).sentence)
    except TooMuch:
        raise
    except InputError as error:
        return _message(request, study, error.message, 400)


def _counted(request: HttpRequest, text: str) -> str:
    """What an owner sent, counted: anybody can have studies, and their lists and answers are kept in the database.

    Raises
    ------
    TooMuch
        it is more than one address may send within an hour.
    """
    if not spend(limits.SENT_LETTERS, limits.address_of(request), len(text)):
        message = f"You sent more than {size(limits.SENT_LETTERS.most)} of lists and answers; wait an hour."
        raise TooMuch("too-many-answers", message, field=None)
    return text


@require_POST
def erase(request: HttpRequest, study_id: str) -> HttpResponse:
    """Erase one rater's answers, by the rater id or by the name in exports."""
    study = find_owned(request, study_id)
    given = request.POST.get("rater", "").strip().lower()
    rater = study.raters.called(given).first()
    if rater is None:
        return _message(request, study, "No rater of this study has this id; nothing was erased.", 404)
    rater.delete()  # with all its answers
    return _message(request, study, "The session and all its answers have been erased.")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, study_id: str) -> HttpResponse:
    """Confirm, with what is deleted and what remains, then delete permanently."""
    study = find_owned(request, study_id)
    if request.method != "POST":
        taken_over = study.human_lists.exclude(study=study).count()
        context = {"study": study, "raters": study.raters.count(), "taken_over": taken_over}
        return render(request, "people/delete.html", context)
    erase_study(study.pk)
    messages.success(request, f"{study.title} was deleted, with all its answers.")
    response = redirect("people:index")
    response.delete_cookie(cookie_name(study_id))
    return response


def _message(request: HttpRequest, study: Study, message: str, status: int = 200) -> HttpResponse:
    return study_page(request, study, message=message, status=status)


def study_page(
    request: HttpRequest,
    study: Study,
    *,
    form: SourceForm | None = None,
    problem: InputError | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    """The owner's page of a study, with what just went right or wrong."""
    comparisons = list(
        Comparison.objects.filter(study=study).with_counts().select_related("candidate", "baseline").order_by("pk")
    )
    context = {
        "study": study,
        "settled": study.is_settled,
        "obstacles": sources.obstacles(study) if study.is_draft else [],
        "worker_missing": study.awaits_lists and fair_queue.is_worker_missing(),
        "last_worker": WorkerBeat.objects.last_seen(),
        "sources": study.sources.select_related("submission", "human"),
        "comparisons": comparisons,
        "counts": study.raters.counted().count(),
        "begun": study.raters.count(),
        "entries": sources.offered_entries(request),
        "human_lists": sources.offered_human_lists(request, study) if study.asks_triads else [],
        "rater_link": request.build_absolute_uri(reverse("people:consent", args=[study.link])),
        "owner_secret": request.COOKIES.get(cookie_name(study.pk), ""),
        "form": form or SourceForm(initial={"kind": "entry"}),
        "problem": problem,
        "message": message,
    }
    return render(request, "people/study.html", context, status=status)


@never_cache
@require_safe
def study(request: HttpRequest, study_id: str) -> HttpResponse:
    """The owner's page; everybody else is sent to what is published."""
    access = find(request, study_id)
    if access.is_owner:
        return study_page(request, access.study)
    return redirect("people:results", study_id)
