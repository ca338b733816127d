"""Scores vector files on one's own data, next to words alone; verdicts, and the examples on which sets differ."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from extensions.own.measure.report import (
    Disagreements,
    OwnComparison,
    OwnFacts,
    OwnFigure,
    OwnKind,
    OwnReport,
    OwnScore,
)
from extensions.shared.measure.vectors import NamedVectors
from tasks.errors import InputError
from tasks.gate import POINTS, Gated, Judgement, check_margin, judge, sentence
from tasks.probes import Floats, text_vectors
from tasks.processes import Progress, no_progress
from tasks.statistics.effects import SharedUnits
from tasks.statistics.intervals import mean_interval
from tasks.text import shown, visible
from tasks.vectors import LookUp

MOST_ROWS = 500
"""Examples on which sets differ, in a report on the site."""
LONGEST = 300
"""Characters of a text in such an example."""
FEW_TEXTS, WIDER = 500, 1.15
"""In cross-validation with fewer texts, standard errors are this factor larger: classifiers differ more than the errors
allow for (``python -m research own --intervals``)."""
Tell = Callable[[float], None]
"""Called with the share of one set's scoring that is done."""


@dataclass(frozen=True)
class Response:
    """What one set of features makes of the data.

    Parameters
    ----------
    values : the values of the examples whose mean is each figure, by its name, shape (n,); NaN if not tested. The first
        figure is the one compared; its values are in [0, 1].
    answers : of each example, as people read it.
    """

    values: Mapping[str, Floats]
    answers: Sequence[str]

    @property
    def right(self) -> Floats:
        """The values of the first figure."""
        return next(iter(self.values.values()))


Scored = tuple[OwnScore, Response]
"""One set of features on the data."""


class OwnData(ABC):
    """One's own data, read and checked: labelled texts, or queries with texts to find."""

    kind: ClassVar[OwnKind]
    language: str | None
    units: NDArray[np.int64]
    """A number for each example, equal where examples are dependent; shape (n,)."""
    floor: ClassVar[str]
    """Name of the floor: what the texts' words tell without vectors."""

    @property
    @abstractmethod
    def is_cross_validated(self) -> bool:
        """Whether examples are both trained and tested on."""

    @property
    @abstractmethod
    def every_text(self) -> Sequence[tuple[str, ...]]:
        """The words of all texts that get a vector; those of the examples come first."""

    @abstractmethod
    def facts(self) -> OwnFacts:
        """Counts of the data."""

    @abstractmethod
    def example(self, i: int) -> tuple[str, str]:
        """Text and gold answer of an example."""

    @abstractmethod
    def by_words_alone(self, tell: Tell) -> Response:
        """The floor."""

    @abstractmethod
    def by_vectors(self, means: Floats, tell: Tell) -> Response:
        """By the mean vectors of :attr:`every_text`, shape (n, D); a row of zeros: no known word."""


def measure(
    data: OwnData,
    files: Sequence[NamedVectors],
    look_up: LookUp,
    scratch: Path,
    margin: float,
    progress: Progress = no_progress,
    *,
    most_rows: int | None = MOST_ROWS,
) -> tuple[OwnReport, Disagreements]:
    """Score words alone and each vector file, and judge the files.

    Parameters
    ----------
    files : at least one, with different names.
    look_up : how words are looked up.
    scratch : folder for the list of the texts' words, for which open vocabularies are composed.
    margin : of the verdicts, in points.
    most_rows : of the examples on which sets differ; None: all.

    Raises
    ------
    InputError
        a vector file cannot be read, two files have one name, or the margin is not a positive number.
    """
    check_margin(margin)
    name, count = Counter([data.floor, *(file.name for file in files)]).most_common(1)[0]
    if count > 1:
        raise InputError("same-name", f"Two sets of vectors have the name “{shown(name)}”. Rename one of them.")
    began = time.perf_counter()
    with threadpool_limits(limits=1):
        scored = list(_scores(data, files, look_up, scratch, progress))
    floor, first, *others = scored
    pairs = [(new, first) for new in others] + [(new, floor) for new in (first, *others)]
    report: OwnReport = {
        "kind": data.kind,
        "data": data.facts(),
        "margin": margin,
        "scores": [score for score, _ in scored],
        "comparisons": [_as_comparison(data, new, old, margin) for new, old in pairs],
        "seconds": time.perf_counter() - began,
    }
    return report, disagreements(data, scored, most_rows)


