"""The columns of a board, in groups, and their scores in a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from typing import Any, Literal

from benchmark.templatetags.figures import coverage, decimals, grouped, signed_percent, writer_of
from tasks.base import GROUPS, Task
from tasks.baseline.published import sizes_of
from tasks.languages import ENGLISH
from tasks.metrics import Metric
from tasks.results import AGGREGATES, AS_USED, MODES, CellResult, Mode, Report, cell_key
from tasks.suite import Suite

Score = list[float | None]
"""[value, low, high, coverage]: score, ends of its interval, share of known tokens; None if missing."""
NOT_MEASURED = "This entry was not evaluated on this task."
Kind = Literal["reduction", "score", "coverage", "count", "rank"]
WRITERS: dict[Kind, Callable[[Any], str]] = {
    "reduction": signed_percent,
    "coverage": coverage,
    "count": lambda value: grouped(None if value is None else int(value)),
    "rank": lambda value: decimals(value, 1),
}
"""Formats of values that have no metric."""
OLD_DECIMALS = 3
"""Decimals for tasks of earlier suite versions."""
ALL_SHOWN = 24
"""Boards without downstream tasks and with at most this many columns show all of them by default."""
PLAIN_TASKS = {
    "Part-of-speech tagging": "Tagging",
    "Named entities": "Names",
    "Lexical inference": "Word relations",
    "Phrase inference": "Phrase relations",
    "Sentence inference": "Sentence relations",
}
"""Titles of tasks that are terms, in plain words."""
FIRST = ("Mean", "Fixed", "coverage")
"""Default groups and columns of a board with downstream tasks: they fit on a screen side by side."""


def plain_title(title: str) -> str:
    """A task's title in plain words: ``Lexical inference, BLESS`` → ``Word relations, BLESS``."""
    term, comma, more = title.partition(",")
    return PLAIN_TASKS.get(term, term) + comma + more


@dataclass(frozen=True)
class Column:
    """A column; ``key`` is the value of ``?sort=``, ``kind`` the kind of its numbers, ``best`` the better end.

    Only columns of scores have a ``metric``. With ``only_if_measured``, a board has the column only if one of its
    entries has a score in it.
    """

    key: str
    title: str
    group: str
    kind: Kind
    explanation: str
    best: str = "high"
    note: str = ""
    metric: Metric | None = None
    only_if_measured: bool = False

    @property
    def unit(self) -> str:
        if self.metric is not None:
            return self.metric.unit
        return "%" if self.kind in ("reduction", "coverage") else ""

    @property
    def decimals(self) -> int:
        if self.kind == "score":
            return OLD_DECIMALS if self.metric is None else self.metric.decimals
        return {"reduction": 2, "coverage": 1, "count": 0, "rank": 1}[self.kind]

    @property
    def arrow(self) -> str:
        """Direction of better values; empty for descriptive columns."""
        return {"high": "↑", "low": "↓"}.get(self.best, "")

    @cached_property
    def write(self) -> Callable[[float | None], str]:
        """Writes a value, or the sign for none."""
        if self.kind != "score":
            return WRITERS[self.kind]
        return partial(decimals, digits=OLD_DECIMALS) if self.metric is None else writer_of(self.metric)

    @cached_property
    def write_short(self) -> Callable[[float | None], str]:
        """Writes a value for a cell of the board: error reductions with one decimal."""
        return partial(signed_percent, digits=1) if self.kind == "reduction" else self.write

    def write_size(self, difference: float) -> str:
        """Size of a difference between two scores, with its unit: ``2.80 points``, ``0.045``."""
        if self.unit == "%":
            return f"{decimals(100 * difference, self.decimals)}\N{NO-BREAK SPACE}points"
        return decimals(difference, self.decimals)


