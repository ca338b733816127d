"""The lists of a study: what people gave, what a person uploaded, what an entry's vectors say, and who meets whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from benchmark.operations.kinds import OpenVectors
from benchmark.people.models import Association, Comparison, Source, SourceKind, Study
from benchmark.people.states import RaterState, StudyState
from benchmark.submissions.models import Submission
from tasks.errors import InputError
from tasks.people.free_associations import LIST_LENGTH, LONGEST_WORD, Mention, normalise, ranked
from tasks.people.triads import FixedLists, Neighbours, WordSource, compared, cosine_ranks
from tasks.vectors import Embedding

SETTLED = "This study has been opened or has imported answers, so what raters see can no longer change."


def mentions_of(study: Study) -> dict[str, list[Mention]]:
    """Every word that the raters of an association study gave, by cue, most mentions first; unfinished ones wait."""
    rows = (
        Association.objects.filter(rater__study=study, rater__state=RaterState.DONE)
        .order_by("rater__started_at", "rater_id", "place")
        .values_list("cue", "rater_id", "word")
    )
    by_cue: dict[str, dict[str, list[str]]] = {cue: {} for cue in study.cues}
    for cue, rater, word in rows:
        by_cue.setdefault(cue, {}).setdefault(rater, []).append(word)
    return {cue: ranked(answers.values(), study.merged.get(cue)) for cue, answers in by_cue.items()}


def human_lists(study: Study) -> dict[str, list[str]]:
    """The ten words with the most mentions of each cue that has any."""
    return {
        cue: [mention.word for mention in mentions[:LIST_LENGTH]]
        for cue, mentions in mentions_of(study).items()
        if mentions
    }


def merge(study: Study, cue: str, variant: str, word: str) -> None:
    """Count a variant as another word from now on; with the variant itself as the word, no longer.

    Raises
    ------
    InputError
        nobody gave the variant for this cue.
    """
    variant, word = normalise(variant), normalise(word)
    given = Association.objects.filter(rater__study=study, cue=cue, word=variant)
    if not given.exists():
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
    """Make the study's comparisons follow its sources: every other source against the baseline, lists yet to come.

    Raises
    ------
    InputError
        the study is settled: its comparisons have been seen or answered.
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
    """Write the lists of every comparison, or for an association study the ranks of every entry.

    Parameters
    ----------
    open_vectors : gives an entry's vectors; only the workers can.
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
    # Lists that raters have seen, or that answers were read in for, stay: also when the study was opened meanwhile.
    unseen = Comparison.objects.filter(pk=comparison.pk, study__state=StudyState.DRAFT, raters=None)
    unseen.update(
        lists={cue: [list(pair.candidate), list(pair.baseline)] for cue, pair in lists.items()} or None,
        reason=" ".join(problems)[:300],
        prepared_at=timezone.now(),
    )


def _rank(source: Source, words: Mapping[str, list[str]], open_vectors: OpenVectors) -> None:
    try:
        found: dict[str, object] = {"ranks": cosine_ranks(_vectors(source, open_vectors), words), "reason": ""}
    except InputError as error:
        found = {"ranks": None, "reason": error.message[:300]}
    Source.objects.filter(pk=source.pk).update(**found)


def give_up_lists(study: Study, reason: str) -> None:
    """Say of everything that still has no lists or ranks why it has none."""
    with transaction.atomic():
        study.comparisons.filter(prepared_at=None).update(reason=reason[:300], prepared_at=timezone.now())
        if not study.asks_triads:
            study.sources.filter(ranks__isnull=True).update(reason=reason[:300])


def _word_source(source: Source, open_vectors: OpenVectors) -> WordSource:
    if source.kind == SourceKind.ENTRY:
        return Neighbours(_vectors(source, open_vectors))
    if source.human is not None:
        return FixedLists(human_lists(source.human))
    return FixedLists(source.words)


def _vectors(source: Source, open_vectors: OpenVectors) -> Embedding:
    """Of an entry that the study's owner may see now: it may have become private since it was added."""
    seen = Submission.objects.visible_to(source.study.owner).filter(pk=source.submission_id)
    if source.submission is None or not seen.exists():
        raise InputError("gone", f"The entry “{source.name}” is no longer on the site; remove it.")
    return open_vectors(source.submission)


def no_vectors(submission: Submission) -> Embedding:
    """For studies without entries, whose lists the site makes by itself."""
    raise AssertionError(f"the vectors of {submission.pk} can be opened only by a worker")


def data_file(study: Study) -> dict[str, object]:
    """The published form of an association study's lists."""
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
