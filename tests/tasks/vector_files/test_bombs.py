"""Ten gigabytes in a few megabytes: refused early, in little memory, by a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from isal import igzip

from tests.tasks.vector_files.memory import run_measured

TEN_GIGABYTES = 10_000_000_000
MEGABYTES_ALLOWED = 300
_CHECK = """
import runpy
sys.argv[1:] = ["check", sys.argv[1], "--json"]
try:
    runpy.run_module("tasks", run_name="__main__")
except SystemExit as end:
    print(end.code)
"""


def _repeated(unit: bytes) -> Iterator[bytes]:
    """Gzip members of 100 MB of ``unit`` each, ten gigabytes in all."""
    member = igzip.compress(unit * (100_000_000 // len(unit)), compresslevel=1)
    return (member for _ in range(TEN_GIGABYTES // 100_000_000))


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
    bomb = tmp_path / "bomb.gz"
    with bomb.open("wb") as file:
        file.write(igzip.compress(beginning))
        file.writelines(_repeated(unit))
    run = run_measured(_CHECK, bomb)
    answer, status = run.printed.splitlines()
    assert (status, json.loads(answer)["error"]["code"]) == ("2", code)
    assert run.megabytes < MEGABYTES_ALLOWED
