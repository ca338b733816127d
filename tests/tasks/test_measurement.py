"""Whole evaluations: their numbers, and how they resume after an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasks.cells import evaluate_cell
from tasks.cli import main
from tasks.datasets.store import DataStore
from tasks.evaluate import FinishedCells, evaluate, select_cells
from tasks.extrinsic.examples import columns
from tasks.results import CellResult, Mode, Report, Unavailable
from tasks.suites import DEMO
from tasks.vectors import Embedding, content_hash
from tests.servers import hear_ctrl_c
from tests.tasks.statistics.uncertain import report as made_report
from tests.workers.running_site import ROOT, small_file


def times(embedding: Embedding, factor: float) -> Embedding:
    """The same words with every number multiplied, rounded to float32."""
    matrix = embedding.matrix * np.float32(factor)
    return Embedding(f"times {factor}", embedding.words, matrix, content_hash(embedding.words, matrix))


def bits(report: Report, *, intervals: bool = True) -> list[tuple[object, ...]]:
    """The results without measured times."""
    return [
        (r.task, r.mode, r.score, r.sd, r.interval if intervals else None, r.secondary, (r.training or {}).get("seeds"))
        for r in report.results
    ]


@pytest.fixture(scope="module")
def measured(demo_vectors: Embedding, store: DataStore) -> Report:
    return evaluate(demo_vectors, DEMO, seeds=1, data=store)


@pytest.fixture(scope="module")
def fixed(demo_vectors: Embedding, store: DataStore) -> Report:
    """Cells that take little time."""
    tasks = ["pos", "ner", "questions", "sim-ws-353-all"]
    return evaluate(demo_vectors, DEMO, tasks=tasks, modes=["fixed"], seeds=1, data=store)


@pytest.mark.slow
def test_every_cell_of_the_demo_suite_has_a_number(measured: Report) -> None:
    assert [(r.task, r.mode) for r in measured.results] == [(task.id, mode) for task, mode in DEMO.cells()]
    assert measured.unavailable == ()
    assert Report.from_json(measured.to_json()) == measured


@pytest.mark.slow
def test_vectors_times_128_score_bit_equal(measured: Report, demo_vectors: Embedding, store: DataStore) -> None:
    # Intervals hold draws seeded by the content hash of the vectors, which is another one (docs/protocol.md §8.3).
    scaled = evaluate(times(demo_vectors, 128), DEMO, seeds=1, data=store)
    assert bits(scaled, intervals=False) == bits(measured, intervals=False)
    for one, other in zip(measured.results, scaled.results, strict=True):
        assert one.outcomes is not None
        assert other.outcomes is not None
        np.testing.assert_array_equal(one.outcomes.values, other.outcomes.values)


@pytest.mark.slow
def test_processes_give_the_bits_of_one_process(fixed: Report, demo_vectors: Embedding, store: DataStore) -> None:
    tasks = ["questions", "sim-ws-353-all"]
    spread = evaluate(demo_vectors, DEMO, tasks=tasks, modes=["fixed"], seeds=1, workers=2, data=store)
    assert bits(spread) == [entry for entry in bits(fixed) if entry[0] in tasks]
    for result in spread.results:
        same = fixed.result(result.task, result.mode)
        assert result.outcomes is not None
        assert same is not None
        assert same.outcomes is not None
        np.testing.assert_array_equal(result.outcomes.values, same.outcomes.values)


@pytest.mark.parametrize(
    ("measurement", "widths"), [("fixed", {2, 3, 6}), pytest.param("measured", {2, 3, 4, 6}, marks=pytest.mark.slow)]
)
def test_outcomes_of_trained_cells_give_their_scores_and_have_their_units(
    measurement: str, widths: set[int], store: DataStore, request: pytest.FixtureRequest
) -> None:
    report: Report = request.getfixturevalue(measurement)
    for result in report.results:
        task, outcomes = DEMO.task(result.task), result.outcomes
        if result.mode is not None and outcomes is not None:
            counted = [name for metric in task.metrics for name in metric.columns]
            units = outcomes.columns[len(counted) :]
            assert list(outcomes.columns[: len(counted)]) == counted
            assert [outcomes.column(name).tolist() for name in units] == columns(task, store).units.tolist()
            assert task.metric.of(outcomes) == pytest.approx(result.score, abs=1e-12)
    assert {len(result.outcomes.columns) for result in report.results if result.outcomes and result.mode} == widths


@pytest.mark.parametrize(
    ("mode", "measurement"),
    [("fixed", "fixed"), pytest.param("fine-tuned", "measured", marks=pytest.mark.slow)],
)
def test_vectors_beat_random_ones_where_only_geometry_can_help(
    mode: Mode, measurement: str, demo_vectors: Embedding, store: DataStore, request: pytest.FixtureRequest
) -> None:
    measured: Report = request.getfixturevalue(measurement)
    shuffled = np.random.default_rng(0).permutation(demo_vectors.matrix)
    lost = Embedding("shuffled", demo_vectors.words, shuffled, "shuffled")
    for result in evaluate(lost, DEMO, tasks=["pos", "ner", "questions"], modes=[mode], seeds=1, data=store).results:
        own = measured.result(result.task, result.mode)
        assert own is not None
        assert own.score > result.score + 0.1


def test_a_missing_data_set_leaves_the_other_tasks_alone(demo_vectors: Embedding, store: DataStore) -> None:
    suite = replace(
        DEMO, tasks=tuple(replace(t, dataset="wsj-pos") if t.id == "pos" else t for t in DEMO.tasks), id="demo-without"
    )
    report = evaluate(demo_vectors, suite, tasks=["pos", "sim-ws-353-all"], data=store)
    assert [result.task for result in report.results] == ["sim-ws-353-all"]
    assert [(item.task, item.mode) for item in report.unavailable] == [("pos", "fixed"), ("pos", "fine-tuned")]
    assert report.aggregates.fixed is None
    assert "pos, fixed is missing" in report.aggregates.reasons["fixed"]


def test_another_language_has_no_number_and_says_why(demo_vectors: Embedding, store: DataStore) -> None:
    spanish = replace(demo_vectors, language="es")
    report = evaluate(spanish, DEMO, tasks=["questions"], data=store)
    assert report.results == ()
    assert all(isinstance(item, Unavailable) and "in Spanish" in item.reason for item in report.unavailable)


def test_a_file_of_unknown_words_is_measured_and_warned_of(store: DataStore) -> None:
    matrix = np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32)
    strange = Embedding("strange", [f"qqq{i}" for i in range(200)], matrix, "strange")
    report = evaluate(strange, DEMO, tasks=["questions", "sim-ws-353-all"], modes=["fixed"], seeds=1, data=store)
    (result,) = report.results
    assert result.coverage.tokens == 0.0
    assert {item.task for item in report.unavailable} == {"sim-ws-353-all"}
    assert [warning.code for warning in report.vectors["warnings"]] == ["no-known-word"]


def test_a_vector_of_zeros_for_every_word_does_not_crash(store: DataStore, demo_vectors: Embedding) -> None:
    zeros = Embedding("zeros", demo_vectors.words, np.zeros((len(demo_vectors.words), 4), dtype=np.float32), "zeros")
    report = evaluate(zeros, DEMO, tasks=["nli", "sim-ws-353-all", "analogy-google"], seeds=1, data=store)
    assert {result.task for result in report.results} == {"nli", "analogy-google"}


def test_cells_can_be_chosen_by_task_and_mode() -> None:
    assert select_cells(DEMO, ["nli", "analogy-google"], ["fixed"]) == [("nli", "fixed"), ("analogy-google", None)]
    with pytest.raises(KeyError, match="has no task"):
        select_cells(DEMO, ["parsing"])


def test_progress_never_goes_past_one(demo_vectors: Embedding, store: DataStore) -> None:
    shares: list[float] = []
    result = evaluate_cell(
        demo_vectors,
        DEMO,
        DEMO.task("questions"),
        "fixed",
        data=store,
        seeds=1,
        progress=lambda share, _: shares.append(share),
    )
    assert isinstance(result, CellResult)
    assert all(0 <= share <= 1 for share in shares)
    assert len(shares) > 2


WHOLE = "[!.]*.npz"
"""Files of finished cells; while one is written, its name begins with a dot."""


def arguments(out: Path, *more: str) -> list[str]:
    how = ("--suite", "demo", "--task", "questions,nli,sim-simlex-999", "--mode", "fixed", "--seeds", "1")
    return ["evaluate", str(small_file()), *how, "--workers", "1", "--out", str(out), *more]


def scores(out: Path) -> list[tuple[Any, ...]]:
    stored = json.loads(out.read_text(encoding="utf-8"))
    reduction = "relative_error_reduction"
    kept = ("task", "mode", "score", "interval", "errors", reduction, f"{reduction}_interval")
    return [tuple(str(result[key]) for key in kept) for result in stored["results"]]


def test_an_interrupted_run_goes_on_and_gives_the_same_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, out = tmp_path / "whole.json", tmp_path / "report.json"
    assert main(arguments(whole)) == 0
    assert not (tmp_path / "whole.json.cells").exists()
    command = [sys.executable, "-m", "tasks", *arguments(out)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    )
    folder = tmp_path / "report.json.cells"
    deadline = time.monotonic() + 120
    while not list(folder.glob(WHOLE)) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert "--resume continues" in process.communicate()[1]
    assert process.returncode == 130
    assert not out.exists()
    finished = {path.name.rpartition(".")[0].rpartition(".")[0] for path in folder.glob(WHOLE)}
    capsys.readouterr()
    assert main(arguments(out, "--resume")) == 0
    lines = capsys.readouterr().err.splitlines()
    measured = {line.split(":")[0].replace(" ", ".") for line in lines if ":" in line}
    assert finished
    assert not measured & {name.removesuffix(".word") for name in finished}
    assert scores(out) == scores(whole)
    assert not folder.exists()


def test_resuming_needs_to_know_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(small_file()), "--suite", "demo", "--resume"]) == 2
    assert "--resume needs the --out" in capsys.readouterr().err


def test_a_report_to_a_device_takes_nothings_place(capsys: pytest.CaptureFixture[str]) -> None:
    how = ("--suite", "demo", "--task", "sim-simlex-999", "--workers", "1", "--out", os.devnull)
    assert main(["evaluate", str(small_file()), *how]) == 0
    assert not Path(os.devnull).is_file()
    assert not Path(f"{os.devnull}.cells").exists()


OTHERS: dict[str, dict[str, Any]] = {
    "vectors": {"vectors": ["other"]},
    "seeds": {"seeds": 1},
    "device": {"environment": {"device": "cuda", "threads": 1}},
    "library": {"environment": {"device": "cpu", "threads": 1, "torch": "3"}},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_only_what_the_same_measurement_gave_is_taken(tmp_path: Path, store: DataStore, other: dict[str, Any]) -> None:
    def kept(vectors: Any = ("vectors",), seeds: Any = None, environment: Any = None) -> FinishedCells:
        how = environment or {"device": "cpu", "threads": 1}
        return FinishedCells(tmp_path / "cells", DEMO, store, vectors, seeds, how)

    results = made_report(0.5, 2).results
    cells = [(result.task, result.mode) for result in results]
    for result in results:
        kept().keep(result)
    again = kept().among(cells)
    assert again == list(results)
    for one, other_one in zip(again, results, strict=True):
        assert (one.outcomes is None) == (other_one.outcomes is None)
        if one.outcomes is not None and other_one.outcomes is not None:
            assert one.outcomes.values.tolist() == other_one.outcomes.values.tolist()
    assert kept(**other).among(cells) == []
    next((tmp_path / "cells").iterdir()).write_bytes(b"PK damaged")
    assert len(kept().among(cells)) == len(results) - 1
