"""Auguste, Rey & Favre (2017), table 1: which algorithm's similarities correlate with people's reaction times?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.board.entries import Entry
from research.findings.finding import Finding, Section, Verdict, between, by_count, chance, number
from tasks.intrinsic.priming import deviations_from_target
from tasks.metrics.correlation import spearman
from tasks.results import Outcomes
from tasks.secondary import PrimingFigures
from tasks.statistics.correlations import (
    CorrelationDifference,
    correlation_difference,
    dense_order,
    dispersion_of_correlations,
    williams_t2,
)
from tasks.statistics.effects import SharedUnits, units_of
from tasks.statistics.intervals import LEVEL, Difference, difference_with_error

CONDITIONS: Mapping[str, str] = {
    "priming-ldt-200": "lexical decision 200 ms",
    "priming-ldt-1200": "lexical decision 1,200 ms",
    "priming-nt-200": "naming 200 ms",
    "priming-nt-1200": "naming 1,200 ms",
}
SOURCE = "Auguste et al. 2017, table 1"
Figure = Literal["published", "within targets"]
Floats = NDArray[np.float64]
FIGURES: Mapping[Figure, str] = {"published": "", "within targets": " Within the pairs of a target."}
"""Suffix of a claim. Each claim is tested on the published score, and on one that does not depend on the speed at which
people recognise the target (docs/protocol.md §4.5)."""
TESTS: Mapping[Figure, str] = {
    "published": "test of pairs that share words",
    "within targets": "Williams' test, with as many degrees of freedom as free deviations",
}


def priming(entries: Sequence[Entry]) -> Section:
    """Three claims on minus the correlation with reaction times in the four conditions, by two scores."""
    title = "Priming: which algorithm is nearest to people?"
    measured = [entry for entry in entries if any(entry.score(condition) is not None for condition in CONDITIONS)]
    if not measured:
        finding = Finding(ALGORITHM, SOURCE, "No entry has been measured on reaction times.", "undecided")
        return Section(title, (finding,))
    findings = [
        finding
        for figure in FIGURES
        if any(_score(entry, condition, figure) is not None for entry in measured for condition in CONDITIONS)
        for finding in (*_algorithms(measured, figure), _lexical(measured, figure), _soon(measured, figure))
    ]
    return Section(title, tuple(findings))


ALGORITHM = "GloVe correlates more strongly with reaction times than skip-gram (window 10, 100 dimensions)."


def _outcomes(entry: Entry, condition: str) -> Outcomes | None:
    result = entry.result(condition)
    return None if result is None else result.outcomes


def _score(entry: Entry, condition: str, figure: Figure) -> float | None:
    result = entry.result(condition)
    if result is None or figure == "published":
        return None if result is None else result.score
    return result.figures(PrimingFigures)["within_target"]


class WithinTargetDifference(NamedTuple):
    """Within-target scores of two entries, and a test with ``n`` pairs; ``williams`` is p with the ordinary n."""

    first: float
    second: float
    n: int
    t: float
    p: float
    williams: float


def _difference(
    first: Entry, second: Entry, condition: str, figure: Figure
) -> CorrelationDifference | WithinTargetDifference | None:
    left, right = _outcomes(first, condition), _outcomes(second, condition)
    if left is None or right is None:
        return None
    return correlation_difference(left, right) if figure == "published" else within_target_difference(left, right)


def within_target_difference(first: Outcomes, second: Outcomes) -> WithinTargetDifference | None:
    """Compare two entries' within-target scores on the n pairs that both cover, by Williams' test.

    The mean of each of the T targets is estimated and subtracted, so n - T deviations are free, where ordinary
    correlations have n - 1: the test uses n - T + 1 in place of its n, and so has n - T - 2 degrees of freedom.

    Returns
    -------
    WithinTargetDifference or None
        ``n`` is n - T + 1, ``williams`` is p with the ordinary n; None if ``n`` is below four or one side is constant.

    Raises
    ------
    ValueError
        the two are not outcomes of the same pairs.
    """
    left, right, targets = _within_targets(first, second)
    if not np.array_equal(left.column("gold"), right.column("gold")):
        raise ValueError("the outcomes are not of the same pairs")
    n, free = len(left), len(left) - targets + 1
    people, *predicted = left.column("gold"), left.column("predicted"), right.column("predicted")
    r_xy, r_xz = (spearman(people, of_entry) for of_entry in predicted)
    r_yz = spearman(*predicted)
    if free < 4 or r_xy is None or r_xz is None or r_yz is None:
        return None
    t, p = williams_t2(r_xy, r_xz, r_yz, free)
    return WithinTargetDifference(r_xy, r_xz, free, t, p, williams_t2(r_xy, r_xz, r_yz, n)[1])


def _within_targets(first: Outcomes, second: Outcomes) -> tuple[Outcomes, Outcomes, int]:
    """Deviations from each target's mean of two entries' outcomes, for known pairs of targets with several.

    The number is that of these targets.
    """
    numbers = first.column("target").astype(np.int64)
    shared = _of_several(numbers, np.isfinite(first.column("predicted")) & np.isfinite(second.column("predicted")))
    cut = [
        Outcomes.of(**{name: _deviations(side, name, shared)[shared] for name in ("predicted", "gold")})
        for side in (first, second)
    ]
    return cut[0], cut[1], len(np.unique(numbers[shared]))


def _of_several(targets: NDArray[np.int64], scored: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The known pairs whose target has several of them."""
    return np.asarray(scored & (np.bincount(targets[scored], minlength=targets.max() + 1)[targets] > 1))


