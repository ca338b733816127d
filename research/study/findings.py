"""Which findings of Rodriguez & Spirling (2019) hold on this data, from the study's results only.

A finding is a claim about several comparisons, each of two numbers of the results. A comparison agrees, contradicts, or
is undecided: within its 95 % interval, where the results have one. The claim *holds* if all agree, *holds in part* if
more than half do, and *does not hold* if more than half contradict it; otherwise it is *mixed* if more than half are
decided, and *undecided* if not. A claim from which the source exempts this corpus is *exempt* instead of contradicted.
The sentence counts the comparisons, or quotes the only one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from extensions.associations.measure.subgroups import difference
from research.pages import put, table
from research.study.store import (
    ALGORITHMS,
    LOCAL,
    PUBLISHED,
    SEPARATED,
    Cell,
    Numbers,
    Pair,
    Published,
    Results,
    Setting,
    average,
    settings,
)
from tasks.cli.tables import number
from tasks.results import Interval
from tasks.statistics.intervals import LEVEL, mean_interval

SIMILAR, STABLE = 0.5, 0.85
"""The paper's thresholds for high correlations: between settings (§6.2), and between runs (§6.3)."""
FEW = 100
"""Dimensions up to which larger windows are steadier on this corpus (note 26)."""
NAMES = {"glove": "GloVe", "skip-gram": "skip-gram"}


@dataclass(frozen=True)
class Comparison:
    """One comparison behind a claim: its numbers, and whether it agrees with the claim; None if that is undecided."""

    text: str
    agrees: bool | None


@dataclass(frozen=True)
class Finding:
    """A claim of the paper with its comparisons.

    Parameters
    ----------
    exempt : where the paper exempts this corpus from the claim.
    """

    claim: str
    section: str
    comparisons: tuple[Comparison, ...]
    exempt: str = ""

    def count(self, agrees: bool | None) -> int:
        return sum(comparison.agrees is agrees for comparison in self.comparisons)

    @property
    def verdict(self) -> str:
        agree, against, of = self.count(True), self.count(False), len(self.comparisons)
        if agree == of > 0:
            return "Holds"
        if 2 * agree > of:
            return "Holds in part"
        if 2 * against > of:
            return "Exempt" if self.exempt else "Does not hold"
        return "Mixed" if 2 * (agree + against) > of else "Undecided"

    @property
    def sentence(self) -> str:
        """The count, or the only comparison."""
        if not self.comparisons:
            return "The settings that it compares have not been run."
        of, undecided = len(self.comparisons), self.count(None)
        counted = f"{self.count(True)} of {of} comparisons agree" if of > 1 else ""
        counted += f", {undecided} {'are' if undecided > 1 else 'is'} undecided" if of > 1 and undecided else ""
        exempt = f" The paper exempts this corpus ({self.exempt})." if self.exempt else ""
        return f"{counted or self.comparisons[0].text}.{exempt}"


def is_above(interval: Interval | None, value: float) -> bool | None:
    """Whether an interval is above a value (True) or below it (False); None if it contains the value."""
    if interval is None or interval[0] <= value <= interval[1]:
        return None
    return interval[0] > value


def is_higher(first: Interval | None, second: Interval | None) -> bool | None:
    """Whether the second interval is above the first (True) or below it (False); None if they touch."""
    if first is None or second is None or (first[0] <= second[1] and second[0] <= first[1]):
        return None
    return second[0] > first[1]


def write_findings(results: Results, page: Path) -> Path | None:
    """Write the findings between their markers in a page; None if the page or its markers are missing."""
    if not page.is_file():
        return None
    try:
        put("study", "\n".join(markdown(results)), page)
    except ValueError:
        return None
    return page


def markdown(results: Results) -> list[str]:
    """The settings run, and a table of the findings."""
    numbers = Numbers(results)
    rows = [
        (f"{finding.claim} ({finding.section})", f"**{finding.verdict}.** {finding.sentence}")
        for finding in findings(numbers)
    ]
    missing = results.missing()
    outside = f" Outside the grid, these are missing: {', '.join(missing)}." if missing else ""
    return [
        f"{len(numbers.cells)} of {len(settings())} settings have been run.{outside}",
        "",
        *table(("finding of the paper", "here"), rows, words=2),
    ]


def findings(numbers: Numbers) -> list[Finding]:
    """Every claim, in the paper's order."""
    return [
        *_technical(numbers),
        *_between_settings(numbers),
        *_with_published(numbers),
        *_stability(numbers),
        *_people(numbers),
        *_algorithms(numbers),
        *_separability(numbers),
        *_parties(numbers),
    ]


