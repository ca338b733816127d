"""Gzipped files: intact, truncated, damaged, with trailing data, and bombs, which stop early."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.formats import Limits, read
from tests.tasks.formats.conftest import Rejected, WriteLines, check

Lines = list[str]


@pytest.fixture
def packed(good_lines: Lines) -> bytes:
    return gzip.compress("\n".join(good_lines).encode())


def test_gzip_is_seen_from_the_content(packed: bytes, write: WriteLines) -> None:
    path = write(packed)
    assert path.suffix == ".txt"
    assert check(path).words == 120


def test_concatenated_members_are_one_file(good_lines: Lines, write: WriteLines) -> None:
    whole = "\n".join(good_lines).encode()
    members = [gzip.compress(part) for part in (whole[:777], b"", whole[777:778], whole[778:])]
    assert check(write(b"".join(members))).words == 120


def test_a_member_with_name_and_comment_is_read(good_lines: Lines, tmp_path: Path) -> None:
    path = tmp_path / "vectors.gz"
    with gzip.open(path, "wt") as file:
        file.write("\n".join(good_lines))
    assert check(path).words == 120


@pytest.mark.parametrize("kept", [2, 5, 12, 60, -9, -8, -1])
def test_it_rejects_a_truncated_gzip(kept: int, packed: bytes, rejected: Rejected) -> None:
    assert rejected(packed[:kept]).code == "truncated-gzip"


def test_it_rejects_a_second_member_that_is_truncated(packed: bytes, rejected: Rejected) -> None:
    assert rejected(packed + packed[:30]).code == "truncated-gzip"


@pytest.mark.parametrize("garbage", [b"x", b"garbage", b"\n", b"\x1f", b"\x1f\x8c" + b"x" * 20, b"\0" * 100])
def test_it_rejects_garbage_after_gzip(garbage: bytes, packed: bytes, rejected: Rejected) -> None:
    assert rejected(packed + garbage).code == "garbage-after-gzip"


@pytest.mark.parametrize("place", [-1, -6, 40])
def test_it_rejects_a_damaged_gzip(place: int, packed: bytes, rejected: Rejected) -> None:
    damaged = bytearray(packed)
    damaged[place] ^= 0x55
    assert rejected(bytes(damaged)).code in {"damaged-gzip", "truncated-gzip"}


def test_an_error_before_the_cut_is_reported_first(good_lines: Lines, write: WriteLines) -> None:
    good_lines[10] = "bad 1 2 x"
    path = write(gzip.compress("\n".join(good_lines).encode())[:-4])
    with pytest.raises(InputError) as caught:
        read(path)
    assert (caught.value.code, caught.value.line) == ("not-a-number", 11)


def test_it_rejects_a_file_past_the_uploaded_size(packed: bytes, rejected: Rejected) -> None:
    assert rejected(packed, limits=Limits(uploaded_bytes=len(packed) - 1)).code == "too-large"


def test_it_rejects_a_file_past_the_expanded_size(packed: bytes, rejected: Rejected) -> None:
    error = rejected(packed, limits=Limits(expanded_bytes=1000), block_bytes=100)
    assert error.code == "too-large"
    assert "expands" in error.message


def test_it_rejects_what_expands_too_much(rejected: Rejected) -> None:
    lines = b"".join(b"w%d 1 1 1\n" % (nth % 3) for nth in range(100_000))
    error = rejected(gzip.compress(lines), limits=Limits(expansion_grace_bytes=100_000))
    assert error.code == "expands-too-much"


def test_the_same_is_read_within_the_grace(write: WriteLines) -> None:
    lines = b"".join(b"w%d 1 1 1\n" % (nth % 100) for nth in range(100_000))
    assert check(write(gzip.compress(lines)), limits=Limits(expansion_grace_bytes=len(lines))).words == 100


def test_it_rejects_thousands_of_empty_members(rejected: Rejected) -> None:
    assert rejected(gzip.compress(b"") * 2_000).code == "damaged-gzip"
