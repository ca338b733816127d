"""Metrics: all code that computes or formats a score uses these objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tasks.errors import UnknownName
from tasks.results import Outcomes

Direction = Literal["higher", "lower"]
Unit = Literal["%", ""]
Ints = NDArray[np.int64]
Scores = NDArray[np.float32] | NDArray[np.float64]
Sums = Mapping[str, Scores]
"""Sums of columns of outcomes by column name, all of one shape or broadcastable to one."""
METRICS: dict[str, Metric] = {}
"""Every metric by name, as stored results name it."""


@dataclass(frozen=True)
class Answers:
    """A model's predictions on a split.

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

    def per_example(self, values: Ints | NDArray[np.bool_]) -> Ints:
        """Sums of a value per answer over the answers of each example; shape (n,) → (examples,)."""
        whole = values.astype(np.int64)
        return whole if self.offsets is None else np.add.reduceat(whole, self.offsets[:-1])


@dataclass(frozen=True)
class Metric:
    """A scoring rule and the format of its scores. Creating it registers it in ``METRICS``.

    Parameters
    ----------
    name : short and stable; stored with every result.
    title : its name on pages.
    unit : ``"%"``: scores are shares, shown × 100; ``""``: shown as they are.
    decimals : digits shown after the point.
    direction : which direction is better.
    bounds : smallest and largest possible score; None: it has no bounds that hold for all vectors.
    columns : of outcomes, what ``score`` sums over the examples.
    score : sums of these columns → scores, NaN if there is nothing to score; None: the score is not a function of
        sums, and has no effects of single examples.
    count : answers → these columns of every example, shape (examples, len(columns)).
    weight : these columns of examples → the weights of the examples in the score, such as their tokens; None: equal.
    units : two columns with the numbers of the units that an example holds, for uncertainty. Empty: those of outcomes.
    stratum : column with the number of the part of the test set that a unit belongs to; each part has its fixed size.

    Raises
    ------
    ValueError
        another metric has this name.
    """

    name: str
    title: str
    unit: Unit
    decimals: int
    direction: Direction = "higher"
    bounds: tuple[float, float] | None = None
    columns: tuple[str, ...] = ()
    score: Callable[[Sums], Scores] | None = None
    count: Callable[[Answers], Ints] | None = None
    weight: Callable[[Sums], Scores] | None = None
    units: tuple[str, str] | tuple[()] = ()
    stratum: str = ""

    def __post_init__(self) -> None:
        if self.name in METRICS:
            raise ValueError(f"there are two metrics named {self.name!r}")
        METRICS[self.name] = self

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        """Unpickling in another process finds that process's object by name."""
        return metric_named, (self.name,)

    @property
    def unit_columns(self) -> tuple[str, ...]:
        """Columns of outcomes that identify units and their stratum."""
        return (*self.units, self.stratum) if self.units else ()

    @property
    def is_of_sums(self) -> bool:
        """Whether it is a function of sums over examples, and so has their effects."""
        return self.score is not None

    @property
    def scale(self) -> int:
        """Factor of displayed scores."""
        return 100 if self.unit == "%" else 1

    def of(self, outcomes: Outcomes) -> float:
        """The score of all examples together; NaN if there is nothing to score.

        Raises
        ------
        ValueError
            the metric is not a function of sums, or the outcomes lack a column.
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
        for an unknown name.
    """
    if name not in METRICS:
        raise UnknownName(f"{name!r} is not a metric; the metrics are {', '.join(METRICS)}.")
    return METRICS[name]


def count_outcomes(metrics: tuple[Metric, ...], answers: Answers) -> Outcomes:
    """The columns that these metrics need from every example, each once.

    Raises
    ------
    ValueError
        a metric does not count answers.

    >>> from tasks.metrics import ACCURACY
    >>> answers = Answers(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), ("no", "yes"))
    >>> ACCURACY.of(count_outcomes((ACCURACY,), answers))
    0.75
    """
    columns: dict[str, Ints] = {}
    for metric in metrics:
        if metric.count is None:
            raise ValueError(f"{metric.name!r} does not count answers")
        columns |= dict(zip(metric.columns, metric.count(answers).T, strict=True))
    return Outcomes.of(**columns)
