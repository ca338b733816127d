"""The excerpt of one entry's vectors that ships: the first words of the file, in 16-bit numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmark.shipped.vectors import EXCERPT_BITS, EXCERPT_WORDS, Excerpt, list_path, read_list, write_list
from tasks.board_entries.trained import TrainedEntry
from tasks.errors import VecboardError
from tasks.formats import read
from tasks.neighbours import COUNT, lengths_of, nearest
from tasks.vectors import Embedding

PROBED = 1_000
"""Words whose neighbours are compared, about: every n-th."""


@dataclass(frozen=True)
class WrittenExcerpt:
    """An excerpt, and how it differs from the same words in full precision.

    Parameters
    ----------
    asked : words whose neighbours were compared.
    same : share of the ten nearest words that are the same.
    difference : the largest between two cosines of the same pair of words.
    """

    excerpt: Excerpt
    bytes: int
    asked: int
    same: float
    difference: float

    def __str__(self) -> str:
        return (
            f"{self.excerpt.file}: {self.excerpt}, {self.bytes:,} bytes, content hash {self.excerpt.sha256}.\n"
            f"Of the ten nearest among these words, {self.same:.2%} are the same as in full precision; cosines differ "
            f"by at most {self.difference:.5f} ({self.asked:,} words asked)."
        )


def write_excerpt(entry: TrainedEntry, vectors: Path, dump: Path) -> WrittenExcerpt:
    """Write the excerpt beside a dump and name it in its list.

    Raises
    ------
    VecboardError
        the dump does not hold these vectors as that entry's.
    """
    whole = read(vectors)
    listed = read_list(list_path(dump))
    known = listed.get(whole.sha256)
    if known is None or known.made_by != entry.id:
        raise VecboardError(f"{vectors} does not hold the vectors with which {entry.id} is in {dump.name}.")
    first = whole.words[:EXCERPT_WORDS]
    path = dump.with_name(f"{dump.stem}.{entry.id}.npz")
    numbers = np.asarray(whole.matrix[:EXCERPT_WORDS]).astype(f"f{EXCERPT_BITS // 8}")
    np.savez_compressed(path, words=np.array(first), vectors=numbers)
    found = read(path)
    excerpt = Excerpt(path.name, found.sha256, len(found.words))
    write_list(list_path(dump), listed | {whole.sha256: replace(known, excerpt=excerpt)})
    full = replace(whole, words=first, matrix=np.ascontiguousarray(whole.matrix[:EXCERPT_WORDS]), stored=None)
    return WrittenExcerpt(excerpt, path.stat().st_size, *_compared(found, full))


def _compared(excerpt: Embedding, full: Embedding) -> tuple[int, float, float]:
    """Words asked; the share of same neighbours; the largest difference between cosines."""
    same, difference = 0, 0.0
    exact_lengths, rough_lengths = lengths_of(full.matrix), lengths_of(excerpt.matrix)
    rows = range(0, len(full.words), max(1, len(full.words) // PROBED))
    for row in rows:
        exact = {near.word: near.cosine for near in nearest(full, row, lengths=exact_lengths)}
        rough = {near.word: near.cosine for near in nearest(excerpt, row, lengths=rough_lengths)}
        both = exact.keys() & rough.keys()
        same += len(both)
        difference = max([difference, *(abs(exact[word] - rough[word]) for word in both)])
    return len(rows), same / (len(rows) * COUNT), difference
