"""The verdict on compared entries in words: which is clearly better, overall and on which tasks; and its chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from benchmark.compare.entries import Marked, Picked
from benchmark.compare.parts import task_address
from benchmark.compare.scores import OVERALL_AS_USED, EntryDifference, ScoreDifferences, SharedWordsRow
from benchmark.leaderboard.columns import Column, plain_title
from benchmark.leaderboard.first_screen import name_without_size
from benchmark.leaderboard.overall import OVERALL
from benchmark.templatetags.figures import between, decimals, in_sentence, unbroken, word
from plots.drawing import Markup
from plots.layouts import TICKS, Lanes
from tasks.results import MODES

NO_BREAK = "\N{NO-BREAK SPACE}"
TOO_CLOSE = "too close to call"


@dataclass(frozen=True)
class Verdict:
    """A finding that the corrected tests support.

    Parameters
    ----------
    title, details : the finding, and sentences on what it leaves out, with letters of entries in braces.
    note : the tests, their correction and the unit.
    best : letter of the entry with the highest overall mean; empty if fewer than two have one.
    """

    title: str
    details: tuple[str, ...]
    note: str
    best: str = ""

    def named(self, names: Mapping[str, str]) -> Verdict:
        """With names for the letters."""
        details = tuple(detail.format_map(names) for detail in self.details)
        return Verdict(self.title.format_map(names), details, self.note, self.best)

    def coloured(self, names: Mapping[str, str], colours: Mapping[str, str]) -> Verdict:
        """With names in their entries' colours, as HTML."""
        spans = {letter: coloured(name, colours[letter]) for letter, name in names.items()}
        title, *details = (format_html(escape(text), **spans) for text in (self.title, *self.details))
        return Verdict(title, tuple(details), self.note, self.best)


def named(entries: Sequence[Marked], best: str = "") -> list[tuple[Marked, str, str]]:
    """Entries with their short names and colours."""
    names, colours = short_names(entries), colours_of(entries, best)
    return [(entry, names[entry.letter], colours[entry.letter]) for entry in entries]


def coloured(name: str, colour: str) -> SafeString:
    return format_html('<strong class="{}">{}</strong>', colour, word(name))


def _literal(text: str) -> str:
    """A text whose braces don't stand for letters."""
    return text.replace("{", "{{").replace("}", "}}")


def short_names(entries: Sequence[Marked]) -> dict[str, str]:
    """Names by letter, without sizes where these don't tell two apart; else whole ones, or names with their ids."""
    sizes = [(entry, name_without_size(entry.name, entry.submission.dimensions)) for entry in entries]
    for names in (
        [name for _, name in sizes],
        [f"{name} ({entry.submission.dimensions} d)" for entry, name in sizes],
        [entry.name for entry in entries],
    ):
        if len({*names}) == len(entries):
            return {entry.letter: name for entry, name in zip(entries, names, strict=True)}
    return {entry.letter: f"{entry.name} ({entry.submission.pk})" for entry in entries}


def colours_of(entries: Sequence[Marked], best: str) -> dict[str, str]:
    """CSS classes of two entries' colours; of more, the best one alone has one."""
    if len(entries) == 2:
        return {entry.letter: entry.colour for entry in entries}
    return {entry.letter: "c0" if entry.letter == best else "" for entry in entries}


def verdict_on(differences: ScoreDifferences, rows: Sequence[SharedWordsRow], reference: str) -> Verdict | None:
    """The verdict by error reductions or, for entries of languages without any, by word similarity."""
    if not differences.columns:
        return verdict_on_words(rows, differences.letters, reference)
    overall = {letter: values[OVERALL] for letter, values in differences.values.items() if OVERALL in values}
    best = max(overall, key=lambda letter: overall[letter]) if len(overall) > 1 else ""
    return _of_two(differences, best) if len(differences.letters) == 2 else _of_several(differences, best)


def in_means(columns: Iterable[Column]) -> list[Column]:
    """The tasks that the means average."""
    return [column for column in columns if column.group.lower() in MODES]


