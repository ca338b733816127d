"""Word translation between two spaces with a bilingual dictionary (docs/protocol.md §6.7): descriptive, in no mean.

The measure is the share of words with their translation among the nearest words of the other space, by cosine and by
CSLS, which discounts hubs. Products of vocabularies are computed in blocks of at most 64 MB, for 200,000 words on
either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from extensions.shared.measure.alignment import Rows32, centred_unit_rows, procrustes, require_equal_dimensions
from tasks.errors import InputError, NoScore
from tasks.processes import Progress, no_progress
from tasks.results import Interval
from tasks.statistics.bootstrap import RESAMPLES, SEED, bootstrap_weights
from tasks.statistics.intervals import percentile_interval
from tasks.text import LeftOut
from tasks.vectors import UNKNOWN, Embedding, LookUp, order_warnings

MOST_PAIRS = 500_000
LONGEST = 200
"""Most characters of a term."""
_FIELD = "dictionary"
_LINE_ENDS = re.compile("\r\n|\n|\r")
NEIGHBOURHOOD = 10
"""Neighbours in the mean cosine that measures hubness (Conneau et al. 2018, §2.3)."""
_ROWS, _COLUMNS = 8_192, 1_024
_ENTRIES = 1 << 24
"""Most cosines of a block with all columns."""
Ints = NDArray[np.int64]
AT = (1, 5, 10)
METHODS = ("nearest neighbours", "CSLS")
MOST_WORDS = 200_000
"""First words of either file to use, the most frequent in most files (as in Conneau et al. 2018)."""
LEAST_WORDS = 20
SHOWN, ANSWERS = 20, 3
_WEIGHTS_A_BLOCK = 4_000_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dictionary:
    """Pairs of words.

    Parameters
    ----------
    pairs : distinct (word, translation), in file order.
    several_words : number of pairs left out because a term has several words.
    left_out : a sentence on the number and the first of the invalid lines; empty without any.
    """

    pairs: tuple[tuple[str, str], ...]
    several_words: int = 0
    left_out: str = ""


def read_dictionary(text: str, most_pairs: int = MOST_PAIRS) -> Dictionary:
    """Read lines of a word, a separator and its translation; terms of several words need a tab, semicolon or comma.

    Raises
    ------
    InputError
        there are too many pairs, or no valid line.
    """
    pairs: dict[tuple[str, str], None] = {}
    several = 0
    left_out = LeftOut()
    for line, written in enumerate(_LINE_ENDS.split(text), start=1):
        try:
            terms = _terms(written, line)
        except InputError as error:
            left_out.add(error)
            continue
        if any(" " in term for term in terms):
            several += 1
        elif terms:
            pairs[terms[0], terms[1]] = None
        if len(pairs) > most_pairs:
            message = f"The dictionary has more than {most_pairs:,} pairs, the limit; line {line} is one too many."
            raise InputError("too-many-pairs", message, line=line, field=_FIELD)
    if not pairs:
        if not several:
            left_out.refuse()
        message = (
            "The dictionary has no pair of single words. Write a word, a space, tab or comma, and its translation on "
            "each line."
        )
        raise InputError("no-pairs", message, field=_FIELD)
    return Dictionary(tuple(pairs), several, left_out.sentence("Lines"))


_MARKS = ";,"


def _terms(text: str, line: int) -> list[str]:
    """The two terms of a line, spaces within them single; none for an empty line.

    A tab separates them, or a blank, or else a semicolon or comma: numbers such as 10,000 stay whole.
    """
    fields = text.split("\t") if "\t" in text else text.split()
    if "\t" not in text and (len(fields) != 2 or (len(fields[0]) > 1 and fields[0][-1] in _MARKS)):
        halves = (text.split(mark) for mark in _MARKS)
        fields = next((half for half in halves if len(half) == 2 and all(map(str.strip, half))), fields)
    parts = [" ".join(part.split()) for part in fields]
    terms = [part for part in parts if part]
    if len(terms) not in (0, 2):
        message = (
            f"Line {line} of the dictionary has {len(terms)} term{'' if len(terms) == 1 else 's'} instead of two. "
            "Write a word, a space, tab, comma or semicolon, and its translation; terms of several words need one of "
            "the last three."
        )
        raise InputError("wrong-field-count", message, line=line, field=_FIELD)
    long = next((term for term in terms if len(term) > LONGEST), None)
    if long is not None:
        message = f"A term on line {line} of the dictionary is longer than {LONGEST} characters: “{long[:20]}…”."
        raise InputError("word-too-long", message, line=line, word=long[:LONGEST], field=_FIELD)
    return terms


def hubness(
    rows: Rows32, others: Rows32, count: int = NEIGHBOURHOOD, progress: Progress = no_progress
) -> NDArray[np.float32]:
    """Mean cosine of each row with the ``count`` nearest of the others, r of CSLS; shape (n,).

    Source: Conneau, Lample, Ranzato, Denoyer & Jégou (2018), Word translation without parallel data, equation 2.

    Parameters
    ----------
    rows, others : unit rows of the same space, shapes (n, D) and (m, D); m at least 1.
    """
    count = min(count, len(others))
    means = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        best = np.full((len(block), count), -np.inf, dtype=np.float32)
        for first in range(0, len(others), _COLUMNS):
            cosines = block @ others[first : first + _COLUMNS].T
            some = np.flatnonzero(cosines.max(axis=1) > best[:, 0])  # fewer in later blocks
            best[some] = _largest(np.concatenate([best[some], cosines[some]], axis=1), count)
        means[start : start + len(block)] = best.mean(axis=1)
        progress((start + len(block)) / len(rows), "neighbourhoods")
    return means


def _largest(values: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """The ``count`` largest values of each row, the smallest of them first."""
    values.partition(values.shape[1] - count, axis=1)
    return values[:, -count:]


def ranks(queries: Rows32, candidates: Rows32, right: Sequence[Ints], hubs: NDArray[np.float32]) -> Ints:
    """Number of candidates before each query's first right one, by cosine and by CSLS; shape (n, 2).

    CSLS is 2 cos(x, y) − r(x) − r(y) (Conneau et al. 2018, equation 3); r(x) does not affect the order. Ties are in
    file order.

    Parameters
    ----------
    queries, candidates : unit rows of the same space, shapes (n, D) and (m, D).
    right : rows of each query's right candidates, at least one.
    hubs : r of every candidate, shape (m,), from :func:`hubness`.
    """
    places = np.empty((len(queries), 2), dtype=np.int64)
    size = max(1, _ENTRIES // len(candidates))
    for start in range(0, len(queries), size):
        scores = queries[start : start + size] @ candidates.T
        for method in range(2):
            if method == 1:
                scores *= 2
                scores -= hubs
            for i, row in enumerate(scores, start=start):
                places[i, method] = _rank(row, right[i])
    return places


def _rank(scores: NDArray[np.float32], right: Ints) -> int:
    best = scores[right].max()
    first = right[scores[right] == best].min()
    return int(np.count_nonzero(scores > best) + np.count_nonzero(scores[:first] == best))


def nearest(queries: Rows32, candidates: Rows32, hubs: NDArray[np.float32], count: int) -> Ints:
    """Rows of the best candidates of a few queries by CSLS, best first; shape (n, count) or fewer."""
    return np.argsort(-(2 * (queries @ candidates.T) - hubs), axis=1, kind="stable")[:, :count]


@dataclass(frozen=True)
class Precision:
    """Share of the test words with a right translation among the first ``at``, in [0, 1].

    Parameters
    ----------
    value : mean over the splits of the dictionary.
    interval : 95 % interval, test words resampled, with the rotation fixed.
    sd : over splits; None for a single split.
    """

    method: str
    at: int
    value: float
    interval: Interval | None
    sd: float | None


@dataclass(frozen=True)
class Example:
    """A test word of the first split, its known translations, and the words found by CSLS, best first."""

    word: str
    translations: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True)
class Translation:
    """Translation of one file's words into another's.

    Parameters
    ----------
    words : number of distinct words on the dictionary's first side.
    known : number of words in the first file with at least one translation in the second.
    pairs, several_words : numbers of known pairs, and of pairs left out because a term has several words.
    learnt, tested : numbers of pairs to learn the rotation and of test words, for each split.
    candidates : number of words from which answers are chosen.
    seeds : of the splits.
    precisions : by both methods at ``AT``.
    examples : the first test words.
    warning : on few pairs, and on files in alphabetical order; or empty.
    left_out : as in :class:`Dictionary`.
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


