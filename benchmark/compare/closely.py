"""Two entries looked at closely: every cue, random words, every common word, shared neighbours, what moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.compare.cues import DRIFT, EVERY, RANDOM, Cues
from benchmark.compare.moved import WordsMoved, words_moved
from benchmark.compare.ranking import NO_FILE, known_pairs, order
from benchmark.reports.sections.political import CueRow, cue_row, histogram, moved_words, overlap_curve
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, grouped
from plots.chart import Chart

MOVED = 20


@dataclass(frozen=True)
class SetRow:
    """Summary of a set of cues: count, and mean ± standard error, standard deviation and ends of Pearson."""

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
    """What is known; ``state`` is known, waiting, open, same or impossible, as of a cell of a heat map."""

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
    """The comparison over cues, random words and every word, and words that moved: what has been computed so far."""
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
