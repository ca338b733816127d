"""The fixed words of the map: ``python -m tasks.intrinsic.map_words`` prints the list stored beside this file.

They are the words of the English supersense oracle, of at least two letters, that are the 1,000 most frequent in the
prescribed corpus text of ``open-2026``; ties are broken alphabetically.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from tasks.baseline.corpus_text import corpus_lines
from tasks.datasets.store import DataStore
from tasks.intrinsic.qvec import oracle_of
from tasks.suites import OPEN_2026

COUNT = 1_000
ORACLE_PART = "semcor_noun_verb.supersenses.en"
STORED = Path(__file__).with_name("map_words.txt")


@lru_cache(maxsize=1)
def map_words() -> tuple[str, ...]:
    """The stored list, most frequent first."""
    return tuple(STORED.read_text(encoding="utf-8").split())


def most_frequent(lines: Iterable[str], among: Iterable[str], count: int = COUNT) -> list[str]:
    """The words of ``among`` with the most occurrences in lines of tokens."""
    wanted = {word for word in among if word.isalpha() and len(word) > 1}
    counts = Counter(token for line in lines for token in line.split(" ") if token in wanted)
    return sorted(counts, key=lambda word: (-counts[word], word))[:count]


def regenerated(store: DataStore) -> list[str]:
    """Build the list from its sources.

    Raises
    ------
    DataUnavailable
        the corpus or the oracle is missing.
    """
    return most_frequent(corpus_lines(OPEN_2026, store), oracle_of(store.load("qvec")[ORACLE_PART]).words)


if __name__ == "__main__":
    print("\n".join(regenerated(DataStore.default())))
