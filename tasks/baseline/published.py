"""The baseline's scores, computed once per suite version and shipped with it (PROTOCOL.md §3).

Every relative error reduction uses them, so that a site's numbers do not depend on its linear algebra. A suite's
scores are two files: ``<suite>-<version>.json``, a report, and ``<suite>-<version>.npz``, the outcomes of its results:
for each an array ``<task>|<mode>`` of values and an array ``<task>|<mode>|columns`` of their names (word tasks have no
mode there). A third one, ``<suite>-<version>.seeds.json``, holds the seed variances. Baselines of other dimensions have
the dimensions in their names (``<suite>-<version>-d50.json``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.files import whole
from tasks.results import Aggregates, Outcomes, Report, TaskResult
from tasks.seed_variance import SeedVariances
from tasks.suite import Suite

SHIPPED = Path(__file__).parent / "scores"
_COMPACT = (np.uint8, np.uint16, np.float16)


def directories() -> list[Path]:
    """Directories of scores: the shipped ones, then the operator's, for suites that only an operator can evaluate.

    The operator's are in ``VECBOARD_BASELINE_SCORES``, if that is set.
    """
    own = os.environ.get("VECBOARD_BASELINE_SCORES")
    return [SHIPPED, Path(own)] if own else [SHIPPED]


def published(suite: Suite, dimensions: int | None = None) -> Report | None:
    """The baseline's report under this suite version, with outcomes; None if there is none.

    Parameters
    ----------
    dimensions : None: the suite's own, which every headline is relative to.
    """
    path = _stored(f"{_stem(suite, dimensions)}.json")
    return None if path is None else _read(path)


def seed_variances(suite: Suite) -> SeedVariances:
    """The seed variances published for this suite version; empty if there are none."""
    path = _stored(f"{_stem(suite)}.seeds.json")
    return SeedVariances() if path is None else _read_variances(path)


def write_seed_variances(suite: Suite, variances: SeedVariances) -> Path:
    """Publish seed variances in the last of :func:`directories`."""
    path = directories()[-1] / f"{_stem(suite)}.seeds.json"
    path.write_text(variances.to_json(), encoding="utf-8")
    _read_variances.cache_clear()
    return path


def _stored(name: str) -> Path | None:
    """The first file of this name in :func:`directories`."""
    return next((path for directory in directories() if (path := directory / name).is_file()), None)


def latest_published(suite: Suite, dimensions: int | None = None) -> Report | None:
    """The baseline's report under this suite version or the newest one before it; None if there is none.

    ``dimensions`` as for :func:`published`.
    """
    versions = (replace(suite, version=version) for version in range(suite.version, 0, -1))
    return next((found for version in versions if (found := published(version, dimensions)) is not None), None)


def write_published(suite: Suite, report: Report, dimensions: int | None = None) -> Path:
    """Write a baseline's report and outcomes into the last of :func:`directories`; return the path of the report.

    The report is written last, so that it always has its outcomes. Comparisons with an older baseline are left out.
    ``dimensions`` as for :func:`published`.
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
    path = target / f"{_stem(suite, dimensions)}.json"
    with whole(path.with_suffix(".npz")) as partial, partial.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(alone))
    with whole(path) as partial:
        partial.write_text(alone.to_json(), encoding="utf-8")
    _read.cache_clear()
    return path


def _stem(suite: Suite, dimensions: int | None = None) -> str:
    of = "" if dimensions in (None, suite.baseline_dimensions) else f"-d{dimensions}"
    return f"{suite.id}-{suite.version}{of}"


def _key(result: TaskResult) -> str:
    return f"{result.task}|{result.mode or ''}"


def _arrays(report: Report) -> dict[str, NDArray[np.generic]]:
    arrays: dict[str, NDArray[np.generic]] = {}
    for result in report.results:
        if result.outcomes is not None:
            arrays[_key(result)] = compact(result.outcomes.values)
            arrays[f"{_key(result)}|columns"] = np.array(result.outcomes.columns)
    return arrays


def compact(values: NDArray[np.float32]) -> NDArray[np.generic]:
    """The same numbers in the smallest type that holds them exactly."""
    for dtype in _COMPACT:
        with np.errstate(invalid="ignore", over="ignore"):
            smaller = values.astype(dtype)
        if np.array_equal(smaller.astype(np.float32), values, equal_nan=True):
            return smaller
    return values


@cache
def _read(path: Path) -> Report:
    report = Report.from_json(path.read_text(encoding="utf-8"))
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as stored:
        results = [replace(result, outcomes=_outcomes(stored, _key(result))) for result in report.results]
    return replace(report, results=tuple(results))


_read_variances = cache(SeedVariances.read)


def _outcomes(stored: Mapping[str, NDArray[np.generic]], key: str) -> Outcomes | None:
    if key not in stored:
        return None
    return Outcomes(tuple(stored[f"{key}|columns"].tolist()), stored[key].astype(np.float32))
