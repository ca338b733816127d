"""Vectors for measurements: real ones of any size (the suite's SVD-PPMI), or random ones if only cost matters."""

from __future__ import annotations

from pathlib import Path

from tasks.baseline.corpus_text import corpus_lines
from tasks.baseline.svd_ppmi import train
from tasks.datasets.store import DataStore
from tasks.prepared import open_prepared, store
from tasks.suite import Suite
from tasks.vectors import Embedding


def svd_ppmi(suite: Suite, data: DataStore, dimensions: int, directory: Path) -> Embedding:
    """SVD-PPMI of the suite's corpus, stored in ``directory`` for the next run."""
    stamp = directory / f"svd-ppmi-{suite.id}-{dimensions}"
    if not stamp.exists():
        words, matrix = train(corpus_lines(suite, data), dimensions)
        prepared = store(Embedding.of(stamp.name, words, matrix), directory)
        stamp.write_text(prepared.name)
    return open_prepared(directory / stamp.read_text(), name=stamp.name)
