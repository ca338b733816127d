"""Where every target word lies between the two lists of attributes, in every entry: a dot plot."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.associations.answers import Answered
from benchmark.associations.lists import Asked
from benchmark.templatetags.figures import BLANK, chance, decimals
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing
from plots.scale import Scale
from tasks.associations.weat import OfOneWord
from tasks.visible import visible

WIDTH, LEFT, RIGHT = 460, 120, 12
"""Narrow, so that a phone shows its letters at a size that can be read."""
ROW, HEAD, AXIS = 20, 32, 46
RADIUS = 6.5
FURTHEST = 2.0
"""The effect size of one word lies between −2 and 2."""
LONGEST_WORD, LONGEST_NAME = 14, 40


def words_chart(asked: Asked, answered: Sequence[Answered]) -> Chart | None:
    """A row for every target word that some entry knows, nearest to the first attributes on top; None without answers.

    Each list of targets has its own part; a dot is an entry, with its letter.
    """
    known = [one for one in answered if one.answer is not None and one.answer.single]
    if not known:
        return None
    parts = [(one.name, _sorted(one.words, known)) for one in asked.question.targets]
    rows = sum(len(words) for _, words in parts)
    drawing = Drawing(WIDTH, len(parts) * HEAD + rows * ROW + AXIS)
    scale = Scale(-FURTHEST, FURTHEST, LEFT, WIDTH - RIGHT)
    _draw_axis(drawing, scale, asked)
    y = 0.0
    for name, words in parts:
        drawing.text(0, y + HEAD / 2, _short(name, LONGEST_NAME), "value", dy=CENTRED)
        y += HEAD
        for word in words:
            _draw_word(drawing, scale, word, known, y + ROW / 2)
            y += ROW
    a, b = (one.name for one in asked.question.attributes)
    title = f"Each target word between {b} and {a}"
    table = [(word, *(_cell(one, word) for one in known)) for _, words in parts for word in words]
    told = "; ".join(f"{word}: {', '.join(_told(one, word) for one in known)}" for word, *_ in table)
    return Chart(
        "association-words",
        title,
        f"Effect size d of every word, by entry. {told}.",
        drawing,
        table=(("Word", *(f"{one.entry.letter}: {one.entry.name}" for one in known)), *table),
        has_row_heads=True,
        heading=title,
        caption=f"Effect size d of each word alone: −2 is nearest to {b}, 2 to {a}; a letter is an entry.",
        kind="overlay association",
    )


def _sorted(words: Sequence[str], known: Sequence[Answered]) -> list[str]:
    """Words that an entry knows, by their mean d, largest first."""
    means = {}
    for word in words:
        found = [one.d or 0.0 for entry in known if (one := _one(entry, word)) is not None]
        if found:
            means[word] = sum(found) / len(found)
    return sorted(means, key=lambda word: -means[word])


def _draw_axis(drawing: Drawing, scale: Scale, asked: Asked) -> None:
    bottom = drawing.height - AXIS + 4
    ticks = [(scale(value), decimals(value, 0)) for value in (-FURTHEST, -FURTHEST / 2, FURTHEST / 2, FURTHEST)]
    drawing.x_axis(ticks, bottom + 15, bottom=bottom)
    drawing.x_axis([(scale(0.0), "0")], bottom + 15, bottom=bottom, kind="zero")
    a, b = (_short(one.name) for one in asked.question.attributes)
    drawing.text(LEFT, drawing.height - 6, f"← {b}", "tick")
    drawing.text(WIDTH - RIGHT, drawing.height - 6, f"{a} →", "tick", anchor="end")


def _draw_word(drawing: Drawing, scale: Scale, word: str, known: Sequence[Answered], y: float) -> None:
    drawing.text(LEFT - 10, y, _short(word), "label", anchor="end", dy=CENTRED)
    drawing.line(LEFT, y, WIDTH - RIGHT, y, "grid")
    for entry in known:
        one = _one(entry, word)
        if one is not None and one.d is not None:
            place = scale(max(-FURTHEST, min(FURTHEST, one.d)))
            with drawing.group(f"mark {entry.entry.colour}", title=f"{visible(word)}: {_told(entry, word)}"):
                drawing.dot(place, y, RADIUS, "")
                drawing.text(place, y, entry.entry.letter, anchor="middle", dy=".36em")


def _one(entry: Answered, word: str) -> OfOneWord | None:
    return entry.answer.single.get(word) if entry.answer is not None else None


def _told(entry: Answered, word: str) -> str:
    return f"{entry.entry.letter} {_cell(entry, word)}"


def _cell(entry: Answered, word: str) -> str:
    one = _one(entry, word)
    if one is None:
        return BLANK
    p = chance(one.p)
    return f"{decimals(one.d)} (p {p if p.startswith('<') else f'= {p}'})"


def _short(text: str, longest: int = LONGEST_WORD) -> str:
    shown = visible(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
