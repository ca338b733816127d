"""The verdict on compared entries: which is better, from which it can be told apart, on how many cells; as a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from django.urls import reverse

from benchmark.compare.lanes import Lane, LaneChart
from benchmark.compare.scores import EntryDifference, ScoreDifferences, SharedWordsRow
from benchmark.leaderboard.columns import MEANS
from benchmark.templatetags.figures import between, decimals
from plots.layouts import TICKS, Lanes
from tasks.results import AS_USED, MODES
from tasks.text import MINUS

OVERALL = MEANS[0].key
NO_BREAK = "\N{NO-BREAK SPACE}"
Of = TypeVar("Of")


@dataclass(frozen=True)
class Verdict:
    """A finding that the corrected tests support.

    Parameters
    ----------
    title : the finding, in letters of entries.
    best : letter of the entry with the highest overall mean; empty if fewer than two have one.
    details : sentences on what the title leaves out.
    note : the tests, their correction and the unit.
    """

    title: str
    best: str
    details: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class CellCount:
    """Cells that one entry wins, and loses, against another, of those ``tested``."""

    better: int
    worse: int
    tested: int


def count_of(pair: Mapping[str, EntryDifference], cells: Sequence[str]) -> CellCount:
    tests = [pair[key] for key in cells]
    tested = sum(test.p is not None for test in tests)
    return CellCount(sum(test.is_better for test in tests), sum(test.is_worse for test in tests), tested)


def verdict_of(differences: ScoreDifferences) -> Verdict:
    """The verdict on two entries or more. Only differences that are significant after the correction count as wins."""
    overall = {letter: values[OVERALL] for letter, values in differences.values.items() if OVERALL in values}
    best = max(overall, key=lambda letter: overall[letter]) if len(overall) > 1 else ""
    title, details = _of_two(differences) if len(differences.letters) == 2 else _of_several(differences, best)
    pairs = "" if len(differences.letters) == 2 else " of all pairs of these entries"
    of_sizes = any(column.key.endswith(AS_USED) for column in differences.columns)
    against = ", each entry against the baseline of as many dimensions" if of_sizes else ""
    note = (
        f"Points of error reduction{against}. Better: significant at 5 % in a paired test, after Holm’s correction "
        f"over all {differences.tests} tests{pairs} on means and cells. Intervals are 95 %, without correction."
    )
    return Verdict(title, best, tuple(filter(None, details)), note)


def verdict_on(differences: ScoreDifferences, rows: Sequence[SharedWordsRow], reference: str) -> Verdict | None:
    """The verdict by error reductions or, for entries of languages without any, by word similarity."""
    return verdict_of(differences) if differences.columns else verdict_on_words(rows, differences.letters, reference)


def _of_two(differences: ScoreDifferences) -> tuple[str, list[str]]:
    first, second = differences.letters
    cells = [column.key for column in differences.cells]
    pair = differences.between(first, second)
    score, overall = count_of(pair, cells), pair[OVERALL]
    left_out = _left_out(len(cells), score.tested)
    of = _cells(score.tested, "shared " if left_out else "")
    if not score.tested and overall.p is None:
        reason = overall.reason or "Resampled scores are missing."
        return f"No verdict on {first} and {second}", [f"Nothing could be tested. {reason}"]
    on_cells = f"{first} is better on {score.better or 'none'} of {of}, {second} on {score.worse or 'none'}"
    if overall.p is None:
        return f"No verdict overall; {on_cells}", [f"Overall: {overall.reason.rstrip('.')}.", left_out]
    if overall.clear:
        if overall.is_worse:
            first, second, overall, score = (
                second,
                first,
                overall.turned,
                CellCount(score.worse, score.better, score.tested),
            )
        by = f"{first} is better overall by {_points(overall)}"
        if not score.better and not score.worse:
            return f"{by}; on no cell alone can the two be told apart", [left_out]
        return f"{by}, on {score.better or 'none'} of {of}; {second} on {score.worse or 'none'}", [left_out]
    if score.better or score.worse:
        title = f"{first} and {second} cannot be told apart overall; {on_cells}"
    else:
        title = f"{first} and {second} cannot be told apart, overall or on any of {of}"
    return title, [_undecided(overall), left_out]


def _undecided(overall: EntryDifference) -> str:
    """The difference that did not hold, and how large one has to be."""
    parts = [f"The overall means differ by {_points(overall)}."]
    if overall.excludes_zero:
        parts.append("The interval excludes zero, but the test does not hold after the correction.")
    if overall.error:
        parts.append(
            f"The smallest detectable difference of the two is {overall.sizes(_points_of)}: a smaller one would be "
            "missed more often than once in five times."
        )
    return " ".join(parts)


def _of_several(differences: ScoreDifferences, best: str) -> tuple[str, list[str]]:
    if not best:
        return f"No verdict on these {len(differences.letters)} entries", [
            "Fewer than two of them have an overall mean."
        ]
    others = {letter: differences.between(best, letter) for letter in differences.letters if letter != best}
    beaten = [letter for letter, pair in others.items() if pair[OVERALL].is_better]
    tied = [letter for letter, pair in others.items() if pair[OVERALL].p is not None and letter not in beaten]
    untested = [letter for letter in others if letter not in (*beaten, *tied)]
    if len(beaten) == len(others):
        nearest = min(beaten, key=lambda letter: others[letter][OVERALL].value or 0.0)
        title = f"{best} is best overall, {_points(others[nearest][OVERALL])} above {nearest}"
    elif not beaten and not tied:
        title = f"{best} is highest overall, but no difference could be tested"
    else:
        better = f" and better than {_listed(beaten)}" if beaten else ""
        title = f"{best} is highest overall{better}"
        if tied:
            title += f", but cannot be told apart from {_listed(tied)}"
    sizes = [
        f"{others[letter][OVERALL].sizes(_points_of)} for {letter}" for letter in tied if others[letter][OVERALL].error
    ]
    near = [letter for letter in tied if others[letter][OVERALL].excludes_zero]
    return title, [
        _on_cells(differences, best, others),
        f"Before the correction, the interval of the difference from {_listed(near)} excludes zero." if near else "",
        f"Smallest detectable difference from {best}: {', '.join(sizes)}." if sizes else "",
        f"Not tested against {best}: {_listed(untested)}." if untested else "",
    ]


def _on_cells(differences: ScoreDifferences, best: str, others: Mapping[str, Mapping[str, EntryDifference]]) -> str:
    cells = [column.key for column in differences.cells]
    shared = [key for key in cells if all(pair[key].p is not None for pair in others.values())]
    if not shared:
        return ""
    first = sum(all(pair[key].is_better for pair in others.values()) for key in shared)
    second = sum(any(pair[key].is_worse for pair in others.values()) for key in shared)
    of = _cells(len(shared), "shared " if len(shared) < len(cells) else "")
    return (
        f"On {first or 'none'} of {of} {best} is better than every other entry; "
        f"on {second or 'none'} another is better than {best}."
    )


def _left_out(cells: int, tested: int) -> str:
    """Empty if every cell was tested."""
    missing = cells - tested
    verbs = "lacks a score of one entry or was" if missing == 1 else "lack a score of one entry or were"
    return f"The other {missing} of {cells} cells {verbs} measured differently." if missing else ""


def _cells(count: int, shared: str = "") -> str:
    return f"{count} {shared}cell{'' if count == 1 else 's'}"


def _listed(letters: Sequence[str]) -> str:
    *most, last = letters
    return f"{', '.join(most)} and {last}" if most else last


def _points(difference: EntryDifference) -> str:
    """Size and interval of a difference: ``3.9 points (1.5 to 6.3)``, with the interval of its absolute value."""
    value = difference.value or 0.0
    upright = difference if value >= 0 else difference.turned
    bounds = between(upright.interval, lambda end: _size(end or 0.0))
    return f"{_size(abs(value))} points{f' ({bounds})' if bounds else ''}".replace(" ", NO_BREAK)


def _points_of(share: float) -> str:
    return f"{_size(share)} points"


def _size(share: float) -> str:
    """One decimal; two where one would hide a difference."""
    text = decimals(100 * share, 1)
    return decimals(100 * share, 2) if text == "0.0" else text


def verdict_on_words(rows: Sequence[SharedWordsRow], letters: Sequence[str], reference: str) -> Verdict | None:
    """The verdict on entries without error reductions: on how many sets of pairs each is closer to people.

    Parameters
    ----------
    rows : correlations tested against the reference, corrected over all rows.
    """
    if not rows:
        return None
    place, of = letters.index(reference), f"{len(rows)} data set{'' if len(rows) == 1 else 's'}"
    parts = []
    for i, letter in enumerate(letters):
        clear = [row for row in rows if row.cells[i].clear]
        closer = sum((row.cells[i].value or 0.0) > (row.cells[place].value or 0.0) for row in clear)
        if letter != reference:
            parts.append((letter, closer, len(clear) - closer))
    if not any(closer or further for _, closer, further in parts):
        title = f"{reference} and {_listed([letter for letter, *_ in parts])} cannot be told apart on any of {of}"
    elif len(parts) == 1:
        ((letter, closer, further),) = parts
        (first, most), (second, least) = sorted([(reference, further), (letter, closer)], key=lambda pair: -pair[1])
        title = f"{first} is closer to people on {most} of {of}, {second} on {least or 'none'}"
    else:
        against = "; ".join(
            f"{letter} on {closer or 'none'}, not as close on {further or 'none'}" for letter, closer, further in parts
        )
        title = f"On {of}, closer to people than {reference}: {against}"
    tests = len(rows) * len(parts)
    note = (
        f"Closer: a higher correlation on the pairs in every vocabulary, significant at 5 % after Holm’s correction "
        f"over all {tests} tests."
    )
    return Verdict(title, reference, (), note)


def charts_of_differences(
    differences: ScoreDifferences, best: str, names: Mapping[str, str], ids: Mapping[str, str]
) -> list[LaneChart]:
    """Differences, the largest first: by cell for two entries; for more, overall from the best and then by cell.

    Parameters
    ----------
    names, ids : of the entries, by letter.
    """
    best = best or differences.letters[0]
    others = {letter: differences.between(best, letter) for letter in differences.letters if letter != best}
    by_cell = [_by_cell(differences, best, letter, pair, ids) for letter, pair in others.items()]
    if len(others) == 1:
        return by_cell
    overall = {letter: pair[OVERALL] for letter, pair in others.items()}
    lanes = _axis(overall.values())
    lines = [
        _lane(f"{best} − {other}", names[other], difference, lanes) for other, difference in _sorted(overall.items())
    ]
    clear = sum(difference.is_better for difference in overall.values())
    of = f"all {clear} others" if clear == len(lines) else f"{clear or 'none'} of the {len(lines)} others"
    title, sides = f"Overall, {best} is better than {of}", (f"{best} worse", f"{best} better")
    return [LaneChart(title, lanes.axis(TICKS, _points_tick), tuple(lines), sides), *by_cell]


def _by_cell(
    differences: ScoreDifferences, first: str, second: str, pair: Mapping[str, EntryDifference], ids: Mapping[str, str]
) -> LaneChart:
    count = count_of(pair, [column.key for column in differences.cells])
    better, worse = (number or "none" for number in (count.better, count.worse))
    title = f"{first} − {second}: {first} is better on {better} of {_cells(count.tested)}, {second} on {worse}"
    lanes = _axis(pair.values())
    both = [("e", ids[letter]) for letter in sorted((first, second))]
    rows = []
    for column, difference in _sorted((column, pair[column.key]) for column in differences.cells):
        small = column.group.lower() if column.group.lower() in MODES else "not in the means"
        link = f"{reverse('compare:differ')}?{urlencode([*both, ('cell', column.key)])}"
        rows.append(_lane(column.title, small, difference, lanes, "" if difference.value is None else link))
    sides, overall = (f"{second} better", f"{first} better"), _lane("Overall", "", pair[OVERALL], lanes)
    return LaneChart(title, lanes.axis(TICKS, _points_tick), tuple(rows), sides, overall)


def _axis(differences: Iterable[EntryDifference]) -> Lanes:
    with_value = [difference for difference in differences if difference.value is not None]
    return Lanes.around(
        [end for difference in with_value for end in (difference.value or 0.0, *(difference.interval or ()))]
    )


def _lane(label: str, small: str, difference: EntryDifference, lanes: Lanes, link: str = "") -> Lane:
    side = "better" if (difference.value or 0.0) > 0 else "worse"
    drawn = lanes.lane(difference.value, difference.interval, side if difference.clear else f"{side} unclear")
    return Lane(
        label, small, drawn, difference.text, difference.bounds, difference.clear, link=link, reason=difference.reason
    )


def _sorted(differences: Iterable[tuple[Of, EntryDifference]]) -> list[tuple[Of, EntryDifference]]:
    """The largest difference first; missing ones last."""
    return sorted(differences, key=lambda pair: (pair[1].value is None, -(pair[1].value or 0.0)))


def _points_tick(share: float) -> str:
    text = f"{100 * share:+.3g}"
    return "0" if float(text) == 0 else text.replace("-", MINUS)
