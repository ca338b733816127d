"""Two entries in detail: every cue, random words, every common word, shared neighbours, words that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.compare.pair_correlations import DRIFT, EVERY, NO_FILE, RANDOM, Cues, known_pairs, order
from benchmark.reports.charts import CueRow, cue_row, histogram, moved_words, overlap_curve
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import BLANK, between, correlation, grouped, percent
from plots.chart import Chart
from plots.layouts import Row, drawing_of
from tasks.text import visible

MOVED = 20


@dataclass(frozen=True)
class SetRow:
    """Summary of a set of cues: count, and mean, standard error, standard deviation and range of Pearson."""

    title: str
    n: str
    mean: str
    error: str = "–"
    sd: str = "–"
    least: str = "–"
    greatest: str = "–"
    spearman: str = "–"


@dataclass(frozen=True)
class Closely:
    """A detailed comparison as far as it is computed; ``state`` as in ``PairCell``."""

    state: str
    reason: str = ""
    common_words: int = 0
    sets: tuple[SetRow, ...] = ()
    cues: tuple[CueRow, ...] = ()
    unknown: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    moved: Mapping[str, Sequence[tuple[str, str]]] | None = None
    undefined: int = 0
    drift: WordsMoved | None = None
    why_no_drift: str = ""


def closely(a: Submission, b: Submission, cues: Cues) -> Closely:
    """The stored comparison over cues, random words and every word, and the words that moved."""
    if a.vectors_sha256 and a.vectors_sha256 == b.vectors_sha256:
        return Closely("same")
    for one in (a, b):
        if not one.has_vectors:
            return Closely("impossible", NO_FILE.format(name=one.display_name))
    parts = list({part.key: part for part in (cues, RANDOM, EVERY, DRIFT)}.values())
    rows = known_pairs([a, b], parts)
    found = [rows[part.key].get(order(a, b)) for part in parts]
    known = {row.cues_key: row.figures for row in found if row is not None and "closely" in (row.figures or {})}
    refusal = next((f["reason"] for key, f in known.items() if key != DRIFT.key and not f["common_words"]), "")
    if refusal:
        return Closely("impossible", refusal)
    missing = "open" if any(row is None for row in found) else "waiting"
    state = "known" if len(known) == len(parts) else missing
    return _of(state, cues, {part.title: known.get(part.key) for part in parts if part != DRIFT}, known)


def _of(
    state: str, cues: Cues, by_title: Mapping[str, Mapping[str, Any] | None], known: Mapping[str, Mapping[str, Any]]
) -> Closely:
    listed = _closely(known.get(cues.key))
    every = _closely(known.get(EVERY.key))
    overlap = listed.get("jaccard") or _closely(known.get(RANDOM.key)).get("jaccard")
    charts = (histogram(every.get("pearson"), every.get("histogram")), overlap_curve(overlap))
    return Closely(
        state,
        common_words=max((figures["common_words"] for figures in known.values()), default=0),
        sets=tuple(_set_row(title, figures) for title, figures in by_title.items() if figures is not None),
        cues=tuple(cue_row(cue, figures) for cue, figures in listed.get("cues", {}).items()) if cues.words else (),
        unknown=tuple(listed.get("unknown", ())),
        charts=tuple(chart for chart in charts if chart is not None),
        moved=moved_words(every.get("moved"), MOVED),
        undefined=every.get("undefined", 0),
        drift=words_moved(_closely(known.get(DRIFT.key))),
        why_no_drift=known.get(DRIFT.key, {}).get("reason", ""),
    )


def _closely(figures: Mapping[str, Any] | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (figures or {}).get("closely") or {}
    return found


def _set_row(title: str, figures: Mapping[str, Any]) -> SetRow:
    found = _closely(figures)
    pearson = found.get("pearson")
    if not pearson:
        return SetRow(title, "0", "–")
    n = f"{grouped(pearson['n'])} of {len(found['cues'])}" if "cues" in found else grouped(pearson["n"])
    mean, error, sd, least, greatest = (correlation(pearson[name]) for name in ("mean", "se", "sd", "min", "max"))
    spearman = correlation((found.get("spearman") or {}).get("mean"))
    return SetRow(title, n, mean, error, sd, least, greatest, spearman)


TICKS = {0.0: "0", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75", 1.0: "1", 1.5: "1.5", 2.0: "2"}
BESIDE = 0.13
"""Relative distance below which a tick label would overlap the floor's."""


