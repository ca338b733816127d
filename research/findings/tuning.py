"""Nayak et al. (2016), §7.3: fine-tuned vectors are an initialisation; what was different becomes alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from research.board.entries import Entry
from research.findings.finding import Finding, Section, by_count, chance, number, table
from research.findings.scales import figures, score
from tasks.metrics.correlation import pearson
from tasks.results import MODES, Mode
from tasks.statistics.intervals import LEVEL
from tasks.suite import Suite

SOURCE = "Nayak et al. 2016, §7.3"
CLAIM = "Fine-tuning shrinks the differences between embeddings."


def pitman_morgan(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Two-sided p of equal variances of paired figures: is their sum correlated with their difference? (Pitman 1939)

    None below four pairs, or where the sums or the differences are all equal.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    r = pearson(a + b, a - b) if len(a) >= 4 else None
    if r is None or abs(r) >= 1:
        return None if r is None else 0.0
    t = r * math.sqrt((len(a) - 2) / (1 - r * r))
    return float(2 * stdtr(len(a) - 2, -abs(t)))


def tuning(entries: Sequence[Entry], suite: Suite) -> Section:
    """Standard deviations of each task's scores over entries, fixed and fine-tuned, and the distance from controls."""
    title = "Does fine-tuning shrink differences?"
    real = [entry for entry in entries if not entry.is_floor]
    tasks = [task for task, _ in suite.cells_of_mean(["fine-tuned"])]
    fixed, tuned = (figures(real, [(task, mode) for task in tasks], score) for mode in MODES)
    if len(fixed) < 4 or fixed.shape != tuned.shape:
        here = f"{len(fixed)} entries have all {len(tasks)} tasks in both modes; it takes four."
        return Section(title, (Finding(CLAIM, SOURCE, here, "undecided"),), "")
    ratios, rows, clear = [], [], []
    for i, task in enumerate(tasks):
        before, after = (float(values[:, i].std(ddof=1)) for values in (fixed, tuned))
        p = pitman_morgan(fixed[:, i].tolist(), tuned[:, i].tolist())
        ratios.append(after / before if before > 0 else math.inf)
        clear.append(p is not None and p <= LEVEL)
        gaps = (_gap(entries, task.id, mode) for mode in MODES)
        shown = (number(100 * before), number(100 * after), number(ratios[-1]), chance(p))
        rows.append((task.title, *shown, *(number(gap, 1, sign=True) for gap in gaps)))
    shrunk = [is_clear and ratio < 1 for is_clear, ratio in zip(clear, ratios, strict=True)]
    grown = [is_clear and ratio > 1 for is_clear, ratio in zip(clear, ratios, strict=True)]
    here = (
        f"The standard deviation over {len(fixed)} entries is smaller when fine-tuned in {sum(r < 1 for r in ratios)} "
        f"of {len(ratios)} tasks, by a median factor of {number(float(np.median(ratios)))}; clearly smaller in "
        f"{sum(shrunk)}, clearly larger in {sum(grown)} (Pitman and Morgan's test of paired variances, 5 %)."
    )
    head = ("Task", "sd fixed, points", "sd fine-tuned", "ratio", "p", "best control behind, fixed", "fine-tuned")
    caption = (
        "Spread of scores over the entries, excluding random and shuffled controls, and how many points the best "
        "control is behind the median of the others."
    )
    verdict = by_count(sum(shrunk), sum(grown), len(ratios))
    return Section(title, (Finding(CLAIM, SOURCE, here, verdict),), table(head, rows, caption))


def _gap(entries: Sequence[Entry], task: str, mode: Mode) -> float | None:
    """Points from the best control to the median of the others."""
    scores = {floor: [e.score(task, mode) for e in entries if e.is_floor is floor] for floor in (True, False)}
    floors, others = ([value for value in scores[side] if value is not None] for side in (True, False))
    return 100 * (float(np.median(others)) - max(floors)) if floors and others else None
