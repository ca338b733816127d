"""Ten gigabytes in a few megabytes: refused in the memory of a bomb a hundredth as large."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.hostile.corpus import BOMBS, MEMBER_BYTES, bomb
from tests.tasks.formats.memory import growth

MEMBERS = 100
SOME = [bomb for bomb in BOMBS if bomb[2] == "expands-too-much"][:1]
"""Lines of words without an end, of which most is read; each bomb takes two seconds."""
_CHECK = """
from tasks.cli import main
def measured(path):
    print(main(["check", path, "--json"]), flush=True)
"""


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
