"""Access to every address of the site, as owner, other user, stranger and operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from extensions.differ.tests.test_differ_page import keep
from tasks.results import Outcomes
from tests.benchmark.conftest import Make, own_files, submission
from tests.benchmark.reports import TOKEN

__all__ = ["own_files", "submission"]
pytestmark = pytest.mark.django_db
People = dict[str, Client]

READS = {
    "s/<slug:submission_id>",
    "s/<slug:submission_id>/progress",
    "r/<slug:submission_id>",
    "r/<slug:submission_id>/v<int:version>",
    "r/<slug:submission_id>/bundle.zip",
    "r/<slug:submission_id>/v<int:version>/table.<slug:extension>",
    "r/<slug:submission_id>/v<int:version>/charts/<slug:name>.<slug:kind>",
    r"^r/(?P<submission_id>[-\w]+)/outcomes/(?P<task>[\w-]+)\.(?P<mode>fixed|fine-tuned)\.(?P<extension>csv|npz)$",
    r"^r/(?P<submission_id>[-\w]+)/outcomes/(?P<task>[\w-]+)\.(?P<extension>csv|npz)$",
    "badge/<slug:submission_id>.svg",
    "api/v1/submissions/<submission_id>",
    "api/v1/submissions/<submission_id>/report",
    "api/v1/submissions/<submission_id>/export",
    "api/v1/submissions/<submission_id>/outcomes",
    "api/v1/submissions/<submission_id>/bundle",
    "api/v1/entries/<submission_id>/neighbours",
}
"""Open to all who may see the entry."""
OWNERS = {
    "s/<slug:submission_id>/edit",
    "s/<slug:submission_id>/delete",
    "s/<slug:submission_id>/deleted",
    "s/<slug:submission_id>/upload",
    "s/<slug:submission_id>/upload/finish",
    "^s/(?P<submission_id>[a-z0-9]+)/(?P<action>retry|cancel|withdraw|undo|rank|rank-all|adopt|language)$",
    "api/v1/submissions/<submission_id>/retry",
    "api/v1/submissions/<submission_id>/cancel",
    "api/v1/submissions/<submission_id>/language",
    "api/v1/submissions/<submission_id>/withdraw",
    "api/v1/uploads/<upload_id>",
    "api/v1/uploads/<upload_id>/finish",
}
"""The owner's alone."""
BY_SECRET = {"s/<slug:submission_id>/owner/<str:token>", "s/<slug:submission_id>/vectors"}
"""By a secret in the address, or when the owner offers it; tested beside the pages themselves."""
FOR_ALL = {
    *("", r"^board\.(?P<extension>csv|json|md|tex)$", "embed", "compare/correlate", "practice"),
    *(
        "submit",
        "submit/begin",
        "submit/languages.json",
        "corpus",
        "corpus/<slug:suite_id>",
        "corpus/<slug:suite_id>.txt.gz",
    ),
    *("board.svg", "board.pdf", "board.png", "board/freeze"),
    *("suites/<slug:suite_id>", "signing-key.pem", "readyz", "metrics", "data-arrival", "find", "choose", "cost"),
    *("study", "words"),
    *("find/suffices", "api/v1/suffices", "find/own", "api/v1/own", "find/front", "api/v1/front"),
    *("find/claim", "api/v1/claim", r"^claim(?P<rest>(?:/.*)?)$"),
    *(r"^suffices(?P<rest>(?:/.*)?)$", r"^own(?P<rest>(?:/.*)?)$", r"^front(?P<rest>(?:/.*)?)$"),
    *("api", "api/v1/", "api/v1/openapi.json", "api/v1/reference"),
    *("api/v1/leaderboard", "api/v1/submissions", "api/v1/uploads"),
}
BY_QUERY = {
    *("compare", "compare/heat", "compare/pair", "compare/people", "compare/translate"),
    *("compare/differ", "compare/differ.csv", "compare/differ.json"),
    *("compare/scores.<slug:extension>", "compare/words.<slug:extension>"),
    *("api/v1/compare", "api/v1/associations"),
    *("associations", "associations/axes", "associations.csv"),
}
"""Pages about the entries that their query names."""
BY_FORM = {"associations/prepare"}
"""The same, with a form."""
ACCOUNTS = {"mine", "account/", "account/mail", "account/delete", "account/tokens", "api/v1/me"}
"""Of the account that is signed in."""
STUDIES = ("people/", "^people/", "rate/")
"""Walked in test_access_to_studies.py."""
TEXTS = tuple(f"{place}/{name}/" for place in ("^find", "api/v1") for name in ("suffices", "own", "front", "claim"))
"""Reports, walked in test_asking.py, test_own_pages.py, test_front_pages.py and test_claim_pages.py of extensions."""
ELSEWHERE = (*STUDIES, *TEXTS, "account/", "operator/", "entries/")
"""The parts of allauth have their own tests; the operator's pages are walked below."""


