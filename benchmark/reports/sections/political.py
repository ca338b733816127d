"""Political queries on the report page: how the vectors organise meaning, beside the baseline and beside people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.reports.sections import Section
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, grouped
from tasks.base import Task
from tasks.results import Report, TaskResult
from tasks.suites import SUITES

ROOM = "tasks.political."
WIDTH, HEIGHT, LEFT, BOTTOM = 420, 200, 40, 28
MOST_MOVED = 10


@dataclass(frozen=True)
class Row:
    """One task; ``reason`` says why it is blank."""

    id: str
    title: str
    shows: str
    score: str = "–"
    interval: str = ""
    known: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    descriptive: bool = False
    reason: str = ""


@dataclass(frozen=True)
class CueRow:
    """One cue: its coefficients as text, or None where it is unknown; nearest words on both sides."""

    cue: str
    pearson: str | None
    spearman: str = ""
    kendall: str = ""
    entry: str = ""
    reference: str = ""


@dataclass(frozen=True)
class Chart:
    """A small chart: bars of a histogram or points of curves, in the SVG's own units, and the same in words."""

    slug: str
    title: str
    description: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...] = ()
    bars: tuple[tuple[float, float, float, float], ...] = ()
    curves: tuple[tuple[str, str, float, float], ...] = ()
    """Name, points of the line, and where the name stands."""
    table: tuple[tuple[str, ...], ...] = ()

    width, height, left, axis_y = WIDTH, HEIGHT, LEFT, HEIGHT - BOTTOM


def build(report: Report, submission: Submission) -> dict[str, Any] | None:
    """The figures of the political tasks; None for a suite without them, or where nothing was measured."""
    suite = SUITES.get(submission.suite)
    tasks = [task for task in suite.tasks if task.family.implementation.startswith(ROOM)] if suite else []
    if not any(report.result(task.id) for task in tasks):
        return None
    mine = [task for task in tasks if task.language in (None, submission.language)]
    listed = next(
        (found for task in mine if "cues" in (found := _secondary(report, task.id)) and found.get("kendall")), {}
    )
    return {
        "rows": [_row(report, task) for task in mine],
        "foreign": [task.title for task in tasks if task not in mine],
        "cues": _cues(listed),
        "reference": listed.get("reference") or _secondary(report, "political-all").get("reference"),
        "common_words": listed.get("common_words"),
        "charts": [chart for chart in (_jaccard(listed), _histogram(_secondary(report, "political-all"))) if chart],
        "moved": _moved(_secondary(report, "political-all")),
        "people": _people(_secondary(report, "political-human")),
        "stability": _secondary(report, "stability"),
    }


def _secondary(report: Report, task: str) -> Mapping[str, Any]:
    result = report.result(task)
    return result.secondary if result else {}


def _row(report: Report, task: Task) -> Row:
    result = report.result(task.id)
    if result is None:
        reason = next((item.reason for item in report.unavailable if item.task == task.id), "This was not measured.")
        return Row(task.id, task.title, task.shows, reason=reason, descriptive=task.descriptive)
    return Row(
        task.id,
        task.title,
        task.shows,
        correlation(result.score),
        f"{correlation(result.interval[0])} to {correlation(result.interval[1])}" if result.interval else "",
        _known(result),
        tuple(_beside(result)),
        task.descriptive,
    )


def _known(result: TaskResult) -> str:
    cues = result.secondary.get("cues")
    if isinstance(cues, dict):
        return f"{result.n} of {len(cues)} cues"
    if "runs" in result.secondary:
        return f"{result.n} pairs of {result.secondary['runs']} runs"
    return f"{grouped(result.n)} words"


def _beside(result: TaskResult) -> list[tuple[str, str]]:
    found = result.secondary
    named = [
        ("Spearman", (found.get("spearman") or {}).get("mean")),
        ("Kendall", (found.get("kendall") or {}).get("mean")),
    ]
    named += [("within mentioned words", (found.get("within") or {}).get("mean"))]
    named += [("political cues", (found.get("political") or {}).get("mean"))]
    return [(name, correlation(value)) for name, value in named if value is not None]


