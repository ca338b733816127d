"""The page of correlations between intrinsic scores and downstream ones."""

from __future__ import annotations

import re

import numpy as np
from django.test import Client

from extensions.practice.measure.columns import LEAST, associate
from tests.benchmark.conftest import Make
from tests.benchmark.scores import measured_with, scores_in


def test_below_five_entries_no_correlation_is_shown(submission: Make, stranger: Client) -> None:
    for i in range(LEAST - 1):
        submission(name=f"e{i}", shift=0.1 * i)
    assert "Too few entries." in stranger.get("/practice").content.decode()


def test_controls_are_left_out_of_the_correlations_unless_requested(submission: Make, stranger: Client) -> None:
    """Among the six real entries the two scores are uncorrelated; one control makes them look correlated."""
    for i, similarity in enumerate([0.5, 0.6, 0.5, 0.6, 0.5, 0.6, -3.0]):
        floor = {"shift": -5.0, "algorithm": "random"} if similarity < 0 else {"shift": 0.1 * (i // 2)}
        row = submission(name=f"e{i}", **floor)
        scores = scores_in(row) | {"sim-ws-353-all": [similarity, None, None, 1.0]}
        measured_with(row, scores)
    pair = "/practice?y=pos.fixed"
    page, without = (stranger.get(pair + more).content.decode() for more in ("&floors=with", ""))
    assert "1 of the 7 entries is a control" in page
    assert "a control" not in without
    rows = [shown.split('id="ranked"')[1].split("WordSim-353")[1].split("</tr>")[0] for shown in (page, without)]
    assert re.search(r">0\.9\d+<", rows[0])
    assert ">0.000<" in rows[1]


def test_controls_are_counted_among_the_entries_of_the_chosen_dimensions(submission: Make, stranger: Client) -> None:
    for nth in range(9):
        control = {"algorithm": "random"} if nth % 3 == 0 else {}
        submission(name=f"e{nth}", shift=0.01 * nth, dimensions=50 if nth < 4 else 300, **control)
    assert "3 of the 9 entries are controls" in stranger.get("/practice?floors=with").content.decode()
    assert "2 of the 4 entries are controls" in stranger.get("/practice?floors=with&dimensions=50").content.decode()


def correlated(submission: Make, count: int) -> None:
    """A board with a similarity score that correlates with error reductions."""
    for i in range(count):
        row = submission(name=f"e{i}", shift=0.1 * i)
        scores = scores_in(row) | {"sim-ws-353-all": [0.1 * i + 0.01 * (i % 3), None, None, 1.0]}
        scores.pop("sim-simlex-999", None)
        measured_with(row, scores)


def test_a_correlations_cell_has_its_interval_and_number(submission: Make, stranger: Client) -> None:
    correlated(submission, 6)
    page = stranger.get("/practice").content.decode()
    cells = page.split('id="matrix"')[1].split('<th scope="row">WordSim-353</th>')[1].split("</tr>")[0]
    found = associate(np.array([0.1 * i + 0.01 * (i % 3) for i in range(6)]), np.arange(6.0), [""] * 6)
    assert found.interval is not None
    assert f"<small>{found.interval[0]:.3f} to {found.interval[1]:.3f}</small>" in cells
    assert "n 6" in cells
    assert page.index("Only 6 entries") < page.index('id="matrix"')


def test_scores_that_no_entry_has_are_named_instead_of_a_row_of_dashes(submission: Make, stranger: Client) -> None:
    correlated(submission, 6)
    table, after = stranger.get("/practice").content.decode().split('id="matrix"')[1].split("</table>")
    assert "SimLex-999" not in table
    assert "SimLex-999" in after.split("Left out, because no entry has a score: ")[1].split("</p>")[0]
