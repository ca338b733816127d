"""Export and import of answers as CSV. The columns for triads are those of the paper's programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from django.db import transaction
from django.utils import timezone

from benchmark.templatetags.figures import csv_lines
from extensions.people.access import participant_hash
from extensions.people.forms import UploadedTable
from extensions.people.lists import mentions_of
from extensions.people.measure.free_associations import (
    LONGEST_WORD,
    WORDS_A_CUE,
    Refusal,
    as_written,
    normalise,
    refusal,
)
from extensions.people.measure.triads import Item, Side
from extensions.people.models import Choice, Comparison, FreeAssociation, Rater, RaterState, Study
from tasks.errors import InputError
from tasks.text import LeftOut, is_blank

TRIAD_COLUMNS = (
    "workerid", "position", "kind", "cue", "left.source", "right.source", "left.word", "right.word", "left.rank",
    "right.rank", "left.correct", "right.correct", "left.choice", "right.choice", "milliseconds", "counted",
)  # fmt: skip
LIST_COLUMNS = ("cue", "rank", "word", "mentions", "variants")
RATER_COLUMNS = ("workerid", "state", "comparison", "seconds", "imported")
ASSOCIATION_COLUMNS = ("workerid", "cue", "position", "word", "written", "milliseconds", "counted")
NEEDED_TRIAD_COLUMNS = ("cue", "left.source", "right.source", "left.word", "right.word", "left.choice")
YES, NO = "TRUE", "FALSE"
REFUSED: dict[Refusal, str] = {
    "empty": "has no word",
    "long": f"has a word of more than {LONGEST_WORD} characters",
    "cue": "repeats the cue as its word",
    "repeated": "repeats a word of the same rater",
}
"""As in the rater's form."""
MOST_RATERS, MOST_ANSWERS = 10_000, 500_000
"""Per study, including imported ones, as result pages read all answers, and raters are forgotten in one step."""
Row = dict[str, str]
Session = tuple[str, int | None]
"""A rater's name in the file, and the comparison (None for free associations)."""
Reader = Callable[[int, Row], tuple[int | None, object]]
"""Turns the number and fields of a line into comparison and answer."""


def answers_csv(study: Study) -> Iterator[str]:
    """Lines of all answers, with a mark on those that don't count."""
    if study.asks_triads:
        return csv_lines(chain([TRIAD_COLUMNS], _triad_rows(study)))
    return csv_lines(chain([ASSOCIATION_COLUMNS], _association_rows(study)))


def raters_csv(study: Study) -> Iterator[str]:
    """Lines of all raters: end and duration of the session, and a column per question of the owner.

    Dates and times are left out, as they would identify participants of crowd-working services.
    """
    questions = [question["question"] for question in study.questions]
    raters = study.raters.select_related("comparison__candidate", "comparison__baseline")

    def rows() -> Iterator[Sequence[object]]:
        for rater in raters:
            measured = None if rater.imported or rater.finished_at is None else rater.finished_at - rater.started_at
            seconds = None if measured is None else round(measured.total_seconds())
            replies = [rater.replies.get(question, "") for question in questions]
            yield rater.pseudonym, rater.state, str(rater.comparison or ""), seconds, _flag(rater.imported), *replies

    return csv_lines(chain([(*RATER_COLUMNS, *questions)], rows()))


def lists_as_csv(study: Study) -> Iterator[str]:
    """Lines of the human lists: every word with its mentions, best first."""
    rows = (
        (cue, mention.rank, mention.word, mention.mentions, " | ".join(mention.variants))
        for cue, mentions in mentions_of(study).items()
        for mention in mentions
    )
    return csv_lines(chain([LIST_COLUMNS], rows))


def _triad_rows(study: Study) -> Iterator[Sequence[object]]:
    for comparison in study.comparisons.select_related("candidate", "baseline"):
        ranks = {cue: (_ranks(lists[0]), _ranks(lists[1])) for cue, lists in (comparison.lists or {}).items()}
        for rater in comparison.raters.prefetch_related("choices"):
            items = rater.items
            for choice in rater.choices.all():
                yield _triad_row(rater, comparison, ranks, items[choice.place], choice)


def _ranks(words: Sequence[str]) -> dict[str, int]:
    return {word: rank for rank, word in enumerate(words, start=1)}


