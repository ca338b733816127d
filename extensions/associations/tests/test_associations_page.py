"""The page of association tests: named tests and own lists, entries with and without vectors, links and downloads."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from django.http import QueryDict
from django.test import Client, RequestFactory

from benchmark.compare.entries import Marked
from benchmark.operations.counting import count, payer_of
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.associations import answers, lists
from extensions.associations.measure.word_lists import POLITICAL_TESTS, excerpt
from tasks.associations.weat import AssociationQuestion, WordList, associate
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.prepared import store
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding, content_hash
from tests.benchmark.conftest import Make

WORDS = sorted({word for test in POLITICAL_TESTS for one in test.question.lists for word in one.words})
LISTS = {"x": "king\nman", "y": "queen, woman", "a": "power\nwar;throne", "b": "home\npeace\nchild"}
OWN = [*["king", "man", "queen", "woman", "power", "war", "throne", "home", "peace", "child"], "<script>x"]


WORDS_OF_PARTIES = sorted({word for one in POLITICAL_TESTS[0].question.lists for word in one.words})


def made(seed: int, words: Sequence[str] = (*WORDS, *OWN)) -> Embedding:
    matrix = np.random.default_rng(seed).standard_normal((len(words), 6)).astype(np.float32)
    return Embedding("e", words, matrix, content_hash(words, matrix))


@pytest.fixture
def entry(submission: Make, settings: Any) -> Make:
    """A finished entry with prepared vectors."""

    def make(
        seed: int = 0, *, prepared: bool = True, words: Sequence[str] = (*WORDS, *OWN), **columns: Any
    ) -> Submission:
        folder = Path(settings.VECBOARD_VAR) / "prepared"
        sha = store(made(seed, words), folder).name if prepared else "ab" * 32
        return submission(suite="open-2026", **{"vectors_sha256": sha, **columns})

    return make


def sent(client: Client, *rows: Submission, **changes: str) -> Any:
    fields = {f"words_{side}": words for side, words in LISTS.items()} | {f"name_{side}": side for side in LISTS}
    return client.post("/associations", {"e": [row.pk for row in rows], **fields, **changes})


def noise(seed: int) -> str:
    """A word that cannot be compressed."""
    return sha256(bytes([seed])).hexdigest()[:60]


def question() -> AssociationQuestion:
    x, y, a, b = (WordList(f"list {side}", ("naïve", "größer", f"{side} b")) for side in "xyab")
    return AssociationQuestion((x, y), (a, b))


def test_every_entry_has_d_interval_p_and_a_letter_on_the_words(entry: Make, stranger: Client) -> None:
    rows = [entry(0), entry(1)]
    response = stranger.get(f"/associations?e={rows[0].pk}&e={rows[1].pk}&test=parties-morality")
    answered = response.context["answered"]
    question = POLITICAL_TESTS[0].question
    expected = [associate(made(seed), OPEN_2026.look_up, question) for seed in (0, 1)]
    assert [one.answer.d for one in answered] == [found.d for found in expected]
    assert [one.answer.interval for one in answered] == [found.interval for found in expected]
    shown = response.content.decode()
    assert shown.count('class="mark c') == 2 * 16
    assert shown.index('class="said"') < shown.index("<figure") < shown.index('aria-label="Effect sizes"')
    assert shown.index('aria-label="Effect sizes"') < shown.index('id="lists"')
    assert "Moral Foundations" in shown  # the source of the lists
    assert response["Cache-Control"] == "no-cache"
    assert "X-Robots-Tag" not in response


def test_the_verdict_says_on_which_side_each_entry_lies() -> None:
    entered = lists.requested_test(QueryDict("test=parties-morality"))
    assert entered is not None
    (x, y), (a, b) = entered.question.targets, entered.question.attributes

    def answered(letter: str, low: float | None, high: float | None) -> answers.Answered:
        answer = associate(made(0), OPEN_2026.look_up, entered.question)
        d = None if low is None else 0.5
        interval = None if low is None or high is None else (low, high)
        return answers.Answered(
            entry=Marked(letter, Submission(name=letter.lower())), answer=replace(answer, d=d, interval=interval)
        )

    above, below, wide, none = (
        answered("A", 0.1, 1.0), answered("B", -1.0, -0.1), answered("C", -0.2, 0.2), answered("D", None, None)
    )  # fmt: skip
    near = f"“{x.name}” words are nearer to “{a.name}” than “{y.name}” words in"
    assert answers.verdict_on(entered, [above, none]) == f"{near} A, a, by comparison with “{b.name}”."
    said = answers.verdict_on(entered, [above, below, wide, replace(wide, entry=Marked("E", Submission()))])
    assert said.startswith(f"{near} A, a; “{y.name}” words are nearer to")
    assert f"difference in nearness to “{a.name}” between “{x.name}” and “{y.name}” words in C and E" in said
    assert answers.verdict_on(entered, [none]).startswith("No entry here knows enough")
    assert answers.verdict_on(entered, []) == ""


def test_words_beyond_two_are_on_the_picture(entry: Make, stranger: Client) -> None:
    row = entry(seed=27)
    page = stranger.get(sent(stranger, row, words_a="power", words_b="\n".join(WORDS[:12]))["Location"])
    (answered,) = page.context["answered"]
    furthest = max(abs(one.d) for one in answered.answer.single.values())
    drawn = page.context["chart"].drawing
    places = [float(x) for x in re.findall(r'cx="([\d.]+)"', drawn.fixed)]
    assert furthest > 2
    assert len(set(places)) == len(places) == 4
    assert all(answers.LEFT < x < answers.WIDTH - answers.RIGHT for x in places)


def test_words_that_do_not_count_are_named(entry: Make, stranger: Client) -> None:
    address = sent(stranger, entry(), words_x="king\nKing\nman\nwar", words_y="queen\nwoman\nman")["Location"]
    for path in (address, address.replace("/associations?", "/associations.csv?")):
        page = html.unescape(stranger.get(path).content.decode())
        assert "“King” (the same vector as “king”)" in page
        assert "“man” (in “x” and “y”)" in page
        assert "“war” (in “x” and “a”)" in page


def test_own_lists_lead_to_a_link_that_holds_them_and_is_private(entry: Make, stranger: Client) -> None:
    response = sent(stranger, entry(), words_x="king\nking\n<script>x")
    assert response.status_code == 302
    page = stranger.get(response["Location"])
    assert page.context["asked"].question.targets[0].words == ("king", "<script>x")
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in page["Cache-Control"]
    shown = page.content.decode()
    assert '<meta name="robots" content="noindex, nofollow">' in shown
    assert "<script>x" not in shown
    assert "&lt;script&gt;x" in shown


def test_a_link_holds_lists_as_they_are_and_named_links_are_short() -> None:
    code = lists.encoded(question())
    assert lists.decoded(code) == question()
    assert set(code) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    lists_of_test = lists.requested_test({"test": "immigration-threat"})
    assert lists_of_test is not None
    assert lists_of_test.query == {"test": "immigration-threat"}


@pytest.mark.parametrize("code", ["x", "!!", "eJyLjgUAARUAuQ", "é", "A" * 5000, lists.encoded(question())[:-9]])
def test_a_damaged_link_says_so(code: str, stranger: Client, db: None) -> None:
    with pytest.raises(InputError, match="damaged"):
        lists.decoded(code)
    response = stranger.get("/associations", {"lists": code})
    assert response.status_code == 400
    assert "This link is damaged" in response.content.decode()


def test_a_link_with_a_test_and_lists_is_refused(stranger: Client, db: None) -> None:
    response = stranger.get("/associations?test=parties-morality&lists=abc")
    assert response.status_code == 400
    assert "it can have only one of them" in response.content.decode()


def test_a_link_that_unpacks_to_much_is_damaged() -> None:
    many = WordList("x", tuple(f"w{i}" for i in range(lists.MOST_WORDS + 1)))
    bomb = WordList("y", ("w" * 1_000_000,))
    for one in (many, bomb):
        x, y, a, b = one, *question().lists[1:]
        with pytest.raises(InputError, match="damaged"):
            lists.decoded(lists.encoded(AssociationQuestion((x, y), (a, b))))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"words_a": " \n,"}, "“a” has no word"),
        ({"words_b": "\n".join(f"w{i}" for i in range(101))}, "“b” has 101 words; the limit is 100"),
        ({"words_y": "w" * 61}, "longer than 60 characters"),
        ({"name_y": "x"}, "a name of its own"),
        ({f"words_{side}": "\n".join(map(noise, range(99))) for side in "xyab"}, "too long"),
    ],
)
def test_a_wrong_list_is_refused_and_what_was_typed_stays(
    changes: dict[str, str], message: str, entry: Make, stranger: Client
) -> None:
    response = sent(stranger, entry(), **changes)
    assert response.status_code == 400
    assert "no-store" in response["Cache-Control"]
    assert message in response.content.decode()
    assert "throne" in response.content.decode() or "words_a" in changes


def test_four_lists_of_a_hundred_words_fit_in_a_link(stranger: Client, db: None) -> None:
    alphabet = [first + second for first in "bcdfghjklm" for second in "aeiouaeiou"]
    parts = list(dict.fromkeys(alphabet))
    words = {f"words_{side}": "\n".join(f"{side}{part}{part[::-1]}" for part in parts) for side in "xyab"}
    response = sent(stranger, **words)
    assert response.status_code == 302
    assert len(response["Location"]) < 4_000


def test_entries_whose_vectors_are_not_here_say_so_and_can_be_prepared(entry: Make, stranger: Client) -> None:
    away, gone = entry(prepared=False), entry(prepared=False, file_key="")
    path = f"/associations?e={away.pk}&e={gone.pk}&test=parties-state"
    shown = stranger.get(path).content.decode()
    assert "not ready for look-up on this machine" in shown
    assert "This site does not keep the vectors of" in shown
    response = stranger.post("/associations/prepare", {"e": [away.pk, gone.pk], "test": "parties-state"})
    assert response["Location"] == path
    assert [(job.kind, job.subject) for job in Job.objects.order_by("pk")] == [("prepare_vectors", away.pk)]
    assert stranger.get("/associations/prepare").status_code == 405


def test_a_page_that_waits_for_vectors_asks_again_without_answering_any_test(entry: Make, stranger: Client) -> None:
    away = entry(prepared=False)
    test, axis = {"test": "parties-state"}, {"page": "axes", "positive": "war", "negative": "peace", "words": "king"}
    for page, fields in (("", test), ("/axes", axis)):
        address = stranger.post("/associations/prepare", {"e": away.pk, **fields})["Location"]
        shown = stranger.get(address).content.decode()
        assert "A has no answer until a worker has prepared its vectors." in shown
        assert "Prepare them" not in shown
        (source,) = re.findall(r'data-waiting="([^"]*)"', shown)
        assert source == f"/associations{page}?e={away.pk}"
        polled = stranger.get(source)
        assert "data-waiting" in polled.content.decode()
        assert not polled.context.get("answered")
        assert not polled.context.get("placed")


def test_a_test_whose_words_an_entry_lacks_has_no_score(entry: Make, stranger: Client) -> None:
    both, few = entry(0), entry(words=WORDS_OF_PARTIES)
    pages = [
        stranger.get(f"/associations?{rows}&test=ideologies-morality").content.decode()
        for rows in (f"e={both.pk}&e={few.pk}", f"e={few.pk}")
    ]
    assert ["The file lacks" in page for page in pages] == [True, True]
    assert ["No entry here knows enough of the words" in page for page in pages] == [False, True]


def test_hidden_entries_are_not_there_for_strangers_and_kept_nowhere(
    entry: Make, stranger: Client, owner: Callable[[Submission], Client]
) -> None:
    row = entry(visibility="private")
    path = f"/associations?e={row.pk}&test=parties-state"
    assert stranger.get(path).status_code == 404
    assert "no-store" in owner(row).get(path)["Cache-Control"]


def test_the_download_holds_the_answers_and_the_link(entry: Make, stranger: Client) -> None:
    rows = [entry(0, name="=one & two"), entry(prepared=False)]
    query = f"e={rows[0].pk}&e={rows[1].pk}&test=parties-morality"
    d = stranger.get(f"/associations?{query}").context["answered"][0].answer.d
    first, *lines = stranger.get(f"/associations.csv?{query}").content.decode().splitlines()
    assert first.endswith(f"/associations?{query}")
    table = list(csv.DictReader(io.StringIO("\n".join(lines))))
    assert float(table[0]["d"]) == d
    assert table[0]["name"] == "'=one & two"
    assert len([row for row in table if row["of"] == "word"]) == 16
    assert table[-1]["problem"]
    own = urlsplit(sent(stranger, rows[0])["Location"]).query
    assert stranger.get(f"/associations.csv?{own}")["X-Robots-Tag"] == "noindex, nofollow"
    assert stranger.get("/associations.csv").status_code == 404
    assert stranger.get(f"/associations.csv?e={rows[0].pk}&lists=x").status_code == 404


def test_a_visitors_requests_are_limited(entry: Make, stranger: Client, leave: Callable[..., None]) -> None:
    leave(answers.ENTRIES, payer_of(RequestFactory().get("/")), 2)
    path = f"/associations?e={entry().pk}&test=parties-state"
    assert [stranger.get(path).status_code for _ in range(3)] == [200, 200, 429]
    assert stranger.get("/associations").status_code == 200


@pytest.mark.usefixtures("stopped_clock")
def test_all_visitors_together_may_not_keep_the_site_busy(entry: Make, stranger: Client) -> None:
    """Each visitor is far below the limit per visitor, but their computing times add up."""
    one, two = entry(0), entry(1)

    def asked(visitor: str, path: str) -> Any:
        return stranger.get(path, REMOTE_ADDR=visitor)

    test, axis = "test=parties-state", "positive=king&negative=queen&words=war"
    assert asked("192.0.2.1", f"/associations?e={one.pk}&{test}").status_code == 200
    assert asked("198.51.100.2", f"/associations/axes?e={one.pk}&{axis}").status_code == 200
    count("associations", 60, answers.OF_ALL)  # others' answers
    refused = asked("203.0.113.3", f"/associations?e={one.pk}&e={two.pk}&{test}")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "60"
    assert "Try again in a minute" in refused.content.decode()
    assert asked("203.0.113.3", f"/associations.csv?e={one.pk}&{test}").status_code == 429
    assert asked("203.0.113.3", "/associations").status_code == 200


def test_published_tests_are_offered_where_their_lists_are(
    stranger: Client, db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("VECBOARD_DATA", "VECBOARD_DATA_MIRROR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert set(lists.offered()) == {test.id for test in POLITICAL_TESTS}
    response = stranger.get("/associations?test=weat-1")
    assert response.status_code == 400
    assert "no association test “weat-1”" in response.content.decode()


def test_an_excerpt_answers_as_the_whole_does() -> None:
    whole = made(3)
    question = POLITICAL_TESTS[0].question
    shouted = [word.upper() for one in question.lists for word in one.words]
    part = excerpt(whole, shouted)
    assert len(part.words) < len(whole.words)
    assert associate(part, OPEN_2026.look_up, question) == associate(whole, OPEN_2026.look_up, question)


def test_the_link_of_own_lists_keeps_the_entries(entry: Make, stranger: Client) -> None:
    rows = [entry(0), entry(1)]
    query = parse_qs(urlsplit(sent(stranger, *rows)["Location"]).query)
    assert query["e"] == [row.pk for row in rows]


def test_words_lie_on_an_axis_and_a_formula_has_neighbours(entry: Make, stranger: Client) -> None:
    rows = [entry(0), entry(prepared=False)]
    axis = {"positive": "king, man", "negative": "queen", "words": "war, throne, nowhere"}
    fields = {**axis, "formula": "king - man + woman"}
    response = stranger.get("/associations/axes", {"e": [row.pk for row in rows], **fields})
    assert response.status_code == 200
    first, second = response.context["placed"]
    assert list(first.projection.places) == ["war", "throne"]
    assert first.projection.missing == ("nowhere",)
    assert not {"king", "man", "woman"} & {near.word for near in first.formula.neighbours}
    assert second.problem
    shown = response.content.decode()
    assert shown.count('class="mark c') == 2
    assert "Unknown: <bdi>nowhere</bdi>" in shown
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"positive": "king", "words": "war"}, "at least one word at each pole"),
        ({"positive": "king", "negative": "queen"}, "Enter the words to place"),
        ({"formula": "king +"}, "A formula is a series of words with signs"),
        ({"words": "w," * 2000}, "takes 2,000 characters"),
        ({"positive": ",".join("abcdefghijklmnopqrstuvwxyz"), "negative": "a", "words": "b"}, "A pole takes 20 words"),
    ],
)
def test_a_wrong_axis_or_formula_says_what_is_wrong(
    query: dict[str, str], message: str, entry: Make, stranger: Client
) -> None:
    response = stranger.get("/associations/axes", {"e": entry().pk, **query})
    assert response.status_code == 400
    assert message in response.content.decode()


def test_the_page_of_axes_without_a_question_may_be_found_by_everybody(stranger: Client, db: None) -> None:
    response = stranger.get("/associations/axes")
    assert response.status_code == 200
    assert "X-Robots-Tag" not in response


def test_a_published_test_has_readable_names_and_its_source(stranger: Client, db: None) -> None:
    if not DataStore.default().status("weat").available:
        pytest.skip("the data set weat is not here")
    response = stranger.get("/associations?test=weat-3")
    asked = response.context["asked"]
    assert [one.name for one in asked.question.targets] == ["European American names", "African American names"]
    assert "Caliskan, Bryson" in response.content.decode()


def test_questions_without_entries_or_words_say_at_the_field_what_is_missing(entry: Make, stranger: Client) -> None:
    row = entry()
    assert "Choose up to 8 entries." in stranger.get("/associations?test=parties-morality").content.decode()
    empty = stranger.get(f"/associations?e={row.pk}&test=")
    assert (empty.status_code, "Choose a test, or enter lists of your own." in empty.content.decode()) == (400, True)
    axes = stranger.get(f"/associations/axes?e={row.pk}&negative=&positive=&words=&formula=")
    assert axes.status_code == 400
    assert "Enter two poles with words to place between them, or a formula." in axes.content.decode()
    assert stranger.get(f"/associations/axes?e={row.pk}").status_code == 200
