"""Rules that find a task's words in an embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tasks.vectors import Embedding

Rows = NDArray[np.int64]
UNKNOWN = -1


@dataclass(frozen=True)
class LookUp:
    """A named rule that finds a task's words in an embedding (docs/protocol.md §1.6)."""

    id: str
    rows: Callable[[Embedding, Sequence[str]], Rows]
    """Row of each word, ``UNKNOWN`` for a word that gets ``<unk>``; shape (n,). A function of a module, so that suites
    can be sent to other processes."""


class _DigitsToZero(dict[int, int]):
    """For ``str.translate``: every digit of any script becomes 0. Filled as characters occur."""

    def __missing__(self, code: int) -> int:
        self[code] = ord("0") if chr(code).isdigit() else code
        return self[code]


DIGITS_TO_ZERO = _DigitsToZero()


def written_forms(word: str) -> tuple[str, ...]:
    """The forms that ``open-2026`` tries, in order: as written, lower-cased, Capitalised; the same with digits → 0."""
    forms = (word, word.lower(), word.capitalize())
    return forms + tuple(form.translate(DIGITS_TO_ZERO) for form in forms)


def _find_by_forms(embedding: Embedding, words: Sequence[str]) -> Rows:
    found = np.full(len(words), UNKNOWN, dtype=np.int64)
    forms = [written_forms(word) for word in words]
    for nth in range(6):
        missing = np.flatnonzero(found == UNKNOWN)
        if missing.size:
            found[missing] = embedding.find(forms[i][nth] for i in missing)
    return found


def _find_lower_cased(embedding: Embedding, words: Sequence[str]) -> Rows:
    return embedding.find_lower_cased(words)


AS_WRITTEN_THEN_CASE_THEN_DIGITS = LookUp("as-written-then-case-then-digits", _find_by_forms)
LOWER_CASED = LookUp("lower-cased", _find_lower_cased)
