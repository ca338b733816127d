"""The suite's word tasks and their languages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tasks.cells import attempt_cell
from tasks.cli import main
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.hashes import task_hash
from tasks.results import Unavailable
from tasks.suites import OPEN_2026
from tasks.word_tasks import SIMILARITY_TASKS, WORD_TASKS
from tests.tasks.made import random_embedding

PUBLISHED_IDS = """
sim-mc-30 sim-men-tr-3k sim-mturk-287 sim-mturk-771 sim-rg-65 sim-rw-stanford sim-simlex-999 sim-simverb-3500
sim-verb-143 sim-ws-353-all sim-ws-353-rel sim-ws-353-sim sim-yp-130 analogy-google analogy-msr qvec-en qvec-da qvec-it
qvec-cca-en qvec-cca-da qvec-cca-it qvec-cca-ptb intrusion priming-ldt-200 priming-ldt-1200 priming-nt-200
priming-nt-1200 20ng senti metaphor
"""
WORDS = [f"word{i}" for i in range(100)]


def test_the_suite_has_every_word_task_under_its_published_id() -> None:
    assert set(PUBLISHED_IDS.split()) <= {task.id for task in OPEN_2026.tasks}


def test_there_is_a_task_for_every_similarity_file() -> None:
    stems = {file.path.split("/")[1].removesuffix(".txt") for file in REGISTRY["word-sim"].read_files}
    assert {task.options["part"] for task in SIMILARITY_TASKS} == stems
    assert len(SIMILARITY_TASKS) == 13


def test_a_word_task_says_what_it_shows_and_can_be_hashed() -> None:
    assert {task.modes for task in WORD_TASKS} == {(None,)}
    assert [task.id for task in WORD_TASKS if not task.shows.endswith((".", "?"))] == []
    for task in WORD_TASKS:
        json.dumps(dict(task.options))
        assert task_hash(OPEN_2026, task, None)


def test_vectors_of_another_language_are_not_applicable() -> None:
    foreign = replace(random_embedding(WORDS), language="eo")
    for task in (task for task in WORD_TASKS if task.languages):
        found = attempt_cell(foreign, OPEN_2026, task, None, data=DataStore.default())
        assert isinstance(found, Unavailable), task.id
        assert found.reason.startswith("Not applicable"), task.id


@pytest.mark.data
def test_a_vocabulary_of_100_strange_words_has_scores_or_reasons_everywhere(store: DataStore) -> None:
    for task in WORD_TASKS:
        if task.id in ("20ng", "senti", "metaphor"):
            continue  # without a known word these have the score of a guess: tests/tasks/test_probes.py
        found = attempt_cell(random_embedding(WORDS), OPEN_2026, task, None, data=store)
        assert isinstance(found, Unavailable) == (task.id != "intrusion"), task.id


@pytest.mark.data
def test_an_oracle_of_the_entrys_language_is_measured(store: DataStore) -> None:
    if not store.status("qvec").available:
        pytest.skip("the oracles are not there")
    words = [entry.word for entry in store.load("qvec")["semcor_noun_verb.supersenses.it"][:400]]  # type: ignore[union-attr]
    vectors = random_embedding(words)
    italian = type(vectors)("i", vectors.words, vectors.matrix, "i", language="it")
    scored = {
        task.id
        for task in WORD_TASKS
        if task.id.startswith("qvec")
        and not isinstance(attempt_cell(italian, OPEN_2026, task, None, data=store), Unavailable)
    }
    assert scored == {"qvec-it", "qvec-cca-it"}


@pytest.mark.data
def test_the_script_ends_well_when_all_that_is_missing_is_for_another_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "vectors.txt"
    rows = np.random.default_rng(0).standard_normal((120, 4))
    words = ["the", *(f"word{i}" for i in range(1, 120))]  # one of the suite's, so that the file is not refused
    path.write_text("".join(f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, rows, strict=True)))
    command = ["evaluate", str(path), "--workers", "1", "--task"]
    assert main([*command, "intrusion,qvec-da,stability,separability"]) == 0
    printed = capsys.readouterr().out
    needs = "qvec-da (words in other languages), stability (several runs: --run), separability (a tagged corpus: "
    assert f"not applicable: {needs}" in printed
    assert "unavailable" not in printed
    lacks_data = not DataStore.default().status("qvec").available
    assert main([*command, "intrusion,qvec-en"]) == int(lacks_data)  # else the reason is that too few words are known
    assert "unavailable: qvec-en" in capsys.readouterr().out
    assert main([*command, "stability", "--run", str(path)]) == 0  # the vectors are the reason
    assert "unavailable: stability" in capsys.readouterr().out
