"""Accounts and submissions in a real browser: sign-up, tokens, interrupted uploads, anonymous review, keyboard, axe."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accounts import PASSWORD, account, finished_entry, violations_at
from tests.browser.cutting_proxy import CuttingProxy
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
PIECE = 4_000_000
SLOW = 120_000


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vector file of more than two pieces, stored without compression."""
    line = " ".join(["0.123456789"] * 80)
    text = "".join(f"word{n} {line}\n" for n in range(22_000)).encode()
    path = tmp_path_factory.mktemp("large") / "large.txt.gz"
    path.write_bytes(gzip.compress(text, 0))
    assert path.stat().st_size > 2 * PIECE
    return path


def choose(address: str, page: Page, file: Path, name: str = "Large vectors") -> None:
    page.goto(f"{address}/submit")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Vector file").set_input_files(file)


def stored(web: Web, page: Page) -> bytes:
    """The file of the submission whose page is shown, as the site keeps it."""
    entry = page.url.split("/s/")[1].split("?")[0]
    return (web.directory / "var" / "storage" / "uploads" / entry[:2] / f"{entry}.gz").read_bytes()


def test_an_upload_goes_on_by_itself_after_a_cut_connection(
    web: Web, visitor: Callable[..., Page], large_file: Path
) -> None:
    page = visitor()
    with CuttingProxy(web.port, cut_after=PIECE + PIECE // 2) as network:
        choose(network.address, page, large_file)
        page.get_by_role("button", name="Upload and evaluate").click()
        expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible(timeout=SLOW)
    assert network.cuts == 1
    assert stored(web, page) == large_file.read_bytes()


def test_an_upload_goes_on_after_the_page_was_closed(web: Web, visitor: Callable[..., Page], large_file: Path) -> None:
    page = visitor()
    with CuttingProxy(web.port, cut_after=PIECE + PIECE // 2) as network:
        network.stays_down = True
        choose(network.address, page, large_file, "Interrupted vectors")
        page.get_by_role("button", name="Upload and evaluate").click()
        expect(page.get_by_text("The connection was lost")).to_be_visible(timeout=SLOW)
        page.goto("about:blank")
        network.down = False
        page.goto(f"{network.address}/submit")
        expect(page.get_by_text("“Interrupted vectors” stopped at")).to_be_visible()
        page.get_by_label("Resume with the same file").set_input_files(large_file)
        expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible(timeout=SLOW)
    assert stored(web, page) == large_file.read_bytes()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"only words here\n", "Line 1 is not a word followed by its numbers"),
        (
            gzip.compress(b"".join(b"only words here\n" for _ in range(300)), mtime=0),
            "Line 1 is not a word followed by its numbers",
        ),
    ],
)
def test_the_first_megabyte_is_looked_at_before_anything_is_sent(
    web: Web, visitor: Callable[..., Page], tmp_path: Path, content: bytes, sentence: str
) -> None:
    page, sent = visitor(), []
    page.on("request", lambda request: sent.append(request.method))
    (tmp_path / "bad.gz").write_bytes(content)
    choose(web.address, page, tmp_path / "bad.gz")
    expect(page.locator("#file-error")).to_contain_text(sentence)
    page.get_by_role("button", name="Upload and evaluate").click()
    expect(page.locator("#file-error")).to_contain_text(sentence)
    assert set(sent) == {"GET"}


def test_a_name_is_suggested_from_the_file_until_somebody_types_one(
    web: Web, visitor: Callable[..., Page], vector_file: Path
) -> None:
    page = visitor()
    page.goto(f"{web.address}/submit")
    name, file = page.get_by_label("Name", exact=True), page.get_by_label("Vector file")
    file.set_input_files(vector_file)
    expect(name).to_have_value("small")
    name.fill("My own")
    file.set_input_files(vector_file)
    expect(name).to_have_value("My own")


def test_without_javascript_the_form_is_sent_whole(web: Web, visitor: Callable[..., Page], vector_file: Path) -> None:
    page = visitor(java_script_enabled=False)
    choose(web.address, page, vector_file)
    page.get_by_role("button", name="Upload and evaluate").click()
    expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible()
    assert stored(web, page) == vector_file.read_bytes()


def test_signing_in_and_submitting_need_no_mouse(web: Web, visitor: Callable[..., Page], vector_file: Path) -> None:
    page = visitor()
    account(web, page, "keyboarder")
    page.goto(f"{web.address}/submit")
    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("By keyboard")
    page.get_by_label("Vector file").set_input_files(vector_file)  # the system's own dialogue is not a page
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Upload and evaluate":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible()
    page.goto(f"{web.address}/mine")
    expect(page.get_by_role("link", name="By keyboard", exact=True)).to_be_visible()


def test_axe_finds_nothing_on_pages_of_an_owner(web: Web, visitor: Callable[..., Page]) -> None:
    page = visitor()
    entry, token = finished_entry(web, "A finished one")
    account(web, page, "axe")
    page.goto(f"{web.address}/s/{entry}/owner/{token}")
    page.get_by_role("button", name="Add to my account").click()
    expect(page.get_by_role("button", name="Add to my account")).to_have_count(0)
    paths = (
        "/mine",
        "/account/",
        "/account/email/",
        "/account/2fa/",
        f"/s/{entry}",
        f"/s/{entry}/edit",
        f"/s/{entry}/delete",
    )
    found = [problem for path in paths for problem in violations_at(page, web, path)]
    page.goto(f"{web.address}/account/tokens")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("button", name="Create token")).to_be_visible()
    for path in ("/account/tokens", "/account/2fa/totp/activate/", "/account/password/change/", "/account/delete"):
        found += violations_at(page, web, path)
    assert found == []
