"""Ranking correlations of pairs of entries: the heat map, two entries in detail, and requests to the workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from benchmark.compare.entries import LEAST, NO_FILE, Marked, address_of
from benchmark.operations import quotas
from benchmark.reports.charts import histogram, overlap_curve
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, decimals
from extensions.pairs.cues import DRIFT, EVERY, RANDOM, Cues, chosen, cue_offers
from extensions.pairs.models import PairCorrelation
from extensions.shared.requested import request_figures
from plots.chart import Chart
from plots.layouts import Row, drawing_of
from tasks.errors import InputError
from tasks.text import visible

StoredPairs = dict[tuple[str, str], PairCorrelation]
Figures = Mapping[str, Any]
"""Stored figures; pages and charts show parts of them."""


@dataclass(frozen=True)
class PairCell:
    """A cell of the heat map; ``other`` is the entry of its column.

    ``state`` is same, known, waiting, open (not requested yet) or impossible, with a reason.
    """

    other: Marked
    state: str
    figures: dict[str, Any] | None = None
    reason: str = ""

    @property
    def mean(self) -> float | None:
        return self.figures.get("mean") if self.figures else None

    @property
    def text(self) -> str:
        return correlation(self.mean)

    @property
    def short(self) -> str:
        """Two decimals, for large maps."""
        return decimals(self.mean)

    @property
    def shade(self) -> str:
        """CSS class of its shade, by sign and strength."""
        return "" if self.mean is None else f"{'n' if self.mean < 0 else 'p'}{round(abs(self.mean) * 4)}"


@dataclass(frozen=True)
class HeatMap:
    """A symmetric matrix of entries."""

    rows: tuple[tuple[Marked, tuple[PairCell, ...]], ...] = ()

    def has(self, state: str) -> bool:
        return any(cell.state == state for _, cells in self.rows for cell in cells)

    @property
    def is_open(self) -> bool:
        return self.has("open")

    @property
    def is_asked(self) -> bool:
        """Whether some pair is known or being computed."""
        return self.has("known") or self.has("waiting")

    @property
    def without_file(self) -> list[Marked]:
        """Entries with blank pairs, because the site doesn't keep their vectors."""
        rows = [(entry, cells) for entry, cells in self.rows if not entry.submission.has_vectors]
        return [entry for entry, cells in rows if any(cell.state == "impossible" for cell in cells)]

    @property
    def is_impossible(self) -> bool:
        """Whether no pair is known or can be computed."""
        return bool(self.pairs) and all(cell.state == "impossible" for _, _, cell in self.pairs)

    @property
    def is_waiting(self) -> bool:
        return self.has("waiting")

    @property
    def progress(self) -> str:
        """What a worker is computing, and how much of it is done."""
        requested = [cell for _, _, cell in self.pairs if cell.state in ("known", "waiting")]
        done = sum(cell.state == "known" for cell in requested)
        return f"A worker compares the rankings; {done} of {len(requested)} pairs are done."

    @property
    def pairs(self) -> list[tuple[Marked, Marked, PairCell]]:
        """Unordered pairs of different vectors."""
        above = ((a, cell.other, cell) for i, (a, cells) in enumerate(self.rows) for cell in cells[i + 1 :])
        return [pair for pair in above if pair[2].state != "same"]

    @property
    def verdict(self) -> str:
        """The most and the least similar pair in a sentence; empty without a correlation."""
        correlated = self.correlated
        if not correlated:
            return ""
        (a, b, most), (c, d, least) = correlated[0], correlated[-1]
        if len(correlated) == 1:
            return f"{a.name} and {b.name} have a mean correlation of {most.text}."
        return (
            f"Of {len(correlated)} pairs, {a.name} and {b.name} rank words most alike ({most.text}), "
            f"{c.name} and {d.name} least ({least.text})."
        )

    @property
    def correlated(self) -> list[tuple[Marked, Marked, PairCell]]:
        """Pairs with a correlation, the most similar first."""
        pairs = [pair for pair in self.pairs if pair[2].mean is not None]
        return sorted(pairs, key=lambda pair: -(pair[2].mean or 0.0))


