"""The figures of the report, from the outcomes of all splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tasks.associations.contexts import Floats
from tasks.sufficiency.candidates import LOCAL, Outcome
from tasks.sufficiency.decide import decide, estimate, overtaken_at, slope, tokens_to_decide
from tasks.sufficiency.report import (
    CandidateUsed,
    CueFigures,
    CurvePoint,
    Decision,
    Estimate,
    PeopleFigures,
    SettingFigures,
)

LEAST_SHARE_OF_SPLITS = 0.75
"""A cue has an interval only with pairs in this share of the splits: the groups of one fold are tested in a quarter of
them, each time the same texts."""


@dataclass(frozen=True)
class Figures:
    """Figures from areas under the curve.

    Parameters
    ----------
    outcomes : by candidate and folds of the training (0 for pre-trained vectors), in the order of the splits.
    candidates : in the order of the report; those without outcomes say why.
    trained_on : tokens of 1, 2, … folds, on average over the splits.
    cues : random ones first, then the user's that aren't among these.
    random : number of random cues.
    """

    outcomes: Mapping[tuple[str, int], Sequence[Outcome]]
    candidates: Sequence[CandidateUsed]
    trained_on: Sequence[int]
    cues: Sequence[str]
    random: int

    @property
    def folds(self) -> int:
        """Folds that vectors are trained on where they are compared: all but the tested one."""
        return len(self.trained_on)

    def curve(self) -> list[CurvePoint]:
        """Every candidate's points, without those of other windows and dimensions."""
        return [point for name in self._compared for point in self.points(name)]

    def points(self, candidate: str) -> list[CurvePoint]:
        """A candidate's learning curve."""
        sizes = [0, *self.trained_on]
        return [
            {
                "candidate": candidate,
                "tokens": sizes[folds],
                "auc": estimate(self.by_split(candidate, folds), 1 / (folds or self.folds)),
            }
            for folds in range(self.folds + 1)
            if (candidate, folds) in self.outcomes
        ]

    def decisions(self, tokens: int) -> list[Decision]:
        """Verdicts on all candidates that aren't local; ``tokens`` of the corpus."""
        found = []
        local = self.points(LOCAL)
        for candidate in self.candidates:
            own = self.points(candidate["id"])
            if candidate["kind"] == "local" or not own:
                continue
            difference = self.difference(candidate["id"])
            needed = tokens_to_decide(difference, slope(own) - slope(local), tokens)
            found.append(decide(candidate, own[-1]["auc"]["mean"], local[-1]["auc"]["mean"], difference, needed))
        return found

    def overtakes(self) -> dict[str, int | None]:
        """Tokens of training at which the local vectors overtake each pre-trained set."""
        local = self.points(LOCAL)
        named = [one["id"] for one in self.candidates if one["kind"] == "pre-trained"]
        return {name: overtaken_at(local, self.points(name)[-1]["auc"]["mean"]) for name in named}

    def settings(self) -> list[SettingFigures]:
        """Windows and dimensions, over the splits that all of them have."""
        named = [one["id"] for one in self.candidates if one["kind"] == "local"]
        if len(named) < 2:
            return []
        splits = min(len(self.outcomes[name, self.folds]) for name in named)
        areas = {name: self.by_split(name, self.folds)[:splits] for name in named}
        found: list[SettingFigures] = []
        for name in named:
            apart = estimate(areas[name] - areas[LOCAL], 1 / self.folds)
            found.append(
                {
                    "candidate": name,
                    "tokens": self.trained_on[-1],
                    "auc": estimate(areas[name], 1 / self.folds),
                    "difference": {"mean": 0.0, "interval": None} if name == LOCAL else apart,
                }
            )
        return found

    def cue_figures(self, own: Sequence[str], occurrences: Mapping[str, int]) -> list[CueFigures]:
        """Areas and differences of every cue; ``own`` are the user's."""
        compared = [name for name in self._compared if name != LOCAL and self._has(name)]
        found: list[CueFigures] = []
        for i, cue in enumerate(self.cues):
            areas = {name: self.areas(name, self._folds_of(name))[:, i] for name in (*compared, LOCAL)}
            has_pairs = np.isfinite(areas[LOCAL])
            differences = {name: (areas[name] - areas[LOCAL])[has_pairs] for name in compared}
            found.append(
                {
                    "cue": cue,
                    "is_own": cue in own,
                    "occurrences": occurrences[cue],
                    "auc": {name: float(values[has_pairs].mean()) for name, values in areas.items()}
                    if has_pairs.any()
                    else {},
                    "difference": {
                        name: self._of_cue(values, len(has_pairs))
                        for name, values in differences.items()
                        if len(values)
                    },
                }
            )
        return found

    def _of_cue(self, differences: Floats, splits: int) -> Estimate:
        found = estimate(differences, 1 / self.folds)
        if len(differences) < LEAST_SHARE_OF_SPLITS * splits:
            found["interval"] = None
        return found

    def people(self, titles: Sequence[str]) -> list[PeopleFigures]:
        """Agreement with lists of people's words; lists without a word of the corpus are left out."""
        named = [name for name in self._compared if self._has(name)]
        found: list[PeopleFigures] = []
        for i, title in enumerate(titles):
            areas = {
                name: np.array([outcome.people[i] for outcome in self.outcomes[name, self._folds_of(name)]])
                for name in named
            }
            known = np.isfinite(areas[LOCAL][0])
            if known.any():
                means = {name: float(values[:, known].mean()) for name, values in areas.items()}
                found.append({"title": title, "cues": int(np.count_nonzero(known)), "auc": means})
        return found

    def difference(self, candidate: str) -> Estimate:
        """Candidate − local after training on all but the tested fold, over the splits."""
        apart = self.by_split(candidate, self._folds_of(candidate)) - self.by_split(LOCAL, self.folds)
        return estimate(apart, 1 / self.folds)

    def by_split(self, candidate: str, folds: int) -> Floats:
        """Mean over the random cues that have pairs, shape (splits,)."""
        return np.asarray(np.nanmean(self.areas(candidate, folds)[:, : self.random], axis=1))

    def areas(self, candidate: str, folds: int) -> Floats:
        """Shape (splits, cues); NaN for a cue without pairs in a split."""
        return np.array([outcome.areas for outcome in self.outcomes[candidate, folds]])

    @property
    def _compared(self) -> list[str]:
        """Candidates without the local ones of other windows and dimensions."""
        return [one["id"] for one in self.candidates if one["kind"] != "local" or one["id"] == LOCAL]

    def _has(self, candidate: str) -> bool:
        return (candidate, self._folds_of(candidate)) in self.outcomes

    def _folds_of(self, candidate: str) -> int:
        return 0 if (candidate, 0) in self.outcomes else self.folds