def _technical(numbers: Numbers) -> Iterator[Finding]:
    steps = _steps(numbers, "dimensions", "loss", falls=True, digits=4)
    yield Finding("More dimensions fit better", "§6.1", tuple(steps))
    yield Finding("… with decreasing returns", "§6.1", tuple(_decreasing(numbers)))
    steps = _steps(numbers, "window", "loss", falls=True, digits=4)
    yield Finding("Larger windows fit better", "§6.1", tuple(steps), "§7")
    for by, claim in (("dimensions", "More dimensions take longer"), ("window", "Larger windows take longer")):
        steps = _steps(numbers, by, "processor_minutes", falls=False, digits=2)
        yield Finding(claim, "§6.1", tuple(steps))


def _between_settings(numbers: Numbers) -> Iterator[Finding]:
    pairs = list(combinations([setting for setting, _ in numbers.done(LOCAL, "glove")], 2))
    compared = {pair: both for pair in pairs if (both := numbers.pair(*pair)) is not None}
    above = (_above(f"{a.label} and {b.label}", both["random"], SIMILAR) for (a, b), both in compared.items())
    yield Finding("All local settings correlate above 0.5", "§6.2", tuple(above))
    same = [both["random"]["mean"] for (a, b), both in compared.items() if a.plan.window == b.plan.window]
    other = [both["random"]["mean"] for (a, b), both in compared.items() if a.plan.window != b.plan.window]
    text = f"{number(average(same), 3)} within a window, {number(average(other), 3)} between windows, on average"
    alike = (Comparison(text, average(same) > average(other)),) if same and other else ()
    yield Finding("Settings of one window are more alike than others", "§6.2", alike)
    yield Finding("Wider windows are more alike than narrow ones", "§6.2", tuple(_wider(numbers)))
    claim = "Correlations are larger around political cues than around random ones"
    larger = (_political(f"{a.label} and {b.label}", both) for (a, b), both in compared.items())
    yield Finding(claim, "§6.2", tuple(larger))


def _above(name: str, figures: Pair, threshold: float) -> Comparison:
    """A mean over cues against a threshold."""
    interval = mean_interval(figures["mean"], figures["se"], figures["n"])
    return Comparison(f"{name} {number(figures['mean'], 2)}", is_above(interval, threshold))


def _political(name: str, both: Pair) -> Comparison:
    """Mean over the political cues against that over the random ones, with as many degrees of freedom as the fewer."""
    political, random = both["political"], both["random"]
    error = math.hypot(political["se"], random["se"])
    interval = mean_interval(political["mean"] - random["mean"], error, min(political["n"], random["n"]))
    return Comparison(
        f"{name} {number(political['mean'], 3)} against {number(random['mean'], 3)}", is_above(interval, 0)
    )


def _with_published(numbers: Numbers) -> Iterator[Finding]:
    """Local GloVe settings compared with the published vectors."""
    pairs = [(setting, PUBLISHED) for setting, _ in numbers.done(LOCAL, "glove")]
    compared = {setting: pair for setting, published in pairs if (pair := numbers.pair(setting, published)) is not None}
    above = (_above(setting.label, pair["political"], SIMILAR) for setting, pair in compared.items())
    claim = "Published vectors correlate above 0.5 with local ones around political cues"
    yield Finding(claim, "§6.2", tuple(above), "note 35")
    larger = (_political(setting.label, pair) for setting, pair in compared.items())
    yield Finding("… more than around random ones", "§6.2", tuple(larger))
    steps = _window_steps(numbers, pairs, lambda pair: pair["political"].get("mean"))
    yield Finding("… and more with larger windows", "§6.2", tuple(steps))
    steps = _window_steps(numbers, pairs, lambda pair: pair["political"]["jaccard"].get("10"))
    yield Finding("They share more neighbours with larger windows", "app. B", tuple(steps))


def _stability(numbers: Numbers) -> Iterator[Finding]:
    for cues in ("random", "political"):
        measured = [(s, figures) for s, cell in numbers.done(LOCAL, "glove") if (figures := cell["stability"][cues])]
        above = (
            Comparison(f"{s.label} {number(figures['mean'], 3)}", is_above(figures["interval"], STABLE))
            for s, figures in measured
        )
        yield Finding(f"Runs of one setting agree above 0.85, {cues} cues", "§6.3", tuple(above))
    few = tuple(_steadier(numbers, lambda dimensions: dimensions <= FEW))
    yield Finding("Up to 100 dimensions, larger windows are steadier", "§6.3, note 26", few)
    many = (
        Comparison(c.text, None if c.agrees is None else not c.agrees)
        for c in _steadier(numbers, lambda dimensions: dimensions > FEW)
    )
    yield Finding("… and above less steady, on this corpus", "§6.3, note 26", tuple(many))
    by_setting = [
        [
            (setting.label, stats)
            for setting, cell in numbers.done(LOCAL, name)
            if (stats := cell["stability"]["random"])
        ]
        for name in ("skip-gram", "glove")
    ]
    others = dict(by_setting[0])
    both = (
        Comparison(
            f"{label} {number(stats['mean'], 3)} against {number(others[label]['mean'], 3)}",
            is_higher(others[label]["interval"], stats["interval"]),
        )
        for label, stats in by_setting[1]
        if label in others
    )
    yield Finding("GloVe is steadier than skip-gram", "§3.4", tuple(both))