def patterns(resolver: Any = None, before: str = "") -> Iterator[str]:
    for part in (resolver or get_resolver()).url_patterns:
        address = before + str(part.pattern)
        if isinstance(part, URLResolver):
            yield from patterns(part, address)
        elif isinstance(part, URLPattern):
            yield address


@pytest.fixture
def people(db: None) -> People:
    """Browsers of these people, signed in or not."""
    users = get_user_model().objects
    known = {name: users.create_user(name, f"{name}@example.org") for name in ("owner", "other", "operator")}
    users.filter(username="operator").update(is_staff=True, is_superuser=True)
    clients = {name: Client() for name in (*known, "stranger", "wrong secret")}
    for name, user in known.items():
        clients[name].force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return clients


def entry(submission: Make, people: People, **columns: Any) -> Submission:
    owner = get_user_model().objects.get(username="owner")
    row = submission(State.DONE, owner=owner, **columns)
    people["wrong secret"].cookies[row.cookie_name(row.pk)] = "x" * len(TOKEN)
    secret = Client()
    secret.cookies[row.cookie_name(row.pk)] = TOKEN
    people["owner's secret"] = secret
    return row


def address(pattern: str, row: Submission) -> list[str]:
    """URLs of an entry under a pattern, one for each action."""
    actions = re.search(r"\(\?P<action>([^)]*)\)", pattern)
    if "outcomes" in pattern:
        return [f"/r/{row.pk}/outcomes/{'pos.fixed' if 'mode' in pattern else 'sim-ws-353-all'}.csv"]
    if actions:
        return [f"/s/{row.pk}/{action}" for action in actions[1].split("|")]
    filled = re.sub(r"<(slug:)?(submission_id|upload_id)>", row.pk, pattern)
    filled += "?words=king" if filled.endswith(f"{row.pk}/neighbours") else ""
    filled = filled.replace("<int:version>", "1").replace("<slug:name>.<slug:kind>", "tasks.svg")
    return ["/" + filled.replace("<slug:extension>", "csv")]


def test_every_address_has_a_decision_about_who_may_open_it() -> None:
    decided = READS | OWNERS | BY_SECRET | BY_QUERY | BY_FORM | FOR_ALL | ACCOUNTS
    found = {pattern for pattern in patterns() if not pattern.startswith(ELSEWHERE) or pattern in decided}
    assert found - decided == set()
    assert decided - found == set()


def test_a_private_entry_is_there_for_its_owner_and_operators_only(submission: Make, people: People) -> None:
    row = entry(submission, people, visibility="private")
    for pattern, (name, client) in product(sorted(READS), people.items()):
        by_api = pattern.startswith("api/")
        sent = {"Authorization": f"Bearer {TOKEN}"} if by_api and name == "owner's secret" else {}
        # The API trusts only the Authorization header: another site's page can make browsers send a cookie.
        allowed = name == "owner's secret" or (name in ("owner", "operator") and not by_api)
        for path in address(pattern, row):
            status = client.get(path, headers=sent).status_code
            if any(part in pattern for part in ("outcomes", "badge", "card", "bundle")):
                assert allowed or status == 404, (name, path, status)
            else:
                assert (status != 404) == allowed, (name, path, status)


