"""What more memory buys: the scores of vectors by their size, and those that are worth a larger one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from django.urls import reverse

from benchmark.leaderboard.board import Row
from benchmark.leaderboard.columns import Column
from benchmark.templatetags.figures import size
from extensions.find.measure.scatter import LinkedDot, ScatterAxis, scatter
from extensions.find.recommendation import MOST_TESTED, Option, differ
from plots.chart import Chart
from tasks.text import MINUS

LEFT = 60
MOST_SHOWN = 40
"""Points at most: those on the line and the best of the other entries."""
NOTE = (
    "The dashed line shows what more memory buys: each point on it is the smallest vectors that are clearly better "
    "than those before. Hover over a dot for its name."
)
AN_ARROW = " An arrow leads to a score below the axis."


def sized_options(rows: Sequence[Row], column: Column) -> tuple[list[Option], list[int]]:
    """Scored entries of known size, best first, and the places of those on the line of what memory buys.

    The line begins at the best of the smallest entries. The next one on it is the smallest whose score is both higher
    than that of every entry of its size or below, and significantly higher than that of the last one on the line
    (paired tests with Holm's correction over the candidates). So an entry is not on it for being slightly smaller with
    an equal score, nor for a lead that may be chance.
    """
    options = [Option(row, column) for row in rows if row.facts.device_bytes]
    options.sort(key=lambda option: (-(option.row.cells[0].value or 0.0), option.bytes))
    line = _line(options, column.key)
    room = MOST_SHOWN - len(line)
    others = accumulate(option not in line for option in options)
    shown = [option for option, count in zip(options, others, strict=True) if option in line or count <= room]
    return shown, [place for place, option in enumerate(shown) if option in line]


def _line(options: Sequence[Option], key: str) -> list[Option]:
    """The entries on the line, smallest first, of entries sorted by score, best first."""
    least, candidates = float("inf"), []
    for option in options:
        if option.bytes < least:
            least = option.bytes
            candidates.append(option)
    candidates = candidates[-MOST_TESTED:][::-1]
    if not candidates:
        return []
    apart, places = differ([option.row for option in candidates], key), [0]
    for place in range(1, len(candidates)):
        if apart.get((places[-1], place), False):
            places.append(place)
    return [candidates[place] for place in places]


def memory_chart(options: Sequence[Option], line: Sequence[int], label: str) -> Chart:
    """Points with names, at least one; a line joins the best at each size."""
    names = [option.row.facts.name for option in options]
    dots = [
        LinkedDot(
            f"{name}: {option.text}",
            reverse("reports:report", args=[option.row.facts.id]),
            "better" if place in line else "baseline",
            6 if place in line else 5,
            name.replace(" dimensions", " d"),
        )
        for place, (name, option) in enumerate(zip(names, options, strict=True))
    ]
    factor = 100 if options[0].column.kind == "reduction" else 1
    scores = [factor * (option.row.cells[0].value or 0.0) for option in options]
    across = ScatterAxis([option.bytes / 1e6 for option in options], _plain, "Memory, MB", is_logarithmic=True)
    up = ScatterAxis(scores, _plain, label, is_fenced=True)
    wide, narrow = (
        scatter(dots, across, up, left=LEFT, is_named=True, is_narrow=is_narrow, joined=line)
        for is_narrow in (False, True)
    )
    first, *larger = sorted((options[place] for place in line), key=lambda option: option.bytes)
    sizes = " and at ".join(size(option.bytes) for option in larger)
    nothing = f"Nothing larger is known to be clearly better than {first.row.facts.name}"
    return Chart(
        "memory",
        f"Clearly better vectors at {sizes}" if larger else nothing,
        " ".join(f"{name}: {option.text}." for name, option in zip(names, options, strict=True)),
        wide,
        kind="scatter named",
        note=NOTE + AN_ARROW * bool(up.outliers),
        links=True,
        narrow=narrow,
        table=[
            ["Vectors", "Memory", label, "95 % interval"],
            *(
                [name, size(option.bytes), option.value, option.bounds]
                for name, option in zip(names, options, strict=True)
            ),
        ],
        has_row_heads=True,
    )


def _plain(value: float) -> str:
    return f"{value:,g}".replace("-", MINUS)
