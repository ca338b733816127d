"""Actions of an owner in a real browser: choose a file; cancel, withdraw and delete after one question; undo."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tasks.guess_language import COMMON, FIRST, guess
from tests.browser.pages import violations_in_light_and_dark
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WORDS = ["the", *sorted(COMMON["en"] - {"the"}), *(f"word{nth}" for nth in range(120))]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """English vectors of three dimensions with word2vec's header."""
    rows = "".join(f"{word} 0.1 0.2 {nth / 1000:.3f}\n" for nth, word in enumerate(WORDS))
    path = tmp_path / "my-vectors.txt.gz"
    path.write_bytes(gzip.compress(f"{len(WORDS)} 3\n{rows}".encode()))
    return path


@pytest.fixture
def owner(web: Web, visitor: Callable[..., Page], file: Path) -> Callable[..., Page]:
    """The status page of a file that waits, opened with its owner link."""

    def open_page(**how: object) -> Page:
        with file.open("rb") as stream:
            form = {"name": "To be stopped", "visibility": "unlisted"}
            sent = httpx.post(f"{web.address}/api/v1/submissions", data=form, files={"file": stream}, timeout=60)
        page = visitor(**how)
        page.goto(sent.json()["owner_url"])
        return page

    return open_page


def test_a_chosen_file_is_summed_up_and_names_the_entry(web: Web, visitor: Callable[..., Page], file: Path) -> None:
    page = visitor()
    page.goto(f"{web.address}/submit")
    page.get_by_label("Vector file").set_input_files(file)
    summary = page.locator("#file-summary")
    expect(summary).to_contain_text("my-vectors.txt.gz\u2069")
    expect(summary).to_contain_text(f"Words{len(WORDS)}Dimensions3First words\u2068the\u2069, ")
    expect(summary).to_contain_text("looks like English")
    expect(page.get_by_label("Name", exact=True)).to_have_value("my-vectors")
    expect(page.locator("#id_language")).to_have_value("English")
    expect(page.locator("#id_language")).to_be_hidden()  # folded, with all that can be guessed or has a default


def test_a_name_that_ends_at_its_limit_is_counted(web: Web, visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.goto(f"{web.address}/submit")
    name, count = page.get_by_label("Name", exact=True), page.locator("#field-name output")
    expect(count).to_have_text("")
    name.press_sequentially("x" * 81)
    expect(name).to_have_value("x" * 80)
    expect(count).to_have_text("80 of at most 80 characters")


def test_a_refused_file_does_not_name_the_entry(web: Web, visitor: Callable[..., Page], tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    path.write_text("no vectors here\n")
    page = visitor()
    page.goto(f"{web.address}/submit")
    page.get_by_label("Vector file").set_input_files(path)
    expect(page.locator("#file-error")).to_contain_text("Line 1")
    expect(page.get_by_label("Name", exact=True)).to_have_value("")


def test_the_language_is_guessed_from_as_many_words_as_the_check_looks_at(
    web: Web, visitor: Callable[..., Page], tmp_path: Path
) -> None:
    path = tmp_path / "late.txt"
    words = [*(f"word{nth}" for nth in range(FIRST)), *COMMON["de"]]
    path.write_text("".join(f"{word} 0.1 0.2\n" for word in words))
    assert guess(words) is None
    page = visitor()
    page.goto(f"{web.address}/submit")
    page.get_by_label("Vector file").set_input_files(path)
    summary = page.locator("#file-summary")
    expect(summary).to_contain_text("Dimensions2")
    expect(summary).not_to_contain_text("looks like")


def test_a_file_that_is_not_text_is_summed_up_by_its_size(
    web: Web, visitor: Callable[..., Page], tmp_path: Path
) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(bytes(range(256)) * 8)
    page = visitor()
    page.goto(f"{web.address}/submit")
    page.get_by_label("Vector file").set_input_files(path)
    facts = "The chosen fileFile\u2068model.bin\u2069Size2.05 kBWordsread after the upload"
    expect(page.locator("#file-summary")).to_have_text(facts)


def test_a_refused_file_has_an_error_at_its_own_field_only_and_no_summary(
    web: Web, visitor: Callable[..., Page], tmp_path: Path, file: Path
) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("the cat sat\n")
    page = visitor()
    page.goto(f"{web.address}/submit")
    page.get_by_label("Vector file").set_input_files(file)
    expect(page.locator("#file-summary")).to_be_visible()
    page.get_by_label("Vector file").set_input_files(plain)
    expect(page.locator("#file-error")).to_contain_text("Line 1 is not a word")
    expect(page.locator("#file-summary")).to_be_hidden()
    assert page.locator(".wrong input").count() == 1


@pytest.mark.parametrize("scripts", [True, False])
def test_cancelling_asks_once_says_so_and_is_undone(owner: Callable[..., Page], scripts: bool) -> None:
    page = owner(java_script_enabled=scripts)
    page.get_by_role("link", name="Cancel this submission").click()
    page.get_by_role("button", name="Cancel the submission").click()
    expect(page.get_by_text("Cancelled. The file and all results so far are kept")).to_be_visible()
    page.get_by_role("button", name="Undo: continue the evaluation").click()
    expect(page.get_by_text("The evaluation continues")).to_be_visible()
    expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible()


def test_deleting_asks_once_and_lands_where_it_is_undone(owner: Callable[..., Page]) -> None:
    page = owner()
    page.get_by_role("link", name="Delete permanently").click()
    page.get_by_role("button", name="Delete To be stopped").click()
    expect(page.get_by_role("heading", name="To be stopped is deleted")).to_be_visible()
    assert violations_in_light_and_dark(page) == []
    page.get_by_role("button", name="Undo the deletion").click()
    expect(page.get_by_text("Deletion undone.")).to_be_visible()


def test_a_button_that_comes_while_the_page_is_open_corrects_the_language(web: Web, owner: Callable[..., Page]) -> None:
    page = owner()
    submission = page.url.rpartition("/")[2]
    found = f"Submission.objects.filter(pk={submission!r})"
    of_rows = "import django; django.setup(); from benchmark.submissions.models import Submission; "
    web.python("-c", f"{of_rows}{found}.update(state='checking')")
    page.reload()
    expect(page.get_by_text("Correct the language")).to_have_count(0)
    checked = "state='queued', checked_at='2026-01-01T00:00Z', words=143, dimensions=3, likely_language='de'"
    web.python("-c", f"{of_rows}{found}.update({checked})")
    page.get_by_role("button", name="Evaluate it as German").click()
    expect(page.get_by_text("The language is corrected; all tasks run again.")).to_be_visible()
    expect(page.get_by_text("Correct the language (now German)")).to_be_visible()
