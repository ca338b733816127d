"""A rendered board is cached until something on it changes, and no longer."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import timezone

from benchmark import storage
from benchmark.leaderboard import jobs, page_cache
from benchmark.operations.models import Job, WorkerBeat
from benchmark.operations.retention import erase
from benchmark.responses import Seen, SeenPage
from benchmark.shipped.dump import dump_path
from benchmark.shipped.recipes import ShippedVectors, list_path, write_list
from benchmark.submissions import steering
from benchmark.submissions.models import Measurement, StoredReport, Submission
from benchmark.submissions.states import Actor, State
from tasks.prepared import META_FILE, store
from tasks.vectors import Embedding
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, person
from tests.benchmark.reports import SUITE, report_of

Change = Callable[[Submission], object]
CHANGES: dict[str, Change] = {
    "another report lands": lambda row: StoredReport.objects.create(submission=row, body=report_of(0.3).to_json()),
    "it is hidden": lambda row: steering.hide(row, "spam"),
    "it is withdrawn": steering.withdraw,
    "it is renamed": lambda row: Submission.objects.filter(pk=row.pk).update(name="renamed"),
    "it becomes private": lambda row: Submission.objects.filter(pk=row.pk).update(visibility="private"),
    "it is not to be ranked": lambda row: Submission.objects.filter(pk=row.pk).update(ranked=False),
    "it is measured again": lambda row: steering.measure_again(row, Actor.OPERATOR),
    "it is erased": lambda row: erase(row, Actor.OPERATOR),
    "its owner is renamed": lambda row: _rename(row.owner),
    "its owner leaves": lambda row: row.owner.delete(),
    "ranks are computed": lambda row: jobs.compute(SUITE.id, SUITE.version),
    "another entry is saved": lambda row: Submission.objects.create(name="other", suite=SUITE.id),
}


def _rename(user: Any) -> None:
    user.username = "lovelace"
    user.save()


@pytest.fixture
def entry(submission: Make) -> Submission:
    owner = get_user_model().objects.create_user("ada", "ada@example.org", "a long password 1")
    return submission(name="before", owner=owner)


@pytest.mark.parametrize("what", CHANGES)
def test_a_cached_page_is_not_shown_again_when(entry: Submission, what: str) -> None:
    before = page_cache.mark()
    CHANGES[what](entry)
    assert page_cache.mark() != before


def test_the_board_is_rendered_again_after_a_change(entry: Submission, stranger: Client) -> None:
    first = stranger.get("/")
    CHANGES["it is renamed"](entry)
    second = stranger.get("/")
    assert ">renamed<" in second.content.decode()
    assert second["ETag"] != first["ETag"]


@pytest.mark.usefixtures("entry")
def test_the_board_is_rendered_again_when_a_worker_is_first_seen(stranger: Client) -> None:
    first = stranger.get("/")
    WorkerBeat.objects.record("new")
    assert stranger.get("/")["ETag"] != first["ETag"]


@pytest.mark.usefixtures("entry")
def test_a_visitor_who_has_the_page_does_not_fetch_it_again_because_of_something_else(stranger: Client) -> None:
    has = {"If-None-Match": stranger.get("/")["ETag"]}
    page_cache.forget()
    assert stranger.get("/", headers=has).status_code == 304


@pytest.mark.usefixtures("entry")
def test_a_board_that_did_not_change_asks_only_for_open_work_and_workers(
    stranger: Client, django_assert_num_queries: Any
) -> None:
    stranger.get("/?sort=fixed")
    with django_assert_num_queries(3):
        assert ">before</a>" in stranger.get("/?sort=fixed").content.decode()


def test_the_correlations_of_a_board_are_kept_like_it(
    entry: Submission, stranger: Client, django_assert_num_queries: Any
) -> None:
    first = stranger.get("/practice")
    with django_assert_num_queries(0):
        assert stranger.get("/practice")["ETag"] == first["ETag"]
    assert stranger.get("/practice?dimensions=10")["ETag"] != first["ETag"]
    steering.withdraw(entry)
    assert stranger.get("/practice")["ETag"] != first["ETag"]


def test_progress_and_heartbeats_leave_the_board_cached(entry: Submission) -> None:
    WorkerBeat.objects.record("one")
    before = page_cache.mark()
    Submission.objects.filter(pk=entry.pk).update(check_tries=2, error=None)
    WorkerBeat.objects.record("one")
    entry.owner.last_login = timezone.now()
    entry.owner.save(update_fields=["last_login"])
    assert page_cache.mark() == before


@pytest.mark.usefixtures("entry")
def test_visitors_with_accounts_see_the_same_page_which_differs_from_a_strangers_in_the_menu_only(
    stranger: Client,
) -> None:
    pages = [client.get("/").content.decode() for client in (browser_of(person("grace")), browser_of(person("alan")))]
    assert pages[0] == pages[1]
    rest = [page.partition("</header>")[2] for page in (pages[0], stranger.get("/").content.decode())]
    assert rest[0] == rest[1] != ""
    assert "Cookie" in stranger.get("/")["Vary"]


@pytest.mark.usefixtures("entry")
def test_every_view_has_a_page_of_its_own(stranger: Client) -> None:
    addresses = ("/", "/?sort=-overall", "/?c=overall", "/?view=heat", "/?q=before", "/?suite=open-2026")
    assert len({stranger.get(address)["ETag"] for address in addresses}) == len(addresses)
    assert stranger.get("/", headers={"Host": "localhost"})["ETag"] != stranger.get("/")["ETag"]


@pytest.mark.usefixtures("entry")
def test_a_browser_that_has_the_page_gets_only_a_status_line(stranger: Client) -> None:
    first = stranger.get("/")
    again = stranger.get("/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "no-cache" in again["Cache-Control"]


@pytest.mark.usefixtures("entry")
def test_a_client_without_gzip_gets_the_page_uncompressed(stranger: Client) -> None:
    packed, plain = stranger.get("/", headers={"Accept-Encoding": "gzip"}), stranger.get("/")
    assert gzip.decompress(packed.content) == plain.content
    assert packed["ETag"] != plain["ETag"]
    assert "Accept-Encoding" in plain["Vary"]


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_kept_page_is_not_searched_again_for_hidden_characters(stranger: Client, encoding: str) -> None:
    assert isinstance(stranger.get("/", headers={"Accept-Encoding": encoding}), SeenPage)
    kept, new = SeenPage("a\u202eb"), HttpResponse("a\u202eb")
    found = [Seen(lambda _, page=page: page)(HttpRequest()).content.decode() for page in (kept, new)]
    assert found == ["a\u202eb", r"a\u202eb"]


def test_an_unknown_version_is_not_cached(submission: Make, stranger: Client) -> None:
    assert stranger.get("/?version=99").status_code == 404
    submission(State.DONE)
    jobs.compute(SUITE.id, 99)
    assert stranger.get("/?version=99").status_code == 200


def test_a_page_has_the_same_etag_in_every_process(stranger: Client, submission: Make, monkeypatch: Any) -> None:
    """Otherwise no process would recognise another's ETag."""
    submission()
    answer, named = page_cache.answer, []

    def seen(request: Any, render: Any, *parts: Any) -> Any:
        named.append(repr(parts))
        return answer(request, render, *parts)

    monkeypatch.setattr(page_cache, "answer", seen)
    assert stranger.get("/").status_code == 200
    assert named
    assert " at 0x" not in named[0]
    assert len(named[0]) < 2_000


