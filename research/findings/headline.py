"""The one finding that a site's first page shows: the clearest effect of the window, if any is beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from research.board.entries import Entry, spreads_by_name
from research.findings.windows import by_window, change, measures
from tasks.results import Interval
from tasks.statistics.intervals import LEVEL
from tasks.suite import Suite


@dataclass(frozen=True)
class Effect:
    """What the widest window gains over the narrowest in one figure; the interval counts that one of many is chosen."""

    figure: str
    difference: float
    interval: Interval

    @property
    def clearness(self) -> float:
        """Half-widths of its interval from zero; above 1, the interval leaves zero out."""
        return abs(self.difference) / ((self.interval[1] - self.interval[0]) / 2)


def headline(entries: Sequence[Entry], suite: Suite) -> str:
    """A sentence, or nothing where no effect is clear."""
    chosen = by_window(entries)
    if len(chosen) < 2:
        return ""
    narrow, wide = chosen[0], chosen[-1]
    effects = effects_of(narrow, wide, [entry for entry in entries if entry.is_baseline], suite)
    best = max(effects, key=lambda effect: effect.clearness, default=None)
    if best is None or best.clearness <= 1:
        return ""
    better, worse = (wide, narrow) if best.difference > 0 else (narrow, wide)
    low, high = sorted(100 * abs(end) for end in best.interval)
    return (
        f"{narrow.name.split(',')[0]} with {narrow.dimensions} dimensions does {100 * abs(best.difference):.1f} points "
        f"better on “{best.figure}” with a window of {better.window} than with one of {worse.window} "
        f"(95 % interval {low:.1f} to {high:.1f}, corrected for the choice among {len(effects)} figures)."
    )


def effects_of(narrow: Entry, wide: Entry, baselines: Sequence[Entry], suite: Suite) -> list[Effect]:
    """Of every downstream figure that both have, with intervals corrected for their number (Bonferroni).

    Word tasks are left out: readers choose vectors for what they do with them.
    """
    downstream = {f"{task.title}, fixed" for task in suite.extrinsic_tasks}
    spreads = spreads_by_name([*baselines, narrow, wide], suite)
    first, second = ({found.title: found for found in measures(of, suite, spreads[of.name])} for of in (narrow, wide))
    changes = {title: change(first[title], second[title]) for title in first if title in second and title in downstream}
    known = {title: (found.difference, found.interval) for title, found in changes.items() if found.interval}
    wider = _quantile(LEVEL / max(1, len(known))) / _quantile(LEVEL)
    return [
        Effect(title, difference, (difference - half * wider, difference + half * wider))
        for title, (difference, (low, high)) in known.items()
        if (half := (high - low) / 2) > 0
    ]


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf(1 - level / 2)
