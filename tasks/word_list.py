"""The words that vectors of an open vocabulary are composed for: a suite's list (docs/protocol.md §1.3), or those of
texts that one studies.

A suite's list has first the words of its prescribed corpus by falling frequency, those of equal frequency in the order
of their first occurrence; then all other words of its data sets as written, sorted by code point.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from tasks.base import digest
from tasks.baseline.corpus_text import corpus_lines
from tasks.coverage import words_of
from tasks.datasets.examples import Document
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import FOLDER, DataStore
from tasks.errors import DataUnavailable
from tasks.files import packed_model, write_whole
from tasks.formats import ReadRequest, read
from tasks.guess_language import COMMON
from tasks.languages import ENGLISH
from tasks.prepared import open_prepared
from tasks.probes import words_of as words_of_post
from tasks.suite import Suite
from tasks.vectors import Embedding

REVISION = 1
"""Increased when other words are listed from the same data."""


def listed_words(suite: Suite, data: DataStore) -> list[str]:
    """The list, computed now; no word occurs twice, and none holds white space.

    Raises
    ------
    DataUnavailable
        the corpus or a data set is missing.
    """
    counted: Counter[str] = Counter()
    for line in corpus_lines(suite, data):
        counted.update(line.split())
    of_corpus = [word for word, _ in counted.most_common()]  # stable: equal counts stay in the order of occurrence
    others = {word for dataset in _datasets(suite) for text in _texts(data, dataset) for word in text.split()}
    return [*of_corpus, *sorted(others.difference(counted))]


def word_list(suite: Suite, data: DataStore) -> Path:
    """The list as a file of UTF-8 text, one word per line; made once per machine and kept in the data directory.

    Raises
    ------
    DataUnavailable
        the corpus or a data set is missing.
    """
    contents = [data.content_sha256(dataset) for dataset in (suite.corpus.dataset, *_datasets(suite))]
    path = data.data_dir / FOLDER / f"{digest(['words', REVISION, contents])}.txt"
    if not path.is_file():
        words = listed_words(suite, data)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, "".join(f"{word}\n" for word in words))
    return path


def words_to_try(suite: Suite, data: DataStore, others: Path) -> Path:
    """A suite's list or, for lack of its data, a new file of other words to try a model with: common words of many
    languages, and those of the data sets that are on this machine."""
    with suppress(DataUnavailable):
        return word_list(suite, data)
    here = [name for name in _datasets(suite) if data.status(name).available]
    words = {word for dataset in here for text in _texts(data, dataset) for word in text.split()}
    write_whole(others, "".join(f"{word}\n" for word in sorted(words.union(*COMMON.values()))))
    return others


def words_for(suite: Suite) -> Callable[[], Path]:
    """Function that returns a suite's list from the default data, made on first use."""
    return lambda: word_list(suite, DataStore.default())


def read_for(suite: Suite, path: Path, language: str = ENGLISH) -> Embedding:
    """The vectors of a file; those of an open vocabulary are composed for a suite's list.

    Raises
    ------
    InputError
        the file is rejected.
    """
    return read(ReadRequest(path, words=words_for(suite)), language=language)


@dataclass(frozen=True)
class NamedVectors:
    """A vector file, or a folder of a static token model or of prepared vectors, with the name that reports give it.

    Parameters
    ----------
    member : of an archive of several files, the one to read.
    """

    name: str
    path: Path
    language: str = ENGLISH
    member: str = ""

    def with_words(self, words: Iterable[str], scratch: Path) -> Embedding:
        """The vectors under the NFKC forms of their words; those of an open vocabulary are composed for these words.

        Parameters
        ----------
        scratch : folder for the list of the words and a packed model.

        Raises
        ------
        InputError
            the file is rejected.
        """
        packed = packed_model(self.path, scratch) if self.path.is_dir() else self.path
        if packed is None:
            return _normalised(open_prepared(self.path, name=self.name, language=self.language))

        def listed() -> Path:
            path = scratch / "words.txt"
            path.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
            return path

        embedding = read(ReadRequest(packed, self.member, words=listed), language=self.language)
        return _normalised(replace(embedding, name=self.name))


def _normalised(embedding: Embedding) -> Embedding:
    """The same rows under the NFKC forms of their words, as texts are normalised. A word in this form keeps its row."""
    others = [i for i, word in enumerate(embedding.words) if not unicodedata.is_normalized("NFKC", word)]
    if not others:
        return embedding
    words, spellings = list(embedding.words), set(embedding.words)
    for i in others:
        form = unicodedata.normalize("NFKC", words[i])
        if form not in spellings:
            spellings.add(form)
            words[i] = form
    return replace(embedding, words=words)


def _datasets(suite: Suite) -> list[str]:
    """Data sets with examples, each once; without those of the operator, as the list is the same on every site."""
    named = dict.fromkeys(task.dataset for task in suite.tasks if task.dataset and not task.by_operator)
    return [name for name in named if REGISTRY[name].reader is not None]


def _texts(data: DataStore, dataset: str) -> Iterator[str]:
    """Words of a data set; some data sets write phrases, whose words are looked up one by one."""
    for example in chain.from_iterable(data.load(dataset).values()):
        words: Iterable[str] = words_of_post(example.text) if isinstance(example, Document) else words_of(example)
        yield from words
