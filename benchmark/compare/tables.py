"""The two tables of a comparison, for papers: all scores with their differences, and word tasks on shared words."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404

from benchmark.compare.entries import LEAST, Picked
from benchmark.compare.scores import ScoreDifferences, score_differences, shared_words
from benchmark.compare.verdict import short_names, verdict_on
from benchmark.leaderboard.board import cells_of
from benchmark.leaderboard.overall import OVERALL
from benchmark.paper import BEST, CLEAR, EQUAL, PaperColumn, PaperRow, PaperTable, Value, about
from benchmark.templatetags.figures import grouped
from tasks.languages import ENGLISH
from tasks.suite import Suite

_TESTED = ("p", "p_corrected", "tests", "detectable_corrected")
"""Of a difference: p before and after the correction, its number of tests, and the smallest detectable difference after
the correction."""


def scores_table(entries: Sequence[Picked], suite: Suite, address: str, today: str) -> PaperTable:
    """The scores of all entries and, of two, their tested differences; of several, the marks of the overall mean.

    Raises
    ------
    Http404
        the suite has no downstream tasks in the language.
    """
    tested = score_differences(entries, suite)
    if not tested.columns:
        raise Http404("The suite has no downstream tasks in the language of these entries.")
    verdict = verdict_on(tested, (), entries[0].letter)
    marks = _marks(tested, verdict.best) if verdict and len(entries) > LEAST else {}
    names = short_names(entries)
    columns = [PaperColumn(entry.submission.pk, f"{names[entry.letter]} (%)") for entry in entries]
    differences = next(iter(tested.pairs.values())) if len(entries) == LEAST else {}
    if differences:
        first, second = names.values()
        unit = "points; overall, %" if differences[OVERALL].is_ratio else "points"
        columns.append(PaperColumn("difference", f"{first} − {second} ({unit})", more=_TESTED))
    rows = []
    for column, *cells in zip(
        tested.columns, *(cells_of(entry.report, tested.columns) for entry in entries), strict=True
    ):
        values = [
            Value(
                cell.value,
                cell.low,
                cell.high,
                marks.get(entry.letter, "") if column.key == OVERALL else "",
                cell.reason,
            )
            for entry, cell in zip(entries, cells, strict=True)
        ]
        if differences:
            difference = differences[column.key]
            low, high = difference.interval or (None, None)
            is_tested, mark = difference.p is not None, CLEAR if difference.clear else ""
            tests = difference.tests if is_tested else None
            more = (difference.p, difference.adjusted, tests, difference.detectable(difference.tests))
            values.append(Value(difference.value, low, high, mark, difference.reason, more))
        rows.append(PaperRow((column.title, column.group), (column.key, column.title, column.group), values))
    sentences = [_about(entries, suite, today), "Errors avoided.", verdict.note if verdict else ""]
    if differences:
        sentences.append("*: clearly better.")
    elif marks:
        sentences.append("Bold: highest overall; underlined: too close to call.")
    return PaperTable(" ".join(sentences), address, ("Task", "Mode"), ("key", "task", "mode"), columns, rows)


def _marks(tested: ScoreDifferences, best: str) -> dict[str, str]:
    """Marks of the overall mean: the best entry, and those that it isn't clearly better than."""
    if not best:
        return {}
    others = {letter: tested.between(best, letter)[OVERALL] for letter in tested.letters if letter != best}
    close = {letter: EQUAL for letter, other in others.items() if other.p is not None and not other.is_better}
    return {best: BEST} | close


def words_table(entries: Sequence[Picked], suite: Suite, address: str, today: str) -> PaperTable:
    """Word tasks on the words of every vocabulary, tested against the first entry."""
    words, names = shared_words(entries, entries[0], suite), short_names(entries)
    more = ("own", "own_examples", "p", "p_corrected", "p_williams")
    columns = [PaperColumn(entry.submission.pk, names[entry.letter], more=more) for entry in entries]
    rows = [
        PaperRow(
            (f"{row.title}{f' ({row.unit})' if row.unit else ''}", f"{grouped(row.common)} of {grouped(row.examples)}"),
            (row.task, row.title, row.common, row.examples),
            [
                Value(
                    cell.value,
                    mark=CLEAR if cell.clear else "",
                    more=(cell.full, cell.known_examples, cell.p, cell.adjusted, cell.williams),
                    write=row.write,
                )
                for cell in row.cells
            ],
        )
        for row in words.rows
    ]
    caption = (
        f"{_about(entries, suite, today)} Spearman’s ρ, unless the data set names another score, on the pairs, "
        "questions or words in every vocabulary."
    )
    if words.correlations:
        caption += (
            f" *: differs from {names[entries[0].letter]}, significant at 5 % after Holm’s correction over the "
            f"{len(words.correlations)} correlations of two entries."
        )
    facts = ("key", "task", "shared_examples", "examples")
    return PaperTable(caption, address, ("Data set", "Known to all"), facts, columns, rows)


def _about(entries: Sequence[Picked], suite: Suite, today: str) -> str:
    versions = sorted({entry.report.suite["version"] for entry in entries})
    (language, *others) = {entry.submission.language for entry in entries}
    return about(suite, " and ".join(map(str, versions)), today, ENGLISH if others else language)


TABLES = {"scores": scores_table, "words": words_table}
