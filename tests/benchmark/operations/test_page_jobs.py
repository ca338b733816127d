"""Requests of pages to workers: each once, within a limit, after people's files. On both databases."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from benchmark.operations import fair_queue
from benchmark.operations.models import Job, Ticket
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from extensions.pairs.models import PairCorrelation
from extensions.people.models import GivenLists, ListDeviation
from extensions.shared.requested import forget_old
from tests.benchmark.conftest import Make

pytestmark = pytest.mark.django_db
Messages = Callable[[], list[tuple[str, str]]]
MOST = 40
ASKED = 30


@pytest.fixture
def entries(submission: Make) -> list[Submission]:
    return [submission(name=f"e{i}", vectors_sha256=f"{i:064x}", file_key=f"uploads/{i}.gz") for i in range(4)]


@pytest.fixture(autouse=True)
def bound(settings: Any) -> None:
    settings.VECBOARD_OPEN_PAGE_JOBS = MOST
    settings.VECBOARD_WRITES_PER_MINUTE = 0


def correlate(client: Client, entries: list[Submission], cues: str, page: str = "compare", **headers: Any) -> Any:
    form = {"page": page, "e": [row.pk for row in entries], "cues": cues}
    return client.post("/compare/correlate", form, headers=headers or None)


def test_a_flood_of_different_requests_leaves_a_bounded_number_of_messages_and_rows(
    entries: list[Submission], stranger: Client, messages: Messages, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answers = [correlate(stranger, entries, f"cue{n}") for n in range(ASKED)]
    assert len(messages()) == Job.objects.count() == PairCorrelation.objects.count() == MOST // 6 * 6
    assert {row.level for row in Job.objects.order_by("pk")} <= {fair_queue.ASKED, fair_queue.LAST}
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) == ASKED - MOST // 6
    assert refused[0]["Retry-After"] == "600"
    assert "Try again when some are done" in refused[0].content.decode()
    assert "Try again in 10 min" in refused[0].content.decode()


def test_a_program_that_asks_for_too_much_is_refused_in_its_own_form(
    entries: list[Submission], stranger: Client
) -> None:
    answers = [correlate(stranger, entries, f"cue{n}", accept="application/json") for n in range(8)]
    assert answers[-1].status_code == 429
    assert list(answers[-1].json()) == ["errors"]  # as for every script on a page
    assert answers[-1]["Retry-After"] == "600"


def test_accounts_and_addresses_have_a_bound_each(entries: list[Submission], stranger: Client) -> None:
    for n in range(8):
        last = correlate(stranger, entries, f"cue{n}")
    assert last.status_code == 429
    member = Client()
    member.force_login(get_user_model().objects.create_user("ada"))
    assert correlate(member, entries, "another").status_code == 302


def test_the_same_request_twice_is_one_row_and_one_message(
    entries: list[Submission], stranger: Client, messages: Messages, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        for page in ("compare", "compare", "pair", "pair"):
            correlate(stranger, entries[:2], "freedom, peace", page)
    sent = messages()
    assert len(sent) == len(set(sent)) == 1 + 4
    assert Job.objects.count() == 5
    assert PairCorrelation.objects.count() == 4


def test_a_small_request_goes_before_the_large_map_of_somebody_else(
    settings: Any, entries: list[Submission], stranger: Client
) -> None:
    for n in range(5):
        correlate(stranger, entries, f"cue{n}")
    assert [row.level for row in Job.objects.order_by("pk")] == [fair_queue.ASKED] * 24 + [fair_queue.LAST] * 6


@pytest.mark.parametrize("page", ["pair", "people", "prepare"])
def test_close_looks_lists_and_vectors_are_within_the_same_bound(
    settings: Any, entries: list[Submission], stranger: Client, page: str
) -> None:
    settings.VECBOARD_OPEN_PAGE_JOBS = most = {"pair": 4}.get(page, 3)  # a close comparison makes four requests at once
    ids = [row.pk for row in entries]
    asks: dict[str, Callable[[int], Any]] = {
        "pair": lambda n: correlate(stranger, list(entries[:2]), f"cue{n}", "pair"),
        "people": lambda n: stranger.post("/compare/people", {"e": ids[:2], "given": f"cue,word\nlaw,word{n}\n"}),
        "prepare": lambda n: stranger.post(f"/entries/{ids[n]}/prepare"),
    }
    answers = [asks[page](n) for n in range(4)]
    assert [answer.status_code for answer in answers][::3] == [302, 429]
    assert Job.objects.count() <= most
    assert ListDeviation.objects.count() <= 2
    assert GivenLists.objects.count() <= 1


@pytest.mark.usefixtures("stopped_clock")
def test_lists_that_a_visitor_gives_are_bounded_by_the_hour(
    monkeypatch: pytest.MonkeyPatch, entries: list[Submission], stranger: Client
) -> None:
    """Two hundred kilobytes each, even if a worker has nothing to do."""
    for n in range(62):
        answer = stranger.post("/compare/people", {"given": f"cue,word\nlaw,word{n}\n"})
    assert answer.status_code == 429
    assert GivenLists.objects.count() == 60


def test_a_newcomer_s_file_has_nobody_ahead(entries: list[Submission], stranger: Client, submission: Make) -> None:
    for n in range(6):
        correlate(stranger, entries, f"cue{n}")
    new = submission(State.QUEUED, queued_at=timezone.now())
    Ticket.objects.filter(submission=new).update(payer="user:7")
    assert fair_queue.take(new) == fair_queue.FIRST < min(Job.objects.values_list("level", flat=True))


def test_no_number_of_files_of_one_person_reaches_the_level_of_pages(submission: Make) -> None:
    for _ in range(12):
        row = submission(State.QUEUED, queued_at=timezone.now())
        Ticket.objects.filter(submission=row).update(payer="user:7")
        assert fair_queue.take(row) < fair_queue.ASKED


def test_comparisons_no_longer_requested_are_deleted(
    settings: Any, entries: list[Submission], stranger: Client
) -> None:
    settings.VECBOARD_KEEP_COMPARISONS_DAYS = 180
    for cues in ("old", "known", "never", "asked"):
        correlate(stranger, entries[:2], cues)
    old, known, never, asked = PairCorrelation.objects.order_by("pk")
    Job.objects.exclude(subject=str(asked.pk)).delete()
    now = timezone.now()
    figures = {"mean": 0.5, "se": 0.1, "n": 1, "common_words": 900, "reason": ""}
    for row, days, value in ((old, 181, figures), (known, 100, figures), (never, 2, None), (asked, 2, None)):
        PairCorrelation.objects.filter(pk=row.pk).update(figures=value, asked_at=now - timedelta(days=days))
    assert forget_old(PairCorrelation, ("correlate", "compare")) == 2
    assert set(PairCorrelation.objects.values_list("pk", flat=True)) == {known.pk, asked.pk}
    correlate(stranger, entries[:2], "known")  # known already, but requested again: it is kept for another half year
    assert forget_old(PairCorrelation, ("correlate", "compare"), now + timedelta(days=120)) == 0


def test_nothing_is_deleted_if_the_setting_is_0(settings: Any, entries: list[Submission], stranger: Client) -> None:
    settings.VECBOARD_KEEP_COMPARISONS_DAYS = 0
    correlate(stranger, entries, "law")
    assert forget_old(PairCorrelation, ("correlate", "compare"), timezone.now() + timedelta(days=9999)) == 0
    assert PairCorrelation.objects.count() == len(list(combinations(entries, 2)))
