"""``python -m research raters``: the preference score and its interval, checked with simulated raters."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from extensions.people.measure.preference import adjusted_score, overlap, rater_interval, resampled_scores
from extensions.people.measure.triads import draw_pairs
from research import pages
from tasks.statistics.bootstrap import RESAMPLES, SEED

MOST_RATERS = 5_000
STUDIES = 40
"""Simulated studies per expected width."""
RATERS = 100
CUES = 10
LIST_LENGTH = 10
PREFERENCES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
OVERLAPS = (0, 3, 6)
RUNS_AT_ONCE = 100


@dataclass(frozen=True)
class Width:
    """Mean half-width of the 95 % interval in simulated studies with ``raters``: of the mean and of one cue."""

    raters: int
    mean: float
    cue: float


def interval_width(raters: int, p: float, overlaps: Sequence[float], spread: float = 0.0) -> Width:
    """Expected half-width of a study's intervals, by simulation.

    Parameters
    ----------
    raters : at least 2.
    p : expected share of triads won by the candidate.
    overlaps : probability of the same word from both lists, for each cue.
    spread : standard deviation of p between raters; 0 for equal tastes.
    """
    generator = np.random.default_rng([SEED, raters])
    o = np.asarray(overlaps, dtype=np.float64)
    shown = np.ones((raters, len(o)), dtype=np.int64)
    means, single = [], []
    for _ in range(STUDIES):
        tastes = _tastes(p, spread, raters, generator)
        won = (generator.random((raters, len(o))) < tastes[:, None]).astype(np.int64)
        resampled = resampled_scores(won, shown, o, resamples=400, seed=SEED)
        means.append(_half(rater_interval(resampled.mean(axis=1), raters)))
        single.append(np.mean([_half(rater_interval(resampled[:, c], raters)) for c in range(len(o))]))
    return Width(raters, float(np.mean(means)), float(np.mean(single)))


def _half(interval: tuple[float, float] | None) -> float:
    return (interval[1] - interval[0]) / 2 if interval else 0.0


def _tastes(p: float, spread: float, raters: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Each rater's p: a Beta distribution of this mean and standard deviation."""
    variance = min(spread**2, 0.99 * p * (1 - p))
    if variance <= 0:
        return np.full(raters, p)
    weight = p * (1 - p) / variance - 1
    return generator.beta(p * weight, (1 - p) * weight, size=raters)


def raters_needed(
    half_width: float, p: float, overlaps: Sequence[float], spread: float = 0.0, *, of_one_cue: bool = False
) -> Width | None:
    """The fewest raters with an expected half-width of at most ``half_width``; None for more than 5,000.

    Found by bisection, as the expected width falls with the number of raters. ``of_one_cue``: the half-width of a cue's
    interval instead of the interval of the mean over cues.
    """

    def half_width_of(width: Width) -> float:
        return width.cue if of_one_cue else width.mean

    low, high = 2, 4
    while half_width_of(best := interval_width(high, p, overlaps, spread)) > half_width:
        low, high = high, high * 2
        if high > MOST_RATERS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        width = interval_width(middle, p, overlaps, spread)
        if half_width_of(width) <= half_width:
            high, best = middle, width
        else:
            low = middle
    return best


@dataclass(frozen=True)
class SimulationCheck:
    """Bias and coverage for a known truth: ``p`` chance of the candidate, ``overlap`` shared words of ten."""

    p: float
    overlap: int
    truth: float
    bias: float
    coverage: float


def lists_sharing(shared: int) -> tuple[list[str], list[str]]:
    """Two lists of ten words with ``shared`` common words."""
    candidate = [f"word{n}" for n in range(LIST_LENGTH)]
    return candidate, candidate[LIST_LENGTH - shared :] + [f"other{n}" for n in range(LIST_LENGTH - shared)]


def truth_of_drawing(candidate: Sequence[str], baseline: Sequence[str], p: float) -> float:
    """The value that a study estimates, by enumerating all draws of one word from each list.

    Each of the N · N draws is equally likely; the candidate wins it with probability ``p``, or one half for the same
    word twice. This is the definition, without a formula for the overlap.
    """
    chances = [0.5 if first == second else p for first in candidate for second in baseline]
    return sum(chances) / len(chances) / 0.5


