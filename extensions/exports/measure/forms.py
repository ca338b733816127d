"""A report in the forms of others: ``model-index``, the results of MTEB, and *Every Eval Ever*.

All three hold the judged scores of a report: descriptive ones, for which neither end is better, would be mistaken for
merits. Tasks are named after the suite version and the cell (``vecboard-open-2026-v4.pos.fixed``), because none of them
is MTEB's task of a similar name, and a value that was not measured (emissions, a version of MTEB) is null or left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.answers import ExportForm
from tasks.base import WINDOW, Task
from tasks.datasets.registry import REGISTRY
from tasks.files import LONGEST_NAME, write_whole
from tasks.languages import tagged
from tasks.metrics import ACCURACY, Metric
from tasks.results import MODES, CellResult, Report, cell_key, json_text
from tasks.suite import Suite

SCHEMA_OF_EVERY_EVAL_EVER = "0.2.2"
_METHOD = "Vecboard protocol, section 8.4, method {}"
JsonObject = dict[str, object]


@dataclass(frozen=True)
class Export:
    """A report to write in another form.

    Parameters
    ----------
    name : of the model, as its hub or the site shows it; a report may carry the name of an entry under review.
    created : time of the report, in seconds since 1970.
    url : of the report's page; empty without a site.
    """

    report: Report
    suite: Suite
    name: str
    created: float
    url: str = ""

    @property
    def source(self) -> str:
        """The suite version, in words."""
        return f"Vecboard, {self.suite.title} version {self.report.suite['version']}"

    def cell(self, task: Task, result: CellResult) -> str:
        """Name of a cell among results of other benchmarks."""
        used = self.report.suite
        return f"vecboard-{used['id']}-v{used['version']}.{cell_key(task.id, result.mode)}"

    def judged(self) -> Iterator[tuple[Task, list[CellResult]]]:
        """Yield the tasks with judged scores, and their results by mode."""
        for task in filter(is_judged, self.suite.tasks):
            results = [self.report.result(task.id, mode) for mode in (MODES if task.extrinsic else (None,))]
            if scored := [result for result in results if result is not None]:
                yield task, scored

    def cells(self) -> Iterator[tuple[Task, CellResult]]:
        """Yield every judged cell."""
        return ((task, result) for task, results in self.judged() for result in results)


def is_judged(task: Task) -> bool:
    """Whether one end of a task's score is better in itself."""
    return not task.descriptive and task.family.group not in ("Political", "Associations")


_TASK_TYPES = {"window": "token-classification", "sentence": "text-classification"}
_PAIRS = "text-classification"
_WORDS = "feature-extraction"
"""Model hubs' task types. Tasks without a network measure the vectors themselves."""
_METRIC_TYPES = {"span F1": "f1", "spearman": "spearmanr", "precision at 1": "accuracy"}
_PLAIN = re.compile(r"[A-Z][A-Za-z0-9.()%/-]*( [A-Za-z0-9.()%/-]+)+|[a-z]+(-[a-z0-9]+)+")
"""Several words, or one with a hyphen: plain scalars that YAML always reads as text."""


def model_index(export: Export) -> str:
    """``model-index`` metadata in YAML, as model hubs read it: every judged score with task, data set and link."""
    lines = ["model-index:", f"- name: {_text(export.name)}", "  results:"]
    for task, results in export.judged():
        lines += _entry(task, results)
        if export.url:
            lines.append(f"    source: {{name: {_text(export.source)}, url: {_text(export.url)}}}")
    return "\n".join(lines) + "\n"


def _entry(task: Task, results: Sequence[CellResult]) -> list[str]:
    dataset = REGISTRY.get(task.dataset or "")
    kind = _TASK_TYPES.get(task.family.id, _PAIRS) if task.extrinsic else _WORDS
    id_, title = (dataset.id, dataset.title) if dataset else (task.id, task.title)
    lines = [
        f"  - task: {{type: {kind}, name: {_text(task.title)}}}",
        f"    dataset: {{type: {_text(id_)}, name: {_text(title)}}}",
        "    metrics:",
    ]
    for result in results:
        metric = _METRIC_TYPES.get(result.metric, result.metric.replace(" ", "_"))
        value = _in_unit(result.score, task.metric)
        lines.append(f"    - {{type: {metric}, value: {value}, name: {_text(_measured(task.metric, result))}}}")
    return lines


