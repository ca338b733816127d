"""The block for a model card: ``model-index`` metadata, as model hubs read it from the top of a README, in YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from benchmark.reports.sections import ReportPage, Section
from benchmark.templatetags.figures import MINUS, in_unit
from tasks.base import Task
from tasks.datasets.registry import REGISTRY
from tasks.results import MODES, Report, TaskResult
from tasks.suite import Suite

_TASK_TYPES = {"window": "token-classification", "sentence": "text-classification"}
_PAIRS = "text-classification"
_WORDS = "feature-extraction"
"""Types as hubs name them: what has no network on top says something about the vectors themselves."""
_PLAIN = re.compile(r"[A-Z][A-Za-z0-9.()%/-]*( [A-Za-z0-9.()%/-]+)+|[a-z]+(-[a-z0-9]+)+")
"""Several words, or one with a hyphen: none of those that YAML reads as something else than text."""
_METRIC_TYPES = {"span F1": "f1", "spearman": "spearmanr", "precision at 1": "accuracy"}


def build(page: ReportPage) -> dict[str, object]:
    return {"text": model_index(page)}


def model_index(page: ReportPage) -> str:
    """Every figure that has a better direction, with task, data set, metric and the link to the report."""
    source = f"Vecboard, {page.suite.title} version {page.report.suite['version']}"
    lines = ["model-index:", f"- name: {_text(page.submission.display_name)}", "  results:"]
    for task, results in _judged(page.report, page.suite):
        lines += _entry(task, results)
        lines.append(f"    source: {{name: {_text(source)}, url: {_text(page.address)}}}")
    return "\n".join(lines) + "\n"


def _judged(report: Report, suite: Suite) -> Iterator[tuple[Task, list[TaskResult]]]:
    """Descriptive figures are left out: on a card they would read as merits."""
    for task in suite.tasks:
        if task.descriptive or task.family.group in ("Political", "Associations"):
            continue
        results = [report.result(task.id, mode) for mode in (MODES if task.extrinsic else (None,))]
        if found := [result for result in results if result is not None]:
            yield task, found


def _entry(task: Task, results: Sequence[TaskResult]) -> list[str]:
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
    """As it is where YAML cannot misread it; else quoted as in JSON, whose strings are YAML's too."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


SECTION = Section("model-index", "Block for a model card", build, "reports/sections/model_index.html", place="share")
