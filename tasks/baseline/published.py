"""The baseline's scores, seed variances and costs, computed once per suite version and shipped with it.

Every relative error reduction uses the scores, so that a site's numbers do not depend on its linear algebra
(docs/protocol.md §3.3). Three files belong to a suite version: ``<suite>-<version>.json``, a report, with its outcomes
in ``<suite>-<version>.npz`` (:meth:`tasks.results.Report.write`), and ``<suite>-<version>.seeds.json``, the seed
variances.

Baselines of other dimensions have the dimensions in their names (``<suite>-<version>-d50.json``), and an operator's
baselines in other languages the code (``<suite>-<version>-de.json``).
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from tasks.languages import ENGLISH
from tasks.results import Aggregates, Mode, Report, cell_key
from tasks.statistics.uncertainty import Baseline, SeedVariances, pooled
from tasks.suite import Suite

SHIPPED = Path(__file__).parent / "scores"


def directories() -> list[Path]:
    """Directories of scores: the shipped ones, then the operator's: for suites that only an operator can evaluate, and
    for other languages.

    The operator's are in ``VECBOARD_BASELINE_SCORES``, if that is set.
    """
    folder = os.environ.get("VECBOARD_BASELINE_SCORES")
    return [SHIPPED, Path(folder)] if folder else [SHIPPED]


def published(suite: Suite, dimensions: int | None = None, language: str = ENGLISH) -> Report | None:
    """The baseline's report under this suite version, with outcomes; None if there is none.

    Parameters
    ----------
    dimensions : None: the baseline as used.
    language : of its corpus; vectors are compared with the baseline in their own language.
    """
    path = stored_as(f"{stem(suite, dimensions, language)}.json")
    return None if path is None else _read(path)


def sizes_of(suite: Suite, language: str = ENGLISH) -> list[int]:
    """The suite's baseline sizes that are published in a language, smallest first."""
    return [size for size in suite.baseline_sizes if stored_as(f"{stem(suite, size, language)}.json")]


def baseline_at(suite: Suite, dimensions: int, language: str = ENGLISH) -> Baseline | None:
    """The baseline of this size: published, interpolated, or the nearest; None if there is none in the language.

    Between two sizes, the weights are linear in the logarithm of the dimensions (docs/protocol.md §3.3).
    """
    sizes = sizes_of(suite, language)
    if not sizes:
        return None
    lower = max((size for size in sizes if size <= dimensions), default=sizes[0])
    upper = min((size for size in sizes if size >= dimensions), default=sizes[-1])
    weights, words = {lower: 1.0}, f"{lower} dimensions"
    if lower < upper:
        share = math.log(upper / dimensions) / math.log(upper / lower)
        weights = {lower: share, upper: 1 - share}
        words = f"{dimensions} dimensions, interpolated between {lower} and {upper}"
    elif lower != dimensions and len(sizes) > 1:
        words += f", the {'most' if dimensions > lower else 'fewest'} that are published"
    reports = ((published(suite, size, language), weight) for size, weight in weights.items())
    parts = tuple((report, weight) for report, weight in reports if report is not None)
    return Baseline(parts, words, is_nearest=lower == upper != dimensions)


def stored_as(name: str) -> Path | None:
    """The first file of this name in :func:`directories`."""
    return next((path for directory in directories() if (path := directory / name).is_file()), None)


def latest_published(suite: Suite, dimensions: int | None = None, language: str = ENGLISH) -> Report | None:
    """The baseline's report under this suite version or the newest one before it; None if there is none.

    ``dimensions`` and ``language`` as for :func:`published`.
    """
    versions = (replace(suite, version=version) for version in range(suite.version, 0, -1))
    return next(
        (report for version in versions if (report := published(version, dimensions, language)) is not None), None
    )


def stem(suite: Suite, dimensions: int | None = None, language: str = ENGLISH) -> str:
    """Stem of the names of a baseline's files."""
    spoken = "" if language == ENGLISH else f"-{language}"
    of = "" if dimensions in (None, suite.baseline_dimensions) else f"-d{dimensions}"
    return f"{suite.id}-{suite.version}{spoken}{of}"


@cache
def _read(path: Path) -> Report:
    return Report.read(path)