def ranking_part(request: HttpRequest, entries: Sequence[Marked]) -> dict[str, object]:
    """Context of the section "Do they rank words alike?": the chosen cues, those on offer, and every pair."""
    if len(entries) < LEAST:
        return {"cues": None, "problem": "", "heat": HeatMap()}
    try:
        cues, problem = chosen(request.GET, entries[0].submission.language), ""
    except InputError as error:
        cues, problem = None, str(error)
    heat = heat_map(entries, cues) if cues else HeatMap()
    return {
        "cues": cues,
        "cue_count": cues_in_words(heat, cues) if cues else "",
        "unknown_cues": unknown_cues(heat),
        "problem": problem,
        "typed": request.GET.get("cues", ""),
        "cue_offers": cue_offers(entries),
        "heat": heat,
        "is_waiting": heat.is_waiting,
        "cue_query": urlencode(cues.query) if cues else "",
        "heat_source": f"{reverse('pairs:heat')}?{urlencode(address_of(entries, **(cues.query if cues else {})))}",
        "kept": cues.query if cues else {},
    }


def heat_map(entries: Sequence[Marked], cues: Cues) -> HeatMap:
    """The stored correlation of every pair, in one query."""
    stored = stored_pairs([entry.submission for entry in entries], [cues])[cues.key]
    return HeatMap(tuple((a, tuple(_cell(a, b, stored) for b in entries)) for a in entries))


def cues_in_words(heat: HeatMap, cues: Cues) -> str:
    """The cues of a heat map, with how many of them its pairs could use: ``9 of 11 cues``, or the name of a set."""
    if cues.words is None:
        return cues.title
    of = f"{len(cues.words)} cue{'' if len(cues.words) == 1 else 's'}"
    used = sorted({(cell.figures or {})["n"] for _, _, cell in heat.correlated})
    if not used or used == [len(cues.words)]:
        return of
    count = str(used[0]) if len(used) == 1 else f"{used[0]} to {used[-1]}"
    return f"{count} of {of}"


def unknown_cues(heat: HeatMap) -> tuple[list[str], list[str]]:
    """The cues that no pair has in both vocabularies, and those that only some pairs lack."""
    lacking = [(cell.figures or {}).get("unknown", ()) for _, _, cell in heat.pairs if cell.state == "known"]
    counts = Counter(chain(*lacking))
    everywhere = [cue for cue, count in counts.items() if count == len(lacking)]
    return everywhere, [cue for cue, count in counts.items() if count < len(lacking)]


def stored_pairs(entries: Sequence[Submission], sets: Sequence[Cues]) -> dict[str, StoredPairs]:
    """Stored pairs of these vectors by the key of the cues, in one query."""
    hashes = {entry.vectors_sha256 for entry in entries}
    keys = [cues.key for cues in sets]
    rows = PairCorrelation.objects.filter(cues_key__in=keys, left_sha256__in=hashes, right_sha256__in=hashes)
    stored: dict[str, StoredPairs] = {key: {} for key in keys}
    for row in rows:
        stored[row.cues_key][row.left_sha256, row.right_sha256] = row
    return stored


def _cell(a: Marked, b: Marked, stored: StoredPairs) -> PairCell:
    if a is b or (a.submission.vectors_sha256 and a.submission.vectors_sha256 == b.submission.vectors_sha256):
        return PairCell(b, "same")
    row = stored.get(order(a.submission, b.submission))
    if row is not None and row.figures is not None:
        return PairCell(b, "known", row.figures, row.figures.get("reason", ""))
    for entry in (a, b):
        if not entry.submission.has_vectors:
            return PairCell(b, "impossible", reason=NO_FILE.format(name=entry.name))
    return PairCell(b, "waiting" if row is not None else "open")