@dataclass(frozen=True)
class _KnownWords:
    """The dictionary's known words by rows: ``left`` ascending, shape (n,), and the rows of each word's translations.

    ``names`` are the words as written in the dictionary.
    """

    left: Ints
    right: tuple[Ints, ...]
    names: tuple[str, ...]
    count: int

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
    """Learn a rotation from half of a dictionary's words and test it on the others, once per seed.

    Rows are centred and scaled to unit length. All translations of a word are in the same half, and any of them is
    right.

    Source: Conneau, Lample, Ranzato, Denoyer & Jégou (2018), Word translation without parallel data, §2 and §3.2; the
    rotation as in :func:`extensions.shared.measure.alignment.procrustes`.

    Parameters
    ----------
    left, right : vectors of the dictionary's first and second side.
    look_up : finds words; forms with one row are one word.
    seeds : seeds of the splits, at least one.
    most_words : of each file; later ones are unknown, and another form of a word may be found instead.
    progress : called with the share done.

    Raises
    ------
    InputError
        the files have different dimensions.
    NoScore
        fewer than ``LEAST_WORDS`` are known.
    """
    require_equal_dimensions(left, right)
    left, right = (first_words(embedding, most_words) for embedding in (left, right))
    known_words = _known_words(left, right, dictionary, look_up)
    words = len({word for word, _ in dictionary.pairs})
    if len(known_words) < LEAST_WORDS:
        raise NoScore(
            f"Of the dictionary's {words:,} words, {len(known_words)} are in the first file with a translation in the "
            f"second; at least {LEAST_WORDS} are needed. Is the dictionary the other way round?"
        )
    rows, others = (centred_unit_rows(embedding.matrix) for embedding in (left, right))
    splits = [split(len(known_words), seed) for seed in seeds]
    tests: list[tuple[Ints, Ints]] = []
    for index, (learn, test) in enumerate(splits):

        def of_split(share: float, what: str, index: int = index) -> None:
            progress((index + share) / len(splits), f"split {index + 1} of {len(splits)}, {what}")

        tests.append(_test(rows, others, known_words, learn, test, of_split))
    learnt = tuple(sum(len(known_words.right[i]) for i in learn) for learn, _ in splits)
    warnings = [f"{min(learnt)} pairs do not determine a rotation of {left.dimensions} dimensions."]
    warnings = warnings if min(learnt) < left.dimensions else []
    # Only of files that are cut, here or before.
    warnings += [w.message for side in (left, right) if len(side.words) == most_words for w in order_warnings(side)]
    return Translation(
        words=words,
        known=known_words.count,
        pairs=sum(map(len, known_words.right)),
        several_words=dictionary.several_words,
        learnt=learnt,
        tested=tuple(len(test) for _, test in splits),
        candidates=len(others),
        seeds=tuple(seeds),
        precisions=tuple(
            _precisions(len(known_words), [test for _, test in splits], [ranks_of_split for ranks_of_split, _ in tests])
        ),
        examples=tuple(_examples(right, known_words, splits[0][1], tests[0][1])),
        warning=" ".join(warnings),
        left_out=dictionary.left_out,
    )