def _scores(
    data: OwnData, files: Sequence[NamedVectors], look_up: LookUp, scratch: Path, progress: Progress
) -> Iterator[Scored]:
    """Words alone, then each file."""
    words = dict.fromkeys(word for text in data.every_text for word in text)
    sets = len(files) + 1

    def telling(place: int, name: str) -> Tell:
        return lambda share: progress((place + share) / sets, name)

    began = time.perf_counter()
    response = data.by_words_alone(telling(0, data.floor))
    yield _as_score(data, data.floor, response, time.perf_counter() - began), response
    for place, file in enumerate(files, start=1):
        progress(place / sets, f"reading {file.name}")
        embedding = file.with_words(words, scratch)
        vectors = text_vectors(embedding, look_up, data.every_text)
        began = time.perf_counter()
        response = data.by_vectors(vectors.means, telling(place, file.name))
        score = _as_score(data, file.name, response, time.perf_counter() - began)
        score["dimensions"], score["known"] = embedding.dimensions, vectors.coverage.tokens
        score["without_words"] = int((~vectors.means[: len(response.right)].any(axis=1)).sum())
        yield score, response
    progress(1.0, "done")


def estimate(data: OwnData, values: Floats) -> tuple[float, float, float]:
    """Mean of the tested examples' values, its standard error and the degrees of freedom of Student's t.

    Without groups, SE² = Σ(x − x̄)² / (n(n − 1)), in cross-validation, too: Bayle, Bayle, Janson & Mackey (2020),
    Cross-validation confidence intervals for test error, NeurIPS 33, §4 (all-pairs variance).

    Parameters
    ----------
    values : of the examples, shape (n,); NaN if not tested. Of a difference: those of both sets, subtracted.
    """
    tested = np.isfinite(values)
    mean = float(values[tested].mean())
    units = SharedUnits(data.units, data.units).of_examples(tested)
    (error,), (freedom,) = units.errors((values[tested] - mean)[None] / len(units))
    factor = WIDER if data.is_cross_validated and len(units) < FEW_TEXTS else 1.0
    return mean, factor * float(error), float(freedom)


def compare(data: OwnData, new: Response, old: Response, margin: float) -> Judgement:
    """Is the first figure of the new set not inferior to the old one's (docs/protocol.md §8.9)?"""
    apart = POINTS * (new.right - old.right)
    return judge(*estimate(data, apart), margin, examples=int(np.isfinite(apart).sum()))


def _as_score(data: OwnData, name: str, response: Response, seconds: float) -> OwnScore:
    figures: list[OwnFigure] = []
    for figure, values in response.values.items():
        value, error, freedom = estimate(data, 100 * values)
        bounds = mean_interval(value, error, freedom + 1) if error else None
        interval = (max(bounds[0], 0.0), min(bounds[1], 100.0)) if bounds else None
        figures.append({"name": figure, "unit": "%", "value": value, "interval": interval})
    return {
        "name": name,
        "dimensions": None,
        "known": None,
        "without_words": None,
        "figures": figures,
        "seconds": seconds,
    }


def _as_comparison(data: OwnData, new: Scored, old: Scored, margin: float) -> OwnComparison:
    (score, response), (old_score, old_response) = new, old
    judgement = compare(data, response, old_response, margin)
    first, second = (POINTS * float(np.nanmean(compared.right)) for compared in (response, old_response))
    names = score["name"], old_score["name"]
    return {
        "new": names[0],
        "old": names[1],
        "difference": judgement.difference,
        "lower": judgement.lower,
        "upper": judgement.upper,
        "verdict": judgement.verdict,
        "more": judgement.more,
        "sentence": sentence(Gated(" − ".join(names), first, second, judgement), margin),
    }


def disagreements(data: OwnData, scored: Sequence[Scored], most: int | None) -> Disagreements:
    """The tested examples that some sets answer better than others.

    First those on which the vector files differ most; of equal ones, those on which they differ most from words alone.
    """
    right = np.array([response.right for _, response in scored])
    apart, apart_of_files = np.ptp(right, axis=0), np.ptp(right[1:], axis=0)
    differing: NDArray[np.int64] = np.flatnonzero(apart > 0)  # NaN, which is not tested, isn't above 0
    ordered = differing[np.lexsort((-apart[differing], -apart_of_files[differing]))].tolist()
    rows: Disagreements = {"sets": [score["name"] for score, _ in scored], "total": len(ordered), "rows": []}
    for i in ordered[:most]:
        text, gold = data.example(i)
        answers = [(response.answers[i], float(response.right[i])) for _, response in scored]
        rows["rows"].append(
            {
                "text": cut(text),
                "gold": cut(gold),
                "answers": [{"answer": cut(answer), "right": share} for answer, share in answers],
            }
        )
    return rows


def cut(text: str, longest: int = LONGEST) -> str:
    """A text on one line, at most so many characters long, without invisible ones."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