def _triad_row(rater: Rater, comparison: Comparison, ranks: Any, item: Item, choice: Choice) -> Sequence[object]:
    sources: dict[Side, str] = {"left": "", "right": ""}
    places: dict[Side, object] = {"left": "", "right": ""}
    if item.candidate is not None:
        other: Side = "right" if item.candidate == "left" else "left"
        sources = {item.candidate: comparison.candidate.name, other: comparison.baseline.name}
        candidate, baseline = ranks.get(item.cue, ({}, {}))
        places[item.candidate] = candidate.get(getattr(item, item.candidate), "")
        places[other] = baseline.get(getattr(item, other), "")
    correct = [_flag(item.correct == side) if item.correct else "" for side in ("left", "right")]
    return (
        rater.pseudonym, choice.place, item.kind, item.cue, sources["left"], sources["right"], item.left, item.right,
        places["left"], places["right"], *correct, _flag(choice.side == "left"), _flag(choice.side == "right"),
        choice.milliseconds, _flag(rater.state == RaterState.DONE and item.kind == "cue"),
    )  # fmt: skip


def _association_rows(study: Study) -> Iterator[Sequence[object]]:
    rows = FreeAssociation.objects.filter(rater__study=study).select_related("rater")
    for row in rows.order_by("rater__started_at", "rater_id", "id").iterator():
        counted = _flag(row.rater.state == RaterState.DONE)
        yield row.rater.pseudonym, row.cue, row.place, row.word, row.written, row.milliseconds, counted


def _flag(value: bool) -> str:
    return YES if value else NO


@dataclass(frozen=True)
class Imported:
    """Result of an import."""

    raters: int
    answers: int
    already_here: int
    not_counted: int
    errors: str = ""
    """A sentence about the lines with errors, which were left out."""

    @property
    def sentence(self) -> str:
        parts = [f"Answers imported: {self.answers}; raters: {self.raters}."]
        if self.already_here:
            parts.append(f"Raters already in the study, left unchanged: {self.already_here}.")
        if self.not_counted:
            parts.append(f"Lines left out (practice, screeners, or marked as not counted): {self.not_counted}.")
        return " ".join([*parts, self.errors]).rstrip()


def import_answers(study: Study, text: str) -> Imported:
    """Add answers that were collected elsewhere; known raters stay unchanged.

    Lines that don't fit this study are left out. A rater of several comparisons becomes one rater in each, as intervals
    are over the raters of a comparison.

    Raises
    ------
    InputError
        a column is missing, no line fits this study, or its raters are forgotten.
    """
    if study.forgotten_at is not None:
        raise InputError(
            "forgotten",
            "The rater ids of this study have been deleted, so the site cannot tell which raters in the file are "
            "already here. Create a new study for them.",
        )
    table = UploadedTable(text)
    if missing := table.lacks(*(NEEDED_TRIAD_COLUMNS if study.asks_triads else ("cue", "word"))):
        raise InputError("no-columns", f"The first line lacks {', '.join(missing)}; the page lists all columns.")
    if len(table.lacks("workerid", "rater")) == 2:
        raise InputError("no-columns", "The first line lacks workerid (or rater): intervals are over raters.")
    read = _triad_reader(study) if study.asks_triads else _association_reader(study)
    sessions: dict[Session, list[Any]] = {}
    not_counted = 0
    left_out = LeftOut()
    for line, row in table:
        if _is_not_counted(row):
            not_counted += 1
            continue
        try:
            who = _rater_of(line, row)
            comparison, answer = read(line, row)
        except InputError as error:
            left_out.add(error)
            continue
        sessions.setdefault((who, comparison), []).append(answer)
    if not sessions:
        left_out.refuse()
    with transaction.atomic():
        raters = _new_raters(study, sessions)
        _check_room(study, len(raters), sum(len(sessions[session]) for session in raters))
        add = _add_triads if study.asks_triads else _add_associations
        answers = add({rater: sessions[session] for session, rater in raters.items()})
    already_here = len(sessions) - len(raters)
    return Imported(len(raters), answers, already_here, not_counted, left_out.sentence("Lines with errors"))


def _check_room(study: Study, raters: int, answers: int) -> None:
    kind = Choice if study.asks_triads else FreeAssociation
    for noun, more, present, most in (
        ("raters", raters, study.raters.count(), MOST_RATERS),
        ("answers", answers, kind.objects.filter(rater__study=study).count(), MOST_ANSWERS),
    ):
        if present + more > most:
            message = f"The study would have {present + more:,} {noun}; the limit is {most:,}."
            raise InputError("too-many", f"{message} Create a study for the rest.")