@dataclass(frozen=True)
class MovedRow:
    """A word's change after alignment, with its interval, and by neighbours, as text."""

    word: str
    change: str
    interval: str
    neighbours: str


@dataclass(frozen=True)
class WayMoved:
    """Change of all words by one measure as text; floor and share are dashes without two runs of an entry."""

    title: str
    median: str
    floor: str
    above: str


@dataclass(frozen=True)
class WordsMoved:
    """The words that moved most.

    Parameters
    ----------
    asked : number of compared common words.
    charts : one for each measure.
    rows : the words of all charts, each once.
    ways : after alignment, if the entries have equal dimensions, and by neighbours.
    floor_of : hash of the vectors whose runs give the floor; empty if neither entry has several.
    """

    asked: int
    charts: tuple[Chart, ...]
    rows: tuple[MovedRow, ...]
    ways: tuple[WayMoved, ...]
    floor_of: str

    @property
    def is_aligned(self) -> bool:
        return len(self.ways) > 1


def words_moved(found: Mapping[str, Any]) -> WordsMoved | None:
    """The stored figures as text and charts; None if there are none yet."""
    if not found:
        return None
    floor = found["floor"] or {}
    neighbours = WayMoved(
        "By neighbours",
        correlation(found["median_neighbours"]),
        correlation(floor.get("neighbours")),
        _share(floor.get("above_neighbours")),
    )
    charts, ways = [_by_neighbours(found["most_by_neighbours"], floor)], [neighbours]
    if found["median"] is not None:
        charts.insert(0, _aligned(found["most"], floor))
        aligned = correlation(found["median"]), correlation(floor.get("change")), _share(floor.get("above"))
        ways.insert(0, WayMoved("After alignment", *aligned))
    words = found["most"] | found["most_by_neighbours"]
    return WordsMoved(
        found["asked"],
        tuple(charts),
        tuple(_row(word, one) for word, one in words.items()),
        tuple(ways),
        found["floor_of"],
    )


def _share(share: float | None) -> str:
    return BLANK if share is None else f"{percent(share)} %"


def _row(word: str, one: Mapping[str, Any]) -> MovedRow:
    bounds = between(one["interval"], correlation) or BLANK
    return MovedRow(word, correlation(one["change"]), bounds, correlation(one["neighbours"]))


def _aligned(words: Mapping[str, Any], floor: Mapping[str, Any]) -> Chart:
    rows = [
        Row(
            visible(word),
            correlation(one["change"]),
            one["change"],
            tuple(one["interval"]) if one["interval"] else None,
        )
        for word, one in words.items()
    ]
    caption = "1 − cosine of a word with itself, with 95 % intervals over the anchor words"
    return _moved_chart("moved-aligned", "After alignment", caption, rows, floor.get("change"))


def _by_neighbours(words: Mapping[str, Any], floor: Mapping[str, Any]) -> Chart:
    rows = [Row(visible(word), correlation(one["neighbours"]), one["neighbours"]) for word, one in words.items()]
    caption = "Share of changed words among the 100 nearest (1 − Jaccard index)"
    return _moved_chart("moved-neighbours", "By neighbours", caption, rows, floor.get("neighbours"))


def _moved_chart(id: str, title: str, caption: str, rows: list[Row], floor: float | None) -> Chart:
    furthest = max([1.0, *(row.value or 0.0 for row in rows), *(end for row in rows for end in row.interval or ())])
    line = None if floor is None else (floor, f"floor {correlation(floor)}")
    far = {tick: text for tick, text in TICKS.items() if floor is None or abs(tick - floor) > BESIDE * furthest}
    ticks = {tick: text for tick, text in far.items() if tick <= furthest}
    drawing = drawing_of(rows, (0.0, furthest), ticks, line)
    in_words = "; ".join(f"{row.label} {row.text}" for row in rows)
    at = "" if floor is None else f" The line is the floor, {correlation(floor)}."
    return Chart(
        id, title, f"{caption}: {in_words}.{at}", drawing, heading=title, caption=f"{caption}.{at}", kind="rows"
    )
