"""How long cells take, as the published baselines took."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tasks.baseline.published import published
from tasks.languages import ENGLISH
from tasks.results import Mode
from tasks.suite import Suite

Seconds = Mapping[tuple[str, Mode | None], float]
SMALL_POWER = 0.4
"""Measured from 25 to 50 dimensions (docs/performance.md, "How cost grows"): most of a small step is not arithmetic."""


def seconds_of_cells(suite: Suite, dimensions: int, words: int | None = None) -> Seconds:
    """Seconds of every cell that was measured on a baseline in any language, scaled to vectors of this size.

    Between baselines of fewer and of more dimensions they grow by a power of the dimensions; beyond the largest, in
    proportion; below the smallest, with ``SMALL_POWER`` of them. Where a baseline of fewer dimensions took longer than
    one of more, its machine was busy with something else: it counts no more than the larger one. A word task's seconds
    grow with the number of words, as it looks at the whole vocabulary; a trained cell's do not, as it uses the rows of
    its task.

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
        own: dict[tuple[str, Mode | None], list[tuple[float, float]]] = {}
        for size in suite.dimensions_of_baselines:
            baseline = published(suite, size, language)
            for result in baseline.results if baseline else ():
                own.setdefault((result.task, result.mode), []).append((np.log(size), np.log(max(result.seconds, 1e-3))))
            if baseline and language == ENGLISH:
                vocabulary = baseline.vectors["words"]
        sizes = own | sizes
    of_words = 1.0 if words is None else words / vocabulary
    return {
        cell: _at(known, dimensions) * (of_words if cell[1] is None else 1.0) for cell, known in sizes.items() if known
    }


def _at(known: list[tuple[float, float]], dimensions: int) -> float:
    """Seconds at these dimensions, from (log dimensions, log seconds) in rising order of dimensions."""
    logs, took = np.array(known).T
    seconds = np.minimum.accumulate(took[::-1])[::-1]
    wanted = np.log(dimensions)
    beyond = max(wanted - logs[-1], 0.0) + SMALL_POWER * min(wanted - logs[0], 0.0)
    return float(np.exp(np.interp(wanted, logs, seconds) + beyond))
