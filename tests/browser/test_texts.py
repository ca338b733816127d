"""Texts of one's own in a real browser, a corpus or labelled ones: the form, the progress, the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SECRET
from tests.browser.pages import expect_accessible_at
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WIDTHS = (320, 390, 720, 820, 1440, 1920)
IDS = {"done": "aaaaaaaaaaaa", "running": "bbbbbbbbbbbb", "refused": "cccccccccccc"}
COOKIES = [f"{folder}-{id}" for folder in ("own", "corpora", "front", "claims") for id in IDS.values()]
SEED = """
import json, sys
import django
django.setup()
from django.utils import timezone
from benchmark import storage
from benchmark.fields import token_hash
from benchmark.operations.models import Job
from extensions.claim.models import MeasuredClaim
from extensions.own.models import OwnTexts
from extensions.front.models import SmallerVectors
from benchmark.submissions.models import Submission
from extensions.sufficiency.models import CorpusReport
from extensions.texts.models import made_key
from extensions.claim import tests as claim
from extensions.front import tests as front
from extensions.own import tests as own
from extensions.sufficiency import tests as sufficiency
entry = Submission.objects.exclude(file_key="").first()
now, (done, running, refused) = timezone.now(), sys.argv[2:]
common = {"title": "Speeches", "entries": [entry.pk], "owner_token_hash": token_hash(sys.argv[1]), "file_name": "a.csv"}
common |= {"file_bytes": 123456, "started_at": now}
of_corpus, of_front = {"cues": ["justice"]}, {"budget": 5}
lists = [["she", "mother", "maid"], ["he", "father"], ["family", "home", "children"], ["office", "business", "career"]]
of_claim = {"kind": "association", "lists": lists, "group_by": "president", "windows": [2, 10], "dimensions": [50, 100]}
kinds = [(CorpusReport, sufficiency, of_corpus), (OwnTexts, own, {}), (SmallerVectors, front, of_front)]
for model, made, more in [*kinds, (MeasuredClaim, claim, of_claim)]:
    columns = common | more
    model.objects.create(pk=done, state="done", report=json.loads(json.dumps(made.made_report())), **columns)
    model.objects.create(pk=running, state="running", **columns)
    error = {"code": "x", "message": "Line 1 names no column “text”.", "line": 1, "field": "text_field"}
    model.objects.create(pk=refused, state="refused", error=error, **columns)
    times = {"started_at": now, "heartbeat_at": now}
    Job.objects.create(kind=model.KIND, subject=running, level=8, share=0.25, what="step 7 of 97", **times)
