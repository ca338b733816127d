"""Tsvetkov et al. (2015), tables 3 to 5: does an intrinsic score predict how vectors perform in practice?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from extensions.practice.measure.columns import (
    LEAST,
    ColumnCorrelations,
    Floats,
    associate,
    entries_in_words,
    predictors_difference,
)
from research.board.entries import Entry
from research.findings.finding import Finding, Section, Verdict, between, by_count, by_interval, number
from tasks.results import Interval
from tasks.statistics.intervals import LEVEL, holm

Figure = Callable[[Entry], float | None]
WORDS = {
    "sim-ws-353-all": "WordSim-353",
    "sim-men-tr-3k": "MEN",
    "sim-simlex-999": "SimLex-999",
}
QVEC = "qvec-en"
"""It depends on the number of dimensions: compared only at equal dimensions (docs/protocol.md §4.3)."""
PROBES = {"20ng": "20 Newsgroups", "metaphor": "Metaphor", "senti": "Senti"}
POORLY = 0.5
TSVETKOV = "Tsvetkov et al. 2015"


@dataclass(frozen=True)
class Group:
    """A sample of entries, with their scores by column, shape (entries,); NaN: no score."""

    title: str
    one_dimension: bool
    algorithms: tuple[str, ...]
    intrinsic: Mapping[str, Floats]
    practice: Mapping[str, Floats]

    @property
    def size(self) -> int:
        return len(self.algorithms)

    def correlations(self, score: str, target: str) -> ColumnCorrelations:
        """Of an intrinsic column with one of practice."""
        return associate(self.intrinsic[score], self.practice[target], self.algorithms)


def groups(entries: Sequence[Entry]) -> list[Group]:
    """The entries without controls, and those of each number of dimensions with enough of them."""
    real = [entry for entry in entries if not entry.is_floor]
    both = [_group("without controls", False, real)]
    for dimensions in sorted({entry.dimensions for entry in real}):
        same = [entry for entry in real if entry.dimensions == dimensions]
        if len(same) >= LEAST:
            both.append(_group(f"{dimensions} dimensions, without controls", True, same))
    return both


def _group(title: str, one_dimension: bool, entries: Sequence[Entry]) -> Group:
    tasks = (*WORDS, QVEC) if one_dimension else tuple(WORDS)
    practice = {title: _column(entries, _score(task)) for task, title in PROBES.items()}
    practice["Mean, fixed"] = _column(entries, lambda entry: entry.mean("fixed"))
    practice["Mean, fine-tuned"] = _column(entries, lambda entry: entry.mean("fine_tuned"))
    intrinsic = {task: _column(entries, _score(task)) for task in tasks}
    algorithms = tuple(entry.algorithm for entry in entries)
    return Group(title, one_dimension, algorithms, _with_values(intrinsic), _with_values(practice))


def _score(task: str) -> Figure:
    return lambda entry: entry.score(task)


def _column(entries: Sequence[Entry], figure: Figure) -> Floats:
    return np.array([np.nan if (value := figure(entry)) is None else value for entry in entries], dtype=np.float64)


def _with_values(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name: values for name, values in columns.items() if np.isfinite(values).any()}


def practice(entries: Sequence[Entry]) -> Section:
    """Correlations over entries, each with its interval, and the verdicts on the paper's claims."""
    every_group = groups(entries)
    note = (
        "Correlations over entries. Those of one algorithm are alike, so intervals and tests count the [effective "
        "number of entries](protocol.md#87-which-intrinsic-score-predicts-practice). What all entries share, above all "
        "one text, isn't counted, so this says little beyond these entries."
    )
    findings = (*(_qvec(group) for group in every_group if group.one_dimension), *_similarity(every_group[0]))
    findings += tuple(_against_similarity(group) for group in every_group if group.one_dimension)
    return Section("Which word score predicts practice?", findings, note)


def _qvec(group: Group) -> Finding:
    """Tables 2 and 3: QVEC correlates with the probes."""
    claim = f"QVEC correlates with scores of text classification, r from 0.34 to 0.89 ({group.title})."
    source = f"{TSVETKOV}, abstract and tables 2 and 3"
    probes = [title for title in PROBES.values() if title in group.practice]
    if QVEC not in group.intrinsic or not probes:
        return Finding(claim, source, "The entries have no such scores.", "undecided")
    correlated = {title: group.correlations(QVEC, title) for title in probes}
    correlations = "; ".join(f"{title} {number(r.pearson)} ({between(r.interval)})" for title, r in correlated.items())
    intervals = [r.interval for r in correlated.values()]
    return Finding(
        claim,
        source,
        f"r with {correlations}; {entries_in_words([*correlated.values()], group.size)}.",
        _count(intervals, 0.0),
    )


def _similarity(group: Group) -> list[Finding]:
    """Word similarity and analogies against the mean error reductions."""
    rows = []
    for mode in ("Mean, fixed", "Mean, fine-tuned"):
        claim = f"Scores of word similarity often correlate poorly with practice (here: r below 0.5; {mode.lower()})."
        source = f"{TSVETKOV}, abstract; Schnabel et al. 2015, by Nayak et al. 2016, §2"
        tasks = [task for task in WORDS if task in group.intrinsic]
        if mode not in group.practice or not tasks:
            rows.append(Finding(claim, source, "The entries have no such scores.", "undecided"))
            continue
        all_found = {task: group.correlations(task, mode) for task in tasks}
        correlations = "; ".join(
            f"{WORDS[task]} {number(pair.pearson)} ({between(pair.interval)})" for task, pair in all_found.items()
        )
        mirrored = [
            None if pair.interval is None else (-pair.interval[1], -pair.interval[0]) for pair in all_found.values()
        ]
        rows.append(
            Finding(
                claim,
                source,
                f"r with {correlations}; {entries_in_words([*all_found.values()], group.size)}, {group.title}.",
                _count(mirrored, -POORLY),
            )
        )
    return rows


def _against_similarity(group: Group) -> Finding:
    """Table 4: QVEC's correlations against those of word similarity, by Williams' test over the entries."""
    claim = f"QVEC correlates more strongly with text classification than word similarity does ({group.title})."
    source = f"{TSVETKOV}, table 4"
    p_values: list[float] = []
    better: list[bool] = []
    for title in (title for title in PROBES.values() if title in group.practice):
        for task in (task for task in WORDS if task in group.intrinsic and QVEC in group.intrinsic):
            target, qvec, other = group.practice[title], group.intrinsic[QVEC], group.intrinsic[task]
            difference = predictors_difference(target, qvec, other, group.algorithms)
            if difference is not None:
                better.append(bool(difference[0] > 0))
                p_values.append(float(difference[1]))
    if not p_values:
        return Finding(claim, source, "The entries have no such scores.", "undecided")
    clear = [p <= LEVEL for p in holm(p_values)]
    right = sum(is_clear and is_better for is_clear, is_better in zip(clear, better, strict=True))
    wrong = sum(clear) - right
    here = (
        f"QVEC's correlation is the larger one in {sum(better)} of {len(p_values)} comparisons (three probes, three "
        f"similarity sets); clearly larger in {right}, clearly smaller in {wrong} (Williams' test, Holm, "
        f"5 %; {group.size} entries)."
    )
    return Finding(claim, source, here, by_count(right, wrong, len(p_values)))


def _count(intervals: Sequence[Interval | None], nothing: float) -> Verdict:
    verdicts = [by_interval(interval, nothing) for interval in intervals]
    return by_count(verdicts.count("holds"), verdicts.count("does not hold"), len(verdicts))
