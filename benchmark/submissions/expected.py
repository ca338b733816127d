"""How long a submission will take: the published baselines' seconds, at the pace of this site and of this run.

A cell's seconds are those of a baseline of the same size. A site is faster or slower than the machine that measured the
baseline: its pace is the ratio of what its recent cells took to what was expected of them, for every cell that it has
measured, and over all of them for the others. What a submission's own finished cells took corrects the rest of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from django.core.cache import cache

from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import State
from tasks.baseline.costs import seconds_of_cells
from tasks.suites import SUITES

RECENT = 20
"""Files whose cells say how fast this site is."""
REMEMBERED_SECONDS = 15
UNMEASURED = 3.0
"""Seconds of a word task that neither a baseline nor this site has measured, such as one that compares with the
baseline itself; and the weight of a trained cell without any known time."""
STEADY_SHARE = 0.1
"""A run's own pace counts half once its finished cells were expected to take this share of the whole."""
Cell = tuple[str, str]


@dataclass(frozen=True)
class Pace:
    """Seconds here per second expected: of single cells, of trained ones, and of all others."""

    cells: Mapping[Cell, float]
    trained: float
    others: float

    def of(self, cell: Cell) -> float:
        return self.cells.get(cell, self.trained if cell[1] else self.others)


def expected_seconds(submission: Submission, runs: Iterable[TaskRun] = ()) -> dict[Cell, float]:
    """Seconds that each cell that applies to a submission is expected to take here; of finished ones, what they took.

    Parameters
    ----------
    runs : its cells' rows.
    """
    suite = SUITES.get(submission.suite)
    if suite is None:
        return {}
    pace = _pace(submission.suite)
    found = _of_size(submission.suite, submission.dimensions or suite.baseline_dimensions, submission.words)
    expected: dict[Cell, float] = {
        (task.id, mode or ""): found.get((task.id, mode or ""), UNMEASURED) * pace.of((task.id, mode or ""))
        for task, mode in suite.cells()
        if task.applies_to(submission.language or "en")
    }
    took: dict[Cell, float] = {(run.task, run.mode): run.took for run in runs if run.took is not None}
    gone = {(run.task, run.mode) for run in runs if run.state == TaskRun.State.UNAVAILABLE}
    own = own_pace(took, expected)
    return {cell: took.get(cell, own * seconds) for cell, seconds in expected.items() if cell not in gone}


def is_known(suite_id: str, language: str) -> bool:
    """Whether a baseline or this site has measured every trained cell of a language: else no time can be promised."""
    suite = SUITES.get(suite_id)
    if suite is None:
        return False
    measured = {*_of_size(suite_id, suite.baseline_dimensions, None), *_pace(suite_id).cells}
    return all((task.id, mode) in measured for task, mode in suite.cells() if mode and task.applies_to(language))


def has_pace(suite_id: str) -> bool:
    """Whether this site has measured a file under the suite: else the pace is that of the baseline's machine."""
    return bool(_pace(suite_id).cells)


def forget_pace(**_signal: object) -> None:
    """Let the next look count a file that has just ended."""
    cache.delete_many([_key(suite_id) for suite_id in SUITES])


def _key(suite_id: str) -> str:
    return f"pace:{suite_id}"


def own_pace(took: Mapping[Cell, float], expected: Mapping[Cell, float]) -> float:
    """The ratio of what finished trained cells took to what was expected; near 1 while little is known."""
    known = [cell for cell in took if cell[1] and cell in expected]
    steady = STEADY_SHARE * sum(expected.values())
    as_expected = sum(expected[cell] for cell in known) + steady
    return (sum(took[cell] for cell in known) + steady) / as_expected if as_expected else 1.0


def _of_size(suite_id: str, dimensions: int, words: int | None) -> dict[Cell, float]:
    found = seconds_of_cells(SUITES[suite_id], dimensions, words)
    return {(task, mode or ""): seconds for (task, mode), seconds in found.items()}


def _pace(suite_id: str) -> Pace:
    """The site's pace; looked up a few times a minute, however many people watch."""
    key = _key(suite_id)
    known: tuple[list[tuple[str, str, float]], float, float] | None = cache.get(key)
    if known is None:
        pace = measured_pace(suite_id)
        known = [(*cell, ratio) for cell, ratio in pace.cells.items()], pace.trained, pace.others
        cache.set(key, known, REMEMBERED_SECONDS)
    cells, trained, others = known
    return Pace({(task, mode): ratio for task, mode, ratio in cells}, trained, others)


def measured_pace(suite_id: str) -> Pace:
    """Medians over the cells of the last files that were measured here."""
    done = Submission.objects.filter(suite=suite_id, state=State.DONE, is_baseline=False)
    last = list(done.order_by("-finished_at").values_list("pk", flat=True)[:RECENT])
    here = TaskRun.objects.filter(submission__in=last, took__isnull=False)
    recent = here.values_list("task", "mode", "took", "submission__dimensions", "submission__words")
    ratios: dict[Cell, list[float]] = {}
    sizes: dict[tuple[int, int | None], dict[Cell, float]] = {}
    for task, mode, took, dimensions, words in recent:
        assert took is not None  # by the query
        size = dimensions or 1, words
        if size not in sizes:
            sizes[size] = _of_size(suite_id, *size)
        ratios.setdefault((task, mode), []).append(took / sizes[size].get((task, mode), UNMEASURED))
    cells = {cell: median(of_cell) for cell, of_cell in ratios.items()}
    by_kind = [[ratio for (_, mode), ratio in cells.items() if bool(mode) is trained] for trained in (True, False)]
    return Pace(cells, *(median(kind) if kind else 1.0 for kind in by_kind))
