"""Where two entries differ: the page, its filters and files, and what it says where answers or texts are missing."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from django.test import Client

from benchmark import evidence
from benchmark.submissions.models import Submission, SubmissionCell, Visibility
from extensions.differ.views import MOST_QUOTED
from tasks.datasets.dataset import DataSet
from tasks.datasets.examples import LabelledText, TaggedSentence
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.results import Outcomes, Predictions, cell_key
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE

TEXTS = [one for one in DataStore.default().load("demo-questions")["test"] if isinstance(one, LabelledText)]
GOLD = [example.label for example in TEXTS]
CELL = "cell=questions.fixed"


def keep(row: Submission, outcomes: Outcomes, task: str = "questions", mode: str = "fixed") -> None:
    """Store outcomes of a cell."""
    key = evidence.key(row.vectors_sha256, task, mode)
    evidence.save(key, outcomes)
    SubmissionCell.objects.create(
        submission=row, task=task, mode=mode, task_hash=task, vectors_sha256=row.vectors_sha256, position=0,
        outcomes_key=key, state=SubmissionCell.State.DONE,
    )  # fmt: skip


def answered(gold: Sequence[str], predicted: Sequence[str]) -> Outcomes:
    right = np.array(gold) == np.array(predicted)
    outcomes = Outcomes.of(correct=right, total=np.ones(len(gold)))
    return replace(outcomes, predictions=Predictions.of_labels(gold, predicted))


def with_errors(every: int, seed: int) -> list[str]:
    """The gold labels, with a random one for each text of a random share."""
    rng = np.random.default_rng(seed)
    labels = sorted(set(GOLD))
    return [str(rng.choice(labels)) if rng.integers(every) == 0 else label for label in GOLD]


def planted() -> list[str]:
    """The same, with 25 animals taken for places."""
    animals = [i for i, label in enumerate(GOLD) if label == "animal"][:25]
    return ["place" if i in animals else label for i, label in enumerate(with_errors(6, 1))]


@pytest.fixture
def two(submission: Make) -> tuple[Submission, Submission]:
    """The first takes animals for places."""
    first, second = (submission(name=name, vectors_sha256=name[0] * 64) for name in ("first", "second"))
    keep(first, answered(GOLD, planted()))
    keep(second, answered(GOLD, with_errors(6, 2)))
    return first, second


def address(*rows: Submission, more: str = CELL, form: str = "") -> str:
    return f"/compare/differ{form}?{'&'.join(f'e={row.pk}' for row in rows)}&{more}"


def body(client: Client, path: str) -> str:
    """The text of a page between its tags."""
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def table(page: str, name: str) -> list[list[str]]:
    """Cells of the rows of the table in the box with this name."""
    inside = page.split(f'aria-label="{name}"')[1].split("</table>")[0].split("<tbody>")[1]
    rows = re.findall(r"<tr.*?</tr>", inside, re.DOTALL)
    plain = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in plain]


def link(page: str, has: str) -> str:
    """The first address that has a text in it or behind it."""
    links = re.findall(r'<a href="([^"]*)"[^>]*>(.*?)</a>', page)
    return next(unescape(href) for href, seen in links if has in (seen, unescape(href)[-len(has) :]))


def test_a_planted_kind_of_error_is_found_in_two_clicks_from_compare(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    compare = body(stranger, f"/compare?e={two[0].pk}&e={two[1].pk}")
    page = body(stranger, link(compare, CELL))
    first, *_ = table(page, "Kinds of errors")
    assert first[0] == "animal → place"
    assert "clear" in first[3]
    found = table(body(stranger, link(page, "animal → place")), "Examples")
    assert {(gold, a.partition(",")[0]) for _, gold, a, _, _ in found} == {("animal", "place")}
    place = int(found[0][4])
    assert found[0][0] == " ".join(TEXTS[place].words)


def test_the_title_counts_both_directions_and_the_difference_is_tested_once(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    a, b = (np.array(predicted) == np.array(GOLD) for predicted in (planted(), with_errors(6, 2)))
    page = body(stranger, address(*two))
    plain = re.sub("<[^>]+>", "", page)
    counts = (a & ~b).sum(), (b & ~a).sum()
    title = "first is right on {} texts that second gets wrong, second on {} that first gets wrong".format(*counts)
    assert title in plain
    assert f"Both are right on {(a & b).sum()} texts, neither on {(~a & ~b).sum()}." in page
    assert page.count("points (") == 1
    assert "on this task alone" in page


def test_at_most_fifty_texts_are_quoted_and_the_source_and_licence_are_named(
    submission: Make, stranger: Client
) -> None:
    first, second = (submission(name=name, vectors_sha256=name * 64) for name in "ab")
    keep(first, answered(GOLD, GOLD))
    keep(second, answered(GOLD, ["place" if label != "place" else "art" for label in GOLD]))
    page = body(stranger, address(first, second))
    assert len(table(page, "Examples")) == MOST_QUOTED
    assert "400 texts; the first 50 are shown" in page
    assert REGISTRY["demo-questions"].title in page
    assert REGISTRY["demo-questions"].licence in page
    rows = list(csv.DictReader(io.StringIO(body(stranger, address(first, second, form=".csv")))))
    assert len(rows) == 400
    assert [bool(row["text"]) for row in rows] == [True] * MOST_QUOTED + [False] * (400 - MOST_QUOTED)


@pytest.mark.parametrize("form", ["", ".csv", ".json"])
def test_search_engines_do_not_store_the_texts(two: tuple[Submission, ...], stranger: Client, form: str) -> None:
    assert stranger.get(address(*two, form=form))["X-Robots-Tag"] == "noindex, nofollow"


@pytest.mark.parametrize("form", ["", ".csv", ".json"])
def test_caches_do_not_store_what_shows_a_private_entry(
    two: tuple[Submission, ...], owner: Callable[[Submission], Client], form: str
) -> None:
    Submission.objects.filter(pk=two[0].pk).update(visibility=Visibility.PRIVATE)
    response = owner(two[0]).get(address(*two, form=form))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]


def test_filters_leave_the_rows_that_match_all_of_them(two: tuple[Submission, ...], stranger: Client) -> None:
    every = list(csv.DictReader(io.StringIO(body(stranger, address(*two, form=".csv")))))
    word = TEXTS[int(every[0]["example"])].words[-2]
    filters: dict[tuple[str, str], Callable[[dict[str, str]], bool]] = {
        ("gold", "animal"): lambda row: row["gold"] == "animal",
        ("answer", "place"): lambda row: (
            row["gold"] != "place" and "place" in (row["answer of first"], row["answer of second"])
        ),
        ("right", "first"): lambda row: row["right"] == "first",
        ("text", word.upper()): lambda row: word in " ".join(TEXTS[int(row["example"])].words),
    }
    for (name, value), matches in filters.items():
        more = f"{CELL}&{name}={value}"
        left = csv.DictReader(io.StringIO(body(stranger, address(*two, more=more, form=".csv"))))
        places = [row["example"] for row in left]
        assert places == [row["example"] for row in every if matches(row)], name
        assert 0 < len(places) < len(every), name
        page = body(stranger, address(*two, more=more))
        assert [row[4] for row in table(page, "Examples")] == places[:MOST_QUOTED], name


def test_the_json_has_the_figures_of_the_page(two: tuple[Submission, ...], stranger: Client) -> None:
    found = stranger.get(address(*two, form=".json")).json()
    assert found["kinds"][0]["gold"] == "animal"
    assert found["kinds"][0]["p_corrected"] < 0.001
    assert len(found["rows"]) == found["counts"]["only_first"] + found["counts"]["only_second"]
    assert sum(found["counts"].values()) == len(GOLD)
    assert found["difference"] == pytest.approx(found["scores"][0] - found["scores"][1])
    assert found["data_set"]["licence"] == REGISTRY["demo-questions"].licence


def test_without_the_answers_of_one_the_page_says_why_and_shows_who_is_right(
    submission: Make, stranger: Client
) -> None:
    first, second = (submission(name=name, vectors_sha256=name * 64) for name in "ab")
    keep(first, answered(GOLD, planted()))
    keep(second, replace(answered(GOLD, with_errors(6, 2)), predictions=None))
    page = body(stranger, address(first, second))
    assert "Only which texts are right is stored for b, not each answer." in page
    assert {row[3] for row in table(page, "Examples")} == {"right", "wrong"}
    assert "animal" in {row[0] for row in table(page, "Kinds of errors")}


def test_a_sentence_shows_the_token_that_differs(submission: Make, stranger: Client) -> None:
    sentences = [one for one in DataStore.default().load("demo-pos")["test"] if isinstance(one, TaggedSentence)]
    tags = [tag for sentence in sentences for tag in sentence.tags]
    lengths = np.array([len(sentence.tags) for sentence in sentences])
    wrong = ["X" if i == lengths[0] + 2 else tag for i, tag in enumerate(tags)]
    rows = [submission(name=name, vectors_sha256=name * 64) for name in "ab"]
    for row, predicted in zip(rows, (tags, wrong), strict=True):
        right = np.add.reduceat(np.array(tags) == np.array(predicted), np.cumsum([0, *lengths[:-1]]), dtype=int)
        held = replace(Predictions.of_labels(tags, predicted), lengths=lengths)
        keep(row, replace(Outcomes.of(correct=right, total=lengths), predictions=held), "pos")
    page = body(stranger, address(*rows, more="cell=pos.fixed"))
    ((text, gold, a, b, place),) = table(page, "Examples")
    assert f"<mark>{sentences[1].words[2]}</mark>" in page
    assert text.split() == list(sentences[1].words)
    assert (gold, a, b, place) == (tags[lengths[0] + 2], f"{gold}, right", "X", "1token 2")


def test_pairs_of_words_show_both_ranks_and_that_of_people(two: tuple[Submission, ...], stranger: Client) -> None:
    rng = np.random.default_rng(0)
    pairs = len(DataStore.default().load("demo-simlex")["all"])
    gold = rng.normal(size=pairs)
    for row, noise in zip(two, (0.3, 3), strict=True):
        keep(row, Outcomes.of(predicted=gold + rng.normal(0, noise, pairs), gold=gold), "sim-simlex-999", "")
    page = body(stranger, link(body(stranger, f"/compare?e={two[0].pk}&e={two[1].pk}"), "cell=sim-simlex-999"))
    plain = re.sub("<[^>]+>", "", page)
    assert re.search("first ranks [0-9]+ pairs more like people than second does, second [0-9]+", plain)
    assert "On the pairs that both know, first is ahead by 0." in plain
    assert "on this task alone, clearly better." in plain
    text, people, a, b, _ = table(page, "Examples")[0]
    assert " | " in text
    ranks = [int(cell.partition(",")[0]) for cell in (people, a, b)]
    assert abs(ranks[1] - ranks[0]) != abs(ranks[2] - ranks[0])


@pytest.mark.parametrize("licensed", [True, False])
def test_without_shown_texts_the_page_says_why_and_gives_places(
    two: tuple[Submission, ...], stranger: Client, monkeypatch: pytest.MonkeyPatch, *, licensed: bool
) -> None:
    words = TEXTS[0].words
    if licensed:
        monkeypatch.setattr(DataSet, "licensed", True)
        said = "the licence of"
    else:
        monkeypatch.setattr("extensions.differ.measure.differ.MOST_BYTES", -1)
        said = "too large to be read here"
    page = body(stranger, address(*two))
    assert said in page
    assert "Text" not in page.split('aria-label="Examples"')[1].split("</thead>")[0]
    assert " ".join(words) not in page
    assert [row[3].isdigit() for row in table(page, "Examples")] == [True] * len(table(page, "Examples"))
    assert "“text=x” is not valid here" in body(stranger, address(*two, more=f"{CELL}&text=x"))
    rows = csv.DictReader(io.StringIO(body(stranger, address(*two, form=".csv"))))
    assert {row["text"] for row in rows} == {""}


def test_without_stored_outcomes_the_page_says_so_and_files_are_refused(submission: Make, stranger: Client) -> None:
    rows = [submission(name=name, vectors_sha256=name * 64) for name in "ab"]
    assert "Outcomes of Questions are not stored for both." in body(stranger, address(*rows))
    assert stranger.get(address(*rows, form=".csv")).status_code == 400


def test_every_cell_with_right_answers_can_be_chosen(two: tuple[Submission, ...], stranger: Client) -> None:
    page = body(stranger, address(*two))
    offered = re.findall(r'<option value="([^"]*)"', page.split('name="cell"')[1].split("</select>")[0])
    assert offered == [cell_key(task.id, mode) for task, mode in SUITE.cells()]


def test_one_entry_leads_to_the_choice_of_another(two: tuple[Submission, ...], stranger: Client) -> None:
    assert "Choose at least one more entry" in body(stranger, f"/compare/differ?e={two[0].pk}")
    assert stranger.get(f"/compare/differ.csv?e={two[0].pk}").status_code == 400


def test_values_that_do_not_exist_are_named_on_the_page_and_refused_in_files(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    for name in ("cell", "gold", "answer", "right"):
        more = f"{name}=invented" if name == "cell" else f"{CELL}&{name}=invented"
        assert f"“{name}=invented” is not valid here" in body(stranger, address(*two, more=more))
        if name != "cell":
            assert stranger.get(address(*two, more=more, form=".json")).status_code == 400