MEANS = (
    Column(
        "overall", "Overall", "Mean", "reduction",
        "Mean reduction of the baseline’s errors over the tasks under Fixed and Fine-tuned, equally weighted. Blank if "
        "one is missing.",
    ),
    Column(
        "fixed", "Fixed", "Mean", "reduction",
        "Mean reduction of the baseline’s errors over the tasks under Fixed, with the vectors frozen: what the vectors "
        "encode.",
    ),
    Column(
        "fine-tuned", "Fine-tuned", "Mean", "reduction",
        "Mean reduction of the baseline’s errors over the tasks under Fine-tuned, with the vectors trained too: how "
        "well they initialise a model.",
    ),
)  # fmt: skip
MEAN_RANK = Column(
    "mean-rank", "Mean rank", "Mean", "rank",
    "Mean of the entry's ranks in the columns of this board that are not descriptive, ties averaged. Blank if one is "
    "missing.",
    best="low",
)  # fmt: skip
"""Default sort column of boards without downstream tasks (docs/protocol.md §8.6)."""
EARLIER = "equal-"
"""Prefix of keys of means at equal size in permanent links of the time when means as used came first."""


def of_size(column: Column) -> Column:
    """A column of error reductions of a suite with baselines of several sizes."""
    return replace(column, explanation=f"{column.explanation} Against the baseline of as many dimensions.")


def as_used(column: Column) -> Column:
    """The column of the same error reductions against the baseline as used (docs/protocol.md §3.4)."""
    mode = f", {column.group.lower()}" if column.group.lower() in MODES else ""
    return replace(
        column, key=column.key + AS_USED, title=f"{column.title}{mode}, as used", group="As used",
        explanation=f"{column.explanation} Against one baseline for vectors of all sizes.",
    )  # fmt: skip


EARLIER_MEANS = (
    *(replace(as_used(mean), key=mean.key, title=mean.title, group=mean.group) for mean in MEANS),
    *(
        replace(mean, key=EARLIER + mean.key, title=f"{mean.title}, equal dimensions", group="Equal dimensions")
        for mean in map(of_size, MEANS)
    ),
)
FILE = (
    Column("dimensions", "Dimensions", "File", "count", "Length of each vector.", best=""),
    Column("words", "Words", "File", "count", "Number of words in the file.", best=""),
    Column(
        "coverage",
        "Coverage",
        "File",
        "coverage",
        "Mean share of the downstream tasks' test tokens in the vocabulary.",
    ),
)


def columns_of(suite: Suite, keys: Iterable[str] = (), language: str = ENGLISH) -> tuple[Column, ...]:
    """Columns of a board: means, error reductions by mode, others outside the means, word tasks, file, old keys.

    Only tasks for this language count; without downstream tasks, the mean rank replaces the means.
    """
    trained = [(task, mode) for mode in MODES for task in suite.trained(mode) if task.applies_to(language)]
    trained.sort(key=lambda cell: cell[0].outside_means.get(cell[1], ""))
    tasks = tuple(
        Column(
            f"{task.id}.{mode}", _title(task, mode), task.outside_means.get(mode, mode.capitalize()), "reduction",
            f"{task.shows} Errors avoided, vectors {mode}.", note=task.note,
        )
        for task, mode in trained
    )  # fmt: skip
    words = [task for task in suite.tasks if not task.extrinsic and task.applies_to(language)]
    words.sort(key=lambda task: GROUPS.index(task.family.group))
    keys, used = set(keys), tuple[Column, ...]()
    means: tuple[Column, ...] = MEANS if trained else (MEAN_RANK,)
    if any(key.startswith(EARLIER) for key in keys):
        means = EARLIER_MEANS
    elif trained and len(sizes_of(suite, language)) > 1:
        used = tuple(map(as_used, (*means, *tasks)))
        means, tasks = tuple(map(of_size, means)), tuple(map(of_size, tasks))
    of_file = FILE if trained else FILE[:-1]  # coverage is measured on the downstream tasks
    columns = (*means, *tasks, *used, *map(_word_column, words), *of_file)
    elsewhere = {cell_key(task.id, mode) for task, mode in suite.cells() if not task.applies_to(language)}
    names = {column.key for column in (*columns, *EARLIER_MEANS, *FILE, MEAN_RANK)} | elsewhere
    names |= {name + AS_USED for name in names}
    old = sorted(key for key in keys if key not in names)
    earlier = "A task of an earlier suite version."
    return (*columns, *(Column(key, key, "Earlier tasks", "score", earlier, only_if_measured=True) for key in old))


