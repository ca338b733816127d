"""Which suite a site measures with, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.datasets.store import DataStore
from workers import choose_suite
from workers.choose_suite import choose


def quiet(_: str) -> None:
    pass


def test_the_environment_decides(tmp_path: Path) -> None:
    choice = choose("veceval-2016", DataStore(tmp_path), quiet)
    assert (choice.suite, choice.is_second_best) == ("veceval-2016", False)


def test_it_refuses_an_unknown_suite_and_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="open-2026, demo"):
        choose("open-2025", DataStore(tmp_path), quiet)


def test_without_data_and_network_it_is_the_demo_and_says_why(tmp_path: Path) -> None:
    choice = choose("", DataStore(tmp_path, offline=True), quiet)
    assert choice.suite == "demo"
    assert choice.is_second_best
    assert "ud-ewt" in choice.why
    assert "VECBOARD_OFFLINE" in choice.why


def test_nobody_waits_for_a_dead_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_suite, "urls_of", lambda _: ["http://127.0.0.1:9/nothing"])
    choice = choose("", DataStore(tmp_path), quiet)
    assert choice.suite == "demo"
    assert "cannot be reached" in choice.why


@pytest.mark.data
def test_with_all_its_data_it_is_the_open_suite() -> None:
    store = DataStore.default()
    if store.mirror is None:
        pytest.skip("the mirror of the data sets (../shared/datasets) is not there")
    assert choose("", store, quiet).suite == "open-2026"