def order(a: Submission, b: Submission) -> tuple[str, str]:
    """The two hashes, the smaller first, as pairs are stored once."""
    first, second = sorted((a.vectors_sha256, b.vectors_sha256))
    return first, second


def request_pairs(entries: Sequence[Marked], cues: Cues) -> None:
    """Request the missing pairs from a worker.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    pairs = {
        order(a.submission, b.submission): (a.submission, b.submission)
        for a, b in combinations(entries, 2)
        if _can_be_compared(a.submission, b.submission)
    }
    with quotas.asking():
        rows = _rows_of(pairs.values(), [cues])
        request_figures("correlate", PairCorrelation, rows)


def request_details(a: Submission, b: Submission, cues: Cues) -> None:
    """Request the comparison of two entries over cues, random words and every word, and of the words that moved.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    if not _can_be_compared(a, b):
        return
    with quotas.asking():
        rows = _rows_of([(a, b)], [cues, RANDOM, EVERY, DRIFT])
        unseen = [row for row in rows if not row.is_due and "closely" not in row.figures]
        request_figures("compare", PairCorrelation, rows, also=unseen)


def _rows_of(pairs: Collection[tuple[Submission, Submission]], sets: Sequence[Cues]) -> list[PairCorrelation]:
    """Get or create a row for every pair and set of cues, in the order of the sets."""
    entries = [entry for pair in pairs for entry in pair]
    before = stored_pairs(entries, sets)
    new = [_new_row(a, b, cues) for a, b in pairs for cues in sets if order(a, b) not in before[cues.key]]
    PairCorrelation.objects.bulk_create(new, ignore_conflicts=True)
    after = stored_pairs(entries, sets) if new else before
    keys = dict.fromkeys(cues.key for cues in sets)
    return [after[key][order(a, b)] for key in keys for a, b in pairs]


def _inside(title: str) -> str:
    """A title of cues inside a sentence."""
    return title[:1].lower() + title[1:]


def _can_be_compared(a: Submission, b: Submission) -> bool:
    return a.vectors_sha256 != b.vectors_sha256 and a.has_vectors and b.has_vectors


def _new_row(a: Submission, b: Submission, cues: Cues) -> PairCorrelation:
    left, right = sorted((a, b), key=lambda submission: submission.vectors_sha256)
    return PairCorrelation(
        left=left,
        right=right,
        left_sha256=left.vectors_sha256,
        right_sha256=right.vectors_sha256,
        cues_key=cues.key,
        cues=cues.stored,
    )


@dataclass(frozen=True)
class Closely:
    """A detailed comparison as far as it is computed; ``state`` as in ``PairCell``.

    Parameters
    ----------
    sets : details by the title of a set of cues.
    listed, every : those over the chosen cues and over every word.
    drift : the words that moved, as stored; ``shown`` are the words of its charts, each once.
    """

    state: str
    reason: str = ""
    progress: str = ""
    common_words: int = 0
    sets: Mapping[str, Figures] = field(default_factory=dict)
    listed: Figures = field(default_factory=dict)
    every: Figures = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    drift: Figures = field(default_factory=dict)
    drift_charts: tuple[Chart, ...] = ()
    why_no_drift: str = ""

    @property
    def verdict(self) -> str:
        """The comparison in a sentence or two: by set of cues, then the cues that differ most; empty until computed."""
        means = [(title, figures["pearson"]["mean"]) for title, figures in self.sets.items() if figures.get("pearson")]
        if not means:
            return ""
        (title, mean), *others = means
        text = f"They rank words with a mean correlation of {correlation(mean)} ({_inside(title)})"
        text += "".join(f", {correlation(mean)} ({_inside(title)})" for title, mean in others) + "."
        cues = self.listed.get("cues") or {}
        correlated = sorted((figures["pearson"], cue) for cue, figures in cues.items() if figures is not None)
        if len(correlated) < LEAST:
            return text
        (low, least), (high, most) = correlated[0], correlated[-1]
        alike, unlike = f"“{visible(most)}” ({correlation(high)})", f"“{visible(least)}” ({correlation(low)})"
        return f"{text} Most alike around {alike}, least around {unlike}."


