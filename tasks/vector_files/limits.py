"""How much a vector file may cost the machine that reads it."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000
KIBIBYTE = 1024


@dataclass(frozen=True)
class Limits:
    """Limits enforced while a file is being read, not after (docs/protocol.md §1.4).

    Parameters
    ----------
    uploaded_bytes : size of the stored file.
    expanded_bytes : size of the expanded file.
    words : vectors in the file, including repeated ones.
    dimensions : numbers in a vector.
    line_bytes : length of a line without its newline.
    word_bytes : length of a word in UTF-8.
    expansion_ratio : expanded : compressed bytes, once ``expansion_grace_bytes`` have been expanded.
    expansion_grace_bytes : expanded bytes before the ratio counts.
    fewest_words : minimum of distinct words.
    fewest_dimensions : minimum of numbers in a vector.
    invalid_share : share of lines, in [0, 1], whose words may be invalid UTF-8.
    row_length : maximum of a row's length, in median lengths of the rows.
    dimension_spread : maximum of a dimension's standard deviation, in that of other dimensions (docs/protocol.md §1.4).
    runs : maximum of files in an archive, each a run of the same setting.
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
    row_length: float = 1_000
    dimension_spread: float = 100
    runs: int = 20

    @property
    def written_bytes(self) -> int:
        """Upper bound of any file that reading writes: a number takes at least two bytes of text, and four here."""
        return 2 * self.expanded_bytes + 8 * self.words + MEGABYTE
