"""Not inferior: whether vectors are worse than earlier ones by more than a margin (docs/protocol.md §8.9).

One rule for cells of two reports, for variants of a file and for one's own data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from xml.etree import ElementTree  # nosec B405 - written, never parsed

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from tasks.baseline.published import baseline_at, seed_variances
from tasks.errors import InputError
from tasks.metrics import SPEARMAN, metric_named
from tasks.results import AGGREGATES, CellResult, Outcomes, Report, cell_key
from tasks.statistics.correlations import correlation_difference
from tasks.statistics.effects import FigureEstimate
from tasks.statistics.sequential import ONLY_LOOK, Look
from tasks.statistics.uncertainty import estimates_of, score_estimate
from tasks.suite import Suite
from tasks.text import with_sign

Verdict = Literal["not inferior", "inferior", "can't tell"]
CONFIDENCE = 0.95
"""Of each one-sided bound."""
MARGIN = 1.0
"""Points."""
POINTS = 100
_MOST_TIMES = 100
"""A test set this many times as large is no longer suggested."""
_LEAST_CHANCE = 0.05
"""Of a verdict at the last look, for which further seeds are trained."""


@dataclass(frozen=True)
class Judgement:
    """A difference of scores, new minus old, with its one-sided bounds, all in points, and the verdict.

    Parameters
    ----------
    p : one-sided, of a difference of −margin: *inferior* if it is at most 5 %.
    more : number of further test examples that would decide if the difference stayed as it is: None if there is a
        verdict, if no reasonable number would, or if the training seeds alone leave more uncertainty.
    corrected_for : number of columns that were tested together, where the column would be inferior as the only one.
    look : at which it was made.
    chances : of *not inferior* and of *inferior* at the last look, from the present estimate.
    """

    difference: float
    lower: float
    upper: float
    verdict: Verdict
    p: float
    more: int | None = None
    corrected_for: int | None = None
    look: Look = ONLY_LOOK
    chances: tuple[float, float] = (0.0, 0.0)

    @property
    def remark(self) -> str:
        """Reason of an open verdict, or the remedy; empty if there is none."""
        if self.corrected_for:
            return f"inferior alone, but not after correction for {self.corrected_for} tests"
        return f"about {self.more:,} more test examples would decide" if self.more else ""


def judge(
    difference: float,
    error: float,
    freedom: float,
    margin: float,
    *,
    seeds_error: float = 0.0,
    examples: int = 0,
    look: Look = ONLY_LOOK,
) -> Judgement:
    """Apply the rule to a difference.

    Parameters
    ----------
    difference : new minus old, in points; higher is better.
    error, freedom : its standard error in points, and the degrees of freedom of Student's t (infinite: normal).
    margin : m > 0, in points. Not inferior if the lower bound is above −m, inferior if the upper one is below it.
    seeds_error : the part of the error that more test examples would leave.
    examples : number of test examples behind the error; 0 if more cannot be had.
    look : decides how far the bounds reach, so that all planned looks err in 5 % of the cases together.

    Raises
    ------
    InputError
        the margin is not a positive number.

    >>> judge(-0.2, 0.3, math.inf, margin=1.0).verdict, judge(-0.8, 0.3, math.inf, margin=1.0).verdict
    ('not inferior', "can't tell")
    """
    check_margin(margin)
    reach = _reach(look, freedom)
    lower, upper = difference - reach * error, difference + reach * error
    ratio = (difference + margin) / error if error else math.copysign(math.inf, difference + margin)
    p = float(ndtr(ratio) if math.isinf(freedom) else stdtr(freedom, ratio))
    # The last estimate is normal around this one, with the variance that further seeds take away.
    last = _reach(look.last, freedom) * error * math.sqrt(look.fraction)
    beyond = np.array([difference + margin - last, -difference - margin - last])
    is_open = look != look.last
    above, below = map(float, ndtr(beyond / (error * math.sqrt(1 - look.fraction))) if is_open else beyond > 0)
    judgement = Judgement(difference, lower, upper, "can't tell", p, look=look, chances=(above, below))
    if lower > -margin:
        return replace(judgement, verdict="not inferior", chances=(1.0, 0.0))
    if upper < -margin:
        return replace(judgement, verdict="inferior")
    if is_open:
        return judgement
    variance = (abs(difference + margin) / reach) ** 2 - seeds_error**2
    times = (error**2 - seeds_error**2) / variance if variance > 0 else math.inf
    more = math.ceil((times - 1) * examples) if times <= _MOST_TIMES else 0
    return replace(judgement, more=more or None)


def _reach(look: Look, freedom: float) -> float:
    """Standard errors from the difference to a bound."""
    level = look.level(1 - CONFIDENCE)
    return -float(ndtri(level) if math.isinf(freedom) else stdtrit(freedom, level))


def check_margin(margin: float) -> None:
    """Refuse a margin that is not a positive number of points.

    Raises
    ------
    InputError
        it isn't.
    """
    if not (math.isfinite(margin) and margin > 0):
        message = f"The margin must be a number of points above 0, such as {MARGIN:g}, not {margin:g}."
        raise InputError("margin", message, field="margin")


@dataclass(frozen=True)
class Gated:
    """One compared column: a cell, or a mean of error reductions; ``new`` and ``old`` are its scores in points."""

    column: str
    new: float
    old: float
    judgement: Judgement


def gate(
    suite: Suite, new: Report, old: Report, tasks: Sequence[str] | None, margin: float, planned: int | None = None
) -> list[Gated]:
    """Judge a report against an earlier one with the same suite.

    Scores count in points: hundredths of an accuracy, F1 or correlation, on the examples of both reports. Trained cells
    have both sources of uncertainty, test examples and training seeds.

    Parameters
    ----------
    new, old : with outcomes (:meth:`tasks.results.Report.read`).
    tasks : all cells of these tasks that are in the new report; None: the overall mean of error reductions alone.
    planned : number of seeds, if the new report is looked at after each; None: it has all of them.

    Raises
    ------
    InputError
        the reports are of different suite versions; a cell is missing in one of them, is defined or drawn differently,
        or has no outcomes; a metric has no better end.
    """
    check_margin(margin)
    versions = [f"{column.suite['id']} version {column.suite['version']}" for column in (new, old)]
    if len(set(versions)) > 1 or versions[0] != f"{suite.id} version {suite.version}":
        message = f"The reports are of {' and '.join(dict.fromkeys(versions))}. Only reports of one version of a suite "
        raise InputError("other-suite", f"{message}can be compared: evaluate the earlier file again.")
    if new.vectors["language"] != old.vectors["language"]:
        raise InputError("other-language", "The two reports are of vectors in different languages.")
    if tasks is None:
        return [_of_mean(suite, new, old, "overall", margin, planned)]
    columns = [column for task in tasks for column in _of_task(suite, new, old, suite.task(task).id, margin, planned)]
    return corrected(columns)


def corrected(gated: Sequence[Gated]) -> list[Gated]:
    """The columns with Holm's correction of *inferior*: of several equal columns, one is soon far below by chance.

    *Not inferior* needs none, since all columns must be.
    """
    remaining, inferior = list(gated), list(gated)
    while inferior and remaining:
        level = (1 - CONFIDENCE) / len(remaining)
        inferior = [column for column in remaining if column.judgement.p <= column.judgement.look.level(level)]
        remaining = [column for column in remaining if column not in inferior]
    return [
        replace(column, judgement=replace(column.judgement, verdict="can't tell", corrected_for=len(gated)))
        if column.judgement.verdict == "inferior" and column in remaining
        else column
        for column in gated
    ]


def is_futile(gated: Sequence[Gated]) -> bool:
    """Whether further seeds would lead to a verdict on all columns in less than 5 % of the cases."""
    above, below = zip(*(column.judgement.chances for column in gated), strict=True)
    return float(min(above) + sum(below)) < _LEAST_CHANCE


def worst(gated: Sequence[Gated]) -> Verdict:
    """The verdict on all columns: inferior if one is, otherwise can't tell if one can't."""
    occurring = {column.judgement.verdict for column in gated}
    verdicts: tuple[Verdict, ...] = ("inferior", "can't tell", "not inferior")
    return next(verdict for verdict in verdicts if verdict in occurring)


def _of_task(suite: Suite, new: Report, old: Report, task: str, margin: float, planned: int | None) -> Iterator[Gated]:
    cells = [result for result in new.results if result.task == task]
    if not cells:
        reason = new.reason_without(task) or "it was not measured."
        raise InputError("no-score", f"The new report has no score for {task}: {reason}", field="task")
    for result in cells:
        name = cell_key(task, result.mode)
        earlier = old.result(task, result.mode)
        if earlier is None:
            reason = old.reason_without(task, result.mode) or "it was not measured."
            raise InputError("no-score", f"The earlier report has no score for {name}: {reason}", field="task")
        if result.descriptive or not result.higher_is_better:
            message = f"{name} cannot be gated: a higher score isn't better. Name other tasks with --task."
            raise InputError("no-direction", message, field="task")
        judgement = _of_cell(suite, result, earlier, new, old, margin, planned)
        yield Gated(name, POINTS * result.score, POINTS * earlier.score, judgement)


def _outcomes(first: CellResult, second: CellResult) -> tuple[Outcomes, Outcomes]:
    """The outcomes of a cell in both reports, of the same examples."""
    name = cell_key(first.task, first.mode)
    if first.task_hash != second.task_hash:
        message = f"{name} is defined differently in the two reports. Evaluate the earlier file again."
        raise InputError("other-definition", message, field="task")
    outcomes = []
    for result, which in ((first, "new"), (second, "earlier")):
        if result.outcomes is None:
            message = (
                f"The {which} report has no outcomes of {name}. “evaluate --out report.json” writes them into "
                "report.npz next to it: keep both files."
            )
            raise InputError("no-outcomes", message, field="not-inferior-to")
        outcomes.append(result.outcomes)
    if len(outcomes[0]) != len(outcomes[1]):
        message = f"{name} has {len(outcomes[0]):,} examples in one report and {len(outcomes[1]):,} in the other."
        raise InputError("other-examples", message, field="task")
    return outcomes[0], outcomes[1]


def _of_cell(
    suite: Suite, result: CellResult, earlier: CellResult, new: Report, old: Report, margin: float, planned: int | None
) -> Judgement:
    outcomes = _outcomes(result, earlier)
    if metric_named(result.metric) is SPEARMAN:
        apart = correlation_difference(*outcomes)
        if apart is None:
            message = f"The correlations of {result.task} cannot be compared: too few pairs are known to both files."
            raise InputError("no-comparison", message, field="task")
        error = POINTS * apart.error_of_correlations
        return judge(POINTS * (apart.first - apart.second), error, apart.freedom, margin, examples=apart.n)
    variances = seed_variances(suite, new.vectors["language"])
    first = score_estimate(result, new.vectors["sha256"], variances)
    second = score_estimate(earlier, old.vectors["sha256"], variances)
    if first is None or second is None:
        raise InputError("no-comparison", f"The score of {result.task} has no interval to judge by.", field="task")
    look = look_at(first - second, new.vectors["sha256"], result.seeds, planned)
    return judged(first - second, margin, len(outcomes[0]), look)


def _of_mean(suite: Suite, new: Report, old: Report, mean: str, margin: float, planned: int | None) -> Gated:
    means, seeds = [], 1
    language = new.vectors["language"]
    for report, which in ((new, "new"), (old, "earlier")):
        if getattr(report.aggregates, mean.replace("-", "_")) is None:
            reason = report.aggregates.reasons.get(mean, "a task has no score.")
            message = f"The {which} report has no {mean} mean: {reason} Name the tasks to compare with --task."
            raise InputError("no-score", message, field="not-inferior-to")
        for task, mode in suite.cells_of_mean(AGGREGATES[mean], language):
            result = report.result(task.id, mode)
            other = old.result(task.id, mode)
            if result is not None and other is not None:
                _outcomes(result, other)
                seeds = result.seeds if report is new else seeds
        # Both against the baseline of the earlier vectors' size, so that only the vectors differ.
        baseline = baseline_at(suite, old.vectors["dimensions"], language)
        variances = seed_variances(suite, language)
        estimates = estimates_of(suite, report.results, report.vectors["sha256"], baseline, variances, language)
        if mean not in estimates.figures:
            message = f"The {which} report's {mean} mean has no interval: its outcomes don't match the baseline's."
            raise InputError("no-comparison", message, field="not-inferior-to")
        means.append(estimates.figures[mean])
    apart = means[0] - means[1]
    judgement = judged(apart, margin, 0, look_at(apart, new.vectors["sha256"], seeds, planned))
    return Gated(mean, POINTS * means[0].shown, POINTS * means[1].shown, judgement)


def look_at(apart: FigureEstimate, vectors: str, seeds: int, planned: int | None) -> Look:
    """The look at a difference after some of the planned seeds of the vectors with this hash."""
    of_seeds = sum(deviation**2 for key, deviation in apart.seeds.items() if key.endswith(f"|{vectors}"))
    if planned is None or not of_seeds or not math.isfinite(apart.error):
        return ONLY_LOOK
    variances = apart.error**2 + of_seeds * (seeds / np.arange(1, planned + 1) - 1)
    fractions = np.round(variances[-1] / variances, 3)
    looks = np.unique(fractions)  # seeds that add less than a thousandth of the information give no further look
    return Look(tuple(looks.tolist()), int(np.searchsorted(looks, fractions[seeds - 1])) + 1)


def judged(apart: FigureEstimate, margin: float, examples: int, look: Look = ONLY_LOOK) -> Judgement:
    """The judgement on a difference of two figures, new minus old, of scores in [0, 1]."""
    return judge(
        POINTS * apart.value,
        POINTS * apart.error,
        apart.freedom,
        margin,
        seeds_error=POINTS * apart.seeds_error,
        examples=examples,
        look=look,
    )


def in_points(margin: float) -> str:
    return f"{margin:g} point{'s' * (margin != 1)}"


def sentence(column: Gated, margin: float) -> str:
    """The judgement in words."""
    judgement = column.judgement
    difference, lower, upper = (
        with_sign(value, 2) for value in (judgement.difference, judgement.lower, judgement.upper)
    )
    by = f"{difference} points ({POINTS * CONFIDENCE:g} % bounds {lower} and {upper})"
    points = in_points(margin)
    if judgement.verdict == "not inferior":
        return f"{column.column}: {by}: not inferior by {points}."
    if judgement.verdict == "inferior":
        return f"{column.column}: {by}: inferior by more than {points}."
    remark = f"; {judgement.remark}" if judgement.remark else ""
    return f"{column.column}: {by}: can't tell whether it is inferior by {points}{remark}."


def junit(gated: Sequence[Gated], margin: float, name: str) -> str:
    """JUnit XML with a test case per column: a failure if inferior, an error if it can't be decided."""
    failures = sum(column.judgement.verdict == "inferior" for column in gated)
    errors = sum(column.judgement.verdict == "can't tell" for column in gated)
    counts = {"tests": str(len(gated)), "failures": str(failures), "errors": str(errors)}
    root = ElementTree.Element("testsuite", {"name": f"not inferior to {name} by {margin:g}", **counts})
    for column in gated:
        case = ElementTree.SubElement(root, "testcase", {"classname": "vecboard", "name": column.column})
        kind = {"inferior": "failure", "can't tell": "error"}.get(column.judgement.verdict)
        if kind:
            text = {"type": column.judgement.verdict, "message": sentence(column, margin)}
            ElementTree.SubElement(case, kind, text)
        else:
            ElementTree.SubElement(case, "system-out").text = sentence(column, margin)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
