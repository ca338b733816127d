"""Small corpora in other languages: the texts of packages, and the tables of scores."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from research.cli import main
from research.debian_texts import SOURCES, html_paragraphs, man_paragraphs
from research.languages import corpus_in
from tasks.datasets.store import DataStore
from tasks.errors import InputError

MAN = r""".\" Kommentar
.TH LS 1 "März 2023"
.SH BESCHREIBUNG
Zeigt \fIDateien\fR an, also
.B alle "in einem"
Verzeichnis \(em auch \-a.
.PP
.nf
ls \-l
.fi
Der zweite Absatz.
"""
HTML = """<html><head><title>Hilfe</title><style>p {}</style></head><body>
<p>Der Befehl <b>Öffnen</b> zeigt
die Datei an.</p><ul><li>Erster Punkt &amp; mehr</li></ul><pre>ls -l</pre></body></html>"""
HANDBOOK = "usr/share/doc/debian-handbook/html"


def test_a_man_page_gives_its_running_text(tmp_path: Path) -> None:
    path = tmp_path / "ls.1.gz"
    path.write_bytes(gzip.compress(MAN.encode()))
    assert list(man_paragraphs(path)) == [
        "Zeigt Dateien an, also alle in einem Verzeichnis auch -a.",
        "Der zweite Absatz.",
    ]


def test_a_page_of_help_gives_the_text_of_its_blocks(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(HTML, encoding="utf-8")
    assert list(html_paragraphs(tmp_path / "a.html")) == [
        "Der Befehl Öffnen zeigt die Datei an.",
        "Erster Punkt & mehr",
    ]


def test_what_nobody_translated_and_what_is_repeated_is_left_out(tmp_path: Path) -> None:
    pages = {
        "en-US/a.html": "<p>This stays in English so far.</p>",
        "de-DE/a.html": "<p>This stays in English so far.</p><p>Das hier ist aber übersetzt.</p><p>Zu kurz.</p>",
        "de-DE/b.html": "<p>Das hier ist aber übersetzt.</p>",
    }
    for name, text in pages.items():
        path = tmp_path / HANDBOOK / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (handbook,) = (source for source in SOURCES if source.package == "debian-handbook")
    assert list(handbook.paragraphs(tmp_path, "de")) == ["Das hier ist aber übersetzt."]


def test_a_package_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no LibreOffice help in German: apt-get download libreoffice-help-de, and"):
        corpus_in("de", tmp_path)


@pytest.mark.slow
@pytest.mark.data
def test_the_bulgarian_excerpt_is_trained_and_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not DataStore.default().status("paralex").available:
        pytest.skip("the data set paralex is not here; set VECBOARD_DATA_MIRROR to a directory that has it")
    assert main(["languages", str(tmp_path), "--language", "bg"]) == 0
    told = capsys.readouterr().out
    assert "| Bulgarian | Bulgarian Wikipedia, excerpt in gensim | CC BY-SA 3.0 |" in told
    rows = [line.split(" | ")[1] for line in told.splitlines() if line.startswith("| Bulgarian")][1:]
    assert rows == ["SVD-PPMI", "skip-gram", "fasttext", "glove", "random, mean of 20"]
