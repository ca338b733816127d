"""Reports that travel from one database to another."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from benchmark import evidence
from benchmark.leaderboard.models import Entry
from benchmark.shipped.dump import OtherVersion, stored_entries
from benchmark.shipped.load import load
from benchmark.shipped.recipes import ShippedVectors, read_list
from benchmark.shipped.trained import TrainedEntry
from benchmark.submissions.models import Measurement, StoredReport, Submission, SubmissionCell, Visibility
from benchmark.submissions.states import State
from research.board.cli import main
from research.board.entries import Cost, costs, entries, shipped_ids
from research.board.write import dump, write_excerpt
from tasks.errors import VecboardError
from tasks.formats import read
from tasks.formats.text_blocks import write_text
from tasks.hashes import task_hash
from tasks.results import UNITS, CellResult, Coverage, Outcomes, plain
from tasks.suites import DEMO
from tasks.vectors import content_hash

pytestmark = pytest.mark.django_db
SHA = "ab" * 32


@pytest.fixture(autouse=True)
def own_files(settings: Any, tmp_path: Path) -> Path:
    settings.VECBOARD_VAR = tmp_path
    settings.STORAGE_ROOT = tmp_path / "storage"
    return tmp_path


def finished(name: str = "Skip-gram", sha: str = SHA, first_word: int = 0, **fields: Any) -> Submission:
    """An entry as the worker leaves it: one word task with its outcomes, the other cells without data."""
    from django.utils import timezone

    from tasks.report import assemble

    entry = Submission.objects.create(
        name=name, suite=DEMO.id, suite_version=DEMO.version, state=State.DONE, vectors_sha256=sha, words=100,
        dimensions=8, window=5, finished_at=timezone.now(), **fields,
    )  # fmt: skip
    task = DEMO.task("sim-simlex-999")
    pairs = np.random.default_rng(1).normal(size=(30, 2)).astype(np.float32)
    units = first_word + np.arange(60).reshape(2, 30)
    outcomes = Outcomes(("predicted", "gold"), pairs).with_units(units)
    result = CellResult(
        task.id, task_hash(DEMO, task, None), None, "spearman", True, 0.5, None, None, 0, 30, Coverage(1, 1), (), 0.1,
        outcomes=outcomes,
    )  # fmt: skip
    vectors = {"name": name, "sha256": sha, "words": 100, "dimensions": 8, "language": "en", "warnings": ()}
    report = assemble(DEMO, vectors, [result], [], {})
    key = evidence.key(sha, result.task_hash, "")
    evidence.save(key, outcomes)
    measurement = Measurement.objects.create(submission=entry, result=plain(result))
    SubmissionCell.objects.create(
        submission=entry, task=task.id, task_hash=result.task_hash, vectors_sha256=sha, position=7,
        state=SubmissionCell.State.DONE, measurement=measurement, outcomes_key=key,
    )  # fmt: skip
    StoredReport.objects.create(submission=entry, body=report.to_json())
    return entry


def test_a_loaded_entry_equals_the_dumped_one_to_the_last_byte(tmp_path: Path) -> None:
    entry = finished()
    body, address = entry.reports.get().body, entry.get_absolute_url()
    assert dump(DEMO, tmp_path / "demo.zip") == 1
    entry.delete()
    assert load(DEMO, tmp_path / "demo.zip") == 1
    loaded = Submission.objects.get()
    assert (loaded.get_absolute_url(), loaded.report.body, loaded.window) == (address, body, 5)  # type: ignore[union-attr]


def test_a_loaded_entry_is_on_the_board_with_the_outcomes_that_ranks_need(tmp_path: Path) -> None:
    entry = finished()
    run = entry.cells.get()
    kept = evidence.load(run.outcomes_key).values
    dump(DEMO, tmp_path / "demo.zip")
    entry.delete()
    (tmp_path / "storage" / run.outcomes_key).unlink()
    load(DEMO, tmp_path / "demo.zip")
    assert Entry.objects.get().submission_id == entry_id(tmp_path)
    again = SubmissionCell.objects.get(task=run.task, state=SubmissionCell.State.DONE)
    np.testing.assert_array_equal(evidence.load(again.outcomes_key).values, kept)


def test_units_are_in_a_dump_once_and_every_entry_must_agree(tmp_path: Path) -> None:
    finished()
    finished("GloVe")
    dump(DEMO, tmp_path / "demo.zip")
    with zipfile.ZipFile(tmp_path / "demo.zip") as archive, archive.open("units.npz") as file, np.load(file) as stored:
        assert [array.tolist() for array in dict(stored).values()] == [np.arange(60).reshape(2, 30).tolist()]
    columns = [
        one.columns for stored in stored_entries(DEMO, tmp_path / "demo.zip") for one in stored.outcomes.values()
    ]
    assert columns == [("predicted", "gold", *UNITS)] * 2
    finished("GloVe 6B", sha="cd" * 32, first_word=1)
    with pytest.raises(ValueError, match="other units of sim-simlex-999"):
        dump(DEMO, tmp_path / "demo.zip")


def entry_id(tmp_path: Path) -> str:
    with zipfile.ZipFile(tmp_path / "demo.zip") as archive:
        return next(name for name in archive.namelist() if name.endswith(".npz")).removesuffix(".npz")


def test_loading_twice_changes_nothing(tmp_path: Path) -> None:
    finished()
    dump(DEMO, tmp_path / "demo.zip")
    assert load(DEMO, tmp_path / "demo.zip") == 0
    assert Submission.objects.count() == 1


def test_equal_entries_give_equal_bytes(tmp_path: Path) -> None:
    finished()
    dump(DEMO, tmp_path / "one.zip")
    dump(DEMO, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.parametrize("fields", [{"visibility": Visibility.PRIVATE}, {"visibility": Visibility.ANONYMOUS}])
def test_only_public_entries_are_dumped(tmp_path: Path, fields: dict[str, Any]) -> None:
    finished("Public")
    finished(**fields)
    assert dump(DEMO, tmp_path / "demo.zip") == 1


def test_an_empty_database_replaces_no_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, path = ["dump", "--suite", "demo", "--file", str(tmp_path / "demo.zip")], tmp_path / "demo.zip"
    for name in ("Skip-gram", "GloVe"):
        finished(name)
    assert main(command) == 0
    before = path.read_bytes()
    Submission.objects.all().delete()
    assert main([*command, "--fewer"]) == 2
    assert path.read_bytes() == before
    assert "has no public finished entry of demo" in capsys.readouterr().err


def test_fewer_entries_than_a_dump_holds_replace_it_only_when_asked_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, path = ["dump", "--suite", "demo", "--file", str(tmp_path / "demo.zip")], tmp_path / "demo.zip"
    finished("Skip-gram")
    lost = finished("GloVe")
    main(command)
    lost.delete()
    assert main(command) == 2
    assert "these would go: GloVe." in capsys.readouterr().err
    assert set(shipped_ids(DEMO, path)) == {"Skip-gram", "GloVe"}
    assert main([*command, "--fewer"]) == 0
    assert set(shipped_ids(DEMO, path)) == {"Skip-gram"}


def test_a_dump_of_an_earlier_definition_is_always_replaced(tmp_path: Path) -> None:
    entry = finished("GloVe")
    finished()
    dump(replace(DEMO, scale=0.5), tmp_path / "demo.zip")
    entry.delete()
    assert dump(DEMO, tmp_path / "demo.zip") == 1


def test_a_dump_of_another_definition_of_the_suite_is_refused(tmp_path: Path) -> None:
    finished()
    dump(DEMO, tmp_path / "demo.zip")
    with pytest.raises(OtherVersion, match="make board"):
        load(replace(DEMO, version=99), tmp_path / "demo.zip")


def test_a_dump_states_the_costs_of_its_entries(tmp_path: Path) -> None:
    finished(training_minutes=3.5)
    finished("Random")
    dump(DEMO, tmp_path / "demo.zip")
    found = costs(DEMO, tmp_path / "demo.zip")
    assert found["Skip-gram"] == Cost(3.5, pytest.approx(0.1 / 60))
    assert found["Random"].training is None
    assert found["Random"].total == pytest.approx(0.1 / 60)
    assert costs(DEMO, tmp_path / "nothing.zip") == {}


def test_the_entries_are_listed_whatever_the_dump_was_made_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished()
    dump(replace(DEMO, scale=0.5), tmp_path / "demo.zip")
    assert main(["list", "--suite", "demo", "--file", str(tmp_path / "demo.zip")]) == 0
    printed = capsys.readouterr()
    assert "glove-w10-d50" in printed.out
    assert "Make the board again" in printed.err


def test_a_dump_has_no_secrets(tmp_path: Path) -> None:
    finished(owner_token_hash="c" * 64, file_key="uploads/secret")
    dump(DEMO, tmp_path / "demo.zip")
    with zipfile.ZipFile(tmp_path / "demo.zip") as archive:
        content = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".json"))
    assert b"c" * 64 not in content
    assert b"uploads/secret" not in content


def test_entries_that_ship_for_this_definition_are_found_by_title(tmp_path: Path) -> None:
    path = tmp_path / "demo.zip"
    assert shipped_ids(DEMO, path) == {}
    entry = finished()
    dump(DEMO, path)
    assert shipped_ids(DEMO, path) == {"Skip-gram": entry.pk}
    assert shipped_ids(replace(DEMO, scale=0.5), path) == {}


def test_a_command_of_the_site_loads_a_dump_and_refuses_another_definition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry, path = finished(), tmp_path / "demo.zip"
    dump(DEMO, path)
    entry.delete()
    call_command("load_board", suite="demo", file=path)
    assert "1 entries of demo version" in capsys.readouterr().out
    assert Submission.objects.get().name == "Skip-gram"
    dump(replace(DEMO, scale=0.5), path)
    with pytest.raises(CommandError, match="make board"):
        call_command("load_board", suite="demo", file=path)


def test_a_dump_lists_how_the_vectors_of_board_entries_are_made(tmp_path: Path) -> None:
    finished("Skip-gram, window 5, 50 dimensions")
    dump(DEMO, tmp_path / "demo.zip")
    assert read_list(tmp_path / "demo.vectors.json") == {SHA: ShippedVectors("skip-gram-w5-d50")}
    Submission.objects.update(name="Not of the board")
    dump(DEMO, tmp_path / "demo.zip")
    assert read_list(tmp_path / "demo.vectors.json") == {}


def test_an_excerpt_is_written_beside_the_dump_listed_and_kept_by_the_next_dump(tmp_path: Path) -> None:
    words, matrix = [f"word{i}" for i in range(150)], np.random.default_rng(1).normal(size=(150, 4)).astype(np.float32)
    write_text(tmp_path / "v.txt.gz", words, matrix)
    entry = finished("Skip-gram, window 5, 50 dimensions")
    Submission.objects.filter(pk=entry.pk).update(vectors_sha256=content_hash(words, matrix))
    dump(DEMO, tmp_path / "demo.zip")
    made = TrainedEntry("skip-gram", 50, 5)
    written = write_excerpt(made, tmp_path / "v.txt.gz", tmp_path / "demo.zip")
    found = read(tmp_path / "demo.skip-gram-w5-d50.npz")
    assert (found.sha256, written.excerpt.words) == (written.excerpt.sha256, 150)
    assert written.same > 0.95
    assert 0 < written.difference < 0.01
    dump(DEMO, tmp_path / "demo.zip")
    (kept,) = read_list(tmp_path / "demo.vectors.json").values()
    assert kept == ShippedVectors(made.id, written.excerpt)


def test_an_excerpt_of_another_entrys_vectors_is_refused(tmp_path: Path) -> None:
    write_text(tmp_path / "v.txt.gz", [f"w{i}" for i in range(120)], np.ones((120, 4), np.float32))
    finished("Skip-gram, window 5, 50 dimensions")
    dump(DEMO, tmp_path / "demo.zip")
    with pytest.raises(VecboardError, match="does not hold the vectors"):
        write_excerpt(TrainedEntry("skip-gram", 50, 5), tmp_path / "v.txt.gz", tmp_path / "demo.zip")


def test_findings_are_about_entries_trained_on_the_corpus_alone(tmp_path: Path) -> None:
    finished("Skip-gram", track="prescribed")
    finished("GloVe 6B, 50 dimensions", track="other")
    dump(DEMO, tmp_path / "demo.zip")
    assert [entry.name for entry in entries(DEMO, tmp_path / "demo.zip") if not entry.is_baseline] == ["Skip-gram"]
