"""Ten gigabytes in a few megabytes: refused in the memory of a bomb a hundredth as large."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from isal import igzip

from tests.tasks.formats.memory import growth

MEMBER_BYTES = 100_000_000
BOMBS = (
    (b"", b"\0", "nul-byte"),
    (b"400000 300\n", b"\0", "nul-byte"),
    (b"", b"x", "line-too-long"),
    (b"word", b" 0.25", "line-too-long"),
    (b"100 50\nword", b" 0.25", "line-too-long"),
    (b"", b"the 0.25 0.5\n", "expands-too-much"),
    (b"5000000 2\n", b"the 0.25 0.5\n", "expands-too-much"),
    (b"100 2\n", b"the 0.25 0.5\n", "header-contradicts"),
    (b"", b"\n", "empty"),
    (b"the 1 2\n", b"\n", "expands-too-much"),
    (b"the 1 2\n", b" \n", "expands-too-much"),
    (b"the 1 2\n", b" " * 200_000 + b"\n", "expands-too-much"),
    (b"the 1 2\n", b"+1 +1 +1\n", "too-many-words"),
    (b"1000000 2\na \x01\x00\x00\x3f\x00\x00\x00\x3f", b"\n", "header-contradicts"),
    (b"1000000 2\n", b"a \x01\x00\x00\x3f\x00\x00\x00\x3f", "header-contradicts"),
)
"""Beginning of a bomb, its repeated content, and the code of its refusal."""
MEMBERS = 100
SOME = [bomb for bomb in BOMBS if bomb[2] == "expands-too-much"][:1]
"""Lines of words without an end, of which most is read; each bomb takes two seconds."""
_CHECK = """
from tasks.cli import main
def measured(path):
    print(main(["check", path, "--json"]), flush=True)
"""


@cache
def _member(unit: bytes) -> bytes:
    return bytes(igzip.compress(unit * (MEMBER_BYTES // len(unit)), compresslevel=1))


def bomb(beginning: bytes, unit: bytes, members: int) -> bytes:
    """Members of gzip that expand to ``MEMBER_BYTES`` each."""
    return bytes(igzip.compress(beginning)) + _member(unit) * members


@pytest.mark.parametrize("bombs", [SOME, pytest.param(BOMBS, marks=pytest.mark.slow)], ids=["some", "all"])
def test_bombs_are_refused_in_little_memory(bombs: Sequence[tuple[bytes, bytes, str]], tmp_path: Path) -> None:
    pairs = [(tmp_path / f"{nth}-small.gz", tmp_path / f"{nth}-large.gz") for nth in range(len(bombs))]
    for (beginning, unit, _), (small, large) in zip(bombs, pairs, strict=True):
        small.write_bytes(bomb(beginning, unit, 1))
        large.write_bytes(bomb(beginning, unit, MEMBERS))
    for (beginning, unit, code), (small, large) in zip(bombs, pairs, strict=True):
        grown = growth(_CHECK, small, large)
        *answers, status, again, status_again = grown.printed.splitlines()
        assert [json.loads(answer)["error"]["code"] for answer in (*answers, again)] == [code] * 2, (beginning, unit)
        assert status == status_again == "2"
        assert grown.bytes < MEMBER_BYTES / 2, (beginning, unit)
