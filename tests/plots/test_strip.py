"""Strips in the cells of a table."""

from __future__ import annotations

from plots.strip import WIDTH, Strip


def test_what_an_edge_cuts_ends_in_an_arrow_head() -> None:
    scale = Strip(0.0, 1.0)
    assert scale.path(0.5, 0.25, 0.75) == "M12 2.5H36M24 0V5"
    assert scale.path(0.25, -0.5, 0.5) == "M0 2.5H24M12 0V5M4 0L0 2.5L4 5"
    assert scale.path(-2.0, -3.0, -1.0) == "M0 2.5H9M4 0L0 2.5L4 5"
    assert scale.path(2.0, 1.5, 3.0) == "M39 2.5H48M44 0L48 2.5L44 5"


def test_zero_is_marked_only_where_it_is_in_sight() -> None:
    assert Strip(-1.0, 1.0).zero == WIDTH / 2
    assert Strip(0.5, 1.0).zero is None