def _of_two(differences: ScoreDifferences, best: str) -> Verdict:
    first, second = differences.letters
    pair, tasks = differences.between(first, second), in_means(differences.tasks)
    overall = pair[OVERALL]
    tested = [column for column in tasks if pair[column.key].p is not None]
    note = _note(pair)
    if not tested and overall.p is None:
        reason = _literal(overall.reason) or "Resampled scores are missing."
        return Verdict(
            f"No verdict on {{{first}}} and {{{second}}}", (f"Nothing could be tested. {reason}",), note, best
        )
    wins = {
        first: [column for column in tested if pair[column.key].is_better],
        second: [column for column in tested if pair[column.key].is_worse],
    }
    winner, other = (second, first) if overall.is_worse or len(wins[second]) > len(wins[first]) else (first, second)
    if overall.clear:
        winner, other = (first, second) if overall.is_better else (second, first)
    of = f"{len(tested)} task{'' if len(tested) == 1 else 's'}"
    counts = [len(wins[letter]) or "none" for letter in (winner, other)]
    on_tasks = f"clearly better on {counts[0]} of {of}, {{{other}}} on {counts[1]}"
    if overall.clear:
        title = f"{{{winner}}} is clearly better overall, by {_points(overall)}"
        if any(wins.values()):
            title += f", and on {counts[0]} of {of}; {{{other}}} on {counts[1]}"
        elif tested:
            title += f", though on none of {of} alone"
    elif overall.p is None:
        title = f"No verdict overall. {{{winner}}} is {on_tasks}"
    elif any(wins.values()) or not tested:
        title = f"Neither is clearly better overall{f'. {{{winner}}} is {on_tasks}' if tested else ''}"
    else:
        title = f"Neither is clearly better, overall or on any of {of}"
    details = [
        f"Overall: {_literal(overall.reason)}"
        if overall.p is None
        else ""
        if overall.clear
        else _undecided(overall, differences),
        " ".join(f"{{{letter}}}: {_tasks_in_words(wins[letter])}." for letter in (winner, other) if wins[letter]),
        _as_used(pair.get(OVERALL_AS_USED), differences.letters),
        _left_out(len(tasks), len(tested)),
    ]
    return Verdict(title, tuple(filter(None, details)), note, best)


def _note(pair: Mapping[str, EntryDifference]) -> str:
    """Unit, tests and corrections of a pair."""
    overall, others = pair[OVERALL], [difference for key, difference in pair.items() if key != OVERALL]
    tests = max((difference.tests for difference in others), default=1)
    unit = "Points are shares of the baseline’s errors that are avoided, in per cent."
    if overall.is_ratio:
        unit += (
            " Overall, the figure is the percentage of the other vectors’ errors that the better ones avoid, each "
            "relative to its own baseline."
        )
    if overall.differ is None and overall.adjusted is not None:
        return unbroken(f"{unit} Against the baseline, the 95 % interval of each score decides, as in the report.")
    scores = "the other score" if tests == 1 else f"the {tests} scores"
    count = "" if overall.p is None else f" ({overall.tests} of each entry)"
    return unbroken(
        f"{unit} Clearly better: significant at 5 % in a paired test, corrected overall for all comparisons on the "
        f"leaderboard{count}, otherwise by Holm for {scores} of this pair. Intervals hold 95 %, not corrected."
    )


def _undecided(overall: EntryDifference, differences: ScoreDifferences) -> str:
    """The difference that did not hold, and how large one has to be."""
    first, second = differences.letters
    ahead = first if (overall.value or 0.0) > 0 else second
    parts = [
        f"Overall, {{{ahead}}} is ahead by {_points(overall)}{_alone(overall, ', which is', 'on the leaderboard')}."
    ]
    detectable = overall.detectable(overall.tests)
    if detectable:
        parts.append(
            f"These test sets would often miss a difference under {_amount(replace(overall, value=detectable))}."
        )
    return " ".join(parts)


def _alone(difference: EntryDifference, before: str, where: str = "") -> str:
    """That a difference is clear before the correction only; empty if it isn't."""
    if not difference.is_clear_alone:
        return ""
    return f"{before} clear alone, but not after correction for {difference.tests} tests {where}".rstrip()


def _as_used(difference: EntryDifference | None, letters: Sequence[str]) -> str:
    """The overall means of entries of different sizes against one baseline."""
    if difference is None or difference.value is None:
        return ""
    ahead = letters[0] if difference.value > 0 else letters[1]
    close = "" if difference.clear else f"; {TOO_CLOSE}"
    alone = _alone(difference, ";")
    return (
        "Each is compared with the baseline of its own size. As used, where more dimensions are an advantage, "
        f"{{{ahead}}} is ahead by {_points(difference)}{alone or close}."
    )


def _tasks_in_words(columns: Sequence[Column]) -> str:
    """Tasks in plain words; one that isn't clear in both of its modes names the mode."""
    modes: dict[str, list[str]] = {}
    for column in columns:
        modes.setdefault(in_sentence(plain_title(column.title)), []).append(column.group.lower())
    return ", ".join(f"{task} ({of[0]})" if len(of) == 1 else task for task, of in modes.items())


