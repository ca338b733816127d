"""Small Wikipedia dumps in the form of the real ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import escape


class Page(NamedTuple):
    """A page of a dump; dumps from before 2010 have no ``namespace``."""

    title: str
    text: str
    namespace: int | None = 0
    redirect: str = ""


def dump(pages: Iterable[Page], language: str = "de", file: str = "Datei", category: str = "Kategorie") -> str:
    """A dump of these pages, with the language's names of namespaces."""
    names = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>'
        for key, name in ((0, ""), (1, "Diskussion"), (6, file), (14, category))
    )
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="{language}">'
        f"<siteinfo><sitename>Wikipedia</sitename><namespaces>{names}</namespaces></siteinfo>"
        + "".join(map(_page, pages))
        + "</mediawiki>"
    )


def _page(page: Page) -> str:
    number = "" if page.namespace is None else f"<ns>{page.namespace}</ns>"
    redirect = f'<redirect title="{page.redirect}" />' if page.redirect else ""
    revision = f'<revision><id>1</id><text xml:space="preserve">{escape(page.text)}</text></revision>'
    return f"<page><title>{escape(page.title)}</title>{number}<id>1</id>{redirect}{revision}</page>"
