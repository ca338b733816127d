"""The prescribed corpus text of a suite, bit for bit (PROTOCOL.md §3).

A paragraph is, in this order: normalised (Unicode NFKC), lower-cased, tokenised, its digits replaced by 0, and its
tokens joined by one blank. Replacing digits before tokenising would give the same text, as a digit is a word character
either way. Paragraphs without a token are dropped. The text is UTF-8, one paragraph per line, LF after each.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from tasks.base import Progress, no_progress
from tasks.datasets.packing import packed_writer
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.files import whole
from tasks.look_up import DIGITS_TO_ZERO
from tasks.suite import Suite

TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_LINES_A_BATCH = 2_000


def prescribed_lines(paragraphs: Iterable[str]) -> Iterator[str]:
    """Prescribed lines, without their ends, of paragraphs of ordinary text.

    Parameters
    ----------
    paragraphs : texts; line ends inside one are white space like any other.

    Yields
    ------
    str
        tokens joined by single blanks; never an empty line.
    """
    for paragraph in paragraphs:
        tokens = TOKEN.findall(unicodedata.normalize("NFKC", paragraph).lower())
        if tokens:
            yield " ".join(tokens).translate(DIGITS_TO_ZERO)


def corpus_lines(suite: Suite, store: DataStore) -> Iterator[str]:
    """Lines of the prescribed text of a suite's corpus, whether the set is plain text or a Wikipedia XML dump.

    Raises
    ------
    DataUnavailable
        the corpus is missing, damaged or to be supplied by the operator.
    """
    dataset = REGISTRY[suite.corpus.dataset]
    if dataset.paragraphs is None:
        raise DataUnavailable(dataset.id, f"{dataset.title} holds labelled examples, not text to train vectors on.")
    return prescribed_lines(dataset.paragraphs(store.path(dataset.id)))


def write_corpus(suite: Suite, store: DataStore, out: Path, progress: Progress = no_progress) -> str:
    """Write a suite's prescribed text; the file gets its name only when it is complete.

    Parameters
    ----------
    out : gzipped if the name ends in ``.gz``, always with the same bytes (no name, no time stamp).
    progress : called every few thousand lines, always with share 0, as the length is not known.

    Returns
    -------
    str
        SHA-256 of the text (not of its gzipped form), to be compared with ``suite.corpus.sha256``.

    Raises
    ------
    DataUnavailable
        the corpus is missing, damaged or to be supplied by the operator.
    """
    lines = corpus_lines(suite, store)
    digest = hashlib.sha256()
    written = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with whole(out) as partial, packed_writer(partial, gzipped=out.suffix == ".gz") as file:
        while batch := list(islice(lines, _LINES_A_BATCH)):
            block = ("\n".join(batch) + "\n").encode("utf-8")
            digest.update(block)
            file.write(block)
            written += len(batch)
            progress(0.0, f"{written:,} lines")
    return digest.hexdigest()
