"""Do raters who saw the same two words choose the same one? Krippendorff's alpha on shared triads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """``alpha`` is 1 for perfect agreement, 0 for chance, None if undefined, with the reason."""

    alpha: float | None
    units: int
    answers: int
    reason: str = ""


def triad_choice(cue: str, left: str, right: str, chosen: str) -> tuple[Hashable, Hashable]:
    """An answer to a triad as (unit, value): which of the two words, the first or the second in alphabetical order.

    The word itself would be wrong: as triads have different words, chance agreement would be near 0, and raters who
    toss a coin would seem to agree half of the time. So would the side, as the two words are shown in either order.
    """
    first, second = sorted((left, right))
    return (cue, first, second), chosen == second


def alpha(choices: Iterable[tuple[Hashable, Hashable]]) -> Agreement:
    """Krippendorff's alpha for nominal values, any number of answers per unit (Krippendorff 2019, ch. 12).

    1 - D_observed / D_expected: the share of pairs of answers to one unit that differ, over the share of all pairs of
    pairable answers that differ.

    Parameters
    ----------
    choices : (unit, value) of every answer. Units with a single answer are left out. A value must mean the same in
        every unit, as chance is estimated from all answers: for triads see :func:`triad_choice`.

    Returns
    -------
    Agreement
        alpha is None if no unit has two answers, or all answers are equal.
    """
    by_unit: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for unit, value in choices:
        by_unit[unit][value] += 1
    shared = [values for values in by_unit.values() if values.total() > 1]
    total: Counter[Hashable] = sum(shared, Counter())
    n = total.total()
    if not shared:
        return Agreement(None, 0, 0, "No two raters saw the same triad yet.")
    expected = n * n - sum(count * count for count in total.values())
    if expected == 0:
        return Agreement(None, len(shared), n, "All answers are the same, so chance alone would agree as well.")
    observed = sum(
        (values.total() ** 2 - sum(count * count for count in values.values())) / (values.total() - 1)
        for values in shared
    )
    return Agreement(1.0 - (n - 1) * observed / expected, len(shared), n)
