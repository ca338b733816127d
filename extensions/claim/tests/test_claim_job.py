"""A claim is measured by a worker in a process of its own, with the answer of the command."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.templatetags.figures import csv_lines
from extensions.claim import child
from extensions.claim.models import MeasuredClaim
from extensions.claim.tests import speeches, spelled
from extensions.claim.views import ClaimForm, ClaimPages
from extensions.shared.measure.vectors import NamedVectors
from extensions.texts.jobs import JOBS
from extensions.texts.models import TextsState
from research.claim import LISTS, A
from tasks.cli import main
from tasks.errors import InputError
from tasks.processes import no_progress
from tests.workers.factories import do_job

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_files")]
QUICK: dict[str, Any] = {"windows": [2], "dimensions": [10], "samples": 4}
COUNTING = """
import os, pathlib, signal
from extensions.claim import child
from extensions.claim.measure.study import Study

log, measure = pathlib.Path({log!r}), Study.measure


def measured(study, model):
    with log.open("a") as file:
        file.write(f"{{model}}\\n")
    if len(log.read_text().splitlines()) == {killed_at}:
        os.kill(os.getpid(), signal.SIGTERM)
    return measure(study, model)


Study.measure = measured
child.run(child.REQUEST, child.measure)
"""


def sent(**columns: Any) -> MeasuredClaim:
    content = speeches()
    row = MeasuredClaim(title="made", payer="address:x", file_name="speeches.jsonl", file_bytes=len(content))
    lists = [spelled(words) for words in LISTS]
    for name, value in ({"kind": "association", "lists": lists, "group_by": "who"} | QUICK | columns).items():
        setattr(row, name, value)
    row.file_key = f"claims/{row.pk[:2]}/{row.pk}"
    storage.path_of(row.file_key).write_text(content)
    row.save()
    MeasuredClaim.enqueue(row.pk)
    return row


def ended(row: MeasuredClaim) -> MeasuredClaim:
    do_job("claim", row.pk)
    row.refresh_from_db()
    return row


def left_behind() -> list[object]:
    return [*storage.keys("claims"), *MeasuredClaim.scratch().iterdir(), *Job.objects.all()]


@pytest.mark.parametrize(
    "columns",
    [
        {"by": "party"},
        {"kind": "nearest", "lists": [spelled(A[:1]), spelled(A[1:2])], "group_by": "", "minimum_count": 5},
    ],
)
def test_the_site_has_the_answer_and_the_analyses_of_the_command(
    columns: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ended(sent(**columns))
    assert (row.error, row.state) == (None, TextsState.DONE)
    assert (row.file_key, left_behind()) == ("", [])
    monkeypatch.chdir(tmp_path)
    Path(row.file_name).write_text(speeches())
    python, module, tasks, *command = shlex.split(row.command)
    assert (python, module, tasks) == ("python", "-m", "tasks")
    assert main([*command, "--processes", "1", "--out", "out"]) in (0, 1)
    assert json.loads(Path("out/answer.json").read_text()) == row.report["answer"]
    assert Path("out/analyses.csv").read_text() == "".join(csv_lines(ClaimPages().as_rows(row)))
    assert row.report["answer"]["sentence"] in capsys.readouterr().out


def test_after_a_killed_process_no_finished_model_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request_of, log = JOBS["claim"].request_of, tmp_path / "models"
    monkeypatch.setattr(JOBS["claim"], "request_of", lambda *about: replace(request_of(*about), processes=1))
    expected = ended(sent()).report
    monkeypatch.setattr(JOBS["claim"], "command", ("-c", COUNTING.format(log=str(log), killed_at=3)))
    row = ended(sent())
    assert row.state == TextsState.WAITING
    assert [path.suffix for path in (MeasuredClaim.scratch() / row.pk).iterdir()] == [".jsonl"]
    row = ended(row)
    assert (row.error, row.state, row.report) == (None, TextsState.DONE, expected)
    models = log.read_text().splitlines()
    assert [models.count(model) for model in dict.fromkeys(models)] == [1, 1, 2, 1, 1]
    assert left_behind() == []


def test_an_entry_named_as_the_vectors_of_the_corpus_is_a_start_of_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, vectors = tmp_path / "speeches.jsonl", tmp_path / "vectors.txt"
    corpus.write_text(content := speeches())
    words = sorted({word for line in content.splitlines() for word in json.loads(line)["text"].split()})
    rows = np.random.default_rng(0).normal(size=(len(words), 4)).tolist()
    vectors.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)))
    monkeypatch.setattr(child, "folder_of_all_tries", lambda: tmp_path)
    starts = (NamedVectors("local", vectors),)
    columns = replace(JOBS["claim"].request_of(sent(samples=2), starts, 1), path=str(corpus))
    report: Any = child.measure(columns, no_progress)["report"]
    assert {row[0] for row in report["analyses"]} == {"local", "local (entry)"}


@pytest.mark.parametrize(
    ("error", "field"),
    [
        (InputError("x", "Name --between or --at.", field="between"), "between"),
        (InputError("x", "Lower --samples.", field="corpus"), "samples"),
        (InputError("small-corpus", "Give other vectors.", field="pretrained"), "entries"),
        (InputError("x", "Give another.", field=None), "file"),
    ],
)
def test_an_error_is_shown_at_its_own_field_or_else_at_one_that_it_names(error: InputError, field: str) -> None:
    assert JOBS["claim"].on_the_page(error, MeasuredClaim(file_name="x.txt"))["field"] == field


def test_a_cancelled_claim_leaves_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    row = sent()
    monkeypatch.setattr("extensions.texts.jobs.measured", lambda *_: row.cancel() and 1 / 0)
    (MeasuredClaim.scratch() / row.pk).mkdir()
    assert ended(row).state == TextsState.CANCELLED
    assert left_behind() == []


@pytest.mark.parametrize(("most", "code"), [(99_999, "too-large-plan"), (100_000, "")])
def test_a_plan_over_the_limit_is_refused_at_a_field_and_says_what_to_reduce(
    monkeypatch: pytest.MonkeyPatch, most: int, code: str
) -> None:
    patched = f"child.MOST_WORDS = {most}\nchild.run(child.REQUEST, child.measure)"
    monkeypatch.setattr(JOBS["claim"], "command", ("-c", f"from extensions.claim import child\n{patched}"))
    error = ended(sent()).error or {"code": ""}
    assert error["code"] == code
    assert left_behind() == []
    if code:
        message = (
            "The plan has 5 models of 20,000 words, 100,000 words in all; the limit here is 99,999. Lower “Samples”, "
        )
        assert message + "name fewer “Windows” or send a part of the corpus." in str(error["message"])
        assert error["field"] in ClaimForm().fields


@pytest.mark.parametrize(
    ("columns", "field", "message"),
    [
        ({"by": "faction"}, "by", "The documents have no “faction”"),
        ({"by": "party", "group_by": ""}, "group_by", "add “Group by” who"),
        ({"group_by": "party"}, "group_by", "There are 2 values of “party”"),
        ({"lists": [["nowhere"], *LISTS[1:]]}, "minimum_count", "Give at least 2, and lower “Minimum count”"),
        ({"kind": "groups", "lists": [spelled(LISTS[0][:1])]}, "by", "name the field that tells them with “By”"),
        ({"by": "who", "group_by": "who"}, "between", "name two with “Between”, or divide numbers with “At”"),
        ({"by": "party", "at": 3.0}, "at", "No document has a number as its “party”"),
        ({"between": "a, b"}, "by", "“At” and “Between” choose two groups of the field of “By”"),
        ({"by": "party", "dimensions": [300]}, "dimensions", "fewer “Dimensions”"),
    ],
)
@pytest.mark.slow
def test_a_claim_that_the_corpus_cannot_answer_is_refused_at_a_field(
    columns: dict[str, Any], field: str, message: str
) -> None:
    row = ended(sent(**columns))
    assert row.error is not None
    assert message in str(row.error["message"])
    assert (row.state, row.error["field"]) == (TextsState.REFUSED, field)
    assert left_behind() == []
