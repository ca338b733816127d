"""Pages of studies: those of the owner, results, and downloads of lists and answers; all URLs of the feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, re_path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.inputs import Ignored, Parameters, takes
from benchmark.operations import fair_queue
from benchmark.operations.counting import Limit, TooMuch, spend
from benchmark.operations.models import WorkerBeat
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import size
from extensions.people import list_comparison, lists, sessions
from extensions.people.access import StudyAccess, find, find_owned, network_hash, owned_studies
from extensions.people.exchange import answers_csv, import_answers, lists_as_csv, raters_csv
from extensions.people.forms import SourceForm, StudyForm, uploaded_text
from extensions.people.lists import SETTLED, data_file, mentions_of, merge
from extensions.people.measure.free_associations import LIST_LENGTH
from extensions.people.models import Comparison, IllegalStudyMove, Kind, Study, StudyState, move_to
from extensions.people.results import deviation_chart, deviations_of, preference_chart, result_of
from extensions.people.retention import erase_study
from tasks.errors import InputError
from tasks.languages import LANGUAGES
from tasks.political.cues import CUE_LISTS
from tasks.text import LeftOut

NEW_STUDIES = Limit("new-studies", 20, 3600)  # twenty an hour from one address
IMPORTS = Limit("imports", 60, 3600)  # sixty files an hour in one study
SENT_CHARACTERS = Limit("sent-characters", 40_000_000, 3600)  # forty million an hour from one address: they are stored
MOST_ANSWERS_BYTES = 20_000_000
MOST_LISTS_BYTES = 1_000_000
"""Maximum size of uploaded lists, as every page of the study reads them."""


FORGETTING = (
    "Counted from when the study closes{idle}. Browser and participant codes, rater ids and replies to "
    "your questions are then deleted; the answers stay."
)
UNCLOSED = ", or, if you never close it, from {days} days after the last answer"


def _form_page(
    request: HttpRequest, form: StudyForm, study: Study | None, status: int = 200, ignored: Sequence[Ignored] = ()
) -> HttpResponse:
    days = settings.VECBOARD_STUDY_IDLE_DAYS
    context = {
        "ignored": ignored,
        "form": form,
        "study": study,
        "cue_lists": CUE_LISTS.values(),
        "forgetting": FORGETTING.format(idle=UNCLOSED.format(days=days) if days else ""),
        "consent": {kind.label.partition(":")[0]: form.default_consent(kind) for kind in Kind},
    }
    return render(request, "people/edit.html", context, status=status)


@takes("language")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Create a study; the browser keeps the owner's secret."""
    if request.method != "POST":
        parameters = Parameters(request.GET)
        language = parameters.one_of("language", LANGUAGES, "en")
        return _form_page(request, StudyForm(initial={"language": language}), None, ignored=parameters.ignored)
    form = StudyForm(request.POST)
    if not form.is_valid():
        return _form_page(request, form, None, 400)
    if not spend(NEW_STUDIES, network_hash(request)):
        form.add_error(None, "Too many studies were created from this address within an hour; try again later.")
        return _form_page(request, form, None, 429)
    study: Study = form.save(commit=False)
    token = study.give_to(request.user)
    study.save()
    response = redirect("people:study", study.pk)
    study.remember(request, response, token)
    _say_cues(request, study)
    return response


def _say_cues(request: HttpRequest, study: Study) -> None:
    """Show how the list of cues was read."""
    count = len(study.cues)
    messages.success(request, f"Read {count} cue{'' if count == 1 else 's'}: {', '.join(study.cues)}.")


@never_cache
@require_safe
def owner(request: HttpRequest, study_id: str, token: str) -> HttpResponseBase:
    """The secret owner link: store the secret in a cookie and remove it from the URL by a redirect."""
    study = get_object_or_404(Study, pk=study_id)
    response = redirect("people:study", study_id)
    study.remember(request, response, token)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, study_id: str) -> HttpResponse:
    """Edit a draft."""
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
        lists.refresh(study)
    _say_cues(request, study)
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
        lists.add_source(request, study, form, _counted(request, text), left_out)
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
        lists.remove_source(study, source)
    elif study.asks_triads:
        lists.take_as_baseline(study, source)
    return redirect(f"{study.get_absolute_url()}#sources")


@require_POST
def remake(request: HttpRequest, study_id: str) -> HttpResponse:
    """Recompute lists or ranks, after words were merged or an entry was measured."""
    study = find_owned(request, study_id)
    if study.asks_triads and study.is_settled:
        return _message(request, study, SETTLED, 409)
    lists.refresh(study)
    return redirect(f"{study.get_absolute_url()}#sources")


