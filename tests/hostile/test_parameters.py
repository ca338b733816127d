"""Meaningless values never count as other values, in every parameter of every URL."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from benchmark import inputs
from benchmark.api.schema import BOARD_PARAMETERS
from extensions.people.tests.conftest import study
from tests.benchmark.conftest import Make, own_files, submission
from tests.hostile.everywhere import made
from tests.test_architecture import modules

__all__ = ["own_files", "study", "submission"]
pytestmark = pytest.mark.django_db

INVENTED = "invented-value"
BOARD = (
    "after",
    "version",
    "sort",
    "c",
    "track",
    "task-data",
    "vocabulary",
    "dim-min",
    "dim-max",
    "view",
    "task",
    "rows",
    "language",
)
PAGES: dict[str, tuple[str, ...]] = {
    "/": BOARD,
    "/embed": BOARD,
    "/find": ("for", "mode", "megabytes", "licensed"),
    "/practice": ("version", "dimensions", "floors", "y"),
    "/compare": ("language",),
    "/compare/differ": ("language", "cell"),
    "/compare/translate": ("key",),
    "/people/new": ("language",),
    "/mine": ("page",),
}
"""They say what they ignored. A permanent link's ``as-of`` has its own tests."""
FOR_PROGRAMS = ("/api/v1/leaderboard", "/board.csv", "/board.json", "/board.tex", "/board.svg", "/board.png")
"""They refuse, since nobody reads a notice there."""
TEXTS = {"suite", "q", "corpus", "algorithm", "owner", "as-of"}
"""Free texts, which may be anything, and names that are answered with 404."""
ELSEWHERE = {
    "benchmark/api/api.py": "BoardQuery.parse",
    "extensions/associations/api.py": "lists of words, refused with a sentence",
    "extensions/associations/views.py": "lists of words, refused with a sentence at the field",
    "extensions/find/views.py": "Need.parse",
    "benchmark/compare/entries.py": "ids of entries: pages say which are not shown; ?q= is text",
    "extensions/practice/views.py": "BoardQuery.parse; the rest as the page's name in the cache",
    "extensions/pairs/rankings.py": "cues, refused with a sentence at the field",
    "extensions/pairs/views.py": "sets of cues, refused with a sentence",
    "benchmark/inputs.py": "names that a view doesn't have",
    "benchmark/operations/gate.py": "characters and names that no parameter may have",
    "extensions/explore/views.py": "?word= is text",
    "benchmark/leaderboard/views.py": "BoardQuery.parse",
    "extensions/people/list_comparison.py": "lists by id, refused with a sentence",
    "extensions/people/sessions.py": "ids of participants, which may be anything",
    "extensions/texts/pages.py": "ids of entries and of an own report, and marks without a value",
    "benchmark/submissions/submit_views.py": "places in a file, refused with a sentence",
    "benchmark/submissions/views.py": "an entry's id, and marks without a value",
}
"""Where an address is read without naming a parameter to :class:`benchmark.inputs.Parameters`, and why."""


@pytest.mark.parametrize("path", FOR_PROGRAMS)
def test_an_answer_for_programs_is_refused_with_the_allowed_values(submission: Make, path: str) -> None:
    submission()
    for name in set(BOARD) - ({"view", "task", "rows"} if path.startswith("/api/") else set()):
        answer = Client().get(path, {name: INVENTED})
        assert answer.status_code == 400, name
        assert f"{name}={INVENTED}" in answer.content.decode()


@pytest.mark.parametrize("path", FOR_PROGRAMS)
def test_a_name_or_a_version_that_does_not_exist_is_no_default(submission: Make, path: str) -> None:
    submission()
    queries = ("trak=other", "version=99", "suite=none")
    assert [Client().get(f"{path}?{query}").status_code for query in queries] == [400, 404, 404]


def test_every_parameter_of_the_api_is_walked() -> None:
    declared: Any = BOARD_PARAMETERS["parameters"]
    assert {one["name"] for one in declared} - TEXTS <= set(BOARD)


@pytest.fixture
def entries(submission: Make) -> str:
    """Two entries, for comparing pages."""
    return "&".join(f"e={submission(name=name, vectors_sha256=name * 64).pk}" for name in "ab")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_what_it_ignored(path: str, entries: str) -> None:
    client = Client()
    client.force_login(get_user_model().objects.create_user("ada"))
    plain = {chosen: client.get(f"{path}?{chosen}") for chosen in ("", entries)}
    assert [answer.status_code for answer in plain.values()] == [200, 200]
    for name in PAGES[path]:
        chosen = "" if name == "language" else entries
        answer = client.get(f"{path}?{chosen}&{name}={INVENTED}")
        assert answer.status_code == 200, name
        sentence = f"“{name}={INVENTED}” is not valid here:"
        assert sentence in answer.content.decode()
        assert sentence not in plain[chosen].content.decode()


SILENT = (
    "/rate/",
    "/s/",
    "/data-arrival",
    "/operator/",
    "/account/",
    "/api/v1/suffices/",
    "/api/v1/own/",
    "/api/v1/front/",
    "/api/v1/claim/",
)
"""Raters come from platforms that add parameters of their own; fragments and owners' links; other packages. Reports on
texts, of which this site has none: extensions/sufficiency/tests/test_asking.py.
"""


def test_no_page_and_no_file_ignores_a_name_in_silence(submission: Make, study: Any) -> None:
    """Pages show a notice; all else is refused, except redirects and pages that need other parameters."""
    site = made(submission, study)
    silent = {}
    for address in site.addresses():
        answer = site.owner.get(address, {"invented-name": "1"})
        is_said = "“invented-name” is not a parameter here" in json_or_text(answer)
        if answer.status_code == 200 or (address.startswith("/api/v1") and answer.status_code != 405):
            silent[address] = not is_said
    assert [address for address, is_silent in silent.items() if is_silent and not address.startswith(SILENT)] == []
    assert len(silent) > 30


def json_or_text(answer: Any) -> str:
    if answer.streaming:
        return ""
    is_json = answer.get("Content-Type", "").startswith("application/json")
    return str(answer.json()) if is_json else answer.content.decode("utf-8", "replace")


def test_addresses_are_read_in_one_way() -> None:
    """Code that parses a URL in its own way is listed above, with the reason for its safety."""
    root = Path(inputs.__file__).parents[1]
    found = {
        file.relative_to(root).as_posix()
        for room in ("benchmark", "extensions")
        for file in modules(room)
        if re.search(r"(?<!Parameters\()request\.GET\b", file.read_text(encoding="utf-8"))
    }
    assert found == set(ELSEWHERE)
