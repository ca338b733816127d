"""Nayak, Angeli & Manning (2016): relative error reductions are on comparable scales; fine-tuning shrinks differences.

Raw scores are not on comparable scales (§6 and figure 1). Fine-tuned vectors are an initialisation, so
differences between them shrink (§7.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from research.board.entries import Entry, estimates_by_name
from research.findings.finding import Finding, Section, between, by_count, by_interval, number
from tasks.base import Task
from tasks.metrics.correlation import pearson
from tasks.results import MODES, Interval, Mode, cell_key
from tasks.statistics.effects import mean_of
from tasks.statistics.intervals import LEVEL, percentile_interval
from tasks.statistics.ranks import Dispersion, ranks
from tasks.suite import Suite

RESAMPLES, SEED = 1_000, 0
SOURCE = "Nayak et al. 2016, §6 and figure 1"
Floats = NDArray[np.float64]
Figure = Callable[[Entry, str, Mode], float | None]
Cells = Sequence[tuple[Task, Mode]]


def score(entry: Entry, task: str, mode: Mode) -> float | None:
    return entry.score(task, mode)


def reduction(entry: Entry, task: str, mode: Mode) -> float | None:
    return entry.reduction(task, mode)


def figures(entries: Sequence[Entry], cells: Cells, figure: Figure) -> Floats:
    """Values of the entries that have all of these cells, shape (entries, cells)."""
    rows = [[figure(entry, task.id, mode) for task, mode in cells] for entry in entries]
    complete = [row for row in rows if None not in row]
    return np.array(complete, dtype=np.float64).reshape(len(complete), len(cells))


def unevenness(values: Floats) -> float:
    """Largest standard deviation of a task over entries, divided by the smallest; 1: all tasks are on one scale."""
    spread = values.std(axis=0, ddof=1)
    return float(spread.max() / spread.min()) if spread.min() > 0 else float("inf")


def gain(raw: Floats, reduced: Floats) -> tuple[float, Interval | None]:
    """Unevenness of raw scores divided by that of error reductions, with a 95 % interval: entries resampled."""
    generator = np.random.default_rng(SEED)
    drawn = generator.integers(0, len(raw), size=(RESAMPLES, len(raw)))
    with np.errstate(invalid="ignore"):
        resampled = np.array([unevenness(raw[rows]) / unevenness(reduced[rows]) for rows in drawn])
    return unevenness(raw) / unevenness(reduced), percentile_interval(resampled)


def scales(entries: Sequence[Entry], suite: Suite) -> Section:
    """Unevenness of the tasks over the trained entries, raw and reduced, and the pairs that the mean tells apart."""
    trained = [entry for entry in entries if not entry.is_floor]
    of_modes = [_scale(trained, suite.cells_of_mean([mode]), mode) for mode in MODES]
    return Section("Relative error reduction: one scale for all tasks?", (*of_modes, separation(entries, suite)))


def _scale(trained: Sequence[Entry], cells: Cells, mode: Mode) -> Finding:
    claim = f"Error reductions of tasks are on comparable scales, raw scores are not ({mode})."
    raw, reduced = (figures(trained, cells, figure) for figure in (score, reduction))
    if len(raw) < 4 or len(raw) != len(reduced):
        here = f"{len(raw)} entries have all {len(cells)} cells of the mean; at least four are needed."
        return Finding(claim, SOURCE, here, "undecided")
    ratio, interval = gain(raw, reduced)
    here = (
        f"Over {len(raw)} entries, the task with the largest standard deviation has {number(unevenness(raw), 1)} times "
        f"that of the task with the smallest in raw scores, and {number(unevenness(reduced), 1)} times in error "
        f"reductions: raw scores are {number(ratio)} times as uneven (95 %: {between(interval)})."
    )
    return Finding(claim, SOURCE, here, by_interval(interval, 1.0))


def separation(entries: Sequence[Entry], suite: Suite) -> Finding:
    """Numbers of pairs of entries told apart by the mean error reduction, and by the mean raw score."""
    claim = "A mean of error reductions tells embeddings apart."
    estimates = estimates_by_name(entries, suite)
    cells = [cell_key(task.id, mode) for task, mode in suite.cells_of_mean(MODES)]
    measured = [
        entry
        for entry in entries
        if entry.mean("overall") is not None
        and "overall" in estimates[entry.name].figures
        and set(cells) <= set(estimates[entry.name].scores)
    ]
    if len(measured) < 2:
        return Finding(claim, SOURCE, "Fewer than two entries have every cell of the means.", "undecided")
    means = np.array([entry.mean("overall") for entry in measured], dtype=np.float64)
    of_means = [estimates[entry.name].figures["overall"] for entry in measured]
    by_mean = ranks(means, Dispersion.of_estimates(of_means))
    raw = figures(measured, suite.cells_of_mean(MODES), score).mean(axis=1)
    of_raw = [mean_of([estimates[entry.name].scores[cell] for cell in cells]) for entry in measured]
    by_raw = ranks(raw, Dispersion.of_estimates(of_raw))
    pairs = len(measured) * (len(measured) - 1) // 2
    apart, apart_raw = int(by_mean.better.sum()), int(by_raw.better.sum())
    here = (
        f"Of {pairs} pairs of {len(measured)} entries the overall mean tells {apart} apart (test examples and training "
        f"seeds, Holm, 5 %); the mean of the raw scores tells {apart_raw} apart."
    )
    return Finding(claim, SOURCE, here, "holds" if 2 * apart > pairs else "does not hold")


TUNING_SOURCE = "Nayak et al. 2016, §7.3"
TUNING_CLAIM = "Fine-tuning shrinks the differences between embeddings."


def pitman_morgan(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Two-sided p of equal variances of paired values: is their sum correlated with their difference? (Pitman 1939)

    None below four pairs, or where the sums or the differences are all equal.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    r = pearson(a + b, a - b) if len(a) >= 4 else None
    if r is None or abs(r) >= 1:
        return None if r is None else 0.0
    t = r * math.sqrt((len(a) - 2) / (1 - r * r))
    return float(2 * stdtr(len(a) - 2, -abs(t)))


def tuning(entries: Sequence[Entry], suite: Suite) -> Section:
    """Standard deviations of each task's scores over entries, fixed and fine-tuned."""
    title = "Does fine-tuning shrink differences?"
    real = [entry for entry in entries if not entry.is_floor]
    tasks = [task for task, _ in suite.cells_of_mean(["fine-tuned"])]
    fixed, tuned = (figures(real, [(task, mode) for task in tasks], score) for mode in MODES)
    if len(fixed) < 4 or fixed.shape != tuned.shape:
        here = f"{len(fixed)} entries have all {len(tasks)} tasks in both modes; at least four are needed."
        return Section(title, (Finding(TUNING_CLAIM, TUNING_SOURCE, here, "undecided"),))
    ratios, clear = [], []
    for i in range(len(tasks)):
        before, after = (float(values[:, i].std(ddof=1)) for values in (fixed, tuned))
        p = pitman_morgan(fixed[:, i].tolist(), tuned[:, i].tolist())
        ratios.append(after / before if before > 0 else math.inf)
        clear.append(p is not None and p <= LEVEL)
    shrunk = [is_clear and ratio < 1 for is_clear, ratio in zip(clear, ratios, strict=True)]
    grown = [is_clear and ratio > 1 for is_clear, ratio in zip(clear, ratios, strict=True)]
    here = (
        f"The standard deviation over {len(fixed)} entries is smaller when fine-tuned in {sum(r < 1 for r in ratios)} "
        f"of {len(ratios)} tasks, by a median factor of {number(float(np.median(ratios)))}; clearly smaller in "
        f"{sum(shrunk)}, clearly larger in {sum(grown)} (Pitman and Morgan's test of paired variances, 5 %)."
    )
    verdict = by_count(sum(shrunk), sum(grown), len(ratios))
    return Section(title, (Finding(TUNING_CLAIM, TUNING_SOURCE, here, verdict),))
