"""Answers to association tests on several entries, their charts and files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from django.http import HttpRequest

from benchmark.compare.entries import Marked
from benchmark.operations.counting import Limit, TooMuch, computing, payer_of, spend
from benchmark.operations.models import Job
from benchmark.shipped.recipes import Excerpt
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import PREPARE, can_be_prepared, prepared_directory, reason_without, stand_in
from benchmark.templatetags.figures import BLANK, chance, correlation, csv_lines, decimals
from extensions.associations.lists import RequestedAxis, RequestedTest
from extensions.associations.measure.axes import FormulaAnswer, Projection, project, solve
from extensions.associations.measure.word_lists import excerpt
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing, Scale
from tasks.answers import AssociationsAnswer, EntryAssociation
from tasks.associations.weat import CAUTION, AssociationAnswer, OfOneWord, associate, shown
from tasks.errors import VecboardError
from tasks.hashes import task_hash
from tasks.neighbours import open_search
from tasks.prepared import open_prepared
from tasks.secondary import AssociationFigures
from tasks.suites import SUITES
from tasks.text import visible
from tasks.vectors import Embedding
from tasks.word_tasks import ASSOCIATION_TASKS

ENTRIES = Limit("associations", 400, 3_600)
"""Entries per visitor and hour: the longest lists take almost a second each."""
OF_ALL = 30_000
"""Milliseconds of computing a minute for all visitors: half of one core."""
BUSY = (
    "Too many association tests and axes are being requested from this site. Try again in a minute, or use the "
    "command on your own machine."
)


_A = TypeVar("_A")


@dataclass(frozen=True, kw_only=True)
class _Reply:
    """An entry's answer, or the ``problem`` if its vectors are missing."""

    entry: Marked
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Answered(_Reply):
    answer: AssociationAnswer | None = None
    excerpt: Excerpt | None = None
    """The excerpt that it is measured on, if only that is here."""

    @property
    def left_out(self) -> str:
        """Sentences about known words that were left out, and about an excerpt."""
        part = f"Measured on the {self.excerpt}." if self.excerpt else ""
        return " ".join(filter(None, (shown(self.answer.left_out) if self.answer else "", part)))


@dataclass(frozen=True, kw_only=True)
class Placed(_Reply):
    """An entry with the requested words on an axis and the solution of a formula."""

    projection: Projection | None = None
    formula: FormulaAnswer | None = None


def answers(request: HttpRequest, entries: Sequence[Marked], test: RequestedTest) -> list[Answered]:
    """Every entry's answer, in order.

    Raises
    ------
    TooMuch
        too many requests of this visitor within the hour, or of all visitors within the minute.
    """
    return _each(request, entries, lambda entry: _answered(entry, test))


def places(request: HttpRequest, entries: Sequence[Marked], axis: RequestedAxis) -> list[Placed]:
    """Every entry's positions and neighbours, in order; raises as :func:`answers`."""
    return _each(request, entries, lambda entry: _placed(entry, axis))


def _each(request: HttpRequest, entries: Sequence[Marked], answer: Callable[[Marked], _A]) -> list[_A]:
    """Answer for one entry after the other, within the limits."""
    who = payer_of(request)
    replies = []
    for entry in entries:
        if not spend(ENTRIES, who):
            message = (
                f"You tested more than {ENTRIES.most} entries within an hour; try again later, or use the command."
            )
            raise TooMuch("too-many-tests", message, field=None)
        with computing("associations", OF_ALL, BUSY):
            replies.append(answer(entry))
    return replies


def _answered(entry: Marked, test: RequestedTest) -> Answered:
    if reported := stored(entry.submission, test):
        return Answered(entry=entry, answer=reported)
    part = stand_in(entry.submission)
    vectors = _opened(entry.submission, part.directory if part else prepared_directory(entry.submission))
    look_up = SUITES[entry.submission.suite].look_up
    answer = associate(excerpt(vectors, test.words), look_up, test.question) if vectors is not None else None
    if answer is None or (part and answer.d is None):  # the whole vectors may have the words
        return Answered(entry=entry, problem=reason_without(entry.submission))
    return Answered(entry=entry, answer=answer, excerpt=part)


