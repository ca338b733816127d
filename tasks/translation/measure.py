"""How many words of one space have their translation among the nearest words of another (docs/protocol.md §6.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tasks.associations.alignment import Rows32, centred_unit_rows, procrustes, require_equal_dimensions
from tasks.errors import NoScore
from tasks.processes import Progress, no_progress
from tasks.results import Interval
from tasks.statistics.bootstrap import RESAMPLES, SEED, bootstrap_weights
from tasks.statistics.intervals import percentile_interval
from tasks.translation.dictionary import Dictionary
from tasks.translation.retrieval import Ints, hubness, nearest, ranks
from tasks.vectors import UNKNOWN, Embedding, LookUp

AT = (1, 5, 10)
METHODS = ("nearest neighbours", "CSLS")
MOST_WORDS = 200_000
"""Words of either file that take part: the first ones, the most frequent in most files (as in Conneau et al. 2018)."""
LEAST_WORDS = 20
SHOWN, FOUND = 20, 3
_WEIGHTS_A_BLOCK = 4_000_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Precision:
    """Share of the words tested that have a right translation among the first ``at``, in [0, 1].

    Parameters
    ----------
    value : mean over the splits of the dictionary.
    interval : 95 %, test words resampled; the rotation stays, so its words are not part of it.
    sd : over splits; None with one.
    """

    method: str
    at: int
    value: float
    interval: Interval | None
    sd: float | None


@dataclass(frozen=True)
class Example:
    """A test word of the first split, its translations that the other file knows, and what CSLS finds, best first."""

    word: str
    translations: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True)
class Translation:
    """Translation of one file's words into another's.

    Parameters
    ----------
    words : distinct words of the dictionary's first side.
    known : of them, those that the first file knows, with at least one translation that the second one knows.
    pairs, several_words : known pairs; pairs left out because a term has several words.
    learnt, tested : pairs that each rotation was learnt from, and words that it was tested on, in each split.
    candidates : words that each answer was chosen from.
    seeds : of the splits.
    precisions : by both methods at ``AT``.
    examples : the first test words.
    warning : one sentence, or empty.
    left_out : as of :class:`~tasks.translation.dictionary.Dictionary`.
    """

    words: int
    known: int
    pairs: int
    several_words: int
    learnt: tuple[int, ...]
    tested: tuple[int, ...]
    candidates: int
    seeds: tuple[int, ...]
    precisions: tuple[Precision, ...]
    examples: tuple[Example, ...]
    warning: str = ""
    left_out: str = ""

    @property
    def coverage(self) -> float:
        """Share of the dictionary's words that are known, in [0, 1]."""
        return self.known / self.words

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"coverage": self.coverage}


@dataclass(frozen=True)
class _KnownWords:
    """The dictionary's known words by their rows: ``left`` ascending, shape (n,), and the rows of translations of each.

    ``names`` are the words as the dictionary has them.
    """

    left: Ints
    right: tuple[Ints, ...]
    names: tuple[str, ...]
    known: int

    def __len__(self) -> int:
        return len(self.right)


def translate(
    left: Embedding,
    right: Embedding,
    dictionary: Dictionary,
    look_up: LookUp,
    seeds: Sequence[int] = (0,),
    most_words: int = MOST_WORDS,
    progress: Progress = no_progress,
) -> Translation:
    """Learn a rotation from half of a dictionary's words and test it on the others, once a seed.

    Rows are centred and have unit length. All translations of a word are in the same half, and any of them is right.

    Source: Conneau, Lample, Ranzato, Denoyer & Jégou (2018), Word translation without parallel data, §2 and §3.2; the
    rotation as in :func:`tasks.associations.alignment.procrustes`.

    Parameters
    ----------
    left, right : the files of the dictionary's first and second side.
    look_up : finds words; with several forms in a dictionary that have one row, they are one word.
    seeds : of the splits, at least one.
    most_words : of each file; later ones count as unknown, so that another form of a word may be found.
    progress : called with the share that is done.

    Raises
    ------
    InputError
        the files have different dimensions.
    NoScore
        fewer than ``LEAST_WORDS`` are known.
    """
    require_equal_dimensions(left, right)
    left, right = (first_words(one, most_words) for one in (left, right))
    known = _known(left, right, dictionary, look_up)
    words = len({word for word, _ in dictionary.pairs})
    if len(known) < LEAST_WORDS:
        raise NoScore(
            f"Of the dictionary's {words:,} words, {len(known)} are in the first file with a translation in the "
            f"second; at least {LEAST_WORDS} are needed. Is the dictionary the other way round?"
        )
    rows, others = (centred_unit_rows(one.matrix) for one in (left, right))
    splits = [split(len(known), seed) for seed in seeds]
    tests: list[_Tested] = []
    for nth, (learn, test) in enumerate(splits):

        def of_split(share: float, what: str, nth: int = nth) -> None:
            progress((nth + share) / len(splits), f"split {nth + 1} of {len(splits)}, {what}")

        tests.append(_test(rows, others, known, learn, test, of_split))
    learnt = tuple(sum(len(known.right[i]) for i in learn) for learn, _ in splits)
    few = min(learnt) < left.dimensions
    return Translation(
        words=words,
        known=known.known,
        pairs=sum(map(len, known.right)),
        several_words=dictionary.several_words,
        learnt=learnt,
        tested=tuple(len(test) for _, test in splits),
        candidates=len(others),
        seeds=tuple(seeds),
        precisions=tuple(_precisions(len(known), [test for _, test in splits], [one.ranks for one in tests])),
        examples=tuple(_examples(right, known, splits[0][1], tests[0].found)),
        warning=f"{min(learnt)} pairs do not determine a rotation of {left.dimensions} dimensions." if few else "",
        left_out=dictionary.left_out,
    )