def _title(task: Task, mode: Mode) -> str:
    """Title of a column, with the mode unless the group names it."""
    return f"{task.title}, {mode}" if mode in task.outside_means and len(task.modes) > 1 else task.title


def _word_column(task: Task) -> Column:
    best = "" if task.descriptive else {"higher": "high", "lower": "low"}[task.metric.direction]
    shows = f"{task.shows} Metric: {task.metric.title}."
    rare = task.needs_more_than_vectors
    return Column(task.id, task.title, task.family.group, "score", shows, best, task.note, task.metric, rare)


def chosen(columns: Sequence[Column], choices: Sequence[str]) -> tuple[Column, ...]:
    """Columns chosen by key or by group, in the board's order; without a choice, the default columns."""
    shown = tuple(column for column in columns if column.key in choices or column.group in choices)
    if shown:
        return shown
    has_tasks = any(column.group == "Fixed" for column in columns)
    if not has_tasks and len(columns) <= ALL_SHOWN:
        return tuple(column for column in columns if column.group != "File")
    return tuple(column for column in columns if column.group in FIRST or column.key in FIRST)


_SYNTAX = ("pos", "chunk", "analogy-msr")
_SEMANTICS = ("ner", "sentiment", "questions", "lexical-inference", "sentence-inference", "nli", "analogy-google")


def presets(columns: Sequence[Column]) -> list[tuple[str, tuple[str, ...]]]:
    """Presets: common choices of columns, by name, without those that are empty on this board."""
    keys = [column.key for column in columns]
    by_name = {
        "fine-tuned": [column.key for column in columns if column.group == "Fine-tuned"],
        "syntax": [key for key in keys if key.partition(".")[0] in _SYNTAX],
        "semantics": [key for key in keys if key.partition(".")[0] in _SEMANTICS],
        "similarity": [key for key in keys if key.startswith("sim-")],
    }
    everything = tuple(dict.fromkeys(column.group for column in columns))
    chosen = [(name, ("overall", *some)) for name, some in by_name.items() if some]
    return [("usual", ()), *chosen, ("all", everything)]


def by_group(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    return [(name, list(members)) for name, members in groupby(columns, lambda column: column.group)]


def scores_of(report: Report) -> tuple[dict[str, Score], dict[str, str]]:
    """Scores and reasons for missing scores, by column key; every cell of the report is in exactly one of them."""
    scores: dict[str, Score] = {}
    reasons: dict[str, str] = {}
    for suffix, means in report.means.items():
        for key in AGGREGATES:
            name = key.replace("-", "_")
            value = getattr(means, name)
            if value is None:
                reasons[key + suffix] = means.reasons.get(name, NOT_MEASURED)
            else:
                scores[key + suffix] = [value, *(means.intervals.get(name) or (None, None)), None]
    for item in report.unavailable:
        for mode in (None, *MODES) if item.mode is None else (item.mode,):
            reasons[cell_key(item.task, mode)] = item.reason
    for result in report.results:
        key = cell_key(result.task, result.mode)
        value, interval = _value(result)
        if value is None:
            reasons[key] = result.why_no_reduction
        else:
            scores[key] = [value, *(interval or (None, None)), result.coverage.tokens]
        if used := result.as_used:
            scores[key + AS_USED] = [used.value, *(used.interval or (None, None)), result.coverage.tokens]
    return scores | _of_the_file(report), {key: why for key, why in reasons.items() if key not in scores}


def _value(result: CellResult) -> tuple[float | None, tuple[float, float] | None]:
    if result.mode is None:
        return result.score, result.interval
    return result.relative_error_reduction, result.relative_error_reduction_interval


def _of_the_file(report: Report) -> dict[str, Score]:
    """Dimensions, words and coverage (the mean share of test tokens in the vocabulary)."""
    shares = [result.coverage.tokens for result in report.results if result.mode == "fixed"]
    figures: dict[str, float | None] = {
        "dimensions": report.vectors.get("dimensions"),
        "words": report.vectors.get("words"),
        "coverage": sum(shares) / len(shares) if shares else None,
    }
    return {key: [value, None, None, None] for key, value in figures.items() if value is not None}
