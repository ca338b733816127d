"""Trained tasks on the report page: learning curves, scores by class, confusion matrices, unknown words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from django.utils.safestring import SafeString, mark_safe
from numpy.typing import NDArray

from benchmark.reports.page import ReportPage, Section
from benchmark.templatetags.figures import grouped, percent
from plots.chart import Chart
from plots.drawing import Drawing, Scale, multiples, round_axis, round_step
from tasks.results import MODES, CellResult, Mode, Report, SeedLearned
from tasks.secondary import Confusions, TrainedFigures

WIDTH, HEIGHT, TOP, BOTTOM = 328, 170, 28, 24
PANELS = {"fixed": (44, 174), "fine-tuned": (194, 324)}
"""Begin and end of each mode's curves; both have the scale on the left."""
MOST_EPOCHS, MOST_SCORES = 3, 4
"""Ticks of the axes, about."""


def learning(page: ReportPage) -> dict[str, object] | None:
    """Dev scores by epoch; None if nothing was trained."""
    report = page.report
    trained = [result for result in report.results if result.training and result.training.get("seeds") and result.mode]
    if not trained:
        return None
    named = [(result, page.suite.title_of(result.task)) for result in trained]
    of_task = {title: [result for result, other in named if other == title] for _, title in named}
    return {
        "charts": [_curves(title, results) for title, results in of_task.items()],
        # The scored epoch is the best or, with a fixed budget, the last.
        "rows": [
            (title, result.mode or "", s["seed"], s["epochs"], best, percent(s["dev"][best - 1]), percent(s["test"]))
            for result, title in named
            for s in _seeds(result)
            for best in [s["best_epoch"]]
        ],
    }


def _seeds(result: CellResult) -> list[SeedLearned]:
    return list(result.training.get("seeds", ())) if result.training else []


def _curves(title: str, results: Sequence[CellResult]) -> Chart:
    """The curves of one task: fixed at the left, fine-tuned at the right, on one scale."""
    seeds = [seed for result in results for seed in _seeds(result)]
    (low, high), ticks = round_axis([100 * value for seed in seeds for value in seed["dev"]], MOST_SCORES)
    epochs, up = max(len(seed["dev"]) for seed in seeds), Scale(low, high, HEIGHT - BOTTOM, TOP)
    numbers = multiples(max(round_step(epochs / MOST_EPOCHS), 1), 1, epochs) or [1]
    drawing = Drawing(WIDTH, HEIGHT, stretches=True)
    data = []
    for i, result in enumerate(results):
        begin, end = PANELS[result.mode or "fixed"]
        across = Scale(1, max(2, epochs), begin, end)  # a single epoch is on the left
        drawing.y_axis([(up(tick), "" if i else f"{tick:g}") for tick in ticks], begin, end)
        drawing.x_axis([(across(epoch), f"{epoch:g}") for epoch in numbers], HEIGHT - 6)
        drawing.text(begin, 14, (result.mode or "").capitalize(), "tick")
        lines = []
        for seed in _seeds(result):
            places = [(across(epoch), up(100 * value)) for epoch, value in enumerate(seed["dev"], 1)]
            lines.append(places)
            drawing.dot(*places[seed["best_epoch"] - 1], 3.5, "best")
            scores = enumerate(seed["dev"], 1)
            data += [(result.mode or "", str(seed["seed"]), str(epoch), f"{value:.6g}") for epoch, value in scores]
        drawing.curve(*lines)
    return Chart(
        f"curve-{results[0].task}",
        title,
        f"Dev score in per cent after every epoch, {len(seeds)} curves; the table below has the numbers.",
        drawing,
        caption=title,
        kind="small",
        data=(("mode", "seed", "epoch", "dev score"), *data),
    )


LEARNING = Section("learning", "Learning", learning, "reports/sections/learning.html")


NAMES = {
    "sst2": {"0": "negative", "1": "positive"},
    "demo-sentiment": {"0": "blame", "1": "praise"},
    "ppdb-nli": {"1": "1, least alike", "5": "5, most alike"},
}
"""Meanings of labels that are numbers in the data set's files."""
ABOUT = {"ppdb-nli": "The classes are people's mean rating of how similar in meaning two phrases are, rounded up."}


