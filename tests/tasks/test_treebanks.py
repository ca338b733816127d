"""An operator's treebanks: one complete declaration each, or an error with the missing part."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.cli import main
from tasks.datasets.dataset import Plain
from tasks.datasets.registry import REGISTRY, read_treebanks, treebank_set
from tasks.errors import InputError
from tasks.hashes import suite_hash, task_hash
from tasks.suites import OPEN_2026, pos_of

SHA256 = hashlib.sha256(b"").hexdigest()
ROW = "\t".join(["1", "Haus", "Haus", "NOUN", *["_"] * 6]) + "\n"
DECLARED = f"""\
[ud-german-tiny]
language = "de"
title = "UD German-Tiny"
version = "2.14"
licence = "CC BY-SA 4.0"
citation = "Nobody (2026)"
source = "https://example.org/UD_German-Tiny"
train = {{ file = "de-train.conllu", bytes = 10, sha256 = "{SHA256}" }}

[ud-german-tiny.dev]
file = "de-dev.conllu"
bytes = 10
sha256 = "{SHA256}"

[ud-german-tiny.test]
file = "de-test.conllu.gz"
bytes = 10
sha256 = "{SHA256}"
"""


def declared(tmp_path: Path, text: str = DECLARED) -> Path:
    path = tmp_path / "treebanks.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_declaration_becomes_a_data_set_and_a_task(tmp_path: Path) -> None:
    (treebank,) = read_treebanks(declared(tmp_path))
    dataset = treebank_set(treebank)
    assert [file.path for file in dataset.files] == [
        "ud-german-tiny/de-train.conllu", "ud-german-tiny/de-dev.conllu", "ud-german-tiny/de-test.conllu.gz",
    ]  # fmt: skip
    assert dataset.files[0].recipe == Plain("https://example.org/UD_German-Tiny/de-train.conllu")
    assert (dataset.licence, dataset.homepage) == ("CC BY-SA 4.0", "https://example.org/UD_German-Tiny")
    task = pos_of(treebank)
    assert (task.id, task.languages, task.extrinsic) == ("pos-ud-german-tiny", ("de",), True)
    assert not task.applies_to("en")


def test_the_hash_of_a_file_is_in_the_tasks_hash_and_the_suites_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (treebank,) = read_treebanks(declared(tmp_path))
    task = pos_of(treebank)
    suite = replace(OPEN_2026, tasks=(*OPEN_2026.tasks, task))
    hashes = set()
    for sha256 in (SHA256, "0" * 64):
        files = dict(treebank.files) | {"dev": ("de-dev.conllu", 10, sha256)}
        monkeypatch.setitem(REGISTRY, treebank.id, treebank_set(replace(treebank, files=files)))
        hashes.add(task_hash(suite, task, "fixed"))
    assert len(hashes) == 2
    assert suite_hash(suite) == suite_hash(OPEN_2026)


def test_only_vectors_in_its_language_have_it_in_their_means(tmp_path: Path) -> None:
    (treebank,) = read_treebanks(declared(tmp_path))
    suite = replace(OPEN_2026, tasks=(*OPEN_2026.tasks, pos_of(treebank)))
    assert [task.id for task, _ in suite.cells_of_mean(("fixed",), "de")] == ["pos-ud-german-tiny"]
    assert suite.cells_of_mean(("fixed", "fine-tuned")) == OPEN_2026.cells_of_mean(("fixed", "fine-tuned"))
    assert suite.languages_of_means == ["en", "de"]
    assert OPEN_2026.languages_of_means == ["en"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[ud-german-tiny]", "[ud-german-tiny", "is not a TOML file: .*line 1"),
        ("[ud-german-tiny]", "licence = 'x'\n[ud-german-tiny]", "'licence' outside a table"),
        ("ud-german-tiny", "UD_German", "an id has lower-case letters"),
        ("ud-german-tiny", "a" * 33, "at most 32 characters"),
        ('licence = "CC BY-SA 4.0"\n', "", r"\[ud-german-tiny\] has no licence: add a line licence"),
        ('"CC BY-SA 4.0"', "4", "has no licence"),
        ("version", "Version", "has 'Version'; it can have language, title"),
        ('"de"', '"xx"', "'xx' is not a language code"),
        ('"de"', '"en"', "the suite fixes the tasks in English"),
        ("https://example.org", "file:///etc", "its source is the https:// address"),
        ("de-dev.conllu", "../passwd", "'../passwd' is not the name of a .conllu file"),
        (SHA256, "0" * 63, "SHA-256 of de-train.conllu; one is wrong"),
        ("bytes = 10\n", "bytes = 0\n", "the size and SHA-256 of de-dev.conllu; one is wrong"),
        ("[ud-german-tiny.dev]", "[ud-german-tiny.val]", "has 'val'"),
        ('file = "de-dev.conllu"\n', "", "needs a table .* of its dev part"),
        ("bytes = 10\n", 'bytes = 10\ngold = "yes"\n', "and nothing else"),
    ],
)
def test_a_wrong_declaration_is_reported_with_what_to_write(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_treebanks(declared(tmp_path, DECLARED.replace(old, new)))


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read .*VECBOARD_TREEBANKS names it"):
        read_treebanks(tmp_path / "none.toml")


def test_the_command_works_while_the_declaration_is_missing(tmp_path: Path) -> None:
    """It is what prints the declaration."""
    row = "\t".join(["1", "Haus", "Haus", "NOUN", *["_"] * 6])
    (tmp_path / "de.conllu").write_text(f"{row}\n\n")
    typed = [sys.executable, "-m", "tasks", "treebank", "ud-german-tiny", *[str(tmp_path / "de.conllu")] * 3]
    environment = os.environ | {"VECBOARD_TREEBANKS": str(tmp_path / "none.toml")}
    done = subprocess.run(typed, env=environment, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "[ud-german-tiny.train]" in done.stdout


def test_the_command_prints_tables_that_can_be_declared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = ROW
    files = [tmp_path / f"de-{part}.conllu" for part in ("train", "dev", "test")]
    for n, file in enumerate(files, start=1):
        file.write_text(f"{row}\n" * n)
    assert main(["treebank", "ud-german-tiny", *map(str, files)]) == 0
    tables = capsys.readouterr().out
    head = DECLARED.split("train =")[0]
    (treebank,) = read_treebanks(declared(tmp_path, head + tables))
    sha256 = hashlib.sha256(files[0].read_bytes()).hexdigest()
    assert treebank.files["train"] == ("de-train.conllu", files[0].stat().st_size, sha256)
    assert "[ud-german-tiny.test]  # 3 sentences, 3 words, 3 also in train" in tables
    files[1].write_text(f"# newdoc\n{row}")
    assert main(["treebank", "ud-german-tiny", *map(str, files)]) == 0
    assert "[ud-german-tiny.dev]  # 1 sentences, 1 words, 1 also in train" in capsys.readouterr().out
    files[1].write_text(f"{row}{row}")
    assert main(["treebank", "ud-german-tiny", *map(str, files)]) == 2
    assert "Line 2 of de-dev.conllu has the ID '1' where 2 is expected" in capsys.readouterr().err
    files[1].write_text(f"{row}{row}\n{row}")
    assert main(["treebank", "ud-german-tiny", *map(str, files)]) == 0
    shown = capsys.readouterr()
    assert "[ud-german-tiny.dev]  # 1 sentences" in shown.out
    assert "de-dev.conllu: Sentences left out: 1. Line 2 of de-dev.conllu has the ID '1'" in shown.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\t".join(["1", "_", "_", "NOUN", *["_"] * 6]) + "\n\n", "published without its text"),
        ("# only a comment\n", "de-dev.conllu has no sentence"),
    ],
)
def test_a_part_without_words_is_no_part(
    tmp_path: Path, text: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for part, content in (("train", ROW), ("dev", text * 3), ("test", ROW)):
        (tmp_path / f"de-{part}.conllu").write_text(content)
    files = [str(tmp_path / f"de-{part}.conllu") for part in ("train", "dev", "test")]
    assert main(["treebank", "ud-german-tiny", *files]) == 2
    assert why in capsys.readouterr().err


def test_nothing_is_declared_by_default() -> None:
    assert not [task for task in OPEN_2026.tasks if task.by_operator]
