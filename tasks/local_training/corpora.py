"""A text collection as lines of tokens to train on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tasks.baseline.corpus_text import prescribed_lines, text_lines
from tasks.datasets.dataset import DataSet
from tasks.datasets.store import DataStore


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus that can be read repeatedly.

    Parameters
    ----------
    id : short name, used in file names.
    title, licence : for the technical criteria of an upload.
    documents : returns the lines of every document, tokens joined by single spaces; windows end at line ends. Every
        line of a text without documents is one.
    """

    id: str
    title: str
    licence: str
    documents: Callable[[], Iterator[list[str]]]

    def read(self) -> Iterator[str]:
        """All lines."""
        return (line for lines in self.documents() for line in lines)

    def resampled(self, seed: int) -> TrainingCorpus:
        """The corpus with its documents drawn with replacement, in their original order.

        Source: Antoniak & Mimno (2018), §4, "bootstrap".
        """
        n = sum(1 for _ in self.documents())
        drawn = np.bincount(np.random.default_rng(seed).integers(0, n, n), minlength=n) if n else ()

        def documents() -> Iterator[list[str]]:
            return (lines for times, lines in zip(drawn, self.documents(), strict=True) for _ in range(times))

        return TrainingCorpus(self.id, f"{self.title}, documents resampled", self.licence, documents)


def words_only(lines: Iterable[str]) -> Iterator[str]:
    """Lines without tokens that lack letters, as in the paper (§5); empty lines are dropped."""
    for line in lines:
        words = " ".join(token for token in line.split(" ") if any(map(str.isalpha, token)))
        if words:
            yield words


def collected_corpus(dataset: DataSet, store: DataStore, *, punctuation: bool = False) -> TrainingCorpus:
    """A collection of plain text in the prescribed form (docs/protocol.md §3.1).

    Parameters
    ----------
    dataset : of the registry, with ``paragraphs``.
    punctuation : keep tokens without a letter.

    Raises
    ------
    DataUnavailable
        the collection is not on this machine.
    """
    paragraphs, stored = dataset.paragraphs, store.path(dataset.id)
    assert paragraphs is not None
    read = reader(lambda: ([line] for line in paragraphs(stored)), punctuation, prescribed_lines)
    return TrainingCorpus(dataset.id, dataset.title, dataset.licence, read)


def reader(
    documents: Callable[[], Iterator[list[str]]],
    punctuation: bool,
    in_form: Callable[[Iterable[str]], Iterator[str]] = text_lines,
) -> Callable[[], Iterator[list[str]]]:
    """Documents of paragraphs in the prescribed form."""

    def read() -> Iterator[list[str]]:
        for paragraphs in documents():
            lines = in_form(paragraphs)
            yield list(lines if punctuation else words_only(lines))

    return read