@dataclass(frozen=True)
class TaskClasses:
    """``scores``: tables of precision, recall and F1 of span types, if any, and of classes."""

    id: str
    title: str
    about: str
    scores: tuple[SafeString, ...]
    matrices: tuple[tuple[Mode, SafeString], ...]


def counts_of(report: Report, name: str) -> list[list[str]] | None:
    """Counts of the matrix ``confusion-TASK-MODE``: a row per gold class, a column per predicted class."""
    for result in report.results:
        counted = _classes(result)
        if counted and name == f"confusion-{result.task}-{result.mode}":
            labels = _labels(result, counted)
            rows = zip(labels, counted["confusion"], strict=True)
            return [["gold", *labels], *([label, *map(str, counts)] for label, counts in rows)]
    return None


def _labels(result: CellResult, counted: Confusions) -> list[str]:
    names = NAMES.get(next((use.id for use in result.datasets), ""), {})
    return [names.get(label, label) for label in counted["labels"]]


def classes(page: ReportPage) -> dict[str, object] | None:
    """Scores by class and confusion matrices of every downstream task."""
    report = page.report
    ids = dict.fromkeys(result.task for result in report.results if _classes(result))
    tasks = [_task(report, task, page.suite.title_of(task)) for task in ids]
    return {"tasks": tasks} if tasks else None


def _task(report: Report, task: str, title: str) -> TaskClasses:
    of_modes = {mode: result for mode in MODES if (result := report.result(task, mode)) is not None}
    results = {mode: result for mode, result in of_modes.items() if _classes(result)}
    first = next(iter(results.values()))
    classes, dataset = _classes(first), next((use.id for use in first.datasets), "")
    assert classes is not None
    labels, seeds = _labels(first, classes), classes["seeds"]
    tables = {mode: np.array(counted["confusion"]) for mode, result in results.items() if (counted := _classes(result))}
    scores = [_table(title, "Class", labels, seeds, {mode: _of_confusion(table) for mode, table in tables.items()})]
    spans = {mode: result.figures(TrainedFigures).get("spans", {}) for mode, result in results.items()}
    if kinds := list(next(iter(spans.values()))):
        counts = {mode: np.array([of_mode[kind] for kind in kinds]) for mode, of_mode in spans.items()}
        scores.insert(0, _table(title, "Span type", kinds, seeds, counts))
    matrices = tuple((mode, confusion_table(labels, table)) for mode, table in tables.items())
    return TaskClasses(task, title, ABOUT.get(dataset, ""), tuple(scores), matrices)


def _classes(result: CellResult) -> Confusions | None:
    return result.figures(TrainedFigures).get("classes")


def _of_confusion(table: Counts) -> Counts:
    """True positives, false positives and false negatives of each class, shape (classes, 3)."""
    right = np.diagonal(table)
    return np.stack([right, table.sum(axis=0) - right, table.sum(axis=1) - right], axis=1)


