"""The first screen: entries at equal size or as used, with their strengths, and the answer to its question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import TRAINED, Board, Cell, Row
from benchmark.leaderboard.columns import Column, plain_title, scores_of
from benchmark.leaderboard.markup import MOST_TICKS, side_of, strip_of, tick_in_words
from benchmark.templatetags.figures import in_sentence, word
from plots.drawing import Markup
from plots.layouts import Lanes
from tasks.baseline.published import baseline_at, sizes_of
from tasks.report import baselines_as_used
from tasks.results import AS_USED
from tasks.suites import SUITES

MOST_SIZES = 3
"""Sizes that the answer names: those with the most ranked entries."""
MOST_NAMES = 3
BASELINE = "SVD-PPMI"


@dataclass(frozen=True)
class RankedEntry:
    """An entry; ``drawn`` is its dot's score, ``other`` the same score in the other view.

    ``better`` and ``worse`` are the tasks whose intervals exclude the baseline of its size, if ``is_tested``.
    """

    row: Row
    name: str
    is_published: bool
    mistaken_for: str
    lane: Markup
    side: str
    drawn: Cell
    other: Cell | None
    better: tuple[str, ...]
    worse: tuple[str, ...]
    is_tested: bool


@dataclass(frozen=True)
class SizeGroup:
    """Entries with as many dimensions, in the order of their ranks; None: entries of all sizes.

    ``total`` and ``ranked`` count all of them, ``entries`` may be the first ones.
    """

    dimensions: int | None
    total: int
    ranked: int
    entries: tuple[RankedEntry, ...]
    more: str = ""
    """Link to all of them."""
    baseline: str = ""
    """The baseline's size in words, if none of exactly this size is published."""


@dataclass(frozen=True)
class FirstScreen:
    groups: tuple[SizeGroup, ...]
    controls: tuple[RankedEntry, ...]
    axis: Markup
    marks: Markup
    """Labels of the baselines of all sizes, as used; empty at equal size."""
    other: Column | None
    tasks: tuple[tuple[str, str], ...]
    """Keys and names of the columns that can be drawn."""
    counted_tasks: tuple[str, ...]
    """Tasks of the overall mean, in plain words."""


def first_screen_of(board: Board) -> FirstScreen:
    """The content of a board by rank."""
    drawn_column = board.columns[0]
    is_used = drawn_column.key.endswith(AS_USED)
    counterpart = drawn_column.key.removesuffix(AS_USED) if is_used else drawn_column.key + AS_USED
    other = next((column for column in board.columns if column.key == counterpart), None)
    cells = [(board.columns.index(column), column) for column in board.all_columns if column.group in TRAINED]
    strip = strip_of(board.table, drawn_column)
    is_current = board.version == board.suite.version
    marks = _baselines(board.suite.id, board.query.language, counterpart) if is_used and is_current else {}
    lanes = Lanes(min(strip.low, *marks, 0.0), max(strip.high, *marks, 0.0), lines=tuple(marks))
    taken_for = page_cache.resembling(board.suite.id)

    def shown(row: Row) -> RankedEntry:
        drawn, ends = row.cells[0], row.interval()
        better, worse = strengths([(column, row.cells[place]) for place, column in cells])
        return RankedEntry(
            row,
            name_without_size(row.facts.name, row.facts.dimensions),
            row.facts.id in board.kinds.published,
            taken_for.get(row.facts.id, ""),
            lanes.lane(drawn.value, ends, "baseline" if row.facts.baseline else side_of(drawn)),
            side_of(drawn),
            drawn,
            row.cells[board.columns.index(other)] if other else None,
            better,
            worse,
            any(row.interval(place) for place, _ in cells),
        )

    controls = [row for row in board.rows if row.facts.id in board.kinds.controls]
    entries = [row for row in board.rows if row.facts.id not in board.kinds.controls]
    published_sizes = sizes_of(board.suite, board.query.language)
    groups = []
    for dimensions, members in groupby(entries, lambda row: None if is_used else row.facts.dimensions):
        rows = tuple(map(shown, members))
        total, ranked = board.sizes.get(float(dimensions or 0), (len(rows), 0))
        more = board.query.address(least=dimensions, most=dimensions) if len(rows) < total else ""
        baseline = baseline_at(board.suite, dimensions, board.query.language) if dimensions and is_current else None
        of_other_size = "" if baseline is None or dimensions in published_sizes else baseline.size
        groups.append(SizeGroup(dimensions, total, ranked, rows, more, of_other_size))
    names = {column.key: f"{plain_title(column.title)}, {column.group.lower()}" for _, column in cells}
    keys = {column.key for column in board.all_columns}
    tasks = [(key, name) for key, name in names.items() if not is_used or key + AS_USED in keys]
    return FirstScreen(
        groups=tuple(groups),
        controls=tuple(map(shown, controls)),
        axis=lanes.axis(MOST_TICKS, lambda tick: f"{tick_in_words(tick)} %", "" if marks else BASELINE),
        marks=lanes.labels({value: f"{size} d" for value, size in marks.items()}),
        other=other,
        tasks=tuple(tasks),
        counted_tasks=tuple(dict.fromkeys(in_sentence(plain_title(column.title)) for _, column in cells)),
    )