@require_POST
def move(request: HttpRequest, study_id: str, action: str) -> HttpResponse:
    """Open or close a study."""
    study = find_owned(request, study_id)
    if action == "open" and (stops := lists.obstacles(study)):
        return _message(request, study, " ".join(stops), 409)
    try:
        move_to(study, StudyState.OPEN if action == "open" else StudyState.CLOSED)
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
    """Import answers that were collected elsewhere."""
    study = find_owned(request, study_id)
    if not spend(IMPORTS, study.pk):
        return _message(request, study, "Too many files were imported within an hour; try again later.", 429)
    try:
        text = uploaded_text(request, MOST_ANSWERS_BYTES, field="answers") or request.POST.get("answers", "")
        return _message(request, study, import_answers(study, _counted(request, text)).sentence)
    except TooMuch:
        raise
    except InputError as error:
        return _message(request, study, error.message, 400)


def _counted(request: HttpRequest, text: str) -> str:
    """Count text that will be stored towards the address's limit, and return it.

    Raises
    ------
    TooMuch
        the limit per hour is exceeded.
    """
    if not spend(SENT_CHARACTERS, network_hash(request), len(text)):
        message = f"You sent more than {size(SENT_CHARACTERS.most)} of lists and answers; wait an hour."
        raise TooMuch("too-many-answers", message, field=None)
    return text


@require_POST
def erase(request: HttpRequest, study_id: str) -> HttpResponse:
    """Erase a rater's answers by the rater id or the name in exports."""
    study = find_owned(request, study_id)
    name = request.POST.get("rater", "").strip().lower()
    rater = study.raters.called(name).first()
    if rater is None:
        return _message(request, study, "No rater of this study has this id; nothing was erased.", 404)
    rater.delete()  # with all its answers
    return _message(request, study, "The session and all its answers have been erased.")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, study_id: str) -> HttpResponse:
    """Ask for confirmation, then delete permanently."""
    study = find_owned(request, study_id)
    if request.method != "POST":
        taken_over = study.human_lists.exclude(study=study).count()
        context = {"study": study, "raters": study.raters.count(), "taken_over": taken_over}
        question = {"question": "Delete permanently?", "button": f"Delete {study.title}"}
        named = {"name": study.title, "here": study.get_absolute_url()}
        return render(request, "people/delete.html", context | question | named)
    erase_study(study.pk)
    messages.success(request, f"{study.title} was deleted, with all its answers.")
    response = redirect("people:index")
    response.delete_cookie(Study.cookie_name(study_id))
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
    """The owner's page of a study, with a message or problem."""
    comparisons = list(
        Comparison.objects.filter(study=study).with_counts().select_related("candidate", "baseline").order_by("pk")
    )
    entries = Submission.objects.listed().with_report().order_by("-finished_at")[:200]
    human_lists = lists.offered_human_lists(request, study) if study.asks_triads else []
    context = {
        "study": study,
        "settled": study.is_settled,
        "obstacles": lists.obstacles(study) if study.is_draft else [],
        "full": study.is_open and study.is_full,
        "worker_missing": study.awaits_lists and fair_queue.is_worker_missing(),
        "last_worker": WorkerBeat.objects.last_seen(),
        "sources": study.sources.select_related("submission", "human"),
        "comparisons": comparisons,
        "counts": study.raters.counted().count(),
        "begun": study.raters.count(),
        "entries": [entry for entry in entries if entry.has_vectors],
        "without_vectors": sum(not entry.has_vectors for entry in entries),
        "human_lists": human_lists,
        "empty_lists": lists.without_lists(human_lists) if human_lists else set(),
        "rater_link": request.build_absolute_uri(reverse("people:consent", args=[study.link])),
        "owner_secret": Study.secret_in(request, study.pk),
        "form": form or SourceForm(initial={"kind": "entry"}),
        "problem": problem,
        "message": message,
    }
    return render(request, "people/study.html", context, status=status)


@never_cache
@require_safe
def study(request: HttpRequest, study_id: str) -> HttpResponse:
    """The owner's page; others are redirected to the results."""
    access = find(request, study_id)
    if access.is_owner:
        return study_page(request, access.study)
    return redirect("people:results", study_id)


@never_cache
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    context = {
        "own": owned_studies(request),
        "lists": Study.objects.with_public_lists()[:50],
        "results": Study.objects.with_public_results()[:50],
    }
    return render(request, "people/index.html", context)


