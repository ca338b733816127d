"""Word Embedding Association Test (Caliskan et al. 2017), and one word alone (docs/protocol.md §6.1, §6.2).

Permutation tests over two lists use all partitions of their items, or a sample.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.metrics.distances import exact_unit_rows
from tasks.results import Interval
from tasks.statistics.intervals import standardised_difference_interval
from tasks.vectors import UNKNOWN, Embedding, LookUp

MOST = 100_000
"""Largest number of partitions; of more, this many are drawn."""
SEED = 0
_A_BLOCK = 2_000_000
"""Entries in a block of partitions in double precision."""
TOLERANCE = 1e-12
"""Bound of rounding in sums of the same items in another order, relative to the sum of absolute values."""
CAUTION = (
    "An association test shows how vectors place the words of these lists, not why, and its answer depends on the few "
    "words chosen: other words for the same idea can reverse it (Ethayarajh et al. 2019). It does not predict harm "
    "by a system that uses the vectors (Goldfarb-Tarrant et al. 2021)."
)
"""Note shown with every answer."""
MOST_UNKNOWN = 5
"""A list with one unknown word in this many, or more, gives no score."""
_EQUAL = 1e-12
"""Relative spread that is attributed to rounding."""
Floats = NDArray[np.float64]


def is_exact(n: int, first: int) -> bool:
    """True if all partitions of n items are used."""
    return math.comb(n, first) <= MOST


@lru_cache(maxsize=8)
def partitions(n: int, first: int) -> NDArray[np.bool_]:
    """Partitions of n items, as flags of the first list, whose size is fixed.

    Returns
    -------
    bool, shape (partitions, n)
        every partition once, or ``MOST`` seeded random ones.
    """
    if is_exact(n, first):
        count = math.comb(n, first)
        chosen = np.fromiter(chain.from_iterable(combinations(range(n), first)), np.int64, count * first)
        flags = np.zeros((count, n), dtype=bool)
        np.put_along_axis(flags, chosen.reshape(count, first), values=True, axis=1)
        return flags
    generator = np.random.default_rng([SEED, n, first])
    size = max(1, _A_BLOCK // n)
    blocks = (min(size, MOST - start) for start in range(0, MOST, size))
    return np.concatenate([drawn_partitions(generator, rows, n, first) for rows in blocks])


def drawn_partitions(generator: np.random.Generator, rows: int, n: int, first: int) -> NDArray[np.bool_]:
    """Random partitions of n items, as flags of the first list, shape (rows, n)."""
    drawn = generator.random((rows, n))
    return np.less_equal(drawn, np.partition(drawn, first - 1, axis=1)[:, first - 1 : first])


def p_values(values: ArrayLike, first: int) -> NDArray[np.float64]:
    """One-sided p of the sum of the first items.

    The share of partitions with at least the observed sum in the first list; for a sample (k + 1) / (n + 1). For two
    lists of fixed sizes, sums order partitions as differences of sums and of means do.

    Parameters
    ----------
    values : shape (n, columns), one test per column.
    first : size of the first list, which is the first rows.

    Returns
    -------
    float64, shape (columns,)

    >>> p_values([[3.0], [2.0], [1.0], [0.0]], first=2).round(4).tolist()
    [0.1667]
    """
    columns = np.asarray(values, dtype=np.float64)
    n = len(columns)
    every = partitions(n, first)
    least = columns[:first].sum(axis=0) - TOLERANCE * np.abs(columns).sum(axis=0)
    rows = max(1, _A_BLOCK // n)
    reached = sum(
        np.count_nonzero(every[start : start + rows].astype(np.float64) @ columns >= least, axis=0)
        for start in range(0, len(every), rows)
    )
    share: NDArray[np.float64] = np.asarray(reached) / len(every)
    return share if is_exact(n, first) else (np.asarray(reached) + 1) / (len(every) + 1)


@dataclass(frozen=True)
class WordList:
    """Named list of distinct words."""

    name: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, name: str, words: Sequence[str]) -> WordList:
        """The words in order, without repetitions."""
        return cls(name, tuple(dict.fromkeys(words)))


@dataclass(frozen=True)
class AssociationQuestion:
    """Are the first targets nearer to the first attributes than the second targets are, by comparison with the second?

    X, Y, A and B of the source.
    """

    targets: tuple[WordList, WordList]
    attributes: tuple[WordList, WordList]

    @property
    def lists(self) -> tuple[WordList, ...]:
        """X, Y, A, B."""
        return (*self.targets, *self.attributes)


@dataclass(frozen=True)
class OfOneWord:
    """Association of one word with A rather than B: effect size d, and p over partitions of the attributes.

    d is None if the cosines with all attributes are equal.
    """

    d: float | None
    p: float


@dataclass(frozen=True)
class AssociationAnswer:
    """Answer to an :class:`AssociationQuestion`.

    Parameters
    ----------
    d : effect size; None without a score, see ``reason``.
    p : one-sided, over partitions of the targets.
    interval : 95 % interval of d, the target words being a sample; None with fewer than two words in a list, or if
        all words of each list are equally near.
    partitions : number of partitions behind ``p``.
    exact : ``p`` is over all partitions.
    words : the known words of each list, by its name.
    missing : unknown words, in order.
    left_out : known words that do not count, with the reason: a row shared with another word of the list, or with
        another list.
    single : every known target word.
    reason : a sentence if there is no score.
    """

    d: float | None
    p: float | None
    interval: Interval | None
    partitions: int
    exact: bool
    words: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    single: Mapping[str, OfOneWord]
    left_out: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""

    def as_dict(self) -> dict[str, object]:
        """JSON object of the command; ``left_out`` and ``reason`` only if not empty."""
        return {name: value for name, value in asdict(self).items() if name not in ("left_out", "reason") or value}


def associate(embedding: Embedding, look_up: LookUp, question: AssociationQuestion) -> AssociationAnswer:
    """Answer a question with the known words. A row counts once, and not at all if it is in two lists.

    Source: Caliskan, Bryson & Narayanan (2017), supplementary materials, "Word Embedding Association Test".
    """
    rows_of_lists = _known_rows(embedding, look_up, question)
    lists = list(zip(question.lists, rows_of_lists, strict=True))
    missing = tuple(dict.fromkeys(word for words, rows in lists for word in words.words if word not in rows))
    reasons = [reason for words, rows in lists if (reason := _too_few(words, rows))]
    counted, left_out = _rows_once(question.lists, rows_of_lists)
    words = {listed.name: tuple(rows) for listed, rows in zip(question.lists, counted, strict=True)}
    if not reasons and not all(counted):
        empty = ", ".join(f"“{name}”" for name, rows in words.items() if not rows)
        reasons = [f"Without the words that are in two lists, none is left in {empty}."]
    if reasons:
        return _without(words, missing, left_out, " ".join(reasons))
    first, second, a, b = (exact_unit_rows(embedding.matrix[list(rows.values())]) for rows in counted)
    targets = np.concatenate([first, second])
    cosines = np.concatenate([a, b]) @ targets.T  # shape (attributes, targets)
    nearness = cosines[: len(a)].mean(axis=0) - cosines[len(a) :].mean(axis=0)
    deviation = _deviation(nearness)
    if not deviation:
        return _without(words, missing, left_out, "Every target word is equally near to both lists of attributes.")
    sizes = len(first), len(second)
    tried = partitions(len(targets), sizes[0])
    d = _difference(nearness, sizes[0]) / deviation
    return AssociationAnswer(
        d=d,
        p=float(p_values(nearness[:, None], sizes[0])[0]),
        interval=effect_size_interval(d, *sizes),
        partitions=len(tried),
        exact=is_exact(len(targets), sizes[0]),
        words=words,
        missing=missing,
        single=_single([*counted[0], *counted[1]], cosines, len(a)),
        left_out=left_out,
    )


def _known_rows(embedding: Embedding, look_up: LookUp, question: AssociationQuestion) -> list[dict[str, int]]:
    """The known words of each list, with their rows."""
    pairs = [zip(words.words, look_up.rows(embedding, words.words).tolist(), strict=True) for words in question.lists]
    return [{word: row for word, row in pairs_of_list if row != UNKNOWN} for pairs_of_list in pairs]


def _rows_once(
    lists: Sequence[WordList], rows_of_lists: Sequence[Mapping[str, int]]
) -> tuple[list[dict[str, int]], dict[str, str]]:
    """The words that count, with their rows, and the reasons why others do not."""
    left_out: dict[str, str] = {}
    once: list[dict[str, int]] = []
    for rows in rows_of_lists:
        first: dict[int, str] = {}
        for word, row in rows.items():
            if row in first:
                left_out[word] = f"the same vector as “{first[row]}”"
            first.setdefault(row, word)
        once.append({word: row for row, word in first.items()})
    owners: dict[int, list[str]] = {}
    for words, rows in zip(lists, once, strict=True):
        for row in rows.values():
            owners.setdefault(row, []).append(words.name)
    for rows in once:
        for word, row in list(rows.items()):
            if len(owners[row]) > 1:
                left_out[word] = f"in {' and '.join(f'“{name}”' for name in owners[row])}"
                del rows[word]
    return once, left_out


def _without(
    words: Mapping[str, tuple[str, ...]], missing: tuple[str, ...], left_out: Mapping[str, str], reason: str
) -> AssociationAnswer:
    return AssociationAnswer(None, None, None, 0, False, words, missing, {}, left_out, reason)


def shown(left_out: Mapping[str, str]) -> str:
    """A sentence on the words that do not count; empty if all do."""
    return f"Left out: {'; '.join(f'“{word}” ({why})' for word, why in left_out.items())}." if left_out else ""


def _too_few(words: WordList, rows: Mapping[str, int]) -> str:
    """A sentence that lists the unknown words of a list with too many; else empty. Spellings of one row count once."""
    unknown = [word for word in words.words if word not in rows]
    if rows and MOST_UNKNOWN * len(unknown) < len(unknown) + len(set(rows.values())):
        return ""
    if not words.words:
        return f"The list “{words.name}” has no word."
    return f"The file lacks {len(unknown)} of the {len(words.words)} words of “{words.name}”: {', '.join(unknown)}."


def _difference(nearness: Floats, first: int) -> float:
    return float(nearness[:first].mean() - nearness[first:].mean())


def _deviation(values: Floats) -> float:
    """Standard deviation with n − 1; 0 if all values are equal but for rounding."""
    deviation = float(values.std(ddof=1))
    return deviation if deviation > _EQUAL * float(np.abs(values).max()) else 0.0


def effect_size_interval(d: float, n: int, m: int) -> Interval | None:
    """95 % interval of the d of all words that two lists stand for, by the noncentral t (docs/protocol.md §6.1).

    d divides by the standard deviation over both lists. With θ, the difference in standard deviations *within* the
    lists (N - 2 degrees of freedom, N = n + m), it is d = θ √((N - 1) / (N - 2 + θ² nm / N)) in the lists, and
    θ / √(1 + θ² nm / N²) in the population. The first is at most √((N - 1) N / nm), the second N / √(nm): where d is
    within a few per cent of its maximum, it can be below the lower limit, which is then d itself.

    Parameters
    ----------
    n, m : numbers of target words in the two lists.

    Returns
    -------
    (low, high) or None
        None with fewer than two words in a list, or if all words of each list are equally near.
    """
    size = n + m
    left = size - 1 - d**2 * n * m / size  # share of the sum of squares that is within the lists, times N - 1
    if min(n, m) < 2 or left <= _EQUAL * size:
        return None
    effects = standardised_difference_interval(d * math.sqrt((size - 2) / left), n, m)
    low, high = (effect / math.sqrt(1 + effect**2 * n * m / size**2) for effect in effects)
    return min(low, d), max(high, d)


def _single(words: Sequence[str], cosines: Floats, first: int) -> dict[str, OfOneWord]:
    """Every target word against the attributes; ``cosines``: shape (attributes, targets)."""
    chances = p_values(cosines, first)
    figures = {}
    for word, column, p in zip(words, cosines.T, chances, strict=True):
        deviation = _deviation(column)
        figures[word] = OfOneWord(_difference(column, first) / deviation if deviation else None, float(p))
    return figures
