"""Articles of Wikipedia dumps: kept and omitted text, languages, and memory."""

from __future__ import annotations

import bz2
import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from gensim.test.utils import datapath

from tasks.datasets.dataset import DamagedData
from tasks.datasets.paragraphs import Dump, dump_paragraphs
from tests.tasks.datasets.dumps import Page, dump

FILLER = "Wort " * 50
FROG = f"""{{{{Infobox|Art=Frosch}}}}
[[Datei:Frosch.jpg|mini|hochkant|Ein Frosch]] '''Frösche''' sind [[Amphibien|Lurche]].<ref>Ein Buch</ref> {FILLER}

== Leben ==
* Sie <b>springen</b> seit ''1999''.
{{| class="x"
| Zelle
|}}
[[Kategorie:Tier]]
[[kategorie: Lurch|!]]"""


def written(path: Path, *pages: Page, language: str = "de") -> Path:
    path.write_bytes(bz2.compress(dump(pages, language).encode()))
    return path


@pytest.mark.parametrize(("name", "pack"), [("d.xml.bz2", bz2.compress), ("d.xml.gz", gzip.compress), ("d.xml", bytes)])
def test_a_dump_gives_the_paragraphs_of_its_articles(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    (tmp_path / name).write_bytes(pack(dump([Page("Frosch", FROG)]).encode()))
    first, second, cell = dump_paragraphs(tmp_path / name)
    assert first == f"Ein Frosch Frösche sind Lurche. {FILLER}".strip()
    assert second == "Sie springen seit 1999."
    assert cell == "Zelle"


def test_redirects_talk_and_stubs_are_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path / "d.bz2",
        Page("Kröte", f"#WEITERLEITUNG [[Frosch]] {FILLER}", redirect="Frosch"),
        Page("Unke", f"#REDIRECT [[Frosch]] {FILLER}"),
        Page("Diskussion:Frosch", FILLER, 1),
        Page("Datei:Frosch.jpg", FILLER, 6),
        Page("Lurch", "Zu kurz."),
        Page("Molch", f"Ein Molch. {FILLER}"),
    )
    found = Dump(path)
    assert [text[:10] for text in found.paragraphs()] == ["Ein Molch."]
    assert (found.pages, found.articles, found.language) == (6, 1, "de")


def test_dumps_before_2010_have_name_spaces_in_their_titles_only(tmp_path: Path) -> None:
    path = written(
        tmp_path / "d.bz2",
        Page("Diskussion:Frosch", FILLER, None),
        Page("Terminator 2: Tag der Abrechnung", f"Ein Film. {FILLER}", None),
    )
    assert [text[:9] for text in dump_paragraphs(path)] == ["Ein Film."]


def test_an_article_without_spaces_is_long_enough_by_its_characters(tmp_path: Path) -> None:
    text = "カエルは両生綱無尾目の動物である。" * 20
    assert list(dump_paragraphs(written(tmp_path / "ja.bz2", Page("カエル", text), language="ja"))) == [text]
    assert list(dump_paragraphs(written(tmp_path / "de.bz2", Page("カエル", text)))) == []


def test_a_real_bulgarian_excerpt_is_read() -> None:
    found = Dump(Path(datapath("bgwiki-latest-pages-articles-shortened.xml.bz2")))
    paragraphs = list(found.paragraphs())
    assert found.language == "bg"
    assert (found.articles, found.pages) == (1, 3)
    assert sum(len(text.split()) for text in paragraphs) == 1_505
    assert not [text for text in paragraphs if "Категория:" in text or "Файл:" in text]


def test_the_share_grows_from_nothing_to_all(tmp_path: Path) -> None:
    pages = [Page(f"Seite {i}", " ".join(f"Wort{i * 60 + j}" for j in range(60))) for i in range(3_000)]
    found = Dump(written(tmp_path / "d.bz2", *pages))
    shares = [found.share for _ in found.paragraphs()]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5 < shares[-1] <= 1
    assert found.share == 1


def test_memory_does_not_grow_with_the_number_of_pages(tmp_path: Path) -> None:
    def peak(pages: int) -> int:
        path = written(tmp_path / f"{pages}.bz2", *(Page(f"Seite {i}", "kurz") for i in range(pages)))
        tracemalloc.start()
        try:
            assert list(dump_paragraphs(path)) == []
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    assert peak(4_000) < 1.5 * peak(500) + 25_000  # some 20 bytes kept of every page would be too many


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (bz2.compress(dump([Page("Frosch", FROG)] * 2_000).encode())[:-200], "beyond page"),
        (bz2.compress(b"<mediawiki><page>"), "beyond page 0"),
        (b"no bz2", "Invalid data stream"),
        (bz2.compress(b"text"), "beyond page 0"),
    ],
)
def test_a_damaged_dump_is_reported(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "d.xml.bz2").write_bytes(content)
    with pytest.raises(DamagedData, match=rf"d\.xml\.bz2 cannot be read .*{why}"):
        list(dump_paragraphs(tmp_path / "d.xml.bz2"))
