"""Ten gigabytes in a few megabytes: refused in the memory of a bomb a hundredth as large."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hostile.corpus import BOMBS, MEMBER_BYTES, bomb
from tests.tasks.formats.memory import growth

MEMBERS = 100
_CHECK = """
import runpy
from pathlib import Path
def measured(folder):
    for path in sorted(Path(folder).iterdir()):
        sys.argv[1:] = ["check", str(path), "--json"]
        try:
            runpy.run_module("tasks", run_name="__main__")
        except SystemExit as end:
            print(end.code)
"""


def written(folder: Path, members: int) -> Path:
    folder.mkdir()
    for nth, (beginning, unit, _) in enumerate(BOMBS):
        (folder / f"{nth:02d}.gz").write_bytes(bomb(beginning, unit, members))
    return folder


def test_bombs_are_refused_in_little_memory(tmp_path: Path) -> None:
    grown = growth(_CHECK, written(tmp_path / "small", 1), written(tmp_path / "large", MEMBERS))
    lines = grown.printed.splitlines()
    answers = [(json.loads(answer)["error"]["code"], status) for answer, status in zip(*[iter(lines)] * 2, strict=True)]
    assert answers == [(code, "2") for _, _, code in BOMBS] * 2
    assert grown.bytes < MEMBER_BYTES / 2
