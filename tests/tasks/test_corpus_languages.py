"""The text of a Wikipedia in any language: its tokens, and the command that writes it."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import random
from pathlib import Path

import pytest

from tasks.baseline.corpus_text import prescribed_lines
from tasks.cli import main
from tests.tasks.datasets.dumps import Page, dump

FILLER = " Wort" * 50


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("de", "Straße, 1. Äpfel\u00adsaft", "straße , 0 . äpfelsaft"),
        ("hi", "हिन्दी भाषा।", "हिन्दी भाषा ।"),
        ("fa", "می‌خواهم", "می‌خواهم"),
        ("ca", "la col·lecció d’estiu", "la col·lecció d’estiu"),
        ("ar", "\u200fالعَرَبِيَّة", "العَرَبِيَّة"),
        ("he", "צה״ל", "צה״ל"),
        ("th", "กินข้าว แล้ว", "กินข้าว แล้ว"),
        ("tr", "İstanbul", "i̇stanbul"),
        ("de", "Café", "café"),
        ("fi", "\u200d", "\u200d"),
    ],
)
def test_marks_belong_to_their_words_and_invisible_characters_are_dropped(language: str, text: str, line: str) -> None:
    assert list(prescribed_lines([text], language)) == [line]
    assert list(prescribed_lines([line], language)) == [line]


def test_the_english_text_keeps_its_rule() -> None:
    assert list(prescribed_lines(["हिन्दी"])) == ["ह ि न ् द ी"]


@pytest.fixture
def german(tmp_path: Path) -> Path:
    path = tmp_path / "dewiki-pages-articles.xml.bz2"
    path.write_bytes(bz2.compress(dump([Page("Frosch", f"Der Frosch von 1999 springt.{FILLER}")]).encode()))
    return path


def test_the_command_writes_the_text_of_a_dump(
    german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "de.txt"
    assert main(["corpus", "--dump", str(german), "--language", "de", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert text == f"der frosch von 0000 springt .{FILLER.lower()}\n"
    output = capsys.readouterr().out
    assert "German, 1 articles of 1 pages, 1 paragraphs, 56 tokens" in output
    assert hashlib.sha256(text.encode()).hexdigest() in output


@pytest.mark.parametrize(
    ("language", "content", "message"),
    [
        ("da", dump([Page("Frosch", FILLER)]), "is declared to be in German: use --language de"),
        ("xx", dump([Page("Frosch", FILLER)]), "'xx' is not a language code"),
        ("de", dump([Page("Frosch", "kurz")]), "None of the 1 pages"),
        ("ja", dump([Page("カエル", "カエル" * 100)], "ja"), "Japanese is written without spaces"),
    ],
)
def test_what_cannot_be_right_is_reported_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, content: str, message: str
) -> None:
    (tmp_path / "d.xml.bz2").write_bytes(bz2.compress(content.encode()))
    (tmp_path / "out").mkdir()
    command = ["corpus", "--dump", str(tmp_path / "d.xml.bz2"), "--out", str(tmp_path / "out/text")]
    assert main([*command, "--language", language]) == 2
    assert message in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []


def test_a_dump_without_articles_leaves_an_older_text_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.xml").write_text(dump([Page("カエル", "カエル")], "ja"), encoding="utf-8")
    (tmp_path / "ja.txt").write_text("older\n")
    command = ["corpus", "--dump", str(tmp_path / "d.xml"), "--language", "ja", "--paragraphs"]
    assert main([*command, "--out", str(tmp_path / "ja.txt")]) == 2
    assert "None of the 1 pages of d.xml is a long enough article" in capsys.readouterr().err
    assert (tmp_path / "ja.txt").read_text() == "older\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.xml", "ja.txt"]


@pytest.mark.parametrize("option", [["--language", "de"], ["--paragraphs"]])
def test_options_of_a_dump_need_one(option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "--suite", "demo", *option, "--out", str(tmp_path / "de.txt")]) == 2
    assert "--language and --paragraphs need --dump" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "cut.txt.gz",
            gzip.compress(random.Random(1).randbytes(9_000).hex().encode(), mtime=0)[:6_000],
            "cut.txt.gz cannot be read",
        ),
        ("plain.txt.gz", b"not packed\n", "plain.txt.gz cannot be read"),
        ("latin.txt", "gut\nfünf\n".encode("latin-1"), "Line 2 of latin.txt is not UTF-8"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [["train", "{}", "--out", "{}.runs"], ["baseline", "--suite", "demo", "--language", "de", "--corpus", "{}"]],
)
def test_a_damaged_text_is_reported_in_a_sentence(
    command: list[str], name: str, content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main([part.format(tmp_path / name) for part in command]) == 2
    assert message in capsys.readouterr().err


def test_paragraphs_for_a_segmenter_are_written_as_they_are(tmp_path: Path) -> None:
    text = "カエルは両生綱の動物である。" * 20
    (tmp_path / "d.xml").write_text(dump([Page("カエル", f"{text}\n\n{text}")], "ja"), encoding="utf-8")
    command = ["corpus", "--dump", str(tmp_path / "d.xml"), "--language", "ja", "--paragraphs"]
    assert main([*command, "--out", str(tmp_path / "ja.txt")]) == 0
    assert (tmp_path / "ja.txt").read_text(encoding="utf-8") == f"{text}\n{text}\n"
