"""The typed result of a measurement. Page, API, CSV, badge and script read only these objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, NotRequired, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCHEMA_VERSION = 1
Mode = Literal["fixed", "fine-tuned"]
MODES: tuple[Mode, Mode] = ("fixed", "fine-tuned")
AGGREGATES: Mapping[str, tuple[Mode, ...]] = {"overall": MODES, "fixed": ("fixed",), "fine-tuned": ("fine-tuned",)}
"""The means by name, with the modes that each covers."""
EQUAL = "equal-"
"""Prefix of means at equal dimensions in names of columns and draws."""
Interval = tuple[float, float]
Figures = TypeVar("Figures")
Errors = Mapping[str, float]
"""Standard errors of a figure by source: ``examples`` (of the test set) and ``seeds`` (of training)."""
METHOD = 2
"""Version of how intervals and ranks are computed, stored in each report (docs/protocol.md §8)."""


def cell_key(task: str, mode: Mode | None) -> str:
    """Name of a cell among draws and columns: ``pos.fixed``, ``analogy-google``."""
    return f"{task}.{mode}" if mode else task


class SuiteUsed(TypedDict):
    """The suite version that a report measures; ``comparable`` is False for demonstrations."""

    id: str
    version: int
    hash: str
    comparable: bool


class WarningGiven(TypedDict):
    """One :class:`tasks.vectors.FileWarning`."""

    code: str
    message: str
    count: int


class ReferenceUsed(TypedDict):
    """The vectors that an entry is compared with."""

    name: str
    sha256: str
    words: int
    dimensions: int


class VectorsUsed(ReferenceUsed):
    """The vectors that a report measures."""

    language: str
    warnings: list[WarningGiven]


class SeedLearned(TypedDict):
    """Training history of one seed: ``dev`` holds a score for every epoch, ``test`` is its score on test.

    ``best_epoch`` is the one whose weights were scored, counted from 1: the last of a budget known in advance.
    """

    seed: int
    best_epoch: int
    epochs: int
    dev: list[float]
    test: float


class Learning(TypedDict):
    """Training history of a task; seconds are of all seeds together."""

    seconds: float
    seconds_per_epoch: float
    seeds: list[SeedLearned]


class StoredResult(TypedDict):
    """Keys of a result's JSON object whose values have another form in :class:`TaskResult`."""

    coverage: dict[str, float]
    datasets: list[dict[str, str]]
    interval: list[float] | None
    relative_error_reduction_interval: list[float] | None


class StoredAggregates(TypedDict):
    """The same of :class:`Aggregates`."""

    intervals: dict[str, list[float]]


class StoredReport(TypedDict):
    """A report's JSON object."""

    schema_version: int
    method: int
    suite: SuiteUsed
    vectors: VectorsUsed
    results: list[StoredResult]
    aggregates: StoredAggregates
    equal_dimensions: NotRequired[StoredAggregates]
    unavailable: list[StoredUnavailable]
    environment: dict[str, str | int]


class StoredUnavailable(TypedDict):
    """A cell without a score."""

    task: str
    reason: str
    mode: Mode | None
    lacks_data: NotRequired[bool]


@dataclass(frozen=True)
class Coverage:
    """Shares in [0, 1] of the scored tokens and types that were found, ``<unk>`` not counted."""

    tokens: float
    types: float


@dataclass(frozen=True)
class DatasetUse:
    """The exact data behind a number, and its licence."""

    id: str
    sha256: str
    licence: str


