"""Lists of context words: collected, uploaded, or nearest words of an entry; a study's sources and their pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest
from django.utils import timezone

from benchmark.compare.entries import NO_FILE
from benchmark.operations import quotas
from benchmark.operations.kinds import JobContext, JobKind, OpenVectors, in_tries
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import under_review
from extensions.people.access import studies_with_lists
from extensions.people.forms import SourceForm, id_in, read_lists
from extensions.people.measure.free_associations import LIST_LENGTH, LONGEST_WORD, Mention, normalise, ranked
from extensions.people.measure.triads import FixedLists, Neighbours, WordSource, compared, cosine_ranks
from extensions.people.models import (
    Comparison,
    FreeAssociation,
    ListDeviation,
    RaterState,
    Source,
    SourceKind,
    Study,
    StudyState,
)
from extensions.shared.requested import figures_job
from tasks.errors import InputError
from tasks.political.human import NO_ORDER, human_deviation
from tasks.text import LeftOut
from tasks.vectors import Embedding

SETTLED = "This study has been opened or has imported answers, so what raters see can no longer change."


def mentions_of(study: Study) -> dict[str, list[Mention]]:
    """Words of all finished raters of free associations by cue, most mentions first."""
    rows = (
        FreeAssociation.objects.filter(rater__study=study, rater__state=RaterState.DONE)
        .order_by("rater__started_at", "rater_id", "place")
        .values_list("cue", "rater_id", "word")
    )
    by_cue: dict[str, dict[str, list[str]]] = {cue: {} for cue in study.cues}
    for cue, rater, word in rows:
        by_cue.setdefault(cue, {}).setdefault(rater, []).append(word)
    return {cue: ranked(answers.values(), study.merged.get(cue)) for cue, answers in by_cue.items()}


def human_lists(study: Study) -> dict[str, list[str]]:
    """The ten most mentioned words of each cue that has any."""
    return {
        cue: [mention.word for mention in mentions[:LIST_LENGTH]]
        for cue, mentions in mentions_of(study).items()
        if mentions
    }


def merge(study: Study, cue: str, variant: str, word: str) -> None:
    """Count a variant as another word; with the variant itself as the word, stop doing so.

    Raises
    ------
    InputError
        nobody gave the variant for this cue.
    """
    variant, word = normalise(variant), normalise(word)
    mentions = FreeAssociation.objects.filter(rater__study=study, cue=cue, word=variant)
    if not mentions.exists():
        raise InputError("unknown-word", f"No rater gave “{variant}” for “{cue}”; choose a word from its list.")
    if not word or len(word) > LONGEST_WORD:
        raise InputError("no-word", f"Enter the word that “{variant}” counts as, in at most {LONGEST_WORD} characters.")
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        merged = dict(row.merged.get(cue, {}))
        if variant == word:
            merged.pop(variant, None)
        else:
            merged[variant] = word
        row.merged = {**row.merged, cue: merged}
        row.save(update_fields=["merged"])
    study.merged = row.merged


def pair_up(study: Study) -> None:
    """Replace the comparisons: each other source with the baseline, without lists yet.

    Raises
    ------
    InputError
        the study is settled: raters have seen its comparisons.
    """
    if study.is_settled:
        raise InputError("settled", SETTLED)
    sources = list(study.sources.all())
    baseline = next((source for source in sources if source.is_baseline), None)
    with transaction.atomic():
        study.comparisons.all().delete()
        if baseline is not None:
            others = [source for source in sources if source.pk != baseline.pk]
            Comparison.objects.bulk_create(
                Comparison(study=study, candidate=source, baseline=baseline) for source in others
            )


def needs_vectors(study: Study) -> bool:
    return study.sources.filter(kind=SourceKind.ENTRY).exists()


def make_lists(study: Study, open_vectors: OpenVectors) -> None:
    """Make the lists of every comparison or, for free associations, the ranks of every entry.

    Parameters
    ----------
    open_vectors : opens an entry's vectors; only workers can.
    """
    if study.asks_triads:
        for comparison in study.comparisons.select_related("candidate__submission", "baseline__submission"):
            _compare(comparison, study.cues, open_vectors)
    else:
        words = {cue: [mention.word for mention in mentions] for cue, mentions in mentions_of(study).items()}
        for source in study.sources.select_related("submission"):
            _rank(source, words, open_vectors)


def _compare(comparison: Comparison, cues: Sequence[str], open_vectors: OpenVectors) -> None:
    try:
        sides = [_word_source(side, open_vectors) for side in (comparison.candidate, comparison.baseline)]
        lists, problems = compared(sides[0], sides[1], cues)
    except InputError as error:
        lists, problems = {}, [error.message]
    # Lists with raters or imported answers stay, even if the study was opened meanwhile.
    unseen = Comparison.objects.filter(pk=comparison.pk, study__state=StudyState.DRAFT, raters=None)
    unseen.update(
        lists={cue: [list(pair.candidate), list(pair.baseline)] for cue, pair in lists.items()} or None,
        reason=" ".join(problems)[:300],
        prepared_at=timezone.now(),
    )


def _rank(source: Source, words: Mapping[str, list[str]], open_vectors: OpenVectors) -> None:
    try:
        columns: dict[str, object] = {"ranks": cosine_ranks(_vectors(source, open_vectors), words), "reason": ""}
    except InputError as error:
        columns = {"ranks": None, "reason": error.message[:300]}
    Source.objects.filter(pk=source.pk).update(**columns)


def _word_source(source: Source, open_vectors: OpenVectors) -> WordSource:
    if source.kind == SourceKind.ENTRY:
        return Neighbours(_vectors(source, open_vectors))
    if source.human is not None:
        return FixedLists(human_lists(source.human))
    return FixedLists(source.words)


def _vectors(source: Source, open_vectors: OpenVectors) -> Embedding:
    """Vectors of an entry, which may have become private since it was added."""
    visible = Submission.objects.visible_to(source.study.owner).filter(pk=source.submission_id)
    if source.submission is None or not visible.exists():
        raise InputError("gone", f"The entry “{source.name}” is no longer on the site; remove it.")
    return open_vectors(source.submission)


def no_vectors(submission: Submission) -> Embedding:
    """``open_vectors`` for studies without entries, which need no worker."""
    raise AssertionError(f"the vectors of {submission.pk} can be opened only by a worker")


def data_file(study: Study) -> dict[str, object]:
    """The published lists of a study of free associations."""
    return {
        "study": {"id": study.pk, "title": study.title, "language": study.language, "licence": study.licence},
        "raters": study.raters.counted().count(),
        "lists": {
            cue: [
                {"rank": m.rank, "word": m.word, "mentions": m.mentions, "variants": list(m.variants)} for m in mentions
            ]
            for cue, mentions in mentions_of(study).items()
        },
    }


MOST_SOURCES = 12


def offered_human_lists(request: HttpRequest, study: Study) -> list[Study]:
    """Studies of free associations whose lists may be judged in this one."""
    return [other for other in studies_with_lists(request) if other.pk != study.pk]


def without_lists(studies: Sequence[Study]) -> set[str]:
    """Ids of those studies whose raters have named no word yet."""
    named = FreeAssociation.objects.filter(rater__study__in=studies, rater__state=RaterState.DONE)
    return {study.pk for study in studies} - set(named.values_list("rater__study", flat=True).distinct())


def add_source(request: HttpRequest, study: Study, form: SourceForm, text: str, left_out: LeftOut) -> Source:
    """Add a source; the first one of a study is its baseline.

    Parameters
    ----------
    text : of lists, uploaded or typed.
    left_out : collects unusable words.

    Raises
    ------
    InputError
        it does not exist or does not fit this study.
    """
    kind = form.cleaned_data["kind"]
    source = Source(study=study, kind=kind)
    if kind == SourceKind.ENTRY:
        source.submission = _entry(request, form.cleaned_data["entry"])
        if not source.submission.has_vectors:
            message = f"{NO_FILE.format(name=source.submission.display_name)} Choose an entry with vectors."
            raise InputError("no-vectors", message, field="entry")
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
    """The entry with this id, link or name; only listed and own ones have a name here, and none under review."""
    measured = Submission.objects.exclude(vectors_sha256="")
    entry: Submission | None = measured.visible_to(request.user).filter(pk=id_in(text)).first()
    if entry is not None:
        return entry
    named = (measured.listed() | measured.owned_by(request.user)).filter(name__iexact=text.strip())
    matches = list(named.exclude(under_review()).order_by("-finished_at")[:2]) if text.strip() else []
    if len(matches) > 1:
        message = (
            f"Several entries have the name “{text.strip()}”; choose one from the list, or copy the link to its report."
        )
        raise InputError("several-entries", message, field="entry")
    if not matches:
        message = "No evaluated entry has this name or id; choose one from the list, or copy the link to its report."
        raise InputError("no-entry", message, field="entry")
    return matches[0]


def _human(request: HttpRequest, study: Study, text: str) -> Study:
    """The study with this id, link or title."""
    offered = offered_human_lists(request, study)
    by_title = [other for other in offered if other.title.casefold() == text.strip().casefold()]
    chosen = next((other for other in offered if other.pk == id_in(text)), by_title[0] if len(by_title) == 1 else None)
    if chosen is None:
        raise InputError("no-lists", "These lists do not exist, or are neither published nor yours.", field="human")
    return chosen


def remove_source(study: Study, source: Source) -> None:
    """Remove a source; the next one becomes the baseline if it was."""
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
    """Recompute comparisons and lists, at once if possible, otherwise by a worker with a new set of tries.

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
    """Sentences about everything that prevents opening a draft; empty if it is ready."""
    if not study.asks_triads:
        return []
    if study.sources.count() < 2:
        return ["Add at least two sources: a baseline and a candidate."]
    comparisons = list(study.comparisons.select_related("candidate", "baseline"))
    if any(comparison.prepared_at is None for comparison in comparisons):
        wait = "A worker is making the lists; they will appear on this page."
        return [wait if needs_vectors(study) else "The lists do not exist yet; recompute them."]
    problems = [f"{comparison}: {comparison.reason}" for comparison in comparisons if comparison.reason]
    return problems if study.practice else [*problems, "Add a practice item."]


