"""Do two correlations differ? Williams' T2 between entries that were measured on the same pairs (PROTOCOL.md §4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from tasks.metrics.correlation import spearman
from tasks.results import Outcomes

LEVEL = 0.05
Floats = NDArray[np.float64]


def _sides(outcomes: Outcomes) -> tuple[Floats, Floats]:
    predicted, gold = (
        outcomes.values[:, outcomes.columns.index(name)].astype(np.float64) for name in ("predicted", "gold")
    )
    return predicted, gold


def williams_t2(r_xy: float, r_xz: float, r_yz: float, n: int) -> tuple[float, float]:
    """Do two correlations with the same variable differ, when all are of the same n pairs? Williams' T2.

    Steiger (1980), Tests for comparing elements of a correlation matrix, Psychological Bulletin 87, eq. 7; PROTOCOL.md
    §4 (Auguste et al. 2017 call it Steiger's test).

    Parameters
    ----------
    r_xy, r_xz : the correlations to compare (of people's x with one entry's y and another's z), in [-1, 1].
    r_yz : correlation of the two entries.
    n : pairs that all three correlations stand on, at least 4.

    Returns
    -------
    (t, p)
        t with the sign of ``r_xy - r_xz``; p two-sided, with n - 3 degrees of freedom. Equal correlations: (0, 1).

    Raises
    ------
    ValueError
        fewer than four pairs.
    """
    if n < 4:
        raise ValueError(f"the test of two correlations needs at least 4 pairs, not {n}")
    difference, mean = r_xy - r_xz, (r_xy + r_xz) / 2
    if difference == 0.0:
        return 0.0, 1.0
    determinant = max(0.0, 1 - r_xy**2 - r_xz**2 - r_yz**2 + 2 * r_xy * r_xz * r_yz)
    variance = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_yz) ** 3
    if variance <= 0.0:
        return math.copysign(math.inf, difference), 0.0
    t = difference * math.sqrt((n - 1) * (1 + r_yz) / variance)
    return t, float(2 * stdtr(n - 3, -abs(t)))


@dataclass(frozen=True)
class CorrelationDifference:
    """Spearman correlations of two entries on the ``n`` pairs that both know, and Williams' test between them."""

    first: float
    second: float
    n: int
    t: float
    p: float


def correlation_difference(first: Outcomes, second: Outcomes) -> CorrelationDifference | None:
    """Compare two entries on the same pairs: outcomes with the columns ``predicted`` and ``gold``, rows alike.

    Returns
    -------
    CorrelationDifference or None
        None where there is nothing to compare: fewer than four common pairs, or a side of them is constant.

    Raises
    ------
    ValueError
        the two are not outcomes of the same pairs.
    """
    (y, gold), (z, other_gold) = _sides(first), _sides(second)
    if not np.array_equal(gold, other_gold, equal_nan=True):
        raise ValueError("the outcomes are not of the same pairs")
    both = np.isfinite(y) & np.isfinite(z) & np.isfinite(gold)
    r_xy, r_xz, r_yz = (
        spearman(a[both], b[both]) if both.sum() >= 4 else None for a, b in ((gold, y), (gold, z), (y, z))
    )
    if r_xy is None or r_xz is None or r_yz is None:
        return None
    n = int(both.sum())
    return CorrelationDifference(r_xy, r_xz, n, *williams_t2(r_xy, r_xz, r_yz, n))


def best_and_equals(entries: Sequence[Outcomes | None], level: float = LEVEL) -> tuple[int, frozenset[int]] | None:
    """The entry with the highest correlation, and those that do not differ from it (PROTOCOL.md §4, priming).

    Parameters
    ----------
    entries : outcomes of one task, None where an entry has no score.
    level : a p-value below it is a difference.

    Returns
    -------
    (best, equals) or None
        indices into ``entries``; the first of equally good ones is the best, and is no member of ``equals``.
    """
    scores: dict[int, float] = {}
    for i, outcomes in enumerate(entries):
        if outcomes is not None:
            predicted, gold = _sides(outcomes)
            known = np.isfinite(predicted) & np.isfinite(gold)
            correlation = spearman(predicted[known], gold[known])
            if correlation is not None:
                scores[i] = correlation
    if not scores:
        return None
    best = max(scores, key=lambda i: (scores[i], -i))
    leader = entries[best]
    assert leader is not None
    equals = set()
    for i in scores:
        other = entries[i]
        compared = correlation_difference(leader, other) if i != best and other is not None else None
        if compared is not None and compared.p >= level:
            equals.add(i)
    return best, frozenset(equals)
