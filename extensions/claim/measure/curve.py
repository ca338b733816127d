"""The specification curve of a claim: its effects in order, and the choices behind each.

After Simonsohn, Simmons & Nelson (2020), Specification curve analysis, Nature Human Behaviour 4, figure 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from extensions.claim.measure.answer import TITLES, Answer, choices_of
from extensions.claim.measure.plan import Analysis
from plots.chart import Chart
from plots.drawing import Drawing, Scale, roomy, round_ticks
from tasks.text import with_minus

_RIGHT, _EFFECTS, _ROW, _GAP, _MARK, _FOOT = 16, 240, 16, 12, 5, 16
_WIDE, _NARROW = (760, 150, 24), (340, 104, 14)
"""Widths of a drawing and of its labels, and most characters of a label: where few fit, words lack their choice."""
_POINT, _COLUMN = 0.5, 2
"""Least distances of points and of marks: nearer ones would cover each other."""


def curve_of(result: Answer, analyses: Sequence[Analysis]) -> Chart:
    """The curve as a chart; ``analyses`` in the order of their effects."""
    table = [("choice", "option", "analyses", "median effect", "same sign")]
    for level in result.levels:
        same = f"{100 * level.same:.0f} %"
        table.append((level.choice, level.option, str(level.analyses), with_minus(level.effect, ".3f"), same))
    title = f"{len(analyses):,} effects in order ({TITLES[result.kind]}), and the share of each choice along them."
    return Chart(
        "claim",
        result.sentence,
        f"{result.sentence} {title}",
        _drawn(result, analyses, *_WIDE),
        heading=title,
        kind="named",
        table=table,
        narrow=_drawn(result, analyses, *_NARROW),
    )


def _drawn(result: Answer, analyses: Sequence[Analysis], width: float, left: float, letters: int) -> Drawing:
    effects = [row.effect or 0.0 for row in analyses]
    several = choices_of([replace(row, without="a word" if row.without else "") for row in analyses])
    rows = sum(len(set(options)) * _ROW + _GAP for options in several.values())
    drawing = Drawing(width, _EFFECTS + rows + _FOOT)
    up = roomy([*effects, 0.0, *(result.interval or ())], _EFFECTS - _GAP, _GAP)
    right = width - _RIGHT
    across = Scale(0, max(len(analyses) - 1, 1), left, right)
    points = [round(across(i) / _POINT) * _POINT for i in range(len(analyses))]
    columns = [round(x / _COLUMN) * _COLUMN for x in points]
    analyses_in = Counter(columns)
    drawing.y_axis(round_ticks(up, 5, lambda value: with_minus(value, "g")), left, right)
    drawing.line(left, up(0), right, up(0), "zero")
    if result.interval is not None:
        top, bottom = up(result.interval[1]), up(result.interval[0])
        drawing.bar(left, top, right - left, bottom - top, "middle-half", opacity=0.3)
    drawing.curve(dict(zip(points, map(up, effects), strict=True)).items())
    y = float(_EFFECTS)
    for choice, options in several.items():
        for option in sorted(set(options), key=lambda text: (not text.isdecimal(), text.zfill(9))):
            label = f"{choice} {option}" if option.isdecimal() or letters > _NARROW[-1] else option
            drawing.text(left - 6, y, label[:letters], "tick", anchor="end", dy=".35em")
            counts = Counter(x for x, name in zip(columns, options, strict=True) if name == option)
            heights = [(x, 2 * _MARK * count / analyses_in[x]) for x, count in sorted(counts.items())]
            drawing.curve(*([(x, y + _MARK), (x, y + _MARK - height)] for x, height in heights))
            y += _ROW
        y += _GAP
    return drawing
