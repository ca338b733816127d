"""Typed results of a measurement, the only source of page, API, CSV, badge and script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, InstanceOf, TypeAdapter, model_validator
from typing_extensions import TypedDict

from tasks.datasets.examples import BLOCK
from tasks.fields import FRACTION, INTERVAL, OWN_UNIT, REDUCTION, Language, Reason, Reduction, SuiteId, TaskId, doc
from tasks.files import whole, write_whole
from tasks.vectors import FileWarning

SCHEMA_VERSION = 2
Mode = Literal["fixed", "fine-tuned"]
MODES: tuple[Mode, Mode] = ("fixed", "fine-tuned")
AGGREGATES: Mapping[str, tuple[Mode, ...]] = {"overall": MODES, "fixed": ("fixed",), "fine-tuned": ("fine-tuned",)}
"""Modes of each mean, by its name."""
Mean = Literal["arithmetic", "geometric"]
"""Kinds of means over cells (docs/protocol.md §3.5)."""
AS_USED = "-as-used"
"""Suffix of names of columns for means against the baseline as used (docs/protocol.md §3.4)."""
Interval = tuple[float, float]
Figures = TypeVar("Figures")
Form = TypeVar("Form")
Errors = Mapping[str, float]
"""Standard errors of a score or mean by source: ``examples`` (of the test set) and ``seeds`` (of training)."""
METHOD = 4
"""Version of the method of intervals and ranks, stored in each report (docs/protocol.md §8)."""
OUTCOMES = ".npz"
"""Suffix of the file of outcomes next to a report."""
UNIT = "unit"
"""Column of outcomes with the number of the cluster that an example belongs to, such as its document."""
UNITS = ("first unit", "second unit")
"""Columns of outcomes with the two units that an example holds, such as the words of a pair, in one numbering."""
LEAST_BLOCKS = 20
"""Fewer blocks give a poor standard error."""


def cell_key(task: str, mode: Mode | None) -> str:
    """Name of a cell among columns: ``pos.fixed``, ``analogy-google``."""
    return f"{task}.{mode}" if mode else task


_IF_ANY = Field(exclude_if=lambda value: value is None or value is False)  # 0.0 is a value
"""Field that is left out of the JSON if it is None or False."""


class SuiteUsed(TypedDict):
    """The suite version that a report measures; ``comparable`` is False for demonstrations."""

    id: SuiteId
    version: Annotated[int, doc("number of the version")]
    hash: Annotated[str, doc("of the definition")]
    comparable: Annotated[bool, doc("false for demonstrations, whose scores mean nothing")]


class ReferenceUsed(TypedDict):
    """The vectors with which an entry is compared."""

    name: Annotated[str, doc("of the entry")]
    sha256: Annotated[str, doc("hash of the content")]
    words: Annotated[int, doc("number of words in the vocabulary")]
    dimensions: Annotated[int, doc("numbers per vector")]


class VectorsUsed(ReferenceUsed):
    """The vectors that a report measures."""

    language: Language
    warnings: Annotated[tuple[FileWarning, ...], doc("remarks on the file")]


class SeedLearned(TypedDict):
    """Training history of one seed."""

    seed: Annotated[int, doc("of the training")]
    best_epoch: Annotated[int, doc("the scored epoch, from 1; with a fixed budget, the last one")]
    epochs: Annotated[int, doc("number of epochs")]
    dev: Annotated[list[float], doc("score on the development set by epoch, in the metric's own unit")]
    test: Annotated[float, doc("score on the test set, in the metric's own unit")]


class Learning(TypedDict):
    """Training history of a task; seconds are the sum over seeds."""

    seconds: Annotated[float, doc("duration, in seconds")]
    seconds_per_epoch: Annotated[float, doc("mean, in seconds")]
    seeds: Annotated[list[SeedLearned], doc("training by seed")]


@dataclass(frozen=True)
class Coverage:
    """Shares in [0, 1] of the scored tokens and types that are in the vocabulary, ``<unk>`` not counted."""

    tokens: Annotated[float, doc(f"share of tokens, {FRACTION}")]
    types: Annotated[float, doc(f"share of types, {FRACTION}")]


@dataclass(frozen=True)
class DatasetUse:
    """Version and hash of the data behind a score, and its licence."""

    id: Annotated[str, doc("id of the data set")]
    sha256: Annotated[str, doc("hash of the content")]
    licence: Annotated[str, doc("of the data set")]


@dataclass(frozen=True)
class Predictions:
    """Predicted labels, one for each answer: a text, a pair, a question, or a token of a sentence.

    Parameters
    ----------
    labels : names of the codes.
    gold, predicted : codes, int64, shape (answers,).
    lengths : number of answers of each example, shape (examples,); None: one each.
    """

    labels: tuple[str, ...]
    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    lengths: NDArray[np.int64] | None = None

    @classmethod
    def of_seeds(
        cls,
        labels: Sequence[str],
        gold: NDArray[np.int64],
        predicted: Sequence[NDArray[np.int64]],
        lengths: NDArray[np.int64] | None = None,
    ) -> Predictions:
        """One prediction of several seeds: the gold label if more than half of them predict it, so that it agrees with
        the outcomes; otherwise the most frequent of the other labels, of equals the first.
        """
        places, of_seeds = np.arange(len(gold)), np.stack(predicted)
        right = (of_seeds == gold).sum(axis=0)
        counts = np.zeros((len(gold), len(labels)), dtype=np.uint16)
        for codes in of_seeds:
            counts[places, codes] += 1
        counts[places, gold] = 0
        return cls(tuple(labels), gold, np.where(2 * right > len(of_seeds), gold, counts.argmax(axis=1)), lengths)

    @classmethod
    def of_labels(cls, gold: Sequence[str], predicted: Sequence[str]) -> Predictions:
        """Predictions by name, one for each example."""
        labels, codes = np.unique(np.array([*gold, *predicted]), return_inverse=True)
        return cls(tuple(map(str, labels)), codes[: len(gold)], codes[len(gold) :])

    def named(self, codes: NDArray[np.int64]) -> list[str]:
        """The labels of codes."""
        return [self.labels[code] for code in codes.tolist()]

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """NumPy arrays by name, for storage, with codes and lengths in the smallest type of whole numbers."""
        codes = np.stack([self.gold, self.predicted])
        arrays = {"labels": np.array(self.labels), "answers": codes.astype(np.min_scalar_type(len(self.labels)))}
        if self.lengths is not None:
            arrays["lengths"] = self.lengths.astype(np.min_scalar_type(int(self.lengths.max(initial=0))))
        return arrays

    @classmethod
    def from_arrays(cls, stored: Mapping[str, NDArray[np.generic]]) -> Predictions | None:
        """Inverse of :meth:`as_arrays`; None if no predictions were stored."""
        if "answers" not in stored:
            return None
        gold, predicted = stored["answers"].astype(np.int64)
        lengths = stored["lengths"].astype(np.int64) if "lengths" in stored else None
        return cls(tuple(map(str, stored["labels"])), gold, predicted, lengths)


_STORED = ("columns", "units", "labels", "answers", "lengths")
"""Names of the arrays of a cell besides its values."""


UNITS_OF_COUNT = {
    "window": "tokens",
    "sentence": "texts",
    "mean-vector-probe": "texts",
    "newsgroups": "posts",
    "pair": "pairs",
    "shared-pair": "pairs",
    "metaphor": "pairs",
    "analogy": "questions",
    "odd-one-out": "groups",
    "similarity": "pairs",
}
"""What is right or wrong, by family; other families have no examples to compare."""


@dataclass(frozen=True)
class Outcomes:
    """Per-example outcomes, averaged over seeds: the input of every standard error.

    Parameters
    ----------
    columns : names of the columns: counts that a metric sums, units of its own, or ``("predicted",
        "gold")`` for correlations (:class:`tasks.metrics.metric.Metric`); last ``UNIT`` or ``UNITS``, if examples
        share units.
    values : float32, shape (examples, len(columns)); examples: sentences, pairs, questions (docs/protocol.md §8.1).
    predictions : the labels behind them, for people; no score is computed from them. None: not classified, or measured
        before they were kept.
    """

    columns: tuple[str, ...]
    values: NDArray[np.float32]
    predictions: Predictions | None = None

    @classmethod
    def of(cls, **columns: ArrayLike) -> Outcomes:
        """Outcomes from columns by name, each of shape (examples,)."""
        return cls(tuple(columns), np.stack([np.asarray(c) for c in columns.values()], axis=1).astype(np.float32))

    def with_units(self, units: NDArray[np.generic]) -> Outcomes:
        """The same outcomes with the units of each example as their last columns.

        Parameters
        ----------
        units : whole numbers below 2**24, shape (k, examples); k = 0: nothing is shared, 1: ``UNIT``, 2: ``UNITS``.
        """
        names = ((), (UNIT,), UNITS)[len(units)]
        values = np.concatenate([self.values, units.T], axis=1).astype(np.float32, order="C")
        return replace(self, columns=(*self.columns, *names), values=values)

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """NumPy arrays by name, for storage: ``columns``, ``values`` and, if there are any, ``units`` and those of the
        predictions.

        Values are stored column by column, and units apart, in the smallest type of whole numbers; compressed, they
        take a quarter less than in one array.
        """
        columns = [name for name in self.columns if name not in (UNIT, *UNITS)]
        values = self.values[:, [name in columns for name in self.columns]]
        arrays = {"columns": np.array(columns), "values": np.asfortranarray(values)}
        arrays |= self.predictions.as_arrays() if self.predictions else {}
        if len(columns) == len(self.columns):
            return arrays
        units = self.values[:, [name not in columns for name in self.columns]].T
        smallest = np.min_scalar_type(int(units.max(initial=0)))
        return {**arrays, "units": units.astype(smallest, order="C")}

    @classmethod
    def from_arrays(cls, stored: Mapping[str, NDArray[np.generic]]) -> Outcomes:
        """Inverse of :meth:`as_arrays`."""
        values = stored["values"].astype(np.float32, order="C")
        outcomes = cls(tuple(str(column) for column in stored["columns"]), values, Predictions.from_arrays(stored))
        return outcomes.with_units(stored["units"]) if "units" in stored else outcomes

    def packed(self, key: str) -> dict[str, NDArray[np.generic]]:
        """:meth:`as_arrays` under the name of a cell, with the values in the smallest type that holds them exactly."""
        arrays = self.as_arrays()
        values = _compact(arrays.pop("values").astype(np.float32))
        return {key: values, **{f"{key}|{name}": array for name, array in arrays.items()}}

    @classmethod
    def unpacked(cls, stored: Mapping[str, NDArray[np.generic]], key: str) -> Outcomes:
        """Inverse of :meth:`packed`."""
        others = {name: stored[f"{key}|{name}"] for name in _STORED if f"{key}|{name}" in stored}
        return cls.from_arrays({"values": stored[key], **others})

    @classmethod
    def averaged(cls, of_seeds: Sequence[Outcomes]) -> Outcomes:
        """Mean over seeds, computed in double precision."""
        stacked = np.stack([outcomes.values for outcomes in of_seeds])
        return cls(of_seeds[0].columns, stacked.mean(axis=0, dtype=np.float64).astype(np.float32))

    @property
    def clusters(self) -> NDArray[np.int64]:
        """Number of each example's unit in analyses, shape (n,): its document or, where none are marked, its block.

        Stored blocks of 25 sentences are merged to up to 200 if twenty remain, as longer stretches are easy or hard
        together (docs/protocol.md §8.1).
        """
        unit = self.column(UNIT).astype(np.int64)
        if not np.array_equal(unit, np.arange(len(unit)) // BLOCK):
            return unit
        return unit // next((factor for factor in (8, 4, 2) if len(unit) >= LEAST_BLOCKS * BLOCK * factor), 1)

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: str) -> NDArray[np.float32]:
        """One column, shape (examples,)."""
        return self.values[:, self.columns.index(name)]


_COMPACT = (np.uint8, np.uint16, np.float16)


def _compact(values: NDArray[np.float32]) -> NDArray[np.generic]:
    for dtype in _COMPACT:
        with np.errstate(invalid="ignore", over="ignore"):
            smaller = values.astype(dtype)
        if np.array_equal(smaller.astype(np.float32), values, equal_nan=True):
            return smaller
    return values


@dataclass(frozen=True)
class ErrorReduction:
    """A mean or a cell relative to a baseline."""

    value: Annotated[float, doc(REDUCTION)]
    interval: Annotated[Interval | None, doc(f"{INTERVAL}, fractions; null without outcomes of a cell")] = None
    errors: Annotated[Errors, doc("standard errors by source, fractions")] = field(default_factory=dict)


@dataclass(frozen=True)
class CellResult:
    """One score: a task in one mode, over all its seeds. ``outcomes`` is stored in a separate file, not in the JSON."""

    task: TaskId
    task_hash: Annotated[str, doc("of the definition")]
    mode: Annotated[Mode | None, doc("use of the vectors; null without one")]
    metric: Annotated[str, doc("name of the metric")]
    higher_is_better: Annotated[bool, doc("whether a higher score is better")]
    score: Annotated[
        float,
        doc(f"mean over seeds, {OWN_UNIT}"),
    ]
    sd: Annotated[float | None, doc("standard deviation over seeds, in the unit of the score")]
    interval: Annotated[Interval | None, doc(f"{INTERVAL}, in the unit of the value")]
    seeds: Annotated[int, doc("number of trainings")]
    n: Annotated[int, doc("scored tokens, texts, pairs or questions")]
    coverage: Annotated[Coverage, doc("of the test by the vocabulary")]
    datasets: Annotated[tuple[DatasetUse, ...], doc("behind the score")]
    seconds: Annotated[float, doc("duration, in seconds")]
    secondary: Annotated[Mapping[str, object], doc("further figures of the task, in the form of its family")] = field(
        default_factory=dict
    )
    training: Annotated[Learning | None, doc("null without training")] = None
    baseline: Annotated[
        float | None,
        doc(f"score of the baseline of as many dimensions, {OWN_UNIT}"),
    ] = None
    relative_error_reduction: Reduction = None
    relative_error_reduction_interval: Annotated[Interval | None, doc(f"{INTERVAL}, fractions")] = None
    as_used: Annotated[
        ErrorReduction | None, _IF_ANY, doc("against the baseline as used; absent if there is only one")
    ] = None
    errors: Annotated[Errors, doc("standard errors by source, in the unit of the score")] = field(default_factory=dict)
    relative_error_reduction_errors: Annotated[Errors, doc("standard errors by source, fractions")] = field(
        default_factory=dict
    )
    descriptive: Annotated[bool, doc("whether neither end is better")] = False
    device: Annotated[str | None, _IF_ANY, doc("that measured: `cpu`, or the name of the GPU")] = None
    threads: Annotated[int | None, _IF_ANY, doc("number of threads that measured")] = None
    outcomes: Annotated[InstanceOf[Outcomes] | None, Field(exclude=True)] = field(default=None, compare=False)

    def figures(self, form: type[Figures]) -> Figures:
        """``secondary`` in its family's form of :mod:`tasks.secondary`."""
        return cast(Figures, self.secondary)

    @property
    def why_no_reduction(self) -> str:
        """Reason for a trained task's missing error reduction, one sentence; empty if it has one."""
        if self.relative_error_reduction is not None:
            return ""
        if self.baseline is None:
            return "The suite has no baseline score for comparison."
        return "The baseline makes no error here, so there is none to reduce."


