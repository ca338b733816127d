"""Which variant? Measured on probes, judged against the whole file in a fixed order (docs/protocol.md §8.12)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from extensions.front.measure.variants import Original, Variant
from tasks.base import MEAN_VECTOR_PROBE, NEWSGROUPS, SENTENCE, Task
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
from tasks.formats.source import MEGABYTE
from tasks.gate import POINTS, Gated, Verdict, judged
from tasks.prepared import open_prepared
from tasks.processes import Progress, no_progress
from tasks.results import CellResult
from tasks.statistics.effects import mean_of
from tasks.statistics.uncertainty import SeedVariances, score_estimate
from tasks.suite import Suite
from tasks.vectors import Embedding
from tasks.word_list import words_for

MEAN = "mean of the probes"
HEADERS = 2_000
"""Most bytes of a written file that are neither numbers nor words."""
STEP = 0.9
"""Each step of the sequence has at most this share of the bytes of the one before."""
_FIXED_COST = 40
"""Of a variant, in dimensions: reading, and the part of the probes that does not depend on them."""
_PLANNING = 0.2
"""Share of the work that computes the losses of all variants."""


def probes_of(suite: Suite, language: str) -> list[Task]:
    """The suite's probes of mean vectors, and the same probe on its sentences that have none.

    The probe on sentences of the task ``questions`` is called ``questions-probe``; it isn't a task of the suite.
    """
    declared = [task for task in suite.tasks if task.family in (MEAN_VECTOR_PROBE, NEWSGROUPS)]
    probed = {task.dataset for task in declared}
    more = []
    for task in suite.tasks:
        if task.family is SENTENCE and task.dataset not in probed:
            probed.add(task.dataset)
            named = f"{task.id}-probe", f"{task.title}, probe"
            more.append(replace(task, id=named[0], title=named[1], family=MEAN_VECTOR_PROBE, modes=(None,)))
    return [task for task in (*declared, *more) if task.applies_to(language)]


def here(probes: Sequence[Task]) -> list[Task]:
    """Those whose data is on this machine.

    Raises
    ------
    InputError
        there is none.
    """
    usable = [task for task in probes if DataStore.default().status(task.data).available]
    if not usable:
        message = "No probe for vectors in this language can be scored here. To list missing data: "
        raise InputError("no-data", f"{message}python -m tasks datasets", field="task")
    return usable


@dataclass(frozen=True)
class Candidate:
    """A variant that fits the budget, with its bytes without headers, and its loss (:meth:`Original.loss`)."""

    variant: Variant
    bytes: int
    loss: float


def sequence(original: Original, budget: int, progress: Progress = no_progress) -> list[Candidate]:
    """The order in which variants are tested, largest first: it depends on the vectors alone, and on no score.

    Of the variants that fit the budget in bytes, it has those that lose less than every smaller one; steps of less than
    a tenth of the bytes are skipped, and variants with numbers too large for their precision.

    Raises
    ------
    InputError
        none fits.
    """
    offered = [original.whole, *original.variants]
    candidates = []
    for index, variant in enumerate(offered):
        progress(index / len(offered), variant.name)
        size = original.least_bytes(variant)
        if size + HEADERS <= budget:
            candidates.append(Candidate(variant, size, original.loss(variant)))
    if not candidates:
        least = min(map(original.least_bytes, offered)) / MEGABYTE
        message = f"No variant fits the budget; the smallest offered has {least:.2f} MB. Allow more."
        raise InputError("budget", message, field="budget")
    front: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.bytes, c.loss)):
        if np.isfinite(candidate.loss) and (not front or candidate.loss < front[-1].loss):
            front.append(candidate)
    steps: list[Candidate] = []
    for candidate in reversed(front):
        if not steps or candidate.bytes <= STEP * steps[-1].bytes:
            steps.append(candidate)
    return steps


@dataclass(frozen=True)
class Measured:
    """A variant, or the whole file, with its scores.

    Parameters
    ----------
    file : as written.
    bytes : of the written file.
    sha256 : content hash of what its reader reads.
    results : of the probes, with outcomes.
    mean : the judgement on the mean of the probes, which counts, against the whole file.
    probes : those on each of them.
    """

    variant: Variant
    file: Path
    bytes: int
    loss: float
    sha256: str
    results: Sequence[CellResult]
    mean: Gated
    probes: Sequence[Gated]


def measure(
    original: Original,
    whole: Embedding,
    steps: Sequence[Candidate],
    suite: Suite,
    probes: Sequence[Task],
    margin: float,
    scratch: Path,
    progress: Progress = no_progress,
) -> Iterator[Measured]:
    """Write and measure the whole file, then every step that is not the whole and can be read again.

    A step that the reader rejects is left out, such as one whose first words have a row that is too long for them.

    Parameters
    ----------
    whole : the file as read.
    scratch : existing folder, in which the variants' files stay until the caller deletes them.
    """
    everything = Candidate(original.whole, original.least_bytes(original.whole), 0.0)
    todo = [everything, *(step for step in steps if step.variant != original.whole)]
    costs = np.array([candidate.variant.dimensions + _FIXED_COST for candidate in todo], dtype=np.float64)
    begins = np.concatenate([[0], np.cumsum(costs) / costs.sum()])
    for index, candidate in enumerate(todo):
        path = scratch / f"variant-{index}"
        original.write(candidate.variant, path)
        try:
            embedding = opened(path, candidate.variant.name, suite, whole.language, scratch) if index else whole
        except InputError:
            path.unlink()
            continue
        results = []
        for done, task in enumerate(probes):
            progress(begins[index] + done / len(probes) * (begins[index + 1] - begins[index]), candidate.variant.name)
            results.append(evaluate_cell(embedding, suite, task, None, data=DataStore.default()))
        if not index:
            of_whole = results
        judgements = compare(suite, (results, embedding.sha256), (of_whole, whole.sha256), margin)
        size, sha256 = path.stat().st_size, embedding.sha256
        yield Measured(candidate.variant, path, size, candidate.loss, sha256, results, *judgements)
        if embedding.sha256 != whole.sha256:
            shutil.rmtree(scratch / embedding.sha256)
    progress(1.0, "done")


def opened(path: Path, name: str, suite: Suite, language: str, scratch: Path) -> Embedding:
    """A written variant as every site reads it."""
    prepared = prepare(ReadRequest(path, words=words_for(suite)), scratch)
    return open_prepared(prepared.directory, name=name, language=language)


Scored = tuple[Sequence[CellResult], str]
"""Results of the probes, and the content hash of the vectors."""


def compare(suite: Suite, new: Scored, old: Scored, margin: float) -> tuple[Gated, list[Gated]]:
    """The judgement on the mean of the probes, and on each of them."""
    differences, each = [], []
    for result, reference in zip(new[0], old[0], strict=True):
        estimate = score_estimate(result, new[1], SeedVariances())
        other_estimate = score_estimate(reference, old[1], SeedVariances())
        if estimate is None or other_estimate is None:
            raise InputError("no-comparison", f"The score of {result.task} has no interval to judge by.", field="task")
        differences.append(estimate - other_estimate)
        judgement = judged(differences[-1], margin, result.n)
        each.append(Gated(result.task, POINTS * result.score, POINTS * reference.score, judgement))
    score = float(np.mean([probe.new for probe in each]))
    reference_score = float(np.mean([probe.old for probe in each]))
    return Gated(MEAN, score, reference_score, judged(mean_of(differences), margin, 0)), each


Step = TypeVar("Step")


def fixed_sequence(steps: Iterable[Step], verdict: Callable[[Step], Verdict]) -> Iterator[tuple[Step, Verdict]]:
    """Test one step after the other, and stop after the first that is not “not inferior”.

    The order is fixed before, so each test has the full level, and the chance that any step is wrongly accepted is at
    most that of one test (Maurer, Hothorn & Lehmacher 1995).
    """
    for step in steps:
        outcome = verdict(step)
        yield step, outcome
        if outcome != "not inferior":
            return


@dataclass(frozen=True)
class SmallestVariant:
    """The answer.

    Parameters
    ----------
    chosen : the smallest variant of the sequence that was accepted; the first one if none was.
    verdict : on it.
    tested : verdicts by the step of the sequence, as far as it was tested.
    """

    chosen: Measured
    verdict: Verdict
    tested: Sequence[tuple[Measured, Verdict]]

    @property
    def accepted(self) -> list[Measured]:
        return [step for step, verdict in self.tested if verdict == "not inferior"]


def choose(steps: Sequence[Measured], verdict: Callable[[Measured], Verdict]) -> SmallestVariant:
    """Apply :func:`fixed_sequence` to at least one step."""
    tested = list(fixed_sequence(steps, verdict))
    accepted = [step for step, outcome in tested if outcome == "not inferior"]
    return SmallestVariant(accepted[-1], "not inferior", tested) if accepted else SmallestVariant(*tested[0], tested)


def front(
    original: Original,
    whole: Embedding,
    budget: int,
    suite: Suite,
    probes: Sequence[Task],
    margin: float,
    scratch: Path,
    progress: Progress = no_progress,
    *,
    keeps_accepted: bool = False,
) -> tuple[list[Measured], SmallestVariant]:
    """The whole file and the sequence, measured by the probes, and the choice by these.

    Parameters
    ----------
    budget : in bytes.
    margin : in points.
    keeps_accepted : keep the files of all accepted variants, to choose among them again; otherwise, only the chosen
        one's is kept.

    Raises
    ------
    InputError
        no variant fits the budget and can be measured.
    """
    order = sequence(original, budget, lambda share, what: progress(_PLANNING * share, what))

    def tell(share: float, what: str) -> None:
        progress(_PLANNING + (1 - _PLANNING) * share, what)

    first_step = 0 if original.whole in [step.variant for step in order] else 1
    measured: list[Measured] = []
    choice: SmallestVariant | None = None
    for file in measure(original, whole, order, suite, probes, margin, scratch, tell):
        measured.append(file)
        if steps := measured[first_step:]:
            choice = choose(steps, lambda step: step.mean.judgement.verdict)
        still_open = [choice.chosen, *(choice.accepted if keeps_accepted else ())] if choice else []
        for other in measured:
            if all(other is not step for step in still_open):
                other.file.unlink(missing_ok=True)  # together, they may have many times the budget
    if choice is None:
        message = "No variant within the budget can be read again: its numbers are too large or too small. Allow more."
        raise InputError("budget", message, field="budget")
    return measured, choice
