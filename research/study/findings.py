"""Which findings of Rodriguez & Spirling (2019) hold on this data, from the study's results only.

A finding is a claim about several comparisons, each of two numbers in the tables. It *holds* if all of them
agree with it, *holds in part* where more than half do, *does not hold* where half or fewer do, and *undecided so far*
if none of its settings has been run. The comparisons are counted in the sentence, and the rows of
``tables.md`` on which it rests are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from research.pages import put, table
from research.study.store import (
    ALGORITHMS,
    LOCAL,
    REFERENCE,
    Cell,
    Numbers,
    Pair,
    Results,
    Setting,
    average,
    criterion,
    settings,
    stable,
)
from tasks.cli.tables import number
from tasks.local_training.plan import Algorithm
from tasks.political.subgroups import difference

SIMILAR, STABLE = 0.5, 0.85
"""The paper's thresholds for high correlations: between settings (§6.2), and between runs (§6.3)."""
NAMES = {"glove": "GloVe", "skip-gram": "skip-gram"}


@dataclass(frozen=True)
class Comparison:
    """One comparison behind a claim: its numbers, and whether it agrees with the claim."""

    text: str
    agrees: bool


@dataclass(frozen=True)
class Finding:
    """A claim of the paper with its comparisons."""

    claim: str
    section: str
    rows: str
    comparisons: tuple[Comparison, ...]

    @property
    def verdict(self) -> str:
        agree, of = sum(c.agrees for c in self.comparisons), len(self.comparisons)
        if of == 0:
            return "Undecided so far"
        if agree == of:
            return "Holds"
        return "Holds in part" if 2 * agree > of else "Does not hold"

    @property
    def sentence(self) -> str:
        """The count, and every comparison if there are few; otherwise the first for and the first against."""
        if not self.comparisons:
            return "The settings that it compares have not been run."
        agree, of = sum(c.agrees for c in self.comparisons), len(self.comparisons)
        counted = f"{agree} of {of} comparisons agree" if of > 1 else ""
        if of <= 3:
            return ": ".join(part for part in (counted, "; ".join(c.text for c in self.comparisons)) if part) + "."
        example = [f", for example {c.text}" for c in self.comparisons if c.agrees][:1]
        against = [f"; a counterexample is {c.text}" for c in self.comparisons if not c.agrees][:1]
        return f"{counted}{''.join(example + against)}."


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
        (f"{found.claim} ({found.section})", f"**{found.verdict}.** {found.sentence}", found.rows)
        for found in findings(numbers)
    ]
    return [
        f"{len(numbers.cells)} of {len(settings())} settings have been run. Written by `python -m research study` from "
        "the [tables](study/tables.md).",
        "",
        *table(("finding of the paper", "here", "rests on the rows"), rows, words=3),
    ]


def findings(numbers: Numbers) -> list[Finding]:
    """Every claim, in the paper's order."""
    return [*_technical(numbers), *_between_settings(numbers), *_stability(numbers), *_algorithms(numbers)]


def _technical(numbers: Numbers) -> Iterator[Finding]:
    rows = "`sotu-*`, loss"
    found = _steps(numbers, ALGORITHMS, "dimensions", _loss, falls=True, digits=4)
    yield Finding("More dimensions fit better", "§6.1", rows, tuple(found))
    yield Finding("… with decreasing returns", "§6.1", rows, tuple(_decreasing(numbers)))
    found = _steps(numbers, ALGORITHMS, "window", _loss, falls=True, digits=4)
    yield Finding("Larger windows fit better", "§6.1", rows, tuple(found))
    for by, claim in (("dimensions", "More dimensions take longer"), ("window", "Larger windows take longer")):
        found = _steps(numbers, ALGORITHMS, by, lambda cell: criterion(cell, "processor_minutes"), digits=2)
        yield Finding(claim, "§6.1", "`sotu-*`, processor minutes", tuple(found))


