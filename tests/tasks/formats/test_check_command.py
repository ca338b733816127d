"""``python -m tasks check``: its output for people and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.cli import main
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats import read
from tasks.guess_language import OTHER_LANGUAGE
from tests.tasks.formats.conftest import WriteLines
from tests.tasks.formats.models import GENSIM, byte_level, members, rows, wordpiece, zipped

Lines = list[str]
Check = Callable[..., tuple[int, str]]


@pytest.fixture
def run_check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs the command; returns its exit status and output."""

    def run(*arguments: object) -> tuple[int, str]:
        suite = () if "--suite" in arguments else ("--suite", "demo")  # its data is on every machine
        status = main(["check", *map(str, arguments), *suite])
        captured = capsys.readouterr()
        assert captured.err == ""  # no bar where no terminal is
        return status, captured.out

    return run


def test_a_ready_file_is_described(good_lines: Lines, write: WriteLines, run_check: Check) -> None:
    path = write([*good_lines, "word5 1 2 3"], gzipped=True)
    status, printed = run_check(path)
    assert status == 0
    assert "Readable: vectors.txt.gz has 120 words of 3 dimensions (text in gzip)." in printed
    assert read(path).sha256 in printed
    assert "Warning (duplicate-words): 1 word is repeated, the first “word5”" in printed


def test_a_ready_file_as_json(good_lines: Lines, write: WriteLines, run_check: Check) -> None:
    path = write([*good_lines, "null 0 0 0"], gzipped=True)
    status, printed = run_check(path, "--json")
    answer = json.loads(printed)
    assert (status, answer["ready"], answer["error"]) == (0, True, None)
    assert (answer["words"], answer["dimensions"], answer["sha256"]) == (120, 3, read(path).sha256)
    assert [(w["code"], w["count"]) for w in answer["warnings"]][:1] == [("zero-vectors", 1)]


def test_a_rejected_file_is_explained(good_lines: Lines, write: WriteLines, run_check: Check) -> None:
    status, printed = run_check(write([*good_lines, "bad 1 2 x"], gzipped=True))
    assert status == 2
    assert "Not ready (not-a-number): Line 121 (word “bad”)" in printed


def test_a_rejected_file_as_json(good_lines: Lines, write: WriteLines, run_check: Check) -> None:
    status, printed = run_check(write([*good_lines, "bad 1 2"], gzipped=True), "--json")
    answer = json.loads(printed)
    assert (status, answer["ready"], answer["sha256"]) == (2, False, None)
    error = answer["error"]
    assert (error["code"], error["line"], error["word"], error["field"]) == ("wrong-field-count", 121, "bad", "file")


def test_a_plain_file_is_as_ready_as_its_gzipped_form(good_lines: Lines, write: WriteLines, run_check: Check) -> None:
    status, printed = run_check(write(good_lines))
    assert (status, printed) == (
        0,
        run_check(write(good_lines, gzipped=True))[1].replace(".txt.gz", ".txt").replace(" in gzip", ""),
    )


def test_a_file_that_is_not_there_is_not_ready(run_check: Check) -> None:
    status, printed = run_check("nowhere.gz", "--json")
    assert (status, json.loads(printed)["error"]["code"]) == (2, "unreadable")


def test_a_folder_is_called_a_folder(tmp_path: Path, run_check: Check) -> None:
    for name in ("a.txt", "b.txt", ".hidden"):
        (tmp_path / name).touch()
    status, printed = run_check(tmp_path)
    assert status == 2
    assert "is a folder; its files: “a.txt”, “b.txt”. Give one of them." in printed


def test_other_commands_say_how_to_pack_the_folder_of_a_model(tmp_path: Path) -> None:
    for name in ("m.safetensors", "tokenizer.json"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=re.escape("zip ../model.zip *.safetensors *.json")):
        read(tmp_path)


def test_the_folder_of_a_model_is_packed_as_for_an_upload(tmp_path: Path, run_check: Check) -> None:
    tokenizer, folder = wordpiece(), tmp_path / "model"
    packed = members(tokenizer, {"embeddings": rows(tokenizer.get_vocab_size())})
    folder.mkdir()
    for name, content in packed.items():
        (folder / name).write_bytes(content)
    (folder / "README.md").write_text("not part of the model")
    answer = json.loads(run_check(folder, "--json")[1])
    assert (answer["ready"], answer["read_as"]) == (True, "static token model in zip")
    (tmp_path / "model.zip").write_bytes(zipped(packed))
    assert answer["sha256"] == json.loads(run_check(tmp_path / "model.zip", "--json")[1])["sha256"]


@pytest.mark.parametrize("command", [["evaluate", "--suite", "demo"], ["compare", __file__]])
def test_every_command_that_reads_vectors_says_that_it_got_a_folder(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*command, str(tmp_path)])
    assert "is a folder" in capsys.readouterr().err


def test_a_model_is_checked_without_the_corpus_of_the_suite(
    tmp_path: Path, run_check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other words, and without a promise about the hash on a site."""
    nothing = DataStore(tmp_path / "data", mirror=None, offline=True)
    monkeypatch.setattr(DataStore, "default", classmethod(lambda cls: nothing))
    monkeypatch.setattr("tasks.cli.check.not_compared", lambda *_: "")
    tokenizer = byte_level()
    (tmp_path / "model.zip").write_bytes(zipped(members(tokenizer, {"embeddings": rows(tokenizer.get_vocab_size())})))
    status, printed = run_check(tmp_path / "model.zip", "--suite", "open-2026")
    assert status == 0
    assert "Warning (other-words): The suite’s list of words can’t be made here" in printed
    assert "composed for the suite's list" not in printed


def test_an_open_vocabulary_is_said(run_check: Check) -> None:
    """The command creates the suite's list of words itself."""
    model = GENSIM / "lee_fasttext.bin"
    status, printed = run_check(model, "--suite", "demo")
    assert status == 0
    assert "(fastText model)" in printed
    assert "Open vocabulary: composed for the suite's list of words" in printed
    answer = json.loads(run_check(model, "--suite", "demo", "--json", "--language", "de")[1])
    assert (answer["read_as"], answer["open_vocabulary"]) == ("fastText model", True)
    assert OTHER_LANGUAGE not in {warning["code"] for warning in answer["warnings"]}
