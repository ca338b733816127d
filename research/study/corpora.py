"""The study's corpora, counted once (the paper's table 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from research.study.grid import LOCAL, REFERENCE
from research.study.store import Results
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.local_training.corpora import corpus, documents_of


def describe_corpora(results: Results, store: DataStore) -> None:
    """Count documents and tokens of both corpora into ``corpora.json``, unless it is there or a corpus is not."""
    drawn = results.read("cues")
    if results.read("corpora") is not None or drawn is None:
        return
    try:
        found = {name: _described(name, store) | {"words": drawn["words"][name]} for name in (LOCAL, REFERENCE)}
    except DataUnavailable:
        return
    results.write("corpora", found)


def _described(name: str, store: DataStore) -> dict[str, Any]:
    dataset = REGISTRY[name]
    count, years = _documents(name, store)
    return {
        "title": dataset.title,
        "licence": dataset.licence,
        "period": f"{min(years)}–{max(years)}" if years else "",
        "documents": count,
        "tokens": sum(line.count(" ") + 1 for line in corpus(name, store).read()),
    }


def _documents(name: str, store: DataStore) -> tuple[int, list[str]]:
    """Number of documents, or of paragraphs if the collection is one text; and their years, if known."""
    reader = REGISTRY[name].paragraphs
    if reader is not None:
        paragraphs: Iterator[str] = reader(store.path(name))
        return sum(1 for _ in paragraphs), []
    documents = documents_of(name, store)
    years = [value for document in documents for key, value in document.metadata if key == "year" and value]
    return len(documents), years