def _measured(metric: Metric, result: CellResult) -> str:
    """Name of a value: metric, unit and mode, and the interval, for which hubs have no place of its own."""
    name = metric.title + (f" in {metric.unit}" if metric.unit else "")
    if result.mode:
        name += f" with {result.mode} vectors"
    if result.interval:
        low, high = (_in_unit(end, metric) for end in result.interval)
        name += f" (95 % interval {low} to {high})"
    return name


def _in_unit(value: float, metric: Metric) -> str:
    return f"{value * metric.scale:z.{metric.decimals}f}"


def _text(text: str) -> str:
    """Plain text where YAML can't misread it, otherwise a JSON string, which is valid YAML."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def mteb(export: Export) -> str:
    """The results of one model in MTEB's form: ``task_results`` are the contents of MTEB's files, one a cell."""
    return json_text(
        {
            "model_name": export.name,
            "model_revision": export.report.vectors["sha256"],
            "task_results": [_task_result(export, task, result) for task, result in export.cells()],
        }
    )


def write_mteb(export: Export, folder: Path) -> Path:
    """Write MTEB's layout, ``folder/MODEL/REVISION/TASK.json`` and ``model_meta.json``; return the last folder."""
    vectors = export.report.vectors
    path = folder / _as_folder(export.name) / vectors["sha256"]
    path.mkdir(parents=True, exist_ok=True)
    files: dict[str, JsonObject] = {
        export.cell(task, result): _task_result(export, task, result) for task, result in export.cells()
    }
    files["model_meta"] = {
        "name": export.name,
        "revision": vectors["sha256"],
        "languages": [tagged(vectors["language"])],
        "embed_dim": vectors["dimensions"],
    }
    for name, content in files.items():
        write_whole(path / f"{name}.json", json_text(content))
    return path


def _as_folder(name: str) -> str:
    """A model's name as MTEB names its folder; characters that are special in paths become hyphens."""
    return re.sub(r"[^\w.+-]+", "-", name.replace("/", "__")).strip(".")[:LONGEST_NAME] or "model"


def _task_result(export: Export, task: Task, result: CellResult) -> JsonObject:
    scores: JsonObject = {
        "hf_subset": "default",
        "languages": [tagged(_language(export, task))],
        "main_score": result.score,
        _metric_id(task.metric): result.score,
        **_uncertain(result),
        "licences": {use.id: use.licence for use in result.datasets},
    }
    return {
        "dataset_revision": result.datasets[0].sha256 if result.datasets else result.task_hash,
        "task_name": export.cell(task, result),
        "mteb_version": None,
        "scores": {"test": [scores]},
        "evaluation_time": result.seconds,
        "kg_co2_emissions": None,
    }


def _language(export: Export, task: Task) -> str:
    """Language of the test set: that of the vectors where the task has a part for it."""
    language = export.report.vectors["language"]
    return language if task.applies_to(language) else task.languages[0]


def _metric_id(metric: Metric) -> str:
    return metric.name.lower().replace(" ", "_").replace("-", "_")


def _uncertain(result: CellResult) -> JsonObject:
    """What a score rests on, as far as it was measured, in the metric's own unit."""
    figures: JsonObject = {
        "interval_95": result.interval,
        "standard_errors": dict(result.errors) or None,
        "n": result.n,
        "seeds": result.seeds if result.mode else None,
        "sd_over_seeds": result.sd if result.mode else None,
        "coverage_of_tokens": result.coverage.tokens,
        "baseline": result.baseline,
        "relative_error_reduction": result.relative_error_reduction,
        "relative_error_reduction_interval_95": result.relative_error_reduction_interval,
        "task_hash": result.task_hash,
    }
    return {name: value for name, value in figures.items() if value is not None}


