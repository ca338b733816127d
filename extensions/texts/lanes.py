"""Values with intervals in a table on one axis."""

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
    """A row of a chart in a table: label, drawing, value and interval; if ``is_clear``, it is emphasised.

    ``small`` and ``verdict`` stand at the label.
    """

    label: str
    small: str
    drawn: Markup
    value: str
    bounds: str
    is_clear: bool
    verdict: str = ""


@dataclass(frozen=True)
class LaneChart:
    """Rows on one axis."""

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
    """A row for a difference and its interval; it is clear if that excludes zero."""
    is_clear = ends is not None and (ends[0] > 0 or ends[1] < 0)
    kind = ("better" if mean > 0 else "worse") + ("" if is_clear else " unclear")
    return Lane(label, small, lanes.lane(mean, ends, kind), write(mean), between(ends, write), is_clear, verdict)
