"""The first screen: typed rows by size or on one axis, and the answer that the tests give."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard import board as boards
from benchmark.leaderboard import columns, jobs, ranking_data
from benchmark.leaderboard.board import NOT_RANKED, RANK_COMING, Board, Cell, Kinds, Row, board_of
from benchmark.leaderboard.first_screen import (
    FirstScreen,
    RankedEntry,
    SizeGroup,
    answer,
    first_screen_of,
    name_without_size,
)
from benchmark.leaderboard.query import USED, BoardQuery
from benchmark.submissions.models import StoredReport, Submission, Visibility
from plots.drawing import Markup
from tasks.results import Aggregates, ErrorReduction
from tests.benchmark.conftest import Make
from tests.benchmark.reports import REASON, SUITE, report_of
from tests.benchmark.scores import figure

MEANS = ("overall", "overall-as-used")


def entered(
    submission: Make, name: str, shift: float, dimensions: int = 10, *, used: float | None = None, **columns: object
) -> Submission:
    """An entry with a rank: its error reductions, at equal size and as used, with a standard error of 0.01."""
    report = report_of(shift)
    as_used = None if used is None else Aggregates(used, used, used, {})
    report = replace(report, vectors={**report.vectors, "dimensions": dimensions}, as_used=as_used)
    if used is not None:
        results = tuple(replace(one, as_used=one.mode and ErrorReduction(used)) for one in report.results)
        report = replace(report, results=results)
    row = submission(name=name, body=report.to_json(), dimensions=dimensions, **columns)
    noise = np.random.default_rng(len(name) + dimensions).normal(0, 0.01, 1000)
    figures = {key: figure(value, noise) for key, value in zip(MEANS, (shift, used), strict=True) if value is not None}
    ranking_data.save(row.report.entry, figures, {})
    return row


def ranked() -> None:
    jobs.compute(SUITE.id, SUITE.version)


def shown(query: BoardQuery | None = None) -> tuple[Board, FirstScreen]:
    board = board_of(SUITE, query or BoardQuery(), by_rank=True)
    assert not board.is_table
    return board, first_screen_of(board)


def by_size(screen: FirstScreen) -> dict[int | None, list[tuple[str, str]]]:
    return {group.dimensions: [(one.name, one.row.place) for one in group.entries] for group in screen.groups}


def test_entries_are_ranked_within_their_size_largest_first_and_controls_are_apart(submission: Make) -> None:
    entered(submission, "better", 0.5, 50), entered(submission, "worse", 0.1, 50)
    entered(submission, "alone", 0.2, 300), entered(submission, "noise", 0.9, 300, algorithm="random")
    ranked()
    _, screen = shown()
    assert by_size(screen) == {300: [("alone", "2")], 50: [("better", "1"), ("worse", "2")]}
    assert [entry.name for entry in screen.controls] == ["noise"]
    assert [group.total for group in screen.groups] == [1, 2]


def test_where_ranks_tie_published_vectors_come_before_better_ones(
    submission: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered(submission, "own", 0.305), entered(submission, "clear", 0.9)
    known = entered(submission, "known", 0.3)
    ranked()
    for published, order in (([], ["clear", "own", "known"]), ([known.pk], ["clear", "known", "own"])):
        monkeypatch.setattr(boards, "published_entries", lambda _, ids=published: set(ids))
        (group,) = shown()[1].groups
        assert [entry.name for entry in group.entries] == order
        assert [entry.name for entry in group.entries if entry.is_published] == ["known"] * len(published)


def test_an_entry_without_a_rank_is_last_in_its_size_and_says_why(submission: Make) -> None:
    entered(submission, "ranked", 0.1)
    submission(name="unranked", ranked=False, shift=0.3)
    blank = report_of(0.9, missing=["ner"])
    submission(name="blank", body=blank.to_json())
    ranked()
    submission(name="new", shift=0.2)
    (group,) = shown()[1].groups
    why = {entry.name: entry.row.why_no_rank for entry in group.entries}
    assert list(why) == ["ranked", "unranked", "new", "blank"]
    assert why == {
        "ranked": "",
        "unranked": NOT_RANKED,
        "new": RANK_COMING,
        "blank": "No mean, because ner is missing.",
    }


def test_as_used_all_sizes_are_on_one_axis_with_the_other_figure(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "sizes_of", lambda *_: [50, 300])
    entered(submission, "small", 0.5, 50, used=-0.2), entered(submission, "large", 0.1, 300, used=0.3)
    ranked()
    board, screen = shown(BoardQuery(view=USED))
    (group,) = screen.groups
    assert group.dimensions is None
    found = [(one.name, one.row.place, one.drawn.value, one.other and one.other.value) for one in group.entries]
    assert found == [("large", "1", 0.3, 0.1), ("small", "2", -0.2, 0.5)]
    assert board.columns[0].key == "overall-as-used"
    equal = shown()[1].groups
    assert [(one.drawn.value, one.other and one.other.value) for group in equal for one in group.entries] == [
        (0.1, 0.3), (0.5, -0.2),
    ]  # fmt: skip
    assert 'href="?view=used"' in stranger.get("/").content.decode()


def test_a_board_with_one_baseline_has_one_view(submission: Make, stranger: Client) -> None:
    entered(submission, "only", 0.5)
    ranked()
    board, screen = shown(BoardQuery(view=USED))
    assert (board.columns[0].key, screen.other) == ("overall", None)
    assert "view=used" not in stranger.get("/").content.decode()


def test_a_task_is_drawn_and_ranked_instead_of_the_mean(submission: Make) -> None:
    row = submission(name="a")
    report = report_of(0.1)
    cells = [replace(one, relative_error_reduction=0.7) if one.task == "ner" else one for one in report.results]
    StoredReport.objects.create(submission=row, body=replace(report, results=tuple(cells)).to_json())
    ranking_data.save(row.report.entry, {"ner.fixed": figure(0.7, np.random.default_rng(1).normal(0, 0.01, 100))}, {})
    ranked()
    ((drawn,),) = (group.entries for group in shown(BoardQuery(task="ner.fixed"))[1].groups)
    assert (drawn.drawn.value, drawn.row.place) == (0.7, "1")
    board, screen = shown(BoardQuery(task="nothing"))
    assert (board.columns[0].key, [one.name for one in board.query.ignored]) == ("overall", ["task"])
    assert ("ner.fixed", "Names, fixed") in screen.tasks


def test_tasks_clearly_better_or_worse_are_named_and_a_task_that_is_both_with_its_modes(submission: Make) -> None:
    ends = {
        ("pos", "fixed"): (0.1, 0.2), ("pos", "fine-tuned"): (-0.1, 0.2), ("ner", "fixed"): (0.1, 0.2),
        ("ner", "fine-tuned"): (-0.2, -0.1), ("chunk", "fixed"): (-0.2, -0.1),
    }  # fmt: skip
    report = report_of(0.1)
    cells = [
        replace(one, relative_error_reduction_interval=ends.get((one.task, one.mode), (-0.1, 0.1))) if one.mode else one
        for one in report.results
    ]
    submission(name="a", body=replace(report, results=tuple(cells)).to_json())
    ((entry,),) = (group.entries for group in shown()[1].groups)
    assert entry.better == ("tagging", "names (fixed)")
    assert entry.worse == ("chunking", "names (fine-tuned)")


def test_of_a_large_size_the_first_are_shown_and_a_link_leads_to_all_page_by_page(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "MOST_OF_SIZE", 3)
    names = {f"large{nth}" for nth in range(5)}
    for nth, name in enumerate(sorted(names)):
        submission(name=name, shift=nth / 10)
    submission(
        name="small",
        dimensions=5,
        body=replace(report_of(0.1), vectors={**report_of(0.1).vectors, "dimensions": 5}).to_json(),
    )
    board, screen = shown()
    assert [(group.dimensions, len(group.entries), group.total) for group in screen.groups] == [(10, 3, 5), (5, 1, 1)]
    assert (board.total, screen.groups[0].more) == (6, "?dim-min=10&dim-max=10")
    query, seen = BoardQuery(least=10, most=10), []
    while True:
        page = board_of(SUITE, query, size=2, by_rank=True)
        seen += [row.facts.name for row in page.rows]
        if not page.next_after:
            break
        query = replace(query, after=page.next_after)
    assert (len(seen), set(seen)) == (5, names)
    assert ">Show all</a>" in stranger.get("/").content.decode()


def test_the_next_page_continues_at_the_same_place_if_the_last_entry_is_gone(submission: Make) -> None:
    for nth in range(4):
        entered(submission, f"e{nth}", 0.8 - 0.2 * nth)
    ranked()
    first = board_of(SUITE, BoardQuery(), size=2, by_rank=True)
    assert [row.facts.name for row in first.rows] == ["e0", "e1"]
    Submission.objects.filter(name="e1").update(visibility=Visibility.PRIVATE)
    rest = board_of(SUITE, BoardQuery(after=first.next_after), size=2, by_rank=True)
    assert [row.facts.name for row in rest.rows] == ["e2", "e3"]


@pytest.mark.parametrize(
    ("name", "dimensions", "short"),
    [
        ("GloVe 6B, 50 dimensions", 50, "GloVe 6B"),
        ("glove.6B.50d", 50, "glove.6B"),
        ("word2vec (300-dim) news", 300, "word2vec news"),
        ("word2vec 1300d", 300, "word2vec 1300d"),
        ("GloVe 6B, 50 dimensions", 100, "GloVe 6B, 50 dimensions"),
        ("50d", 50, "50d"),
        ("3000 words", 300, "3000 words"),
        ("no size", None, "no size"),
    ],
)
def test_a_name_is_shown_without_its_own_number_of_dimensions(name: str, dimensions: int | None, short: str) -> None:
    assert name_without_size(name, dimensions) == short


def group(dimensions: int, *entries: tuple[str, int, int, float, str], baseline: str = "") -> SizeGroup:
    """Entries of one size: name, first and last rank, error reduction, its side of the baseline."""
    rows = tuple(
        RankedEntry(
            row=Row(None, 0, first, last, "", ()),  # type: ignore[arg-type]
            name=name, is_published=False, mistaken_for="", lane=Markup(""), side=side,
            drawn=Cell(value, None, None, None, ""), other=None, better=(), worse=(), is_tested=False,
        )
        for name, first, last, value, side in entries
    )  # fmt: skip
    return SizeGroup(dimensions, len(rows), sum(entry.row.rank > 0 for entry in rows), rows, baseline=baseline)


def said(*groups: SizeGroup) -> list[str]:
    """The verdict and the sentences, without markup."""
    found = answer(groups)
    return [re.sub("<[^>]+>", "", text) for text in (found.verdict, *found.sentences)]


WINNER = group(100, ("A, wide", 1, 1, 0.08, "better"), ("B", 2, 3, 0.04, "better"), ("C", 2, 3, 0.03, "better"))
TIED = group(50, ("D", 1, 2, 0.061, "better"), ("E", 1, 2, 0.08, "better"), ("F", 3, 3, -0.2, "worse"))


def test_without_ranks_nothing_is_best() -> None:
    assert said() == ["No vectors are ranked yet."]
    assert said(group(50, ("A", 0, 0, 0.1, "better"), ("B", 0, 0, 0.1, "better"))) == ["No vectors are ranked yet."]


def test_entries_alone_at_their_sizes_are_not_compared() -> None:
    alone = [group(100, ("A", 1, 1, 0.1, "better")), group(50, ("B", 1, 1, 0.2, "better"), ("C", 0, 0, 0.3, "better"))]
    assert said(*alone)[0] == "Too few to tell."


def test_a_size_in_which_only_a_control_leads_is_left_out() -> None:
    behind = group(50, ("A", 2, 2, 0.1, "better"), ("B", 3, 3, 0.0, "close"))
    assert said(behind)[0] == "Too few to tell."
    assert len(said(behind, WINNER)) == 2


def test_one_winner_of_one_size_works_best() -> None:
    verdict, sentence = said(WINNER)
    assert verdict == "A, wide works best."
    assert sentence == (
        "At 100 dimensions, A (wide) is clearly better than each of the 2 others: "
        "it avoids 8 % of the errors of SVD-PPMI vectors of that size."
    )


def test_entries_that_the_tests_do_not_tell_apart_are_no_winners() -> None:
    verdict, first, second = said(WINNER, TIED)
    assert verdict == "No single winner."
    assert first.startswith("At 100 dimensions, A (wide) is clearly better")
    assert second == "At 50, D and E are too close to call (6 to 8 %)."


def test_the_same_winner_at_every_size_works_best_and_different_ones_do_not() -> None:
    again = replace(WINNER, dimensions=50)
    other = group(25, ("Z", 1, 1, 0.1, "better"), ("B", 2, 2, 0.0, "close"))
    assert said(WINNER, again)[0] == "A, wide works best."
    assert said(WINNER, other)[0] == "Each size has its winner."


def test_an_entry_that_nothing_beats_is_no_winner_unless_it_beats_every_other() -> None:
    wide = group(50, ("A", 1, 3, 0.05, "close"), ("B", 2, 2, 0.0, "close"), ("C", 2, 3, 0.0, "close"))
    verdict, sentence = said(wide)
    assert verdict == "No single winner."
    assert sentence == (
        "At 50 dimensions, nothing is clearly better than A, and not clearly better than SVD-PPMI vectors of that size."
    )


def test_no_share_is_given_unless_every_leading_entry_is_clearly_better_than_the_baseline() -> None:
    mixed = group(50, ("A", 1, 2, 0.05, "better"), ("B", 1, 2, -0.01, "close"))
    assert said(mixed)[1] == "At 50 dimensions, A and B are too close to call."
    other_size = replace(TIED, baseline="100 dimensions, the fewest that are published")
    assert said(other_size)[1].endswith("too close to call: they avoid 6 to 8 % of the errors of SVD-PPMI.")


def test_many_leading_entries_are_counted_and_only_the_largest_sizes_are_named() -> None:
    many = group(50, *[(f"e{nth}", 1, 9, 0.1, "better") for nth in range(9)])
    assert "e0, e1 and 7 more are too close to call" in said(many)[1]
    sizes = [replace(TIED, dimensions=size, ranked=size) for size in (600, 300, 200, 100)]
    assert [sentence.split(",")[0] for sentence in said(*sizes)[1:]] == ["At 600 dimensions", "At 300", "At 200"]


def test_markup_in_a_name_is_text_in_the_answer() -> None:
    found = answer([group(50, ("<b>A", 1, 1, 0.1, "better"), ("B", 2, 2, 0.0, "close"))])
    assert all("<b>" not in text and "&lt;b&gt;A" in text for text in (found.verdict, *found.sentences))


def test_the_answer_is_beside_whole_sizes_only(submission: Make, stranger: Client) -> None:
    entered(submission, "better", 0.5), entered(submission, "worse", 0.1)
    ranked()
    pages = {path: stranger.get(path).content.decode() for path in ("/", "/?q=worse", "/?task=ner.fixed")}
    assert [path for path, page in pages.items() if 'class="answer"' in page] == ["/"]


def test_a_reason_for_a_blank_is_shown_in_its_row(submission: Make, stranger: Client) -> None:
    submission(name="blank", body=report_of(0.9, missing=["ner"]).to_json())
    row = stranger.get("/").content.decode().split("<bdi>blank</bdi>")[1].split("</tr>")[0]
    assert "No mean, because ner is missing." in row
    task = stranger.get("/?task=ner.fixed").content.decode().split("<bdi>blank</bdi>")[1].split("</tr>")[0]
    assert REASON in task


@pytest.mark.parametrize("view", ["?c=ner.fixed", "?sort=-overall", "?rows=roomy", "?view=heat", "?view=scores"])
def test_addresses_of_the_table_lead_to_it_and_its_links_and_form_stay_there(
    submission: Make, stranger: Client, view: str
) -> None:
    submission()
    page = stranger.get(f"/{view}").content.decode()
    assert 'id="explained"' in page
    assert 'class="compare"' in page
    assert 'name="view" value="' in page.split('role="search"')[1].split("</form>")[0]
    (usual,) = re.findall(r'<a href="([^"]+)">usual</a>|<strong>(usual)</strong>', page)
    assert usual[1] or "view=" in usual[0]


def test_the_doors_of_every_page(submission: Make, stranger: Client, settings: object) -> None:
    settings.HAS_DOCS = True  # type: ignore[attr-defined]
    row = submission()
    for path in ("/", f"/r/{row.pk}"):
        header = stranger.get(path).content.decode().split('<nav aria-label="Site">')[1].split("</header>")[0]
        doors = re.findall(r'<a href="([^"?]+)[^>]*>([^<]+)</a>', header)
        assert doors == [
            ("/", "Leaderboard"), ("/find", "Find vectors"), ("/compare", "Compare"),
            ("/study", "Study texts"), ("/docs/", "Docs"), ("/account/login/", "Sign in"),
        ]  # fmt: skip


def test_kinds_are_known_only_where_they_order_the_entries(submission: Make) -> None:
    submission(algorithm="random")
    assert board_of(SUITE, BoardQuery()).kinds == Kinds()
