"""Zip archives: of one file, of several, and malicious ones."""

from __future__ import annotations

import contextlib
import gzip
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.errors import InputError
from tasks.formats import Limits, read
from tests.tasks.formats.conftest import Rejected, WriteLines, check
from tests.tasks.formats.models import zipped

Lines = list[str]
CENTRAL = b"PK\x01\x02"
"""Begins the entry of a member in the list at the end of an archive."""


def patched(content: bytes, offset: int, form: str, value: int) -> bytes:
    """The archive with another value in the first entry of its directory."""
    changed = bytearray(content)
    struct.pack_into(form, changed, changed.index(CENTRAL) + offset, value)
    return bytes(changed)


@pytest.fixture
def text(good_lines: Lines) -> bytes:
    return "\n".join(good_lines).encode()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_of_one_file_is_read_like_the_file(method: int, text: bytes, write: WriteLines) -> None:
    expected = check(write(text)).sha256
    assert check(write(zipped({"vectors.txt.gz": gzip.compress(text)}, method))).read_as == "text in gzip in zip"
    odd = {"folder/": b"", "folder/vectors.txt": text, "__MACOSX/._vectors.txt": b"x", ".DS_Store": b"x"}
    assert check(write(zipped(odd, method))).sha256 == expected
    assert check(write(zipped({"vectors.txt.gz": gzip.compress(text)}, method))).sha256 == expected


def test_of_several_files_the_named_one_is_read(good_lines: Lines, text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    other = "\n".join(f"{line} 7" for line in good_lines).encode()
    path.write_bytes(zipped({"glove.3d.txt": text, "glove.4d.txt": other}))
    assert check(path, member="glove.4d.txt").dimensions == 4
    assert read(Path(f"{path}:glove.3d.txt")).dimensions == 3


def test_without_a_name_the_error_lists_the_files(text: bytes, rejected: Rejected) -> None:
    archive = zipped({f"glove.{n}d.txt": text for n in (50, 100)})
    error = rejected(archive)
    assert error.code == "which-member"
    assert "“glove.50d.txt”, “glove.100d.txt”" in error.message
    assert rejected(archive, member="nowhere.txt").code == "no-such-member"


@pytest.mark.parametrize(
    "names", [("tensor.tsv", "metadata.tsv"), ("p/vectors.tsv", "p/meta.tsv"), ("v.tsv", "metas.tsv")]
)
def test_the_two_files_of_the_embedding_projector_are_named(names: tuple[str, str], rejected: Rejected) -> None:
    vectors, words = names
    error = rejected(zipped({vectors: b"0.5\t1\n" * 120, words: b"word\n" * 120}))
    assert error.code == "numbers-for-words"
    assert "paste metadata.tsv tensor.tsv" in error.message


def test_an_archive_of_nothing_is_refused(rejected: Rejected) -> None:
    assert rejected(zipped({".hidden": b"x"})).code == "empty"
    assert rejected(zipped({})).code == "unknown-format"


def test_archives_in_archives_are_refused(text: bytes, rejected: Rejected) -> None:
    inner = zipped({"vectors.txt": text})
    assert rejected(zipped({"inner.zip": inner})).code == "packed-twice"
    assert rejected(gzip.compress(inner)).code == "packed-twice"


def test_a_bomb_is_refused_by_what_it_promises(text: bytes, rejected: Rejected) -> None:
    limits = Limits(expansion_grace_bytes=10_000)
    assert rejected(zipped({"v.txt": b"the 1 2\n" * 100_000}), limits).code == "expands-too-much"
    assert rejected(zipped({"v.txt": text}), Limits(expanded_bytes=1_000)).code == "too-large"


def test_a_bomb_that_promises_little_is_cut_there_and_refused(rejected: Rejected) -> None:
    bomb = patched(zipped({"v.txt": b"the 1 2\n" * 1_000_000}), 24, "<L", 1_000)
    assert rejected(bomb).code == "bad-zip"


@pytest.mark.parametrize("change", [-1, 1, 1_000])
def test_a_size_that_is_not_true_is_refused(change: int, text: bytes, rejected: Rejected) -> None:
    assert rejected(patched(zipped({"v.txt": text}), 24, "<L", len(text) + change)).code == "bad-zip"


def test_an_encrypted_file_is_refused(text: bytes, rejected: Rejected) -> None:
    assert rejected(patched(zipped({"v.txt": text}), 8, "<H", 1)).code == "encrypted"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_methods_are_refused(method: int, text: bytes, rejected: Rejected) -> None:
    assert rejected(zipped({"v.txt": text}, method)).code == "bad-zip"


def test_a_member_outside_of_the_archive_is_refused(text: bytes, rejected: Rejected) -> None:
    assert rejected(patched(zipped({"v.txt": text}), 42, "<L", 1 << 30)).code == "bad-zip"
    assert rejected(patched(zipped({"v.txt": text}), 20, "<L", 1 << 30)).code == "bad-zip"


def test_a_member_without_a_name_is_refused(text: bytes, rejected: Rejected) -> None:
    """A name ends at its first NUL, so a damaged one can be empty."""
    assert rejected(zipped({"v.txt": text}).replace(b"v.txt", b"\0.txt")).code == "bad-zip"


def test_a_list_of_too_many_files_is_refused(rejected: Rejected) -> None:
    assert rejected(zipped(dict.fromkeys(map(str, range(201)), b""))).code == "too-many-files"
    huge = zipped(dict.fromkeys(("n" * 60_000 + str(n) for n in range(20)), b""))
    assert "list of members is too long" in rejected(huge).message


@pytest.mark.parametrize("kept", [5, 100, -1, -30, -60])
def test_a_truncated_archive_is_refused(kept: int, text: bytes, rejected: Rejected) -> None:
    assert rejected(zipped({"v.txt": text})[:kept]).code == "bad-zip"


@given(changes=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_spoiled_archive_is_refused_or_read_rightly(changes: list[tuple[int, int]], tmp_path: Path) -> None:
    lines = "".join(f"word{n} {n} 0.5\n" for n in range(100))
    content = bytearray(zipped({"v.txt": lines.encode()}))
    for place, value in changes:
        content[place % len(content)] = value
    path = tmp_path / "v.zip"
    path.write_bytes(b"PK\x03\x04" + content[4:])
    with contextlib.suppress(InputError):
        assert list(read(path).words) == [f"word{n}" for n in range(100)]
