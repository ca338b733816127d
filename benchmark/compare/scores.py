"""Entries compared by their scores: paired differences of all pairs, and word tasks on shared words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from benchmark import evidence
from benchmark.compare.entries import LETTERS, Picked
from benchmark.leaderboard.columns import Column, Score, columns_of, scores_of
from benchmark.leaderboard.overall import OVERALL, verdict
from benchmark.leaderboard.table import Table, current
from benchmark.reports.tables import baseline_outcomes
from benchmark.submissions.models import SubmissionCell
from benchmark.templatetags.figures import around_chance, chance, grouped, writer_of
from tasks.base import Task
from tasks.metrics import LOG_RANK_DEVIATION, PRECISION_AT_1, SPEARMAN, Metric
from tasks.results import AGGREGATES, AS_USED, UNITS_OF_COUNT, Interval, Outcomes, cell_key
from tasks.statistics.correlations import OF_WORDS, correlation_difference, on_shared_words
from tasks.statistics.intervals import LEVEL, holm
from tasks.statistics.ranks import smallest_detectable
from tasks.suite import Suite

COMING = "Not tested: the standard errors of one entry are still being computed."
OTHERWISE = "Not tested: the two were measured by different definitions, or against different baselines."
SAME_SIZE = "As at equal size."
OVERALL_AS_USED = OVERALL + AS_USED


@dataclass(frozen=True, kw_only=True)
class TestedScore:
    """A score or difference with its test; ``adjusted`` is p after Holm's correction over ``tests``."""

    p: float | None = None
    adjusted: float | None = None
    tests: int = 1

    @property
    def clear(self) -> bool:
        return self.adjusted is not None and self.adjusted <= LEVEL


Tested = TypeVar("Tested", bound=TestedScore)


def corrected(family: Sequence[Tested]) -> list[Tested]:
    """A family with Holm's correction over all its tests."""
    p_values = [score.p for score in family if score.p is not None]
    adjusted = iter(holm(p_values))
    return [
        score if score.p is None else replace(score, adjusted=next(adjusted), tests=len(p_values)) for score in family
    ]


@dataclass(frozen=True)
class EntryDifference(TestedScore):
    """First entry minus second, in error reduction.

    ``error`` is the standard error, with the degrees of freedom of Student's t; None: unknown or zero. ``is_ratio``:
    the value is the share of the second one's errors that the first avoids. ``differ`` is the verdict by the overall
    mean, whose correction is the board's; None for all other scores, which are a family.
    """

    value: float | None
    interval: tuple[float, float] | None = None
    reason: str = ""
    error: float | None = None
    freedom: float = math.inf
    is_ratio: bool = False
    differ: bool | None = None

    @property
    def clear(self) -> bool:
        return super().clear if self.differ is None else self.differ

    def detectable(self, tests: int = 1) -> float | None:
        """Smallest detectable difference of one test, or after correction for several."""
        if self.error is None:
            return None
        size = smallest_detectable(np.array([self.error]), self.freedom, tests)
        return -math.expm1(-size) if self.is_ratio else size

    @property
    def turned(self) -> EntryDifference:
        """Second minus first."""
        interval = (self._turned(self.interval[1]), self._turned(self.interval[0])) if self.interval else None
        return replace(self, value=None if self.value is None else self._turned(self.value), interval=interval)

    def _turned(self, value: float) -> float:
        return 1 - 1 / (1 - value) if self.is_ratio else -value

    @property
    def is_clear_alone(self) -> bool:
        """Whether the interval excludes zero, although the two don't differ after the correction."""
        return not self.clear and self.interval is not None and (self.interval[0] > 0 or self.interval[1] < 0)

    @property
    def is_better(self) -> bool:
        """Whether the first entry is clearly better."""
        return self.clear and (self.value or 0.0) > 0

    @property
    def is_worse(self) -> bool:
        return self.clear and (self.value or 0.0) < 0


def _columns(entries: Sequence[Picked], suite: Suite) -> tuple[Column, ...]:
    """Columns of error reductions in the entries' languages; empty without downstream tasks in them.

    As used, only the overall mean, as the others differ from it by the baseline alone.
    """
    languages = dict.fromkeys(entry.submission.language for entry in entries)
    columns = dict.fromkeys(column for language in languages for column in columns_of(suite, (), language))
    return tuple(
        column for column in columns
        if column.kind == "reduction" and (column.key == OVERALL_AS_USED or not column.key.endswith(AS_USED))
    )  # fmt: skip