ADDED = (
    "interval", "baseline", "relative_error_reduction", "relative_error_reduction_interval", "as_used",
    "errors", "relative_error_reduction_errors",
)  # fmt: skip
"""Fields of :class:`CellResult` that a report adds; all others are measured."""


@dataclass(frozen=True)
class Unavailable:
    """A task without a score."""

    task: TaskId
    reason: Reason
    mode: Annotated[Mode | None, doc("use of the vectors; null without one")] = None
    lacks_data: Annotated[
        bool,
        _IF_ANY,
        doc("whether a data set is missing or damaged; otherwise the vectors or their language are the reason"),
    ] = False


@dataclass(frozen=True)
class Aggregates:
    """Means over the extrinsic tasks (docs/protocol.md §3.5), of the suite's kind; None if a cell is missing."""

    fixed: Reduction
    fine_tuned: Reduction
    overall: Reduction
    reasons: Annotated[Mapping[str, str], doc("of missing means")] = field(default_factory=dict)
    intervals: Annotated[
        Mapping[str, Interval], doc("95 % intervals [low, high] of the means whose cells all have outcomes, fractions")
    ] = field(default_factory=dict)
    errors: Annotated[Mapping[str, Errors], doc("standard errors of the means by source, fractions")] = field(
        default_factory=dict
    )
    by_kind: Annotated[
        Mapping[Mean, Mapping[str, ErrorReduction]],
        Field(exclude_if=lambda kinds: not kinds),
        doc("means of both kinds by kind and name: `arithmetic` of error reductions, `geometric` of ratios of errors"),
    ] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """All results of one embedding under one suite version."""

    schema_version: Annotated[int, doc("version of this form")] = field(default=SCHEMA_VERSION, kw_only=True)
    method: Annotated[int, doc("version of the method of intervals and ranks")] = field(default=METHOD, kw_only=True)
    suite: Annotated[SuiteUsed, doc("suite version that was measured")]
    vectors: Annotated[VectorsUsed, doc("the measured file")]
    results: Annotated[tuple[CellResult, ...], doc("measured cells")]
    aggregates: Annotated[Aggregates, doc("means of error reductions, against the baseline of as many dimensions")]
    as_used: Annotated[
        Aggregates | None, _IF_ANY, doc("means against the baseline as used; absent if there is only one")
    ] = field(default=None, kw_only=True)
    baseline: Annotated[str | None, _IF_ANY, doc("dimensions of the baseline, in words; absent without one")] = field(
        default=None, kw_only=True
    )
    unavailable: Annotated[tuple[Unavailable, ...], doc("tasks without a score")]
    environment: Annotated[Mapping[str, str | int], doc("versions of the programs, devices and threads that measured")]

    @model_validator(mode="before")
    @classmethod
    def _from_earlier_form(cls, stored: object) -> object:
        """Reports of the first form had the reductions as used first, and those of as many dimensions beside them."""
        if not isinstance(stored, dict) or "equal_dimensions" not in stored:
            return stored
        is_alike = stored["equal_dimensions"] == stored["aggregates"]
        results = [
            _with_reduction_first(cell) if cell["mode"] else cell if is_alike else {**cell, "baseline": None}
            for cell in stored["results"]
        ]
        return stored | {
            "schema_version": SCHEMA_VERSION, "results": results, "aggregates": stored["equal_dimensions"],
            "as_used": stored["aggregates"],
        }  # fmt: skip

    @property
    def means(self) -> dict[str, Aggregates]:
        """Both sets of means, by the suffix of their columns."""
        return {"": self.aggregates} | ({AS_USED: self.as_used} if self.as_used else {})

    def result(self, task: str, mode: Mode | None = None) -> CellResult | None:
        """The result of a task in a mode, or None."""
        return self._by_cell.get((task, mode))

    @cached_property
    def _by_cell(self) -> dict[tuple[str, Mode | None], CellResult]:
        return {(result.task, result.mode): result for result in reversed(self.results)}

    def reason_without(self, task: str, mode: Mode | None = None) -> str:
        """Reason for a missing result; empty if there is a result or no known reason."""
        return next((u.reason for u in self.unavailable if u.task == task and u.mode in (mode, None)), "")

    def figures(self, task: str, form: type[Figures], mode: Mode | None = None) -> Figures | None:
        """:meth:`CellResult.figures` of a task in a mode, or None."""
        result = self.result(task, mode)
        return result.figures(form) if result else None

    def to_json(self) -> str:
        """JSON text; equal reports give equal bytes. NaN is a defect, not a value."""
        return json_text(plain(self))

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Inverse of :meth:`to_json`; see :func:`typed`.

        >>> from tasks.baseline.published import published
        >>> from tasks.suites import DEMO
        >>> text = published(DEMO).to_json()
        >>> Report.from_json(text).to_json() == text
        True
        """
        return adapter(cls).validate_json(text)

    def write(self, path: Path) -> None:
        """Write the report and, before it, its outcomes into a file of the same name with the suffix ``OUTCOMES``."""
        with whole(path.with_suffix(OUTCOMES)) as partial, partial.open("wb") as file:
            self.write_outcomes(file)
        write_whole(path, self.to_json())

    @classmethod
    def read(cls, path: Path) -> Report:
        """Inverse of :meth:`write`; results have no outcomes if their file is missing, or is of other vectors."""
        report = cls.from_json(path.read_text(encoding="utf-8"))
        outcomes = path.with_suffix(OUTCOMES)
        return report.with_outcomes(outcomes) if outcomes.is_file() else report

    def write_outcomes(self, file: BinaryIO) -> None:
        """Write an archive of arrays: for each cell with outcomes ``<task>|<mode>``, its values,
        ``<task>|<mode>|columns``, their names and, if there are any, ``units`` that examples share and predictions:
        ``labels``, ``answers`` (codes of gold and predicted labels) and ``lengths`` (word tasks have no mode there).
        """
        arrays = {"vectors": np.array(self.vectors["sha256"])}
        for result in self.results:
            if result.outcomes is not None:
                arrays |= result.outcomes.packed(_stored_key(result))
        np.savez_compressed(file, allow_pickle=False, **arrays)

    def with_outcomes(self, file: BinaryIO | Path) -> Report:
        """The report with the outcomes that :meth:`write_outcomes` wrote; none of other vectors."""
        with np.load(file, allow_pickle=False) as stored:
            if "vectors" in stored and str(stored["vectors"]) != self.vectors["sha256"]:
                return self
            keys = {_stored_key(result) for result in self.results} & set(stored)
            outcomes = {key: Outcomes.unpacked(stored, key) for key in keys}
        results = [replace(result, outcomes=outcomes.get(_stored_key(result))) for result in self.results]
        return replace(self, results=tuple(results))


def _with_reduction_first(cell: Mapping[str, Any]) -> dict[str, object]:
    """A trained cell of a report of the first form, which has no baseline score for as many dimensions."""
    prefix = "relative_error_reduction"
    value, equal = cell.get(prefix), cell.get("equal_dimensions")
    used = {"value": value, "interval": cell.get(f"{prefix}_interval"), "errors": cell.get(f"{prefix}_errors", {})}
    base = 1 - (1 - cell["score"]) / (1 - equal) if equal is not None and equal < 1 else None
    return {
        **cell, "baseline": base, prefix: equal, f"{prefix}_interval": None, f"{prefix}_errors": {},
        "as_used": None if value is None else used,
    }  # fmt: skip


def _stored_key(result: CellResult) -> str:
    return f"{result.task}|{result.mode or ''}"


_adapters: dict[object, TypeAdapter[object]] = {}


def adapter(form: type[Form]) -> TypeAdapter[Form]:
    """Cached reader and writer of a typed form, whose construction takes tens of milliseconds."""
    if form not in _adapters:
        _adapters[form] = cast(TypeAdapter[object], TypeAdapter(form))
    return cast(TypeAdapter[Form], _adapters[form])


def plain(value: object) -> dict[str, object]:
    """The JSON object of a typed form."""
    form: dict[str, object] = adapter(type(value)).dump_python(value, mode="json")
    return form


def typed(form: type[Form], stored: object) -> Form:
    """A typed form from its JSON object; unknown keys (of a later version) are ignored.

    Raises
    ------
    pydantic.ValidationError
        a value is missing or of another kind; the message names its place.
    """
    return adapter(form).validate_python(stored)


def json_text(value: object) -> str:
    """The text of a stored JSON object."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
