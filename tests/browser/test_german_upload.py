"""A German upload, step by step: the guessed language, its confirmation, the report, and the board in German."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tasks.datasets.store import DataStore
from tests.browser.paralex import DATASET, groups, vectors
from tests.browser.whole_site import whole_site

pytestmark = [pytest.mark.slow, pytest.mark.browser]
MEASURED_MILLISECONDS = 300_000


@pytest.fixture(scope="module")
def site(shipped_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site that has the shipped board already, as computing its ranks takes half a minute."""
    if not DataStore.default().status(DATASET).available:
        pytest.skip(f"the data set {DATASET} is not here; set VECBOARD_DATA_MIRROR to a directory that has it")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(shipped_files, folder / "var")
    with whole_site(folder, "open-2026") as address:
        yield address


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = vectors("de")
    rows = (" ".join([w, *map(str, row)]) for w, row in zip(made.words, made.matrix.tolist(), strict=True))
    path = tmp_path / "wörter.txt.gz"
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    return path


def test_german_vectors_sent_as_english_end_on_the_board_in_german(
    visitor: Callable[..., Page], site: str, file: Path
) -> None:
    page = visitor()
    page.goto(f"{site}/submit")
    page.get_by_label("Name", exact=True).fill("Deutsche Wörter")
    page.get_by_text("Language, visibility, licence and settings").click()
    page.get_by_label("Language", exact=True).fill("English")
    page.get_by_label("Vector file").set_input_files(file)
    page.get_by_role("button", name="Upload and evaluate").click()
    expect(page.get_by_text("This looks like German, but was submitted as English.")).to_be_visible(timeout=120_000)
    page.get_by_role("button", name="Evaluate it as German").click()
    expect(page.get_by_text("Correct the language (now German)")).to_be_visible()
    expect(page.get_by_text("This looks like German")).to_have_count(0)
    report = page.get_by_role("link", name="Read the report", exact=True)
    report.wait_for(timeout=MEASURED_MILLISECONDS)
    report.click()
    expect(page.get_by_text("· German ·")).to_be_visible()
    page.locator("#word-tables > summary").click()
    page.get_by_text("Group by group").click()
    rows = page.get_by_role("region", name="Group by group").get_by_role("row")
    expect(rows).to_have_count(len(groups("de")) + 1)
    page.goto(f"{site}/?suite=open-2026&language=de")
    expect(page.get_by_role("link", name="Deutsche Wörter")).to_be_visible()
    page.goto(f"{site}/?suite=open-2026")
    expect(page.get_by_role("link", name="Deutsche Wörter")).to_have_count(0)
