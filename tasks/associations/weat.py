"""Word Embedding Association Test (Caliskan et al. 2017), and one word alone (docs/protocol.md §6.1, §6.2).

Permutation tests over two lists try all ways to divide their items again, or a sample of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.bootstrap import RESAMPLES
from tasks.look_up import UNKNOWN, LookUp
from tasks.metrics.cosine import exact_unit_rows
from tasks.results import Interval
from tasks.statistics import percentile_interval
from tasks.vectors import Embedding

MOST = 100_000
"""Up to this many partitions, all are tried; otherwise this many are drawn."""
SEED = 0
_A_BLOCK = 2_000_000
"""Entries of a block of partitions in double precision."""
TOLERANCE = 1e-12
"""Sums of the same items in another order differ by less, relative to the sum of sizes."""
CAUTION = (
    "An association test shows how vectors place the words of these lists, not why, and its answer depends on the few "
    "words chosen: other words for the same idea can reverse it (Ethayarajh et al. 2019). It does not predict harm "
    "by a system that uses the vectors (Goldfarb-Tarrant et al. 2021)."
)
"""Shown with every answer."""
MOST_UNKNOWN = 5
"""A list in which one word in this many, or more, is unknown gives no score."""
_EQUAL = 1e-12
"""A spread below this, relative to the values, is rounding."""
Floats = NDArray[np.float64]


def is_exact(n: int, first: int) -> bool:
    """Whether all partitions of n items are tried."""
    return math.comb(n, first) <= MOST


@lru_cache(maxsize=8)
def partitions(n: int, first: int) -> NDArray[np.bool_]:
    """Which of n items are in the first list, whose size stays.

    Returns
    -------
    bool, shape (partitions, n)
        every partition once, or ``MOST`` seeded random ones.
    """
    if is_exact(n, first):
        count = math.comb(n, first)
        chosen = np.fromiter(chain.from_iterable(combinations(range(n), first)), np.int64, count * first)
        found = np.zeros((count, n), dtype=bool)
        np.put_along_axis(found, chosen.reshape(count, first), values=True, axis=1)
        return found
    generator = np.random.default_rng([SEED, n, first])
    return np.concatenate([drawn_partitions(generator, rows, n, first) for rows in _blocks(n)])


def _blocks(n: int) -> Iterator[int]:
    rows = max(1, _A_BLOCK // n)
    return (min(rows, MOST - start) for start in range(0, MOST, rows))


def drawn_partitions(generator: np.random.Generator, rows: int, n: int, first: int) -> NDArray[np.bool_]:
    """Random partitions: which of n items are in the first list, shape (rows, n)."""
    drawn = generator.random((rows, n))
    return np.less_equal(drawn, np.partition(drawn, first - 1, axis=1)[:, first - 1 : first])


def p_values(values: ArrayLike, first: int) -> NDArray[np.float64]:
    """One-sided p of "the first items sum to more than others would".

    The share of partitions whose first list sums to at least the observed sum; of a sample (k + 1) / (n + 1). For two
    lists of fixed sizes this orders partitions as the difference of sums, and of means, does.

    Parameters
    ----------
    values : shape (n, columns): every column is a test of its own.
    first : size of the first list: the first rows.

    Returns
    -------
    float64, shape (columns,)
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
    """Words by a name; a word counts once."""

    name: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, name: str, words: Sequence[str]) -> WordList:
        """Without repetitions, in order."""
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
    """How much nearer one word is to A than to B: effect size d, and p over partitions of the attributes.

    None: its cosines with all attributes are equal.
    """

    d: float | None
    p: float


