"""The prescribed text, and text in the same form in any language."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.baseline.corpus_text import corpus_lines, prescribed_lines, write_corpus
from tasks.cli import main
from tasks.datasets.dataset import DataSet
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.vectors import written_forms
from tests.tasks.datasets.dumps import Page, dump

OPEN_2026 = "317099624e40a9017f9972db1d1d3daa7143adb630f96a15483866fe142e29f6"


@pytest.mark.parametrize(
    ("paragraph", "line"),
    [
        ("Attila (or; fl. 434–453) ruled.", "attila ( or ; fl . 000 – 000 ) ruled ."),
        ("It's the dogs' O’Neill's bone", "it's the dogs ' o’neill's bone"),
        ("self-governed, 3.14%", "self - governed , 0 . 00 %"),
        ("ﬁne Ⅳ ½ ①", "fine iv 0 ⁄ 0 0"),
        ("Tab\tand\u00a0blank  join", "tab and blank join"),
        ("ÉCOLE Straße İ", "école straße i̇".replace("\u0307", " \u0307")),
        ("x_1 ٣", "x_0 0"),
        ("one\nparagraph", "one paragraph"),
    ],
)
def test_a_paragraph_becomes_its_prescribed_line(paragraph: str, line: str) -> None:
    assert list(prescribed_lines([paragraph])) == [line]


def test_paragraphs_without_a_token_are_dropped() -> None:
    assert list(prescribed_lines(["", "a", " \t\u2028 ", "b"])) == ["a", "b"]


def test_digits_become_what_the_look_up_makes_of_them() -> None:
    digits = [chr(code) for code in range(0x110000) if chr(code).isdigit()]
    for digit in digits:
        word = "a" + digit
        (line,) = prescribed_lines([word])
        assert "0" in line
        assert written_forms(line)[3] == line


def test_a_prescribed_line_is_prescribed_already() -> None:
    lines = list(prescribed_lines(["Attila’s 2nd (434–453), ﬁne: “well”…", "C++ & C#"]))
    assert list(prescribed_lines(lines)) == lines


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Suite, DataStore]]:
    """A suite over a corpus of the given text."""

    def make(text: str) -> tuple[Suite, DataStore]:
        (tmp_path / "tiny").mkdir()
        content = text.encode()
        (tmp_path / "tiny/tiny.txt").write_bytes(content)
        wiki = REGISTRY["wiki-corpus"]
        file = replace(
            wiki.files[0], path="tiny/tiny.txt", bytes=len(content), sha256=hashlib.sha256(content).hexdigest()
        )
        dataset: DataSet = replace(wiki, id="tiny", files=(file,))
        monkeypatch.setitem(REGISTRY, "tiny", dataset)
        suite = SUITES["open-2026"]
        return replace(suite, corpus=replace(suite.corpus, dataset="tiny")), DataStore(tmp_path)

    return make


def test_it_writes_the_text_and_gives_its_hash(tiny: Callable[[str], tuple[Suite, DataStore]], tmp_path: Path) -> None:
    suite, store = tiny("First, in 1999.\r\n\nSecond\n")
    sha256 = write_corpus(suite, store, tmp_path / "out.txt")
    text = b"first , in 0000 .\nsecond\n"
    assert (tmp_path / "out.txt").read_bytes() == text
    assert sha256 == hashlib.sha256(text).hexdigest()


def test_the_gzipped_text_is_the_same_bytes_every_time(
    tiny: Callable[[str], tuple[Suite, DataStore]], tmp_path: Path
) -> None:
    suite, store = tiny("some text\n" * 5_000)
    reported: list[str] = []
    first = write_corpus(suite, store, tmp_path / "a.txt.gz", lambda share, what: reported.append(what))
    assert write_corpus(suite, store, tmp_path / "b.gz") == first
    packed = (tmp_path / "a.txt.gz").read_bytes()
    assert packed == (tmp_path / "b.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == first
    assert reported == ["2,000 lines", "4,000 lines", "5,000 lines"]


def test_nothing_is_left_when_writing_breaks_off(
    tiny: Callable[[str], tuple[Suite, DataStore]], tmp_path: Path
) -> None:
    suite, store = tiny("some text\n" * 5_000)

    def break_off(share: float, what: str) -> None:
        raise KeyboardInterrupt

    (tmp_path / "out").mkdir()
    with pytest.raises(KeyboardInterrupt):
        write_corpus(suite, store, tmp_path / "out/text.txt", break_off)
    assert list((tmp_path / "out").iterdir()) == []


def test_labelled_examples_are_not_a_corpus(tmp_path: Path) -> None:
    suite = SUITES["open-2026"]
    suite = replace(suite, corpus=replace(suite.corpus, dataset="sst2"))
    with pytest.raises(DataUnavailable, match="not text to train vectors on"):
        corpus_lines(suite, DataStore(tmp_path))


def test_plain_text_is_read_gzipped_or_not(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("é\r\n\nb".encode())
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress("é\r\n\nb".encode()))
    assert list(plain_paragraphs(tmp_path / "a.txt")) == ["é", "", "b"]
    assert list(plain_paragraphs(tmp_path / "a.txt.gz")) == ["é", "", "b"]
    (tmp_path / "a.txt").write_bytes("é\n\ufeffb\n".encode("utf-8-sig"))
    assert list(plain_paragraphs(tmp_path / "a.txt")) == ["é", "\ufeffb"]


@pytest.mark.slow
@pytest.mark.data("wiki-corpus")
def test_the_open_corpus_comes_out_bit_for_bit(tmp_path: Path) -> None:
    assert write_corpus(SUITES["open-2026"], DataStore.default(), tmp_path / "open.txt") == OPEN_2026


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
