"""Reports in the forms of others: the report's own numbers under its own names, and nothing that was not measured."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from extensions.exports.measure.forms import WRITERS, Export, write_mteb
from tasks.answers import EXPORT_FORMS, ExportForm
from tasks.cli import main
from tasks.languages import tagged
from tasks.metrics import METRICS
from tasks.results import Report
from tasks.suites import SUITES
from tests.benchmark.reports import SUITE, report_of

NAME = "me/my-vectors"


def detailed() -> Report:
    """A report whose first score has standard errors from both sources, and that lacks a task."""
    report = report_of(0.1, missing=["sim-simlex-999"])
    first, *others = report.results
    return replace(report, results=(replace(first, errors={"examples": 0.003, "seeds": 0.004}), *others))


@pytest.fixture
def export() -> Export:
    return Export(detailed(), SUITE, NAME, 1_750_000_000.5, "https://vecboard.example/r/abc")


def log_of(export: Export) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(WRITERS["every-eval-ever"](export))
    return found


def test_every_judged_cell_has_the_reports_numbers(export: Export) -> None:
    judged = list(export.cells())
    results = log_of(export)["evaluation_results"]
    assert len(results) == len(judged) > 10
    for (_, result), written in zip(judged, results, strict=True):
        details, interval = written["score_details"], written["score_details"]["uncertainty"]["confidence_interval"]
        assert details["score"] == result.score
        assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (*result.interval, 0.95)
        assert details["details"]["n"] == str(result.n)


def test_a_standard_error_combines_test_examples_and_seeds(export: Export) -> None:
    first, second, *_ = log_of(export)["evaluation_results"]
    assert math.isclose(first["score_details"]["uncertainty"]["standard_error"]["value"], 0.005)
    assert "standard_error" not in second["score_details"]["uncertainty"], "it was not measured"


def test_tokens_are_not_called_the_sample_of_an_interval_over_sentences(export: Export) -> None:
    for (task, result), written in zip(export.cells(), log_of(export)["evaluation_results"], strict=True):
        samples = written["score_details"]["uncertainty"].get("num_samples")
        assert samples == (None if task.family.id == "window" else result.n)


def test_a_score_is_within_its_stated_bounds_and_has_none_that_do_not_hold(export: Export) -> None:
    for written in log_of(export)["evaluation_results"]:
        config = written["metric_config"]
        if "score_type" in config:
            assert config["min_score"] <= written["score_details"]["score"] <= config["max_score"]
    assert METRICS["qvec"].bounds is None, "it is a sum over dimensions"


def test_suite_licence_and_what_is_missing_are_in_the_log(export: Export) -> None:
    log = log_of(export)
    source = log["source_metadata"]["additional_details"]
    assert json.loads(source["suite"]) == export.report.suite
    assert list(json.loads(source["without_a_score"])) == ["sim-simlex-999"]
    data = log["evaluation_results"][0]["source_data"]
    assert json.loads(data["additional_details"]["licences"]) == {"demo-pos": "CC BY 4.0"}
    assert log["retrieved_timestamp"] == "1750000000"


def texts(node: object, within: str = "") -> Iterator[tuple[str, object]]:
    """Every value of a free field, with its name."""
    if isinstance(node, dict):
        for name, value in node.items():
            if within in ("details", "additional_details"):
                yield name, value
            yield from texts(value, name)
    elif isinstance(node, list):
        for one in node:
            yield from texts(one)


def test_free_fields_are_strings_as_the_schema_demands(export: Export) -> None:
    found = list(texts(log_of(export)))
    assert len(found) > 50
    assert [name for name, value in found if not isinstance(value, str)] == []


def test_descriptive_scores_are_left_out_and_named(export: Export) -> None:
    tasks = [replace(task, descriptive=task.id == "nli") for task in SUITE.tasks]
    described = replace(export, suite=replace(SUITE, tasks=tuple(tasks)))
    named = json.loads(log_of(described)["source_metadata"]["additional_details"]["descriptive_left_out"])
    assert named == ["nli.fixed", "nli.fine-tuned"]
    assert "nli" not in {task.id for task, _ in described.cells()}
    assert "nli" in {task.id for task, _ in export.cells()}


@pytest.mark.parametrize("form", EXPORT_FORMS)
def test_a_report_gives_the_same_text_each_time(export: Export, form: ExportForm) -> None:
    assert WRITERS[form](export) == WRITERS[form](replace(export))


def test_a_file_of_mteb_has_our_task_and_no_number_that_was_not_measured(export: Export, tmp_path: Path) -> None:
    folder = write_mteb(export, tmp_path)
    assert folder == tmp_path / "me__my-vectors" / ("cd" * 32)
    result = json.loads((folder / "vecboard-demo-v2.pos.fixed.json").read_text())
    assert (result["task_name"], result["dataset_revision"]) == ("vecboard-demo-v2.pos.fixed", "ab" * 32)
    assert (result["mteb_version"], result["kg_co2_emissions"], result["evaluation_time"]) == (None, None, 10.0)
    (scores,) = result["scores"]["test"]
    assert (scores["hf_subset"], scores["languages"], scores["licences"]) == (
        "default", ["eng-Latn"], {"demo-pos": "CC BY 4.0"},
    )  # fmt: skip
    assert scores["main_score"] == scores["accuracy"] == 0.64
    assert scores["interval_95"] == [0.62, 0.66]
    meta = json.loads((folder / "model_meta.json").read_text())
    assert (meta["name"], meta["revision"]) == (NAME, "cd" * 32)
    assert len(list(folder.iterdir())) == 1 + len(list(export.cells()))


@pytest.mark.parametrize("name", ["../../outside", "/etc", "..", "a/../../b", " "])
def test_no_name_of_a_model_leaves_the_folder(export: Export, tmp_path: Path, name: str) -> None:
    written = write_mteb(replace(export, name=name), tmp_path / "results")
    assert written.resolve().parent.parent == (tmp_path / "results").resolve()
    assert written.parent.name.strip(".")


def test_the_text_of_mteb_holds_the_contents_of_its_files(export: Export, tmp_path: Path) -> None:
    folder = write_mteb(export, tmp_path)
    for result in json.loads(WRITERS["mteb"](export))["task_results"]:
        assert json.loads((folder / f"{result['task_name']}.json").read_text()) == result


def test_without_a_page_a_model_card_names_no_source(export: Export) -> None:
    (model,) = yaml.safe_load(WRITERS["model-index"](replace(export, url="")))["model-index"]
    assert [one for one in model["results"] if "source" in one] == []


def test_languages_of_all_suites_have_a_tag() -> None:
    languages = {language for suite in SUITES.values() for task in suite.tasks for language in task.languages}
    assert [language for language in sorted(languages) if tagged(language) == language] == []


@pytest.mark.slow
def test_every_eval_ever_accepts_the_log(export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its package, which is for a newer Python, has its types in one module that needs no other."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--ignore-requires-python"]
    subprocess.run([*pip, "--dest", str(tmp_path), "every_eval_ever==0.3.0"], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extract("every_eval_ever/eval_types.py", tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "every_eval_ever")
    log = import_module("eval_types").EvaluationLog
    log.model_validate_json(WRITERS["every-eval-ever"](export))
    with pytest.raises(ValueError, match="evaluation_results"):
        log.model_validate_json("{}")


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    detailed().write(path)
    return path


def test_the_command_prints_or_writes_each_form(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["export", str(stored), "--name", NAME, "--form"]
    assert main([*asked, "model-index"]) == 0
    assert capsys.readouterr().out.startswith(f"model-index:\n- name: {json.dumps(NAME)}\n")
    out = stored.with_name("log.json")
    assert main([*asked, "every-eval-ever", "--out", str(out)]) == 0
    log = json.loads(out.read_text())
    assert log["retrieved_timestamp"] == str(int(stored.stat().st_mtime))
    assert log["model_info"]["id"] == NAME
    assert main([*asked, "mteb", "--out", str(stored.with_name("results"))]) == 0
    assert (Path(capsys.readouterr().out.strip()) / "model_meta.json").is_file()


@pytest.mark.parametrize(("form", "out"), [("mteb", "report.json"), ("every-eval-ever", "nowhere/log.json")])
def test_a_place_that_cannot_be_written_is_refused(
    stored: Path, form: str, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(stored), "--form", form, "--out", str(stored.parent / out)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_file_that_is_no_report_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert main(["export", str(other), "--form", "mteb"]) == 2
    assert "is not a report" in capsys.readouterr().err
