"""Entries compared with people's lists: the authors', those collected on the site, and a visitor's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.people import sessions
from extensions.people.list_comparison import KEPT, key_of
from extensions.people.models import GivenLists, Kind, ListDeviation, Study, StudyState
from extensions.people.tests.test_association_session import write_all
from tests.benchmark.conftest import Make

OWN = {"freedom": ["liberty", "speech"], "tax": ["money"]}
FIGURES = {
    "full": {"mean": 3.5}, "within": {"mean": 1.25}, "relative": {"mean": 0.87}, "reason": "",
    "cues": {"freedom": {"full": 3.0, "within": 1.0, "relative": 0.87, "known": 2, "mentioned": 2},
             "tax": {"full": 4.0, "within": 1.5, "relative": None, "known": 1, "mentioned": 1}},
}  # fmt: skip


@pytest.fixture
def entry(submission: Make) -> Submission:
    return submission(name="mine", vectors_sha256="a" * 64, file_key="uploads/a.gz")


def give(visitor: Client, entry: Submission, **fields: Any) -> Any:
    return visitor.post("/compare/people", {"e": entry.pk} | fields)


def compute(key: str) -> None:
    ListDeviation.objects.filter(lists_key=key).update(figures=FIGURES, words=None)


def test_the_page_counts_as_one_of_compare(entry: Submission, stranger: Client) -> None:
    header = stranger.get("/compare/people").content.decode().partition("</header>")[0]
    assert re.findall(r'<a[^>]* aria-current="true"[^>]*>([^<]+)', header) == ["Compare"]


def test_lists_of_ones_own_are_asked_for_and_their_figures_shown(entry: Submission, stranger: Client) -> None:
    answer = give(stranger, entry, given=json.dumps(OWN), title="My raters")
    assert [row.subject for row in Job.objects.order_by("pk")] == [str(ListDeviation.objects.get(words=OWN).pk)]
    assert "A worker compares the entries with these lists." in stranger.get(answer.url).content.decode()
    compute(key_of(OWN))
    page = stranger.get(answer.url).content.decode()
    for expected in ("My raters", "3 of 3", "0.87", "1.25", "3.50", "Mean log rank deviation over cues"):
        assert expected in page, expected


def test_a_file_is_taken_as_well(entry: Submission, stranger: Client) -> None:
    file = SimpleUploadedFile("lists.csv", "cue,word\nfreedom,liberty\nfreedom,speech\ntax,money\n".encode("utf-8-sig"))
    assert give(stranger, entry, file=file).status_code == 302
    assert GivenLists.objects.get().words == OWN


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing of a table", "must name the columns cue and word"),
        ('{"freedom": 1}', "is not a list of words"),
        ("cue,word\n" + "law,order\n" * 20_000, "The text is longer than 200,000 characters"),
        (json.dumps({f"cue{n}": ["word"] for n in range(51)}), "the limit is 50"),
    ],
)
def test_text_that_is_not_a_list_is_reported_and_kept_in_the_field(
    entry: Submission, stranger: Client, given: str, said: str
) -> None:
    answer = give(stranger, entry, given=given)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not GivenLists.objects.exists()


def test_an_invalid_word_is_left_out_and_named(entry: Submission, stranger: Client) -> None:
    answer = give(stranger, entry, given="cue;word\nfreedom;liberty\nfreedom;\u3164\nfreedom;speech\ntax;money\n")
    assert GivenLists.objects.get().words == OWN
    assert "Words left out: 1. In line 3, a cue or word is empty" in stranger.get(answer.url).content.decode()


def test_the_same_lists_are_computed_once_for_everybody(entry: Submission, stranger: Client) -> None:
    for title in ("one", "two"):
        give(stranger, entry, given=json.dumps(OWN), title=title)
    assert Job.objects.count() == ListDeviation.objects.count() == 1


@pytest.fixture
def collected(study: Callable[..., Study]) -> Study:
    """A closed study with one rater's ten words for each of two cues."""
    row = study(Kind.FREE_ASSOCIATIONS, cues=["tax", "law"])
    write_all(sessions.begin(row), [f"w{n}" for n in range(10)])
    Study.objects.filter(pk=row.pk).update(state=StudyState.CLOSED, title="Taxes and laws")
    return row


def test_lists_that_were_collected_here_are_offered_and_compared(
    entry: Submission, collected: Study, stranger: Client
) -> None:
    page = stranger.get(f"/compare/people?e={entry.pk}").content.decode()
    assert f'<option value="study-{collected.pk}">Taxes and laws (en)</option>' in page
    answer = give(stranger, entry, lists=f"study-{collected.pk}")
    words = [f"w{n}" for n in range(10)]
    assert ListDeviation.objects.get(pk=Job.objects.get().subject).words == {"tax": words, "law": words}
    page = stranger.get(answer.url).content.decode()
    assert f"/people/{collected.pk}/results" in page


def test_lists_without_words_or_in_another_language_say_so_before_they_are_chosen(
    entry: Submission, collected: Study, study: Callable[..., Study], stranger: Client
) -> None:
    Study.objects.filter(pk=collected.pk).update(language="de")
    unasked = study(Kind.FREE_ASSOCIATIONS, state=StudyState.CLOSED, title="Nobody")
    offered = {one.id: one for one in stranger.get(f"/compare/people?e={entry.pk}").context["offered"]}
    assert offered[f"study-{collected.pk}"].note == "in German; the entries are in English"
    assert not offered[f"study-{collected.pk}"].is_empty
    assert (offered[f"study-{unasked.pk}"].note, offered[f"study-{unasked.pk}"].is_empty) == ("no lists yet", True)


def test_lists_that_are_not_published_are_for_their_owner_only(
    entry: Submission,
    collected: Study,
    stranger: Client,
    owner: Callable[[Study], Client],
) -> None:
    Study.objects.filter(pk=collected.pk).update(state=StudyState.OPEN)
    assert give(stranger, entry, lists=f"study-{collected.pk}").status_code == 400
    assert give(owner(collected), entry, lists=f"study-{collected.pk}").status_code == 302


def test_no_words_of_raters_stay_with_the_results(entry: Submission, collected: Study, stranger: Client) -> None:
    answer = give(stranger, entry, lists=f"study-{collected.pk}")
    compute(ListDeviation.objects.get().lists_key)
    assert stranger.get(answer.url).status_code == 200
    assert not GivenLists.objects.exists()
    assert ListDeviation.objects.get().words is None


def test_the_authors_lists_are_compared_where_they_are(entry: Submission, stranger: Client) -> None:
    page = stranger.get(f"/compare/people?e={entry.pk}").content.decode()
    if 'value="authors"' not in page:
        pytest.skip("the data set political-neighbours is not on this machine")
    assert give(stranger, entry, lists="authors").status_code == 302
    assert "freedom" in ListDeviation.objects.get(pk=Job.objects.get().subject).words


def test_given_lists_that_nobody_requests_are_deleted(entry: Submission, stranger: Client) -> None:
    give(stranger, entry, given=json.dumps(OWN))
    GivenLists.objects.update(looked_at=timezone.now() - KEPT - timedelta(days=1))
    give(stranger, entry, given='{"law": ["order"]}')
    assert GivenLists.objects.get().words == {"law": ["order"]}
    gone = stranger.get(f"/compare/people?e={entry.pk}&lists={key_of(OWN)}").content.decode()
    assert "These lists do not exist or have expired" in gone