def first_words(embedding: Embedding, most: int) -> Embedding:
    """The first words of an embedding; the vectors are a view."""
    return replace(embedding, words=embedding.words[:most], matrix=embedding.matrix[:most], stored=None)


def _known_words(left: Embedding, right: Embedding, dictionary: Dictionary, look_up: LookUp) -> _KnownWords:
    rows = look_up.rows(left, [word for word, _ in dictionary.pairs]).tolist()
    others = look_up.rows(right, [translation for _, translation in dictionary.pairs]).tolist()
    by_row: dict[int, dict[int, None]] = {}
    names: dict[int, str] = {}
    words: set[str] = set()
    for (word, _), a, b in zip(dictionary.pairs, rows, others, strict=True):
        if UNKNOWN not in (a, b):
            by_row.setdefault(a, {})[b] = None
            names.setdefault(a, word)
            words.add(word)
    order = sorted(by_row)
    translations = tuple(np.array(list(by_row[row]), dtype=np.int64) for row in order)
    return _KnownWords(np.array(order, dtype=np.int64), translations, tuple(names[row] for row in order), len(words))


def split(n: int, seed: int) -> tuple[Ints, Ints]:
    """Indices of the words to learn from and to test on, of n, ascending."""
    shuffled = np.random.default_rng([SEED, seed]).permutation(n)
    return np.sort(shuffled[: n // 2]), np.sort(shuffled[n // 2 :])


def _test(
    left: Rows32, right: Rows32, known_words: _KnownWords, learn: Ints, test: Ints, progress: Progress
) -> tuple[Ints, Ints]:
    """Ranks of every test word's first right answer, shape (tests, methods), and rows found for the first few."""
    anchors = np.repeat(known_words.left[learn], [len(known_words.right[i]) for i in learn])
    rotation = procrustes(left[anchors], right[np.concatenate([known_words.right[i] for i in learn])])
    mapped = left @ rotation
    hubs = hubness(right, mapped, progress=progress)
    queries = mapped[known_words.left[test]]
    places = ranks(queries, right, [known_words.right[i] for i in test], hubs)
    return places, nearest(queries[:SHOWN], right, hubs, ANSWERS)


def _precisions(words: int, tests: Sequence[Ints], places: Sequence[Ints]) -> Iterator[Precision]:
    columns = list(product(range(len(METHODS)), AT))
    hits = [np.stack([of_split[:, method] < at for method, at in columns], axis=1) for of_split in places]
    draws = _resampled(words, tests, hits)
    for i, (method, at) in enumerate(columns):
        values = [float(of_split[:, i].mean()) for of_split in hits]
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
        yield Precision(METHODS[method], at, float(np.mean(values)), percentile_interval(draws[:, i]), sd)


def _resampled(words: int, tests: Sequence[Ints], hits: Sequence[NDArray[np.bool_]]) -> Floats:
    """Mean over splits of every column's share of hits, for every resample of all words; shape (RESAMPLES, columns).

    NaN for a resample without a test word of some split.
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


def _examples(right: Embedding, known_words: _KnownWords, test: Ints, answers: Ints) -> Iterator[Example]:
    for i, rows in zip(test[: len(answers)].tolist(), answers.tolist(), strict=True):
        translations = tuple(right.words[row] for row in known_words.right[i].tolist())
        yield Example(known_words.names[i], translations, tuple(right.words[row] for row in rows))
