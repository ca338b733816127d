"""Nearest words, comparison and association tests as JSON: the figures of the pages, in the promised form."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from benchmark.api.api import api
from benchmark.operations.counting import count
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.associations import lists
from extensions.associations.answers import OF_ALL
from extensions.associations.tests.test_associations_page import LISTS
from extensions.associations.tests.test_associations_page import entry as entry_with_lists
from extensions.explore.api import MOST_WORDS
from extensions.explore.tests.test_explore import WORDS, entry
from extensions.pairs.tests.test_heat_map import known
from tasks.answers import AssociationsAnswer, ComparisonAnswer, NeighboursAnswer
from tasks.results import adapter, typed
from tests.benchmark.compare.test_compare import difference_of, two
from tests.benchmark.conftest import Make
from tests.benchmark.reports import TOKEN

__all__ = ["entry", "entry_with_lists", "two"]
API = "/api/v1"
OWN = {side: words.replace("\n", ",") for side, words in LISTS.items()}


def asked(client: Client, path: str, status: int = 200, **query: Any) -> Any:
    """The JSON of an answer with this status."""
    response = client.get(f"{API}{path}", query)
    assert response.status_code == status, response.content
    return response.json()


def refused(client: Client, path: str, **query: Any) -> tuple[str, str]:
    """Code and field of a refusal."""
    error = asked(client, path, 400, **query)["error"]
    assert error["message"].endswith((".", "…"))
    return error["code"], error["field"]


def test_each_word_has_its_nearest_words_and_an_unknown_one_a_reason(entry: Make, stranger: Client) -> None:
    row = entry()
    body = asked(stranger, f"/entries/{row.pk}/neighbours", words="Democracy,paris", top=3)
    near, missing = body["words"]
    assert (body["entry"], near["word"], near["found"], len(near["neighbours"])) == (
        row.pk,
        "Democracy",
        "democracy",
        3,
    )
    assert {one["word"] for one in near["neighbours"]} < set(WORDS) - {"democracy"}
    assert (missing["found"], missing["neighbours"]) == (None, [])
    assert "“paris” is not in the vocabulary" in missing["reason"]


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ({}, "no-words", "words"),
        ({"words": ","}, "no-words", "words"),
        ({"words": ",".join(f"w{nth}" for nth in range(MOST_WORDS + 1))}, "too-many-words", "words"),
        ({"words": "x" * 201}, "word-too-long", "words"),
        ({"words": "king", "top": 0}, "unknown-value", "top"),
        ({"words": "king", "top": 101}, "unknown-value", "top"),
        ({"words": ["king", "queen"]}, "given-twice", "words"),
        ({"word": "king"}, "unknown-parameter", "word"),
    ],
)
def test_a_look_up_that_cannot_be_answered_is_refused(
    entry: Make, stranger: Client, query: dict[str, Any], code: str, field: str
) -> None:
    assert refused(stranger, f"/entries/{entry().pk}/neighbours", **query) == (code, field)


def test_vectors_that_are_not_ready_are_prepared_once(entry: Make, stranger: Client) -> None:
    row = entry(prepared=False, vectors_sha256="ab" * 32)
    for _ in range(2):
        response = stranger.get(f"{API}/entries/{row.pk}/neighbours?words=king")
        assert (response.status_code, response["Retry-After"]) == (202, "5")
    assert [(job.kind, job.subject) for job in Job.objects.all()] == [("prepare_vectors", row.pk)]
    Submission.objects.filter(pk=row.pk).update(file_key="")
    assert (
        "does not keep the vectors"
        in asked(stranger, f"/entries/{row.pk}/neighbours", 409, words="king")["error"]["message"]
    )


def test_a_look_up_is_cached_by_its_content(entry: Make, stranger: Client) -> None:
    path = f"{API}/entries/{entry().pk}/neighbours?words=king"
    etag = stranger.get(path)["ETag"]
    assert stranger.get(path, headers={"If-None-Match": etag}).status_code == 304


def test_a_comparison_has_the_figures_of_the_page(two: tuple[Submission, ...], stranger: Client) -> None:
    first, second = two
    body = asked(stranger, "/compare", e=[first.pk, second.pk])
    page = stranger.get(f"/compare?e={first.pk}&e={second.pk}").content.decode()
    assert body["verdict"]["title"] == re.sub("<[^>]+>", "", page.split("<h1>")[1].split("</h1>")[0])
    overall = next(one for one in body["differences"] if one["column"] == "overall")
    assert (overall["entry"], overall["against"], overall["significant"]) == (second.pk, first.pk, True)
    assert f"−{100 * overall['difference']:.2f}" in difference_of(page, "Overall")
    assert overall["interval"][0] < overall["difference"] < overall["interval"][1]
    assert overall["p"] <= 0.05
    assert overall["p_corrected"] is None
    assert overall["tests"] == 1
    assert {one["column"] for one in body["scores"]} == {one["key"] for one in body["columns"]}
    assert body["pairs"] is None


def test_every_pair_occurs_once_and_the_reference_only_as_the_other_side(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    ids = [*(row.pk for row in two), submission(name="third", vectors_sha256="c" * 64).pk]
    body = asked(stranger, "/compare", e=ids, ref="B")
    pairs = {(one["entry"], one["against"]) for one in body["differences"]}
    assert pairs == {(ids[0], ids[1]), (ids[2], ids[1]), (ids[0], ids[2])}
    assert body["reference"] == ids[1]


def test_rankings_are_compared_by_a_worker_and_given_once_they_are_known(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    query: dict[str, Any] = {"e": [row.pk for row in two], "pairs": "yes"}
    waiting = asked(stranger, "/compare", 202, **query)
    assert [pair["state"] for pair in waiting["pairs"]["pairs"]] == ["waiting"]
    assert [job.kind for job in Job.objects.all()] == ["correlate"]
    known(*two, 0.625, cues="random")
    body = asked(stranger, "/compare", **query, set="random")["pairs"]
    assert (body["set"], body["cues"], body["pairs"][0]["correlation"]) == ("random", None, 0.625)


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ({"ref": "C"}, "unknown-value", "ref"),
        ({"pairs": "perhaps"}, "unknown-value", "pairs"),
        ({"pairs": "yes", "set": "none"}, "no-cue-set", "set"),
        ({"pairs": "yes", "cues": ",".join(f"w{nth}" for nth in range(51))}, "too-many-cues", "cues"),
        ({"pairs": "yes", "cues": "w" * 2001}, "too-many-cues", "cues"),
        ({"pairs": "yes", "cues": "freedom", "set": "random"}, "two-sets", "set"),
        ({"cues": "freedom"}, "unused", "cues"),
        ({"laguage": "de"}, "unknown-parameter", "laguage"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_refused(
    two: tuple[Submission, ...], stranger: Client, query: dict[str, Any], code: str, field: str
) -> None:
    assert refused(stranger, "/compare", e=[row.pk for row in two], **query) == (code, field)


@pytest.mark.parametrize("path", ["/compare", "/associations"])
def test_too_few_entries_too_many_and_unknown_ones_are_refused(path: str, submission: Make, stranger: Client) -> None:
    rows = [submission(name=f"entry {nth}").pk for nth in range(9)]
    more = {"test": "parties-morality"} if path == "/associations" else {}
    for few in ([], rows):
        assert refused(stranger, path, e=few, **more) == ("number-of-entries", "e")
    missing = asked(stranger, path, 404, e=[rows[0], "nix"], **more)["error"]["message"]
    assert missing == "There is no entry “nix” here, or it is private; check its id."


@pytest.mark.parametrize("query", [{"test": "parties-morality"}, OWN])
def test_an_association_test_has_the_answers_of_the_page(
    entry_with_lists: Make, stranger: Client, query: dict[str, str]
) -> None:
    row = entry_with_lists()
    body = asked(stranger, "/associations", e=row.pk, **query)
    shown = stranger.get(re.sub(r".*/associations\?", "/associations?", body["address"])).context["answered"][0]
    assert body["entries"][0]["d"] == shown.answer.d
    assert body["entries"][0]["id"] == row.pk
    assert -2 <= body["entries"][0]["d"] <= 2
    assert body["test"] == query.get("test")


def test_own_lists_have_names_and_stay_out_of_caches(entry_with_lists: Make, stranger: Client) -> None:
    row = entry_with_lists()
    own = stranger.get(f"{API}/associations", {"e": row.pk, **OWN, "name_x": "men"})
    assert [one["name"] for one in own.json()["targets"]] == ["men", "list Y"]
    assert own["Cache-Control"] == "private, no-store"
    named = stranger.get(f"{API}/associations", {"e": row.pk, "test": "parties-morality"})
    assert named["Cache-Control"] == "public, no-cache"
    assert named["ETag"]


def test_missing_vectors_of_a_test_are_prepared_by_a_worker(entry_with_lists: Make, stranger: Client) -> None:
    row = entry_with_lists(prepared=False)
    for _ in range(2):
        body = asked(stranger, "/associations", 202, e=row.pk, test="parties-morality")
        assert body["preparing"].startswith(f"A worker prepares the vectors of {row.display_name};")
    assert [(job.kind, job.subject) for job in Job.objects.all()] == [("prepare_vectors", row.pk)]


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ({}, "no-test", "test"),
        ({"test": "weat-99"}, "no-test", "test"),
        ({"test": "parties-morality", "x": "a"}, "two-tests", "x"),
        ({**OWN, "b": ""}, "list-empty", "b"),
        ({"name_x": "men"}, "list-empty", "x"),
        ({**OWN, "y": ",".join(f"w{nth}" for nth in range(lists.MOST_WORDS + 1))}, "list-too-long", "lists"),
    ],
)
def test_a_test_that_cannot_be_made_is_refused(
    entry_with_lists: Make, stranger: Client, query: dict[str, str], code: str, field: str
) -> None:
    assert refused(stranger, "/associations", e=entry_with_lists().pk, **query) == (code, field)


@pytest.mark.usefixtures("stopped_clock")
def test_tests_of_programs_and_of_pages_share_their_limit(entry_with_lists: Make, stranger: Client) -> None:
    row = entry_with_lists()
    count("associations", 60, OF_ALL)
    error = asked(stranger, "/associations", 429, e=row.pk, test="parties-morality")["error"]
    assert "Try again in a minute" in error["message"]


@pytest.mark.parametrize(
    "path", ["/entries/{}/neighbours?words=king", "/compare?e={}&e={}", "/associations?e={}&test=parties-morality"]
)
def test_a_private_entry_needs_its_token_and_stays_out_of_caches(path: str, entry_with_lists: Make) -> None:
    row = entry_with_lists(visibility="private")
    other = entry_with_lists(seed=1)
    address = API + path.format(row.pk, other.pk)
    assert Client().get(address).status_code == 404
    shown = Client().get(address, headers={"Authorization": f"Bearer {TOKEN}"})
    assert (shown.status_code, shown["Cache-Control"]) == (200, "private, no-store")


def test_answers_have_exactly_the_described_fields(
    entry_with_lists: Make, two: tuple[Submission, ...], stranger: Client
) -> None:
    row = entry_with_lists()
    answers: dict[type, Any] = {
        NeighboursAnswer: asked(stranger, f"/entries/{row.pk}/neighbours", words="king,zzz"),
        ComparisonAnswer: asked(stranger, "/compare", 202, e=[one.pk for one in two], pairs="yes"),
        AssociationsAnswer: asked(stranger, "/associations", e=row.pk, **OWN),
    }
    for form, body in answers.items():
        assert adapter(form).dump_python(typed(form, body), mode="json") == body, form
    assert {form.__name__ for form in answers} <= set(api.get_openapi_schema()["components"]["schemas"])
