"""What people send in place of vectors is named as what it is, with the way out."""

from __future__ import annotations

import gzip
import io
import sqlite3
import struct
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from tasks.errors import InputError
from tasks.formats import read
from tests.tasks.formats.conftest import Rejected, WriteLines, check
from tests.tasks.formats.models import members, rows, wordpiece, zipped

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab\nsize 12345\n"
PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>login</body></html>\n"
ZEROS = bytes(4_000)


def database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table magnitude (key text, dim_0 integer)")
    return connection.serialize()


def matlab() -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, {"vectors": np.zeros((200, 5))})
    return file.getvalue()


OTHERS: dict[str, tuple[bytes, str, str]] = {
    "GGUF": (b"GGUF" + struct.pack("<IQQ", 3, 2, 5) + ZEROS, "a GGUF language model", "for each word of a list"),
    "ONNX": (b"\x08\x08\x12\x07pytorch\x1a\x052.1.0" + ZEROS, "an ONNX model", "for each word of a list"),
    "ONNX without its maker": (b"\x08\x0a\x3a\xff\x01" + ZEROS, "an ONNX model", "for each word of a list"),
    "magnitude": (database(), "an SQLite database", "pymagnitude.Magnitude('vectors.txt')"),
    "finalfusion": (b"FiFu" + struct.pack("<II", 0, 2) + ZEROS, "a finalfusion file", "ffp-convert --from finalfusion"),
    "rds": (gzip.compress(b"X\n\0\0\0\3\0\4\3\1" + ZEROS), "an .rds or .RData file", "write.table(vectors"),
    "RData": (gzip.compress(b"RDX3\nX\n\0\0\0\3" + ZEROS), "an .rds or .RData file", "write.table(vectors"),
    "mat": (matlab(), "a MATLAB file", "scipy.io.loadmat('vectors.txt')"),
    "mat of 7.3": (b"MATLAB 7.3 MAT-file, Platform: GLNXA64" + ZEROS, "an HDF5 file", "h5py.File('vectors.txt')"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + ZEROS, "an HDF5 file", "h5py.File('vectors.txt')"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + ZEROS, "a 7z archive", "Unpack it"),
    "RAR": (b"Rar!\x1a\x07\x01\0" + ZEROS, "a RAR archive", "Unpack it"),
    "LFS": (LFS, "a Git LFS pointer", "git lfs pull"),
    "a page": (PAGE, "a web page", "download the file itself"),
    "a page with a mark": (b"\xef\xbb\xbf\n" + PAGE.lower(), "a web page", "download the file itself"),
    "an answer of a store": (
        b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>",
        "a web page",
        "download",
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_it_is_named_with_the_way_out(what: str, rejected: Rejected) -> None:
    content, kind, remedy = OTHERS[what]
    error = rejected(content)
    assert error.code == "unknown-format"
    assert error.message.startswith(f"The file is {kind}")
    assert remedy in error.message


@pytest.mark.parametrize("what", ["GGUF", "LFS", "rds"])
def test_it_is_named_in_an_archive_too(what: str, rejected: Rejected) -> None:
    content, kind, _ = OTHERS[what]
    assert f"is {kind}" in rejected(zipped({"vectors.bin": content})).message


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_pointer_in_a_model_is_named_with_its_file(name: str, rejected: Rejected) -> None:
    """As in a clone without Git LFS."""
    files = members(wordpiece(), {"embeddings": rows(58)}) | {name: LFS}
    error = rejected(zipped(files))
    assert error.code == "unknown-format"
    assert error.message.startswith(f"“{name}” is a Git LFS pointer")


SPACY = {"m/m-1.0/vocab/key2row": b"", "m/m-1.0/vocab/vectors": b"", "m/m-1.0/meta.json": b"{}"}


def test_a_spacy_model_is_named_as_archive_wheel_and_folder(tmp_path: Path, rejected: Rejected) -> None:
    """In each case with the lines of Python that write its vectors."""
    of_wheel = {"m-1.0.dist-info/WHEEL": b""}
    for name, content in SPACY.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with pytest.raises(InputError) as of_folder:
        read(tmp_path / "m")
    for error in (rejected(zipped(SPACY)), rejected(zipped(SPACY | of_wheel)), of_folder.value):
        assert error.code == "unknown-format"
        assert "is a spaCy model" in error.message
        assert "print(vocab.strings[key], *row)" in error.message


def test_a_package_is_not_promised_a_recipe(rejected: Rejected) -> None:
    error = rejected(zipped({"vectors_of_mine/v.txt": b"", "vectors_of_mine-1.0.dist-info/WHEEL": b""}))
    assert error.message.startswith("The file is a Python package, which holds more than vectors. Unzip it")
    assert "“vecboard public” converts the packages that it lists" in error.message


def test_a_file_in_a_package_can_be_requested(write: WriteLines, good_lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in good_lines).encode()
    wheel = write(zipped({"mine/v.txt": text, "mine-1.0.dist-info/WHEEL": b""}))
    assert check(wheel, member="mine/v.txt").sha256 == check(write(text)).sha256


@pytest.mark.parametrize("word", ["<html>", "GGU", "RD", "X", "A", "version", "MATLAB", "SQLite", "<!doctype", "7z"])
def test_words_that_begin_like_them_are_words(word: str, write: WriteLines, good_lines: list[str]) -> None:
    assert read(write([f"{word} 1 2 3", *good_lines])).words[0] == word


def test_tensors_whose_header_is_as_long_as_a_pickle_begins_are_tensors(rejected: Rejected) -> None:
    header = b'{"e": {}}'.ljust(0x480)
    assert rejected(struct.pack("<Q", len(header)) + header).code == "no-tokenizer"
