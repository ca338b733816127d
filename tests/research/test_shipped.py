"""Tables of the shipped entries; their pages have the current output of the command."""

from __future__ import annotations

import pytest

from benchmark.shipped.dump import DumpedEntry, dump_path
from research import pages
from research.cli import main
from research.shipped import SETTINGS, TRUST, settings
from tasks.suites import OPEN_2026


@pytest.mark.skipif(not dump_path(OPEN_2026).is_file(), reason="this version of the suite has no board yet: make board")
def test_the_pages_have_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shipped"]) == 0
    printed = capsys.readouterr().out
    for name, page in (("controls", TRUST), ("one number", TRUST), ("settings", SETTINGS)):
        begin, end = pages.marks(name)
        kept = page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()
        assert kept
        assert kept in printed


def entry(**details: object) -> DumpedEntry:
    own = {"algorithm": "glove", "corpus": "news", "dimensions": 50, "loss": None, "name": "GloVe, 50 dimensions"}
    return DumpedEntry("id", own | {"overall": None, "tokens": 7, "training_minutes": None, "window": 5} | details, {})


def test_settings_are_grouped_by_corpus_and_controls_and_unknown_settings_left_out() -> None:
    found = settings(
        [
            entry(corpus="speeches", loss=0.5, overall=0.0123),
            entry(dimensions=100),
            entry(),
            entry(algorithm="random"),
            entry(window=None),
        ]
    )
    assert found.index("news; 7 tokens:") < found.index("speeches; 7 tokens:")
    rows = [line for line in found.splitlines() if line.startswith("| GloVe")]
    assert rows == [
        "| GloVe | 5 | 50 | – | – | – |",
        "| GloVe | 5 | 100 | – | – | – |",
        "| GloVe | 5 | 50 | 0.5 | – | +1.23 |",
    ]
