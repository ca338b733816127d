"""Publishing a baseline's scores: see :mod:`tasks.baseline.published`, which reads them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.baseline.published import directories, forget, key_of, stem
from tasks.files import whole
from tasks.results import Aggregates, Report, cell_key
from tasks.statistics.uncertainty import SeedVariances, pooled
from tasks.suite import Suite

_COMPACT = (np.uint8, np.uint16, np.float16)


def write_published(suite: Suite, report: Report, dimensions: int | None = None) -> Path:
    """Write a baseline's report and outcomes into the last of :func:`directories`; return the path of the report.

    The report is written last, so that it always has its outcomes. Comparisons with an older baseline are left out.
    Its file is that of its vectors' language.
    ``dimensions`` as for :func:`tasks.baseline.published.published`.
    """
    target = directories()[-1]
    target.mkdir(parents=True, exist_ok=True)
    alone = replace(
        report,
        results=tuple(
            replace(
                result,
                baseline=None,
                relative_error_reduction=None,
                relative_error_reduction_interval=None,
                relative_error_reduction_errors={},
                equal_dimensions=None,
            )
            for result in report.results
        ),
        aggregates=Aggregates(None, None, None, {}),
        equal_dimensions=None,
    )
    path = target / f"{stem(suite, dimensions, report.vectors['language'])}.json"
    with whole(path.with_suffix(".npz")) as partial, partial.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(alone))
    with whole(path) as partial:
        partial.write_text(alone.to_json(), encoding="utf-8")
    forget()
    return path


def seed_variances_of(report: Report) -> SeedVariances:
    """The variance between the seeds of one report: all that is known of a language before it has entries."""
    found = {
        cell_key(result.task, result.mode): pooled(
            result.task_hash, [[float(seed["test"]) for seed in result.training["seeds"]]]
        )
        for result in report.results
        if result.training
    }
    return SeedVariances({cell: variance for cell, variance in found.items() if variance is not None})


def _arrays(report: Report) -> dict[str, NDArray[np.generic]]:
    arrays: dict[str, NDArray[np.generic]] = {}
    for result in report.results:
        if result.outcomes is not None:
            arrays[key_of(result)] = compact(result.outcomes.values)
            arrays[f"{key_of(result)}|columns"] = np.array(result.outcomes.columns)
    return arrays


def compact(values: NDArray[np.float32]) -> NDArray[np.generic]:
    """The same numbers in the smallest type that holds them exactly."""
    for dtype in _COMPACT:
        with np.errstate(invalid="ignore", over="ignore"):
            smaller = values.astype(dtype)
        if np.array_equal(smaller.astype(np.float32), values, equal_nan=True):
            return smaller
    return values
