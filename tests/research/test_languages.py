"""Small corpora in other languages: the texts of packages, and the tables of scores."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from research.cli import main
from research.debian_texts import german_documentation, html_paragraphs, manual_paragraphs, paragraphs_of_help
from research.languages import corpus_in
from tasks.datasets.examples import WordGroup
from tasks.datasets.store import DataStore
from tasks.errors import InputError

HTML = """<html><head><title>Hilfe</title><style>p {}</style></head><body>
<p>Der Befehl <b>Öffnen</b> zeigt
die Datei an.</p><ul><li>Erster Punkt &amp; mehr</li></ul><pre>ls -l</pre></body></html>"""


def put(folder: Path, name: str, page: str) -> None:
    """A page of the German help where the package has it."""
    path = folder / "usr/share/libreoffice/help/de/text" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def test_a_page_of_help_gives_the_text_of_its_blocks(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(HTML, encoding="utf-8")
    assert list(html_paragraphs(tmp_path / "a.html")) == [
        "Der Befehl Öffnen zeigt die Datei an.",
        "Erster Punkt & mehr",
    ]


MANUAL = r""".\" Deutsche Übersetzung
.SH BESCHREIBUNG
.PP
Mit
.B \-l
den \fBAutor\fP jeder Datei ausgeben
(siehe \fI\,GRÖSSE\/\fP\-Format\&).
.TP
Einträge nicht auf\(hylisten
"""


def test_a_manual_page_gives_its_paragraphs_without_macros(tmp_path: Path) -> None:
    (tmp_path / "ls.1.gz").write_bytes(gzip.compress(MANUAL.encode()))
    assert list(manual_paragraphs(tmp_path / "ls.1.gz")) == [
        "Mit -l den Autor jeder Datei ausgeben (siehe GRÖSSE-Format).",
        "Einträge nicht auf listen",
    ]


def test_of_german_documentation_untranslated_and_repeated_paragraphs_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "usr/share/gimp/2.0/help/de"
    folder.mkdir(parents=True)
    for name in ("a", "b"):
        page = "<p>This is a part of the page in English.</p><p>Das ist die deutsche Seite.</p><p>Die Datei.</p>"
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    assert list(german_documentation(tmp_path)) == [("gimp-help-de", "Das ist die deutsche Seite.")]


def test_repeated_or_short_paragraphs_are_left_out(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path, f"{name}.html", "<p>Das hier steht auf zwei Seiten.</p><p>Zu kurz.</p>")
    assert list(paragraphs_of_help(tmp_path, "de")) == ["Das hier steht auf zwei Seiten."]


def test_a_package_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no LibreOffice help in German: apt-get download libreoffice-help-de, and"):
        corpus_in("de", tmp_path)


@pytest.mark.slow
@pytest.mark.data("paralex")
def test_every_method_is_trained_and_compared_with_random_vectors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On sentences of words of one ParaLex group each, which every method has to tell from random ones."""
    store = DataStore.default()
    groups = [group.words for group in store.load("paralex")["de"] if isinstance(group, WordGroup)]
    generator = np.random.default_rng(3)
    others = [f"{first}{second}wort" for first in "bcdfgh" for second in "aeiou"]  # enough words for 100 dimensions
    lines = [" ".join(generator.choice(words, 8)) for _ in range(150) for words in [*groups, others]]
    put(tmp_path, "a.html", "".join(f"<p>{line}</p>" for line in lines))
    assert main(["languages", str(tmp_path), "--language", "de"]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| German")][1:]
    shares = {row[1]: float(row[3].split(" %")[0]) for row in rows}
    assert list(shares) == ["SVD-PPMI", "skip-gram", "random, mean of 10"]
    assert 10 < shares.pop("random, mean of 10") < 30
    assert all(share > 50 for share in shares.values()), shares
