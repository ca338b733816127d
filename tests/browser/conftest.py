"""Fixtures of the tests in a real browser: the site, Chromium, and visitors with contexts of their own."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tasks.suites import OPEN_2026
from tests.databases import begin_with_sqlite
from tests.web import Web, environment_of, run_python

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MILLISECONDS = 60_000
"""Timeout of visitors and of expect(): enough on a busy machine."""
ONE_PROCESS = {"WEB_CONCURRENCY": "1"}
"""Each further process takes seconds of a core to load the program."""
SECRET = "the-owners-secret"
"""In the cookies of visitors."""
SHIPPED = """
import sys
from datetime import timedelta
import django
django.setup()
from django.core.management import call_command
from django.utils import timezone
from benchmark.operations.models import WorkerBeat
from workers import queue
from workers import runner
call_command("load_baseline")
call_command("load_board", suite=sys.argv[1])
board = f"{sys.argv[1]}/{sys.argv[2]}"
queue.enqueue("rank", board)
runner.run("rank", board)
WorkerBeat.objects.create(name="alive throughout", seen_at=timezone.now() + timedelta(days=1))
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is slow: ``make test`` does not even import it."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("slow")


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """The site without a worker, on a port and with a database of its own."""
    site = Web()
    site.environment |= ONE_PROCESS
    with site:
        yield site


@pytest.fixture(scope="session")
def shipped_files(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """``var`` of a site with the baseline, the shipped entries and ranks, made once for all processes of a test run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "shipped-board"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
        if not folder.exists():
            part = folder.with_suffix(".part")
            environment = environment_of(part, suite=OPEN_2026.id)
            begin_with_sqlite(environment)
            run_python(environment, "-c", SHIPPED, OPEN_2026.id, str(OPEN_2026.version))
            part.rename(folder)
    return folder


@pytest.fixture(scope="package")
def shipped(shipped_files: Path) -> Iterator[Web]:
    """A site with the shipped board, without a worker, that no test changes."""
    site = Web(suite=OPEN_2026.id, var=shipped_files)
    site.environment |= ONE_PROCESS
    with site:
        yield site


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed (Debian: apt install chromium)")
    expect.set_options(timeout=MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a new browser context; takes the options of a context."""
    opened: list[BrowserContext] = []

    def open_page(**options: object) -> Page:
        opened.append(chromium.new_context(**options))  # type: ignore[arg-type]
        opened[-1].set_default_timeout(MILLISECONDS)
        return opened[-1].new_page()

    yield open_page
    for context in opened:
        context.close()


@pytest.fixture
def visit(visitor: Callable[..., Page], web: Web) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site; no page may write an error to the console, except for a refused form."""
    complaints: list[str] = []

    def open_page(path: str = "/", site: str = web.address, cookies: Sequence[str] = (), **how: object) -> Page:
        page = visitor(**{"viewport": {"width": 1280, "height": 900}, **how})
        page.context.add_cookies([{"name": name, "value": SECRET, "url": site} for name in cookies])
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(site + path)
        return page

    yield open_page
    assert [text for text in complaints if "400 (Bad Request)" not in text] == []
