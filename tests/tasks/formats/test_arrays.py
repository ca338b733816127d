"""NumPy, Parquet and Arrow: the same vectors as in text, bit for bit; and refusals."""

from __future__ import annotations

import contextlib
import gzip
import io
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from tasks.errors import InputError
from tasks.formats import Limits, read
from tasks.formats.text_blocks import write_text
from tests.tasks.formats.conftest import Rejected, WriteLines, check
from tests.tasks.formats.memory import growth
from tests.tasks.formats.test_zip import zipped

WORDS = ["the", "new york", "naïve", "語", *(f"word{n}" for n in range(120))]
MATRIX = np.random.default_rng(0).standard_normal((len(WORDS), 5)).astype(np.float16).astype(np.float32)


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(words: np.ndarray, vectors: np.ndarray, *, compressed: bool = True) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, words=words, vectors=vectors)
    return file.getvalue()


def table(words: list[str] = WORDS, matrix: np.ndarray = MATRIX, kind: str = "fixed") -> pa.Table:
    if kind == "columns":
        return pa.table({"word": words} | {f"d{n}": matrix[:, n] for n in range(matrix.shape[1])})
    lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
    return pa.table({"word": words, "vector": lists if kind == "fixed" else lists.cast(pa.list_(pa.float32()))})


def as_parquet(made: pa.Table, row_group_size: int | None = None) -> bytes:
    file = io.BytesIO()
    parquet.write_table(made, file, row_group_size)
    return file.getvalue()


def as_arrow(made: pa.Table, compression: str = "uncompressed", chunksize: int | None = None) -> bytes:
    file = io.BytesIO()
    feather.write_feather(made, file, compression=compression, chunksize=chunksize)
    return file.getvalue()


NAMES = np.array(WORDS)
FORMS: dict[str, Callable[[], bytes]] = {
    "npz": lambda: npz(NAMES, MATRIX),
    "npz, not compressed": lambda: npz(NAMES, MATRIX, compressed=False),
    "npz, words as bytes": lambda: npz(np.array([word.encode() for word in WORDS]), MATRIX),
    "npz, float16": lambda: npz(NAMES, MATRIX.astype(np.float16)),
    "npz, float64, big-endian": lambda: npz(NAMES, MATRIX.astype(">f8")),
    "npz, Fortran order": lambda: npz(NAMES, np.asfortranarray(MATRIX)),
    "npy and a list": lambda: zipped({"v.npy": npy(MATRIX), "words.txt": "\n".join(WORDS).encode() + b"\n"}),
    "npy and a list, CRLF": lambda: zipped({"a/v.npy": npy(MATRIX), "a/vocab": "\r\n".join(WORDS).encode()}),
    "Parquet, fixed lists": lambda: as_parquet(table()),
    "Parquet, lists": lambda: as_parquet(table(kind="lists")),
    "Parquet, columns": lambda: as_parquet(table(kind="columns")),
    "Parquet, gzipped": lambda: gzip.compress(as_parquet(table())),
    "Parquet in a zip": lambda: zipped({"v.parquet": as_parquet(table())}),
    "Parquet, words not marked as text": lambda: as_parquet(
        table().set_column(0, "word", pa.array([word.encode() for word in WORDS]))
    ),
    "Arrow, fixed lists": lambda: as_arrow(table()),
    "Arrow, compressed columns": lambda: as_arrow(table(kind="columns"), "zstd"),
}


@pytest.fixture
def expected(tmp_path: Path) -> str:
    write_text(tmp_path / "text.gz", WORDS, MATRIX)
    return check(tmp_path / "text.gz").sha256


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_hash_of_the_text(form: str, expected: str, write: WriteLines) -> None:
    assert check(write(FORMS[form]())).sha256 == expected


HALVES = MATRIX.astype(np.float16)
MIXED = pa.table({"word": WORDS, "x": HALVES[:, 0], "y": MATRIX[:, 1].astype(np.float64)})
IN_MEMORY: dict[str, tuple[Callable[[], bytes], int]] = {
    "npz": (lambda: npz(NAMES, HALVES), 10),
    "npz, repeated words": (lambda: npz(np.tile(NAMES, 2), np.tile(HALVES, (2, 1))), 10),
    "Parquet, fixed lists": (lambda: as_parquet(table(matrix=HALVES)), 10),
    "Arrow, columns": (lambda: as_arrow(table(matrix=HALVES, kind="columns")), 10),
    "Arrow, 16 and 64 bits": (lambda: as_arrow(MIXED), 2 + 4),
    "npz, float64": (lambda: npz(NAMES, MATRIX.astype(np.float64)), 0),
    "Parquet, float32": (lambda: as_parquet(table()), 0),
}


@pytest.mark.parametrize("form", IN_MEMORY)
def test_numbers_of_two_bytes_count_two_bytes_on_a_device(form: str, write: WriteLines) -> None:
    content, bytes_per_word = IN_MEMORY[form]
    assert check(write(content())).model_bytes == bytes_per_word * len(WORDS)


