"""Rodriguez & Spirling (2019), §3.1: small windows catch syntax, large ones topics, all else equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from plots.layouts import Row
from research.board.entries import Entry, estimates_by_name
from research.findings.finding import Finding, Section, Verdict, between, by_count, number
from research.worked import rows_chart
from tasks.metrics import metric_named
from tasks.results import CellResult, Interval, Mode, Outcomes, cell_key
from tasks.secondary import AnalogyFigures
from tasks.statistics.correlations import correlation_difference
from tasks.statistics.effects import FigureEstimate, effects_of
from tasks.statistics.intervals import LEVEL
from tasks.statistics.uncertainty import Estimates
from tasks.suite import Suite

SYNTAX, TOPIC = "syntactic", "semantic"
KINDS: dict[str, str] = {
    "pos": SYNTAX,
    "chunk": SYNTAX,
    "analogy-msr": SYNTAX,
    "ner": TOPIC,
    "sentiment": TOPIC,
    "questions": TOPIC,
    "sentence-inference": TOPIC,
    "sim-ws-353-rel": TOPIC,
    "sim-men-tr-3k": TOPIC,
    "20ng": TOPIC,
}
"""Nayak et al. 2016, §4, for the downstream tasks; relatedness and newsgroups are topical."""
ANALOGIES = "analogy-google"
SEMANTIC_CATEGORIES = 5
NORMAL = 1.959963984540054
SOURCE = "Rodriguez & Spirling 2019, §3.1"


@dataclass(frozen=True)
class Measure:
    """One score in a window's profile.

    Parameters
    ----------
    estimate : the score with its effects; None for a correlation.
    """

    title: str
    kind: str
    score: float
    outcomes: Outcomes
    estimate: FigureEstimate | None


@dataclass(frozen=True)
class Change:
    """Gain of the widest window over the narrowest: points, and whether it is clear (95 %)."""

    difference: float
    interval: Interval | None
    clear: bool


def windows(entries: Sequence[Entry], suite: Suite) -> Section:
    """The widest window against the narrowest, of the algorithm with the most windows at one number of dimensions."""
    chosen = by_window(entries)
    title = "Does the window decide between syntax and topic?"
    if len(chosen) < 2:
        finding = Finding(CLAIMS[SYNTAX], SOURCE, "There are not two windows to compare.", "undecided")
        return Section(title, (finding,))
    narrow, wide = chosen[0], chosen[-1]
    estimates = estimates_by_name(entries, suite)
    first, last = (
        {measure.title: measure for measure in measures(entry, suite, estimates[entry.name])}
        for entry in (narrow, wide)
    )
    changes = {name: change(first[name], last[name]) for name in first if name in last}
    caption = (
        f"{narrow.name.split(',')[0]}, {narrow.dimensions} dimensions; change: window {wide.window} minus window "
        f"{narrow.window}, paired over examples."
    )
    findings = tuple(_finding(kind, first, changes, narrow, wide) for kind in (SYNTAX, TOPIC))
    drawn = []
    for name, of_score in changes.items():
        points, interval = 100 * of_score.difference, _points(of_score.interval)
        drawn.append(Row(name, f"{number(points, 1, sign=True)} ({between(interval, 1)})", points, interval))
    chart = rows_chart("findings", f"Window {wide.window} minus window {narrow.window}, points", caption, drawn)
    return Section(title, findings, chart=chart)


CLAIMS = {
    SYNTAX: "Small windows catch syntactic relations: the narrow window has higher syntactic scores.",
    TOPIC: "Larger windows catch topical relations: the wide window has higher semantic scores.",
}


def by_window(entries: Sequence[Entry]) -> list[Entry]:
    """Entries that differ in their window only, narrow to wide: the largest such family."""
    families: dict[tuple[str, int], dict[int, Entry]] = {}
    for entry in entries:
        if entry.window is not None and not entry.is_floor:
            families.setdefault((entry.algorithm, entry.dimensions), {})[entry.window] = entry
    most = max(families.values(), key=len, default={})
    return [most[window] for window in sorted(most)]


def _finding(kind: str, first: dict[str, Measure], changes: dict[str, Change], narrow: Entry, wide: Entry) -> Finding:
    of_kind = {name: change for name, change in changes.items() if first[name].kind == kind}
    gained = [name for name, change in of_kind.items() if change.clear and change.difference > 0]
    lost = [name for name, change in of_kind.items() if change.clear and change.difference < 0]
    right, wrong = (lost, gained) if kind == SYNTAX else (gained, lost)
    here = (
        f"Of {len(of_kind)} {kind} scores, window {wide.window} is clearly better than window {narrow.window} on "
        f"{_named(gained)} and clearly worse on {_named(lost)}; the others cannot be told apart."
    )
    verdict: Verdict = by_count(len(right), len(wrong), len(of_kind)) if of_kind else "undecided"
    return Finding(CLAIMS[kind], SOURCE, here, verdict, trainings=1)


def _named(names: Sequence[str]) -> str:
    return f"{len(names)} ({', '.join(names)})" if names else "none"


def _points(interval: Interval | None) -> Interval | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])


def measures(entry: Entry, suite: Suite, estimates: Estimates) -> Iterator[Measure]:
    """The scores of one entry with stored outcomes, in the suite's order; analogies by their two groups."""
    for task in suite.tasks:
        modes: tuple[Mode | None, ...] = ("fixed",) if task.extrinsic else (None,)
        for mode in modes:
            result = entry.result(task.id, mode)
            if result is None or result.outcomes is None:
                continue
            if task.id == ANALOGIES:
                yield from _analogies(result, result.outcomes)
            elif task.id in KINDS:
                title = f"{task.title}, fixed" if mode else task.title
                estimate = estimates.scores.get(cell_key(task.id, mode))
                yield Measure(title, KINDS[task.id], result.score, result.outcomes, estimate)


def _analogies(result: CellResult, outcomes: Outcomes) -> Iterator[Measure]:
    """Questions are ordered by category, and the first five categories are semantic (docs/protocol.md §4.2)."""
    figures = result.figures(AnalogyFigures)
    counts = [category["questions"] for category in figures["categories"].values()]
    border = [*accumulate(counts)][min(SEMANTIC_CATEGORIES, len(counts)) - 1]
    metric = metric_named(result.metric)
    parts = ((TOPIC, figures["semantic"], slice(border, None)), (SYNTAX, figures["syntactic"], slice(border)))
    for kind, score, others in parts:
        if score is not None:
            values = outcomes.values.copy()
            values[others, [outcomes.columns.index(name) for name in metric.columns]] = 0.0
            part = replace(outcomes, values=values)
            estimate = FigureEstimate(score, effects_of(metric, part, result.task))
            yield Measure(f"Google analogies, {kind}", kind, score, part, estimate)


def change(first: Measure, second: Measure) -> Change:
    """Second minus first: by their effects if there are any, else by the test of correlations with people."""
    if first.estimate is not None and second.estimate is not None:
        test = second.estimate.against(first.estimate)
        return Change(test.difference, test.interval, test.p <= LEVEL)
    compared = correlation_difference(second.outcomes, first.outcomes)
    if compared is None:
        return Change(second.score - first.score, None, False)
    difference = compared.first - compared.second
    if compared.t == 0 or not np.isfinite(compared.t):
        return Change(difference, None, False)
    error = abs(difference / compared.t)
    return Change(difference, (difference - NORMAL * error, difference + NORMAL * error), compared.p <= LEVEL)