def every_eval_ever(export: Export) -> str:
    """One evaluation log of *Every Eval Ever*; all values of its free fields are strings, as its schema demands."""
    report, used, vectors = export.report, export.report.suite, export.report.vectors
    name = f"vecboard-{used['id']}-v{used['version']}"
    judged = {task.id: task for task in filter(is_judged, export.suite.tasks)}
    of_source = {
        "suite": used,
        "report": export.url or None,
        "method_of_intervals": report.method,
        "mean_relative_error_reductions": {
            f"{mean}{suffix.replace('-', '_')}": {
                "value": getattr(means, mean),
                "interval_95": means.intervals.get(mean),
            }
            for suffix, means in report.means.items()
            for mean in ("overall", "fixed", "fine_tuned")
            if getattr(means, mean) is not None
        },
        "reasons_without_mean": dict(report.aggregates.reasons),
        "without_a_score": {
            cell_key(missing.task, missing.mode): missing.reason
            for missing in report.unavailable
            if missing.task in judged and judged[missing.task].applies_to(vectors["language"])
        },
        "descriptive_left_out": [
            cell_key(result.task, result.mode) for result in report.results if result.task not in judged
        ],
        "evaluator_relationship": "The report does not record who made the vectors.",
    }
    of_model = {
        "deployment_type": "self_deployed",
        "model_availability": "unknown",
        "vectors_sha256": vectors["sha256"],
        "words": vectors["words"],
        "dimensions": vectors["dimensions"],
        "language": vectors["language"],
    }
    source: JsonObject = {
        "source_name": export.source,
        "source_type": "evaluation_run",
        "source_organization_name": "Vecboard",
        "evaluator_relationship": "other",
        "additional_details": _strings(of_source),
    }
    if export.url:
        source["source_organization_url"] = "/".join(export.url.split("/")[:3])
    return json_text(
        {
            "schema_version": SCHEMA_OF_EVERY_EVAL_EVER,
            "evaluation_id": f"{name}/{_as_folder(export.name)}/{vectors['sha256'][:16]}",
            "retrieved_timestamp": str(int(export.created)),
            "source_metadata": source,
            "eval_library": {
                "name": "vecboard",
                "version": "unknown",
                "additional_details": _strings(report.environment),
            },
            "model_info": {"name": export.name, "id": export.name, "additional_details": _strings(of_model)},
            "evaluation_results": [_evaluation_result(export, task, result) for task, result in export.cells()],
        }
    )


def _evaluation_result(export: Export, task: Task, result: CellResult) -> JsonObject:
    metric, name = task.metric, export.cell(task, result)
    config: JsonObject = {
        "evaluation_description": task.shows,
        "metric_id": _metric_id(metric) if metric is ACCURACY else f"vecboard.{_metric_id(metric)}",
        "metric_name": metric.title,
        "metric_unit": "proportion" if metric.unit == "%" else metric.name,
        "lower_is_better": not task.higher_is_better,
    }
    if metric.bounds is not None:  # the schema demands finite ends of a continuous score
        low, high = metric.bounds
        config |= {"score_type": "continuous", "min_score": low, "max_score": high}
    if result.mode:
        config["metric_parameters"] = {"mode": result.mode, "seeds": result.seeds}
    details = {key: value for key, value in _uncertain(result).items() if key not in ("interval_95", "standard_errors")}
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": _source_data(task, result),
        "metric_config": config,
        "score_details": {
            "score": result.score,
            "details": _strings(details | {"title": task.title, "note": task.note or None}),
            "uncertainty": _uncertainty(export, task, result),
        },
    }


def _source_data(task: Task, result: CellResult) -> JsonObject:
    """The data set of a score: its page where it has one, with versions, hashes, licences and citations."""
    dataset = REGISTRY.get(task.dataset or "")
    title = dataset.title if dataset else "the vectors themselves"
    details = {
        "sha256": {use.id: use.sha256 for use in result.datasets},
        "licences": {use.id: use.licence for use in result.datasets},
        "version": dataset.version if dataset else None,
        "citation": dataset.citation if dataset else None,
    }
    place: JsonObject = {"source_type": "other"}
    if dataset is not None and dataset.homepage:
        place = {"source_type": "url", "url": [dataset.homepage]}
    return {"dataset_name": title, **place, "additional_details": _strings(details)}


def _uncertainty(export: Export, task: Task, result: CellResult) -> JsonObject:
    method, fields = _METHOD.format(export.report.method), JsonObject()
    if result.errors:
        combined = math.sqrt(sum(error * error for error in result.errors.values()))
        sources = " and ".join(result.errors)
        fields["standard_error"] = {"value": combined, "method": f"{method}, from {sources}"}
    if result.interval:
        low, high = result.interval
        fields["confidence_interval"] = {"lower": low, "upper": high, "confidence_level": 0.95, "method": method}
    if task.family is not WINDOW:  # whose n counts tokens, while the interval is of sentences
        fields["num_samples"] = result.n
    return fields


def _strings(details: Mapping[str, object]) -> dict[str, str]:
    """Free fields as text: strings as they are, everything else as JSON; None and empty collections are left out."""
    filled = {name: value for name, value in details.items() if value not in (None, {}, [])}
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in filled.items()
    }


WRITERS: Mapping[ExportForm, Callable[[Export], str]] = {
    "model-index": model_index, "mteb": mteb, "every-eval-ever": every_eval_ever,
}  # fmt: skip
"""Writers of the text of a report: YAML for ``model-index``, JSON for the others."""
