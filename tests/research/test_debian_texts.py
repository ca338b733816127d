"""Texts of Debian packages."""

from __future__ import annotations

import gzip
from pathlib import Path

from research.debian_texts import german_documentation, html_paragraphs, manual_paragraphs, pages_of_help

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
    assert [texts for _, texts in pages_of_help(tmp_path, "de")] == [["Das hier steht auf zwei Seiten."]]