def stored(submission: Submission, test: RequestedTest) -> AssociationAnswer | None:
    """The answer of an entry's report to a test of the suite; None if it has no score in it."""
    task = next((task for task in ASSOCIATION_TASKS if task.id == test.id), None)
    if task is None or submission.report is None:
        return None
    result = submission.report.measured.result(task.id)
    if result is None or result.task_hash != task_hash(SUITES[submission.suite], task, None):
        return None
    figures = result.figures(AssociationFigures)
    missing, left_out = tuple(figures["missing"]), figures.get("left_out", {})
    return AssociationAnswer(
        d=result.score,
        p=figures["p"],
        interval=result.interval,
        partitions=figures["partitions"],
        exact=figures["exact"],
        words={of.name: tuple(w for w in of.words if w not in (*missing, *left_out)) for of in test.question.lists},
        missing=missing,
        single={word: OfOneWord(**alone) for word, alone in figures["single"].items()},
        left_out=left_out,
    )


def _placed(entry: Marked, axis: RequestedAxis) -> Placed:
    directory = prepared_directory(entry.submission)
    whole = _opened(entry.submission, directory)
    if whole is None or directory is None:
        return Placed(entry=entry, problem=reason_without(entry.submission))
    part = excerpt(whole, [*axis.poles.positive, *axis.poles.negative, *axis.words]) if axis.has_axis else None
    look_up = SUITES[entry.submission.suite].look_up
    return Placed(
        entry=entry,
        projection=None if part is None else project(part, look_up, axis.poles, axis.words),
        formula=solve(open_search(directory), axis.terms) if axis.terms else None,
    )


def _opened(submission: Submission, directory: Path | None) -> Embedding | None:
    """The vectors of an entry, from disk; None if they are not on this machine."""
    try:
        return None if directory is None else open_prepared(directory, name=submission.display_name)
    except VecboardError:
        return None


@dataclass(frozen=True)
class Missing:
    """Entries without vectors on this machine, with the reasons; ``preparing`` are those that a worker prepares now."""

    reasons: tuple[tuple[Marked, str], ...] = ()
    preparing: tuple[Marked, ...] = ()
    can_be_prepared: bool = False

    @property
    def progress(self) -> str:
        names = " and ".join(
            filter(None, [", ".join(e.letter for e in self.preparing[:-1]), self.preparing[-1].letter])
        )
        have = (
            "has no answer until a worker has prepared its"
            if len(self.preparing) == 1
            else ("have no answers until a worker has prepared their")
        )
        return f"{names} {have} vectors."


def missing_vectors(entries: Sequence[Marked]) -> Missing:
    """The entries that no test can answer for at the moment."""
    absent = [entry for entry in entries if prepared_directory(entry.submission) is None]
    ids = [entry.submission.pk for entry in absent if can_be_prepared(entry.submission)]
    jobs = set(Job.objects.filter(kind=PREPARE, subject__in=ids).values_list("subject", flat=True)) if ids else set()
    others = [entry for entry in absent if entry.submission.pk not in jobs]
    return Missing(
        tuple((entry, reason_without(entry.submission)) for entry in others),
        tuple(entry for entry in absent if entry.submission.pk in jobs),
        any(can_be_prepared(entry.submission) for entry in others),
    )


WIDTH, LEFT, RIGHT = 400, 150, 16
ROW, LINE, HEAD, AXIS = 24, 16, 32, 46
RADIUS = 7.5
"""Of a dot around a letter of 11 pixels."""
NARROWEST = 280
"""Width in pixels of the chart on the smallest phones, where dots are nearest to each other."""
CLEAR = 2 * (RADIUS + 0.5) * WIDTH / NARROWEST
"""Least distance of two dots on one line, in the chart's own units."""
FURTHEST = 2.0
"""Effect sizes of lists with equal length are between −2 and 2."""
LONGEST_WORD, LONGEST_NAME = 14, 40


@dataclass(frozen=True)
class Places:
    """An entry's positions by word, and as text, including words without a position."""

    entry: Marked
    values: Mapping[str, float]
    written: Mapping[str, str]


@dataclass(frozen=True)
class Ends:
    """Names of the two ends of an axis, and its largest value."""

    left: str
    right: str
    furthest: float