def first_words(embedding: Embedding, most: int) -> Embedding:
    """Its first words; the vectors are a view."""
    return replace(embedding, words=embedding.words[:most], matrix=embedding.matrix[:most], stored=None)


def _known(left: Embedding, right: Embedding, dictionary: Dictionary, look_up: LookUp) -> _KnownWords:
    rows = look_up.rows(left, [word for word, _ in dictionary.pairs]).tolist()
    others = look_up.rows(right, [translation for _, translation in dictionary.pairs]).tolist()
    found: dict[int, dict[int, None]] = {}
    names: dict[int, str] = {}
    words: set[str] = set()
    for (word, _), a, b in zip(dictionary.pairs, rows, others, strict=True):
        if UNKNOWN not in (a, b):
            found.setdefault(a, {})[b] = None
            names.setdefault(a, word)
            words.add(word)
    order = sorted(found)
    translations = tuple(np.array(list(found[row]), dtype=np.int64) for row in order)
    return _KnownWords(np.array(order, dtype=np.int64), translations, tuple(names[row] for row in order), len(words))


def split(n: int, seed: int) -> tuple[Ints, Ints]:
    """Which of n words to learn from and to test on, ascending."""
    shuffled = np.random.default_rng([SEED, seed]).permutation(n)
    return np.sort(shuffled[: n // 2]), np.sort(shuffled[n // 2 :])


@dataclass(frozen=True)
class _Tested:
    """Ranks of every test word's first right answer, shape (tests, methods), and rows found for the first few."""

    ranks: Ints
    found: Ints


def _test(left: Rows32, right: Rows32, known: _KnownWords, learn: Ints, test: Ints, progress: Progress) -> _Tested:
    anchors = np.repeat(known.left[learn], [len(known.right[i]) for i in learn])
    rotation = procrustes(left[anchors], right[np.concatenate([known.right[i] for i in learn])])
    mapped = left @ rotation
    hubs = hubness(right, mapped, progress=progress)
    queries = mapped[known.left[test]]
    found = ranks(queries, right, [known.right[i] for i in test], hubs)
    return _Tested(found, nearest(queries[:SHOWN], right, hubs, FOUND))


def _precisions(words: int, tests: Sequence[Ints], found: Sequence[Ints]) -> Iterator[Precision]:
    columns = list(product(range(len(METHODS)), AT))
    hits = [np.stack([of_split[:, method] < at for method, at in columns], axis=1) for of_split in found]
    draws = _resampled(words, tests, hits)
    for i, (method, at) in enumerate(columns):
        values = [float(of_split[:, i].mean()) for of_split in hits]
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
        yield Precision(METHODS[method], at, float(np.mean(values)), percentile_interval(draws[:, i]), sd)


def _resampled(words: int, tests: Sequence[Ints], hits: Sequence[NDArray[np.bool_]]) -> Floats:
    """Mean over splits of every column's share of hits in every resample of all words; shape (RESAMPLES, columns).

    NaN where a resample has no test word of some split.
    """
    generator = np.random.default_rng(SEED)
    some = max(1, _WEIGHTS_A_BLOCK // words)
    blocks = []
    for start in range(0, RESAMPLES, some):
        weights = bootstrap_weights(words, min(some, RESAMPLES - start), generator).astype(np.float64)
        shares = np.zeros((len(weights), hits[0].shape[1]))
        for test, hit in zip(tests, hits, strict=True):
            drawn = weights[:, test].sum(axis=1)
            drawn[drawn == 0] = np.nan
            shares += weights[:, test] @ hit / drawn[:, None]
        blocks.append(shares / len(tests))
    return np.concatenate(blocks)


def _examples(right: Embedding, known: _KnownWords, test: Ints, found: Ints) -> Iterator[Example]:
    for i, rows in zip(test[: len(found)].tolist(), found.tolist(), strict=True):
        translations = tuple(right.words[row] for row in known.right[i].tolist())
        yield Example(known.names[i], translations, tuple(right.words[row] for row in rows))
