"""Mutated files of every format are read or refused: no crash, no hang, no wrong number of rows."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest, read
from tasks.formats.quantised import packed, quantised
from tests.tasks.formats.forms import FORMS
from tests.tasks.formats.models import WORDS, fasttext, members, rows, tarred, word_list, wordpiece, zipped

LIMITS = Limits(expanded_bytes=20_000_000, words=10_000, dimensions=1_000)


def whole_numbers(bits: int) -> bytes:
    numbers, scales = quantised(rows(len(WORDS)), bits)
    file = io.BytesIO()
    np.savez(file, words=np.array(WORDS), vectors=packed(numbers) if bits == 4 else numbers, scales=scales)
    return file.getvalue()


MADE: dict[str, Callable[[], bytes]] = {
    **{form: partial(write, WORDS, rows(len(WORDS))) for form, write in FORMS.items()},
    "int8": lambda: whole_numbers(8),
    "int4": lambda: whole_numbers(4),
    "fasttext": lambda: fasttext(WORDS, rows(len(WORDS) + 20), buckets=20),
    "tensors": lambda: zipped(members(wordpiece(), {"embeddings": rows(58)})),
    "tar": lambda: tarred(members(wordpiece(), {"embeddings": rows(58)})),
}


@cache
def made(form: str) -> bytes:
    """An intact file of a format, the same for all mutations."""
    return MADE[form]()


CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.one_of(st.binary(min_size=1, max_size=9), st.integers(-400, 400))),
    min_size=1,
    max_size=4,
)
"""Other bytes at a place; or so many bytes cut out there, or (if negative) repeated."""


def changed(content: bytes, changes: list[tuple[int, bytes | int]]) -> bytes:
    for anywhere, what in changes:
        place = anywhere % max(len(content), 1)
        if isinstance(what, bytes):
            content = content[:place] + what + content[place + len(what) :]
        elif what < 0:
            content = content[:place] + content[place : place - what] + content[place:]
        else:
            content = content[:place] + content[place + what :]
    return content


def judge(content: bytes, folder: Path) -> None:
    path = folder / "changed"
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        found = read(ReadRequest(path, limits=LIMITS, words=lambda: word_list(folder, WORDS)))
        assert len(found.words) == len(found.matrix) >= LIMITS.fewest_words
        assert np.isfinite(found.matrix).all()


@pytest.mark.parametrize("form", MADE)
@given(changes=CHANGES)
def test_a_changed_file_is_read_or_refused(form: str, changes: list[tuple[int, bytes | int]], tmp_path: Path) -> None:
    judge(changed(made(form), changes), tmp_path)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("form", MADE)
@settings(max_examples=1_000)
@given(changes=CHANGES)
def test_a_thousand_changed_files_are_read_or_refused(
    form: str, changes: list[tuple[int, bytes | int]], tmp_path: Path
) -> None:
    judge(changed(made(form), changes), tmp_path)


@cache
def whole_model() -> dict[str, bytes]:
    return members(wordpiece(), {"embeddings": rows(58)}, normalize=True)


PACKED = {"model.safetensors": zipped, "tokenizer.json": tarred, "config.json": zipped}


@pytest.mark.parametrize("name", PACKED)
@given(changes=CHANGES)
def test_a_changed_part_of_a_model_is_read_or_refused(
    name: str, changes: list[tuple[int, bytes | int]], tmp_path: Path
) -> None:
    """Behind the checksum of the archive, which refuses most other changes."""
    files = whole_model()
    judge(PACKED[name](files | {name: changed(files[name], changes)}), tmp_path)