def closely(a: Submission, b: Submission, cues: Cues) -> Closely:
    """The stored comparison over cues, random words and every word, and the words that moved."""
    if a.vectors_sha256 and a.vectors_sha256 == b.vectors_sha256:
        return Closely("same")
    for submission in (a, b):
        if not submission.has_vectors:
            return Closely("impossible", NO_FILE.format(name=submission.display_name))
    parts = list({part.key: part for part in (cues, RANDOM, EVERY, DRIFT)}.values())
    rows = stored_pairs([a, b], parts)
    stored = [rows[part.key].get(order(a, b)) for part in parts]
    figures_by_key = {
        row.cues_key: row.figures for row in stored if row is not None and "closely" in (row.figures or {})
    }
    refusal = next((f["reason"] for key, f in figures_by_key.items() if key != DRIFT.key and not f["common_words"]), "")
    if refusal:
        return Closely("impossible", refusal)
    missing = "open" if any(row is None for row in stored) else "waiting"
    details: dict[str, Figures] = {key: figures["closely"] or {} for key, figures in figures_by_key.items()}
    listed, every, drift = (details.get(part.key, {}) for part in (cues, EVERY, DRIFT))
    drift = {
        key: _with_letters(value) if key in ("most", "most_by_neighbours") else value for key, value in drift.items()
    }
    overlap = listed.get("jaccard") or details.get(RANDOM.key, {}).get("jaccard")
    charts = (histogram(every.get("pearson"), every.get("histogram")), overlap_curve(overlap))
    return Closely(
        "known" if len(figures_by_key) == len(parts) else missing,
        progress=f"A worker compares the two; {len(figures_by_key)} of {len(parts)} parts are done.",
        common_words=max((figures["common_words"] for figures in figures_by_key.values()), default=0),
        sets={part.title: details[part.key] for part in parts if part != DRIFT and part.key in details},
        listed=listed,
        every=every,
        charts=tuple(chart for chart in charts if chart is not None),
        drift={**drift, "shown": drift["most"] | drift["most_by_neighbours"]} if drift else {},
        drift_charts=tuple(_drift_charts(drift)) if drift else (),
        why_no_drift=figures_by_key.get(DRIFT.key, {}).get("reason", ""),
    )


TICKS = {0.0: "0", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75", 1.0: "1", 1.5: "1.5", 2.0: "2"}
BESIDE = 0.13
"""Relative distance below which a tick label would overlap the floor's."""


def _with_letters(words: Figures) -> Figures:
    """Without punctuation and numbers, which aren't words that moved."""
    return {word: figures for word, figures in words.items() if any(map(str.isalpha, word))}


def _drift_charts(drift: Figures) -> Iterator[Chart]:
    """A chart for each measure; after alignment only of entries with equal dimensions."""
    floor = drift["floor"] or {}
    if drift["median"] is not None:
        yield _aligned(drift["most"], floor, bool(drift["over_trainings"]))
    yield _by_neighbours(drift["most_by_neighbours"], floor)


def _aligned(words: Figures, floor: Figures, over_trainings: bool) -> Chart:
    rows = [
        Row(
            visible(word),
            correlation(figures["change"]),
            figures["change"],
            tuple(figures["interval"]) if figures["interval"] else None,
        )
        for word, figures in words.items()
    ]
    sources = "over the anchor words and trainings" if over_trainings else "over the anchor words only"
    caption = f"1 − cosine of a word with itself, with 95 % intervals {sources}"
    return _moved_chart("moved-aligned", "After alignment", caption, rows, floor.get("change"))


def _by_neighbours(words: Figures, floor: Figures) -> Chart:
    rows = [
        Row(visible(word), correlation(figures["neighbours"]), figures["neighbours"]) for word, figures in words.items()
    ]
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