OwnTexts.objects.filter(pk=done).update(file_key=f"own/aa/{done}", finished_at=now)
storage.path_of(f"own/aa/{done}").write_text("texts")
storage.path_of(made_key(f"own/aa/{done}")).write_text(json.dumps(own.made_differing()))
SmallerVectors.objects.filter(pk=done).update(file_key=f"front/aa/{done}", finished_at=now)
storage.path_of(made_key(f"front/aa/{done}")).write_bytes(b"small vectors")
Submission.objects.filter(pk=entry.pk).update(offers_download=True, licence="CC0")
print(entry.pk)
"""


@pytest.fixture(scope="module")
def entry(web: Web) -> str:
    """An entry with vectors, on a site with a report in every state."""
    web.python("-m", "tests.browser.seed_political")
    return web.python("-c", SEED, SECRET, *IDS.values()).split()[-1]


@pytest.fixture
def visit(visit: Callable[..., Page], entry: str) -> Callable[..., Page]:
    """Opens a page as the owner of the reports."""
    return lambda path, **how: visit(path.format(entry=entry, **IDS), cookies=COOKIES, **how)


@pytest.mark.parametrize("folder", ["suffices", "own", "front", "claim"])
@pytest.mark.parametrize("page", ["", "?e={entry}&again={refused}", *(f"/{{{state}}}" for state in IDS)])
def test_a_page_is_accessible_and_never_scrolls_sideways(visit: Callable[..., Page], folder: str, page: str) -> None:
    expect_accessible_at(visit(f"/find/{folder}{page}"), WIDTHS)


@pytest.mark.parametrize("path", ["/find/suffices/{done}/delete", "/find/own/{done}/forget"])
def test_a_question_is_accessible_and_never_scrolls_sideways(visit: Callable[..., Page], path: str) -> None:
    expect_accessible_at(visit(path), WIDTHS)


@pytest.mark.parametrize(
    ("path", "label", "noun", "scripts"),
    [("/find/suffices", "Corpus", "corpus", False), ("/find/own", "Your data", "file", True)],
)
def test_texts_are_sent_their_measurement_is_cancelled_and_its_report_deleted(
    visit: Callable[..., Page], tmp_path: Path, path: str, label: str, noun: str, scripts: bool
) -> None:
    texts = tmp_path / "speeches.csv"
    texts.write_text("text,label\none two,a\n")
    page = visit(path, java_script_enabled=scripts)
    page.get_by_label(label, exact=True).set_input_files(texts)
    page.get_by_label("Title").fill("Speeches of May")
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_role("heading", name="Waiting: Speeches of May")).to_be_visible()
    expect(page.get_by_text("Your owner link")).to_be_visible()
    for button, confirmed in (("Cancel", "Cancel the measurement"), ("Delete permanently", "Delete the report")):
        page.get_by_role("link", name=button, exact=True).click()
        page.get_by_role("button", name=confirmed).click()
    expect(page.get_by_text(f"The report and its {noun} are deleted.")).to_be_visible()


def test_the_card_leads_to_smaller_vectors_and_their_download(visit: Callable[..., Page]) -> None:
    page = visit("/find")
    page.get_by_role("link", name="Vectors that are too large").click()
    page.get_by_label("Budget").fill("5")
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_text("Tick vectors above or choose a file, one of them.")).to_be_visible()
    page.locator("[name=e][form=send]").first.check()
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_role("heading", name="Waiting: ")).to_be_visible()
    page.get_by_role("link", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel the measurement").click()
    page.goto(page.url.partition("/find/")[0] + f"/find/front/{IDS['done']}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the vectors").click()
    assert download.value.path().read_bytes() == b"small vectors"


def test_ticked_vectors_stay_ticked_while_others_are_searched(visit: Callable[..., Page]) -> None:
    page = visit("/find/own")
    expect(page.locator("[name=e][form=send]:checked")).to_have_count(1)
    page.get_by_role("searchbox").fill("nothing of this name")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_text("No vectors on this site match")).to_be_visible()
    expect(page.locator("[name=e][form=send]:checked")).to_have_count(1)


def test_the_cues_of_a_corpus_are_counted_and_errors_are_at_their_fields(
    visit: Callable[..., Page], tmp_path: Path
) -> None:
    corpus = tmp_path / "speeches.jsonl"
    corpus.write_text("\n".join(json.dumps({"text": "one two three"}) for _ in range(9)))
    page = visit("/find/suffices?e={entry}")
    page.get_by_label("Cues").fill("justice, freedom justice")
    expect(page.get_by_text("2 cues read")).to_be_visible()
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_text("No file was sent; choose one.")).to_be_visible()
    page.get_by_label("Corpus", exact=True).set_input_files(corpus)
    page.get_by_label("Cues").fill(" ".join(f"w{nth}" for nth in range(101)))
    page.get_by_role("button", name="Send and measure").click()
    expect(page.get_by_text("The list has 101 cues; the limit is 100.")).to_be_visible()


def test_labelled_texts_are_quoted_and_then_deleted_without_scripts(visit: Callable[..., Page]) -> None:
    page = visit("/find/own/{done}", java_script_enabled=False)
    expect(page.get_by_role("cell", name="text number 17")).to_be_visible()
    page.get_by_role("link", name="Delete the file now").click()
    page.get_by_role("button", name="Delete the file").click()
    expect(page.get_by_text("These texts are deleted.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 2 sets of vectors is not inferior to words alone")