_SIZE = r"(?<!\d){}[\s_-]?d(?:im(?:ension)?s?)?\b[)\]]?"


def name_without_size(name: str, dimensions: int | None) -> str:
    """A name without its number of dimensions: ``GloVe 6B, 50 dimensions`` → ``GloVe 6B``; the name if none is left."""
    size = re.search(_SIZE.format(dimensions), name, re.IGNORECASE)
    if size is None:
        return name
    return (name[: size.start()].rstrip(" ,;:_.([-") + name[size.end() :]).strip(" ,;:_-") or name


def strengths(cells: Iterable[tuple[Column, Cell]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tasks better and worse than the baseline; one that is both, in two modes, names the mode."""
    sides: dict[str, dict[str, str]] = {}
    for column, cell in cells:
        sides.setdefault(in_sentence(plain_title(column.title)), {})[column.group.lower()] = side_of(cell)
    tasks_by_side: dict[str, list[str]] = {"better": [], "worse": []}
    for task, modes in sides.items():
        is_both = {"better", "worse"} <= set(modes.values())
        for side, tasks in tasks_by_side.items():
            tasks += [f"{task} ({mode})" if is_both else task for mode, of_mode in modes.items() if of_mode == side]
    better, worse = (tuple(dict.fromkeys(tasks)) for tasks in tasks_by_side.values())
    return better, worse


@lru_cache(maxsize=32)
def _baselines(suite: str, language: str, key: str) -> dict[float, int]:
    """Dimensions of the published baselines by their score in a column, as used."""
    scores = {
        size: scores_of(report)[0].get(key) for size, report in baselines_as_used(SUITES[suite], language).items()
    }
    return {score[0]: size for size, score in scores.items() if score is not None and score[0] is not None}


@dataclass(frozen=True)
class AnswerByTests:
    """``verdict`` in a few words, and a sentence for each size."""

    verdict: str
    sentences: tuple[str, ...]


def answer(groups: Sequence[SizeGroup]) -> AnswerByTests:
    """What leads at each size by the tests of that size; only sizes with two ranked entries or more are compared."""
    leading = [(group, [entry for entry in group.entries if entry.row.rank == 1]) for group in groups]
    several = [(group, entries) for group, entries in leading if group.ranked > 1 and entries]
    compared = sorted(sorted(several, key=lambda pair: -pair[0].ranked)[:MOST_SIZES], key=several.index)
    if not compared:
        ranked = any(group.ranked for group in groups)
        verdict = "Too few to tell." if ranked else "No vectors are ranked yet."
        why = "Ranks are within one size, and no size has two ranked entries."
        return AnswerByTests(verdict, (why,) if ranked else ())
    winners = {entries[0].name if _is_winner(entries) else "" for _, entries in compared}
    verdict = "No single winner." if "" in winners else "Each size has its winner."
    if len(winners) == 1 and "" not in winners:
        verdict = format_html("{} works best.", word(*winners))
    sentences = [_sentence(*pair, is_first=not i) for i, pair in enumerate(compared)]
    return AnswerByTests(verdict, tuple(sentences))


def _is_winner(leading: Sequence[RankedEntry]) -> bool:
    return len(leading) == 1 and leading[0].row.last == 1


def _sentence(group: SizeGroup, leading: Sequence[RankedEntry], *, is_first: bool) -> SafeString:
    size = f"At {group.dimensions} dimensions" if is_first else f"At {group.dimensions}"
    of_size = "" if group.baseline else " vectors of that size"
    names, effect = _in_a_row(leading), _effect(leading, f"{BASELINE}{of_size}" if is_first else "")
    if _is_winner(leading):
        others = "the other" if group.ranked == 2 else f"each of the {group.ranked - 1} others"
        return format_html("{}, {} is clearly better than {}{}.", size, names, others, effect)
    if len(leading) == 1:
        return format_html("{}, nothing is clearly better than {}{}.", size, names, effect)
    return format_html("{}, {} are too close to call{}.", size, names, effect)


def _in_a_row(entries: Sequence[RankedEntry]) -> SafeString:
    """Names for a sentence: a comma in a name would separate two."""
    parts = (entry.name.partition(", ") for entry in entries)
    names = [word(f"{before} ({after})" if after else before + comma) for before, comma, after in parts]
    if len(names) > MOST_NAMES:
        names[MOST_NAMES - 1 :] = [format_html("{} more", len(names) - MOST_NAMES + 1)]
    before = format_html_join(", ", "{}", ((name,) for name in names[:-1]))
    return format_html("{} and {}", before, names[-1]) if before else names[-1]


def _effect(entries: Sequence[RankedEntry], baseline: str) -> str:
    """Errors that leading entries avoid, if all are clearly better than the baseline of their size, or that none is."""
    sides = {entry.side for entry in entries}
    if sides == {"close"}:
        return f", and not clearly better than {baseline or BASELINE}"
    if sides != {"better"}:
        return ""
    values = [entry.drawn.value or 0.0 for entry in entries]
    share = " to ".join(dict.fromkeys(f"{100 * end:.0f}" for end in (min(values), max(values))))
    if not baseline:
        return f" ({share} %)"
    verb = "it avoids" if len(entries) == 1 else "they avoid"
    return f": {verb} {share} % of the errors of {baseline}"
