"""The specification curve of a claim: its effects in order, and the choices behind each.

After Simonsohn, Simmons & Nelson (2020), Specification curve analysis, Nature Human Behaviour 4, figure 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extensions.claim.measure.answer import TITLES, Answer, choices_of
from extensions.claim.measure.study import Analysis, Study
from plots.chart import Chart
from plots.drawing import Drawing, Scale, roomy, round_ticks
from tasks.text import with_minus

_WIDTH, _LEFT, _RIGHT = 760, 150, 16
_EFFECTS, _ROW, _GAP, _MARK, _FOOT = 240, 16, 12, 5, 16
_COLUMN = 0.5
"""Least distance of marks: nearer ones would cover each other."""


def curve_of(study: Study, result: Answer, analyses: Sequence[Analysis]) -> Chart:
    """The curve as a chart; ``analyses`` in the order of their effects."""
    effects = [row.effect or 0.0 for row in analyses]
    several = choices_of([replace(row, without="a word" if row.without else "") for row in analyses])
    rows = sum(len(set(options)) * _ROW + _GAP for options in several.values())
    drawing = Drawing(_WIDTH, _EFFECTS + rows + _FOOT)
    up = roomy([*effects, 0.0, *(result.interval or ())], _EFFECTS - _GAP, _GAP)
    across = Scale(0, max(len(analyses) - 1, 1), _LEFT, _WIDTH - _RIGHT)
    drawing.y_axis(round_ticks(up, 5, lambda value: with_minus(value, "g")), _LEFT, _WIDTH - _RIGHT)
    drawing.line(_LEFT, up(0), _WIDTH - _RIGHT, up(0), "zero")
    if result.interval is not None:
        top, bottom = up(result.interval[1]), up(result.interval[0])
        drawing.bar(_LEFT, top, _WIDTH - _RIGHT - _LEFT, bottom - top, "middle-half", opacity=0.3)
    drawing.curve([(across(i), up(effect)) for i, effect in enumerate(effects)])
    y = float(_EFFECTS)
    for choice, options in several.items():
        for option in sorted(set(options), key=lambda text: (not text.isdecimal(), text.zfill(9))):
            drawing.text(_LEFT - 6, y, f"{choice} {option}"[:24], "tick", anchor="end", dy=".35em")
            places = {round(across(i) / _COLUMN) * _COLUMN for i, name in enumerate(options) if name == option}
            drawing.curve(*([(x, y - _MARK), (x, y + _MARK)] for x in sorted(places)))
            y += _ROW
        y += _GAP
    table = [("choice", "option", "analyses", "median effect", "same sign")]
    for level in result.levels:
        same = f"{100 * level.same:.0f} %"
        table.append((level.choice, level.option, str(level.analyses), with_minus(level.effect, ".3f"), same))
    description = f"{len(analyses):,} effects in order ({TITLES[study.words.kind]}), the choices of each below."
    return Chart("claim", result.sentence, f"{result.sentence} {description}", drawing, table=table)
