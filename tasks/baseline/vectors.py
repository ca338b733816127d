"""The baseline's vectors on this machine: trained when first needed, then stored.

A suite ships its baseline's scores, not its vectors: they take tens of megabytes, and anyone can train them on the
prescribed corpus. Results that compare an entry with these *vectors* (docs/protocol.md §5.4) name them by hash.
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from tasks.base import digest
from tasks.baseline.train import train_for
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import VecboardError
from tasks.files import whole
from tasks.prepared import open_prepared, store
from tasks.progress import Progress, no_progress
from tasks.suite import Suite
from tasks.vectors import Embedding

REVISION = 2
"""Increased when training gives other vectors from the same corpus."""
_POLL_SECONDS = 1.0


def baseline_vectors(suite: Suite, data: DataStore, progress: Progress = no_progress) -> Embedding:
    """The suite's SVD-PPMI vectors, memory-mapped from the data directory; trained first if missing.

    If two processes ask at once, one trains and the other waits. The directory is named by what the vectors depend on,
    so that a new version of a suite with the same corpus uses the same vectors.

    Raises
    ------
    DataUnavailable
        the vectors and the corpus to train them on are both missing.
    """
    root = data.data_dir / "baseline-vectors"
    return _opened(root, suite) or _train_once(root, suite, data, progress)


def keep(embedding: Embedding, suite: Suite, data: DataStore) -> Embedding:
    """Store newly trained baseline vectors for later use."""
    root = data.data_dir / "baseline-vectors"
    directory = store(embedding, root)
    note = _note(root, suite)
    with whole(note) as partial:
        partial.write_text(json.dumps({"sha256": directory.name, "name": embedding.name}), encoding="utf-8")
    return _open(directory, embedding.name)


def _note(root: Path, suite: Suite) -> Path:
    """The small file that names this suite's prepared vectors."""
    depends_on = [REGISTRY[suite.corpus.dataset].sha256, suite.corpus.sha256, suite.baseline_dimensions, REVISION]
    return root / f"{suite.id}-{digest(depends_on)}.json"


def _opened(root: Path, suite: Suite) -> Embedding | None:
    try:
        stored = json.loads(_note(root, suite).read_text(encoding="utf-8"))
        return _open(root / stored["sha256"], stored["name"])
    except (OSError, ValueError, KeyError, VecboardError):
        return None


@lru_cache(maxsize=2)
def _open(directory: Path, name: str) -> Embedding:
    """Open prepared vectors, cached: the cells of a report run one after the other and share the word index."""
    return open_prepared(directory, name=name)


def _train_once(root: Path, suite: Suite, data: DataStore, progress: Progress) -> Embedding:
    root.mkdir(parents=True, exist_ok=True)
    with _alone(root / f"{suite.id}.lock", progress):
        return _opened(root, suite) or keep(train_for(suite, data, progress), suite, data)


@contextmanager
def _alone(path: Path, progress: Progress) -> Iterator[None]:
    """Hold a lock, reporting progress while another process has it; the system releases a killed process's lock."""
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                progress(0.0, "waiting for the baseline's vectors, which another job is training")
                time.sleep(_POLL_SECONDS)
        yield