def test_a_query_that_names_a_private_entry_shows_it_to_nobody_else(submission: Make, people: People) -> None:
    private, public, other = entry(submission, people, visibility="private"), submission(), submission()
    for row in (private, public, other):
        row.vectors_sha256 = row.pk
        keep(row, Outcomes.of(correct=[1, 0], total=[1, 1]))

    def status(name: str, pattern: str, *entries: Submission) -> int:
        lists = {"test": "parties-morality"} if "associations" in pattern and "axes" not in pattern else {}
        lists |= {"cell": "questions.fixed"} if "differ" in pattern else {}
        send = people[name].post if pattern in BY_FORM else people[name].get
        return send(
            f"/{pattern.replace('<slug:extension>', 'csv')}", lists | {"e": [entry.pk for entry in entries]}
        ).status_code

    for pattern in sorted(BY_QUERY | BY_FORM):
        for name in ("other", "stranger", "wrong secret"):
            assert status(name, pattern, public, private) == 404, (name, pattern)
        assert status("stranger", pattern, public, other) in ((302,) if pattern in BY_FORM else (200, 202)), pattern


@pytest.mark.parametrize("visibility", ["public", "unlisted", "anonymous"])
def test_other_entries_are_open_to_all_who_know_the_address(visibility: str, submission: Make, people: People) -> None:
    row = entry(submission, people, visibility=visibility)
    for name, client in people.items():
        for pattern in sorted(READS):
            if "outcomes" not in pattern:
                for path in address(pattern, row):
                    assert client.get(path).status_code in (200, 202, 302), (name, path)


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_nobody_else_can_change_an_entry(visibility: str, submission: Make, people: People) -> None:
    row = entry(submission, people, visibility=visibility)
    before = Submission.objects.filter(pk=row.pk).values().get()
    given = {"confirm": row.name, "name": "taken over"}
    for path in (path for pattern in sorted(OWNERS) for path in address(pattern, row)):
        for name, method in product(("other", "stranger", "wrong secret"), ("post", "put", "delete")):
            status = getattr(people[name], method)(path, given).status_code
            assert status in (302, 400, 401, 403, 404, 405, 415), (name, method, path, status)
        assert Submission.objects.filter(pk=row.pk).values().get() == before, path


def test_a_get_changes_nothing_even_for_the_owner(submission: Make, people: People) -> None:
    row = entry(submission, people)
    before = Submission.objects.filter(pk=row.pk).values().get()
    for path in (path for pattern in sorted(OWNERS | READS) for path in address(pattern, row)):
        people["owner"].get(path)
        assert Submission.objects.filter(pk=row.pk).values().get() == before, path


def test_account_pages_ask_a_stranger_to_sign_in(people: People) -> None:
    answers = {page: people["stranger"].get(f"/{page}") for page in sorted(ACCOUNTS)}
    assert {page for page, answer in answers.items() if answer.status_code not in (302, 401)} == set()
    led = {page: answer["Location"] for page, answer in answers.items() if answer.status_code == 302}
    assert {page for page, place in led.items() if "/account/login" not in place} == set()


def test_the_operators_pages_are_closed_to_everybody_else(people: People) -> None:
    plain = [pattern for pattern in patterns() if pattern.startswith("operator/") and "<" not in pattern]
    assert len(plain) > 8
    for name in ("other", "stranger"):
        for pattern in plain:
            if "login" in pattern or "jsi18n" in pattern or "^" in pattern:
                continue
            status = people[name].get(f"/{pattern}").status_code
            assert status in (302, 403, 404), (name, pattern, status)


def test_a_form_without_its_csrf_token_is_refused(submission: Make) -> None:
    row = submission(State.RUNNING)
    client = Client(enforce_csrf_checks=True)
    client.cookies[row.cookie_name(row.pk)] = TOKEN
    assert client.post(f"/s/{row.pk}/cancel").status_code == 403
    assert Submission.objects.get(pk=row.pk).state == State.RUNNING