def _deviations(outcomes: Outcomes, name: str, scored: NDArray[np.bool_]) -> Floats:
    """Deviations of a column from the means of each target's known pairs, shape (pairs,); NaN for other pairs."""
    deviations = np.full(len(outcomes), np.nan)
    targets = outcomes.column("target").astype(np.int64)[scored]
    deviations[scored] = deviations_from_target(outcomes.column(name)[scored].astype(np.float64), targets)
    return deviations


def _algorithms(entries: Sequence[Entry], figure: Figure) -> list[Finding]:
    """GloVe against skip-gram, for every window and number of dimensions that both have."""
    glove = {(e.window, e.dimensions): e for e in entries if e.algorithm == "glove"}
    other = {(e.window, e.dimensions): e for e in entries if e.algorithm == "skip-gram"}
    both = sorted(set(glove) & set(other), key=str)
    if not both:
        here = "The board has no GloVe and skip-gram entries with the same window and number of dimensions."
        return [Finding(ALGORITHM + FIGURES[figure], SOURCE, here, "undecided")]
    lines = []
    for setting in both:
        where = f"window {setting[0]}, {setting[1]} dimensions"
        claim = f"GloVe correlates more strongly with reaction times than skip-gram ({where}).{FIGURES[figure]}"
        here, verdict = _compared(glove[setting], other[setting], figure)
        lines.append(Finding(claim, SOURCE, here, verdict, trainings=1))
    return lines


def _compared(first: Entry, second: Entry, figure: Figure) -> tuple[str, Verdict]:
    differences, right, wrong = [], 0, 0
    for condition, title in CONDITIONS.items():
        compared = _difference(first, second, condition, figure)
        if compared is None:
            continue
        differences.append(
            f"{title} {number(compared.first, 3)} against {number(compared.second, 3)} (p {chance(compared.p)})"
        )
        right += compared.p <= LEVEL and compared.first > compared.second
        wrong += compared.p <= LEVEL and compared.first < compared.second
    if not differences:
        return "Neither was measured on reaction times.", "undecided"
    differences[0] = differences[0][:1].upper() + differences[0][1:]
    here = f"{'; '.join(differences)}, on the pairs that both cover ({TESTS[figure]})."
    return here, by_count(right, wrong, len(differences))


def _lexical(entries: Sequence[Entry], figure: Figure) -> Finding:
    pairs = [("priming-ldt-200", "priming-nt-200"), ("priming-ldt-1200", "priming-nt-1200")]
    claim = "Lexical decision times correlate more strongly with the vectors than naming times."
    return _larger(entries, claim, figure, pairs)


def _soon(entries: Sequence[Entry], figure: Figure) -> Finding:
    pairs = [("priming-ldt-200", "priming-ldt-1200"), ("priming-nt-200", "priming-nt-1200")]
    claim = "Reaction times 200 ms after the prime correlate more strongly with the vectors than those after 1,200 ms."
    return _larger(entries, claim, figure, pairs)


def _larger(entries: Sequence[Entry], claim: str, figure: Figure, pairs: Sequence[tuple[str, str]]) -> Finding:
    """A claim about conditions: the mean difference over the entries without controls, which share people and words.

    Every entry is measured on the same reaction times, so that counting entries would count these times as often.
    """
    differences, right, wrong, measured = [], 0, 0, 0
    for conditions in pairs:
        sides = [
            (first, second)
            for first, second in (
                [_outcomes(entry, name) for name in conditions] for entry in entries if not entry.is_floor
            )
            if first is not None and second is not None
        ]
        if not sides:
            continue
        apart = condition_difference(sides, figure)
        titles = " − ".join(CONDITIONS[name] for name in conditions)
        differences.append(
            f"{titles} {number(apart.difference, 3)} ({between(apart.interval, 3)}, p {chance(apart.p)})"
        )
        right += apart.p <= LEVEL and apart.difference > 0
        wrong += apart.p <= LEVEL and apart.difference < 0
        measured = max(measured, len(sides))
    if not differences:
        return Finding(claim + FIGURES[figure], SOURCE, "No entry has been measured on both.", "undecided")
    here = f"Mean difference of the correlations over {measured} entries: {'; '.join(differences)}."
    return Finding(claim + FIGURES[figure], SOURCE, here, by_count(right, wrong, len(differences)))


def condition_difference(sides: Sequence[tuple[Outcomes, Outcomes]], figure: Figure) -> Difference:
    """Mean over entries of the score in one condition minus that in another, with the dyadic standard error.

    Parameters
    ----------
    sides : each entry's outcomes in both conditions, of the same pairs.
    """
    units = units_of(sides[0][0])
    firsts, seconds = zip(*sides, strict=True)
    (first, of_first), (second, of_second) = (
        _mean_score(of_entries, figure, units) for of_entries in (firsts, seconds)
    )
    errors, freedom = units.errors((of_first - of_second)[None])
    return difference_with_error(first, second, float(errors[0]), float(freedom[0]))


def _mean_score(of_entries: Sequence[Outcomes], figure: Figure, units: SharedUnits) -> tuple[float, Floats]:
    """Mean score of several entries in a condition, and the effects of the pairs, shape (pairs,)."""
    scores, values = [], []
    for outcomes in of_entries:
        scored = np.isfinite(outcomes.column("predicted")) & np.isfinite(outcomes.column("gold"))
        predicted, gold = (np.where(scored, outcomes.column(name), np.nan) for name in ("predicted", "gold"))
        if figure == "within targets":
            scored = _of_several(outcomes.column("target").astype(np.int64), scored)
            predicted, gold = (_deviations(outcomes, name, scored) for name in ("predicted", "gold"))
        score = spearman(predicted[scored], gold[scored])
        if score is not None:
            scores.append(score)
            values.append(
                dispersion_of_correlations(dense_order(predicted)[None], dense_order(gold), units).tests[0].values[0]
            )
    return float(np.mean(scores)), np.mean(values, axis=0)
