"""Per-example outcomes in storage: the evidence, durable before a score counts."""

from __future__ import annotations

import io
import logging
import os
import uuid

import numpy as np
from numpy.typing import NDArray

from benchmark import storage
from tasks.files import Damaged, read_arrays
from tasks.results import Outcomes

log = logging.getLogger(__name__)


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


def load_arrays(key: str) -> dict[str, NDArray[np.generic]]:
    """Arrays of a stored archive by name.

    Raises
    ------
    FileNotFoundError
        nothing was saved under this key.
    Damaged
        the file has changed since.
    """
    with storage.opened(key) as stream:
        return read_arrays(io.BytesIO(stream.read()), key)


def load(key: str) -> Outcomes:
    """Stored outcomes; raises as :func:`load_arrays`."""
    return Outcomes.from_arrays(load_arrays(key))


def find(key: str | None) -> Outcomes | None:
    """Stored outcomes; None without a key, and if the file is missing or damaged."""
    try:
        return load(key) if key else None
    except FileNotFoundError:
        return None
    except Damaged as error:
        log.warning("%s.", error)
        return None
