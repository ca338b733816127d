"""Answers as CSV, out and in. The triads' columns are those of the paper's own programs, so that their files fit."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from benchmark.people.lists import mentions_of
from benchmark.people.models import Association, Choice, Comparison, Rater, Study
from benchmark.people.states import RaterState
from tasks.errors import InputError
from tasks.people.associations import WORDS_A_CUE, normalise, refusal
from tasks.people.triads import Item, Side

TRIAD_COLUMNS = (
    "workerid", "position", "kind", "cue", "left.source", "right.source", "left.word", "right.word", "left.rank",
    "right.rank", "left.correct", "right.correct", "left.choice", "right.choice", "milliseconds", "counted",
)  # fmt: skip
LIST_COLUMNS = ("cue", "rank", "word", "mentions", "variants")
ASSOCIATION_COLUMNS = ("workerid", "cue", "position", "word", "written", "milliseconds", "counted")
NEEDED_TRIAD_COLUMNS = {"cue", "left.source", "right.source", "left.word", "right.word", "left.choice"}
MOST_ROWS = 200_000
YES, NO = "TRUE", "FALSE"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def answers_csv(study: Study) -> Iterator[str]:
    """Every answer of a study, line by line, those that do not count marked."""
    if study.asks_triads:
        return _written(TRIAD_COLUMNS, _triad_rows(study))
    return _written(ASSOCIATION_COLUMNS, _association_rows(study))


def lists_as_csv(study: Study) -> Iterator[str]:
    """The human lists of an association study: every word with its mentions, best first."""
    rows = (
        (cue, mention.rank, mention.word, mention.mentions, " | ".join(mention.variants))
        for cue, mentions in mentions_of(study).items()
        for mention in mentions
    )
    return _written(LIST_COLUMNS, rows)


def _written(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_harmless(value) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _harmless(value: object) -> object:
    """A spreadsheet must not run what a rater wrote."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


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
        ours, theirs = ranks.get(item.cue, ({}, {}))
        places[item.candidate] = ours.get(getattr(item, item.candidate), "")
        places[other] = theirs.get(getattr(item, other), "")
    correct = [_flag(item.correct == side) if item.correct else "" for side in ("left", "right")]
    return (
        rater.pseudonym, choice.place, item.kind, item.cue, sources["left"], sources["right"], item.left, item.right,
        places["left"], places["right"], *correct, _flag(choice.side == "left"), _flag(choice.side == "right"),
        _blank(choice.milliseconds), _flag(rater.state == RaterState.DONE and item.kind == "cue"),
    )  # fmt: skip


def _association_rows(study: Study) -> Iterator[Sequence[object]]:
    rows = Association.objects.filter(rater__study=study).select_related("rater")
    for row in rows.order_by("rater__started_at", "rater_id", "id").iterator():
        counted = _flag(row.rater.state == RaterState.DONE)
        yield row.rater.pseudonym, row.cue, row.place, row.word, row.written, _blank(row.milliseconds), counted


def _flag(value: bool) -> str:
    return YES if value else NO


def _blank(value: int | None) -> object:
    return "" if value is None else value


@dataclass(frozen=True)
class Imported:
    """What an import brought."""

    raters: int
    answers: int
    here_before: int
    not_counted: int

    @property
    def sentence(self) -> str:
        parts = [f"{self.answers} answers of {self.raters} raters were read."]
        if self.here_before:
            parts.append(f"{self.here_before} raters were here already and were left as they are.")
        if self.not_counted:
            parts.append(f"{self.not_counted} lines were left out: practice, screeners, or marked as not counted.")
        return " ".join(parts)


def import_answers(study: Study, text: str) -> Imported:
    """Add answers that were collected elsewhere, all or none. Raters who are here already are left as they are.

    Raises
    ------
    InputError
        a column is missing or a line does not fit this study; says which and what to do.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    needed = NEEDED_TRIAD_COLUMNS if study.asks_triads else {"cue", "word"}
    missing = sorted(needed - set(reader.fieldnames or ()))
    if missing:
        raise InputError("no-columns", f"The first line lacks {', '.join(missing)}; the page lists all columns.")
    if not {"workerid", "rater"} & set(reader.fieldnames or ()):
        raise InputError("no-columns", "The first line lacks workerid (or rater): intervals are over raters.")
    by_rater: dict[str, list[tuple[int, dict[str, str]]]] = {}
    not_counted = 0
    for nth, row in enumerate(reader, start=1):
        if nth > MOST_ROWS:
            raise InputError("too-many", f"The file has more than {MOST_ROWS:,} lines; split it.")
        if _left_out(row):
            not_counted += 1
            continue
        who = (row.get("workerid") or row.get("rater") or "").strip()
        if not who:
            raise InputError("no-rater", f"Line {reader.line_num} names no rater; fill in the column workerid.")
        by_rater.setdefault(who, []).append((reader.line_num, row))
    with transaction.atomic():
        known = set(study.raters.exclude(participant_hash="").values_list("participant_hash", flat=True))
        known |= {participant_hash(name) for name in study.raters.values_list("pseudonym", flat=True)}
        new = {who: rows for who, rows in by_rater.items() if participant_hash(who) not in known}
        add = _add_triads if study.asks_triads else _add_associations
        answers = add(study, new)
    return Imported(len(new), answers, len(by_rater) - len(new), not_counted)


def _left_out(row: dict[str, str]) -> bool:
    kind, screener = (row.get("kind") or "cue").strip(), (row.get("screener") or NO).strip().upper()
    counted = (row.get("counted") or YES).strip().upper()
    return kind != "cue" or screener == YES or counted == NO


def participant_hash(participant: str) -> str:
    """A participant's id as the site keeps it: a keyed hash, the same in every study, that cannot be read back."""
    return salted_hmac("people.participant", participant.strip(), algorithm="sha256").hexdigest()