@dataclass(frozen=True)
class Outcomes:
    """Per-example outcomes, averaged over seeds: the input of every bootstrap.

    Parameters
    ----------
    columns : what each column holds: counts that a metric sums, units that a bootstrap draws, or ``("predicted",
        "gold")`` for correlations (:class:`tasks.metrics.metric.Metric`).
    values : float32, shape (examples, len(columns)); examples: sentences, pairs, questions (docs/protocol.md §8.1).
    """

    columns: tuple[str, ...]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, **columns: ArrayLike) -> Outcomes:
        """Outcomes from columns by name, each of shape (examples,)."""
        return cls(tuple(columns), np.stack([np.asarray(c) for c in columns.values()], axis=1).astype(np.float32))

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """For a file of NumPy arrays."""
        return {"columns": np.array(self.columns), "values": self.values}

    @classmethod
    def from_arrays(cls, stored: Mapping[str, NDArray[np.generic]]) -> Outcomes:
        """Inverse of :meth:`as_arrays`."""
        return cls(tuple(str(column) for column in stored["columns"]), stored["values"].astype(np.float32))

    @classmethod
    def averaged(cls, of_seeds: Sequence[Outcomes]) -> Outcomes:
        """The mean over seeds, in double precision."""
        stacked = np.stack([outcomes.values for outcomes in of_seeds])
        return cls(of_seeds[0].columns, stacked.mean(axis=0, dtype=np.float64).astype(np.float32))

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: str) -> NDArray[np.float32]:
        """One column, shape (examples,)."""
        return self.values[:, self.columns.index(name)]


@dataclass(frozen=True)
class TaskResult:
    """One score: a task in one mode, over all its seeds.

    ``score``, ``sd`` and ``interval`` are in the metric's own unit (accuracies, F1 and precision in [0, 1];
    correlations in [-1, 1]). ``equal_dimensions`` is the error reduction relative to the published baseline with as
    many dimensions as the vectors; None where there is none. ``n`` counts scored tokens, texts, pairs or questions.
    ``training`` (extrinsic tasks) records how each seed learned. Assembling a report adds ``interval``, the error
    reduction and the standard ``errors`` of both. A ``descriptive`` score has no better or worse. ``outcomes`` is
    stored beside the JSON, never in it.
    """

    task: str
    task_hash: str
    mode: Mode | None
    metric: str
    higher_is_better: bool
    score: float
    sd: float | None
    interval: Interval | None
    seeds: int
    n: int
    coverage: Coverage
    datasets: tuple[DatasetUse, ...]
    seconds: float
    secondary: Mapping[str, object] = field(default_factory=dict)
    training: Learning | None = None
    baseline: float | None = None
    relative_error_reduction: float | None = None
    relative_error_reduction_interval: Interval | None = None
    equal_dimensions: float | None = None
    errors: Errors = field(default_factory=dict)
    relative_error_reduction_errors: Errors = field(default_factory=dict)
    descriptive: bool = False
    outcomes: Outcomes | None = field(default=None, compare=False)

    def figures(self, form: type[Figures]) -> Figures:
        """``secondary`` in its family's form of :mod:`tasks.secondary`."""
        return cast(Figures, self.secondary)

    @property
    def why_no_reduction(self) -> str:
        """Reason for the missing error reduction of a trained task, one sentence; empty if it has one."""
        if self.relative_error_reduction is not None:
            return ""
        if self.baseline is None:
            return "The suite has no baseline score for comparison."
        return "The baseline makes no error here, so that there is none to reduce."

    def as_dict(self) -> dict[str, object]:
        """The JSON object of the report, without the outcomes; ``equal_dimensions`` only where there is a figure."""
        left_out = {"outcomes"} | ({"equal_dimensions"} if self.equal_dimensions is None else set())
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__ if name not in left_out}

    @classmethod
    def from_dict(cls, stored: StoredResult, outcomes: Outcomes | None = None) -> TaskResult:
        """Read a stored object; unknown keys (of a later version) are ignored."""
        known = {name: value for name, value in stored.items() if name in cls.__dataclass_fields__} | {
            "coverage": Coverage(**stored["coverage"]),
            "datasets": tuple(DatasetUse(**use) for use in stored["datasets"]),
            "interval": _bounds(stored["interval"]),
            "relative_error_reduction_interval": _bounds(stored["relative_error_reduction_interval"]),
        }
        read: Callable[..., TaskResult] = cls
        return read(**known, outcomes=outcomes)