def verdict_on(test: RequestedTest, answered: Sequence[Answered]) -> str:
    """The answers in a sentence, by the side on which each interval lies; empty without an answer."""
    scored = [(reply.entry, answer) for reply in answered if (answer := reply.answer) and answer.d is not None]
    if not scored:
        lacks = any(reply.answer is not None for reply in answered)
        return "No entry here knows enough of the words of these lists for a score." if lacks else ""
    (x, y), (a, b) = test.question.targets, test.question.attributes
    above: list[Marked] = []
    below: list[Marked] = []
    open_: list[Marked] = []
    for entry, answer in scored:
        low, high = answer.interval or (-math.inf, math.inf)
        (above if low > 0 else below if high < 0 else open_).append(entry)
    parts = [
        f"“{first.name}” words are nearer to “{a.name}” than “{second.name}” words in {_named(group)}"
        for group, first, second in ((above, x, y), (below, y, x))
        if group
    ]
    if open_:
        nearness = f"no clear difference in nearness to “{a.name}” between “{x.name}” and “{y.name}” words"
        parts.append(f"{nearness} in {_named(open_)}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}, by comparison with “{b.name}”."


def _named(entries: Sequence[Marked]) -> str:
    names = [f"{entry.letter}, {entry.name}" if len(entries) == 1 else entry.letter for entry in entries]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def words_chart(test: RequestedTest, answered: Sequence[Answered]) -> Chart | None:
    """Each target word alone, grouped by list; None without answers."""
    series = [
        Places(
            reply.entry,
            {word: single.d for word, single in reply.answer.single.items() if single.d is not None},
            {word: _written(single) for word, single in reply.answer.single.items()},
        )
        for reply in answered
        if reply.answer is not None and reply.answer.single
    ]
    right, left = (attribute.name for attribute in test.question.attributes)
    title = f"Each target word between {left} and {right}"
    caption = f"Effect size d of each word alone: below 0 is nearer to {left}, above to {right}; a letter is an entry."
    furthest = max((abs(d) for places in series for d in places.values.values()), default=0.0)
    ends = Ends(left, right, max(FURTHEST, math.ceil(furthest)))
    parts = [(target.name, target.words) for target in test.question.targets]
    return _words_chart("association-words", title, caption, parts, series, ends)


def axis_chart(axis: RequestedAxis, placed: Sequence[Placed]) -> Chart | None:
    """Words on an axis between two poles; None without positions."""
    series = [
        Places(reply.entry, reply.projection.places, {w: correlation(at) for w, at in reply.projection.places.items()})
        for reply in placed
        if reply.projection is not None and reply.projection.places
    ]
    right, left = ", ".join(axis.poles.positive), ", ".join(axis.poles.negative)
    furthest = max((abs(place) for places in series for place in places.values.values()), default=0.0)
    title = f"Words between {left} and {right}"
    caption = "Cosine of each word with the axis; a letter is an entry."
    ends = Ends(left, right, max(0.1, math.ceil(furthest * 10) / 10))
    return _words_chart("axis-words", title, caption, [("", axis.words)], series, ends)


def _words_chart(
    id: str, title: str, caption: str, parts: Sequence[tuple[str, Sequence[str]]], series: Sequence[Places], ends: Ends
) -> Chart | None:
    if not series:
        return None
    scale = Scale(-ends.furthest, ends.furthest, LEFT, WIDTH - RIGHT)
    shown = [(name, {word: _lines(scale, word, series) for word in _sorted(words, series)}) for name, words in parts]
    heads = sum(HEAD for name, _ in shown if name)
    heights = sum(_height(lines) for _, words in shown for lines in words.values())
    drawing = Drawing(WIDTH, heads + heights + AXIS, stretches=True)
    _draw_axis(drawing, scale, ends)
    y = 0.0
    for name, words in shown:
        if name:
            drawing.text(0, y + HEAD / 2, _short(name, LONGEST_NAME), "value", dy=CENTRED)
            y += HEAD
        for word, lines in words.items():
            _draw_word(drawing, word, lines, y + _height(lines) / 2)
            y += _height(lines)
    rows = [(word, *(places.written.get(word, BLANK) for places in series)) for _, words in shown for word in words]
    letters = [places.entry.letter for places in series]
    in_words = "; ".join(
        f"{word}: {', '.join(f'{letter} {text}' for letter, text in zip(letters, texts, strict=True))}"
        for word, *texts in rows
    )
    return Chart(
        id,
        title,
        f"{caption} {in_words}.",
        drawing,
        table=(("Word", *(f"{places.entry.letter}: {places.entry.name}" for places in series)), *rows),
        has_row_heads=True,
        heading=title,
        caption=caption,
        kind="overlay association",
    )


def _sorted(words: Sequence[str], series: Sequence[Places]) -> list[str]:
    """Words known to an entry by their mean position, largest first."""
    positions = {word: [places.values.get(word, 0.0) for places in series if word in places.written] for word in words}
    means = {word: sum(values) / len(values) for word, values in positions.items() if values}
    return sorted(means, key=lambda word: -means[word])


def _draw_axis(drawing: Drawing, scale: Scale, ends: Ends) -> None:
    bottom = drawing.height - AXIS + 4
    digits = 0 if ends.furthest % 2 == 0 else 2
    places = (-ends.furthest, -ends.furthest / 2, ends.furthest / 2, ends.furthest)
    drawing.x_axis([(scale(value), decimals(value, digits)) for value in places], bottom + 15, bottom=bottom)
    drawing.x_axis([(scale(0.0), "0")], bottom + 15, bottom=bottom, kind="zero")
    drawing.text(0, drawing.height - 6, f"← {_short(ends.left, LONGEST_NAME // 2)}", "tick")
    drawing.text(WIDTH - RIGHT, drawing.height - 6, f"{_short(ends.right, LONGEST_NAME // 2)} →", "tick", anchor="end")


@dataclass(frozen=True)
class Spot:
    """An entry's place for a word on the axis."""

    x: float
    places: Places


def _lines(scale: Scale, word: str, rows: Sequence[Places]) -> list[list[Spot]]:
    """The places for a word on as few lines as keep their dots clear of each other, at least one."""
    spots = [Spot(scale(max(scale.low, min(scale.high, row.values[word]))), row) for row in rows if word in row.values]
    lines: list[list[Spot]] = [[]]
    for spot in sorted(spots, key=lambda spot: spot.x):
        line = next((line for line in lines if not line or spot.x - line[-1].x >= CLEAR), None)
        if line is None:
            lines.append(line := [])
        line.append(spot)
    return lines


def _height(lines: Sequence[Sequence[Spot]]) -> float:
    return ROW + (len(lines) - 1) * LINE


def _draw_word(drawing: Drawing, word: str, lines: Sequence[Sequence[Spot]], middle: float) -> None:
    drawing.text(LEFT - 10, middle, _short(word, LONGEST_WORD), "label", anchor="end", dy=CENTRED)
    drawing.line(LEFT, middle, WIDTH - RIGHT, middle, "grid")
    for row, line in enumerate(lines):
        y = middle + (row - (len(lines) - 1) / 2) * LINE
        for spot in line:
            entry = spot.places.entry
            with drawing.group(
                f"mark {entry.colour}", title=f"{visible(word)}: {entry.letter} {spot.places.written[word]}"
            ):
                drawing.dot(spot.x, y, RADIUS, "")
                drawing.text(spot.x, y, entry.letter, anchor="middle", dy=".36em")


def _written(single: OfOneWord) -> str:
    p = chance(single.p)
    return f"{decimals(single.d)} (p {p if p.startswith('<') else f'= {p}'})"


def _short(text: str, longest: int) -> str:
    shown = visible(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


CSV_HEAD = ("id", "name", "of", "word", "d", "low", "high", "p", "partitions", "exact", "missing", "problem")


def as_csv(test: RequestedTest, answered: Sequence[Answered], address: str) -> str:
    """Per entry a row of the test, then a row per target word; the column ``of`` distinguishes them."""
    rows: list[Sequence[object]] = [CSV_HEAD]
    for reply in answered:
        about = (reply.entry.submission.pk, reply.entry.name)
        answer = reply.answer
        if answer is None:
            rows.append([*about, "test", *[""] * 8, reply.problem])
            continue
        low, high = answer.interval or ("", "")
        notes = " ".join(filter(None, (reply.left_out, answer.reason)))
        tried = (answer.partitions, int(answer.exact), " ".join(answer.missing), notes)
        rows.append([*about, "test", "", answer.d, low, high, answer.p, *tried])
        rows += [[*about, "word", word, its.d, "", "", its.p, *[""] * 4] for word, its in answer.single.items()]
    return "".join((f"# Vecboard, association test: {address}\n", *csv_lines(rows)))


def answer_of(test: RequestedTest, answered: Sequence[Answered], address: str) -> AssociationsAnswer:
    """The lists, and for every entry the command's output or the problem, as the API gives them."""
    return {
        "address": address,
        "test": test.id or None,
        "targets": [{"name": side.name, "words": list(side.words)} for side in test.question.targets],
        "attributes": [{"name": side.name, "words": list(side.words)} for side in test.question.attributes],
        "caution": CAUTION,
        "entries": [
            cast(
                "EntryAssociation",
                {
                    "id": reply.entry.submission.pk,
                    "name": reply.entry.name,
                    **({"problem": reply.problem} if reply.answer is None else reply.answer.as_dict()),
                    **({"among": str(reply.excerpt)} if reply.excerpt else {}),
                },
            )
            for reply in answered
        ],
    }