@pytest.fixture
def report(entry: Submission) -> str:
    return f"/r/{entry.pk}"


def test_an_open_report_is_kept_like_the_board(entry: Submission, report: str, stranger: Client) -> None:
    first = stranger.get(report, headers={"Accept-Encoding": "gzip"})
    assert first["Content-Encoding"] == "gzip"
    Submission.objects.filter(pk=entry.pk).update(name="renamed")
    assert "renamed" in stranger.get(report).content.decode()


def test_a_cached_report_is_not_rendered_again(report: str, stranger: Client) -> None:
    first = stranger.get(report)
    Measurement.objects.update(result={})  # rendering would fail
    assert stranger.get(report).content == first.content


def test_a_kept_report_is_shown_to_nobody_once_it_is_private(entry: Submission, report: str, stranger: Client) -> None:
    assert stranger.get(report).status_code == 200
    Submission.objects.filter(pk=entry.pk).update(visibility="private")
    assert stranger.get(report).status_code == 404


def test_a_private_report_is_never_cached(submission: Make, owner: Callable[[Submission], Client]) -> None:
    row = submission(visibility="private")
    answer = owner(row).get(f"/r/{row.pk}", headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert "Content-Encoding" not in answer


def test_the_page_of_nearest_words_says_how_far_the_rebuilding_of_vectors_is(
    entry: Submission, stranger: Client, settings: Any, tmp_path: Path
) -> None:
    settings.SHIPPED_ROOT = tmp_path
    write_list(list_path(dump_path(SUITE, tmp_path)), {"ab" * 32: ShippedVectors("skip-gram-w5-d50")})
    Submission.objects.filter(pk=entry.pk).update(file_key="", vectors_sha256="ab" * 32)
    Job.objects.create(kind="rebuild_vectors", subject=entry.pk, level=0, heartbeat_at=timezone.now())
    for share in (0.34, 0.35):
        Job.objects.update(share=share)
        assert f"rebuilding them ({share:.0%})" in stranger.get(f"/entries/{entry.pk}/neighbours").content.decode()


def test_a_report_offers_the_look_up_while_its_vectors_are_laid_out_here(
    entry: Submission, report: str, stranger: Client
) -> None:
    words = [f"w{nth}" for nth in range(20)]
    laid_out = store(Embedding("e", words, np.eye(20, 4, dtype=np.float32), ""), storage.prepared_root())
    Submission.objects.filter(pk=entry.pk).update(file_key="", vectors_sha256=laid_out.name)
    assert "look-up-word" in stranger.get(report).content.decode()
    (laid_out / META_FILE).unlink()
    assert "look-up-word" not in stranger.get(report).content.decode()
