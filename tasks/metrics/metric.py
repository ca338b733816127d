"""What a metric is: everything that scores, resamples or writes a figure asks one of these objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tasks.errors import UnknownName
from tasks.results import Interval, Outcomes

Direction = Literal["higher", "lower"]
Unit = Literal["%", ""]
Ints = NDArray[np.int64]
Scores = NDArray[np.float32] | NDArray[np.float64]
Sums = Mapping[str, Any]
"""Sums of columns of outcomes by the column's name, all of one shape or broadcastable to one."""
METRICS: dict[str, Metric] = {}
"""Every metric there is, by name: what a stored result names."""


@dataclass(frozen=True)
class Answers:
    """What a model said of a split.

    Parameters
    ----------
    gold, predicted : class ids of all tokens, texts or pairs, shape (n,).
    labels : name of each class id.
    offsets : where each sentence begins, and n at the end, shape (sentences + 1,); None: every answer is an example.
    """

    gold: Ints
    predicted: Ints
    labels: tuple[str, ...]
    offsets: Ints | None = None

    def per_example(self, values: NDArray[Any]) -> Ints:
        """Sums of a figure of each answer over the answers of each example; shape (n,) → (examples,)."""
        whole = values.astype(np.int64)
        return whole if self.offsets is None else np.add.reduceat(whole, self.offsets[:-1])


@dataclass(frozen=True)
class Metric:
    """One way to score, and how its figures are written. It enters ``METRICS`` when it is made.

    Parameters
    ----------
    name : short and stable; stored with every result.
    title : what pages call it.
    unit : ``"%"``: figures are shares and are written × 100; ``""``: as they are.
    decimals : digits after the point as it is written.
    direction : which end is better.
    columns : of outcomes, what ``score`` sums over the examples.
    score : sums of these columns → scores, NaN where there is nothing to score; None: the figure is not a function of
        sums, and so is not resampled.
    count : answers → these columns of every example, shape (examples, len(columns)).
    units : two columns that number what is drawn where examples share it: the weight of an example is the product of
        how often each of its units was drawn. Empty: the examples themselves are drawn.
    stratum : column that numbers the part of the test set within which units are drawn, as many as it has.
    interval : (score, n) → 95 % interval, for a metric that has a formula for it.

    Raises
    ------
    ValueError
        another metric has the name.
    """

    name: str
    title: str
    unit: Unit
    decimals: int
    direction: Direction = "higher"
    columns: tuple[str, ...] = ()
    score: Callable[[Sums], Scores] | None = None
    count: Callable[[Answers], Ints] | None = None
    units: tuple[str, str] | tuple[()] = ()
    stratum: str = ""
    interval: Callable[[float, int], Interval | None] | None = None

    def __post_init__(self) -> None:
        if self.name in METRICS:
            raise ValueError(f"there are two metrics named {self.name!r}")
        METRICS[self.name] = self

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        """Another process finds its own object by the name."""
        return metric_named, (self.name,)

    @property
    def drawn_columns(self) -> tuple[str, ...]:
        """Columns of outcomes that say what is drawn; none where examples are."""
        return (*self.units, self.stratum) if self.units else ()

    @property
    def is_resampled(self) -> bool:
        """Whether a bootstrap over examples applies to it."""
        return self.score is not None

    @property
    def scale(self) -> int:
        """What a figure is multiplied by when it is written."""
        return 100 if self.unit == "%" else 1

    def of(self, outcomes: Outcomes) -> float:
        """The score of all examples together; NaN where there is nothing to score.

        Raises
        ------
        ValueError
            it is not a function of sums, or the outcomes lack a column.
        """
        if self.score is None:
            raise ValueError(f"{self.name!r} is not a function of sums over examples")
        missing = [name for name in self.columns if name not in outcomes.columns]
        if missing:
            raise ValueError(f"{self.name!r} needs outcomes that count {', '.join(missing)}")
        sums = {name: outcomes.column(name).sum(dtype=np.float64)[None] for name in self.columns}
        return float(self.score(sums)[0])


def metric_named(name: str) -> Metric:
    """The metric that a stored result names.

    Raises
    ------
    UnknownName
        there is none.
    """
    if name not in METRICS:
        raise UnknownName(f"There is no metric {name!r}; the metrics are {', '.join(METRICS)}.")
    return METRICS[name]


def count_outcomes(metrics: tuple[Metric, ...], answers: Answers) -> Outcomes:
    """What these metrics need of every example, each column once.

    Raises
    ------
    ValueError
        a metric does not count answers.
    """
    columns: dict[str, Ints] = {}
    for metric in metrics:
        if metric.count is None:
            raise ValueError(f"{metric.name!r} does not count answers")
        columns |= dict(zip(metric.columns, metric.count(answers).T, strict=True))
    return Outcomes.of(**columns)
