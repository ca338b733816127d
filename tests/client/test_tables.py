"""What the command prints of a board and a status."""

from __future__ import annotations

from typing import Any

import pytest

from vecboard.tables import board_table, console, report_table, status_lines


def board(name: str = "Small", **other: Any) -> dict[str, Any]:
    entry = {"id": "abcdefghijkl", "name": name, "rank": [2, 3], "dimensions": 50, "figures": {"qvec": 0.25}}
    columns = [{"key": "overall", "title": "Overall", "kind": "reduction", "unit": "%", "decimals": 2}]
    columns += [{"key": "qvec", "title": "QVEC", "kind": "score", "unit": "", "decimals": 3}]
    suite = {"id": "demo", "version": 2}
    return {"suite": suite, "sort": "overall", "next": None, "total": 1, "columns": columns, "entries": [entry]} | other


def printed(shown: Any, capsys: pytest.CaptureFixture[str]) -> str:
    console().print(shown)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["GloVe [w5]", "closing [/w5]", ":smile:"])
def test_a_name_is_printed_as_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in printed(board_table(board(name)), capsys)


def test_the_column_that_it_is_sorted_by_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert "QVEC" not in printed(board_table(board()), capsys)
    shown = printed(board_table(board(sort="-qvec")), capsys)
    assert "QVEC" in shown
    assert "0.250" in shown


def test_a_board_of_several_pages_shows_how_to_get_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert "1 of 300 entries; next page: --after x9" in printed(board_table(board(next="x9", total=300)), capsys)


def test_a_status_names_the_page_for_people() -> None:
    progress = {"done": 1, "total": 2, "share": 0.5, "expected_seconds": [300, 600]}
    status = {"id": "a", "name": "N", "state": "running", "progress": progress, "error": None, "warnings": []}
    lines = status_lines(status | {"report_url": None}, "https://vecboard.example/s/a").splitlines()
    assert lines[1:] == ["1 of 2 jobs done, 5 to 10 min left", "Page: https://vecboard.example/s/a"]


def test_a_report_has_titles_and_the_intervals_of_word_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    word = {"task": "sim-x", "mode": None, "metric": "spearman", "score": 0.5, "interval": [0.4, 0.6]}
    cell = {"task": "pos", "mode": "fixed", "metric": "accuracy", "score": 0.9, "interval": [0.8, 0.95]}
    cell |= {"relative_error_reduction": 0.1, "relative_error_reduction_interval": [0.05, 0.15]}
    report: Any = {
        "vectors": {"name": "Small", "words": 100, "dimensions": 10},
        "suite": {"id": "demo", "version": 2},
        "results": [word, cell],
        "aggregates": {"fixed": None, "fine_tuned": None, "overall": None},
        "unavailable": [],
    }
    shown = printed(report_table(report, {"sim-x": "Similarity"}), capsys)
    assert "Similarity" in shown
    assert "0.4000 to 0.6000" in shown
    assert "+5.00 to +15.00" in shown
    assert "0.8000" not in shown
    assert "pos" in shown