def seed_variances(suite: Suite, language: str = ENGLISH) -> SeedVariances:
    """The seed variances published for this suite version and this language's baseline; empty if there are none."""
    path = stored_as(f"{stem(suite, language=language)}.seeds.json")
    return SeedVariances() if path is None else _read_variances(path)


def write_seed_variances(suite: Suite, variances: SeedVariances, language: str = ENGLISH) -> Path:
    """Publish seed variances in the last of :func:`directories`."""
    path = directories()[-1] / f"{stem(suite, language=language)}.seeds.json"
    path.write_text(variances.to_json(), encoding="utf-8")
    _read_variances.cache_clear()
    return path


_read_variances = cache(SeedVariances.read)


def write_published(suite: Suite, report: Report, dimensions: int | None = None) -> Path:
    """Write a baseline's report and outcomes into the last of :func:`directories`; return the path of the report.

    Comparisons with an older baseline are left out. Its file is that of its vectors' language.
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
                as_used=None,
            )
            for result in report.results
        ),
        aggregates=Aggregates(None, None, None, {}),
        as_used=None,
        baseline=None,
    )
    path = target / f"{stem(suite, dimensions, report.vectors['language'])}.json"
    alone.write(path)
    _read.cache_clear()
    return path


def seed_variances_of(report: Report) -> SeedVariances:
    """The variance between the seeds of one report: the only estimate for a language without entries."""
    variances = {
        cell_key(result.task, result.mode): pooled(
            result.task_hash, [[float(seed["test"]) for seed in result.training["seeds"]]]
        )
        for result in report.results
        if result.training
    }
    return SeedVariances({cell: variance for cell, variance in variances.items() if variance is not None})


Seconds = Mapping[tuple[str, Mode | None], float]
SMALL_POWER = 0.4
"""Measured from 25 to 50 dimensions (docs/performance.md, "How cost grows"): most of a small step is not arithmetic."""


def seconds_of_cells(suite: Suite, dimensions: int, words: int | None = None) -> Seconds:
    """Seconds of every cell that was measured on a baseline in any language, scaled to vectors of this size.

    Between baselines of fewer and of more dimensions they grow by a power of the dimensions; beyond the largest, in
    proportion; below the smallest, with ``SMALL_POWER`` of them. Where a baseline of fewer dimensions took longer than
    one of more, its machine was busy with something else: it counts no more than the larger one. A word task's seconds
    grow with the number of words, as it looks at the whole vocabulary; a trained cell's do not, as it uses the rows of
    its task, but with the seeds, of which a baseline may have more than the suite.

    Parameters
    ----------
    dimensions : of the vectors.
    words : of the vectors; None: as many as the baseline's.

    Returns
    -------
    Mapping
        seconds by (task id, mode); empty if no baseline is published.
    """
    sizes: dict[tuple[str, Mode | None], list[tuple[float, float]]] = {}
    vocabulary = 1
    for language in suite.languages_of_means:
        of_language: dict[tuple[str, Mode | None], list[tuple[float, float]]] = {}
        for size in suite.baseline_sizes:
            baseline = published(suite, size, language)
            for cell in baseline.results if baseline else ():
                seeds = suite.seeds / cell.seeds if cell.mode else 1.0
                point = np.log(size), np.log(max(cell.seconds * seeds, 1e-3))
                of_language.setdefault((cell.task, cell.mode), []).append(point)
            if baseline and language == ENGLISH:
                vocabulary = baseline.vectors["words"]
        sizes = of_language | sizes
    of_words = 1.0 if words is None else words / vocabulary
    return {
        cell: _at(times, dimensions) * (of_words if cell[1] is None else 1.0) for cell, times in sizes.items() if times
    }


def _at(points: list[tuple[float, float]], dimensions: int) -> float:
    """Seconds at these dimensions, from (log dimensions, log seconds) in rising order of dimensions."""
    logs, took = np.array(points).T
    seconds = np.minimum.accumulate(took[::-1])[::-1]
    target = np.log(dimensions)
    beyond = max(target - logs[-1], 0.0) + SMALL_POWER * min(target - logs[0], 0.0)
    return float(np.exp(np.interp(target, logs, seconds) + beyond))
