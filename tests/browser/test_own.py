"""Labelled texts of one's own, in a real browser: the form, the progress, the private report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import expect_accessible_at
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WIDTHS = (320, 390, 720, 820, 1440)
SECRET = "the-owners-secret"
IDS = {"done": "aaaaaaaaaaaa", "running": "bbbbbbbbbbbb", "refused": "cccccccccccc"}
SEED = """
import json, sys
import django
django.setup()
from django.utils import timezone
from benchmark import storage
from benchmark.fields import token_hash
from benchmark.operations.models import Job
from benchmark.own.models import OwnTexts
from benchmark.submissions.models import Submission
from benchmark.texts.models import quoted_key
from tests.benchmark.own import made_differing, made_report
entry = Submission.objects.exclude(file_key="").first()
now = timezone.now()
common = {"title": "Tickets", "entries": [entry.pk], "owner_token_hash": token_hash(sys.argv[1]), "file_name": "a.csv"}
common |= {"file_bytes": 123456, "started_at": now}
done, running, refused = sys.argv[2:]
kept = {"file_key": f"own/aa/{done}", "finished_at": now}
OwnTexts.objects.create(pk=done, state="done", report=json.loads(json.dumps(made_report())), **kept, **common)
storage.path_of(kept["file_key"]).write_text("texts")
storage.path_of(quoted_key(kept["file_key"])).write_text(json.dumps(made_differing()))
OwnTexts.objects.create(pk=running, state="running", **common)
error = {"code": "x", "message": "There is no “label”.", "field": "label_field"}
OwnTexts.objects.create(pk=refused, state="refused", error=error, **common)
Job.objects.create(kind="own", subject=running, level=8, started_at=now, heartbeat_at=now, share=0.25, what="GloVe")
print(entry.pk)
"""


@pytest.fixture(scope="module")
def entry(web: Web) -> str:
    """An entry with vectors, on a site with a report in every state."""
    web.python("-m", "tests.browser.seed_political")
    return web.python("-c", SEED, SECRET, *IDS.values()).split()[-1]


@pytest.fixture
def visit(visitor: Callable[..., Page], web: Web, entry: str) -> Iterator[Callable[..., Page]]:
    """Opens a page as the owner of the reports; no page may write an error to the console."""
    complaints: list[str] = []

    def open_page(path: str, **how: object) -> Page:
        page = visitor(**{"viewport": {"width": 1280, "height": 900}, **how})
        known = {"value": SECRET, "url": web.address}
        page.context.add_cookies([{"name": f"own-{id}", **known} for id in IDS.values()])
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.goto(web.address + path.format(entry=entry, **IDS))
        return page

    yield open_page
    assert complaints == []


@pytest.mark.parametrize(
    "path",
    [
        "/own",
        "/own?e={entry}",
        "/own?e={entry}&again={refused}",
        "/own/{done}",
        "/own/{running}",
        "/own/{refused}",
        "/own/{done}/forget",
    ],
)
def test_a_page_is_accessible_and_never_scrolls_sideways(visit: Callable[..., Page], path: str) -> None:
    expect_accessible_at(visit(path), WIDTHS)


def test_texts_are_searched_and_then_deleted_without_scripts(visit: Callable[..., Page]) -> None:
    page = visit("/own/{done}", java_script_enabled=False)
    page.get_by_label("Find", exact=True).fill("number 17")
    page.get_by_label("answered better by").select_option("GloVe")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_text("Texts found: 0.")).to_be_visible()
    page.get_by_label("answered better by").select_option("any")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("cell", name="text number 17")).to_be_visible()
    page.get_by_role("link", name="Delete the file now").click()
    page.get_by_role("button", name="Delete the file").click()
    expect(page.get_by_text("These texts are deleted.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 2 sets of vectors is not inferior to words alone")


def test_texts_are_sent_with_errors_at_their_fields(visit: Callable[..., Page], tmp_path: Path) -> None:
    texts = tmp_path / "tickets.csv"
    texts.write_text("text,label\none two,a\n")
    page = visit("/own?e={entry}")
    page.get_by_label("Your data", exact=True).set_input_files(texts)
    page.get_by_label("Title").fill("Tickets of May")
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_role("heading", name="Waiting: Tickets of May")).to_be_visible()
    expect(page.get_by_text("Your owner link")).to_be_visible()
