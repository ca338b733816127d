"""Stability of runs (Rodriguez & Spirling 2019, §4.3; docs/protocol.md §5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tasks.errors import NoScore
from tasks.neighbours import Neighbour
from tasks.political.compare import LEAST_VARIANCE
from tasks.political.secondary import Stability
from tasks.political.vocabulary import CommonVocabulary, Floats, cut_to_common, nearest
from tasks.statistics.intervals import interval_of_mean
from tasks.vectors import Embedding

MOST_RUNS = 20


def runs_of(embeddings: Sequence[Embedding]) -> CommonVocabulary:
    """Cut runs to their common words.

    Raises
    ------
    NoScore
        fewer than two runs, more than twenty, or fewer than 200 words in common.
    """
    if not 2 <= len(embeddings) <= MOST_RUNS:
        count = "is one run" if len(embeddings) == 1 else f"are {len(embeddings)} runs"
        raise NoScore(f"Stability compares from 2 to {MOST_RUNS} runs of the same settings; there {count}.")
    return cut_to_common(embeddings)


def pair_correlations(cosines: NDArray[np.floating]) -> Floats:
    """Pearson correlation of every pair of runs around every cue.

    Parameters
    ----------
    cosines : of k cues with n words in each of r runs, shape (r, k, n).

    Returns
    -------
    float64, shape (r·(r-1)/2, k)
        pairs in the order of ``itertools.combinations``; NaN if a run's cosines do not vary.
    """
    centred = cosines.astype(np.float64)
    centred -= centred.mean(axis=2, keepdims=True)
    variances = np.einsum("rkn,rkn->rk", centred, centred)
    defined = variances > LEAST_VARIANCE * cosines.shape[2]
    centred /= np.sqrt(np.where(defined, variances, 1.0))[:, :, None]
    rows = []
    for i, j in combinations(range(len(cosines)), 2):
        correlations = np.clip(np.einsum("kn,kn->k", centred[i], centred[j]), -1.0, 1.0)
        rows.append(np.where(defined[i] & defined[j], correlations, np.nan))
    return np.array(rows).reshape(-1, cosines.shape[1])


def stability(correlations: Floats) -> Stability | None:
    """Summary of :func:`pair_correlations`; None if no cue has a correlation in every pair.

    Parameters
    ----------
    correlations : shape (pairs, k).
    """
    complete = correlations[:, np.isfinite(correlations).all(axis=0)]
    if complete.size == 0:
        return None
    by_cue = complete.mean(axis=0)
    return {
        "mean": float(complete.mean()),
        "interval": interval_of_mean(by_cue),
        "pairs": complete.mean(axis=1).tolist(),
        "quantiles": np.quantile(complete, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist(),
        "cues": int(complete.shape[1]),
    }


def stability_of(runs: CommonVocabulary, cues: Sequence[str]) -> Stability | None:
    """Stability over the cues known to all runs; None without any."""
    places = runs.distinct(cues)
    blocks = [pair_correlations(cosines) for _, cosines in runs.cosines(places)]
    return stability(np.concatenate(blocks, axis=1)) if blocks else None


def averaged_neighbours(runs: CommonVocabulary, cues: Sequence[str], count: int) -> dict[str, list[Neighbour]]:
    """Nearest words by cosine averaged over the runs; vectors of different runs are never averaged.

    Returns
    -------
    dict
        nearest words of each cue known to all runs, nearest first.
    """
    places = runs.places(cues)
    names, rows = list(places), list(places.values())
    neighbours: dict[str, list[Neighbour]] = {}
    for block, cosines in runs.cosines(rows):
        for cue, place, mean in zip(names[block], rows[block], cosines.mean(axis=0), strict=True):
            neighbours[cue] = [Neighbour(runs.words[i], float(mean[i])) for i in nearest(mean, place, count)]
    return neighbours
