"""The study: it resumes where it stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from research.study import run as measuring
from research.study.run import run_study
from research.study.store import Results, Setting, key, settings
from tasks.datasets.store import DataStore

pytestmark = pytest.mark.data("sotu", "political-neighbours")
TINY = tuple(setting for setting in settings() if setting.id == "sotu-glove-w1-d50")


def silent(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def corpus_of_addresses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty addresses: enough words for the study's cues, few enough for a test."""
    from extensions.shared.measure.documents import collection

    path = tmp_path_factory.mktemp("study") / "addresses.txt"
    texts = [document.text for document in collection("sotu", DataStore.default()).documents[-40:]]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


@pytest.fixture
def small(corpus_of_addresses: Path, monkeypatch: pytest.MonkeyPatch) -> list[Setting]:
    """One setting of the study with two short runs, on the small text; both corpora are the same here."""
    source = measuring.corpus
    monkeypatch.setattr(measuring, "corpus", lambda _, store: source(str(corpus_of_addresses), store))
    return [Setting("sotu", replace(TINY[0].plan, runs=2, iterations=3, minimum_count=20))]


def test_the_grid_has_all_settings() -> None:
    ids = [setting.id for setting in settings()]
    assert len(ids) == len(set(ids)) == 2 * 9 + 2 * 4
    assert {setting.plan.runs for setting in settings() if setting.corpus == "sotu"} == {3}
    assert {setting.plan.runs for setting in settings() if setting.corpus != "sotu"} == {2}


def test_runs_trained_before_a_stop_are_not_trained_again(
    small: list[Setting], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = Results(tmp_path / "results", tmp_path / "work")
    trained: list[int] = []
    train = measuring.train_runs

    def stop_at_the_second(corpus, plan, progress=None):  # type: ignore[no-untyped-def]
        trained.append(plan.seed)
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(corpus, plan)

    monkeypatch.setattr(measuring, "train_runs", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        run_study(results, DataStore.default(), silent, chosen=small)
    run_study(results, DataStore.default(), silent, chosen=small)
    assert trained == [1, 2, 2]
    run_study(results, DataStore.default(), silent, chosen=small)
    assert len(trained) == 3


def test_another_machine_trains_again_what_it_needs_for_a_comparison(small: list[Setting], tmp_path: Path) -> None:
    here = Results(tmp_path / "results", tmp_path / "work")
    run_study(here, DataStore.default(), silent, chosen=small)
    cell = here.cell(small[0])
    there = Results(tmp_path / "results", tmp_path / "other work")
    run_study(there, DataStore.default(), silent, chosen=small)
    assert there.run(small[0], 0) is None  # nothing to compare
    both = [*small, Setting("sotu", replace(small[0].plan, window=6))]
    run_study(there, DataStore.default(), silent, chosen=both)
    assert (there.read("pairs") or {}).keys() == {key(*both)}
    assert there.cell(small[0]) == cell
    before, again = here.run(small[0], 1), there.run(small[0], 1)
    assert before is not None
    assert again is not None
    np.testing.assert_array_equal(before[1].random, again[1].random)


def test_a_cell_has_its_criteria(small: list[Setting], tmp_path: Path) -> None:
    results = Results(tmp_path / "results", tmp_path / "work")
    run_study(results, DataStore.default(), silent, chosen=small)
    cell = results.cell(small[0])
    assert cell is not None
    assert [run["seed"] for run in cell["runs"]] == [1, 2]
    assert len(cell["stability"]["random"]["pairs"]) == 1
    assert cell["human"]["full"]["n"] >= 5
