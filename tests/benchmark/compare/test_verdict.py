"""The verdict on compared entries: its arithmetic with typed numbers, and its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmark.compare.scores import EntryDifference, ScoreDifferences, SharedWordsCell, SharedWordsRow, corrected
from benchmark.compare.verdict import NO_BREAK, Verdict, charts_of_differences, verdict_on_words
from benchmark.compare.verdict import verdict_of as with_no_break
from benchmark.leaderboard.columns import MEANS, Column
from tasks.metrics import SPEARMAN

OVERALL = MEANS[0]
Typed = tuple[float, float | None]
"""A difference in points, and its p; None: not tested."""


def verdict_of(found: ScoreDifferences) -> Verdict:
    """With plain spaces, for reading."""
    verdict = with_no_break(found)
    details = tuple(detail.replace(NO_BREAK, " ") for detail in verdict.details)
    return replace(verdict, title=verdict.title.replace(NO_BREAK, " "), details=details)


def cell(nth: int) -> Column:
    return Column(f"task-{nth}.fixed", f"Task {nth}", "Fixed", "reduction", "")


def differences(
    overall: dict[str, float | None], pairs: dict[tuple[str, str], Sequence[Typed | None]]
) -> ScoreDifferences:
    """Pairs as the overall difference and those of the cells; None for a missing score."""
    (columns, *_), rows = [(OVERALL, *(cell(nth) for nth in range(len(row) - 1))) for row in pairs.values()], []
    for row in pairs.values():
        typed = [(None, None) if one is None else one for one in row]
        rows.append(
            [
                EntryDifference(None, reason="B: no data")
                if points is None
                else EntryDifference(
                    points / 100, ((points - 2.4) / 100, (points + 2.4) / 100), error=0.034 / 2.8016, p=p
                )
                for points, p in typed
            ]
        )
    values = {letter: {} if value is None else {"overall": value / 100} for letter, value in overall.items()}
    keys = [column.key for column in columns]
    tested = [dict(zip(keys, row, strict=True)) for row in corrected(rows)]
    return ScoreDifferences(columns, values, dict(zip(pairs, tested, strict=True)))


def two(*row: Typed | None) -> ScoreDifferences:
    return differences({"A": None if row[0] is None else row[0][0], "B": 0.0}, {("A", "B"): row})


def test_the_better_of_two_is_named_with_its_difference_and_the_cells_that_hold_after_holm() -> None:
    """Times 5, 4, 3, 2 and 1 in their order: 0.005, 0.016, 0.03, 0.08 and 0.5; only the first three are below 0.05."""
    found = verdict_of(two((3.9, 0.001), (5, 0.004), (4, 0.01), (3, 0.04), (-1, 0.5)))
    assert found.title == "A is better overall by 3.9 points (1.5 to 6.3), on 2 of 4 cells; B on none"
    assert "Holm’s correction over all 5 tests" in found.note
    assert found.details == ()


def test_without_the_correction_more_cells_would_count() -> None:
    assert "on 1 of 3 cells" in verdict_of(two((3.9, 0.001), (5, 0.004), (4, 0.03), (3, 0.04))).title


def test_the_second_entry_can_win_and_the_first_have_cells() -> None:
    found = verdict_of(two((-3.9, 0.001), (-5, 0.001), (4, 0.001), (-4, 0.001)))
    assert found.title == "B is better overall by 3.9 points (1.5 to 6.3), on 2 of 3 cells; A on 1"


def test_a_win_overall_may_rest_on_no_single_cell() -> None:
    found = verdict_of(two((3.9, 0.001), (1, 0.5)))
    assert found.title == "A is better overall by 3.9 points (1.5 to 6.3); on no cell alone can the two be told apart"


def test_a_draw_is_no_win_and_names_the_smallest_detectable_difference() -> None:
    found = verdict_of(two((0.4, 0.6), (1, 0.5), (-2, 0.2)))
    assert found.title == "A and B cannot be told apart, overall or on any of 2 cells"
    assert found.details == (
        "The overall means differ by 0.4 points (−2.0 to 2.8). The smallest detectable difference of the two is "
        "3.4 points (3.9 points after correction): a smaller one would be missed more often than once in five times.",
    )


def test_a_draw_overall_may_hide_differences_in_cells() -> None:
    found = verdict_of(two((0.4, 0.6), (5, 0.001), (-5, 0.001), (-4, 0.002)))
    assert found.title == "A and B cannot be told apart overall; A is better on 1 of 3 cells, B on 2"


def test_an_interval_above_zero_that_does_not_hold_after_the_correction_is_no_win() -> None:
    found = verdict_of(two((2.5, 0.04), (1, 0.5)))
    assert found.title == "A and B cannot be told apart, overall or on any of 1 cell"
    assert "The interval excludes zero, but the test does not hold after the correction." in found.details[0]


def test_the_verdict_says_over_how_many_shared_cells_it_is() -> None:
    found = verdict_of(two((3.9, 0.001), (5, 0.001), None, (2, None)))
    assert "on 1 of 1 shared cell; B on none" in found.title
    assert found.details == ("The other 2 of 3 cells lack a score of one entry or were measured differently.",)


def test_without_an_overall_mean_the_verdict_is_on_the_shared_cells() -> None:
    found = verdict_of(two(None, (5, 0.001), (1, 0.5), None))
    assert found.title == "No verdict overall; A is better on 1 of 2 shared cells, B on none"
    assert found.details[0] == "Overall: B: no data."


def test_without_any_test_there_is_no_verdict() -> None:
    found = verdict_of(two((3.9, None), (5, None)))
    assert found.title == "No verdict on A and B"
    assert "could be tested" in found.details[0]


THREE = {"A": 1.0, "B": 5.0, "C": 3.0}


def test_the_best_of_three_is_told_apart_from_both() -> None:
    found = verdict_of(
        differences(
            THREE,
            {
                ("A", "B"): [(-4, 0.001), (-4, 0.001), (-4, 0.001), (1, 0.9)],
                ("A", "C"): [(-2, 0.2), (0, 1), (0, 1), (0, 1)],
                ("B", "C"): [(2.9, 0.001), (3, 0.001), (1, 0.5), (-4, 0.001)],
            },
        )
    )
    assert found.best == "B"
    assert found.title == "B is best overall, 2.9 points (0.5 to 5.3) above C"
    assert found.details == ("On 1 of 3 cells B is better than every other entry; on 1 another is better than B.",)
    assert "Holm’s correction over all 12 tests of all pairs" in found.note


@pytest.mark.parametrize(
    ("of_a", "of_c", "title"),
    [
        (0.001, 0.5, "B is highest overall and better than A, but cannot be told apart from C"),
        (0.5, 0.5, "B is highest overall, but cannot be told apart from A and C"),
        (None, 0.001, "B is highest overall and better than C"),
        (None, None, "B is highest overall, but no difference could be tested"),
    ],
)
def test_the_highest_of_three_is_not_called_best_if_it_ties(of_a: float | None, of_c: float | None, title: str) -> None:
    found = verdict_of(
        differences(
            THREE,
            {
                ("A", "B"): [(-4, of_a), (0, 1)],
                ("A", "C"): [(-2, 0.9), (0, 1)],
                ("B", "C"): [(2, of_c), (0, 1)],
            },
        )
    )
    assert found.title == title
    named = [letter for letter, p in (("A", of_a), ("C", of_c)) if p == 0.5]
    sizes = [f" points after correction) for {letter}" for letter in named]
    assert any(all(size in detail for size in sizes) for detail in found.details)
    assert ("Not tested against B" in " ".join(found.details)) == (None in (of_a, of_c))


def test_several_name_intervals_that_exclude_zero_without_holding_after_the_correction() -> None:
    row = [(0.0, 1.0), (0.0, 1.0)]
    pairs = {("A", "B"): [(-4.0, 0.02), (0.0, 1.0)], ("A", "C"): row, ("B", "C"): [(2.0, 0.2), (0.0, 1.0)]}
    found = verdict_of(differences(THREE, pairs))
    assert found.title == "B is highest overall, but cannot be told apart from A and C"
    assert "Before the correction, the interval of the difference from A excludes zero." in found.details


def test_an_entry_without_an_overall_mean_takes_no_part_in_the_order() -> None:
    found = verdict_of(
        differences(
            {"A": None, "B": 5.0, "C": 3.0},
            {("A", "B"): [None, (9, 0.001)], ("A", "C"): [None, (0, 1)], ("B", "C"): [(2, 0.001), (3, 0.001)]},
        )
    )
    assert found.title == "B is highest overall and better than C"
    assert "Not tested against B: A." in " ".join(found.details)


def test_the_chart_is_sorted_with_missing_cells_last_and_fills_what_holds() -> None:
    found = two((3.9, 0.001), (1, 0.5), (5, 0.001), None, (-2, 0.001))
    (chart,) = charts_of_differences(found, "A", {}, dict(zip("AB", "ab", strict=True)))
    assert [line.label for line in chart.rows] == ["Task 1", "Task 0", "Task 3", "Task 2"]
    assert ["unclear" in line.drawn for line in chart.rows] == [False, True, False, False]
    assert ["<circle" in line.drawn for line in chart.rows] == [True, True, True, False]
    assert chart.title == "A − B: A is better on 1 of 3 cells, B on 1"
    assert chart.overall is not None
    assert chart.overall.value == "+3.90"


def test_the_chart_of_several_starts_with_the_others_from_the_best() -> None:
    row = [(0.0, 1.0), (0.0, 1.0)]
    pairs = {("A", "B"): [(-4.0, 0.001), (0.0, 1.0)], ("A", "C"): row, ("B", "C"): row}
    overall, *by_cell = charts_of_differences(
        differences(THREE, pairs), "B", {"A": "first", "C": "third"}, dict(zip("ABC", "abc", strict=True))
    )
    assert overall.title == "Overall, B is better than 1 of the 2 others"
    assert [(line.label, line.small) for line in overall.rows] == [("B − A", "first"), ("B − C", "third")]
    assert [chart.title.partition(":")[0] for chart in by_cell] == ["B − A", "B − C"]
    # In the order of the letters, so that A stays A where the two differ.
    assert [chart.rows[0].link.partition("&cell")[0] for chart in by_cell] == [
        "/compare/differ?e=a&e=b",
        "/compare/differ?e=b&e=c",
    ]


def on_words(*rows: Sequence[Typed]) -> list[SharedWordsRow]:
    """Rows of correlations with their p, the first entry's being the reference."""
    cells = corrected([[SharedWordsCell(value, value, 100, p=p) for value, p in row] for row in rows])
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
            "A and B cannot be told apart on any of 2 data sets",
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
    assert found.title == title


def test_without_common_pairs_there_is_no_verdict_on_words() -> None:
    assert verdict_on_words([], "AB", "A") is None