def _between_settings(numbers: Numbers) -> Iterator[Finding]:
    rows = "figure 2, GloVe, random cues"
    pairs = list(combinations([setting for setting, _ in numbers.done(LOCAL, "glove")], 2))
    means = {pair: mean for pair in pairs if (mean := numbers.mean(*pair, "random")) is not None}
    above = (Comparison(f"{a.label} and {b.label} {number(m, 2)}", m > SIMILAR) for (a, b), m in means.items())
    yield Finding("All local settings correlate above 0.5", "§6.2", rows, tuple(above))
    same = [mean for (a, b), mean in means.items() if a.plan.window == b.plan.window]
    other = [mean for (a, b), mean in means.items() if a.plan.window != b.plan.window]
    text = f"{number(average(same), 3)} within a window, {number(average(other), 3)} between windows, on average"
    alike = (Comparison(text, average(same) > average(other)),) if same and other else ()
    yield Finding("Settings of one window are more alike than others", "§6.2", rows, alike)
    yield Finding("Wider windows are more alike than narrow ones", "§6.2", rows, tuple(_wider(numbers)))
    political = {pair: mean for pair in means if (mean := numbers.mean(*pair, "political")) is not None}
    larger = (
        Comparison(f"{a.label} and {b.label} {number(mean, 3)} against {number(means[a, b], 3)}", mean > means[a, b])
        for (a, b), mean in political.items()
    )
    claim = "Correlations are larger around political cues than around random ones"
    yield Finding(claim, "§6.2", "figure 2, GloVe, both sets of cues", tuple(larger))
    yield from _with_reference(numbers)


def _with_reference(numbers: Numbers) -> Iterator[Finding]:
    """Local GloVe settings compared with the reference corpus's largest."""
    rows = "the pairs with `wiki-corpus-glove-*`"
    largest = numbers.done(REFERENCE, "glove")[-1:]
    pairs = [(setting, reference) for setting, _ in numbers.done(LOCAL, "glove") for reference, _ in largest]
    known = [(a, mean) for a, b in pairs if (mean := numbers.mean(a, b, "political")) is not None]
    above = (Comparison(f"{a.label} {number(mean, 2)}", mean > SIMILAR) for a, mean in known)
    yield Finding("Vectors trained elsewhere correlate above 0.5 around political cues", "§6.2", rows, tuple(above))
    found = _window_steps(numbers, pairs, lambda pair: pair["political"].get("mean"))
    yield Finding("… and more with larger windows", "§6.2", rows, tuple(found))
    found = _window_steps(numbers, pairs, lambda pair: pair["political"]["jaccard"].get("10"))
    yield Finding("They share more neighbours with larger windows", "app. B", rows, tuple(found))


def _stability(numbers: Numbers) -> Iterator[Finding]:
    rows = "`sotu-glove-*`, stability"
    for cues in ("random", "political"):
        known = [(s, mean) for s, cell in numbers.done(LOCAL, "glove") if (mean := stable(cell, cues)) is not None]
        above = (Comparison(f"{s.label} {number(mean, 3)}", mean > STABLE) for s, mean in known)
        yield Finding(f"Runs of one setting agree above 0.85, {cues} cues", "§6.3", rows, tuple(above))
    found = list(_steps(numbers, ("glove",), "window", lambda cell: stable(cell, "random"), digits=3))
    yield Finding("Larger windows are steadier", "§6.3", rows, tuple(found))
    flip = [Comparison(c.text, not c.agrees) for c in found if "300 dimensions" in c.text]
    yield Finding("… but above 100 dimensions less steady, on this corpus", "§6.3, note 26", rows, tuple(flip))


def _algorithms(numbers: Numbers) -> Iterator[Finding]:
    rows = "the pairs of `sotu-glove-*` and `sotu-skip-gram-*`"
    sides = [[setting for setting, _ in numbers.done(LOCAL, algorithm)] for algorithm in ALGORITHMS]
    pairs = [(a, b) for a in sides[0] for b in sides[1] if a.label == b.label]
    known = [(a, mean) for a, b in pairs if (mean := numbers.mean(a, b, "political")) is not None]
    below = (Comparison(f"{a.label} {number(mean, 2)}", mean < SIMILAR) for a, mean in known)
    claim = "GloVe and skip-gram of the same settings are not alike (below 0.5, political cues)"
    yield Finding(claim, "§8", rows, tuple(below))
    found = _window_steps(numbers, pairs, lambda pair: pair["political"].get("mean"))
    yield Finding("… and more alike with larger windows", "§8", rows, tuple(found))
    rows = "`sotu-*`, distance from people"
    claim = "Small windows with few dimensions are to be avoided"
    yield Finding(claim, "§9", rows, tuple(_distance(numbers)))


