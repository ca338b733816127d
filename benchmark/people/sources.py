"""Adding and removing what a study compares, and what it lacks before it can be opened."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest

from benchmark.operations import quotas
from benchmark.people.access import studies_with_lists
from benchmark.people.forms import SourceForm, id_in
from benchmark.people.lists import make_lists, needs_vectors, no_vectors, pair_up
from benchmark.people.models import Source, SourceKind, Study
from benchmark.people.uploads import read_lists
from benchmark.submissions.models import Submission
from tasks.errors import InputError
from tasks.left_out import LeftOut

MOST_SOURCES = 12


def offered_entries(request: HttpRequest) -> object:
    """Entries that may be chosen from a list: those of the board, newest first."""
    return Submission.objects.listed().with_report().order_by("-finished_at")[:200]


def offered_human_lists(request: HttpRequest, study: Study) -> list[Study]:
    """Association studies whose lists may be judged in this one."""
    return [other for other in studies_with_lists(request) if other.pk != study.pk]


def add(request: HttpRequest, study: Study, form: SourceForm, text: str, left_out: LeftOut) -> Source:
    """Add a source; the first one of a study is its baseline.

    Parameters
    ----------
    text : of lists, uploaded or typed.
    left_out : gets their unusable words.

    Raises
    ------
    InputError
        what was asked for is not there or does not fit; ``field`` says where.
    """
    kind = form.cleaned_data["kind"]
    source = Source(study=study, kind=kind)
    if kind == SourceKind.ENTRY:
        source.submission = _entry(request, form.cleaned_data["entry"])
        default = source.submission.display_name
    elif not study.asks_triads:
        raise InputError("wrong-kind", "Only entries can be compared with collected lists.", field="kind")
    elif kind == SourceKind.HUMAN:
        source.human = _human(request, study, form.cleaned_data["human"])
        default = source.human.title
    else:
        try:
            source.words = read_lists(text, left_out)
        except InputError as error:
            raise InputError(error.code, error.message, field="lists") from error
        default = "uploaded"
    source.name = form.cleaned_data["name"] or default[:60]
    with transaction.atomic():
        existing = Study.objects.select_for_update().get(pk=study.pk).sources
        if existing.filter(name=source.name).exists():
            raise InputError("same-name", f"A source named “{source.name}” already exists.", field="name")
        if existing.count() >= MOST_SOURCES:
            raise InputError("too-many", f"A study has at most {MOST_SOURCES} sources; remove one.", field="kind")
        source.position = (existing.aggregate(last=Max("position"))["last"] or 0) + 1
        source.is_baseline = study.asks_triads and not existing.exists()
        source.save()
        refresh(study)
    return source


def _entry(request: HttpRequest, text: str) -> Submission:
    visible = Submission.objects.visible_to(request.user)
    entry: Submission | None = visible.filter(pk=id_in(text)).exclude(vectors_sha256="").first()
    if entry is None:
        raise InputError("no-entry", "No evaluated entry has this id; copy the link to its report.", field="entry")
    return entry


def _human(request: HttpRequest, study: Study, text: str) -> Study:
    found = {other.pk: other for other in offered_human_lists(request, study)}.get(id_in(text))
    if found is None:
        raise InputError("no-lists", "These lists do not exist, or are neither published nor yours.", field="human")
    return found


def remove(study: Study, source: Source) -> None:
    """Remove a source of a draft, or an entry of an association study. The next one becomes the baseline."""
    with transaction.atomic():
        study.comparisons.filter(candidate=source).delete()
        study.comparisons.filter(baseline=source).delete()
        was_baseline = source.is_baseline
        source.delete()
        first = study.sources.first()
        if was_baseline and first is not None:
            Source.objects.filter(pk=first.pk).update(is_baseline=True)
        refresh(study)


def take_as_baseline(study: Study, source: Source) -> None:
    """Compare every other source with this one."""
    with transaction.atomic():
        study.sources.update(is_baseline=False)
        Source.objects.filter(pk=source.pk).update(is_baseline=True)
        refresh(study)


def refresh(study: Study) -> None:
    """Recompute comparisons and lists: at once where the site can, else by a worker, with a new set of tries.

    Raises
    ------
    InputError
        a triad study is settled.
    TooMuch
        this person already has too many open requests.
    """
    if study.asks_triads:
        pair_up(study)
    if needs_vectors(study):
        quotas.ask("make_lists", [study.pk], again=True)
    else:
        make_lists(study, no_vectors)


def obstacles(study: Study) -> list[str]:
    """A sentence for each thing that keeps a draft from being opened; empty when it is ready."""
    if not study.asks_triads:
        return []
    if study.sources.count() < 2:
        return ["Add at least two sources: a baseline and a candidate."]
    comparisons = list(study.comparisons.select_related("candidate", "baseline"))
    if any(comparison.prepared_at is None for comparison in comparisons):
        wait = "A worker is making the lists; they will appear on this page."
        return [wait if needs_vectors(study) else "The lists do not exist yet; recompute them."]
    found = [f"{comparison}: {comparison.reason}" for comparison in comparisons if comparison.reason]
    return found if study.practice else [*found, "Add a practice item."]
