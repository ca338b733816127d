"""What a fastText model begins with, which also tells it from other files."""

from __future__ import annotations

import struct
from typing import NamedTuple

MAGIC = struct.pack("<i", 793_712_314)
"""Before its version 11, fastText wrote neither this nor the version that follows it."""
_HEADER = struct.Struct("<12i d 3i q")
HEADER_BYTES = _HEADER.size
_MOST_CHARACTERS = 64
"""Of an n-gram; fastText's default is 6."""
SUPERVISED = 3
"""The model of a classifier; 1 is CBOW and 2 skip-gram."""
_MODELS, _LOSSES = (1, 2, SUPERVISED), (1, 2, 3, 4)


class FastTextHeader(NamedTuple):
    """The arguments of the training and the sizes of the dictionary, in fastText's order; only some are used."""

    dimensions: int
    window: int
    epochs: int
    least_count: int
    negative: int
    word_ngrams: int
    loss: int
    model: int
    buckets: int
    shortest: int
    longest: int
    update_rate: int
    sampling: float
    entries: int
    words: int
    labels: int
    tokens: int

    @property
    def is_plausible(self) -> bool:
        counts = (self.words, self.labels, self.buckets, self.longest, self.dimensions)
        return min(counts) >= 0 and self.longest <= _MOST_CHARACTERS and self.entries == self.words + self.labels


def header_in(beginning: bytes) -> FastTextHeader:
    """The header at the start of these bytes, of which there are ``HEADER_BYTES`` or more."""
    return FastTextHeader(*_HEADER.unpack(beginning[:HEADER_BYTES]))


def is_old_fasttext(beginning: bytes) -> bool:
    """Whether a file begins as fastText wrote it before version 11, which has no magic number."""
    if len(beginning) < HEADER_BYTES:
        return False
    header = header_in(beginning)
    return header.is_plausible and header.model in _MODELS and header.loss in _LOSSES and 0 <= header.sampling <= 1
