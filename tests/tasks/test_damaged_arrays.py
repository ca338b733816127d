"""Archives of arrays that have changed since they were written: each change is noticed, or harmless."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest

from tasks.files import Damaged, read_arrays

ARRAYS = {"values": np.linspace(0, 1, 300, dtype=np.float32).reshape(-1, 3), "columns": np.array(["a", "b", "c"])}


def archive(save: Callable[..., None]) -> bytes:
    file = io.BytesIO()
    save(file, **ARRAYS)
    return file.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_changed_byte_is_noticed_or_changes_no_array(save: Callable[..., None]) -> None:
    content, noticed = archive(save), 0
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        try:
            found = read_arrays(io.BytesIO(bytes(changed)), "x")
        except Damaged:
            noticed += 1
        else:
            assert {name: array.tolist() for name, array in found.items()} == {
                name: array.tolist() for name, array in ARRAYS.items()
            }
    assert noticed > len(content) / 2


@pytest.mark.parametrize("kept", [0, 1, 30, -1])
def test_an_archive_that_is_cut_short_is_noticed(kept: int) -> None:
    with pytest.raises(Damaged):
        read_arrays(io.BytesIO(archive(np.savez_compressed)[:kept]), "x")


@pytest.mark.parametrize("content", [b"PK damaged", b"<html>", bytes(100)])
def test_other_content_is_noticed(content: bytes) -> None:
    with pytest.raises(Damaged):
        read_arrays(io.BytesIO(content), "x")


def test_a_single_array_is_no_archive() -> None:
    file = io.BytesIO()
    np.save(file, ARRAYS["values"])
    file.seek(0)
    with pytest.raises(Damaged):
        read_arrays(file, "x")


def test_arrays_that_need_too_much_memory_are_not_taken_for_damaged() -> None:
    class Full(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise MemoryError

    with pytest.raises(MemoryError):
        read_arrays(Full(archive(np.savez)), "x")
