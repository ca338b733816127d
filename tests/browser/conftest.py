"""What the tests in a real browser share: the site, Chromium, and visitors with browsers of their own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.web import Web

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
"""That a visitor, or expect(), waits for anything: enough on a busy machine."""


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """The site without a worker, on a port and with a database of its own."""
    site = Web()
    site.environment["WEB_CONCURRENCY"] = "1"  # every process takes seconds of a core to load the program
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
    """Opens a page in a browser of somebody's own; takes the options of a browser context."""
    opened: list[BrowserContext] = []

    def open_page(**options: object) -> Page:
        opened.append(chromium.new_context(**options))  # type: ignore[arg-type]
        opened[-1].set_default_timeout(MILLISECONDS)
        return opened[-1].new_page()

    yield open_page
    for context in opened:
        context.close()