def _mean_of(key: str) -> str:
    """Name of the mean in a column, as used or not; empty for tasks."""
    name = key.removesuffix(AS_USED)
    return name if name in AGGREGATES else ""


@dataclass(frozen=True)
class ScoreDifferences:
    """Tested differences of every pair of entries; those of a pair don't depend on the other entries.

    Parameters
    ----------
    columns : means, and tasks by mode.
    values : each entry's scores by its letter and the column's key.
    pairs : first minus second by their letters and the column's key, each pair once.
    """

    columns: tuple[Column, ...]
    values: Mapping[str, Mapping[str, float]]
    pairs: Mapping[tuple[str, str], Mapping[str, EntryDifference]]

    @property
    def letters(self) -> tuple[str, ...]:
        return tuple(self.values)

    @property
    def tasks(self) -> tuple[Column, ...]:
        """The columns that are not means."""
        return tuple(column for column in self.columns if not _mean_of(column.key))

    def between(self, first: str, second: str) -> Mapping[str, EntryDifference]:
        """First minus second by the column's key."""
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        return {key: difference.turned for key, difference in self.pairs[second, first].items()}


def score_differences(entries: Sequence[Picked], suite: Suite) -> ScoreDifferences:
    """All pairs of entries in every column, tested and corrected by the rules of docs/protocol.md §8.5."""
    columns, table = _columns(entries, suite), current(suite.id, suite.version)[0]
    sides = [_side(entry, columns, suite) for entry in entries]
    keys = [column.key for column in columns]
    ratios = set(filter(_mean_of, keys)) if suite.mean == "geometric" else set()
    pairs = {}
    for first, second in combinations(sides, 2):
        tested = {key: _difference(first, second, key, is_ratio=key in ratios) for key in keys}
        pairs[first.entry.letter, second.entry.letter] = _decided(tested, first.entry, second.entry, table)
    return ScoreDifferences(
        columns,
        {
            side.entry.letter: {key: score[0] for key, score in side.scores.items() if score[0] is not None}
            for side in sides
        },
        pairs,
    )


def _decided(
    tested: Mapping[str, EntryDifference], first: Picked, second: Picked, table: Table
) -> dict[str, EntryDifference]:
    """The differences of a pair with their verdicts: that of the board on the overall mean, and one family of the rest.

    With a baseline, nothing is corrected: the interval of the other entry's error reduction decides, as in its report.
    """
    if any(_is_baseline(entry) for entry in (first, second)):
        return {key: replace(difference, adjusted=difference.p) for key, difference in tested.items()}
    keys = [key for key in tested if key != OVERALL]
    decided = dict(zip(keys, corrected([tested[key] for key in keys]), strict=True))
    if OVERALL not in tested:
        return decided
    overall = tested[OVERALL]
    if overall.p is not None:
        differ, tests = verdict(table, (first.report_id, second.report_id), first.submission.language, overall.p)
        overall = replace(overall, differ=differ, tests=tests)
    return {OVERALL: overall} | decided


def _is_baseline(entry: Picked) -> bool:
    """Whether error reductions are measured from the entry: its own are zero, without an error."""
    overall = entry.ranking.figures.get(OVERALL) if entry.ranking else None
    return overall is not None and overall.value == 0.0 and overall.error == 0.0


@dataclass(frozen=True)
class _Side:
    """An entry with its scores and, by column, the definitions and the baseline's scores that they depend on."""

    entry: Picked
    scores: dict[str, Score]
    reasons: dict[str, str]
    definitions: dict[str, list[object]]
    baselines: dict[str, list[float | None]]


def _side(entry: Picked, columns: Sequence[Column], suite: Suite) -> _Side:
    """The scores of an entry with their definitions, as only scores of one definition can be tested against each other.

    A cell depends on its task's definition, and on the baseline's score, which is another one for another size. A mean
    depends on those of its cells, on the suite version and on the language.
    """
    report = entry.report
    results = {cell_key(result.task, result.mode): result for result in report.results}
    language = report.vectors["language"]
    definitions: dict[str, list[object]] = {}
    baselines: dict[str, list[float | None]] = {}
    for key in (column.key for column in columns):
        modes = AGGREGATES.get(_mean_of(key), ())
        cells = [cell_key(task.id, mode) for task, mode in suite.cells_of_mean(modes, language)] if modes else [key]
        measured = [results[cell] for cell in cells if cell in results]
        definitions[key] = [result.task_hash for result in measured]
        definitions[key] += [report.suite["version"], language] if modes else []
        # Reports of the first form have theirs from the reduction, but for rounding.
        baselines[key] = [None if result.baseline is None else round(result.baseline, 9) for result in measured]
    return _Side(entry, *scores_of(report), definitions, baselines)


