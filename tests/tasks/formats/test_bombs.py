"""Ten gigabytes in a few megabytes: refused by a process of its own, in the memory of a bomb a hundredth as large."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hostile.corpus import BOMBS, MEMBER_BYTES, bomb
from tests.tasks.formats.memory import growth

MEMBERS = 100
_CHECK = """
import runpy
def measured(path):
    sys.argv[1:] = ["check", path, "--json"]
    try:
        runpy.run_module("tasks", run_name="__main__")
    except SystemExit as end:
        print(end.code)
"""


@pytest.mark.parametrize(("beginning", "unit", "code"), BOMBS)
def test_a_bomb_is_refused_in_little_memory(beginning: bytes, unit: bytes, code: str, tmp_path: Path) -> None:
    small, large = tmp_path / "small.gz", tmp_path / "large.gz"
    small.write_bytes(bomb(beginning, unit, 1))
    large.write_bytes(bomb(beginning, unit, MEMBERS))
    grown = growth(_CHECK, small, large)
    lines = grown.printed.splitlines()
    for answer, status in ((lines[0], lines[1]), (lines[2], lines[3])):
        assert (status, json.loads(answer)["error"]["code"]) == ("2", code)
    assert grown.bytes < MEMBER_BYTES / 2
