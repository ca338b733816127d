"""The full comparison of two embeddings in one object, read by script, page and API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

import numpy as np

from tasks.errors import NoScore
from tasks.political.cues import random_cues
from tasks.political.figures import CueFigures, CueSetFigures, DistributionFigures, EveryWordShape, Jaccard, MovedWords
from tasks.political.neighbours import Overlap, overlap
from tasks.political.ranking import (
    CueCorrelation,
    Distribution,
    all_cue_pearson,
    cue_correlations,
    distribution,
    histogram,
    moved,
)
from tasks.political.vocabulary import CommonVocabulary, common_vocabulary
from tasks.processes import Progress, no_progress
from tasks.results import ReferenceUsed
from tasks.vectors import Embedding


@dataclass(frozen=True)
class CueSet:
    """Ranking correlations of a set of cues.

    Parameters
    ----------
    cues : every cue in order; None if it is out of vocabulary in one or both.
    pearson, spearman, kendall : over the known cues; None if there are none (Kendall's: if not requested).
    unknown : cues left out.
    overlap : Jaccard index of their nearest words.
    """

    cues: Mapping[str, CueCorrelation | None]
    pearson: Distribution | None
    spearman: Distribution | None
    kendall: Distribution | None
    unknown: tuple[str, ...]
    overlap: Overlap | None

    def as_dict(self) -> CueSetFigures:
        """JSON-able form for results and pages: coefficients' distributions, cues, neighbours' overlap."""
        return {
            "pearson": _plain(self.pearson),
            "spearman": _plain(self.spearman),
            "kendall": _plain(self.kendall),
            "cues": _figures(self),
            "unknown": list(self.unknown),
            "jaccard": _overlap(self.overlap),
        }


@dataclass(frozen=True)
class EveryWord:
    """Pearson correlation of every common word: its distribution, and the words that moved most and least."""

    pearson: Distribution | None
    histogram: Mapping[str, Sequence[float]]
    moved: MovedWords
    undefined: int

    def as_dict(self) -> EveryWordShape:
        """JSON-able form for results and pages."""
        return {
            "pearson": _plain(self.pearson),
            "histogram": dict(self.histogram),
            "moved": self.moved,
            "undefined": self.undefined,
        }


def compare_cues(
    common: CommonVocabulary, cues: Sequence[str], *, kendall: bool = False, neighbours: bool = True
) -> CueSet:
    """Ranking correlations of some cues, and the overlap of their nearest words; spellings of one word count once."""
    found = cue_correlations(common, cues, kendall=kendall)
    known = {common.place(cue): figures for cue, figures in found.items() if figures is not None}.values()
    return CueSet(
        found,
        _distribution(figures.pearson for figures in known),
        _distribution(figures.spearman for figures in known),
        _distribution(figures.kendall for figures in known),
        tuple(cue for cue, figures in found.items() if figures is None),
        overlap(common, [cue for cue in cues if found[cue] is not None]) if neighbours else None,
    )


def _distribution(figures: Iterable[float | None]) -> Distribution | None:
    return distribution(np.array([figure for figure in figures if figure is not None], dtype=np.float64))


def compare_every_word(common: CommonVocabulary, progress: Progress = no_progress) -> EveryWord:
    """Pearson correlation of every common word as a cue."""
    correlations = all_cue_pearson(common, progress)
    undefined = int(np.isnan(correlations).sum())
    listed = moved(common.words, correlations)
    return EveryWord(distribution(correlations), histogram(correlations), listed, undefined)


@dataclass(frozen=True)
class EmbeddingComparison:
    """The comparison of two embeddings; parts not requested are None."""

    left: Embedding
    right: Embedding
    common_words: int
    cues: CueSet | None
    random: CueSet | None
    every: EveryWord | None

    @property
    def identical(self) -> bool:
        """Whether both are the same vectors, so that every figure is 1 by definition."""
        return self.left.sha256 == self.right.sha256

    def as_dict(self) -> dict[str, object]:
        """The object that ``python -m tasks compare --json`` prints."""
        every, listed = self.every, self.cues or self.random
        return {
            "a": described(self.left),
            "b": described(self.right),
            "identical": self.identical,
            "common_words": self.common_words,
            "cues": _figures(self.cues) if self.cues else {},
            "cue_set": _summary(self.cues) if self.cues else None,
            "all": _all(every) if every else None,
            "random": _summary(self.random) | {"cues": _figures(self.random)} if self.random else None,
            "jaccard": _overlap(listed.overlap) if listed else None,
            "moved": every.moved if every else None,
        }


def compare(
    left: Embedding,
    right: Embedding,
    cues: Sequence[str] | None,
    *,
    random: bool = True,
    every: bool = True,
) -> EmbeddingComparison:
    """Compare two embeddings on their common vocabulary.

    Parameters
    ----------
    cues : a political list or the user's; None: no list.
    random : also compare over 100 seeded random common words.
    every : also compare over every common word, exactly.

    Raises
    ------
    NoScore
        fewer than 200 common words, or none of the cues is known to both and nothing else was requested.
    """
    common = common_vocabulary(left, right)
    of_cues = compare_cues(common, cues, kendall=True) if cues else None
    if of_cues is not None and of_cues.pearson is None and not (random or every):
        raise NoScore(f"None of the {len(cues or ())} cues is in the vocabularies of “{left.name}” and “{right.name}”.")
    of_random = compare_cues(common, random_cues(common.words)) if random else None
    of_every = compare_every_word(common) if every else None
    return EmbeddingComparison(left, right, len(common), of_cues, of_random, of_every)


@dataclass(frozen=True)
class PairFigures:
    """Mean Pearson of two entries, for a heat map; None, with the reason, if they cannot be compared."""

    pearson: Distribution | None
    common_words: int
    reason: str = ""


def compare_pair(left: Embedding, right: Embedding, cues: Sequence[str] | None) -> PairFigures:
    """One cell of a heat map: over the cues, or over 100 random ones (None)."""
    try:
        common = common_vocabulary(left, right)
    except NoScore as refused:
        return PairFigures(None, 0, str(refused))
    found = compare_cues(common, cues if cues is not None else random_cues(common.words), neighbours=False)
    reason = "" if found.pearson else "None of the cues is in both vocabularies."
    return PairFigures(found.pearson, len(common), reason)


def described(embedding: Embedding) -> ReferenceUsed:
    """The vectors of one side, as results name them."""
    return {
        "name": embedding.name,
        "sha256": embedding.sha256,
        "words": len(embedding.words),
        "dimensions": embedding.dimensions,
    }


def _all(every: EveryWord) -> dict[str, object]:
    mean: Mapping[str, object] = _plain(every.pearson) or {}
    return {**mean, "histogram": dict(every.histogram), "undefined": every.undefined}


def _figures(cues: CueSet) -> dict[str, CueFigures | None]:
    return {cue: None if figures is None else cast(CueFigures, asdict(figures)) for cue, figures in cues.cues.items()}


def _summary(cues: CueSet) -> dict[str, object]:
    """Mean and standard error of Pearson first, then the other coefficients."""
    mean: Mapping[str, object] = _plain(cues.pearson) or {"n": 0}
    return {
        **mean,
        "spearman": _plain(cues.spearman),
        "kendall": _plain(cues.kendall),
        "unknown": list(cues.unknown),
        "jaccard": _overlap(cues.overlap),
    }


def _plain(figures: Distribution | None) -> DistributionFigures | None:
    return figures.as_dict() if figures else None


def _overlap(found: Overlap | None) -> Jaccard | None:
    if found is None:
        return None
    return {name: {str(n): share for n, share in getattr(found, name).items()} for name in ("full", "common")}
