"""Distance of a model's ranking of words from people's (Rodriguez & Spirling 2019, §4.4.2; docs/protocol.md §7.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tasks.datasets.examples import NeighbourList
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.metrics.correlation import average_ranks
from tasks.political.compare import Distribution, distribution
from tasks.political.cues import cue_forms
from tasks.political.vocabulary import Floats, whole
from tasks.text import text_of
from tasks.vectors import UNKNOWN, Embedding, Rows

HumanLists = Mapping[str, Sequence[str]]
"""Words given by people for each cue, most mentioned first."""
NO_ORDER = "For none of the cues does the vocabulary have two words of people's list to rank."


def log_rank_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike) -> Floats:
    """log((r_model - r_human)² + 1) of each word; 0 for equal ranks.

    The source's program adds the 1, which its paper omits; without it, equal ranks would give minus infinity.

    Parameters
    ----------
    model_ranks : rank by cosine from 1, shape (n,).
    human_ranks : rank by mentions from 1, shape (n,), the same words in the same order.

    Returns
    -------
    float64, shape (n,)
        natural logarithms, never negative.

    Raises
    ------
    ValueError
        the shapes differ.
    """
    model, human = np.asarray(model_ranks, dtype=np.float64), np.asarray(human_ranks, dtype=np.float64)
    if model.shape != human.shape or model.ndim != 1:
        raise ValueError(f"a deviation needs two equal lengths, not {model.shape} and {human.shape}")
    return np.log1p(np.square(model - human))


def mean_log_rank_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike, *, within: bool = False) -> float | None:
    """Mean over the words; with ``within``, both sides are first ranked again among these words alone.

    Only ``within`` compares vocabularies of different sizes, as ranks in a large one are larger numbers.

    Returns
    -------
    float or None
        None if there are no words.

    Raises
    ------
    ValueError
        the shapes differ.
    """
    model, human = np.asarray(model_ranks, dtype=np.float64), np.asarray(human_ranks, dtype=np.float64)
    if within:
        model, human = average_ranks(model), average_ranks(human)
    deviations = log_rank_deviation(model, human)
    return float(deviations.mean()) if deviations.size else None


def random_order_deviation(human_ranks: ArrayLike) -> float:
    """Expected mean log rank deviation of a uniformly random order of the words: 2.15 for 10 words, 1.82 for 8.

    In a random order every word is equally likely at every rank r, so the mean over all orders is that of
    log((r - h)² + 1) over all r from 1 to m and all people's ranks h.

    Parameters
    ----------
    human_ranks : rank by mentions, shape (m,), m ≥ 1, ranked again among these words; ties share their mean rank.
    """
    human = average_ranks(np.asarray(human_ranks, dtype=np.float64))
    return float(np.log1p(np.square(np.arange(1, len(human) + 1)[:, None] - human)).mean())


def relative_deviation(model_ranks: ArrayLike, human_ranks: ArrayLike) -> float | None:
    """Mean log rank deviation within the words, divided by a random order's: 0 is people's order, 1 a random one.

    Not divided, the deviation falls with the number of words, and rewards vocabularies that lack some.

    Returns
    -------
    float or None
        None for fewer than two words, which have no order.

    Raises
    ------
    ValueError
        the shapes differ.
    """
    within = mean_log_rank_deviation(model_ranks, human_ranks, within=True)
    return None if within is None or np.size(human_ranks) < 2 else within / random_order_deviation(human_ranks)


def published_lists(data: DataStore) -> HumanLists:
    """People's lists of the English political cues (Rodriguez & Spirling 2019; data set ``political-neighbours``).

    Raises
    ------
    DataUnavailable
        the data set is not on this machine.
    """
    examples = data.load("political-neighbours")["human"]
    return {item.cue: item.words for item in examples if isinstance(item, NeighbourList)}


def read_lists(path: Path) -> HumanLists:
    """Lists from a JSON file ``{cue: [word, …]}``, best first, as a study with people on a site exports them.

    Raises
    ------
    InputError
        the file is something else.
    """
    try:
        found = json.loads(text_of(path.read_bytes(), path.name, field="people"))
    except ValueError:
        found = None
    lists = found if isinstance(found, dict) else {}
    if not lists or not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words) for words in lists.values()
    ):
        message = (
            f"{path.name} has no lists of words. Write a JSON object with a list for each cue: {{cue: [word, …]}}."
        )
        raise InputError("no-lists", message, field="people")
    return lists


@dataclass(frozen=True)
class CueDeviation:
    """Log rank deviation around one cue.

    Parameters
    ----------
    full : mean of log((r_model − r_human)² + 1), r_model in the whole vocabulary (including the cue itself, as in the
        source's program), r_human among all mentioned words.
    within : the same, with both ranked among the mentioned words in the vocabulary.
    relative : ``within``, divided by its expectation for a random order; None for a single known word.
    known, mentioned : numbers of words.
    """

    full: float
    within: float
    relative: float | None
    known: int
    mentioned: int


@dataclass(frozen=True)
class HumanDeviation:
    """Deviations of all cues (None for a cue that is unknown or without known words), and their distributions.

    The mean of ``relative`` has expectation 1 for random orders, regardless of missing words, and weights cues equally,
    as Student's interval over cues assumes.
    """

    full: Distribution | None
    within: Distribution | None
    relative: Distribution | None
    cues: Mapping[str, CueDeviation | None]


def human_deviation(embedding: Embedding, lists: HumanLists) -> HumanDeviation:
    """Log rank deviation of vectors from people's lists.

    Parameters
    ----------
    embedding : vectors, whose whole vocabulary is ranked.
    lists : from the political-neighbours data, or collected on the site.
    """
    found: dict[str, CueDeviation | None] = dict.fromkeys(lists)
    for cue, cosines in cosines_of(embedding, lists).items():
        rows = np.array([first_found(embedding, word) for word in lists[cue]], dtype=np.int64)
        found[cue] = deviation(cosines, rows, np.arange(1, len(rows) + 1))
    known = [figures for figures in found.values() if figures is not None]
    return HumanDeviation(
        distribution(np.array([figures.full for figures in known])),
        distribution(np.array([figures.within for figures in known])),
        distribution(np.array([figures.relative for figures in known if figures.relative is not None])),
        found,
    )


def deviation(cosines: Floats, rows: Rows, human_ranks: Rows) -> CueDeviation | None:
    """Deviation around one cue. Of several spellings with one row, the first counts.

    Parameters
    ----------
    cosines : of the cue with all V words.
    rows : rows of the mentioned words, ``UNKNOWN`` if out of vocabulary, shape (m,).
    human_ranks : their ranks by mentions, from 1, shape (m,).

    Returns
    -------
    CueDeviation or None
        None without a known word.
    """
    is_first = np.isin(np.arange(len(rows)), np.unique(rows, return_index=True)[1])
    known = (rows != UNKNOWN) & is_first
    if not known.any():
        return None
    model = ranks_of(cosines, rows[known])
    human = human_ranks[known].astype(np.float64)
    within = log_rank_deviation(average_ranks(model), average_ranks(human))
    return CueDeviation(
        full=float(log_rank_deviation(model, human).mean()),
        within=float(within.mean()),
        relative=relative_deviation(model, human),
        known=int(known.sum()),
        mentioned=len(rows),
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
    rows = {cue: row for cue in cues if (row := first_found(embedding, cue)) != UNKNOWN}
    return dict(zip(rows, whole(embedding).cosines(np.array(list(rows.values()), dtype=np.int64)), strict=True))


def first_found(embedding: Embedding, word: str) -> int:
    """Row of the first of a word's forms in the vocabulary, or ``UNKNOWN``."""
    rows = embedding.find(cue_forms(word))
    found = rows[rows != UNKNOWN]
    return int(found[0]) if found.size else UNKNOWN
