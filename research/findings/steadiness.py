"""Rodriguez & Spirling (2019), §6.3: how alike are runs of one setting? From the study's cells in docs/study/."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from research.findings.finding import BLANK, Finding, Section, Verdict, by_count, counted, number, table
from research.study.store import LOCAL, settings

CELLS = Path(__file__).resolve().parents[2] / "docs" / "study" / "cells"
SOURCE = "Rodriguez & Spirling 2019, §6.3"
HIGH = 0.85


@dataclass(frozen=True)
class Steady:
    """Stability of one setting: mean Pearson correlation of its runs, over random and political cues."""

    corpus: str
    algorithm: str
    window: int
    dimensions: int
    runs: int
    random: float
    random_interval: tuple[float, float]
    political: float | None


def read_cells(directory: Path = CELLS) -> list[Steady]:
    """The settings that have been run, in the grid's order."""
    found = []
    for setting in settings():
        path = directory / f"{setting.id}.json"
        if path.is_file():
            cell: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            random, political = cell["stability"]["random"], cell["stability"]["political"]
            if random is not None:
                plan = setting.plan
                low, high = random["interval"]
                found.append(
                    Steady(
                        setting.corpus, plan.algorithm, plan.window, plan.dimensions, len(cell["runs"]),
                        random["mean"], (low, high), political["mean"] if political else None,
                    )
                )  # fmt: skip
    return sorted(found, key=lambda one: (one.corpus, one.algorithm, one.window, one.dimensions))


def steadiness(cells: Sequence[Steady]) -> Section:
    """The claims of §6.3 and §3.4 over the settings that have been run."""
    title = "How steady are runs of one setting?"
    if not cells:
        finding = Finding("Runs of one setting agree highly.", SOURCE, "No setting has been run.", "undecided")
        return Section(title, (finding,), "")
    head = ("Setting", "runs", "random cues", "95 %", "political cues")
    rows = [
        (
            f"{one.corpus}, {one.algorithm}, window {one.window}, {one.dimensions} dimensions",
            str(one.runs),
            number(one.random, 3),
            f"{number(one.random_interval[0], 3)} to {number(one.random_interval[1], 3)}",
            BLANK if one.political is None else number(one.political, 3),
        )
        for one in cells
    ]
    done = f"{len(cells)} of {len(settings())} settings have been run (`python -m research study` runs the rest)."
    caption = f"Mean correlation between runs, over 100 random cues and over the political ones. {done}"
    findings = (_high(cells), _windows(cells), _flip(cells), _glove(cells))
    return Section(title, findings, table(head, rows, caption))


def _high(cells: Sequence[Steady]) -> Finding:
    glove = [one for one in cells if one.algorithm == "glove"]
    least = min(glove, key=lambda one: one.random, default=None)
    above = sum(one.random > HIGH for one in glove)
    here = "GloVe has not been run."
    if least is not None:
        here = f"{above} of {len(glove)} GloVe settings; the lowest is {number(least.random, 3)} (random cues)."
    verdict = by_count(above, len(glove) - above, len(glove)) if glove else "undecided"
    return Finding("GloVe's runs agree above 0.85 everywhere.", SOURCE, here, verdict, _runs(glove))


def _runs(cells: Iterable[Steady]) -> int:
    return min((one.runs for one in cells), default=0)


def _compared(pairs: Sequence[tuple[Steady, Steady]]) -> tuple[int, int]:
    """Numbers of pairs whose second is clearly steadier, and clearly less steady: their intervals do not touch."""
    up = sum(b.random_interval[0] > a.random_interval[1] for a, b in pairs)
    down = sum(b.random_interval[1] < a.random_interval[0] for a, b in pairs)
    return up, down


def _pairs(cells: Sequence[Steady], least: int = 0, most: int = 10_000) -> list[tuple[Steady, Steady]]:
    """Settings that differ in their window only, narrow and wide, at dimensions in [least, most]."""
    return [
        (a, b)
        for a in cells
        for b in cells
        if (a.corpus, a.algorithm, a.dimensions) == (b.corpus, b.algorithm, b.dimensions)
        and a.window < b.window
        and least <= a.dimensions <= most
        and a.algorithm == "glove"
    ]


def _directions(pairs: Sequence[tuple[Steady, Steady]], up: int, down: int) -> str:
    if not pairs:
        return "There are no two windows of one setting yet."
    return (
        f"Of {counted(len(pairs), 'pair')} of GloVe settings that differ in their window, the wider one is clearly "
        f"steadier in {up}, clearly less steady in {down} (intervals over random cues that do not touch)."
    )


def _windows(cells: Sequence[Steady]) -> Finding:
    pairs = _pairs(cells, most=50)
    up, down = _compared(pairs)
    claim = "Larger windows are steadier (few dimensions: 50)."
    return Finding(claim, SOURCE, _directions(pairs, up, down), by_count(up, down, len(pairs)), _runs(chain(*pairs)))


def _flip(cells: Sequence[Steady]) -> Finding:
    pairs = [pair for pair in _pairs(cells, least=101) if pair[0].corpus == LOCAL]
    up, down = _compared(pairs)
    claim = "With many dimensions this flips; on the State of the Union after 100 dimensions."
    verdict = by_count(down, up, len(pairs))
    return Finding(claim, f"{SOURCE}, note 26", _directions(pairs, up, down), verdict, _runs(chain(*pairs)))


def _glove(cells: Sequence[Steady]) -> Finding:
    """§3.4, which cites Mimno & Thompson (2017) and Wendlandt et al. (2018)."""
    by_setting = {(one.corpus, one.window, one.dimensions, one.algorithm): one for one in cells}
    pairs = [
        (other, one)
        for one in cells
        if one.algorithm == "glove"
        and (other := by_setting.get((one.corpus, one.window, one.dimensions, "skip-gram"))) is not None
    ]
    up, down = _compared(pairs)
    here = (
        f"Of {len(pairs)} settings run with both, GloVe is clearly steadier in {up}, clearly less steady in {down} "
        "(intervals over random cues that do not touch)."
    )
    verdict: Verdict = by_count(up, down, len(pairs))
    source = "Rodriguez & Spirling 2019, §3.4"
    return Finding("GloVe is steadier than skip-gram.", source, here, verdict, _runs(chain(*pairs)))