def _cues(listed: Mapping[str, Any]) -> list[CueRow]:
    neighbours = listed.get("neighbours", {})
    rows = []
    for cue, figures in listed.get("cues", {}).items():
        if figures is None:
            rows.append(CueRow(cue, None))
            continue
        near = neighbours.get(cue, {})
        coefficients = (correlation(figures[name]) for name in ("pearson", "spearman", "kendall"))
        rows.append(CueRow(cue, *coefficients, ", ".join(near.get("entry", ())), ", ".join(near.get("reference", ()))))
    return rows


def _moved(found: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]] | None:
    moved = found.get("moved")
    if not moved:
        return None
    return {name: [(m["word"], correlation(m["pearson"])) for m in moved[name][:MOST_MOVED]] for name in moved}


def _people(found: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    rows = []
    for cue, figures in found.get("cues", {}).items():
        if figures is None:
            rows.append((cue, "–", "–", "unknown"))
        else:
            known = f"{figures['known']} of {figures['mentioned']}"
            rows.append((cue, correlation(figures["full"]), correlation(figures["within"]), known))
    return rows


def _jaccard(listed: Mapping[str, Any]) -> Chart | None:
    """Overlap of the nearest words by N, in full vocabularies and in the common one."""
    shares = listed.get("jaccard")
    if not shares:
        return None
    at = list(shares["full"])
    top = max(0.05, *shares["full"].values(), *shares["common"].values())
    right = WIDTH - 110
    step = (right - LEFT) / (len(at) - 1)
    x = [round(LEFT + nth * step, 1) for nth in range(len(at))]
    curves = []
    for name, words in (("full", "full vocabularies"), ("common", "common words")):
        y = [round((HEIGHT - BOTTOM) * (1 - share / top * 0.92), 1) for share in shares[name].values()]
        curves.append([words, " ".join(f"{a},{b}" for a, b in zip(x, y, strict=True)), right + 6.0, y[-1]])
    if abs(curves[0][3] - curves[1][3]) < 14:
        lower = max(curves, key=lambda curve: curve[3])
        lower[3] += 14 - abs(curves[0][3] - curves[1][3])
    rows = tuple((n, correlation(shares["full"][n]), correlation(shares["common"][n])) for n in at)
    return Chart(
        "jaccard",
        "Shared neighbours by number of neighbours",
        "Mean Jaccard index of the N nearest words of the cues: "
        + "; ".join(f"N {n}: {full} in full vocabularies, {common} among common words" for n, full, common in rows),
        tuple((place, n) for place, n in zip(x, at, strict=True)),
        _y_ticks(top),
        curves=tuple((str(a), str(b), float(c), float(d)) for a, b, c, d in curves),
        table=(("N", "Full vocabularies", "Common words"), *rows),
    )


def _y_ticks(top: float) -> tuple[tuple[float, str], ...]:
    return tuple((round((HEIGHT - BOTTOM) * (1 - share * 0.92), 1), f"{top * share:.2f}") for share in (0.0, 0.5, 1.0))


def _histogram(found: Mapping[str, Any]) -> Chart | None:
    """Distribution of the correlations of every common word."""
    shape, figures = found.get("histogram"), found.get("pearson")
    if not shape or not figures:
        return None
    counts, edges = shape["counts"], shape["edges"]
    most, step = max(counts), (WIDTH - LEFT - 8) / len(counts)
    base = HEIGHT - BOTTOM
    bars = tuple(
        (round(LEFT + nth * step + 0.5, 1), round(base * (1 - count / most * 0.95), 1), round(step - 1, 1),
         round(base * count / most * 0.95, 1))
        for nth, count in enumerate(counts) if count
    )  # fmt: skip
    ticks = tuple(
        (round(LEFT + nth * step, 1), f"{edges[nth]:g}".replace("-", "−"))
        for nth in range(0, len(edges), len(counts) // 4)
    )
    words = f"{grouped(figures['n'])} words"
    return Chart(
        "every-word",
        f"Every common word as a cue: mean {correlation(figures['mean'])}",
        f"Histogram of the Pearson correlation of {words}: mean {correlation(figures['mean'])}, standard deviation "
        f"{correlation(figures['sd'])}, from {correlation(figures['min'])} to {correlation(figures['max'])}.",
        ticks,
        bars=bars,
        table=(
            ("Pearson from", "to", "words"),
            *(
                (correlation(low), correlation(high), grouped(count))
                for low, high, count in zip(edges, edges[1:], counts, strict=False)
                if count
            ),
        ),
    )


SECTION = Section("political", "Political queries", build, "reports/sections/political.html")