@pytest.mark.parametrize("kind", ["fixed", "columns"])
@pytest.mark.parametrize("name", ["word_count", "Freq1", "zipf", "occurrences", "IDF", "n"])
def test_a_column_of_counts_is_left_out_and_named(kind: str, name: str, expected: str, write: WriteLines) -> None:
    counts = pa.array(np.arange(len(WORDS), dtype=np.float64))
    prepared = check(write(as_parquet(table(kind=kind).append_column(name, counts))))
    assert prepared.sha256 == expected
    assert [(w.code, w.count) for w in prepared.warnings] == [("columns-left-out", 1)]
    assert f"“{name}”" in prepared.warnings[0].message


@pytest.mark.parametrize("other", ["similarity", "pca1", "__index_level_0__", "x.1"])
@pytest.mark.parametrize("series", ["{}", "dim_{}", "n{}", "emb[{}]"])
def test_a_column_of_floats_beside_a_numbered_series_is_left_out_and_named(
    series: str, other: str, expected: str, write: WriteLines
) -> None:
    """On the scale of the vectors too. In a series, a name like that of a count (“n1”) is a dimension."""
    columns = {series.format(nth): column for nth, column in enumerate(MATRIX.T)}
    floats = pa.table({"word": WORDS, other: MATRIX[:, 0], **columns})
    prepared = check(write(as_parquet(floats)))
    assert (prepared.dimensions, prepared.sha256) == (MATRIX.shape[1], expected)
    assert [w.message for w in prepared.warnings] == [f"1 column is not part of the vectors and left out: “{other}”."]


@pytest.mark.parametrize("names", [["x", "y", "z", "v", "w"], ["a1", "a2", "b1", "b2", "c"]])
def test_without_one_series_of_most_columns_all_floats_are_dimensions(names: list[str], write: WriteLines) -> None:
    columns = dict(zip(names, MATRIX.T[: len(names)], strict=True))
    assert check(write(as_parquet(pa.table({"word": WORDS, **columns})))).dimensions == len(names)


OBJECTS = np.array([{"a": 1}] * 120, dtype=object)
RECORDS = np.array([("a", [0.5, 1.5])] * 120, dtype=[("word", "U10"), ("vector", "f4", 2)])
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "objects for words": (lambda: npz(np.array(WORDS, dtype=object), MATRIX), "object-array"),
    "objects for vectors": (lambda: npz(NAMES, OBJECTS), "object-array"),
    "fewer words": (lambda: npz(NAMES[:-1], MATRIX), "words-and-rows"),
    "more words": (lambda: npz(NAMES, MATRIX[:-1]), "words-and-rows"),
    "whole numbers": (lambda: npz(NAMES, MATRIX.astype(int)), "bad-array"),
    "three axes": (lambda: npz(NAMES, MATRIX[:, :, None]), "bad-array"),
    "numbers for words": (lambda: npz(np.arange(len(WORDS)), MATRIX), "bad-array"),
    "one dimension": (lambda: npz(NAMES, MATRIX[:, :1]), "too-few-dimensions"),
    "infinity": (lambda: npz(NAMES, np.where(MATRIX > 1, np.inf, MATRIX)), "not-a-number"),
    "beyond float32": (lambda: npz(NAMES, MATRIX.astype(float) * 1e300), "not-a-number"),
    "an empty word": (lambda: npz(np.array(["", *WORDS[1:]]), MATRIX), "wrong-field-count"),
    "a word of two lines": (lambda: npz(np.array(["a\nb", *WORDS[1:]]), MATRIX), "newline-in-word"),
    "a truncated array": (lambda: zipped({"v.npy": npy(MATRIX)[:-9], "w": "\n".join(WORDS).encode()}), "bad-array"),
    "a damaged header": (lambda: zipped({"v.npy": b"\x93NUMPY\x01\x00\x05\x00{((((", "w": b"a"}), "bad-array"),
    "other names": (lambda: zipped({"a.npy": npy(NAMES), "b.npy": npy(MATRIX)}), "unknown-arrays"),
    "no words": (lambda: as_parquet(pa.table({"a": MATRIX[:, 0], "b": MATRIX[:, 1]})), "unknown-columns"),
    "two columns of words": (lambda: as_parquet(table().append_column("x", pa.array(WORDS))), "unknown-columns"),
    "a missing number": (
        lambda: as_parquet(pa.table({"w": ["a", "b"], "x": [0.1, None], "y": [0.1, 0.2]})),
        "missing-value",
    ),
    "lists of several lengths": (
        lambda: as_parquet(pa.table({"w": ["a", "b", "c"], "v": [[0.1, 0.2], [0.1], [0.1, 0.2, 0.3]]})),
        "wrong-field-count",
    ),
    "no word at a row": (lambda: as_parquet(pa.table({"w": ["a", None], "v": [[0.1, 0.2]] * 2})), "missing-value"),
    "truncated Parquet": (lambda: as_parquet(table())[:-20], "bad-columns"),
    "truncated Arrow": (lambda: as_arrow(table())[:-20], "bad-columns"),
}