def _steadier(numbers: Numbers, is_included: Callable[[int], bool]) -> Iterator[Comparison]:
    """Neighbouring windows of equal dimensions: whether the intervals over random cues are apart."""
    done = [(s.plan, stats) for s, cell in numbers.done(LOCAL, "glove") if (stats := cell["stability"]["random"])]
    for size in sorted({plan.dimensions for plan, _ in done if is_included(plan.dimensions)}):
        line = [(plan.window, stats) for plan, stats in done if plan.dimensions == size]
        for (x, first), (y, second) in pairwise(line):
            text = f"{size} dimensions: {number(first['mean'], 3)} at {x}, {number(second['mean'], 3)} at {y}"
            yield Comparison(text, is_higher(first["interval"], second["interval"]))


def _people(numbers: Numbers) -> Iterator[Finding]:
    """§6.6 and §9, by the distance relative to a random order's, which does not depend on the vocabulary."""
    for by, claim in (("dimensions", "More dimensions are nearer to people"), ("window", "… and larger windows are")):
        pairs = (pair for algorithm in ALGORITHMS for pair in _neighbouring(numbers.done(LOCAL, algorithm), by))
        yield Finding(claim, "§6.6", tuple(comparison for pair in pairs for comparison in _nearer(*pair)))
    smallest: list[Comparison] = []
    for algorithm in ALGORITHMS:
        done = numbers.done(LOCAL, algorithm)
        small = [item for item in done if item[0].label == "1-50"]
        large = [item for item in done if item[0].plan.window > 1 and item[0].plan.dimensions > 50]
        if small and large:
            smallest += _nearer(small[0], large[-1])
    claim = "Small windows with few dimensions are to be avoided"
    yield Finding(claim, "§9", tuple(smallest), "§9")


def _nearer(first: tuple[Setting, Cell], second: tuple[Setting, Cell]) -> Iterator[Comparison]:
    """Whether the second setting is nearer to people than the first, at 5 %.

    Both use the same cues, some of them hard for all vectors, so the difference is taken per cue.
    """
    before, after = (
        {cue: d["relative"] for cue, d in cell["human"]["cues"].items() if d and d["relative"]}
        for _, cell in (first, second)
    )
    values = np.array([before[cue] - after[cue] for cue in before if cue in after], dtype=np.float64)
    if not len(values):
        return
    setting = second[0]
    apart = difference(first[0].label, setting.label, values)
    means = ((s.label, cell["human"]["relative"]) for s, cell in (first, second))
    text = " and ".join(f"{number(d['mean'], 2)} ± {number(d['se'], 2)} at {label}" for label, d in means)
    text += f" over {apart.cues} cues (Wilcoxon's p = {number(apart.p, 3)})"
    is_clear = apart.p is not None and apart.p <= LEVEL
    yield Comparison(f"{NAMES[setting.plan.algorithm]} {text}", apart.mean > 0 if is_clear else None)


def _algorithms(numbers: Numbers) -> Iterator[Finding]:
    sides = [[setting for setting, _ in numbers.done(LOCAL, algorithm)] for algorithm in ALGORITHMS]
    pairs = [(a, b) for a in sides[0] for b in sides[1] if a.label == b.label]
    compared = [(a, pair["political"]) for a, b in pairs if (pair := numbers.pair(a, b)) is not None]
    above = [(a, _above(a.label, political, SIMILAR)) for a, political in compared]
    below = (Comparison(c.text, None if c.agrees is None else not c.agrees) for _, c in above)
    claim = "GloVe and skip-gram of the same settings are not alike (below 0.5, political cues)"
    yield Finding(claim, "§8", tuple(below))
    steps = _window_steps(numbers, pairs, lambda pair: pair["political"].get("mean"))
    yield Finding("… and more alike with larger windows", "§8", tuple(steps))


def _separability(numbers: Numbers) -> Iterator[Finding]:
    """Neighbouring settings of figure 11; their intervals must be apart."""
    separated = [(plan, numbers.separability[plan.name]) for plan in SEPARATED if plan.name in numbers.separability]
    for by, fixed, level, claim, rises in (
        ("window", "dimensions", 50, "Larger windows separate words better", True),
        ("dimensions", "window", 6, "More dimensions separate them less well", False),
    ):
        line = sorted((getattr(plan, by), figures) for plan, figures in separated if getattr(plan, fixed) == level)
        comparisons = []
        for (x, first), (y, second) in pairwise(line):
            higher = is_higher(first["interval"], second["interval"])
            text = f"{number(first['difference'], 3)} at {x}, {number(second['difference'], 3)} at {y}"
            comparisons.append(Comparison(text, None if higher is None else higher is rises))
        yield Finding(claim, "app. C", tuple(comparisons))