@dataclass(frozen=True)
class Unavailable:
    """A task without a score, and the reason: one whole sentence, shown in the blank cell.

    ``lacks_data``: a data set is missing or damaged; otherwise the reason lies in the vectors or their language.
    """

    task: str
    reason: str
    mode: Mode | None = None
    lacks_data: bool = False

    def as_dict(self) -> dict[str, object]:
        """JSON-able; ``lacks_data`` only where it is true."""
        stored = asdict(self)
        return stored if self.lacks_data else {name: value for name, value in stored.items() if name != "lacks_data"}


@dataclass(frozen=True)
class Aggregates:
    """Means of relative error reduction over the suite's extrinsic tasks; None (with a reason) if any is missing.

    ``intervals`` holds the 95 % intervals of the means whose cells all have outcomes, ``errors`` their standard errors
    (docs/protocol.md §8.3).
    """

    fixed: float | None
    fine_tuned: float | None
    overall: float | None
    reasons: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    errors: Mapping[str, Errors] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, stored: StoredAggregates) -> Aggregates:
        """Read a stored object; unknown keys (of a later version) are ignored."""
        known = {name: value for name, value in stored.items() if name in cls.__dataclass_fields__}
        bounds = {name: (low, high) for name, (low, high) in stored["intervals"].items()}
        read: Callable[..., Aggregates] = cls
        return read(**known | {"intervals": bounds})


@dataclass(frozen=True)
class Report:
    """All results of one embedding under one suite version; ``method`` as in ``METHOD``.

    ``equal_dimensions`` has the means relative to the baseline with as many dimensions as the vectors; None: the suite
    version publishes one baseline only.
    """

    suite: SuiteUsed
    vectors: VectorsUsed
    results: Sequence[TaskResult]
    aggregates: Aggregates
    unavailable: Sequence[Unavailable]
    environment: Mapping[str, str | int]
    schema_version: int = SCHEMA_VERSION
    method: int = METHOD
    equal_dimensions: Aggregates | None = None

    def result(self, task: str, mode: Mode | None = None) -> TaskResult | None:
        """The result of a task in a mode, or None."""
        return next((r for r in self.results if r.task == task and r.mode == mode), None)

    def reason_without(self, task: str, mode: Mode | None = None) -> str:
        """Reason for a missing result; empty if there is a result, or no reason is known."""
        return next((u.reason for u in self.unavailable if u.task == task and u.mode in (mode, None)), "")

    def figures(self, task: str, form: type[Figures], mode: Mode | None = None) -> Figures | None:
        """:meth:`TaskResult.figures` of a task in a mode, or None."""
        result = self.result(task, mode)
        return result.figures(form) if result else None

    def as_dict(self) -> dict[str, object]:
        return {
            "schema_version": self.schema_version,
            "method": self.method,
            "suite": dict(self.suite),
            "vectors": dict(self.vectors),
            "results": [result.as_dict() for result in self.results],
            "aggregates": asdict(self.aggregates),
            **({} if self.equal_dimensions is None else {"equal_dimensions": asdict(self.equal_dimensions)}),
            "unavailable": [item.as_dict() for item in self.unavailable],
            "environment": dict(self.environment),
        }

    def to_json(self) -> str:
        """Stable text: same report, same bytes. NaN is a defect, not a value."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_dict(cls, stored: StoredReport) -> Report:
        return cls(
            suite=stored["suite"],
            vectors=stored["vectors"],
            results=tuple(TaskResult.from_dict(result) for result in stored["results"]),
            aggregates=Aggregates.from_dict(stored["aggregates"]),
            unavailable=tuple(
                Unavailable(item["task"], item["reason"], item["mode"], item.get("lacks_data", False))
                for item in stored["unavailable"]
            ),
            environment=stored["environment"],
            schema_version=stored["schema_version"],
            method=stored["method"],
            equal_dimensions=Aggregates.from_dict(stored["equal_dimensions"]) if "equal_dimensions" in stored else None,
        )

    @classmethod
    def from_json(cls, text: str) -> Report:
        return cls.from_dict(json.loads(text))


def _bounds(stored: Sequence[float] | None) -> Interval | None:
    return None if stored is None else (stored[0], stored[1])


def _plain(value: object) -> object:
    if isinstance(value, Coverage):
        return asdict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, DatasetUse):
        return asdict(value)
    return value
