"""The lists of a study: what people gave, what a person uploaded, what an entry's vectors say, and who meets whom."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from benchmark.people.models import Association, Comparison, Source, SourceKind, Study
from benchmark.people.states import RaterState
from benchmark.submissions.models import Submission
from tasks.errors import InputError
from tasks.people.associations import LIST_LENGTH, LONGEST_WORD, Mention, normalise, ranked
from tasks.people.lists import GivenLists, Neighbours, WordSource, compared, cosine_ranks
from tasks.vectors import Embedding

MOST_LIST_WORDS = 100
OpenVectors = Callable[[Submission], Embedding]


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
        raise InputError("unknown-word", f"Nobody gave “{variant}” for “{cue}”; choose a word from its list.")
    if not word or len(word) > LONGEST_WORD:
        raise InputError("no-word", f"Say which word “{variant}” counts as, in at most {LONGEST_WORD} characters.")
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


def read_lists(text: str) -> dict[str, list[str]]:
    """Lists from a file: JSON ``{cue: [words, best first]}``, or CSV with the columns ``cue`` and ``word``, best first.

    Raises
    ------
    InputError
        the text is neither; says where and what to write.
    """
    text = text.removeprefix("\ufeff")
    lists = _from_json(text) if text.lstrip().startswith("{") else _from_csv(text)
    if not lists:
        raise InputError("no-lists", "There is no list in this file; write the columns cue and word, one word a line.")
    return lists


def _from_json(text: str) -> dict[str, list[str]]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise InputError("bad-json", f"This begins like JSON but is none: {error}.") from error
    lists: dict[str, list[str]] = {}
    for cue, words in given.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise InputError("bad-json", f"The list of “{cue}” is no list of words; write {{cue: [word, word, …]}}.")
        for word in words:
            _add(lists, cue, word, f"the list of “{cue}”")
    return lists


def _from_csv(text: str) -> dict[str, list[str]]:
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames is None or not {"cue", "word"} <= set(reader.fieldnames):
        raise InputError("no-columns", "The first line must name the columns cue and word (cue,word).")
    lists: dict[str, list[str]] = {}
    for row in reader:
        _add(lists, row["cue"] or "", row["word"] or "", f"line {reader.line_num}")
    return lists


def _add(lists: dict[str, list[str]], cue: str, word: str, where: str) -> None:
    cue, word = normalise(cue), normalise(word)
    if not cue or not word or len(word) > LONGEST_WORD or len(cue) > LONGEST_WORD:
        raise InputError(
            "bad-word", f"In {where}, a cue or word is empty or longer than {LONGEST_WORD} characters; correct it."
        )
    words = lists.setdefault(cue, [])
    if len(words) >= MOST_LIST_WORDS:
        raise InputError("too-many", f"“{cue}” has more than {MOST_LIST_WORDS} words; keep the best ones.")
    if word not in words and word != cue:
        words.append(word)


def pair_up(study: Study) -> None:
    """Make the study's comparisons follow its sources: every other source against the baseline, lists yet to come."""
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
            _compare(study, comparison, open_vectors)
    else:
        words = {cue: [mention.word for mention in mentions] for cue, mentions in mentions_of(study).items()}
        for source in study.sources.select_related("submission"):
            _rank(source, words, open_vectors)


def _compare(study: Study, comparison: Comparison, open_vectors: OpenVectors) -> None:
    if not study.is_draft:  # raters have seen these lists: they stay
        return
    try:
        sides = [_word_source(side, open_vectors) for side in (comparison.candidate, comparison.baseline)]
        lists, problems = compared(sides[0], sides[1], study.cues)
    except InputError as error:
        lists, problems = {}, [error.message]
    comparison.lists = {cue: [list(pair.candidate), list(pair.baseline)] for cue, pair in lists.items()} or None
    comparison.reason = " ".join(problems)[:300]
    comparison.prepared_at = timezone.now()
    comparison.save(update_fields=["lists", "reason", "prepared_at"])


def _rank(source: Source, words: Mapping[str, list[str]], open_vectors: OpenVectors) -> None:
    try:
        source.ranks, source.reason = cosine_ranks(_vectors(source, open_vectors), words), ""
    except InputError as error:
        source.ranks, source.reason = None, error.message[:300]
    source.save(update_fields=["ranks", "reason"])


def _word_source(source: Source, open_vectors: OpenVectors) -> WordSource:
    if source.kind == SourceKind.ENTRY:
        return Neighbours(_vectors(source, open_vectors))
    if source.human is not None:
        return GivenLists(human_lists(source.human))
    return GivenLists(source.words)


def _vectors(source: Source, open_vectors: OpenVectors) -> Embedding:
    if source.submission is None:
        raise InputError("gone", f"The entry “{source.name}” is no longer on the site; remove it.")
    return open_vectors(source.submission)


def no_vectors(submission: Submission) -> Embedding:
    """For studies without entries, whose lists the site makes by itself."""
    raise AssertionError(f"the vectors of {submission.pk} can be opened by a worker only")


def data_file(study: Study) -> dict[str, Any]:
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