@pytest.mark.parametrize(
    ("content", "way_out"),
    [
        (lambda: npz(NAMES, RECORDS), "words=table[WORDS], vectors=table[NUMBERS]"),
        (
            lambda: npz(np.array([word.encode() for word in WORDS]).astype("V9"), MATRIX),
            "numpy.array(words, dtype=str)",
        ),
        (lambda: npz(np.array(["", *WORDS[1:]]), MATRIX), "Row 1 has an empty word. Remove it, with its vector."),
        (lambda: as_parquet(table(["", *WORDS[1:]])), "Row 1 has an empty word. Remove it, with its vector."),
        (lambda: as_parquet(pa.table({"word": ["a"], "vector": [{"type": 1, "values": [0.5]}]})), "vector_to_array"),
    ],
)
def test_the_way_out_fits_the_cause(content: Callable[[], bytes], way_out: str, rejected: Rejected) -> None:
    assert way_out in rejected(content()).message


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_with_a_sentence(what: str, rejected: Rejected) -> None:
    content, code = REFUSED[what]
    error = rejected(content())
    assert error.code == code, error.message
    assert error.message.endswith(".")


def test_pickles_are_refused_with_the_line_that_converts_them(tmp_path: Path) -> None:
    vectors = KeyedVectors(5)
    vectors.add_vectors(WORDS, MATRIX)
    vectors.save(str(tmp_path / "v.kv"))
    torch.save(torch.from_numpy(MATRIX), tmp_path / "v.pt")
    (tmp_path / "v.pkl").write_bytes(pickle.dumps(dict(zip(WORDS, MATRIX, strict=True))))
    for name, line in (("v.kv", "KeyedVectors.load('v.kv')"), ("v.pkl", "KeyedVectors"), ("v.pt", "torch.load('v.pt'")):
        with pytest.raises(InputError) as caught:
            check(tmp_path / name)
        assert caught.value.code == "unknown-format"
        assert line in caught.value.message


def test_a_header_that_promises_more_than_the_limits_is_refused_unread(rejected: Rejected) -> None:
    assert rejected(npz(NAMES, MATRIX), Limits(words=123)).code == "too-many-words"
    assert rejected(npz(NAMES, MATRIX), Limits(dimensions=4)).code == "too-many-dimensions"


@pytest.mark.parametrize(
    "form", ["npz, not compressed", "npz, Fortran order", "Parquet, fixed lists", "Arrow, fixed lists"]
)
def test_spoiled_files_are_refused_or_read(form: str, tmp_path: Path) -> None:
    content, path = FORMS[form](), tmp_path / "v"

    @given(changes=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=4))
    def spoil(changes: list[tuple[int, int]]) -> None:
        spoiled = bytearray(content)
        for place, value in changes:
            spoiled[4 + place % (len(content) - 4)] = value
        path.write_bytes(spoiled)
        with contextlib.suppress(InputError):
            assert read(path).matrix.shape[1] > 1

    spoil()


FEW, MANY, WIDTH = 20_000, 200_000, 100
BOUNDED: dict[str, Callable[[list[str], np.ndarray], bytes]] = {
    "npz, float64 in Fortran order": lambda words, wide: npz(
        np.array(words), np.asfortranarray(wide), compressed=False
    ),
    "Parquet, gzipped": lambda words, wide: gzip.compress(
        as_parquet(table(words, wide.astype(np.float32)), row_group_size=10_000), 1
    ),
    "Arrow": lambda words, wide: as_arrow(table(words, wide.astype(np.float32)), chunksize=10_000),
}


@pytest.mark.parametrize(
    "form",
    [form if form == "Arrow" else pytest.param(form, marks=pytest.mark.slow) for form in BOUNDED],
)
def test_preparing_never_holds_the_matrix(form: str, tmp_path: Path) -> None:
    """Columns are read in Parquet's row groups and Arrow's batches."""
    wide = np.random.default_rng(1).standard_normal((MANY, WIDTH))
    for words in (FEW, MANY):
        (tmp_path / f"{words}").write_bytes(BOUNDED[form]([f"word{n}" for n in range(words)], wide[:words]))
    code = """
from tasks.formats.reading import prepare
def measured(path, root):
    print(prepare(path, root).words)
"""
    grown = growth(code, tmp_path / f"{FEW}", tmp_path / f"{MANY}", tmp_path / "root")
    assert grown.printed.split() == [f"{FEW}", f"{MANY}"]
    assert grown.bytes < 0.8 * 4 * WIDTH * (MANY - FEW)
