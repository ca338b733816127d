"""Access to every address of a study, as owner, other user, stranger and operator."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from extensions.people import sessions
from extensions.people.models import Choice, Comparison, Kind, Rater, Source, Study, StudyState
from extensions.people.tests.conftest import TOKEN, Make, finish, study
from tests.hostile.test_access import STUDIES, People, patterns, people

__all__ = ["people", "study"]
pytestmark = pytest.mark.django_db

OWNERS_PAGES = {
    "people/<slug:study_id>/edit",
    "people/<slug:study_id>/answers.csv",
    "people/<slug:study_id>/raters.csv",
    "people/<slug:study_id>/delete",
}
OWNERS_DEEDS = {
    "people/<slug:study_id>/sources",
    "people/<slug:study_id>/sources/make",
    "people/<slug:study_id>/merge",
    "people/<slug:study_id>/read",
    "people/<slug:study_id>/erase",
    r"^people/(?P<study_id>[a-z0-9]+)/(?P<action>open|close)$",
    r"^people/(?P<study_id>[a-z0-9]+)/sources/(?P<source_id>[0-9]{1,18})/(?P<action>remove|baseline)$",
}
PUBLISHED = {"people/<slug:study_id>/", "people/<slug:study_id>/results"}
"""The owner's; everybody's once the study is closed and its results are published."""
PUBLISHED_LISTS = {"people/<slug:study_id>/lists.json", "people/<slug:study_id>/lists.csv"}
"""The owner's; everybody's once an association study is closed."""
BY_SECRET = {
    "people/<slug:study_id>/owner/<str:token>",
    *("rate/<slug:link>", "rate/<slug:link>/now", "rate/<slug:link>/answer", "rate/<slug:link>/erase"),
}
"""By a secret in the address; tested beside the pages themselves."""
FOR_ALL = {"people/", "people/new"}
OWNERS = {"owner", "owner's secret"}


def own(study: Make, people: People, **columns: Any) -> Study:
    """A study of the account "owner", and everyone's browsers."""
    row = study(owner=get_user_model().objects.get(username="owner"), **columns)
    for name, secret in (("wrong secret", "x" * len(TOKEN)), ("owner's secret", TOKEN)):
        people[name] = Client()
        people[name].cookies[row.cookie_name(row.pk)] = secret
    return row


def addresses(pattern: str, row: Study) -> list[str]:
    """URLs of a study under a pattern, one for each action."""
    source = row.sources.first()
    plain = re.sub(r"<slug:study_id>|\(\?P<study_id>[^)]*\)", row.pk, pattern).strip("^$")
    plain = re.sub(r"\(\?P<source_id>[^)]*\)", str(source.pk if source else 1), plain)
    actions = re.search(r"\(\?P<action>([^)]*)\)", plain)
    return [f"/{plain.replace(actions[0], action)}" for action in actions[1].split("|")] if actions else [f"/{plain}"]


def everything() -> list[Any]:
    return [list(kind.objects.order_by("pk").values()) for kind in (Study, Source, Comparison, Rater, Choice)]


def test_every_address_of_a_study_has_a_decision_about_who_may_open_it() -> None:
    decided = OWNERS_PAGES | OWNERS_DEEDS | PUBLISHED | PUBLISHED_LISTS | BY_SECRET | FOR_ALL
    assert {pattern for pattern in patterns() if pattern.startswith(STUDIES)} == decided


@pytest.mark.parametrize("kind", Kind)
def test_an_open_study_is_there_for_its_owner_only(kind: Kind, study: Make, people: People) -> None:
    row = own(study, people, kind=kind)
    for pattern, (name, client) in product(sorted(OWNERS_PAGES | PUBLISHED | PUBLISHED_LISTS), people.items()):
        for path in addresses(pattern, row):
            status = client.get(path).status_code
            if pattern in PUBLISHED_LISTS and kind == Kind.TRIADS:
                assert status == 404, (name, path)
            else:
                assert (status != 404) == (name in OWNERS), (name, path, status)


@pytest.mark.parametrize("publishes", [True, False])
@pytest.mark.parametrize("kind", Kind)
def test_what_is_published_of_a_closed_study_is_open_to_all_and_nothing_else(
    kind: Kind, publishes: bool, study: Make, people: People
) -> None:
    row = own(study, people, kind=kind, state=StudyState.CLOSED, publishes_results=publishes)
    lists = kind == Kind.FREE_ASSOCIATIONS
    for name, client in people.items():
        mine = name in OWNERS
        seen = {PUBLISHED_LISTS_PATH: lists, RESULTS_PATH: mine or lists or publishes, ANSWERS_PATH: mine}
        for path, allowed in seen.items():
            status = client.get(f"/people/{row.pk}/{path}").status_code
            assert (status == 200) == allowed, (name, path, status)


PUBLISHED_LISTS_PATH, RESULTS_PATH, ANSWERS_PATH = "lists.csv", "results", "answers.csv"


@pytest.mark.parametrize("state", [StudyState.DRAFT, StudyState.CLOSED])
def test_nobody_else_can_change_a_study(state: StudyState, study: Make, people: People) -> None:
    row = own(study, people, kind=Kind.TRIADS, publishes_results=True)
    rater = finish(sessions.begin(row))
    Study.objects.filter(pk=row.pk).update(state=state)
    before = everything()
    given = {"rater": rater.pk, "title": "taken over", "kind": "list", "lists": "cue,word\na,b", "cue": "cue0"}
    for path in (path for pattern in sorted(OWNERS_PAGES | OWNERS_DEEDS) for path in addresses(pattern, row)):
        for name, method in product(sorted(set(people) - OWNERS), ("post", "put", "delete")):
            status = getattr(people[name], method)(path, given).status_code
            assert status in (404, 405), (name, method, path, status)
        assert everything() == before, path


def test_a_get_changes_nothing_of_a_study_even_for_its_owner(study: Make, people: People) -> None:
    row = own(study, people)
    finish(sessions.begin(row))
    before = everything()
    for path in (p for pattern in sorted(OWNERS_PAGES | OWNERS_DEEDS | PUBLISHED) for p in addresses(pattern, row)):
        people["owner"].get(path)
        assert everything() == before, path


def test_deleting_a_study_takes_the_form_of_this_site(study: Make) -> None:
    row, client = study(), Client(enforce_csrf_checks=True)
    client.cookies[row.cookie_name(row.pk)] = TOKEN
    assert client.post(f"/people/{row.pk}/delete").status_code == 403
    assert Study.objects.filter(pk=row.pk).exists()
