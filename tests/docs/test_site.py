"""The documentation builds offline without a warning, and its links work."""

from __future__ import annotations

import gzip
import html
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from django.test import Client, RequestFactory

from benchmark import features
from benchmark.responses import POLICY
from docs._hooks.moved import MOVED
from docs._hooks.repository import ROOT_PAGES
from docs._hooks.site_header import header_rules
from tasks.hashes import task_hash
from tasks.suites import SUITES
from tests.docs.blocks import DOCS, ROOT, blocks
from vecboard.public import PUBLIC


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as by ``make docs``; opening any socket fails."""
    out = tmp_path_factory.mktemp("site")
    offline = "import socket; socket.create_connection = socket.socket.connect = None\n"
    run = f"{offline}import sys; from mkdocs.__main__ import cli; sys.argv[0] = 'mkdocs'; cli()"
    command = [sys.executable, "-c", run, "build", "--strict", "--site-dir", str(out)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return out


class Links(HTMLParser):
    """URLs and anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {value for name, value in attrs if name in ("id", "name") and value}
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        elif tag in ("script", "img", "link") and values.get("rel") != "canonical":
            self.loaded += [str(values[name]) for name in ("src", "href") if values.get(name)]


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Links]:
    """Links of every page."""
    pages = {page: Links() for page in site.rglob("*.html")}
    for page, links in pages.items():
        links.feed(page.read_text(encoding="utf-8"))
    return pages


def test_no_link_is_broken(site: Path, read: dict[Path, Links]) -> None:
    files = {str(path) for path in site.rglob("*") if path.is_file()}
    broken = []
    for page, found in read.items():
        for link in found.links + found.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or page.name == "404.html":
                continue
            target = os.path.normpath(f"{page.parent}/{unquote(parts.path)}") if parts.path else str(page)
            target = target if target in files else f"{target}/index.html"
            ids = read[Path(target)].ids if target.endswith(".html") and target in files else {parts.fragment}
            if target not in files or (parts.fragment and parts.fragment not in ids):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken, "\n".join(broken)


def test_the_address_of_a_page_that_moved_leads_to_its_successor(site: Path, read: dict[Path, Links]) -> None:
    for old, new in MOVED.items():
        (link,) = read[site / f"{old}.html"].links
        assert (site / old).parent.joinpath(link).resolve() == site / f"{new}.html"
        assert f"url={link}" in (site / f"{old}.html").read_text(encoding="utf-8")


def test_every_fenced_block_is_shown_as_one(site: Path) -> None:
    pages = {page: page.relative_to(DOCS) for page in DOCS.rglob("*.md")}
    pages |= {ROOT / name: Path(page) for name, page in ROOT_PAGES.items()}
    for page, name in pages.items():
        built = (site / name).with_suffix(".html")
        if built.is_file():
            shown = built.read_text(encoding="utf-8").count("<pre><span></span>")
            assert shown >= len(blocks(page)), page  # blocks that are indented count too


def test_the_pages_at_the_root_are_part_of_the_documentation(site: Path) -> None:
    for name, page in ROOT_PAGES.items():
        shown = html.unescape(re.sub(r"<[^>]+>", "", (site / page).with_suffix(".html").read_text(encoding="utf-8")))
        lines = (ROOT / name).read_text(encoding="utf-8").strip("\n").splitlines()
        wanted = [line.strip("#[] ") for line in lines if line.startswith("## ")] or lines
        assert [line for line in wanted if line not in shown] == [], name


def test_no_page_loads_anything_from_elsewhere(read: dict[Path, Links]) -> None:
    away = [link for page in read.values() for link in page.loaded if urlsplit(link).netloc]
    assert away == []


@pytest.mark.django_db
def test_a_site_serves_the_pages_with_its_own_content_security_policy(
    site: Path, settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "docs").symlink_to(site)
    settings.WHITENOISE_ROOT, settings.HAS_DOCS = tmp_path, True
    visitor = Client()
    assert '<a href="/docs/">Docs</a>' in visitor.get("/corpus").content.decode()
    for path in ("/docs/", "/docs/findings.html", "/docs/tasks/pos.html"):
        answer = visitor.get(path, headers={"Accept-Encoding": "gzip"})
        assert (answer.status_code, answer["Content-Encoding"]) == (200, "gzip")
        assert answer["Content-Security-Policy"] == POLICY
        page = gzip.decompress(b"".join(answer.streaming_content)).decode()
        assert "<script>" not in page
        assert " style=" not in page
    assert visitor.get("/docs/search/search_index.json").status_code == 200


def test_the_header_of_the_documentation_has_the_links_of_the_site() -> None:
    named = yaml.safe_load((ROOT / "mkdocs.yml").read_text().split("plugins:")[0].replace("!ENV", ""))["extra"]
    shown = features.links(RequestFactory().get("/"), "")
    assert {link.text: link.url for link in shown["main"]} == named["site_links"]
    assert {link.text: link.url for link in shown["submit"]} == named["submit"]
    assert {link.text: link.url.partition("?")[0] for link in shown["account"]} == named["account"]


def test_the_header_of_the_documentation_has_the_rules_of_the_site_in_pixels() -> None:
    css = """/* header.site */ main { padding: 2rem; } header.site { padding: .75rem 3vw; }
    @media (max-width: 48rem) { .brand { flex: 1; } p { margin: 0; } } @media print { p { margin: 0; } }"""
    found = " ".join(header_rules(css).split())
    assert found == "header.site { padding: 12px 3vw; } @media (max-width: 768px) { .brand { flex: 1; } }"


@pytest.mark.django_db
def test_a_site_without_the_pages_does_not_link_to_them(settings: Any) -> None:
    settings.WHITENOISE_ROOT, settings.HAS_DOCS = None, False
    assert "/docs/" not in Client().get("/corpus").content.decode()
    assert Client().get("/docs/").status_code == 404


@pytest.mark.parametrize("suite", SUITES)
def test_every_task_has_a_page_that_states_data_licence_and_source(site: Path, suite: str) -> None:
    from tasks.datasets.registry import REGISTRY

    for task in SUITES[suite].tasks:
        text = re.sub(r"<[^>]+>", "", (site / "tasks" / f"{task.id}.html").read_text(encoding="utf-8"))
        assert task.title in text
        assert all(task_hash(SUITES[suite], task, mode) in text for mode in task.modes)
        assert task.dataset is None or "Licence:" in text
        assert task.dataset is None or REGISTRY[task.dataset].version in text


def test_every_public_entry_is_listed_with_its_licence_and_hash(site: Path) -> None:
    text = html.unescape(re.sub(r"<[^>]+>", "", (site / "public-entries.html").read_text(encoding="utf-8")))
    assert [entry.id for entry in PUBLIC if entry.id not in text or entry.work.licence not in text] == []
    assert [entry.id for entry in PUBLIC if entry.sha256 not in text] == []


def test_every_family_has_a_text_on_how_to_read_its_number() -> None:
    families = {task.family.id for suite in SUITES.values() for task in suite.tasks}
    written = {path.stem for path in (ROOT / "docs" / "families").glob("*.md")}
    assert families - written == set()


def test_a_family_without_a_text_is_described_by_its_program() -> None:
    from docs._hooks import task_pages
    from tasks.base import SIMILARITY

    assert "Spearman" in task_pages.family_text(replace(SIMILARITY, id="without-a-text"))
