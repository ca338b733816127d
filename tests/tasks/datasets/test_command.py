"""``python -m tasks datasets`` and ``python -m tasks corpus``."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.cli import build_parser, main
from tasks.datasets.registry import REGISTRY
from tasks.errors import DataUnavailable
from tests.benchmark.full_disk import room_for

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str) -> int:
    parsed = build_parser(arguments[0]).parse_args(arguments)
    return int(parsed.run(parsed))


@pytest.fixture(autouse=True)
def _no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VECBOARD_DATA_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("VECBOARD_OFFLINE", "1")


def test_a_reader_who_stops_in_mid_list_gets_no_traceback() -> None:
    command = [sys.executable, "-m", "tasks", "datasets"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.close()
        assert listing.stderr.read() == b""
    assert listing.returncode == 0


def test_it_lists_every_set_with_its_licence_and_why_it_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("datasets") == 0
    listed = capsys.readouterr().out
    assert all(dataset in listed for dataset in REGISTRY)
    assert "licence: CC BY-NC-SA 4.0 (non-commercial)" in listed
    assert "MISSING" in listed
    assert "in an installed package" in listed


def test_it_lists_what_a_suite_needs_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("datasets", "list", "--suite", "veceval-2016", "--json") == 0
    listed = {dataset["id"]: dataset for dataset in json.loads(capsys.readouterr().out)}
    assert {"wsj-pos", "conll2003", "veceval-vocabulary", "wikipedia-2008", "word-sim"} <= set(listed)
    assert listed["wsj-pos"]["available"] is False
    assert "Linguistic Data Consortium" in listed["wsj-pos"]["reason"]


def test_fetch_goes_on_after_a_set_that_it_can_not_get(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("datasets", "fetch", "sst2", "wsj-pos", "demo-pos") == 2
    said = capsys.readouterr()
    assert said.err.count("vecboard: ") == 2
    assert "Licence: " in said.err
    assert "demo-pos  generated" in said.out


def test_an_unknown_set_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"'sst3' is not a data set; the data sets are .*sst2"):
        run("datasets", "fetch", "sst3")


def test_the_demo_suite_needs_nothing_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("datasets", "--suite", "demo", "--json") == 0
    assert all(dataset["available"] for dataset in json.loads(capsys.readouterr().out))


@pytest.mark.slow
def test_it_writes_the_corpus_and_prints_its_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "demo.txt.gz"
    assert run("corpus", "--suite", "demo", "--out", str(out)) == 0
    assert "1e749246ffc3b976892afdb5a8291a100d5cdd39e4b8effe1d1efe40e9a562a9" in capsys.readouterr().out
    assert gzip.decompress(out.read_bytes()).startswith(b"anarchism is a political philosophy")


@pytest.mark.usefixtures("short_text")
def test_a_text_with_another_hash_than_prescribed_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "demo.txt").write_text("older")
    with pytest.raises(DataUnavailable, match="nothing was written"):
        run("corpus", "--suite", "demo", "--out", str(out / "demo.txt"))
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("demo.txt", "older")]


def test_a_missing_corpus_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataUnavailable, match="VECBOARD_OFFLINE forbids"):
        run("corpus", "--suite", "open-2026", "--out", str(tmp_path / "open.txt"))


@pytest.mark.usefixtures("short_text")
def test_a_command_that_finds_the_disk_full_ends_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "demo.txt"
    with room_for(100):
        status = main(["corpus", "--suite", "demo", "--out", str(out)])
    assert status == 2
    assert "No space is left" in capsys.readouterr().err
    assert not out.exists()