def _new_rater(study: Study, who: str, comparison: Comparison | None, plan: list[Any]) -> Rater:
    return Rater(
        study=study, comparison=comparison, plan=plan, participant_hash=participant_hash(who), imported=True,
        state=RaterState.DONE, finished_at=timezone.now(),
    )  # fmt: skip


def _add_triads(study: Study, by_rater: dict[str, list[tuple[int, dict[str, str]]]]) -> int:
    comparisons = {
        (comparison.candidate.name, comparison.baseline.name): comparison
        for comparison in study.comparisons.ready().select_related("candidate", "baseline")
    }
    raters, choices = [], []
    for who, rows in by_rater.items():
        read = [_read_triad(line, row, comparisons) for line, row in rows]
        if len({comparison.pk for comparison, _, _ in read}) > 1:
            raise InputError(
                "two-comparisons",
                f"The rater of line {rows[0][0]} judges two comparisons; here a rater judges one. "
                "Give the answers to each comparison a workerid of its own.",
            )
        rater = _new_rater(study, who, read[0][0], [item.as_dict() for _, item, _ in read])
        raters.append(rater)
        choices += [Choice(rater=rater, place=place, side=side) for place, (_, _, side) in enumerate(read)]
    Rater.objects.bulk_create(raters)
    Choice.objects.bulk_create(choices, batch_size=2000)
    return len(choices)


def _read_triad(
    line: int, row: dict[str, str], comparisons: dict[tuple[str, str], Comparison]
) -> tuple[Comparison, Item, Side]:
    left, right = (row[f"{side}.source"].strip() for side in ("left", "right"))
    comparison = comparisons.get((left, right)) or comparisons.get((right, left))
    if comparison is None:
        raise InputError(
            "unknown-sources",
            f"Line {line} compares “{left}” with “{right}”, which this study does not. Add sources of these names, "
            "make the lists, and read the file again.",
        )
    cue = normalise(row["cue"])
    if cue not in comparison.lists_by_cue:
        raise InputError("unknown-cue", f"Line {line} has the cue “{cue}”, for which this comparison has no lists.")
    words = [normalise(row[f"{side}.word"]) for side in ("left", "right")]
    if not all(words) or words[0] == words[1]:
        raise InputError("bad-words", f"Line {line} does not show two different words.")
    chosen = (row["left.choice"] or "").strip().upper()
    if chosen not in (YES, NO, "1", "0"):
        raise InputError("bad-choice", f"Line {line}: left.choice is “{chosen}”; it must be TRUE or FALSE.")
    candidate: Side = "left" if left == comparison.candidate.name else "right"
    side: Side = "left" if chosen in (YES, "1") else "right"
    return comparison, Item("cue", cue, words[0], words[1], candidate=candidate), side


def _add_associations(study: Study, by_rater: dict[str, list[tuple[int, dict[str, str]]]]) -> int:
    raters, rows = [], []
    cues = {normalise(cue): cue for cue in study.cues}
    for who, lines in by_rater.items():
        rater = _new_rater(study, who, None, list(study.cues))
        given: dict[str, list[str]] = {}
        for line, row in lines:
            cue = normalise(row["cue"])
            if cue not in cues:
                raise InputError("unknown-cue", f"Line {line} has the cue “{cue}”, which is none of this study's.")
            word, before = normalise(row["word"]), given.setdefault(cue, [])
            if refusal(word, cue, before) or len(before) >= WORDS_A_CUE:
                continue  # as the form would have refused it: empty, the cue, a repetition, an eleventh word
            before.append(word)
            written = (row.get("written") or row["word"])[:120]
            rows.append(Association(rater=rater, cue=cues[cue], place=len(before), word=word, written=written))
        raters.append(rater)
    Rater.objects.bulk_create(raters)
    Association.objects.bulk_create(rows, batch_size=2000)
    return len(rows)