GIVEN_UP = (
    "A worker failed to compute this {tries} ({reason}). Request it again later; if that fails too, contact "
    "the operators of this site."
)


def make(job: Job, context: JobContext) -> None:
    """Make the lists of a study."""
    make_lists(Study.objects.get(pk=job.subject), context.open_vectors)


def is_wanted(job: Job) -> bool:
    """Whether the study still exists."""
    return Study.objects.filter(pk=job.subject).exists()


def give_up(job: Job, reason: str) -> None:
    """Store the reason with all missing lists and ranks."""
    study = Study.objects.get(pk=job.subject)
    text = GIVEN_UP.format(tries=in_tries(job), reason=reason)[:300]
    with transaction.atomic():
        study.comparisons.filter(prepared_at=None).update(reason=text, prepared_at=timezone.now())
        if not study.asks_triads:
            study.sources.filter(ranks__isnull=True).update(reason=text)


def deviate(row: ListDeviation, context: JobContext) -> dict[str, object]:
    """One entry's deviation from people's lists."""
    deviation = human_deviation(context.open_vectors(row.submission), row.words)
    reason = "" if deviation["relative"] else NO_ORDER if deviation["full"] else NO_CUE_KNOWN
    return {**deviation, "reason": reason}


_DEVIATIONS = ListDeviation.objects.filter(words__isnull=False).select_related("submission")
NO_CUE_KNOWN = "None of the cues is in the vocabulary together with a word of its list."
NO_DEVIATION: dict[str, object] = {"full": None, "within": None, "relative": None, "cues": {}}
KINDS = {
    "make_lists": JobKind(make, give_up, is_wanted, about="study"),
    "deviate": figures_job("deviation", _DEVIATIONS, deviate, NO_DEVIATION, {"words": None}),
}
