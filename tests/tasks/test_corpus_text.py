"""The prescribed corpus text: its rules on single lines, and its hash on whole corpora."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.baseline.corpus_text import corpus_lines, prescribed_lines, write_corpus
from tasks.datasets.dataset import DataSet
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.look_up import written_forms
from tasks.suite import Suite
from tasks.suites import SUITES

OPEN_2026 = "317099624e40a9017f9972db1d1d3daa7143adb630f96a15483866fe142e29f6"
DEMO = "1e749246ffc3b976892afdb5a8291a100d5cdd39e4b8effe1d1efe40e9a562a9"


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


def test_the_dump_excerpt_gives_the_demo_text_bit_for_bit(tmp_path: Path) -> None:
    assert write_corpus(SUITES["demo"], DataStore.default(), tmp_path / "demo.txt") == DEMO


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