def check(p: float, shared: int, runs: int, seed: int = 0) -> SimulationCheck:
    """Bias and coverage over simulated studies of ten cues, with one triad per rater and cue.

    Parameters
    ----------
    p : probability that a rater prefers the candidate's word to a different one.
    shared : number of common words of the two lists of ten.
    runs : number of simulated studies.
    """
    candidate, baseline = lists_sharing(shared)
    truth = truth_of_drawing(candidate, baseline, p)
    o = overlap(candidate, baseline)
    generator = np.random.default_rng([seed, round(p * 1000), shared])
    error, covered = 0.0, 0
    for start in range(0, runs, RUNS_AT_ONCE):
        studies = [_answers(candidate, baseline, p, generator) for _ in range(min(RUNS_AT_ONCE, runs - start))]
        means, resampled = mean_scores(np.stack(studies), o)
        intervals = [rater_interval(column, RATERS) for column in resampled.T]
        error += float((means - truth).sum())
        covered += sum(low <= truth <= high for low, high in filter(None, intervals))
    return SimulationCheck(p, shared, truth, error / runs, covered / runs)


def mean_scores(won: NDArray[np.int64], overlap: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean scores of many studies, as by :func:`preference` for each, with every triad answered.

    Parameters
    ----------
    won : shape (studies, raters, cues).
    overlap : the same for every cue.

    Returns
    -------
    float64, shapes (studies,) and (resamples, studies)
        the mean over cues, and the same for every resample of the raters.
    """
    studies, raters, cues = won.shape
    columns = won.transpose(1, 0, 2).reshape(raters, studies * cues)
    overlaps = np.full(studies * cues, overlap)
    resampled = resampled_scores(columns, np.ones_like(columns), overlaps, RESAMPLES, SEED)
    means = adjusted_score(won.mean(axis=1), overlap).mean(axis=1)
    return means, resampled.reshape(RESAMPLES, studies, cues).mean(axis=2)


def _answers(
    candidate: Sequence[str], baseline: Sequence[str], p: float, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Triads drawn as in a session, then answered: 1 where the candidate's word was chosen; shape (raters, cues)."""
    drawn = draw_pairs(candidate, baseline, generator, RATERS * CUES)
    words = np.array(candidate)[drawn[:, 0]], np.array(baseline)[drawn[:, 1]]
    assert not (words[0] == words[1]).any()
    chosen = np.where(generator.random(RATERS * CUES) < p, words[0], words[1])
    won: NDArray[np.int64] = (chosen == words[0]).astype(np.int64).reshape(RATERS, CUES)
    return won


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "raters",
        help="simulate raters with known preferences",
        description="Simulated raters with known preferences answer triads that are drawn as in a study. Prints bias "
        "and coverage of the 95 %% interval.",
    )
    parser.add_argument("--runs", type=int, default=1000, help="studies to simulate per row (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulation (default: %(default)s)")
    parser.add_argument("--half-width", type=float, help="print how many raters an interval of ± this needs instead")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the table of checks, or of needed raters."""
    with threadpool_limits(1):  # the matrices are too small for threads
        if parsed.half_width is not None:
            print(plan(parsed.half_width))
            return
        checks = [check(p, shared, max(1, parsed.runs), parsed.seed) for shared in OVERLAPS for p in PREFERENCES]
    rows = [
        (
            f"{each.p:.1f}", f"{each.overlap} of {LIST_LENGTH}", f"{each.truth:.3f}", f"{each.bias:+.4f}",
            f"{each.coverage * 100:.1f} %",
        )
        for each in checks
    ]  # fmt: skip
    print(*pages.table(("p", "words shared", "truth", "bias", "coverage of the 95 % interval"), rows), sep="\n")


def plan(half_width: float) -> str:
    """Needed raters as by the planner of result pages, for lists that share three of ten words."""
    overlaps = [overlap(*lists_sharing(3))] * CUES
    rows = []
    for spread in (0.0, 0.1, 0.2):
        needed = [raters_needed(half_width, 0.5, overlaps, spread, of_one_cue=of_one) for of_one in (False, True)]
        numbers = [str(width.raters) if width else "over 5,000" for width in needed]
        rows.append((f"spread {spread:g}" if spread else "alike", *numbers))
    return "\n".join(pages.table(("raters' tastes", "mean over cues", "a single cue"), rows))
