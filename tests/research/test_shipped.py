"""The tables about the entries that ship; their page matches the command's output."""

from __future__ import annotations

import pytest

from benchmark.shipped.dump import dump_path
from research import pages
from research.cli import main
from research.page import PAGE
from tasks.suites import OPEN_2026


@pytest.mark.skipif(not dump_path(OPEN_2026).is_file(), reason="this version of the suite has no board yet: make board")
def test_the_page_has_the_commands_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shipped"]) == 0
    printed = capsys.readouterr().out
    for name in ("controls", "one number"):
        begin, end = pages.marks(name)
        kept = PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()
        assert kept
        assert kept in printed
