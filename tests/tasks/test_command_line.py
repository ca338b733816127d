"""Answers of ``python -m tasks`` before any measurement."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from extensions.training.measure.tagging import TAGGED_WORDS
from tasks.cli import build_parser, commands, main
from tasks.cli.tables import step_bar
from tests.test_architecture import python
from tests.workers.running_site import write_vectors

LARGE = {"numpy", "scipy", "torch", "pyarrow", "gensim", "sklearn", "tqdm", "tasks.suites", "tasks.base"}


@pytest.mark.parametrize("arguments", [["--help"], ["nonsense"], []])
def test_the_list_of_commands_comes_before_anything_large_is_imported(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from tasks.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit:\n"
        "    print('|', *sys.modules)"
    )
    loaded = python(code).partition("|")[2].split()
    assert "tasks.cli" in loaded
    assert LARGE.isdisjoint(loaded)


@pytest.mark.parametrize("program", ["tasks", "vecboard"])
def test_a_crash_has_an_exit_status_of_its_own(program: str) -> None:
    code = (
        f"import sys, argparse, {program}.cli as cli\n"
        "argparse.ArgumentParser.parse_args = lambda *_: argparse.Namespace(run=lambda _: 1 // 0)\n"
        "sys.exit(cli.main(['public']))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, "ZeroDivisionError" in ended.stderr) == (70, True)


@pytest.mark.parametrize(
    ("encoding", "minus"), [("ascii", "-1 'a' \\u0939"), ("cp1252", "-1 “a” \\u0939"), ("utf-8", "−1 “a” ह")]
)
def test_an_output_in_any_encoding_gets_substitutes(encoding: str, minus: str) -> None:
    code = "from tasks.text import allow_any_terminal as allow; allow(); print('−1 “a” ह')"
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert ended.stdout.decode(encoding).strip() == minus


@pytest.mark.parametrize("command", commands())
def test_every_command_says_what_it_does_and_names_a_function(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    printed = capsys.readouterr().out
    assert command != "tag" or f"default {TAGGED_WORDS}" in printed
    needed = {
        "check": ["x"], "evaluate": [__file__], "compare": [__file__, __file__], "own": [__file__, __file__],
        "differ": [__file__, __file__, "--task", "x"],
        "front": [__file__, "--budget", "5MB"],
        "corpus": ["--out", "x"],
        "words": ["--out", "x"], "train": ["x"], "tag": ["x", "--out", "x"], "subgroups": ["split", "x"],
        "associate": [__file__], "treebank": ["x", __file__, __file__, __file__],
        "contexts": ["x", __file__, "--target", "x", "--by", "x"], "export": [__file__, "--form", "mteb"],
        "drift": [__file__, __file__], "verify": [__file__], "bundle": [__file__, "--out", "x"],
        "translate": [__file__, __file__, "--dictionary", __file__], "suffices": ["x", "--pretrained", __file__],
        "claim": ["x", "--drift", "x"],
    }  # fmt: skip
    parsed = build_parser(command).parse_args([command, *needed.get(command, [])])
    assert parsed.command == command
    assert callable(parsed.run)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "nowhere.txt.gz"], "'nowhere.txt.gz' is not a file that can be read"),
        (["evaluate", __file__, "--seeds", "0"], "'0' is not an integer of at least 1"),
        (["evaluate", __file__, "--out", f"{__file__}/report.json"], "check that its directory exists"),
        (["evaluate", __file__, "--out", str(Path(__file__).parent)], "is a directory, not a file"),
        (["evaluate", __file__, "--run", "nowhere"], "'nowhere' is not a file that can be read"),
        (["evaluate", __file__, "--suite", "nowhere"], "invalid choice: 'nowhere'"),
        (["compare", __file__, "nowhere"], "'nowhere' is not a file that can be read"),
        (["train", "text", "--processes", "0"], "--processes"),
    ],
)
def test_a_wrong_argument_is_refused_with_what_is_wrong(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--device", "cuda"], "There is no CUDA device here"), (["--task", "nonsense"], "has no task 'nonsense'")],
)
def test_a_wrong_task_or_device_is_refused_before_the_file_is_read(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert main(["evaluate", __file__, *options]) == 2  # this file is not one of vectors
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suite", "task", "status", "said"),
    [
        ("open-2026", "intrusion", 0, "intrusion"),
        ("demo", "sim-ws-353-all", 0, "unavailable: sim-ws-353-all"),  # the file has only words of other tasks
        ("open-2026", "sim-rw-stanford", 1, "VECBOARD_OFFLINE"),
    ],
    ids=["a score", "a reason that lies in the vectors", "a data set that is missing"],
)
def test_the_exit_status_tells_missing_data_from_vectors_that_have_no_score(
    suite: str,
    task: str,
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VECBOARD_DATA_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("VECBOARD_OFFLINE", "1")
    file = write_vectors(tmp_path / "vectors.txt.gz", ["the", *(f"word{n}" for n in range(300))])
    assert main(["evaluate", str(file), "--suite", suite, "--task", task]) == status
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--task", "pos,sim-ws-353-all"]])
def test_a_file_without_a_word_of_the_suite_is_refused_before_anything_is_measured(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_vectors(tmp_path / "vectors.txt.gz", [f"xq{n}" for n in range(300)])
    assert main(["evaluate", str(file), "--suite", "demo", "--out", str(tmp_path / "report.json"), *options]) == 2
    shown = capsys.readouterr()
    assert (shown.out, "are in this file. Are its words lower-cased" in shown.err) == ("", True)
    assert not (tmp_path / "report.json").exists()


def test_a_program_that_asks_for_it_gets_the_progress_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for value in ("", "1"):
        monkeypatch.setenv("VECBOARD_PROGRESS", value)
        with step_bar("comparing", even=True) as progress:
            progress(0.25, "step 1 of 4")
        assert ("comparing: " in capsys.readouterr().err) == bool(value)
