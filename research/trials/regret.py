"""The rule that chooses a task's training setting: minimax regret over several sets of vectors (docs/protocol.md §2.5).

The regret of a setting with a set of vectors is the best dev score of that set with any setting, minus its dev score
with this one (Savage 1951). One setting is used for every entry, so none should lose much by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research.trials.grid import Setting, Trial
from tasks.results import Mode

LARGEST = 0.01
"""The most that a set of vectors may lose: one point."""
LEAST_SETS = 5
"""With fewer sets of vectors nothing is chosen."""
_NEAR = 0.02
"""One seed's dev scores may be off by about a point, so cheap settings within two points are tried again."""
_CHEAPEST = _SMALLEST = 2


@dataclass(frozen=True)
class Standing:
    """A setting's trials and regrets by set of vectors."""

    setting: Setting
    trials: Mapping[str, Trial]
    regrets: Mapping[str, float]

    @property
    def largest(self) -> float:
        """Its largest regret over the sets."""
        return max(self.regrets.values())

    @property
    def seconds(self) -> float:
        """Processor seconds a seed, over all sets."""
        return sum(trial.seconds for trial in self.trials.values())


def standings(trials: Sequence[Trial], task: str, mode: Mode, sets: Sequence[str], seeds: int) -> list[Standing]:
    """Settings tried with every set and this many seeds, smallest largest regret first."""
    tried: dict[Setting, dict[str, Trial]] = {}
    for trial in trials:
        if (trial.task, trial.mode, trial.seeds) == (task, mode, seeds):
            tried.setdefault(trial.setting, {})[trial.vectors] = trial
    whole = {setting: by_set for setting, by_set in tried.items() if by_set.keys() >= set(sets)}
    best = {name: max((by_set[name].dev for by_set in whole.values()), default=0.0) for name in sets}
    rows = [
        Standing(
            setting,
            {name: by_set[name] for name in sets},
            {name: best[name] - by_set[name].dev for name in sets},
        )
        for setting, by_set in whole.items()
    ]
    return sorted(rows, key=lambda row: row.largest)


def choose(rows: Sequence[Standing]) -> Standing:
    """The cheapest setting with which no set loses more than a point; if there is none, that with the least loss."""
    allowed = [row for row in rows if row.largest <= LARGEST]
    return min(allowed, key=lambda row: row.seconds) if allowed else min(rows, key=lambda row: row.largest)


def finalists(rows: Sequence[Standing]) -> list[Setting]:
    """The settings to try again with all seeds, of those tried with one.

    The best of each set, the two with the smallest largest regret, and the two cheapest of those not far from it.
    """
    best = [max(rows, key=lambda row: row.trials[name].dev) for name in rows[0].trials]
    near = sorted((row for row in rows if row.largest <= _NEAR), key=lambda row: row.seconds)
    return list(dict.fromkeys(row.setting for row in (*best, *rows[:_SMALLEST], *near[:_CHEAPEST])))