def _of_several(differences: ScoreDifferences, best: str) -> Verdict:
    if not best:
        return Verdict(f"No verdict on these {len(differences.letters)}", ("Fewer than two have an overall mean.",), "")
    others = {letter: differences.between(best, letter)[OVERALL] for letter in differences.letters if letter != best}
    beaten = [letter for letter, difference in others.items() if difference.is_better]
    tied = [letter for letter, difference in others.items() if difference.p is not None and letter not in beaten]
    untested = [letter for letter in others if letter not in (*beaten, *tied)]
    if len(beaten) == len(others):
        title = f"{{{best}}} is clearly better overall than each of the others"
    elif not beaten and not tied:
        title = f"{{{best}}} is highest overall, but no difference could be tested"
    else:
        better = f", clearly better than {_listed(beaten)}" if beaten else ""
        title = f"{{{best}}} is highest overall{better}" + (f"; {_listed(tied)} too close to call" if tied else "")
    note = (
        "Overall errors avoided, in per cent of the errors of the baseline of as many dimensions, with 95 % intervals, "
        "and verdicts of the leaderboard; those on the baseline are its intervals, not corrected."
    )
    return Verdict(title, (f"Not tested: {_listed(untested)}.",) if untested else (), note, best)


def _left_out(tasks: int, tested: int) -> str:
    """Empty if every task was tested."""
    missing = tasks - tested
    verbs = "lacks a score of one or was" if missing == 1 else "lack a score of one or were"
    return f"The other {missing} of {tasks} tasks {verbs} measured differently." if missing else ""


def _listed(letters: Sequence[str]) -> str:
    *most, last = (f"{{{letter}}}" for letter in letters)
    return f"{', '.join(most)} and {last}" if most else last


def _upright(difference: EntryDifference) -> EntryDifference:
    """The better entry minus the other."""
    return difference if (difference.value or 0.0) >= 0 else difference.turned


def _points(difference: EntryDifference) -> str:
    """Size and interval of a difference: ``3.9 points (1.5 to 6.3)``, of ratios in per cent."""
    upright = _upright(difference)
    bounds = between(upright.interval, lambda end: _size(end or 0.0))
    return f"{_amount(upright)}{f' ({bounds})' if bounds else ''}".replace(" ", NO_BREAK)


def _amount(difference: EntryDifference) -> str:
    """``3.9 points``; of a ratio, ``3.9 %``."""
    return f"{_size(_upright(difference).value or 0.0)}{NO_BREAK}{'%' if difference.is_ratio else 'points'}"


def _short(difference: EntryDifference) -> str:
    """The same without ``points``."""
    return _amount(difference).removesuffix(f"{NO_BREAK}points")


def _size(share: float) -> str:
    """One decimal; two where one would hide a difference."""
    text = decimals(100 * share, 1)
    return decimals(100 * share, 2) if text == "0.0" else text


def verdict_on_words(rows: Sequence[SharedWordsRow], letters: Sequence[str], reference: str) -> Verdict | None:
    """The verdict on entries without error reductions: on how many sets of pairs each is closer to people.

    Parameters
    ----------
    rows : correlations tested against the reference; those of each entry are a family.
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
        title = f"{_listed([reference, *(letter for letter, *_ in parts)])} are too close to call on each of {of}"
    elif len(parts) == 1:
        ((letter, closer, further),) = parts
        (first, most), (second, least) = sorted([(reference, further), (letter, closer)], key=lambda pair: -pair[1])
        title = f"{{{first}}} is closer to people on {most} of {of}, {{{second}}} on {least or 'none'}"
    else:
        against = "; ".join(
            f"{{{letter}}} on {closer or 'none'}, not as close on {further or 'none'}"
            for letter, closer, further in parts
        )
        title = f"On {of}, closer to people than {{{reference}}}: {against}"
    note = (
        "Closer: a higher correlation on the pairs in every vocabulary, significant at 5 % after Holm’s correction "
        f"over the {len(rows)} tests of two entries."
    )
    return Verdict(title, (), note, reference)


@dataclass(frozen=True)
class DifferenceRow:
    """A row of the chart: a task with the winner's name and colour, or an entry; ``reason``: why nothing is drawn."""

    label: str
    small: str
    drawn: Markup
    winner: str
    colour: str
    by: str
    bounds: str = ""
    link: str = ""
    reason: str = ""


