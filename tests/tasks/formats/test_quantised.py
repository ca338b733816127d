"""Vectors of 16, 8 and 4 bits: what rounding loses, and that reading gives what was written, or refuses."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from extensions.front.measure.writing import write_model
from tasks.errors import InputError
from tasks.formats import ReadRequest, read
from tasks.formats.archives import ZIPPED
from tasks.formats.quantised import BITS, Precision, packed, quantised, rounded, unpacked, write_npz
from tasks.formats.source import Folder, StoredFile
from tasks.formats.token_models import TokenModel, model_of
from tests.tasks.formats.conftest import Rejected, check
from tests.tasks.formats.models import WORDS as LISTED
from tests.tasks.formats.models import members, word_list, wordpiece, zipped
from tests.tasks.formats.test_arrays import MATRIX, NAMES, WORDS, npy

EVEN = np.concatenate([MATRIX, MATRIX[::-1, :1]], axis=1)
ROWS = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=8).map(lambda shape: (shape[0], 2 * shape[1])),
    elements=st.floats(-(2.0**99), 2.0**99, width=32).map(lambda x: 0.0 if abs(x) < 2.0**-99 else x),
)


@pytest.mark.parametrize("bits", [8, 4])
@given(matrix=ROWS)
def test_every_number_is_within_half_a_scale(bits: int, matrix: np.ndarray) -> None:
    numbers, scales = quantised(matrix, bits)
    wide = scales.astype(np.float64)[:, None]
    assert (np.abs(numbers) <= 2 ** (bits - 1) - 1).all()
    assert (np.abs(numbers * wide - matrix) <= 0.5001 * wide).all()
    # A scale is a row's largest number / 127 or / 7, within the rounding of float16.
    largest = np.abs(matrix).max(axis=1)
    positive = largest > 0
    assert scales[positive] == pytest.approx(largest[positive] / (2 ** (bits - 1) - 1), rel=2**-11)


@given(numbers=ROWS.map(lambda rows: (rows % 16 - 8).clip(-8, 7).astype(np.int8)))
def test_two_numbers_in_a_byte_are_the_same_numbers(numbers: np.ndarray) -> None:
    assert packed(numbers).nbytes == numbers.nbytes // 2
    np.testing.assert_array_equal(unpacked(packed(numbers)), numbers)


@pytest.mark.parametrize("precision", BITS)
def test_what_is_read_is_what_was_rounded(precision: Precision, tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    write_npz(path, WORDS, EVEN, precision)
    found = read(path)
    assert list(found.words) == WORDS
    np.testing.assert_array_equal(found.matrix, rounded(EVEN, precision))
    first = path.read_bytes()
    write_npz(path, WORDS, EVEN, precision)
    assert path.read_bytes() == first


@pytest.mark.parametrize(("precision", "a_row"), [("float32", 24), ("float16", 12), ("int8", 6 + 2), ("int4", 3 + 2)])
def test_a_file_has_the_bytes_of_its_numbers_and_words(precision: Precision, a_row: int, tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    write_npz(path, WORDS, EVEN, precision)
    least = a_row * len(WORDS) + sum(len(f"{word}\n".encode()) for word in WORDS)
    assert least < path.stat().st_size < least + 1_000


def test_a_row_too_small_for_float16_has_wider_scales(tmp_path: Path) -> None:
    tiny = EVEN * np.float32(2.0**-40)
    write_npz(tmp_path / "small.npz", WORDS, tiny, "int8")
    assert read(tmp_path / "small.npz").matrix * 2.0**40 == pytest.approx(rounded(EVEN, "int8"), abs=0.02)
    with np.load(tmp_path / "small.npz") as file:
        assert file["scales"].dtype == np.float32


def test_a_site_counts_the_stored_bytes(tmp_path: Path) -> None:
    write_npz(tmp_path / "small.npz", WORDS, EVEN, "int4")
    found = check(tmp_path / "small.npz")
    assert found.model_bytes == len(WORDS) * (3 + 2)
    assert found.read_as == "NumPy arrays in zip (int4 with a scale for each row)"
    assert not found.open_vocabulary


INT8, SCALES = quantised(EVEN, 8)


def file(**changed: np.ndarray | bytes) -> bytes:
    """A quantised file with other members; ``vectors`` and ``scales`` as arrays or as bytes."""
    parts: dict[str, np.ndarray | bytes] = {"vectors": INT8, "scales": SCALES} | changed
    found = {f"{name}.npy": npy(part) if isinstance(part, np.ndarray) else part for name, part in parts.items()}
    return zipped({"words.txt": "".join(f"{word}\n" for word in WORDS).encode()} | found)


def scales(row: int, value: float) -> np.ndarray:
    found = SCALES.astype(np.float64)
    found[row] = value
    return found


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "fewer scales than rows": (lambda: file(scales=SCALES[:-1]), "bad-scales"),
    "a scale for each dimension": (lambda: file(scales=np.ones(6, np.float32)), "bad-scales"),
    "scales of two axes": (lambda: file(scales=SCALES[:, None]), "bad-scales"),
    "whole numbers for scales": (lambda: file(scales=np.ones(len(WORDS), np.int64)), "bad-scales"),
    "a scale that is not a number": (lambda: file(scales=scales(77, np.nan)), "bad-scales"),
    "an infinite scale": (lambda: file(scales=scales(77, np.inf)), "bad-scales"),
    "a scale beyond float32": (lambda: file(scales=scales(77, 1e300)), "bad-scales"),
    "a scale of zero": (lambda: file(scales=scales(77, 0.0)), "bad-scales"),
    "a negative scale": (lambda: file(scales=scales(77, -0.1)), "bad-scales"),
    "a product beyond float32": (lambda: file(scales=scales(77, 3e38)), "not-a-number"),
    "truncated scales": (lambda: file(scales=npy(SCALES)[:-3]), "bad-array"),
    "scales that end between rows": (lambda: file(scales=npy(SCALES)[:-4]), "bad-array"),
    "truncated vectors": (lambda: file(vectors=npy(INT8)[:-6]), "bad-array"),
    "more rows than promised": (lambda: file(vectors=npy(INT8) + bytes(600)), "bad-scales"),
    "floats with scales": (lambda: file(vectors=EVEN), "bad-array"),
    "wider whole numbers": (lambda: file(vectors=INT8.astype(np.int16)), "bad-array"),
    "three axes": (lambda: file(vectors=INT8[:, :, None]), "bad-array"),
    "pickled scales": (lambda: file(scales=np.array([{}] * len(WORDS), dtype=object)), "object-array"),
    "no dimension": (lambda: file(vectors=np.empty((len(WORDS), 0), np.uint8)), "too-few-dimensions"),
    "fewer words": (lambda: file(vectors=INT8[:-1], scales=SCALES[:-1]), "words-and-rows"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_hostile_file_is_refused_with_a_sentence(what: str, rejected: Rejected) -> None:
    content, code = REFUSED[what]
    error = rejected(content())
    assert error.code == code, error.message
    assert error.message.endswith(".")


def test_the_row_of_a_bad_scale_is_named(rejected: Rejected) -> None:
    assert "0.0 for row 78, not a number above 0" in rejected(file(scales=scales(77, 0.0))).message


def test_words_may_be_an_array_too(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, words=NAMES, vectors=INT8, scales=SCALES)
    (tmp_path / "own.npz").write_bytes(buffer.getvalue())
    np.testing.assert_array_equal(read(tmp_path / "own.npz").matrix, rounded(EVEN, "int8"))


def model(path: Path, **more: object) -> TokenModel:
    """A token model, read from an archive."""
    rows = np.random.default_rng(3).standard_normal((58, 8)).astype(np.float32)
    path.write_bytes(zipped(members(wordpiece(), {"embeddings": rows}, **more)))
    folder = ZIPPED.read(StoredFile(ReadRequest(path)))
    assert isinstance(folder, Folder)
    return model_of(folder)


def composed(path: Path, folder: Path) -> np.ndarray:
    return read(ReadRequest(path, words=lambda: word_list(folder, LISTED))).matrix


@pytest.mark.parametrize("mapped", [False, True])
def test_a_token_model_of_8_bits_keeps_its_scales_as_weights(mapped: bool, tmp_path: Path) -> None:
    found = model(tmp_path / "model.zip")
    if mapped:
        factors = np.linspace(0.5, 1, 58, dtype=np.float32)
        found = replace(found, mapping=np.arange(58)[::-1].copy(), weights=factors)
    write_model(tmp_path / "int8.zip", found, "int8")
    rows = rounded(found.rows, "int8")
    write_model(tmp_path / "expected.zip", replace(found, rows=rows), "float32")
    written, expected = (composed(tmp_path / name, tmp_path) for name in ("int8.zip", "expected.zip"))
    assert written == pytest.approx(expected, abs=1e-6)
    with zipfile.ZipFile(tmp_path / "int8.zip") as archive:
        assert archive.getinfo("model.safetensors").file_size < 58 * (8 + 4 + 8 * mapped) + 400


def test_declared_truncations_are_read_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    found = model(tmp_path / "model.zip", matryoshka_dimensions=[8, 4, 2])
    assert found.truncations == (2, 4)
    write_model(tmp_path / "again.zip", found, "float16")
    again = ZIPPED.read(StoredFile(ReadRequest(tmp_path / "again.zip")))
    assert isinstance(again, Folder)
    assert model_of(again).truncations == (2, 4)
    for wrong in ([9], [0], ["4"], [True], "all"):
        with pytest.raises(InputError, match="are not numbers from 2 to 8"):
            model(tmp_path / "wrong.zip", matryoshka_dimensions=wrong)