def _table(title: str, kind: str, labels: Sequence[str], seeds: int, counts: dict[Mode, Counts]) -> SafeString:
    """Scores by class as an HTML table; support is the number of gold examples of one seed in the first mode."""
    first = next(iter(counts.values()))
    support = ((first[:, 0] + first[:, 2]) // seeds).tolist()
    return score_table(title, kind, labels, support, list(counts.items()))


CLASSES = Section(
    "classes", "Scores by class and confusion matrices", classes, "reports/sections/classes.html", place="downstream"
)


Counts = NDArray[np.int64]


def score_table(
    task: str, kind: str, labels: Sequence[str], support: Sequence[int], scores: Sequence[tuple[Mode, Counts]]
) -> SafeString:
    """Precision, recall and F1 of every label as an HTML table; undefined ones are "–".

    Written without a template, which would take half of the page's rendering time for its thousands of cells. Cells
    have no end tags (HTML allows this), which would add a twentieth to the page's size.

    Parameters
    ----------
    scores : by mode, true positives, false positives and false negatives, shape (labels, 3).
    """
    modes = "".join(
        f'<th colspan="3" scope="colgroup" class="group-start">{escape(m.capitalize())}</th>' for m, _ in scores
    )
    names = (
        '<th scope="col" class="number group-start">Precision</th><th scope="col" class="number">Recall</th>'
        '<th scope="col" class="number">F1</th>'
    )
    head = (
        f'<thead><tr><th rowspan="2" scope="col">{escape(kind)}</th>'
        f'<th rowspan="2" scope="col" class="number">Support</th>{modes}</tr><tr>{names * len(scores)}</tr></thead>'
    )
    cells = [[_scores(*counts) for counts in table.tolist()] for _, table in scores]
    lines = [
        f'<tr><th scope="row">{escape(label)}</th><td>{grouped(number)}{"".join(of_label)}</tr>'
        for label, number, *of_label in zip(labels, support, *cells, strict=True)
    ]
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(task)}: scores by {kind.lower()}">'
    body = "\n".join(lines)
    return mark_safe(f'{region}<table class="scores narrow classes">{head}<tbody>{body}</tbody></table></div>')  # nosec B308 B703


def _scores(tp: int, fp: int, fn: int) -> str:
    shares = ((tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn))
    precision, recall, f1 = [percent(part / whole if whole else None) for part, whole in shares]
    return f"<td>{precision}<td>{recall}<td>{f1}"


def confusion_table(labels: Sequence[str], counts: Counts) -> SafeString:
    """Confusion matrix as HTML: per cent of each gold class, in four shades; ``counts`` has a row per gold class."""
    heads = "".join(f'<th scope="col">{escape(label)}</th>' for label in labels)
    shares = counts / np.maximum(counts.sum(axis=1), 1)[:, None]
    cents, shades = np.where(shares < LEAST_SHARE, 0, np.rint(shares * 100)), np.maximum(np.rint(shares * SHADES), 1)
    places = np.where(counts > 0, cents * SHADES + shades, 0).astype(np.int64)
    lines = []
    for i, (label, row) in enumerate(zip(labels, places.tolist(), strict=True)):
        cells = [WRONG_CELLS[place] for place in row]
        cells[i] = RIGHT_CELLS[row[i]]
        lines.append(f'<tr><th scope="row">{escape(label)}</th>{"".join(cells)}</tr>')
    head = f'<thead><tr><td class="corner">gold ↓ predicted →</td>{heads}</tr></thead>'
    return mark_safe(f'<table class="confusion">{head}<tbody>{"".join(lines)}</tbody></table>')  # nosec B308 B703


SHADES = 4
LEAST_SHARE = 0.005
"""Smaller shares are written “<1”."""


def _cells(kind: str) -> list[str]:
    """Every cell of a matrix by 4 × per cent + shade, as a report has thousands of them; the first one is empty."""
    texts = ["&lt;1", *map(str, range(1, 101))]
    return ["<td>", *(f'<td class="{kind}{shade}">{text}' for text in texts for shade in range(1, SHADES + 1))]


RIGHT_CELLS, WRONG_CELLS = _cells("p"), _cells("n")


def unknown_words(page: ReportPage) -> dict[str, object] | None:
    """Unknown test words by task, from the first mode, because both modes have the same words."""
    rows: dict[str, dict[str, object]] = {}
    for result in page.report.results:
        missed = result.figures(TrainedFigures).get("unknown_words")
        if missed is not None and result.task not in rows:
            words = ", ".join(
                f"{word}\N{NO-BREAK SPACE}({count})" if count != 1 else str(word) for word, count in missed["commonest"]
            )
            title = page.suite.title_of(result.task)
            rows[result.task] = {"title": title, "coverage": result.coverage, "types": missed["types"], "words": words}
    return {"rows": list(rows.values())} if rows else None


UNKNOWN_WORDS = Section(
    "unknown-words", "Out-of-vocabulary words", unknown_words, "reports/sections/unknown_words.html", place="downstream"
)
