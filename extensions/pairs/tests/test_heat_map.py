"""Up to thirty entries as a heat map, and two in detail: requested, computed by a worker, stored by vectors."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.pairs.cues import DRIFT, EVERY, RANDOM, chosen
from extensions.pairs.models import PairCorrelation
from tasks.errors import InputError
from tasks.prepared import store
from tasks.vectors import Embedding, content_hash
from tests.benchmark.conftest import Make


@pytest.fixture
def entries(submission: Make) -> Callable[[int], list[Submission]]:
    return lambda count: [
        submission(name=f"entry {i}", vectors_sha256=f"{i:064x}", file_key=f"uploads/{i}.gz") for i in range(count)
    ]


def address(page: str, *rows: Submission, more: str = "") -> str:
    return f"/compare/{page}?{'&'.join(f'e={row.pk}' for row in rows)}{more}"


def known(a: Submission, b: Submission, mean: float, cues: str = "") -> PairCorrelation:
    left, right = sorted((a, b), key=lambda row: row.vectors_sha256)
    what = chosen({"set": cues} if cues else {}, "en")
    figures = {"mean": mean, "se": 0.05, "n": 9, "common_words": 900, "reason": ""}
    return PairCorrelation.objects.create(
        left=left, right=right, left_sha256=left.vectors_sha256, right_sha256=right.vectors_sha256,
        cues=what.stored, cues_key=what.key, figures=figures,
    )  # fmt: skip


def test_thirty_entries_fit_and_the_next_one_is_left_out(entries: Any, stranger: Client) -> None:
    page = stranger.get(address("heat", *entries(31))).content.decode()
    assert page.count('<tr><th scope="row" title=') == 30
    assert "<bdi>entry 29</bdi></a>" in page
    assert "entry 30" not in page


def test_every_pair_of_thirty_is_asked_for_once_behind_the_files_that_people_send(
    entries: Any, stranger: Client
) -> None:
    rows = entries(30)
    for _ in range(2):
        stranger.post("/compare/correlate", {"page": "heat", "e": [row.pk for row in rows]})
    assert Job.objects.count() == len({job.subject for job in Job.objects.order_by("pk")}) == 30 * 29 / 2
    assert {job.level for job in Job.objects.order_by("pk")} == {fair_queue.LAST}


def test_the_map_asks_the_database_a_fixed_number_of_times(
    entries: Any, stranger: Client, django_assert_max_num_queries: Any
) -> None:
    rows = entries(30)
    with django_assert_max_num_queries(6):
        stranger.get(address("heat", *rows))


def test_a_known_pair_is_on_both_sides_of_the_diagonal_and_links_to_details(entries: Any, stranger: Client) -> None:
    a, b, _ = rows = entries(3)
    known(b, a, 0.625)
    page = stranger.get(address("heat", *rows)).content.decode()
    assert page.count(">0.625</a>") == 2
    assert f"/compare/pair?e={a.pk}&amp;e={b.pk}&amp;set=political-en" in page


def test_the_map_states_in_words_which_entries_are_most_and_least_similar(entries: Any, stranger: Client) -> None:
    a, b, c = rows = entries(3)
    known(a, b, 0.9)
    known(b, c, -0.2)
    page = stranger.get(address("heat", *rows)).content.decode()
    verdict = "Of 2 pairs, entry 0 and entry 1 rank words most alike (0.900), entry 1 and entry 2 least (−0.200)."
    assert verdict in page
    assert page.index(verdict) < page.index('class="heat pairs') < page.index('class="ranking"')
    assert 'class="number n1"' in page


def test_sets_of_cues_are_kept_apart(entries: Any, stranger: Client) -> None:
    a, b = rows = entries(2)
    known(a, b, 0.9)
    page = stranger.get(address("heat", *rows, more="&set=random")).content.decode()
    assert "0.900" not in page
    stranger.post("/compare/correlate", {"page": "heat", "e": [a.pk, b.pk], "set": "random"})
    assert PairCorrelation.objects.get(pk=Job.objects.get().subject).cues == "random"


def test_sets_of_cues_say_what_the_entries_lack(entries: Any, stranger: Client, settings: Any) -> None:
    a, b, c = entries(3)

    def offers(*rows: Submission) -> dict[str, tuple[str, bool]]:
        found = stranger.get(address("heat", *rows)).context["cue_offers"]
        return {offer.cues.id: (offer.note, offer.is_empty) for offer in found}

    assert offers(a, b)["political-de"] == ("the entries are in English", False)
    assert offers(a, b)["political-en"] == offers(a, b)["random"] == ("", False)
    for row, words in ((a, ["justice", "Freedom", "steuern"]), (b, ["justice", "freedom", "spd"])):
        matrix = np.ones((len(words), 2), dtype=np.float32)
        vectors = Embedding("e", words, matrix, content_hash(words, matrix))
        directory = store(vectors, Path(settings.VECBOARD_VAR) / "prepared")
        Submission.objects.filter(pk=row.pk).update(vectors_sha256=directory.name)
    assert offers(a, b)["political-en"] == ("2 of 10 words known", False)
    assert offers(a, b)["political-de"] == ("0 of 9 words known", True)
    assert offers(a, b)["random"] == ("", False)
    assert offers(a, c)["political-en"] == ("", False)  # the vectors of c are elsewhere


def test_an_operator_s_list_can_be_chosen(
    entries: Any, stranger: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cue-lists").mkdir()
    (tmp_path / "cue-lists" / "climate.txt").write_text("# language: en\n# title: Climate\ncarbon, emissions\n")
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path))
    page = stranger.get(address("heat", *entries(2), more="&set=climate")).content.decode()
    assert '<option value="climate" selected>Climate</option>' in page
    assert "cosines of 2 cues" in page


def test_an_unknown_set_is_reported_with_the_known_ones(entries: Any, stranger: Client) -> None:
    page = stranger.get(address("heat", *entries(2), more="&set=political-fi")).content.decode()
    assert "Unknown set of cues “political-fi”" in page
    with pytest.raises(InputError, match="political-en, political-es, political-de, random"):
        chosen({"set": "political-fi"}, "en")


def test_the_cues_of_an_entry_s_language_are_the_first_choice_or_random_words() -> None:
    assert chosen({}, "de").id == "political-de"
    assert chosen({}, "fi").id == "random"
    assert chosen({"cues": "peace, war", "set": "random"}, "en").words == ("peace", "war")


def test_the_baseline_can_be_compared_though_it_has_no_file(entries: Any, submission: Make, stranger: Client) -> None:
    baseline = submission(name="SVD-PPMI", is_baseline=True, file_key="", vectors_sha256="f" * 64)
    stranger.post("/compare/correlate", {"page": "heat", "e": [*(row.pk for row in entries(1)), baseline.pk]})
    assert Job.objects.count() == 1


def test_deleted_vectors_are_reported_and_never_requested(entries: Any, submission: Make, stranger: Client) -> None:
    gone = submission(name="gone", file_key="", vectors_sha256="e" * 64)
    rows = [*entries(1), gone]
    stranger.post("/compare/correlate", {"page": "heat", "e": [row.pk for row in rows]})
    assert not Job.objects.exists()
    page = stranger.get(address("heat", *rows)).content.decode()
    assert "This site does not keep the vectors of <bdi>gone</bdi>, so there are no rankings to compare." in page


def test_a_close_look_asks_for_cues_random_words_every_word_and_words_that_moved(
    entries: Any, stranger: Client
) -> None:
    a, b = entries(2)
    answer = stranger.post("/compare/correlate", {"page": "pair", "e": [a.pk, b.pk], "cues": "freedom, peace"})
    assert answer.url.startswith("/compare/pair?")
    assert [PairCorrelation.objects.get(pk=job.subject).cues for job in Job.objects.order_by("pk")] == [
        ["freedom", "peace"],
        "random",
        "every",
        "drift",
    ]
    assert "0 of 4 parts are done." in stranger.get(answer.url).content.decode()


def test_a_close_look_beyond_a_stranger_s_bound_is_refused_as_a_whole_and_a_second_one_asks_nothing_new(
    entries: Any, stranger: Client, settings: Any
) -> None:
    a, b = entries(2)
    form = {"page": "pair", "e": [a.pk, b.pk]}
    settings.VECBOARD_OPEN_PAGE_JOBS = 3
    assert stranger.post("/compare/correlate", form).status_code == 429
    assert not Job.objects.exists()
    assert not PairCorrelation.objects.exists()
    settings.VECBOARD_OPEN_PAGE_JOBS = 4
    for _ in range(2):
        assert stranger.post("/compare/correlate", form).status_code == 302
    assert Job.objects.count() == 4


SUMMARY = {"mean": 0.5, "sd": 0.1, "se": 0.05, "min": -0.25, "max": 0.75, "n": 1}
LISTED = {
    "pearson": SUMMARY, "spearman": SUMMARY | {"mean": 0.4}, "kendall": None, "unknown": ["peace"],
    "cues": {"freedom": {"pearson": 0.5, "spearman": 0.4, "kendall": 0.3}, "peace": None},
    "jaccard": {"full": {"5": 0.1, "10": 0.2}, "common": {"5": 0.3, "10": 0.4}},
}  # fmt: skip
EVERY_WORD = {
    "pearson": SUMMARY | {"n": 900}, "undefined": 2,
    "histogram": {"counts": [1, 2, 3, 4], "edges": [-1.0, -0.5, 0.0, 0.5, 1.0]},
    "moved": {"most": [{"word": "tariff", "pearson": -0.25}], "least": [{"word": "dollar", "pearson": 0.75}]},
}  # fmt: skip


def changed(change: float | None, neighbours: float) -> dict[str, Any]:
    interval = None if change is None else [change - 0.1, change + 0.1]
    return {"change": change, "interval": interval, "neighbours": neighbours}


MOVED = {
    "common": 900, "asked": 900, "median": 0.21, "median_neighbours": 0.41, "words": {}, "floor_of": "0" * 64,
    "over_trainings": True,
    "floor": {"change": 0.35, "neighbours": 0.55, "above": 0.125, "above_neighbours": 0.0625},
    "most": {"atomic": changed(0.875, 0.9)}, "most_by_neighbours": {"missile\u202e": changed(0.8, 0.95)},
}  # fmt: skip


def moved(
    a: Submission, b: Submission, found: dict[str, Any] | None, *, common_words: int = 900, reason: str = ""
) -> None:
    figures = {
        "mean": None, "se": None, "n": 0, "common_words": common_words, "reason": reason, "closely": found,
    }  # fmt: skip
    PairCorrelation.objects.create(
        left=a, right=b, left_sha256=a.vectors_sha256, right_sha256=b.vectors_sha256, cues=DRIFT.stored,
        cues_key=DRIFT.key, figures=figures,
    )  # fmt: skip


def test_words_that_moved_are_shown_both_ways_with_the_floor_of_two_runs(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    moved(a, b, MOVED)
    page = stranger.get(address("pair", a, b)).content.decode()
    for expected in ("Of the first 900 common words", "0.875", "0.775 to 0.975", "floor 0.350", "12.50 %",
                     "between two runs of <bdi>entry 0</bdi>", "atomic", "missile",
                     "over the anchor words and trainings", "variance between these runs is part"):  # fmt: skip
        assert expected in page, expected
    assert "\u202e" not in page
    assert "Neither entry has several runs" not in page


def test_words_that_moved_may_fail_alone_and_say_why(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    moved(a, b, None, common_words=0, reason="It could not be computed in 3 tries.")
    close_look(a, b)
    page = stranger.get(address("pair", a, b, more="&cues=freedom, peace")).content.decode()
    assert "tariff" in page
    assert "It could not be computed in 3 tries." in page.split('id="moved"')[1]


def test_without_runs_the_page_says_why_there_is_no_floor(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    moved(a, b, MOVED | {"floor": None, "floor_of": "", "over_trainings": False})
    page = stranger.get(address("pair", a, b)).content.decode()
    assert "Neither entry has several runs" in page
    assert "intervals over the anchor words only" in page
    assert "0.875" in page


def test_entries_of_other_dimensions_are_compared_by_neighbours_alone(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    unaligned = {"median": None, "most": {}, "most_by_neighbours": {"missile": changed(None, 0.95)}}
    moved(a, b, MOVED | unaligned | {"floor": {"change": 0.3, "neighbours": 0.5, "above": None, "above_neighbours": 1}})
    page = stranger.get(address("pair", a, b)).content.decode()
    assert "they cannot be aligned" in page
    assert 'id="moved-aligned' not in page
    assert "0.950" in page


def close_look(a: Submission, b: Submission) -> None:
    typed = chosen({"cues": "freedom, peace"}, "en")
    for cues, found in ((typed, LISTED), (RANDOM, LISTED), (EVERY, EVERY_WORD)):
        figures = {"mean": 0.5, "se": 0.05, "n": 1, "common_words": 900, "reason": "", "closely": found}
        PairCorrelation.objects.create(
            left=a, right=b, left_sha256=a.vectors_sha256, right_sha256=b.vectors_sha256, cues=cues.stored,
            cues_key=cues.key, figures=figures,
        )  # fmt: skip


def test_a_close_look_shows_cues_distribution_overlap_and_the_words_that_moved(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    close_look(a, b)
    page = stranger.get(address("pair", a, b, more="&cues=freedom, peace")).content.decode()
    for expected in ("1 of 2", "Not in both vocabularies", "Histogram of the Pearson correlation of 900 words",
                     "N 10: 0.200 in full vocabularies", "tariff", "dollar", "2 words have no"):  # fmt: skip
        assert expected in page, expected


def test_own_cues_are_selected_until_another_set_is(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    page = stranger.get(address("pair", a, b, more="&cues=freedom, peace")).content.decode()
    assert '<option value="typed" selected>Your own cues</option>' in page
    assert page.split('id="set"')[1].split("</select>")[0].count(" selected") == 1
    form = {"page": "pair", "e": [a.pk, b.pk], "was": "typed", "cues": "freedom, peace"}
    for chosen_set, expected in (("typed", "cues=freedom%2C+peace"), ("random", "set=random")):
        assert stranger.post("/compare/correlate", form | {"set": chosen_set})["Location"].endswith(expected)
    assert 'value="typed"' not in stranger.get(address("pair", a, b)).content.decode()


def test_the_same_vectors_twice_need_no_worker(submission: Make, stranger: Client) -> None:
    rows = [submission(name=f"e{i}", vectors_sha256="a" * 64) for i in range(2)]
    assert "every correlation is 1 by definition" in stranger.get(address("pair", *rows)).content.decode()


def test_too_few_common_words_are_reported_instead_of_figures(entries: Any, stranger: Client) -> None:
    a, b = entries(2)
    pair = known(a, b, 0.0)
    refused = {"mean": None, "n": 0, "common_words": 0, "reason": "They have 7 words in common.", "closely": None}
    PairCorrelation.objects.filter(pk=pair.pk).update(figures=pair.figures | refused)
    assert "They have 7 words in common." in stranger.get(address("pair", a, b)).content.decode()


def test_a_page_that_waits_shows_the_result_by_itself_and_a_finished_one_does_not_poll(
    entries: Any, stranger: Client
) -> None:
    rows = entries(3)
    known(rows[0], rows[1], 0.5)
    answer = stranger.post("/compare/correlate", {"page": "heat", "e": [row.pk for row in rows]})
    page = stranger.get(answer.url).content.decode()
    assert "1 of 3 pairs are done. It appears here by itself." in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert page.index("data-waiting") < page.index('id="result"')
    PairCorrelation.objects.update(figures=PairCorrelation.objects.exclude(figures=None).get().figures)
    page = stranger.get(answer.url).content.decode()
    assert "data-waiting" not in page
    assert "http-equiv" not in page
    assert 'id="result"' in page


def test_a_comparison_polls_the_map_alone(entries: Any, stranger: Client) -> None:
    """The other parts of the page are not computed again."""
    rows = entries(2)
    stranger.post("/compare/correlate", {"e": [row.pk for row in rows], "cues": "freedom"})
    page = stranger.get(address("heat", *rows, more="&cues=freedom").replace("/heat", "")).content.decode()
    source = page.split('data-waiting="')[1].split('"')[0].replace("&amp;", "&")
    assert source == address("heat", *rows, more="&cues=freedom")
    assert 'id="result"' in stranger.get(source).content.decode()


def test_the_map_says_how_many_cues_it_used_and_which_not(entries: Any, stranger: Client) -> None:
    rows = entries(3)
    for other, unknown in ((rows[1], ["taxes", "covfefe"]), (rows[2], ["covfefe"])):
        pair = known(rows[0], other, 0.5)
        cues = chosen({"cues": "freedom, taxes, covfefe"}, "en")
        PairCorrelation.objects.filter(pk=pair.pk).update(
            cues=cues.stored, cues_key=cues.key, figures=pair.figures | {"n": 3 - len(unknown), "unknown": unknown}
        )
    page = stranger.get(address("heat", *rows, more="&cues=freedom,taxes,covfefe")).content.decode()
    assert "cosines of 1 to 2 of 3 cues with all words" in page
    text = re.sub("<[^>]+>", "", page)
    assert "not found in both vocabularies of any pair: covfefe. Cues not found for some pairs: taxes." in text
    PairCorrelation.objects.update(figures=pair.figures | {"n": 3})
    page = stranger.get(address("heat", *rows, more="&cues=freedom,taxes,covfefe")).content.decode()
    assert "cosines of 3 cues with all words" in page