def _distance(numbers: Numbers) -> Iterator[Comparison]:
    """The smallest setting against the largest that has been run: agrees if it is clearly farther from people.

    Both use the same cues, some of them hard for all vectors, so the difference is taken per cue.
    """
    for algorithm in ALGORITHMS:
        done = numbers.done(LOCAL, algorithm)
        small = [item for item in done if item[0].label == "1-50"]
        large = [item for item in done if item[0].plan.window > 1 and item[0].plan.dimensions > 50]
        if not small or not large:
            continue
        (near, one), (far, other) = ((setting.label, cell["human"]) for setting, cell in (small[0], large[-1]))
        cues = [cue for cue in one["cues"] if one["cues"][cue] and other["cues"].get(cue)]
        values = np.array([one["cues"][cue]["full"] - other["cues"][cue]["full"] for cue in cues], dtype=np.float64)
        if not len(values):
            continue
        apart = difference(near, far, values)
        text = " and ".join(f"{number(d['full']['mean'], 2)} at {label}" for label, d in ((near, one), (far, other)))
        text += f", {number(apart.mean, 2)} apart over {apart.cues} cues (Wilcoxon's p = {number(apart.p, 3)})"
        yield Comparison(f"{NAMES[algorithm]} {text}", apart.mean > 0 and apart.p is not None and apart.p <= 0.05)


def _loss(cell: Cell) -> float | None:
    return criterion(cell, "loss")


def _steps(
    numbers: Numbers,
    algorithms: Iterable[Algorithm],
    by: str,
    figure: Callable[[Cell], float | None],
    *,
    falls: bool = False,
    digits: int,
) -> Iterator[Comparison]:
    """Every two neighbouring local settings that differ in their window, or dimensions, only."""
    fixed, named = ("dimensions", "{} dimensions") if by == "window" else ("window", "window {}")
    for algorithm in algorithms:
        found = [(setting.plan, figure(cell)) for setting, cell in numbers.done(LOCAL, algorithm)]
        for level in sorted({getattr(plan, fixed) for plan, _ in found}):
            own = [(getattr(plan, by), value) for plan, value in found if getattr(plan, fixed) == level]
            for (x, first), (y, second) in pairwise(sorted((at, value) for at, value in own if value is not None)):
                figures = f"{number(first, digits)} at {x}, {number(second, digits)} at {y}"
                text = f"{NAMES[algorithm]}, {named.format(level)}: {figures}"
                yield Comparison(text, second < first if falls else second > first)


def _decreasing(numbers: Numbers) -> Iterator[Comparison]:
    """Fall of the loss a dimension, in one step of dimensions and in the next."""
    for algorithm in ALGORITHMS:
        found = [(setting.plan, _loss(cell)) for setting, cell in numbers.done(LOCAL, algorithm)]
        for window in sorted({plan.window for plan, _ in found}):
            own = [(plan.dimensions, loss) for plan, loss in found if plan.window == window]
            known = sorted((size, loss) for size, loss in own if loss is not None)
            falls = [(y, (a - b) / (y - x)) for (x, a), (y, b) in pairwise(known)]
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
    numbers: Numbers, pairs: Sequence[tuple[Setting, Setting]], figure: Callable[[Pair], float | None]
) -> Iterator[Comparison]:
    """A number per pair, by neighbouring windows of the first setting, at equal dimensions of it."""
    found = [(a.plan, figure(pair)) for a, b in pairs if (pair := numbers.pair(a, b)) is not None]
    for size in sorted({plan.dimensions for plan, _ in found}):
        line = sorted((p.window, value) for p, value in found if p.dimensions == size and value is not None)
        for (x, first), (y, second) in pairwise(line):
            text = f"{size} dimensions: {number(first, 3)} at window {x}, {number(second, 3)} at {y}"
            yield Comparison(text, second > first)
