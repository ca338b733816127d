"""Per-example outcomes in storage: the evidence, durable before a score counts."""

from __future__ import annotations

import io
import os
import uuid

import numpy as np
from numpy.typing import NDArray

from benchmark import storage
from tasks.results import Outcomes


def key(vectors_sha256: str, task_hash: str, mode: str) -> str:
    """Storage key of a cell's outcomes; equal work has an equal key, so it is stored once."""
    return f"outcomes/{vectors_sha256[:2]}/{vectors_sha256}/{task_hash}-{mode or 'intrinsic'}.npz"


def save(key: str, outcomes: Outcomes) -> None:
    """Write outcomes atomically; they survive a power cut."""
    save_arrays(key, compressed=True, **outcomes.as_arrays())


def save_arrays(key: str, *, compressed: bool = False, **arrays: NDArray[np.generic]) -> None:
    """Write an archive of NumPy arrays atomically."""
    write = np.savez_compressed if compressed else np.savez
    target = storage.path_of(key)
    draft = target.with_name(f".{target.name}.{uuid.uuid4()}.part")
    try:
        with draft.open("wb") as stream:
            write(stream, allow_pickle=False, **arrays)
            stream.flush()
            os.fsync(stream.fileno())
        storage.publish(draft, key)
    finally:
        draft.unlink(missing_ok=True)  # after an error, such as a full disk


def exists(key: str) -> bool:
    """Whether outcomes were saved under this key."""
    return storage.exists(key)


def load(key: str) -> Outcomes:
    """Stored outcomes.

    Raises
    ------
    FileNotFoundError
        nothing was saved under this key.
    """
    with storage.opened(key) as stream:
        content = io.BytesIO(stream.read())
    with np.load(content, allow_pickle=False) as stored:
        return Outcomes.from_arrays(stored)
