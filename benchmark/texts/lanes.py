"""Differences in a table, each with its interval on one axis, for the pages of reports on texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmark.templatetags.figures import between
from plots.drawing import Markup
from plots.layouts import Lanes


def tick(value: float) -> str:
    """A label of the axis."""
    return f"{value:+.2g}".replace("-", "−")


@dataclass(frozen=True)
class Lane:
    """A row of a chart in a table: label, drawing, value and interval; ``is_clear`` if the interval excludes zero."""

    label: str
    small: str
    drawn: Markup
    value: str
    bounds: str
    is_clear: bool
    verdict: str = ""


@dataclass(frozen=True)
class LaneChart:
    """Rows on one axis, with the names of its sides."""

    title: str
    axis: Markup
    rows: tuple[Lane, ...]


def lane(
    label: str,
    small: str,
    mean: float,
    ends: tuple[float, float] | None,
    lanes: Lanes,
    write: Callable[[float | None], str],
    verdict: str = "",
) -> Lane:
    """A row for a difference and its interval."""
    is_clear = ends is not None and (ends[0] > 0 or ends[1] < 0)
    kind = ("better" if mean > 0 else "worse") + ("" if is_clear else " unclear")
    return Lane(label, small, lanes.lane(mean, ends, kind), write(mean), between(ends, write), is_clear, verdict)
