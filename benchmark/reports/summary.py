"""Summary of a report: means with ranks, clear strengths, citation.

In a language without downstream tasks, the mean rank on its board replaces the means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmark.leaderboard.board import TRAINED, cells_of
from benchmark.leaderboard.columns import MEAN_RANK, columns_of, plain_title
from benchmark.leaderboard.first_screen import strengths
from benchmark.leaderboard.markup import side_of
from benchmark.leaderboard.overall import OVERALL, ranks_without_a_task
from benchmark.leaderboard.table import Table, place_in_words
from benchmark.reports.charts import AXIS_HEIGHT, has_means
from benchmark.submissions.models import StoredReport, Submission
from benchmark.templatetags.figures import (
    between,
    bibtex,
    decimals,
    in_sentence,
    signed_percent,
    tex,
    unbroken,
)
from plots.chart import Chart
from plots.drawing import Drawing, roomy, round_ticks
from tasks.results import CellResult, Report
from tasks.suite import Suite
from tasks.text import MINUS

NO_MEAN_RANK = "The mean rank compares the entries on the leaderboard; this one is not ranked there."


@dataclass(frozen=True)
class Headline:
    """A mean with its interval and place on the board as text.

    ``as_used`` is the mean relative to the baseline as used, if that is another one; ``without_a_task`` the range of
    positions if each task of the overall mean is left out in turn; ``within_size`` the place among entries as large.
    """

    title: str
    value: str
    interval: str
    place: str
    reason: str
    unit: str = ""
    as_used: float | None = None
    without_a_task: str = ""
    within_size: str = ""


def headlines(report: Report, table: Table, stored: StoredReport, suite: Suite) -> list[Headline]:
    """Fixed, fine-tuned and overall mean, or the mean rank; ranks are the current ones."""
    if not has_means(report, suite):
        return [_mean_rank(table, stored)]
    version = report.suite["version"]
    used = report.as_used if report.vectors["dimensions"] != suite.baseline_dimensions else None
    row = table.row_of.get(stored.pk)
    headlines = []
    for title, name in (("Fixed", "fixed"), ("Fine-tuned", "fine_tuned"), ("Overall", "overall")):
        value, key, without, within = getattr(report.aggregates, name), name.replace("_", "-"), "", ""
        if row is not None and key == OVERALL:
            best, worst = ranks_without_a_task(table, suite, version, table.languages[row])[row].tolist()
            without, within = place_in_words((best, worst)), place_in_words(table.size_place(row))
        headlines.append(
            Headline(
                title,
                signed_percent(value),
                between(report.aggregates.intervals.get(name)),
                "" if row is None else place_in_words(table.place(row, key)),
                report.aggregates.reasons.get(name, ""),
                "" if value is None else "%",
                getattr(used, name, None),
                without,
                within,
            )
        )
    return headlines


def _mean_rank(table: Table, stored: StoredReport) -> Headline:
    score = table.score(stored.pk, MEAN_RANK.key)
    if score is None:
        row = table.row_of.get(stored.pk)
        reasons = {} if row is None else table.reasons[row]
        return Headline(MEAN_RANK.title, MEAN_RANK.write(None), "", "", reasons.get(MEAN_RANK.key, NO_MEAN_RANK))
    value, *bounds = score
    place = place_in_words(table.place(table.row_of[stored.pk], MEAN_RANK.key))
    interval = "" if None in bounds else between(bounds, MEAN_RANK.write)
    return Headline(MEAN_RANK.title, MEAN_RANK.write(value), interval, place, "")


GRAMMAR = ("pos", "chunk")
"""Tasks on grammar, of which vectors of narrow windows hold more (docs/findings.md)."""
WIDE_WINDOW = 5


def finding(report: Report, suite: Suite, window: int | None) -> list[str]:
    """What the vectors are good at, by the verdicts against the baseline of their size, without intervals.

    Parameters
    ----------
    window : words on each side that the vectors were trained on, if known.
    """
    columns = [column for column in columns_of(suite, (), report.vectors["language"]) if column.group in TRAINED]
    cells = list(zip(columns, cells_of(report, columns), strict=True))
    better, worse = strengths(cells)
    clauses = [
        f"clearly {side} at {', '.join(tasks)}" for side, tasks in (("better", better), ("worse", worse)) if tasks
    ]
    on_tasks = f"{'; '.join(clauses)}." if clauses else ""
    sides = {column.key: side_of(cell) for column, cell in cells}
    late = [
        in_sentence(plain_title(column.title)) for column, _ in cells
        if column.key in {f"{task}.fixed" for task in GRAMMAR}
        and sides[column.key] == "worse" and sides.get(column.key.replace("fixed", "fine-tuned")) == "better"
    ]  # fmt: skip
    source = "vectors of wide windows" if (window or 0) >= WIDE_WINDOW else "these vectors"
    grammar = (
        f"Better at {' and '.join(late)} only once fine-tuned: from {source}, a network of this size learns little "
        "grammar until it trains them too."
    )
    sentences = [_of_the_mean(report), on_tasks[:1].upper() + on_tasks[1:], grammar if late else ""]
    return [unbroken(sentence) for sentence in sentences if sentence]


def so_far(report: Report, suite: Suite) -> str:
    """What was seen before the last score, task by task. No mean is judged: entries differ in what they are good at."""
    cells: dict[str, dict[str, list[str]]] = {"clearly better": {}, "clearly worse": {}, "too close to call": {}}
    for result in report.results:
        if result.mode is not None and result.relative_error_reduction_interval is not None:
            low, high = _bounds(result)
            verdict = "clearly better" if low > 0 else "clearly worse" if high < 0 else "too close to call"
            cells[verdict].setdefault(in_sentence(suite.title_of(result.task)), []).append(result.mode)
    named = {
        verdict: [f"{title} ({' and '.join(modes)})" for title, modes in of.items()] for verdict, of in cells.items()
    }
    clauses = [f"{verdict} on {', '.join(tasks)}" for verdict, tasks in named.items() if tasks]
    if not clauses:
        return "No task can be compared with the baseline yet."
    return (
        f"So far, compared with the baseline: {'; '.join(clauses)}. "
        "The overall mean follows when every task is measured."
    )


def _of_the_mean(report: Report) -> str:
    """The overall verdict as a sentence; empty without its interval."""
    share, interval = report.aggregates.overall, report.aggregates.intervals.get("overall")
    if share is None or interval is None:
        return ""
    baseline = f"SVD-PPMI of {report.baseline or 'as many dimensions'}"
    if interval[0] <= 0.0 <= interval[1]:
        return f"Overall, too close to call against {baseline}."
    side, errors = ("better", "fewer") if share > 0 else ("worse", "more")
    return f"Clearly {side} than {baseline}: {decimals(100 * abs(share), 1)} % {errors} errors."


MOST_IN_STANDING = 60
STANDING_WIDTH, STANDING_ROW, STANDING_TICKS = 360, 9, 5


def _in_order(table: Table, language: str) -> NDArray[np.int64]:
    """Rows of a language's ranked entries in the order of their overall means, highest first."""
    order = table.in_order.get(language)
    if order is None:
        ranked = np.flatnonzero((table.ranks(OVERALL) > 0) & (np.array(table.languages) == language))
        order = table.in_order[language] = ranked[np.argsort(-table.values(OVERALL)[ranked], kind="stable")]
    return order