@never_cache
@require_safe
def results(request: HttpRequest, study_id: str) -> HttpResponse:
    """Results of a study."""
    access = find(request, study_id)
    if access.study.asks_triads:
        return _triad_results(request, access)
    if not access.sees_lists:
        raise Http404("There is no such study.")
    return _association_results(request, access)


def _triad_results(request: HttpRequest, access: StudyAccess) -> HttpResponse:
    if not access.sees_results:
        raise Http404("There is no such study.")
    comparisons = access.study.comparisons.filter(lists__isnull=False).select_related("candidate", "baseline")
    results = [result_of(comparison) for comparison in comparisons]
    parts = [
        {
            "result": result,
            "chart": preference_chart(result),
            "rows": list(zip(result.cues, result.preference.cues, strict=True)),
        }
        for result in results
    ]
    context = {"study": access.study, "access": access, "parts": parts}
    return render(request, "people/triad_results.html", context)


def _association_results(request: HttpRequest, access: StudyAccess) -> HttpResponse:
    study = access.study
    deviations = deviations_of(study)
    by_cue = [(cue, mentions[:LIST_LENGTH], mentions[LIST_LENGTH:]) for cue, mentions in mentions_of(study).items()]
    context = {
        "study": study,
        "access": access,
        "by_cue": by_cue,
        "raters": study.raters.counted().count(),
        "deviations": deviations,
        "chart": deviation_chart(study.pk, deviations) if deviations else None,
    }
    return render(request, "people/association_results.html", context)


@never_cache
@require_safe
def lists_json(request: HttpRequest, study_id: str) -> HttpResponseBase:
    """The lists of free associations as JSON: every word with its mentions."""
    study = _listed(request, study_id)
    how = {"ensure_ascii": False, "indent": 1}
    return JsonResponse(data_file(study), json_dumps_params=how, headers=_as_file(f"{study.pk}-lists.json"))


CSV_FILES: dict[str, Callable[[Study], Iterator[str]]] = {
    "lists": lists_as_csv,
    "answers": answers_csv,
    "raters": raters_csv,
}


@never_cache
@require_safe
def csv_file(request: HttpRequest, study_id: str, name: str) -> HttpResponseBase:
    """The lists of free associations as CSV or, for the owner, all answers, or all raters with their replies."""
    study = _listed(request, study_id) if name == "lists" else find_owned(request, study_id)
    return StreamingHttpResponse(
        CSV_FILES[name](study), content_type="text/csv; charset=utf-8", headers=_as_file(f"{study.pk}-{name}.csv")
    )


def _listed(request: HttpRequest, study_id: str) -> Study:
    access = find(request, study_id)
    if access.study.asks_triads or not access.sees_lists:
        raise Http404("There are no such lists.")
    return access.study


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


app_name = "people"
_STUDY = "people/<slug:study_id>"
urlpatterns = [
    path("people/", index, name="index"),
    path("people/new", new, name="new"),
    path(f"{_STUDY}/", study, name="study"),
    path(f"{_STUDY}/owner/<str:token>", owner, name="owner"),
    path(f"{_STUDY}/edit", edit, name="edit"),
    path(f"{_STUDY}/results", results, name="results"),
    path(f"{_STUDY}/lists.json", lists_json, name="lists-json"),
    path(f"{_STUDY}/lists.csv", csv_file, {"name": "lists"}, name="lists-csv"),
    path(f"{_STUDY}/answers.csv", csv_file, {"name": "answers"}, name="answers"),
    path(f"{_STUDY}/raters.csv", csv_file, {"name": "raters"}, name="raters"),
    path(f"{_STUDY}/sources", add_source, name="add-source"),
    path(f"{_STUDY}/sources/make", remake, name="make-lists"),
    re_path(
        r"^people/(?P<study_id>[a-z0-9]+)/sources/(?P<source_id>[0-9]{1,18})/(?P<action>remove|baseline)$",
        change_source,
        name="change-source",
    ),
    re_path(r"^people/(?P<study_id>[a-z0-9]+)/(?P<action>open|close)$", move, name="move"),
    path(f"{_STUDY}/merge", merge_variant, name="merge"),
    path(f"{_STUDY}/read", read_in, name="read-in"),
    path(f"{_STUDY}/erase", erase, name="erase"),
    path(f"{_STUDY}/delete", delete, name="delete"),
    path("compare/people", list_comparison.list_comparison, name="beside"),
    path("rate/<slug:link>", sessions.consent, name="consent"),
    path("rate/<slug:link>/now", sessions.session, name="session"),
    path("rate/<slug:link>/answer", sessions.answer, name="answer"),
    path("rate/<slug:link>/erase", sessions.erase, name="rater-erase"),
]
