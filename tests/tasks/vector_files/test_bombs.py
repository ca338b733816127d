"""Ten gigabytes in a few megabytes: refused by a process of its own, in the memory of a bomb a hundredth as large."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from isal import igzip

from tests.tasks.vector_files.memory import growth

MEMBER_BYTES, MEMBERS = 100_000_000, 100
_CHECK = """
import runpy
def measured(path):
    sys.argv[1:] = ["check", path, "--json"]
    try:
        runpy.run_module("tasks", run_name="__main__")
    except SystemExit as end:
        print(end.code)
"""


@pytest.mark.parametrize(
    ("beginning", "unit", "code"),
    [
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
    ],
)
def test_a_bomb_is_refused_in_little_memory(beginning: bytes, unit: bytes, code: str, tmp_path: Path) -> None:
    small, large = tmp_path / "small.gz", tmp_path / "large.gz"
    member = igzip.compress(unit * (MEMBER_BYTES // len(unit)), compresslevel=1)
    for bomb, times in ((small, 1), (large, MEMBERS)):
        with bomb.open("wb") as file:
            file.write(igzip.compress(beginning))
            file.writelines(member for _ in range(times))
    grown = growth(_CHECK, small, large)
    lines = grown.printed.splitlines()
    for answer, status in ((lines[0], lines[1]), (lines[2], lines[3])):
        assert (status, json.loads(answer)["error"]["code"]) == ("2", code)
    assert grown.bytes < MEMBER_BYTES / 2
