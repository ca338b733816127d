"""Where words lie between two ends, in every entry: a dot plot with a row for each word and a letter for each entry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.associations.answers import Answered, Placed
from benchmark.associations.lists import Asked, AskedAxis
from benchmark.compare.entries import Marked
from benchmark.templatetags.figures import BLANK, chance, correlation, decimals
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing, Scale
from tasks.associations.weat import OfOneWord
from tasks.visible import visible

WIDTH, LEFT, RIGHT = 460, 120, 20
"""Narrow, so that a phone shows its letters at a size that can be read."""
ROW, HEAD, AXIS = 20, 32, 46
RADIUS = 6.5
FURTHEST = 2.0
"""An effect size is between −2 and 2 where both lists are equally long, and otherwise may be beyond."""
LONGEST_WORD, LONGEST_NAME = 14, 40


@dataclass(frozen=True)
class Places:
    """An entry's words: places by word, and the same as text, which also says what has no place."""

    entry: Marked
    values: Mapping[str, float]
    written: Mapping[str, str]


@dataclass(frozen=True)
class Ends:
    """What is at the left and at the right, and how far out."""

    left: str
    right: str
    furthest: float


def words_chart(asked: Asked, answered: Sequence[Answered]) -> Chart | None:
    """Every target word alone, each list in a part of its own; None without answers."""
    known = [
        Places(
            one.entry,
            {word: single.d for word, single in one.answer.single.items() if single.d is not None},
            {word: _written(single) for word, single in one.answer.single.items()},
        )
        for one in answered
        if one.answer is not None and one.answer.single
    ]
    right, left = (one.name for one in asked.question.attributes)
    title = f"Each target word between {left} and {right}"
    caption = f"Effect size d of each word alone: below 0 is nearer to {left}, above to {right}; a letter is an entry."
    furthest = max((abs(d) for one in known for d in one.values.values()), default=0.0)
    ends = Ends(left, right, max(FURTHEST, math.ceil(furthest)))
    parts = [(one.name, one.words) for one in asked.question.targets]
    return _chart("association-words", title, caption, parts, known, ends)


def axis_chart(asked: AskedAxis, placed: Sequence[Placed]) -> Chart | None:
    """Words on an axis between two poles; None without places."""
    known = [
        Places(one.entry, one.projection.places, {w: correlation(at) for w, at in one.projection.places.items()})
        for one in placed
        if one.projection is not None and one.projection.places
    ]
    right, left = ", ".join(asked.axis.positive), ", ".join(asked.axis.negative)
    furthest = max((abs(place) for one in known for place in one.values.values()), default=0.0)
    title = f"Words between {left} and {right}"
    caption = "Cosine of each word with the axis; a letter is an entry."
    ends = Ends(left, right, max(0.1, math.ceil(furthest * 10) / 10))
    return _chart("axis-words", title, caption, [("", asked.words)], known, ends)


def _chart(
    id: str, title: str, caption: str, parts: Sequence[tuple[str, Sequence[str]]], known: Sequence[Places], ends: Ends
) -> Chart | None:
    if not known:
        return None
    shown = [(name, _sorted(words, known)) for name, words in parts]
    heads = sum(HEAD for name, _ in shown if name)
    drawing = Drawing(WIDTH, heads + sum(len(words) for _, words in shown) * ROW + AXIS)
    scale = Scale(-ends.furthest, ends.furthest, LEFT, WIDTH - RIGHT)
    _draw_axis(drawing, scale, ends)
    y = 0.0
    for name, words in shown:
        if name:
            drawing.text(0, y + HEAD / 2, _short(name, LONGEST_NAME), "value", dy=CENTRED)
            y += HEAD
        for word in words:
            _draw_word(drawing, scale, word, known, y + ROW / 2)
            y += ROW
    rows = [(word, *(one.written.get(word, BLANK) for one in known)) for _, words in shown for word in words]
    letters = [one.entry.letter for one in known]
    in_words = "; ".join(
        f"{word}: {', '.join(f'{letter} {text}' for letter, text in zip(letters, texts, strict=True))}"
        for word, *texts in rows
    )
    return Chart(
        id,
        title,
        f"{caption} {in_words}.",
        drawing,
        table=(("Word", *(f"{one.entry.letter}: {one.entry.name}" for one in known)), *rows),
        has_row_heads=True,
        heading=title,
        caption=caption,
        kind="overlay association",
    )


def _sorted(words: Sequence[str], known: Sequence[Places]) -> list[str]:
    """Words that an entry knows, by their mean place, largest first."""
    found = {word: [one.values.get(word, 0.0) for one in known if word in one.written] for word in words}
    means = {word: sum(values) / len(values) for word, values in found.items() if values}
    return sorted(means, key=lambda word: -means[word])


def _draw_axis(drawing: Drawing, scale: Scale, ends: Ends) -> None:
    bottom = drawing.height - AXIS + 4
    digits = 0 if ends.furthest % 2 == 0 else 2
    places = (-ends.furthest, -ends.furthest / 2, ends.furthest / 2, ends.furthest)
    drawing.x_axis([(scale(value), decimals(value, digits)) for value in places], bottom + 15, bottom=bottom)
    drawing.x_axis([(scale(0.0), "0")], bottom + 15, bottom=bottom, kind="zero")
    drawing.text(LEFT, drawing.height - 6, f"← {_short(ends.left, LONGEST_NAME // 2)}", "tick")
    drawing.text(WIDTH - RIGHT, drawing.height - 6, f"{_short(ends.right, LONGEST_NAME // 2)} →", "tick", anchor="end")


def _draw_word(drawing: Drawing, scale: Scale, word: str, known: Sequence[Places], y: float) -> None:
    drawing.text(LEFT - 10, y, _short(word, LONGEST_WORD), "label", anchor="end", dy=CENTRED)
    drawing.line(LEFT, y, WIDTH - RIGHT, y, "grid")
    for one in known:
        if word in one.values:
            place = scale(max(scale.low, min(scale.high, one.values[word])))
            title = f"{visible(word)}: {one.entry.letter} {one.written[word]}"
            with drawing.group(f"mark {one.entry.colour}", title=title):
                drawing.dot(place, y, RADIUS, "")
                drawing.text(place, y, one.entry.letter, anchor="middle", dy=".36em")


def _written(one: OfOneWord) -> str:
    p = chance(one.p)
    return f"{decimals(one.d)} (p {p if p.startswith('<') else f'= {p}'})"


def _short(text: str, longest: int) -> str:
    shown = visible(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
