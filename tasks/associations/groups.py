"""How two groups of speakers use a word (Rodriguez, Spirling & Stewart 2023; docs/protocol.md §6.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.associations.contexts import Contexts
from tasks.associations.partitions import SEED, TOLERANCE, drawn_partitions
from tasks.errors import InputError
from tasks.neighbours import Neighbour
from tasks.results import Interval
from tasks.statistics.bootstrap import RESAMPLES, bootstrap_weights
from tasks.statistics.intervals import percentile_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """One group's use of the target.

    Parameters
    ----------
    documents : that have the target; ``occurrences``: of it.
    neighbours : of the mean of its occurrences.
    """

    documents: int
    occurrences: int
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True)
class GroupComparison:
    """Two groups' uses of a target.

    Parameters
    ----------
    groups : by name.
    distance : between the two means; ``interval``: 95 %, documents resampled within groups; ``p``: documents permuted.
    ratios : of the neighbours of either: cosine with the first group over cosine with the second, largest first.
    """

    target: str
    groups: Mapping[str, Group]
    distance: float
    interval: Interval | None
    p: float
    ratios: Mapping[str, float]


def compare_groups(contexts: Contexts, target: str, groups: Mapping[str, Sequence[int]]) -> GroupComparison:
    """Compare how the documents of two groups use a word.

    The norm of a difference is never 0, also between equal groups: read it with its p, and compare words by p.
    Source: Rodriguez, Spirling & Stewart (2023), "Embedding Regression", American Political Science Review 117(4).

    Parameters
    ----------
    groups : places of each group's documents.

    Raises
    ------
    InputError
        not two groups, or one of them never has the word.
    """
    if len(groups) != 2:
        raise InputError("not-two-groups", "A comparison of contexts needs two groups.", field="groups")
    vectors, documents = contexts.occurrences(target)
    sums, counts, sizes = [], [], []
    for name, places in groups.items():
        own = np.isin(documents, places)
        if not own.any():
            raise InputError("no-occurrence", f"No document of “{name}” has “{target}”.", field="groups")
        _, of_document = np.unique(documents[own], return_inverse=True)
        totals = np.zeros((of_document.max() + 1, vectors.shape[1]))
        np.add.at(totals, of_document, vectors[own])
        sums.append(totals)
        counts.append(np.bincount(of_document).astype(np.float64))
        sizes.append(len(totals))
    first, second = (part.sum(axis=0) / n.sum() for part, n in zip(sums, counts, strict=True))
    distance = float(np.linalg.norm(first - second))
    named = {
        name: Group(size, int(n.sum()), tuple(contexts.neighbours(mean, target)))
        for name, size, n, mean in zip(groups, sizes, counts, (first, second), strict=True)
    }
    words = list(dict.fromkeys(near.word for group in named.values() for near in group.neighbours))
    ratios = {word: contexts.cosine(first, word) / contexts.cosine(second, word) for word in words}
    return GroupComparison(
        target,
        named,
        distance,
        _interval(sums, counts),
        _p_value(np.concatenate(sums), np.concatenate(counts), sizes[0], distance),
        dict(sorted(ratios.items(), key=lambda item: -item[1])),
    )


def _interval(sums: Sequence[Floats], counts: Sequence[Floats]) -> Interval | None:
    if min(len(n) for n in counts) < 2:
        return None
    generator = np.random.default_rng(SEED)
    means = []
    for totals, n in zip(sums, counts, strict=True):
        drawn = bootstrap_weights(len(n), RESAMPLES, generator).astype(np.float64)
        means.append((drawn @ totals) / (drawn @ n)[:, None])
    return percentile_interval(np.linalg.norm(means[0] - means[1], axis=1))


def _p_value(sums: Floats, counts: Floats, first: int, distance: float) -> float:
    """(k + 1) / (n + 1) over random divisions of the documents into groups of the same sizes.

    Few documents are often divided as they were: the same sums in another order must not count as a smaller distance.
    """
    is_first = drawn_partitions(np.random.default_rng(SEED), RESAMPLES, len(counts), first).astype(np.float64)
    sides = [(side @ sums) / (side @ counts)[:, None] for side in (is_first, 1 - is_first)]
    least = distance - TOLERANCE * float(np.linalg.norm(sums, axis=1).sum())
    reached = np.count_nonzero(np.linalg.norm(sides[0] - sides[1], axis=1) >= least)
    return (reached + 1) / (RESAMPLES + 1)
