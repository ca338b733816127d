"""The verdict on compared entries: its arithmetic with typed numbers, and its sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from benchmark.compare.entries import Picked
from benchmark.compare.scores import (
    EntryDifference,
    ScoreDifferences,
    SharedWordsCell,
    SharedWordsRow,
    corrected,
)
from benchmark.compare.verdict import NO_BREAK, Verdict, chart_of, short_names, verdict_on, verdict_on_words
from benchmark.leaderboard.columns import MEANS, Column
from benchmark.submissions.models import Submission
from tasks.metrics import SPEARMAN
from tasks.results import AS_USED
from tests.benchmark.reports import report_of

OVERALL = MEANS[0]
Typed = tuple[float, float | None]
"""A difference in points, and its p; None: not tested."""
RANKED = 17


def verdict_of(differences: ScoreDifferences) -> Verdict:
    """With letters as names and plain spaces, for reading."""
    verdict = verdict_on(differences, [], "A")
    assert verdict is not None
    named = verdict.named({letter: letter for letter in differences.letters})
    plain = [text.replace(NO_BREAK, " ") for text in (named.title, *named.details, named.note)]
    return Verdict(plain[0], tuple(plain[1:-1]), plain[-1], named.best)


def task(number: int, group: str = "Fixed") -> Column:
    return Column(f"task-{number}.fixed", f"Task {number}", group, "reduction", "")


def difference(typed: Typed | None, differ: bool | None = None) -> EntryDifference:
    if typed is None:
        return EntryDifference(None, reason="B: no data")
    points, p = typed
    ends = ((points - 2.4) / 100, (points + 2.4) / 100)
    tests = RANKED - 1 if differ is not None else 1
    return EntryDifference(points / 100, ends, error=0.034 / 2.8016, p=p, differ=differ, tests=tests)


def pair(overall: Typed | None, differ: bool | None, *tasks: Typed | None) -> dict[str, EntryDifference]:
    family = corrected([difference(typed) for typed in tasks])
    keys = [task(number).key for number in range(len(tasks))]
    return {OVERALL.key: difference(overall, differ)} | dict(zip(keys, family, strict=True))


def of_pairs(
    overall: Mapping[str, float | None], pairs: Mapping[tuple[str, str], dict[str, EntryDifference]]
) -> ScoreDifferences:
    values = {letter: {} if value is None else {OVERALL.key: value / 100} for letter, value in overall.items()}
    count = sum(key.startswith("task") for key in next(iter(pairs.values())))
    return ScoreDifferences((OVERALL, *map(task, range(count))), values, pairs)


def two(overall: Typed | None, differ: bool | None, *tasks: Typed | None) -> ScoreDifferences:
    points = None if overall is None else overall[0]
    return of_pairs({"A": points, "B": None if points is None else 0.0}, {("A", "B"): pair(overall, differ, *tasks)})


def test_the_better_of_two_is_named_with_its_difference_and_the_tasks_that_hold_after_holm() -> None:
    """Times 4, 3, 2 and 1 in their order: 0.004, 0.03, 0.08 and 0.5; only the first two are below 0.05."""
    found = verdict_of(two((3.9, 0.001), True, (5, 0.001), (4, 0.01), (3, 0.04), (-1, 0.5)))
    assert found.title == "A is clearly better overall, by 3.9 points (1.5 to 6.3), and on 2 of 4 tasks; B on none"
    assert "the 4 scores of this pair" in found.note
    assert found.details == ("A: task 0 (fixed), task 1 (fixed).",)


def test_the_verdict_overall_is_the_boards_whatever_p_is() -> None:
    clear = verdict_of(two((3.9, 0.04), True, (0, 1)))
    assert clear.title == "A is clearly better overall, by 3.9 points (1.5 to 6.3), though on none of 1 task alone"
    assert "Neither is clearly better" in verdict_of(two((3.9, 0.001), False, (0, 1))).title


def test_the_second_entry_can_win_and_the_first_have_tasks() -> None:
    found = verdict_of(two((-3.9, 0.001), True, (-5, 0.001), (4, 0.001), (-4, 0.001)))
    assert found.title == "B is clearly better overall, by 3.9 points (1.5 to 6.3), and on 2 of 3 tasks; A on 1"


def test_a_draw_names_the_difference_that_the_test_sets_would_miss() -> None:
    """The threshold of the first of 16 tests: (2.955 + 0.842) · 1.214 points."""
    found = verdict_of(two((0.4, 0.6), False, (1, 0.5), (-2, 0.2)))
    assert found.title == "Neither is clearly better, overall or on any of 2 tasks"
    assert found.details == (
        "Overall, A is ahead by 0.4 points (−2.0 to 2.8). These test sets would often miss a difference under 4.6 "
        "points.",
    )


def test_a_draw_overall_may_hide_differences_in_tasks() -> None:
    found = verdict_of(two((0.4, 0.6), False, (5, 0.001), (-5, 0.001), (-4, 0.002)))
    assert found.title == "Neither is clearly better overall. B is clearly better on 2 of 3 tasks, A on 1"


def test_an_interval_above_zero_that_does_not_hold_after_the_correction_is_no_win_and_says_so() -> None:
    found = verdict_of(two((2.5, 0.04), False, (1, 0.5)))
    assert found.title.startswith("Neither is clearly better")
    assert (
        "A is ahead by 2.5 points (0.1 to 4.9), which is clear alone, but not after correction for 16 tests on the "
        "leaderboard." in found.details[0]
    )


def test_the_verdict_says_over_how_many_shared_tasks_it_is() -> None:
    found = verdict_of(two((3.9, 0.001), True, (5, 0.001), None, (2, None)))
    assert "on 1 of 1 task; B on none" in found.title
    assert found.details[-1] == "The other 2 of 3 tasks lack a score of one or were measured differently."


def test_without_an_overall_mean_the_verdict_is_on_the_shared_tasks() -> None:
    found = verdict_of(two(None, None, (5, 0.001), (1, 0.5), None))
    assert found.title == "No verdict overall. A is clearly better on 1 of 2 tasks, B on none"
    assert found.details[0] == "Overall: B: no data"


def test_without_any_test_there_is_no_verdict() -> None:
    found = verdict_of(two((3.9, None), None, (5, None)))
    assert found.title == "No verdict on A and B"
    assert "could be tested" in found.details[0]


def test_of_two_sizes_the_difference_as_used_is_named() -> None:
    of_sizes = pair((0.4, 0.6), False, (5, 0.5)) | {OVERALL.key + AS_USED: replace(difference((-6.0, 0.2)), tests=3)}
    found = verdict_of(of_pairs({"A": 0.4, "B": 0.0}, {("A", "B"): of_sizes}))
    assert found.details[1] == (
        "Each is compared with the baseline of its own size. As used, where more dimensions are an advantage, B is "
        "ahead by 6.0 points (3.6 to 8.4); clear alone, but not after correction for 3 tests."
    )


THREE = {"A": 1.0, "B": 5.0, "C": 3.0}


@pytest.mark.parametrize(
    ("of_a", "of_c", "title"),
    [
        (True, True, "B is clearly better overall than each of the others"),
        (True, False, "B is highest overall, clearly better than A; C too close to call"),
        (False, False, "B is highest overall; A and C too close to call"),
        (None, True, "B is highest overall, clearly better than C"),
        (None, None, "B is highest overall, but no difference could be tested"),
    ],
)
def test_the_highest_of_three_is_not_called_better_if_it_ties(of_a: bool | None, of_c: bool | None, title: str) -> None:
    def tested(points: float, differ: bool | None) -> dict[str, EntryDifference]:
        return pair((points, None if differ is None else 0.01), differ, (0, 1))

    pairs = {("A", "B"): tested(-4, of_a), ("A", "C"): tested(-2, False), ("B", "C"): tested(2, of_c)}
    found = verdict_of(of_pairs(THREE, pairs))
    assert (found.best, found.title) == ("B", title)
    assert ("Not tested: A" in " ".join(found.details)) == (of_a is None)


def test_an_entry_without_an_overall_mean_takes_no_part_in_the_order() -> None:
    pairs = {
        ("A", "B"): pair(None, None, (9, 0.001)),
        ("A", "C"): pair(None, None, (0, 1)),
        ("B", "C"): pair((2, 0.001), True, (3, 0.001)),
    }
    found = verdict_of(of_pairs({"A": None, "B": 5.0, "C": 3.0}, pairs))
    assert found.title == "B is highest overall, clearly better than C"
    assert found.details == ("Not tested: A.",)


def test_several_entries_of_which_fewer_than_two_have_a_mean_have_no_chart() -> None:
    none = pair(None, None, (1, 0.5))
    pairs = {("A", "B"): none, ("A", "C"): none, ("B", "C"): none}
    differences = of_pairs({"A": 1.0, "B": None, "C": None}, pairs)
    assert verdict_of(differences).title == "No verdict on these 3"
    assert chart_of(differences, entries("first", "second", "third"), "") is None


def entries(*names: str) -> list[Picked]:
    return [
        Picked(letter, Submission(pk=letter.lower(), name=name, dimensions=50 * (1 + place)), report_of(0.1), None)
        for place, (letter, name) in enumerate(zip("ABC", names, strict=False))
    ]


def test_the_chart_of_two_names_the_winner_of_each_row_in_its_colour() -> None:
    differences = two((3.9, 0.001), True, (1, 0.5), (5, 0.001), None, (-4, 0.001), (2.5, 0.04))
    chart = chart_of(differences, entries("first", "second"), "A")
    assert chart is not None
    assert [(row.label, row.winner, row.colour, row.by) for row in chart.rows] == [
        ("Task 3", "second", "c1", "by 4.0"),
        ("Task 0", "", "c0", "too close to call"),
        ("Task 4", "", "c0", "first by 2.5: clear alone, but not after correction for 4 tests"),
        ("Task 1", "first", "c0", "by 5.0"),
        ("Task 2", "", "c0", "too close to call"),
    ]
    assert ["unclear" in row.drawn for row in chart.rows[:4]] == [False, True, True, False]
    assert "<circle" not in chart.rows[-1].drawn
    assert chart.rows[0].link == "/compare/differ?e=a&e=b&cell=task-3.fixed"
    assert chart.overall is not None
    assert (chart.overall.winner, chart.overall.by) == ("first", "by 3.9")


def test_the_chart_of_several_has_their_overall_means_with_their_verdicts_against_the_best() -> None:
    pairs = {
        ("A", "B"): pair((-4, 0.001), True, (0, 1)),
        ("A", "C"): pair((-2, 0.5), False, (0, 1)),
        ("B", "C"): pair((2, 0.5), False, (0, 1)),
    }
    chart = chart_of(of_pairs(THREE, pairs), entries("first", "second", "third"), "B")
    assert chart is not None
    assert [(row.label, row.by, row.link) for row in chart.rows] == [
        ("second", "highest", ""),
        ("third", "too close to call", "/compare?e=b&e=c"),
        ("first", "clearly worse, by 4.0", "/compare?e=b&e=a"),
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("CBOW, 50 dimensions", "GloVe, 100 dimensions"), ["CBOW", "GloVe"]),
        (("CBOW, 50 dimensions", "CBOW, 100 dimensions"), ["CBOW (50 d)", "CBOW (100 d)"]),
    ],
)
def test_a_size_is_in_a_name_where_it_tells_two_apart(names: tuple[str, str], expected: list[str]) -> None:
    assert list(short_names(entries(*names)).values()) == expected


def on_words(*rows: Sequence[Typed]) -> list[SharedWordsRow]:
    """Rows of correlations with their p, the first entry's being the reference."""
    families = zip(*([SharedWordsCell(value, value, 100, p=p) for value, p in row] for row in rows), strict=True)
    cells = zip(*map(corrected, families), strict=True)
    return [SharedWordsRow("", "", SPEARMAN, 100, 100, None, row) for row in cells]


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (
            [[(0.5, None), (0.7, 0.001)], [(0.5, None), (0.6, 0.04)]],
            "B is closer to people on 2 of 2 data sets, A on none",
        ),
        (
            [[(0.5, None), (0.7, 0.03)], [(0.5, None), (0.6, 0.03)]],
            "A and B are too close to call on each of 2 data sets",
        ),
        ([[(0.5, None), (0.3, 0.001)]], "A is closer to people on 1 of 1 data set, B on none"),
        (
            [[(0.5, None), (0.3, 0.001), (0.5, 0.9)]],
            "On 1 data set, closer to people than A: B on none, not as close on 1; C on none, not as close on none",
        ),
    ],
)
def test_without_error_reductions_the_verdict_counts_data_sets(rows: list[Sequence[Typed]], title: str) -> None:
    found = verdict_on_words(on_words(*rows), "ABC"[: len(rows[0])], "A")
    assert found is not None
    assert found.named({letter: letter for letter in "ABC"}).title == title


def test_without_common_pairs_there_is_no_verdict_on_words() -> None:
    assert verdict_on_words([], "AB", "A") is None


def test_names_with_braces_and_markup_stay_text() -> None:
    verdict = Verdict("{A} is better, p < 0.05", (), "")
    assert verdict.named({"A": "{B} <b>"}).title == "{B} <b> is better, p < 0.05"
    assert verdict.coloured({"A": "{B} <b>"}, {"A": "c0"}).title == (
        '<strong class="c0"><bdi>{B} &lt;b&gt;</bdi></strong> is better, p &lt; 0.05'
    )
    missing = pair(None, None, (1, 0.5)) | {OVERALL.key: EntryDifference(None, reason="{C}: no data")}
    assert verdict_of(of_pairs({"A": None, "B": 1.0}, {("A", "B"): missing})).details[0] == "Overall: {C}: no data"