def _new_raters(study: Study, sessions: Iterable[Session]) -> dict[Session, Rater]:
    """Unsaved rows of unknown raters; a rater's second comparison gets a code of its own."""
    rows = list(study.raters.values_list("participant_hash", "pseudonym", "comparison_id"))
    pairs = {(name, comparison) for code, pseudonym, comparison in rows for name in (code, participant_hash(pseudonym))}
    codes = {code for code, _, _ in rows}
    raters = {}
    for who, comparison in sessions:
        hashes = [participant_hash(name) for name in (who, f"{who} in {comparison}")]
        if pairs.isdisjoint((code, comparison) for code in hashes):
            code = hashes[hashes[0] in codes]
            codes.add(code)
            raters[who, comparison] = Rater(
                study=study, comparison_id=comparison, plan=[], participant_hash=code, imported=True,
                state=RaterState.DONE, finished_at=timezone.now(),
            )  # fmt: skip
    return raters


def _rater_of(line: int, row: Row) -> str:
    who = row.get("workerid") or row.get("rater") or ""
    if is_blank(who):
        raise InputError("no-rater", f"Line {line} names no rater; fill in the column workerid.")
    return who.strip()


def _is_not_counted(row: Row) -> bool:
    kind, screener = (row.get("kind") or "cue").strip(), (row.get("screener") or NO).strip().upper()
    counted = (row.get("counted") or YES).strip().upper()
    return kind != "cue" or screener == YES or counted == NO


def _triad_reader(study: Study) -> Reader:
    comparisons = {
        (comparison.candidate.name, comparison.baseline.name): comparison
        for comparison in study.comparisons.ready().select_related("candidate", "baseline")
    }
    lists = {comparison.pk: comparison.lists_by_cue for comparison in comparisons.values()}

    def read(line: int, row: Row) -> tuple[int, tuple[Item, Side]]:
        left, right = (row[f"{side}.source"].strip() for side in ("left", "right"))
        comparison = comparisons.get((left, right)) or comparisons.get((right, left))
        if comparison is None:
            raise InputError(
                "unknown-sources",
                f"Line {line} compares “{left[:60]}” with “{right[:60]}”, which this study does not. Add sources so "
                "named, make the lists, and read the file again.",
            )
        cue = normalise(row["cue"])
        if cue not in lists[comparison.pk]:
            raise InputError(
                "unknown-cue",
                f"Line {line} has the cue “{cue[:LONGEST_WORD]}”, for which this comparison has no lists.",
            )
        words = [normalise(row[f"{side}.word"]) for side in ("left", "right")]
        if not all(words) or words[0] == words[1]:
            raise InputError("bad-words", f"Line {line} does not show two different words.")
        chosen = row["left.choice"].strip().upper()
        if chosen not in (YES, NO, "1", "0"):
            raise InputError("bad-choice", f"Line {line}: left.choice is “{chosen[:60]}”; it must be TRUE or FALSE.")
        candidate: Side = "left" if left == comparison.candidate.name else "right"
        side: Side = "left" if chosen in (YES, "1") else "right"
        return comparison.pk, (Item("cue", cue, words[0], words[1], candidate=candidate), side)

    return read


def _add_triads(answers: dict[Rater, list[tuple[Item, Side]]]) -> int:
    choices = []
    for rater, judged in answers.items():
        rater.plan = [asdict(item) for item, _ in judged]
        choices += [Choice(rater=rater, place=place, side=side) for place, (_, side) in enumerate(judged)]
    Rater.objects.bulk_create(answers)
    Choice.objects.bulk_create(choices, batch_size=2000)
    return len(choices)


def _association_reader(study: Study) -> Reader:
    cues = {normalise(cue): cue for cue in study.cues}
    written: dict[tuple[str, str], list[str]] = {}

    def read(line: int, row: Row) -> tuple[None, tuple[str, str, str]]:
        cue, word = normalise(row["cue"]), normalise(row["word"])
        if cue not in cues:
            raise InputError(
                "unknown-cue", f"Line {line} has the cue “{cue[:LONGEST_WORD]}”, which is not one of this study's."
            )
        before = written.setdefault((_rater_of(line, row), cue), [])
        if why := refusal(word, cue, before):
            raise InputError("refused-word", f"Line {line} {REFUSED[why]}.")
        if len(before) == WORDS_A_CUE:
            raise InputError("refused-word", f"Line {line} has one more than {WORDS_A_CUE} words for “{cue}”.")
        before.append(word)
        return None, (cues[cue], word, row.get("written") or row["word"])

    return read


def _add_associations(answers: dict[Rater, list[tuple[str, str, str]]]) -> int:
    rows = []
    for rater, words in answers.items():
        places: Counter[str] = Counter()
        for cue, word, written in words:
            places[cue] += 1
            rows.append(
                FreeAssociation(rater=rater, cue=cue, place=places[cue], word=word, written=as_written(written))
            )
        rater.plan = list(places)
    Rater.objects.bulk_create(answers)
    FreeAssociation.objects.bulk_create(rows, batch_size=2000)
    return len(rows)