def _difference(side: _Side, base: _Side, key: str, *, is_ratio: bool) -> EntryDifference:
    for entered in (side, base):
        if key not in entered.scores:
            return EntryDifference(None, reason=f"{entered.entry.name}: {entered.reasons.get(key, 'not evaluated')}")
    first, second = side.scores[key][0], base.scores[key][0]
    assert first is not None
    assert second is not None
    apart = 1 - (1 - first) / (1 - second) if is_ratio else first - second
    sizes = {entered.entry.report.vectors["dimensions"] for entered in (side, base)}
    if key == OVERALL_AS_USED and len(sizes) == 1:
        return EntryDifference(None, reason=SAME_SIZE)
    differ = side.definitions[key] != base.definitions[key]
    if differ or (len(sizes) == 1 and side.baselines[key] != base.baselines[key]):
        return EntryDifference(apart, reason=OTHERWISE, is_ratio=is_ratio)
    figure, other = (
        entered.entry.ranking.figures.get(key) if entered.entry.ranking else None for entered in (side, base)
    )
    if figure is None or other is None:
        return EntryDifference(apart, reason=COMING, is_ratio=is_ratio)
    test, difference = figure.against(other), figure - other
    error = difference.error if np.isfinite(difference.error) and difference.error > 0 else None
    return EntryDifference(
        test.difference, test.interval, error=error, freedom=difference.freedom, is_ratio=is_ratio, p=test.p
    )


LEAST_EXAMPLES = 10
"""On fewer pairs or questions that all entries know, there is no score."""
NO_SCORE = "{names} without a score"
WHAT = {SPEARMAN: "pairs", PRECISION_AT_1: "questions", LOG_RANK_DEVIATION: "words"}
"""Examples of a task by metric."""
NOT_STORED = "no outcomes of {names} are stored"
OTHER_EXAMPLES = "the entries were measured on different examples"
TOO_FEW = "only {count} of {of} {what} are known to all"


@dataclass(frozen=True)
class SharedWordsCell(TestedScore):
    """An entry's score on the examples that all entries know, and its own on the ``known_examples`` of its vocabulary.

    ``p`` is from the test against the reference, ``williams`` from Williams' test: for correlations, and None for the
    reference itself.
    """

    value: float | None
    full: float | None
    known_examples: int
    williams: float | None = None

    @property
    def p_of_williams(self) -> str:
        return "" if self.williams is None else chance(self.williams)


@dataclass(frozen=True)
class SharedWordsRow:
    """A word task on the ``common`` ones of its ``examples``; ``chance`` holds 95 % of chance's scores on them.

    ``has_examples``: a page can show where two entries differ.
    """

    task: str
    title: str
    metric: Metric
    examples: int
    common: int
    chance: Interval | None
    cells: tuple[SharedWordsCell, ...]
    has_examples: bool = False

    def write(self, value: float | None) -> str:
        return writer_of(self.metric)(value)

    @property
    def texts(self) -> list[tuple[SharedWordsCell, str, str]]:
        """Each cell with its score and the entry's own as text."""
        return [(cell, self.write(cell.value), self.write(cell.full)) for cell in self.cells]

    @property
    def by_chance(self) -> str:
        return around_chance(self.chance, self.write) if self.chance else ""

    @property
    def unit(self) -> str:
        """What is scored, if it is not a correlation."""
        return "" if self.metric is SPEARMAN else f"{self.metric.title}{', %' if self.metric.unit else ''}"

    @property
    def lower_is_better(self) -> bool:
        return self.metric.direction == "lower"

    @property
    def reversals(self) -> list[tuple[str, str]]:
        """Letters of two entries whose order on their own words is reversed on the shared ones, in the digits shown."""
        reversed_pairs = []
        for (i, first), (j, second) in combinations(enumerate(self.cells), 2):
            if None not in (first.value, first.full, second.value, second.full):
                own_order, shared_order = (
                    self._order(a, b) for a, b in ((first.full, second.full), (first.value, second.value))
                )
                if own_order * shared_order < 0:
                    reversed_pairs.append((LETTERS[i], LETTERS[j]))
        return reversed_pairs

    def _order(self, a: float | None, b: float | None) -> int:
        first, second = (round((value or 0.0) * self.metric.scale, self.metric.decimals) for value in (a, b))
        return (first > second) - (first < second)


