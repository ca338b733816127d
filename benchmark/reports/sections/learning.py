"""How each seed learned: dev scores by epoch, as small charts on one scale a task."""

from __future__ import annotations

from benchmark.reports.sections import ReportPage, Section
from benchmark.templatetags.figures import percent
from plots.chart import Chart
from plots.drawing import Drawing, Scale
from tasks.figures import SeedLearned
from tasks.results import Report, TaskResult

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 300, 150, 44, 10, 24, 10


def build(page: ReportPage) -> dict[str, object] | None:
    """None where nothing was trained."""
    report = page.report
    trained = [result for result in report.results if result.training and result.training.get("seeds") and result.mode]
    if not trained:
        return None
    named = [(result, page.suite.title_of(result.task)) for result in trained]
    return {
        "charts": [_chart(result, title, *_scales(report, result.task)) for result, title in named],
        "rows": [row for result, title in named for row in _rows(result, title)],
    }


def _seeds(result: TaskResult) -> list[SeedLearned]:
    return list(result.training.get("seeds", ())) if result.training else []


def _scales(report: Report, task: str) -> tuple[int, Scale]:
    """The most epochs, and the dev scores, of both modes of a task."""
    seeds = [seed for result in report.results if result.task == task for seed in _seeds(result)]
    values = [value for seed in seeds for value in seed["dev"]]
    low, high = min(values), max(values)
    epochs = max(len(seed["dev"]) for seed in seeds)
    return epochs, Scale(low, high if high > low else low + 0.01, HEIGHT - BOTTOM, TOP)


def _chart(result: TaskResult, title: str, epochs: int, up: Scale) -> Chart:
    across = Scale(1, max(2, epochs), LEFT, WIDTH - RIGHT)  # a single epoch is at the left
    drawing = Drawing(WIDTH, HEIGHT)
    ticks = (up.low, (up.low + up.high) / 2, up.high)
    drawing.y_axis([(up(value), percent(value)) for value in ticks], LEFT, WIDTH - RIGHT)
    drawing.text(LEFT, HEIGHT - 6, "1", "tick")
    drawing.text(WIDTH - RIGHT, HEIGHT - 6, f"epoch {epochs}", "tick", anchor="end")
    for seed in _seeds(result):
        places = [(round(across(epoch)), up(value)) for epoch, value in enumerate(seed["dev"], 1)]
        drawing.curve(places)
        drawing.dot(*places[seed["best_epoch"] - 1], 3.5, "best")
    name = f"{title}, {result.mode}"
    in_words = f"Dev score in per cent after every epoch, {len(_seeds(result))} seeds; the table below has the figures."
    data = [
        (str(seed["seed"]), str(epoch), f"{value:.6g}")
        for seed in _seeds(result)
        for epoch, value in enumerate(seed["dev"], 1)
    ]
    return Chart(
        f"curve-{result.task}-{result.mode}",
        name,
        in_words,
        drawing,
        caption=name,
        kind="small",
        data=(("seed", "epoch", "dev score"), *data),
    )


def _rows(result: TaskResult, title: str) -> list[tuple[str, str, int, int, int, str, str]]:
    """One row per seed: task, mode, seed, epochs, scored epoch, its dev score, test score."""
    return [
        (title, result.mode or "", s["seed"], s["epochs"], s["best_epoch"], percent(_scored_dev(s)), percent(s["test"]))
        for s in _seeds(result)
    ]


def _scored_dev(seed: SeedLearned) -> float:
    """The dev score of the epoch whose weights were scored: the best one, or the last one of a fixed budget."""
    return seed["dev"][seed["best_epoch"] - 1]


SECTION = Section("learning", "Learning", build, "reports/sections/learning.html")
