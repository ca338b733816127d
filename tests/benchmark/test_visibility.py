"""Who sees what: one rule, one serialiser, and a search for secrets in every response of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from benchmark.accounts.jobs import tell_owner
from benchmark.submissions.models import StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, person
from tests.benchmark.reports import report_of

WRITTEN = {
    "name": "Zanzibar embeddings",
    "description": "Quetzal described this.",
    "licence": "Licence Xylophone",
    "corpus": "Corpus of Yggdrasil",
    "algorithm": "Algorithm Umlauf",
    "technical_notes": "Notes by Wombat",
    "original_name": "narwhal.txt.gz",
}
SECRETS = ("zanzibar", "quetzal", "xylophone", "yggdrasil", "umlauf", "wombat", "narwhal", "adalovelace")


@pytest.fixture
def under_review(submission: Make) -> Submission:
    """An entry anonymous for review, with two versions of its report, and a public one."""
    owner = person("adalovelace")
    row = submission(State.DONE, owner=owner, visibility="anonymous", offers_download=True, **WRITTEN)
    body = report_of(0.2).to_json().replace('"small"', '"Zanzibar embeddings"')
    StoredReport.objects.create(submission=row, body=body)
    SubmissionCell.objects.create(
        submission=row, task="pos", mode="fixed", task_hash="t", vectors_sha256="v", position=0, state="failed",
        reason="No memory.",
    )  # fmt: skip
    submission(State.DONE, name="the public one")
    return row


def addresses(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    """The pattern of every URL of the site."""
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry, path)
        elif isinstance(entry, URLPattern):
            yield path


def concrete(pattern: str, entry: Submission) -> Iterator[str]:
    """URLs that may concern this entry: every parameter that takes an id gets its id."""
    import re

    path = re.sub(r"\^|\$|\\Z", "", pattern)
    path = re.sub(r"\(\?P<version>[^)]*\)|<int:version>|<str:version>", "1", path)
    path = re.sub(r"<int:[^>]*>", "1", path)
    path = re.sub(r"\(\?P<action>[^)]*\)", "retry", path)
    path = re.sub(r"\(\?P<[^>]*>[^)]*\)|<[^>]*>", entry.pk, path)
    yield "/" + path.replace("\\.", ".").replace("\\", "")


def everything(client: Client, entry: Submission) -> dict[str, bytes]:
    """The response of every URL of the site to a GET, if there is one, formats and searches included."""
    client.raise_request_exception = False
    extra = [
        "/?q=Zanzibar", "/?owner=adalovelace", "/?corpus=Yggdrasil", "/?algorithm=Umlauf",
        f"/compare?entries={entry.pk}", f"/compare?e={entry.pk}", "/api/v1/leaderboard",
        "/api/v1/leaderboard?q=Zanzibar", f"/api/v1/submissions/{entry.pk}/report?version=2",
        *(f"/board.{form}" for form in ("csv", "json", "tex", "svg", "html")), f"/r/{entry.pk}/v2",
    ]  # fmt: skip
    paths = {path for pattern in addresses(get_resolver()) for path in concrete(pattern, entry)} | set(extra)
    answers = {}
    for path in sorted(paths):
        response = client.get(path)
        if response.status_code < 400 and not path.startswith("/operator"):
            content = b"".join(response.streaming_content) if response.streaming else response.content
            answers[path] = content + repr(dict(response.headers)).encode()
    return answers


def test_no_output_reveals_whose_entry_is_under_review(under_review: Submission, stranger: Client) -> None:
    answers = everything(stranger, under_review)
    about_it = [path for path, content in answers.items() if under_review.pk.encode() in content]
    assert {f"/r/{under_review.pk}", f"/r/{under_review.pk}/v1", f"/s/{under_review.pk}", "/"} <= set(about_it)
    assert f"/api/v1/submissions/{under_review.pk}/report" in about_it
    for path, content in answers.items():
        asked = {word for word in SECRETS if word in path.lower()}  # a search shows its own text
        leaked = [word for word in SECRETS if word in content.decode(errors="replace").lower() and word not in asked]
        assert not leaked, f"{path} tells {leaked}"


def test_a_search_for_the_hidden_words_finds_nothing(under_review: Submission, stranger: Client) -> None:
    for query in (
        "q=Zanzibar",
        "q=Quetzal",
        "q=Yggdrasil",
        "owner=adalovelace",
        "corpus=Yggdrasil",
        "algorithm=Umlauf",
    ):
        page = stranger.get(f"/?{query}").content.decode()
        assert under_review.pk not in page, query


def test_the_owner_sees_the_page_as_reviewers_do_and_the_name_in_ones_own_list(under_review: Submission) -> None:
    client = browser_of(under_review.owner)
    assert "Zanzibar" not in client.get(f"/r/{under_review.pk}").content.decode()
    assert "Zanzibar" in client.get("/mine").content.decode()
    assert "Zanzibar" in client.get(f"/s/{under_review.pk}").content.decode()


def test_the_mail_about_an_entry_under_review_reveals_no_name(under_review: Submission) -> None:
    assert tell_owner(under_review.pk)
    message = mail.outbox[0]
    assert "zanzibar" not in (message.subject + message.body).lower()


def test_the_file_of_an_entry_under_review_is_not_offered(under_review: Submission, stranger: Client) -> None:
    assert stranger.get(f"/s/{under_review.pk}/vectors").status_code == 404


@pytest.mark.parametrize(
    ("columns", "listed"),
    [
        ({"visibility": "public"}, True),
        ({"visibility": "anonymous"}, True),
        ({"visibility": "unlisted"}, False),
        ({"visibility": "private"}, False),
        ({"hidden_reason": "spam"}, False),
    ],
)
def test_lists_show_public_entries_and_those_under_review(
    submission: Make, stranger: Client, columns: dict[str, Any], listed: bool
) -> None:
    from benchmark.submissions import steering

    row = submission(State.DONE, **columns)
    if "hidden_reason" in columns:
        steering.hide(row, "spam")
    assert Submission.objects.listed().filter(pk=row.pk).exists() is listed
    assert (row.pk in stranger.get("/").content.decode()) is listed
    assert (row.pk in stranger.get("/api/v1/leaderboard").content.decode()) is listed


def test_visible_to_agrees_with_the_pages(submission: Make) -> None:
    ada, eve = person("ada"), person("eve")
    rows = {v: submission(State.DONE, owner=ada, visibility=v) for v in ("public", "unlisted", "private", "anonymous")}
    assert Submission.objects.visible_to(ada).count() == 4
    assert rows["private"] not in Submission.objects.visible_to(eve)
    assert rows["private"] not in Submission.objects.visible_to()
    assert Submission.objects.visible_to(eve).count() == 3


def test_a_hidden_entry_shows_its_owner_the_reason(submission: Make, stranger: Client) -> None:
    from benchmark.submissions import steering

    row = submission(State.DONE, owner=person("ada"))
    steering.hide(row, "The file is somebody else's.")
    assert stranger.get(f"/s/{row.pk}").status_code == 404
    assert "The file is somebody else&#x27;s." in browser_of(row.owner).get(f"/s/{row.pk}").content.decode()


def test_the_number_of_an_owners_runs_counts_measured_entries_of_the_suite(submission: Make) -> None:
    ada = person("ada")
    for state in (State.DONE, State.DONE, State.FAILED):
        submission(state, owner=ada)
    submission(State.DONE)
    counts = [row.facts.owner_runs for row in Submission.objects.on_board("demo").with_owner_runs()]
    assert sorted(counts, key=str) == [2, 2, None]