def standing(table: Table, stored: StoredReport) -> Chart | None:
    """All ranked entries in the order of their overall means, this one emphasised; None if it isn't ranked.

    Of more than 60 entries it shows 60 or a few more, evenly spaced by rank.
    """
    own_row = table.row_of.get(stored.pk)
    if own_row is None or not table.place(own_row, OVERALL)[0]:
        return None
    column, order = table.column_of[OVERALL], _in_order(table, table.languages[own_row])
    at = int(np.flatnonzero(order == own_row)[0])
    places = sorted({*range(0, len(order), -(-len(order) // MOST_IN_STANDING)), at})
    shown = order[places].tolist()
    ends = {name: 100 * table.parts[name][:, column] for name in ("value", "low", "high")}
    finite = [figure for row in shown for of in ends.values() if np.isfinite(figure := float(of[row]))]
    scale, height = roomy([0.0, *finite], 0, STANDING_WIDTH), STANDING_ROW * len(shown) + 10
    drawing = Drawing(STANDING_WIDTH, height + AXIS_HEIGHT, stretches=True)
    ticks = round_ticks(scale, STANDING_TICKS, lambda value: f"{value:+g}".replace("-", MINUS))
    drawing.x_axis([(x, text) for x, text in ticks if text != "+0"], height + 18, bottom=height)
    drawing.x_axis([(scale(0.0), "0")], height + 18, bottom=height, kind="zero")
    middles = {row: STANDING_ROW * (i + 0.5) + 5 for i, row in enumerate(shown)}
    whiskers = {row: (scale(float(ends["low"][row])), scale(float(ends["high"][row]))) for row in shown}
    values = {row: scale(float(ends["value"][row])) for row in shown}
    # As one mark, because each of its own would add a twentieth to the page; lines of no length are dots.
    others = [row for row in shown if row != own_row]
    if bounded := [row for row in others if np.isfinite(whiskers[row][0])]:
        drawing.curve(*([(x, middles[row]) for x in whiskers[row]] for row in bounded), kind="whisker other")
    if np.isfinite(whiskers[own_row][0]):
        drawing.whisker(*whiskers[own_row], middles[own_row], ends=False, kind="whisker own")
    if others:
        drawing.curve(*([(values[row], middles[row])] * 2 for row in others), kind="others")
    drawing.dot(values[own_row], middles[own_row], 5, "own")
    place = place_in_words(table.place(own_row, OVERALL))
    of = f"of {len(order)}" if len(shown) == len(order) else f"of {len(order)} ({len(shown)} of them shown)"
    title = f"Rank {place} {of} by the overall mean"
    return Chart(
        "standing",
        title,
        f"Errors avoided overall, in per cent, with 95 % intervals, a row per entry, best first; this entry has "
        f"{signed_percent(float(table.values(OVERALL)[own_row]))} %, the zero line is the baseline.",
        drawing,
        kind="standing",
    )


def trained_seeds(report: Report) -> int:
    """Seeds per trained task; 0 if nothing was trained."""
    return max((result.seeds for result in report.results if result.mode is not None), default=0)


def seeds_in_words(report: Report, suite: Suite) -> str:
    """Seeds of trained tasks, then of word tasks with several draws, as text."""
    trained = trained_seeds(report)
    drawn = [result for result in report.results if result.mode is None and result.seeds > 1]
    words = [f"{trained} for trained tasks, numbered from 0"] if trained else []
    words += [f"{suite.title_of(result.task)} draws {result.seeds}" for result in drawn]
    return "; ".join(words)


def citation(submission: Submission, report: Report, suite: Suite, address: str) -> str:
    """BibTeX entry of this report: who submitted the vectors, their own authors, and the suite."""
    when = submission.finished_at.date().isoformat() if submission.finished_at else ""
    authors = submission.facts.authors
    title = f"{{{tex(submission.display_name)}}}: word embeddings measured on {tex(suite.title)}"
    return bibtex(
        f"vecboard-{submission.pk}",
        author=f"{{{tex(submission.author)}}}",
        title=f"{title}, version {report.suite['version']}",
        year=when[:4],
        howpublished=f"Vecboard report, {when}" if when else "Vecboard report",
        url=address,
        note=f"{f'vectors by {tex(authors)}, ' if authors else ''}suite {suite.id} version {report.suite['version']}, "
        f"{report.suite['hash']}, vectors {report.vectors['sha256'][:16]}",
    )


def _bounds(result: CellResult) -> tuple[float, float]:
    assert result.relative_error_reduction_interval is not None
    return result.relative_error_reduction_interval


BOTH = "95 % intervals over test examples and training seeds"
EXAMPLES_ALONE = "95 % intervals over test examples; variance between training seeds is not published for this suite"


def intervals_in_words(report: Report) -> str:
    """Sources of uncertainty that the intervals include, as text."""
    errors = [result.relative_error_reduction_errors for result in report.results]
    return BOTH if any("seeds" in of_cell for of_cell in errors) else EXAMPLES_ALONE
