"""Next steps after a report: explore the vectors, cite the data sets, copy the block for a model card."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmark.explore.neighbours import can_be_looked_up, stand_in
from benchmark.reports.page import ReportPage, Section
from benchmark.shipped.vectors import why_without
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import MINUS, in_unit
from tasks.base import Task
from tasks.datasets.registry import REGISTRY
from tasks.results import MODES, CellResult, DatasetUse, Report
from tasks.secondary import QvecFigures
from tasks.suite import Suite


def exploring(page: ReportPage) -> dict[str, object] | None:
    """Links to the pages of this site that explore the vectors."""
    report, submission = page.report, page.submission
    found = (report.figures(result.task, QvecFigures) for result in report.results if result.task.startswith("qvec"))
    return {
        "has_dimensions": any(figures and figures.get("dimensions") for figures in found),
        "has_map": report.result("map") is not None,
        **_of_this_machine(submission),
    }


def _of_this_machine(submission: Submission) -> dict[str, object]:
    """Availability of look-ups on this machine, with the excerpt used, or the reason and the progress of rebuilding."""
    return {
        "can_be_looked_up": can_be_looked_up(submission),
        "excerpt": stand_in(submission),
        "why_without": "" if submission.file_key else why_without(submission),
    }


EXPLORE = Section(
    "explore", "Neighbours and map", exploring, "reports/sections/exploring.html", moving=_of_this_machine
)


@dataclass(frozen=True)
class DataRow:
    id: str
    title: str
    licence: str
    citation: str
    sha256: str
    tasks: str


def data_sets(page: ReportPage) -> dict[str, object]:
    """Data sets of all results, with the tasks that use them."""
    uses: dict[str, tuple[DatasetUse, list[str]]] = {}
    for result in page.report.results:
        for use in result.datasets:
            tasks = uses.setdefault(use.id, (use, []))[1]
            if (title := page.suite.title_of(result.task)) not in tasks:
                tasks.append(title)
    rows = []
    for id_, (use, tasks) in uses.items():
        known = REGISTRY.get(id_)
        title, citation = (known.title, known.citation) if known else (id_, "")
        rows.append(DataRow(id_, title, use.licence, citation, use.sha256, ", ".join(tasks)))
    return {"rows": rows}


DATA_SETS = Section(
    "data",
    "Data sets, with licences, citations and hashes",
    data_sets,
    "reports/sections/data_sets.html",
    place="reproduce",
)


_TASK_TYPES = {"window": "token-classification", "sentence": "text-classification"}
_PAIRS = "text-classification"
_WORDS = "feature-extraction"
"""Model hubs' task types. Tasks without a network measure the vectors themselves."""
_PLAIN = re.compile(r"[A-Z][A-Za-z0-9.()%/-]*( [A-Za-z0-9.()%/-]+)+|[a-z]+(-[a-z0-9]+)+")
"""Several words, or one with a hyphen: plain scalars that YAML always reads as text."""
_METRIC_TYPES = {"span F1": "f1", "spearman": "spearmanr", "precision at 1": "accuracy"}


def model_card_block(page: ReportPage) -> dict[str, object]:
    return {"text": model_index(page)}


def model_index(page: ReportPage) -> str:
    """``model-index`` metadata in YAML, as model hubs read it: every judged score with task, data set and link."""
    source = f"Vecboard, {page.suite.title} version {page.report.suite['version']}"
    lines = ["model-index:", f"- name: {_text(page.submission.display_name)}", "  results:"]
    for task, results in _judged(page.report, page.suite):
        lines += _entry(task, results)
        lines.append(f"    source: {{name: {_text(source)}, url: {_text(page.address)}}}")
    return "\n".join(lines) + "\n"


def _judged(report: Report, suite: Suite) -> Iterator[tuple[Task, list[CellResult]]]:
    """Yield tasks with results, except descriptive ones, which would be mistaken for merits."""
    for task in suite.tasks:
        if task.descriptive or task.family.group in ("Political", "Associations"):
            continue
        results = [report.result(task.id, mode) for mode in (MODES if task.extrinsic else (None,))]
        if found := [result for result in results if result is not None]:
            yield task, found


def _entry(task: Task, results: Sequence[CellResult]) -> list[str]:
    known = REGISTRY.get(task.dataset or "")
    unit = f" in {task.metric.unit}" if task.metric.unit else ""
    kind = _TASK_TYPES.get(task.family.id, _PAIRS) if task.extrinsic else _WORDS
    id_, title = (known.id, known.title) if known else (task.id, task.title)
    lines = [
        f"  - task: {{type: {kind}, name: {_text(task.title)}}}",
        f"    dataset: {{type: {_text(id_)}, name: {_text(title)}}}",
        "    metrics:",
    ]
    for result in results:
        name = f"{task.metric.title}{unit}" + (f" with {result.mode} vectors" if result.mode else "")
        metric = _METRIC_TYPES.get(result.metric, result.metric.replace(" ", "_"))
        value = in_unit(result.score, task.metric).replace(MINUS, "-")
        lines.append(f"    - {{type: {metric}, value: {value}, name: {_text(name)}}}")
    return lines


def _text(text: str) -> str:
    """Plain text where YAML can't misread it, otherwise a JSON string, which is valid YAML."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


MODEL_INDEX = Section(
    "model-index", "Block for a model card", model_card_block, "reports/sections/model_index.html", place="share"
)
