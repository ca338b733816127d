"""How each seed learned: dev scores by epoch, as small charts on one scale a task."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.reports.sections import Section
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import percent
from tasks.figures import SeedLearned
from tasks.results import Mode, Report, TaskResult
from tasks.suites import SUITES

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 300, 150, 44, 10, 24, 10


@dataclass(frozen=True)
class Curve:
    """``points`` for an SVG polyline; the best epoch's dot."""

    points: str
    best_x: float
    best_y: float
    seed: int
    text: str


@dataclass(frozen=True)
class Curves:
    id: str
    title: str
    mode: Mode
    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, str], ...]
    epochs: int
    table: tuple[tuple[int, int, int, str, str], ...]
    """One row per seed: seed, epochs, best epoch, its dev score, test score."""

    width, height, left, right, bottom = WIDTH, HEIGHT, LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM


def build(report: Report, submission: Submission) -> dict[str, object] | None:
    """None where nothing was trained."""
    suite = SUITES.get(submission.suite)
    titles = {task.id: task.title for task in suite.tasks} if suite else {}
    trained = [result for result in report.results if result.training and result.training.get("seeds") and result.mode]
    charts = [_curves(result, titles.get(result.task, result.task), _scale(report, result.task)) for result in trained]
    return {"charts": charts} if charts else None


def _scale(report: Report, task: str) -> tuple[float, float, int]:
    """Lowest and highest dev score and the most epochs of a task, both modes alike."""
    seeds = [seed for r in report.results if r.task == task and r.training for seed in r.training.get("seeds", ())]
    values = [value for seed in seeds for value in seed["dev"]]
    low, high = min(values), max(values)
    return low, high if high > low else low + 0.01, max(len(seed["dev"]) for seed in seeds)


def _curves(result: TaskResult, title: str, scale: tuple[float, float, int]) -> Curves:
    assert result.training is not None
    assert result.mode is not None
    low, high, epochs = scale
    seeds = result.training["seeds"]
    table = tuple((s["seed"], s["epochs"], s["best_epoch"], percent(max(s["dev"])), percent(s["test"])) for s in seeds)
    ticks = tuple((_y(value, low, high), percent(value)) for value in (low, (low + high) / 2, high))
    curves = tuple(_curve(seed, low, high, epochs) for seed in seeds)
    return Curves(f"{result.task}-{result.mode}", title, result.mode, curves, ticks, epochs, table)


def _curve(seed: SeedLearned, low: float, high: float, epochs: int) -> Curve:
    places = [(_x(i + 1, epochs), _y(value, low, high)) for i, value in enumerate(seed["dev"])]
    best = places[seed["best_epoch"] - 1]
    text = f"seed {seed['seed']}: best {percent(max(seed['dev']))} after epoch {seed['best_epoch']} of {seed['epochs']}"
    return Curve(" ".join(f"{x},{y}" for x, y in places), best[0], best[1], seed["seed"], text)


def _x(epoch: int, epochs: int) -> float:
    return round(LEFT + (epoch - 1) / max(1, epochs - 1) * (WIDTH - LEFT - RIGHT), 1)


def _y(value: float, low: float, high: float) -> float:
    return round(HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - BOTTOM - TOP), 1)


SECTION = Section("learning", "Learning curves", build, "reports/sections/learning.html")
