"""The figures of the report, from the outcomes of all splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.associations.measure.contexts import Floats, Ints
from extensions.sufficiency.measure.candidates import LOCAL, Outcome
from extensions.sufficiency.measure.decide import decide, overtaken_at, slope, tokens_to_decide
from extensions.sufficiency.measure.pairs import CuePairs
from extensions.sufficiency.measure.report import (
    CandidateUsed,
    CueFigures,
    CurvePoint,
    Decision,
    Estimate,
    PeopleFigures,
    SettingFigures,
)
from extensions.sufficiency.measure.splits import mean_over_splits


class Evidence:
    """Numbers of pairs by split, cue and group, those of several groups in parts; shape (n,) each, split by split."""

    def __init__(self, pairs: Iterable[CuePairs]) -> None:
        by_group = [split.by_group(np.ones(len(split.cues))) for split in pairs]
        self.splits = np.repeat(np.arange(len(by_group)), [len(cues) for cues, _, _ in by_group])
        self.cues, self.groups, self.counts = (np.concatenate(column) for column in zip(*by_group, strict=True))

    def estimate(self, sums: Floats, rows: Ints) -> Estimate:
        """Mean over splits of the mean over cues of a cue's mean over its pairs, with its interval.

        Parameters
        ----------
        sums : over the pairs of each row, of the first splits or all; shape (n,) or shorter.
        rows : those of the wanted cues, ascending.
        """
        rows = rows[: np.searchsorted(rows, len(sums))]
        splits, of_split = np.unique(self.splits[rows], return_inverse=True)
        groups, of_group = np.unique(self.groups[rows], return_inverse=True)
        cues = int(self.cues.max()) + 1
        of_cue = of_split * cues + self.cues[rows]
        totals = np.bincount(of_cue, self.counts[rows], minlength=len(splits) * cues)
        scale = 1 / totals[of_cue] / np.count_nonzero(totals.reshape(-1, cues), axis=1)[of_split]
        cell, shape = of_split * len(groups) + of_group, (len(splits), len(groups))
        by_split, weights = (
            np.bincount(cell, scale * values[rows], shape[0] * shape[1]).astype(np.float64).reshape(shape)
            for values in (sums, self.counts)
        )
        mean, interval = mean_over_splits(by_split, weights)
        return {"mean": mean, "interval": interval}


@dataclass(frozen=True)
class Figures:
    """Figures from areas under the curve.

    Parameters
    ----------
    evidence : what the sums of the outcomes are over.
    outcomes : by candidate and folds of the training (0 for pre-trained vectors), in the order of the splits.
    candidates : in the order of the report; those without outcomes say why.
    trained_on : tokens of 1, 2, … folds, on average over the splits.
    cues : random ones first, then the user's that aren't among these.
    random : number of random cues.
    """

    evidence: Evidence
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
                "auc": self.estimate(self.sums(candidate, folds)),
            }
            for folds in range(self.folds + 1)
            if (candidate, folds) in self.outcomes
        ]

    def decisions(self, tokens: int) -> list[Decision]:
        """Verdicts on all candidates that aren't local; ``tokens`` of the corpus."""
        made = []
        local = self.points(LOCAL)
        for candidate in self.candidates:
            measured = self.points(candidate["id"])
            if candidate["kind"] == "local" or not measured:
                continue
            sums = self.sums(candidate["id"], self._folds_of(candidate["id"]))
            difference = self.estimate(sums - self.sums(LOCAL, self.folds))
            needed = tokens_to_decide(difference, slope(measured) - slope(local), tokens)
            made.append(decide(candidate, measured[-1]["auc"], local[-1]["auc"], difference, needed))
        return made

    def overtakes(self) -> dict[str, int | None]:
        """Tokens of training at which the local vectors overtake each pre-trained set."""
        local = self.points(LOCAL)
        named = [candidate["id"] for candidate in self.candidates if candidate["kind"] == "pre-trained"]
        return {name: overtaken_at(local, self.points(name)[-1]["auc"]["mean"]) for name in named}

    def settings(self) -> list[SettingFigures]:
        """Windows and dimensions, over the splits that all of them have."""
        named = [candidate["id"] for candidate in self.candidates if candidate["kind"] == "local"]
        if len(named) < 2:
            return []
        areas = {name: self.sums(name, self.folds) for name in named}
        fewest = min(len(sums) for sums in areas.values())
        figures: list[SettingFigures] = []
        for name in named:
            apart = self.estimate(areas[name][:fewest] - areas[LOCAL][:fewest])
            figures.append(
                {
                    "candidate": name,
                    "tokens": self.trained_on[-1],
                    "auc": self.estimate(areas[name][:fewest]),
                    "difference": {"mean": 0.0, "interval": None} if name == LOCAL else apart,
                }
            )
        return figures

    def cue_figures(self, own_cues: Sequence[str], occurrences: Mapping[str, int]) -> list[CueFigures]:
        """Areas and differences of every cue; ``own`` are the user's."""
        sums = {name: self.sums(name, self._folds_of(name)) for name in self._compared if self._has(name)}
        local, estimate = sums[LOCAL], self.evidence.estimate
        order = np.argsort(self.evidence.cues, kind="stable")
        ends = np.searchsorted(self.evidence.cues[order], np.arange(1, len(self.cues)))
        figures: list[CueFigures] = []
        for cue, rows in zip(self.cues, np.split(order, ends), strict=True):
            measured = sums if len(rows) else {}
            figures.append(
                {
                    "cue": cue,
                    "is_own": cue in own_cues,
                    "occurrences": occurrences[cue],
                    "auc": {name: estimate(of_name, rows)["mean"] for name, of_name in measured.items()},
                    "difference": {
                        name: estimate(of_name - local, rows) for name, of_name in measured.items() if name != LOCAL
                    },
                }
            )
        return figures

    def people(self, titles: Sequence[str]) -> list[PeopleFigures]:
        """Agreement with lists of people's words; lists without a word of the corpus are left out."""
        named = [name for name in self._compared if self._has(name)]
        figures: list[PeopleFigures] = []
        for i, title in enumerate(titles):
            areas = {
                name: np.array([outcome.people[i] for outcome in self.outcomes[name, self._folds_of(name)]])
                for name in named
            }
            scored = np.isfinite(areas[LOCAL][0])
            if scored.any():
                means = {name: float(values[:, scored].mean()) for name, values in areas.items()}
                figures.append({"title": title, "cues": int(np.count_nonzero(scored)), "auc": means})
        return figures

    def estimate(self, sums: Floats) -> Estimate:
        """Over the random cues."""
        return self.evidence.estimate(sums, self._of_random_cues)

    def sums(self, candidate: str, folds: int) -> Floats:
        """Of all splits, by cue and group; shape (rows of the evidence,), or fewer."""
        return np.concatenate([outcome.sums for outcome in self.outcomes[candidate, folds]])

    @cached_property
    def _of_random_cues(self) -> Ints:
        return np.flatnonzero(self.evidence.cues < self.random)

    @property
    def _compared(self) -> list[str]:
        """Candidates without the local ones of other windows and dimensions."""
        return [used["id"] for used in self.candidates if used["kind"] != "local" or used["id"] == LOCAL]

    def _has(self, candidate: str) -> bool:
        return (candidate, self._folds_of(candidate)) in self.outcomes

    def _folds_of(self, candidate: str) -> int:
        return 0 if (candidate, 0) in self.outcomes else self.folds