@dataclass(frozen=True)
class DifferenceChart:
    """Rows on one axis: tasks of two entries, whose sides have their names and colours, or several entries."""

    axis: Markup
    overall: DifferenceRow | None
    rows: tuple[DifferenceRow, ...]
    side_tasks: tuple[DifferenceRow, ...] = ()
    sides: tuple[SafeString, ...] = ()


def chart_of(differences: ScoreDifferences, entries: Sequence[Picked], best: str) -> DifferenceChart | None:
    """Of two entries, differences by task, the second one's largest lead first; of more, their overall means.

    None if fewer than two of several have an overall mean.
    """
    names, colours = short_names(entries), colours_of(entries, best)
    if len(entries) == 2:
        return _by_task(differences, entries, names, colours)
    return _by_entry(differences, entries, names, best) if best else None


def _by_task(
    differences: ScoreDifferences, entries: Sequence[Picked], names: Mapping[str, str], colours: Mapping[str, str]
) -> DifferenceChart:
    left, right = differences.letters
    pair = differences.between(right, left)
    drawn = [pair[key] for key in (OVERALL, *(column.key for column in differences.tasks))]
    lanes = Lanes.around(
        [end for difference in drawn if difference.value is not None
         for end in (difference.value, *(difference.interval or ()))]
    )  # fmt: skip
    address = task_address(entries)

    def row(label: str, small: str, key: str) -> DifferenceRow:
        difference = pair[key]
        ahead = right if (difference.value or 0.0) > 0 else left
        colour = colours[ahead]
        mark = lanes.lane(difference.value, difference.interval, "" if difference.clear else "unclear")
        by = f"by {_short(difference)}"
        if not difference.clear:
            by = _alone(difference, f"{names[ahead]} {by}:") if difference.is_clear_alone else TOO_CLOSE
        link = address + key if address and key != OVERALL and difference.value is not None else ""
        bounds = between(difference.interval if ahead == right else difference.turned.interval)
        return DifferenceRow(
            label, small, mark, names[ahead] if difference.clear else "", colour, by, bounds, link,
            difference.reason,
        )  # fmt: skip

    columns = sorted(differences.tasks, key=lambda column: _lead(pair[column.key]))
    main = in_means(columns)
    return DifferenceChart(
        lanes.axis(TICKS, lambda share: f"{abs(100 * share):g}"),
        row("Overall", "", OVERALL),
        tuple(row(plain_title(column.title), column.group.lower(), column.key) for column in main),
        tuple(row(plain_title(column.title), "", column.key) for column in columns if column not in main),
        (coloured(f"← {names[left]} better", colours[left]), coloured(f"{names[right]} better →", colours[right])),
    )


def _lead(difference: EntryDifference) -> tuple[bool, float]:
    """Sort key: the largest lead first, missing ones last."""
    return difference.value is None, -(difference.value or 0.0)


def _by_entry(
    differences: ScoreDifferences, entries: Sequence[Picked], names: Mapping[str, str], best: str
) -> DifferenceChart:
    """Overall means of several entries, highest first, each with its verdict against the best."""
    values = {letter: of_entry[OVERALL] for letter, of_entry in differences.values.items() if OVERALL in of_entry}
    intervals = {entry.letter: entry.report.aggregates.intervals.get(OVERALL) for entry in entries}
    shown = sorted((entry for entry in entries if entry.letter in values), key=lambda entry: -values[entry.letter])
    lanes = Lanes.around([end for entry in shown for end in (values[entry.letter], *(intervals[entry.letter] or ()))])
    (of_best,) = (entry.submission.pk for entry in entries if entry.letter == best)
    rows = []
    for entry in shown:
        letter, colour = entry.letter, colours_of(entries, best)[entry.letter]
        by, link = "highest", ""
        if letter != best:
            difference = differences.between(best, letter)[OVERALL]
            worse, close = f"clearly worse, by {_short(difference)}", _alone(difference, "") or TOO_CLOSE
            by = difference.reason or (worse if difference.clear else close)
            link = f"{reverse('compare:compare')}?{urlencode([('e', of_best), ('e', entry.submission.pk)])}"
        drawn = lanes.lane(values[letter], intervals[letter])
        size = f"{entry.submission.dimensions} d"
        small = "" if f"({size})" in names[letter] else size
        rows.append(DifferenceRow(names[letter], small, drawn, "", colour, by, between(intervals[letter]), link))
    return DifferenceChart(lanes.axis(TICKS, lambda share: f"{100 * share:+g} %"), None, tuple(rows))
