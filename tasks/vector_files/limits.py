"""How much a vector file may ask of the machine that reads it."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000
KIBIBYTE = 1024


@dataclass(frozen=True)
class Limits:
    """Bounds that hold while a file is being read, not after (PROTOCOL.md §1, "Rejected").

    Parameters
    ----------
    uploaded_bytes : size of the file as it is stored.
    expanded_bytes : size of what a gzipped file expands to.
    words : vectors in the file, repeated ones included.
    dimensions : numbers of a vector.
    line_bytes : one line without its newline.
    word_bytes : one word in UTF-8.
    expansion_ratio : expanded : compressed bytes, once ``expansion_grace_bytes`` have been expanded.
    expansion_grace_bytes : how much may be expanded before the ratio counts.
    fewest_words : distinct words that a file must have.
    fewest_dimensions : numbers that a vector must have.
    invalid_share : share in [0, 1] of the lines whose words may be invalid UTF-8.
    runs : files of an archive, each a run of the same setting.
    """

    uploaded_bytes: int = 3 * GIGABYTE
    expanded_bytes: int = 12 * GIGABYTE
    words: int = 5_000_000
    dimensions: int = 2_000
    line_bytes: int = 256 * KIBIBYTE
    word_bytes: int = KIBIBYTE
    expansion_ratio: int = 50
    expansion_grace_bytes: int = 64 * MEGABYTE
    fewest_words: int = 100
    fewest_dimensions: int = 2
    invalid_share: float = 0.001
    runs: int = 20

    @property
    def written_bytes(self) -> int:
        """More than any single file that reading writes: a number takes two bytes of text or more, and four here."""
        return 2 * self.expanded_bytes + 8 * self.words + MEGABYTE
