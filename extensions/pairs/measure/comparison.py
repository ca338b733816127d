"""The comparison of two embeddings by ranking correlation, which script, page and API read (docs/protocol.md §5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.errors import NoScore
from tasks.political.compare import compare_cues, compare_every_word, described
from tasks.political.cues import random_cues
from tasks.political.secondary import CueSet, Distribution, EveryWord
from tasks.political.vocabulary import common_vocabulary
from tasks.vectors import Embedding


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
        """True for identical vectors, for which every correlation is 1 by definition."""
        return self.left.sha256 == self.right.sha256

    def as_dict(self) -> dict[str, object]:
        """JSON object of ``python -m tasks compare --json``."""
        every, listed = self.every, self.cues or self.random
        shape: dict[str, object] | None = None
        if every:
            shape = {**(every["pearson"] or {}), "histogram": every["histogram"], "undefined": every["undefined"]}
        return {
            "a": described(self.left),
            "b": described(self.right),
            "identical": self.identical,
            "common_words": self.common_words,
            "cues": self.cues["cues"] if self.cues else {},
            "cue_set": _summary(self.cues) if self.cues else None,
            "all": shape,
            "random": _summary(self.random) | {"cues": self.random["cues"]} if self.random else None,
            "jaccard": listed["jaccard"] if listed else None,
            "moved": every["moved"] if every else None,
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
    every : also compare over every common word.

    Raises
    ------
    NoScore
        fewer than 200 common words, or no cue is known to both and nothing else was requested.
    """
    common = common_vocabulary(left, right)
    of_cues = compare_cues(common, cues, kendall=True) if cues else None
    if of_cues is not None and of_cues["pearson"] is None and not (random or every):
        raise NoScore(f"None of the {len(cues or ())} cues is in the vocabularies of “{left.name}” and “{right.name}”.")
    of_random = compare_cues(common, random_cues(common.words)) if random else None
    of_every = compare_every_word(common) if every else None
    return EmbeddingComparison(left, right, len(common), of_cues, of_random, of_every)


@dataclass(frozen=True)
class PairFigures:
    """Mean Pearson of two entries, for a heat map; None, with the reason, if they cannot be compared.

    ``unknown`` are the cues left out, as they are not in both vocabularies.
    """

    pearson: Distribution | None
    common_words: int
    reason: str = ""
    unknown: tuple[str, ...] = ()


def compare_pair(left: Embedding, right: Embedding, cues: Sequence[str] | None) -> PairFigures:
    """One cell of a heat map: over the cues, or over 100 random ones (None)."""
    try:
        common = common_vocabulary(left, right)
    except NoScore as refused:
        return PairFigures(None, 0, str(refused))
    compared = compare_cues(common, cues if cues is not None else random_cues(common.words), neighbours=False)
    reason = "" if compared["pearson"] else "None of the cues is in both vocabularies."
    return PairFigures(compared["pearson"], len(common), reason, tuple(compared["unknown"]))


def _summary(cues: CueSet) -> dict[str, object]:
    """Mean and standard error of Pearson first, then the other coefficients."""
    others = {"spearman": cues["spearman"], "kendall": cues["kendall"], "unknown": cues["unknown"]}
    return {**(cues["pearson"] or {"n": 0}), **others, "jaccard": cues["jaccard"]}