@dataclass(frozen=True)
class SharedWords:
    """Word tasks on the words that all entries know; ``missing``: titles of the others, by reason."""

    rows: tuple[SharedWordsRow, ...]
    missing: Mapping[str, Sequence[str]]

    @property
    def correlations(self) -> tuple[SharedWordsRow, ...]:
        return tuple(row for row in self.rows if row.metric is SPEARMAN)

    @property
    def differ(self) -> bool:
        """Whether an entry knows words that another does not."""
        return any(cell.known_examples > row.common for row in self.rows for cell in row.cells)


def shared_words(entries: Sequence[Picked], reference: Picked, suite: Suite) -> SharedWords:
    """A row for each word task with a score and stored outcomes of every entry, a cell per entry."""
    languages = {entry.submission.language for entry in entries}
    tasks = [task for task in suite.tasks if task.metric in OF_WORDS and all(map(task.applies_to, languages))]
    keys = _keys(entries, [task.id for task in tasks])
    rows: list[SharedWordsRow] = []
    missing: dict[str, list[str]] = {}
    for task in tasks:
        results = [entry.report.result(task.id) for entry in entries]
        scores = [result.score for result in results if result is not None]
        if not scores:
            continue
        if len(scores) < len(entries):
            lacking = [entry.name for entry, result in zip(entries, results, strict=True) if result is None]
            row: SharedWordsRow | str = NO_SCORE.format(names=", ".join(lacking))
        else:
            outcomes = [_outcomes(entry, task.id, keys) for entry in entries]
            without = [entry.name for entry, stored in zip(entries, outcomes, strict=True) if stored is None]
            row = (
                NOT_STORED.format(names=", ".join(without))
                if without
                else _row(task, outcomes, scores, entries.index(reference))
            )
        if isinstance(row, SharedWordsRow):
            rows.append(row)
        else:
            missing.setdefault(row, []).append(task.title)
    by_entry = [corrected(family) for family in zip(*(row.cells for row in rows), strict=True)]
    cells = zip(*by_entry, strict=True)
    return SharedWords(tuple(replace(row, cells=of_row) for row, of_row in zip(rows, cells, strict=True)), missing)


def _keys(entries: Sequence[Picked], tasks: Sequence[str]) -> dict[tuple[str, str], str]:
    """Storage keys of outcomes by submission and task, in one query."""
    runs = SubmissionCell.objects.filter(submission__in=[entry.submission for entry in entries], task__in=tasks)
    stored = runs.exclude(outcomes_key="").values_list("submission_id", "task", "outcomes_key")
    return {(submission, task): key for submission, task, key in stored}


def _outcomes(entry: Picked, task: str, keys: Mapping[tuple[str, str], str]) -> Outcomes | None:
    if entry.submission.is_baseline:
        return baseline_outcomes(entry.submission, task)
    return evidence.find(keys.get((entry.submission.pk, task)))


def _row(task: Task, by_entry: Sequence[Outcomes | None], full: Sequence[float], place: int) -> SharedWordsRow | str:
    """The row, or the reason why there is none."""
    stored = [outcomes for outcomes in by_entry if outcomes is not None]
    shared = on_shared_words(task.metric, stored)
    if shared is None:
        return OTHER_EXAMPLES
    common = int(shared.is_shared.sum())
    if common < LEAST_EXAMPLES or None in shared.scores:
        return TOO_FEW.format(count=grouped(common), of=grouped(len(shared.is_shared)), what=WHAT[task.metric])
    cells = tuple(map(SharedWordsCell, shared.scores, full, shared.known_counts))
    if task.metric is SPEARMAN:
        cut = [Outcomes(outcomes.columns, outcomes.values[shared.is_shared]) for outcomes in stored]
        tests = [correlation_difference(outcomes, cut[place]) if i != place else None for i, outcomes in enumerate(cut)]
        cells = tuple(
            replace(cell, p=test.p, williams=test.williams) if test else cell
            for cell, test in zip(cells, tests, strict=True)
        )
    shows = task.family.id in UNITS_OF_COUNT
    return SharedWordsRow(task.id, task.title, task.metric, len(shared.is_shared), common, shared.chance, cells, shows)