def _parties(numbers: Numbers) -> Iterator[Finding]:
    """No significant difference between the parties agrees with the claim."""
    comparisons = []
    for cues, figures in numbers.parties.items():
        apart, means = figures["difference"], figures["groups"]
        text = ", ".join(f"{party} {number(summary['mean'], 3)}" for party, summary in means.items())
        low, high = apart["interval"]
        text = f"{cues} cues: {text}, difference {number(apart['mean'], 3)} ({number(low, 3)} to {number(high, 3)})"
        comparisons.append(Comparison(text, is_above((low, high), 0) is None))
    claim = "Published vectors are not significantly nearer to one party"
    yield Finding(claim, "app. D", tuple(comparisons))


def _neighbouring(
    done: Sequence[tuple[Setting, Cell]], by: str
) -> Iterator[tuple[tuple[Setting, Cell], tuple[Setting, Cell]]]:
    """Every two neighbouring settings of one algorithm that differ in their window, or dimensions, only."""
    fixed = "dimensions" if by == "window" else "window"
    for level in sorted({getattr(setting.plan, fixed) for setting, _ in done}):
        line = [item for item in done if getattr(item[0].plan, fixed) == level]
        yield from pairwise(sorted(line, key=lambda item: getattr(item[0].plan, by)))


def _steps(numbers: Numbers, by: str, name: str, *, falls: bool, digits: int) -> Iterator[Comparison]:
    """A criterion of every two neighbouring local settings."""
    for algorithm in ALGORITHMS:
        for (a, earlier), (b, later) in _neighbouring(numbers.done(LOCAL, algorithm), by):
            first, second = earlier[name], later[name]
            if first is None or second is None:
                continue
            same = f"{a.plan.dimensions} dimensions" if by == "window" else f"window {a.plan.window}"
            x, y = getattr(a.plan, by), getattr(b.plan, by)
            text = f"{NAMES[algorithm]}, {same}: {number(first, digits)} at {x}, {number(second, digits)} at {y}"
            yield Comparison(text, second < first if falls else second > first)


def _decreasing(numbers: Numbers) -> Iterator[Comparison]:
    """Fall of the loss a dimension, in one step of dimensions and in the next."""
    for algorithm in ALGORITHMS:
        fits = [(setting.plan, cell["loss"]) for setting, cell in numbers.done(LOCAL, algorithm)]
        for window in sorted({plan.window for plan, _ in fits}):
            of_window = [(plan.dimensions, loss) for plan, loss in fits if plan.window == window]
            losses = sorted((size, loss) for size, loss in of_window if loss is not None)
            falls = [(y, (a - b) / (y - x)) for (x, a), (y, b) in pairwise(losses)]
            for (x, first), (y, second) in pairwise(falls):
                text = f"{NAMES[algorithm]}, window {window}: {first:.1e} a dimension up to {x}, {second:.1e} up to {y}"
                yield Comparison(text, second < first)


def _wider(numbers: Numbers) -> Iterator[Comparison]:
    """Of three neighbouring windows of equal dimensions: the upper two against the lower two."""
    done = [setting for setting, _ in numbers.done(LOCAL, "glove")]
    for size in sorted({s.plan.dimensions for s in done}):
        line = [s for s in done if s.plan.dimensions == size]
        for a, b, c in zip(line, line[1:], line[2:], strict=False):
            low, high = numbers.mean(a, b, "random"), numbers.mean(b, c, "random")
            if low is not None and high is not None:
                text = f"{size} dimensions: {number(low, 3)} between {a.plan.window} and {b.plan.window}, "
                text += f"{number(high, 3)} between {b.plan.window} and {c.plan.window}"
                yield Comparison(text, high > low)


def _window_steps(
    numbers: Numbers, pairs: Sequence[tuple[Setting, Setting | Published]], figure: Callable[[Pair], float | None]
) -> Iterator[Comparison]:
    """A number per pair, by neighbouring windows of the first setting, at equal dimensions of it."""
    figures = [(a.plan, figure(pair)) for a, b in pairs if (pair := numbers.pair(a, b)) is not None]
    for size in sorted({plan.dimensions for plan, _ in figures}):
        line = sorted((p.window, value) for p, value in figures if p.dimensions == size and value is not None)
        for (x, first), (y, second) in pairwise(line):
            text = f"{size} dimensions: {number(first, 3)} at window {x}, {number(second, 3)} at {y}"
            yield Comparison(text, second > first)
