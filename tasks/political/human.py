"""Distance of a model's ranking of words from people's (Rodriguez & Spirling 2019, §4.4.2; docs/protocol.md §7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tasks.datasets.examples import NeighbourList
from tasks.datasets.store import DataStore
from tasks.metrics.correlation import average_ranks
from tasks.metrics.distances import log_rank_deviation, random_order_deviation, random_orders, relative_deviation
from tasks.political.compare import distribution
from tasks.political.cues import cue_forms
from tasks.political.secondary import ChanceFigures, CueDeviation, HumanFigures
from tasks.political.vocabulary import Floats, whole
from tasks.results import Outcomes
from tasks.vectors import UNKNOWN, Embedding, Rows

HumanLists = Mapping[str, Sequence[str]]
"""Words given by people for each cue, most mentioned first."""
PUBLISHED = "Rodriguez & Spirling (2019)"
"""Title of the published lists."""
NO_ORDER = "For none of the cues does the vocabulary have two words of people's list to rank."


def published_lists(data: DataStore) -> HumanLists:
    """People's lists of the English political cues (Rodriguez & Spirling 2019; data set ``political-neighbours``).

    Raises
    ------
    DataUnavailable
        the data set is not on this machine.
    """
    examples = data.load("political-neighbours")["human"]
    return {item.cue: item.words for item in examples if isinstance(item, NeighbourList)}


def human_deviation(embedding: Embedding, lists: HumanLists) -> HumanFigures:
    """Log rank deviation of vectors from people's lists.

    Parameters
    ----------
    embedding : vectors, whose whole vocabulary is ranked.
    lists : from the political-neighbours data, or collected on the site.
    """
    return deviation_of_ranks(ranks_around(embedding, lists))


def ranks_around(embedding: Embedding, lists: HumanLists) -> dict[str, Floats]:
    """:func:`ranks_of_mentioned` of every cue; NaN for the words of a cue that is out of vocabulary."""
    ranks = {cue: np.full(len(words), np.nan) for cue, words in lists.items()}
    for cue, cosines in cosines_of(embedding, lists).items():
        rows = np.array([first_row(embedding, word) for word in lists[cue]], dtype=np.int64)
        ranks[cue] = ranks_of_mentioned(cosines, rows)
    return ranks


def ranks_of_mentioned(cosines: Floats, rows: Rows) -> Floats:
    """Rank in the whole vocabulary of each word that people mentioned for a cue; shape (m,).

    NaN for a word out of vocabulary, and for one with the row of an earlier one: of two spellings, the first counts.

    Parameters
    ----------
    cosines : of the cue with all V words.
    rows : of the mentioned words, ``UNKNOWN`` if out of vocabulary, shape (m,).
    """
    is_first = np.isin(np.arange(len(rows)), np.unique(rows, return_index=True)[1])
    is_counted = (rows != UNKNOWN) & is_first
    ranks = np.full(len(rows), np.nan)
    ranks[is_counted] = ranks_of(cosines, rows[is_counted])
    return ranks


def deviation_of_ranks(ranks: Mapping[str, Floats]) -> HumanFigures:
    """The deviations of :func:`ranks_around`; the n-th word of a cue has rank n for people."""
    deviations = {cue: deviation(of_cue) for cue, of_cue in ranks.items()}
    figures_of_cues = [figures for figures in deviations.values() if figures is not None]
    return {
        "full": distribution(np.array([figures["full"] for figures in figures_of_cues])),
        "within": distribution(np.array([figures["within"] for figures in figures_of_cues])),
        "relative": distribution(np.array([figures["relative"] for figures in figures_of_cues], dtype=np.float64)),
        "cues": deviations,
        "chance": chance_of_known([figures["known"] for figures in figures_of_cues]),
    }


def outcomes_of_ranks(ranks: Mapping[str, Floats]) -> Outcomes:
    """A row for every mentioned word: ``predicted`` from :func:`ranks_around`, people's ``gold``, its cue's number."""
    lengths = [len(of_cue) for of_cue in ranks.values()]
    human = np.concatenate([np.arange(1, length + 1) for length in lengths])
    outcomes = Outcomes.of(predicted=np.concatenate(list(ranks.values())), gold=human)
    return outcomes.with_units(np.repeat(np.arange(len(lengths)), lengths)[None])


def chance_of_known(known_words: Sequence[int]) -> ChanceFigures | None:
    """What random orders give for as many known words of each cue; None without a cue of two words."""
    orders = [np.arange(1, count + 1) for count in known_words]
    interval = random_orders(orders)
    if interval is None:
        return None
    return ChanceFigures(
        interval=list(interval), within=float(np.mean([random_order_deviation(order) for order in orders]))
    )


def deviation(ranks: Floats) -> CueDeviation | None:
    """Deviation of :func:`ranks_of_mentioned` around one cue; None without a known word."""
    is_known = np.isfinite(ranks)
    if not is_known.any():
        return None
    model, human = ranks[is_known], np.flatnonzero(is_known).astype(np.float64) + 1
    within = log_rank_deviation(average_ranks(model), average_ranks(human))
    return CueDeviation(
        full=float(log_rank_deviation(model, human).mean()),
        within=float(within.mean()),
        relative=relative_deviation(model, human),
        known=int(is_known.sum()),
        mentioned=len(ranks),
    )


def ranks_of(cosines: Floats, rows: Rows) -> Floats:
    """Ranks, from 1 for the greatest cosine, of some rows among all; equal cosines share their mean rank."""
    values = cosines[rows]
    ordered = np.sort(cosines)
    above = len(cosines) - np.searchsorted(ordered, values, side="right")
    equal = np.searchsorted(ordered, values, side="right") - np.searchsorted(ordered, values, side="left")
    return np.asarray(above + (equal + 1) / 2, dtype=np.float64)


def cosines_of(embedding: Embedding, cues: Iterable[str]) -> dict[str, Floats]:
    """Cosines with all words, shape (V,), by cue; cues out of vocabulary are left out."""
    rows = {cue: row for cue in cues if (row := first_row(embedding, cue)) != UNKNOWN}
    return dict(zip(rows, whole(embedding).cosines(np.array(list(rows.values()), dtype=np.int64)), strict=True))


def first_row(embedding: Embedding, word: str) -> int:
    """Row of the first of a word's forms in the vocabulary, or ``UNKNOWN``."""
    rows = embedding.find(cue_forms(word))
    present = rows[rows != UNKNOWN]
    return int(present[0]) if present.size else UNKNOWN