@dataclass(frozen=True)
class AssociationAnswer:
    """An answer.

    Parameters
    ----------
    d : effect size; None: no score, see ``reason``.
    p : one-sided, over partitions of the targets.
    interval : 95 %, from resampled targets; None with fewer than two words in a list.
    partitions : number of partitions behind ``p``; ``exact``: all there are.
    words : the known words of each list, by its name.
    missing : words that the file lacks, in order.
    left_out : known words that do not count, with the reason: another word of the list has the same row, or two lists
        have the row.
    single : every known target word.
    reason : why there is no score, one sentence.
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
        """The JSON object of the command; what was left out, and a reason, only where there is one."""
        return {name: value for name, value in asdict(self).items() if name not in ("left_out", "reason") or value}


def associate(embedding: Embedding, look_up: LookUp, question: AssociationQuestion) -> AssociationAnswer:
    """Answer a question with the words that the vectors know. A row counts once, and not if two lists have it.

    Source: Caliskan, Bryson & Narayanan (2017), supplementary materials, "Word Embedding Association Test".
    """
    found = [dict(zip(one.words, look_up.rows(embedding, one.words).tolist(), strict=True)) for one in question.lists]
    known = [{word: row for word, row in own.items() if row != UNKNOWN} for own in found]
    missing = tuple(dict.fromkeys(word for own in found for word, row in own.items() if row == UNKNOWN))
    reasons = [reason for one, own in zip(question.lists, known, strict=True) if (reason := _too_few(one, own))]
    counted, left_out = _rows_once(question.lists, known)
    words = {one.name: tuple(own) for one, own in zip(question.lists, counted, strict=True)}
    if not reasons and not all(counted):
        empty = ", ".join(f"“{name}”" for name, own in words.items() if not own)
        reasons = [f"Without the words that are in two lists, none is left in {empty}."]
    if reasons:
        return _without(words, missing, left_out, " ".join(reasons))
    first, second, a, b = (exact_unit_rows(embedding.matrix[list(own.values())]) for own in counted)
    targets = np.concatenate([first, second])
    cosines = np.concatenate([a, b]) @ targets.T  # shape (attributes, targets)
    nearness = cosines[: len(a)].mean(axis=0) - cosines[len(a) :].mean(axis=0)
    deviation = _deviation(nearness)
    if not deviation:
        return _without(words, missing, left_out, "Every target word is equally near to both lists of attributes.")
    sizes = len(first), len(second)
    tried = partitions(len(targets), sizes[0])
    return AssociationAnswer(
        d=_difference(nearness, sizes[0]) / deviation,
        p=float(p_values(nearness[:, None], sizes[0])[0]),
        interval=_interval(nearness, sizes[0]),
        partitions=len(tried),
        exact=is_exact(len(targets), sizes[0]),
        words=words,
        missing=missing,
        single=_single([*counted[0], *counted[1]], cosines, len(a)),
        left_out=left_out,
    )


def _rows_once(
    lists: Sequence[WordList], known: Sequence[Mapping[str, int]]
) -> tuple[list[dict[str, int]], dict[str, str]]:
    """The words that count, with their rows, and why the others do not."""
    left_out: dict[str, str] = {}
    once: list[dict[str, int]] = []
    for own in known:
        first: dict[int, str] = {}
        for word, row in own.items():
            if row in first:
                left_out[word] = f"the same vector as “{first[row]}”"
            first.setdefault(row, word)
        once.append({word: row for row, word in first.items()})
    owners: dict[int, list[str]] = {}
    for one, own in zip(lists, once, strict=True):
        for row in own.values():
            owners.setdefault(row, []).append(one.name)
    for own in once:
        for word, row in list(own.items()):
            if len(owners[row]) > 1:
                left_out[word] = f"in {' and '.join(f'“{name}”' for name in owners[row])}"
                del own[word]
    return once, left_out


def _without(
    words: Mapping[str, tuple[str, ...]], missing: tuple[str, ...], left_out: Mapping[str, str], reason: str
) -> AssociationAnswer:
    return AssociationAnswer(None, None, None, 0, False, words, missing, {}, left_out, reason)


def shown(left_out: Mapping[str, str]) -> str:
    """A sentence about the words that do not count; empty if all do."""
    return f"Left out: {'; '.join(f'“{word}” ({why})' for word, why in left_out.items())}." if left_out else ""


def _too_few(asked: WordList, known: Mapping[str, int]) -> str:
    """A sentence that names the unknown words of a list that lacks too many; empty: it is fine.

    Spellings of one row count once.
    """
    unknown = [word for word in asked.words if word not in known]
    if known and MOST_UNKNOWN * len(unknown) < len(unknown) + len(set(known.values())):
        return ""
    if not asked.words:
        return f"The list “{asked.name}” has no word."
    return f"The file lacks {len(unknown)} of the {len(asked.words)} words of “{asked.name}”: {', '.join(unknown)}."


def _difference(nearness: Floats, first: int) -> float:
    return float(nearness[:first].mean() - nearness[first:].mean())


def _deviation(values: Floats) -> float:
    """Standard deviation with n − 1, along the first axis; 0 where all values are equal but for rounding."""
    found = float(values.std(ddof=1))
    return found if found > _EQUAL * float(np.abs(values).max()) else 0.0


def _interval(nearness: Floats, first: int) -> Interval | None:
    """95 % interval of d: targets are drawn again within each list; resamples of equal words have no d."""
    sizes = first, len(nearness) - first
    if min(sizes) < 2:
        return None
    generator = np.random.default_rng(SEED)
    drawn = [
        nearness[start + generator.integers(0, size, (RESAMPLES, size))]
        for start, size in zip((0, first), sizes, strict=True)
    ]
    difference = drawn[0].mean(axis=1) - drawn[1].mean(axis=1)
    deviation = np.concatenate(drawn, axis=1).std(axis=1, ddof=1)
    varied = deviation > _EQUAL * np.abs(nearness).max()
    return percentile_interval(difference[varied] / deviation[varied])


def _single(words: Sequence[str], cosines: Floats, first: int) -> dict[str, OfOneWord]:
    """Every target word against the attributes; ``cosines``: shape (attributes, targets)."""
    chances = p_values(cosines, first)
    found = {}
    for word, column, p in zip(words, cosines.T, chances, strict=True):
        deviation = _deviation(column)
        found[word] = OfOneWord(_difference(column, first) / deviation if deviation else None, float(p))
    return found
