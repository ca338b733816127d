"""Priming: are reactions faster after a prime with a near vector? (Auguste et al. 2017; docs/protocol.md §4.5)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import Example, PrimedTarget, units_of_pairs
from tasks.errors import DataUnavailable, NoScore
from tasks.intrinsic.similarity import distinct_pairs, look_up_pairs
from tasks.metrics.correlation import spearman
from tasks.metrics.distances import paired_cosines
from tasks.results import CellResult, Coverage, Mode, Outcomes
from tasks.secondary import VERBS_ONLY, PrimingFigures, PrimingPart, SharedPairs
from tasks.vectors import UNKNOWN, Embedding, Rows

PARTS: Mapping[str, range] = {
    "p1_dev": range(0, 2),
    "p1_test": range(2, 10),
    "p2_dev": range(0, 2),
    "p2_test": range(2, 4),
    "p2_train": range(4, 10),
}
"""Folds of the two published partitions."""
HEADLINE = "p1_test"
LEAST_SHARED_PAIRS = 16
SIMILARITY_SETS = "word-sim"
Floats = NDArray[np.float64]


def primed_pairs(examples: Iterable[Example]) -> list[PrimedTarget]:
    """Pairs with a fold, in order; of pairs that differ only in case, the first."""
    pairs: dict[tuple[str, str], PrimedTarget] = {}
    for example in examples:
        if isinstance(example, PrimedTarget) and example.fold is not None:
            pairs.setdefault((example.target.lower(), example.prime.lower()), example)
    return list(pairs.values())


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Negative Spearman ρ of cosine and mean reaction time over the test pairs of partition P1; higher is better.

    Words are lower-cased before the suite's look-up; pairs with an unknown word or without a time are left out.
    ``outcomes`` has a row for every test pair: the cosine (NaN: left out) as ``predicted`` and minus the time as
    ``gold``, so that their correlation is the score, and the number of its ``target``; prime and target are its units.
    ``secondary``: ``rho`` as the source's program prints it, ``known`` of ``pairs``, and ``within_target``, the score
    of deviations from each target's mean; the same for every part of both ``partitions``; and ``similarity_sets`` of
    :func:`with_similarity_sets`.

    Raises
    ------
    NoScore
        fewer than ten known pairs, or all their cosines are equal.
    DataUnavailable
        the times are missing.
    """
    watch = Stopwatch(task, mode, context)
    pairs = primed_pairs(context.data.load(task.data)["all"])
    times = times_of(pairs, task.options["condition"])
    folds = np.array([pair.fold for pair in pairs])
    # The primes are in capitals, which are acronyms in a cased file.
    words = [(pair.prime.lower(), pair.target.lower()) for pair in pairs]
    rows, is_known, _ = look_up_pairs(context.suite.look_up, embedding, words)
    cosines = np.full(len(pairs), np.nan)
    cosines[is_known] = paired_cosines(embedding.matrix[rows[is_known, 0]], embedding.matrix[rows[is_known, 1]])
    cosines[np.isnan(times)] = np.nan
    targets = np.unique([pair.target.lower() for pair in pairs], return_inverse=True)[1]
    figures = {part: _figures(cosines, times, targets, np.isin(folds, within)) for part, within in PARTS.items()}
    headline = figures[HEADLINE]
    least = task.family.number("least known")
    if headline["known"] < least:
        raise NoScore(
            f"The vocabulary has both words of {headline['known']} of the {headline['pairs']:,} pairs with a reaction "
            f"time; a score needs {least}."
        )
    if headline["rho"] is None:
        raise NoScore(f"All {headline['known']:,} known pairs have the same cosine, so that nothing ranks them.")
    score = -headline["rho"]
    test = np.isin(folds, PARTS[HEADLINE])
    share = headline["known"] / headline["pairs"]
    secondary: PrimingFigures = {
        **headline,
        "partitions": figures,
        "similarity_sets": with_similarity_sets(pairs, times, context),
    }
    return watch.result(
        score=score,
        n=headline["known"],
        coverage=Coverage(tokens=float(np.mean(rows[test] != UNKNOWN)), types=share),
        secondary=secondary,
        outcomes=Outcomes.of(predicted=cosines[test], gold=-times[test], target=targets[test]).with_units(
            units_of_pairs(pair for pair, tested in zip(words, test, strict=True) if tested)
        ),
    )


def times_of(pairs: list[PrimedTarget], condition: str) -> Floats:
    """Mean reaction times of a condition (``"ldt_200"``) in milliseconds, NaN for a missing one; shape (n,)."""
    times: list[float | None] = [getattr(pair, condition) for pair in pairs]
    return np.array([np.nan if time is None else time for time in times], dtype=np.float64)


def _figures(cosines: Floats, times: Floats, targets: Rows, chosen: NDArray[np.bool_]) -> PrimingPart:
    known_pairs = np.flatnonzero(chosen & np.isfinite(cosines))
    several = known_pairs[np.bincount(targets[known_pairs], minlength=len(targets))[targets[known_pairs]] > 1]
    within = spearman(
        deviations_from_target(cosines[several], targets[several]),
        deviations_from_target(times[several], targets[several]),
    )
    return {
        "rho": spearman(cosines[known_pairs], times[known_pairs]),
        "known": len(known_pairs),
        "pairs": int(chosen.sum()),
        "within_target": None if within is None else -within,
        "within_pairs": len(several),
    }


def deviations_from_target(values: Floats, targets: Rows) -> Floats:
    """Each value minus the mean of its target's values.

    Most of the variance of times is between targets, which differ in speed regardless of the prime (docs/protocol.md
    §4.5).

    Parameters
    ----------
    values, targets : values, and numbers of their targets, shape (n,).
    """
    counts = np.bincount(targets)
    means = np.bincount(targets, weights=values) / np.maximum(counts, 1)
    return np.asarray(values - means[targets], dtype=np.float64)


def with_similarity_sets(pairs: list[PrimedTarget], times: Floats, context: Context) -> dict[str, SharedPairs] | None:
    """Spearman ρ of the times with every similarity set's scores, over the pairs in both (in either order, any case).

    Returns
    -------
    dict or None
        ``rho`` and ``pairs`` by name, for sets of at least 16 shared pairs, not of verbs only; None: they are missing.
    """
    try:
        sets = context.data.load(SIMILARITY_SETS)
    except DataUnavailable:
        return None
    of_pair = {
        frozenset((pair.prime.lower(), pair.target.lower())): time
        for pair, time in reversed(list(zip(pairs, times.tolist(), strict=True)))
        if np.isfinite(time)
    }
    by_set: dict[str, SharedPairs] = {}
    for set_id, examples in sets.items():
        name = set_id.removeprefix("EN-").lower()
        scores = {frozenset((p.first.lower(), p.second.lower())): p.score for p in distinct_pairs(examples)}
        shared = {key: score for key, score in scores.items() if key in of_pair}
        if name not in VERBS_ONLY and len(shared) >= LEAST_SHARED_PAIRS:
            rho = spearman([of_pair[key] for key in shared], list(shared.values()))
            by_set[name] = {"rho": rho, "pairs": len(shared)}
    return by_set
