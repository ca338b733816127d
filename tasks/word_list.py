"""The words of a suite, for which vectors of an open vocabulary are composed (docs/protocol.md §1.3).

The list has first the words of its prescribed corpus by falling frequency, those of equal frequency in the order
of their first occurrence; then all other words of its data sets as written, sorted by code point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from tasks.base import digest
from tasks.baseline.corpus_text import corpus_lines
from tasks.coverage import words_of
from tasks.datasets.examples import Document
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import FOLDER, DataStore
from tasks.errors import DataUnavailable
from tasks.files import write_whole
from tasks.guess_language import COMMON
from tasks.probes import words_of as words_of_post
from tasks.suite import Suite

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


def _datasets(suite: Suite) -> list[str]:
    """Data sets with examples, each once; without those of the operator, as the list is the same on every site."""
    named = dict.fromkeys(task.dataset for task in suite.tasks if task.dataset and not task.by_operator)
    return [name for name in named if REGISTRY[name].reader is not None]


def _texts(data: DataStore, dataset: str) -> Iterator[str]:
    """Words of a data set; some data sets write phrases, whose words are looked up one by one."""
    for example in chain.from_iterable(data.load(dataset).values()):
        words: Iterable[str] = words_of_post(example.text) if isinstance(example, Document) else words_of(example)
        yield from words
