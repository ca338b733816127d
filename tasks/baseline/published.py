"""The baseline's scores, computed once per suite version and shipped with it (docs/protocol.md §3.3).

Every relative error reduction uses them, so that a site's numbers do not depend on its linear algebra. A suite's
scores are two files: ``<suite>-<version>.json``, a report, and ``<suite>-<version>.npz``, the outcomes of its results:
for each an array ``<task>|<mode>`` of values and an array ``<task>|<mode>|columns`` of their names (word tasks have no
mode there). A third one, ``<suite>-<version>.seeds.json``, holds the seed variances. Baselines of other dimensions have
the dimensions in their names (``<suite>-<version>-d50.json``), and an operator's baselines in other languages the code
(``<suite>-<version>-de.json``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.languages import ENGLISH
from tasks.results import Outcomes, Report, TaskResult
from tasks.suite import Suite

SHIPPED = Path(__file__).parent / "scores"


def directories() -> list[Path]:
    """Directories of scores: the shipped ones, then the operator's: for suites that only an operator can evaluate, and
    for other languages.

    The operator's are in ``VECBOARD_BASELINE_SCORES``, if that is set.
    """
    own = os.environ.get("VECBOARD_BASELINE_SCORES")
    return [SHIPPED, Path(own)] if own else [SHIPPED]


def published(suite: Suite, dimensions: int | None = None, language: str = ENGLISH) -> Report | None:
    """The baseline's report under this suite version, with outcomes; None if there is none.

    Parameters
    ----------
    dimensions : None: the suite's own, which every headline is relative to.
    language : of its corpus; vectors are compared with the baseline in their own language.
    """
    path = stored_as(f"{stem(suite, dimensions, language)}.json")
    return None if path is None else _read(path)


def stored_as(name: str) -> Path | None:
    """The first file of this name in :func:`directories`."""
    return next((path for directory in directories() if (path := directory / name).is_file()), None)


def latest_published(suite: Suite, dimensions: int | None = None, language: str = ENGLISH) -> Report | None:
    """The baseline's report under this suite version or the newest one before it; None if there is none.

    ``dimensions`` and ``language`` as for :func:`published`.
    """
    versions = (replace(suite, version=version) for version in range(suite.version, 0, -1))
    return next(
        (found for version in versions if (found := published(version, dimensions, language)) is not None), None
    )


def stem(suite: Suite, dimensions: int | None = None, language: str = ENGLISH) -> str:
    """How the names of a baseline's files begin."""
    spoken = "" if language == ENGLISH else f"-{language}"
    of = "" if dimensions in (None, suite.baseline_dimensions) else f"-d{dimensions}"
    return f"{suite.id}-{suite.version}{spoken}{of}"


def key_of(result: TaskResult) -> str:
    """Name of a result's array of outcomes."""
    return f"{result.task}|{result.mode or ''}"


def forget() -> None:
    """What was read before is read again: another baseline was published."""
    _read.cache_clear()


@cache
def _read(path: Path) -> Report:
    report = Report.from_json(path.read_text(encoding="utf-8"))
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as stored:
        results = [replace(result, outcomes=_outcomes(stored, key_of(result))) for result in report.results]
    return replace(report, results=tuple(results))


def _outcomes(stored: Mapping[str, NDArray[np.generic]], key: str) -> Outcomes | None:
    if key not in stored:
        return None
    return Outcomes(tuple(stored[f"{key}|columns"].tolist()), stored[key].astype(np.float32))
