"""Whether a pre-trained set suffices for a corpus, in a real browser: the form, the progress, the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import expect_accessible_at
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WIDTHS = (320, 390, 720, 820, 1440, 1920)
SECRET = "the-owners-secret"
IDS = {"done": "aaaaaaaaaaaa", "running": "bbbbbbbbbbbb", "refused": "cccccccccccc"}
SEED = """
import json, sys
import django
django.setup()
from django.utils import timezone
from benchmark.fields import token_hash
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from benchmark.sufficiency.models import CorpusReport
from tests.benchmark.sufficiency import made_report
entry = Submission.objects.exclude(file_key="").first()
common = {"title": "Speeches", "entries": [entry.pk], "owner_token_hash": token_hash(sys.argv[1]), "cues": ["justice"]}
common |= {"file_name": "speeches.csv", "file_bytes": 123456, "started_at": timezone.now()}
done, running, refused = sys.argv[2:]
CorpusReport.objects.create(pk=done, state="done", report=json.loads(json.dumps(made_report())), **common)
CorpusReport.objects.create(pk=running, state="running", **common)
error = {"code": "x", "message": "Line 1 names no column “text”.", "line": 1, "field": "text_field"}
CorpusReport.objects.create(pk=refused, state="refused", error=error, **common)
now = timezone.now()
columns = {"started_at": now, "heartbeat_at": now, "share": 0.25, "what": "step 7 of 97"}
Job.objects.create(kind="suffices", subject=running, level=8, **columns)
print(entry.pk)
"""


@pytest.fixture(scope="module")
def entry(web: Web) -> str:
    """An entry with vectors, on a site with a report in every state."""
    web.python("-m", "tests.browser.seed_political")
    return web.python("-c", SEED, SECRET, *IDS.values()).split()[-1]


@pytest.fixture
def visit(visitor: Callable[..., Page], web: Web, entry: str) -> Iterator[Callable[..., Page]]:
    """Opens a page as the owner of the reports; no page may write another error to the console
    than that a form was refused."""
    complaints: list[str] = []

    def open_page(path: str, **how: object) -> Page:
        page = visitor(**{"viewport": {"width": 1280, "height": 900}, **how})
        page.context.add_cookies(
            [{"name": f"corpora-{id}", "value": SECRET, "url": web.address} for id in IDS.values()]
        )
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.goto(web.address + path.format(entry=entry, **IDS))
        return page

    yield open_page
    assert [text for text in complaints if "400 (Bad Request)" not in text] == []


@pytest.mark.parametrize(
    "path",
    [
        "/suffices",
        "/suffices?e={entry}",
        "/suffices?e={entry}&again={refused}",
        "/suffices/{done}",
        "/suffices/{running}",
        "/suffices/{refused}",
        "/suffices/{done}/delete",
    ],
)
def test_a_page_is_accessible_and_never_scrolls_sideways(visit: Callable[..., Page], path: str) -> None:
    expect_accessible_at(visit(path), WIDTHS)


def test_a_corpus_is_sent_with_its_cues_counted_and_errors_at_their_fields(
    visit: Callable[..., Page], tmp_path: Path
) -> None:
    corpus = tmp_path / "speeches.jsonl"
    corpus.write_text("\n".join(json.dumps({"text": "one two three"}) for _ in range(9)))
    page = visit("/suffices?e={entry}")
    page.get_by_label("Your cues").fill("justice, freedom justice")
    expect(page.get_by_text("2 cues read")).to_be_visible()
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_text("No file was sent; choose one.")).to_be_visible()
    page.get_by_label("Corpus", exact=True).set_input_files(corpus)
    page.get_by_label("Your cues").fill(" ".join(f"w{nth}" for nth in range(101)))
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_text("The list has 101 cues; the limit is 100.")).to_be_visible()


def test_without_scripts_a_corpus_is_sent_cancelled_and_its_report_deleted(
    visit: Callable[..., Page], tmp_path: Path
) -> None:
    corpus = tmp_path / "speeches.txt"
    corpus.write_text("one two three\n" * 9)
    page = visit("/suffices", java_script_enabled=False)
    page.get_by_role("button", name="Choose ticked entries").click()
    page.get_by_label("Corpus", exact=True).set_input_files(corpus)
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_role("heading", name="Waiting: speeches")).to_be_visible()
    for button, confirmed in (("Cancel", "Cancel the measurement"), ("Delete permanently", "Delete the report")):
        page.get_by_role("link", name=button, exact=True).click()
        page.get_by_role("button", name=confirmed).click()
    expect(page.get_by_text("The report and its corpus are deleted.")).to_be_visible()


def test_a_report_begins_with_its_verdict_and_folds_the_table_of_cues(visit: Callable[..., Page]) -> None:
    page = visit("/suffices/{done}")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "GloVe 6B, 100 d suffices, though local vectors are slightly better"
    )
    expect(page.get_by_text("Not in the corpus: justice.")).to_be_visible()
    expect(page.get_by_role("region", name="All cues")).to_be_hidden()
    page.get_by_text("All 60 cues").click()
    expect(page.get_by_role("region", name="All cues")).to_be_visible()
