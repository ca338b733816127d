"""One page per task, generated from the declarations whenever the documentation is built."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from mkdocs.structure.files import File, Files  # noqa: E402

from tasks.base import Family, Task  # noqa: E402
from tasks.datasets.dataset import DataSet, Licensed  # noqa: E402
from tasks.datasets.registry import REGISTRY  # noqa: E402
from tasks.hashes import task_hash  # noqa: E402
from tasks.languages import language_name  # noqa: E402
from tasks.suite import Suite  # noqa: E402
from tasks.suites import DEFAULT, SUITES  # noqa: E402

FAMILIES = ROOT / "docs" / "families"
GROUPS = {
    "Downstream": "Downstream tasks",
    "Intrinsic": "Word tasks",
    "Probes": "Linear probes",
    "Political": "Political",
    "Associations": "Associations",
}
LINKED = "[the pages of the tasks](tasks/index.md)"
DECLARED = dict[str, list[tuple[Suite, Task]]]


def on_files(files: Files, config: Any) -> Files:
    """Add the task pages to those in the folder."""
    for name, content in pages().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link to the index of the task pages, which exists only here."""
    if page.file.src_uri != "index.md":
        return markdown
    return markdown.replace("the pages under *Tasks* (`tasks/index.html` in the built documentation)", LINKED)


def declared() -> DECLARED:
    """Every task id with the suites that list it."""
    dictionaries: DECLARED = {}
    for suite in SUITES.values():
        for task in suite.tasks:
            dictionaries.setdefault(task.id, []).append((suite, task))
    return dictionaries


def groups() -> dict[str, list[str]]:
    """Task ids by the kind of task, as the navigation and the index list them."""
    by_group: dict[str, list[str]] = {}
    for task_id, places in declared().items():
        by_group.setdefault(GROUPS[places[0][1].family.group], []).append(task_id)
    return by_group


def pages() -> dict[str, str]:
    """Every generated page by its path below ``docs/``."""
    made = {f"tasks/{task}.md": task_page(places) for task, places in declared().items()}
    return made | {"tasks/index.md": index_page()}


def index_page() -> str:
    """All tasks, by kind, with the suites that list them."""
    parts = ["# Tasks", "Every task of every suite, generated from its declaration. These are the suites:", suites()]
    by_task = declared()
    for title, ids in groups().items():
        rows = []
        for task_id in ids:
            task = by_task[task_id][0][1]
            where = ", ".join(f"`{suite.id}`" for suite, _ in by_task[task_id])
            rows.append((f"[{task.title}]({task_id}.md)", task.metric.title, languages(task), where))
        parts += [f"## {title}", table(("Task", "Metric", "Language", "Suites"), rows)]
    parts += ["## Tasks by language", table(("Language", f"Tasks of `{DEFAULT}`"), of_languages(SUITES[DEFAULT]))]
    return "\n\n".join(parts) + "\n"


def of_languages(suite: Suite) -> list[tuple[str, str]]:
    """Languages with the same tasks, and these tasks."""
    return [
        (", ".join(map(language_name, codes)), "; ".join(f"[{task.title}]({task.id}.md)" for task in tasks))
        for codes, tasks in suite.tasks_by_language()
    ]


def suites() -> str:
    rows = [
        (f"`{suite.id}`", str(suite.version), str(len(suite.tasks)), str(suite.seeds), suite.description)
        for suite in SUITES.values()
    ]
    return table(("Suite", "Version", "Tasks", "Seeds", "Description"), rows)


def task_page(places: list[tuple[Suite, Task]]) -> str:
    """What is measured, on which data, how, and how to read the number."""
    _, task = places[0]
    parts = [f"# {task.title}", task.shows]
    parts += [f"!!! note\n    {note}" for note in dict.fromkeys(t.note for _, t in places if t.note)]
    parts += ["## What is measured", table(("", *(f"`{s.id}` {s.version}" for s, _ in places)), facts(places))]
    parts += ["## Data", *(data_of(dataset) for dataset in dict.fromkeys(t.dataset for _, t in places))]
    parts += ["## How it is measured, and how to read the number"]
    parts += [family_text(family) for family in dict.fromkeys(t.family for _, t in places)]
    parts += ["## Run it", run_it(places)]
    return "\n\n".join(parts) + "\n"


def facts(places: list[tuple[Suite, Task]]) -> list[tuple[str, ...]]:
    """One row per fact, one column per suite."""
    rows = {
        "Identifier": [f"`{t.id}`" for _, t in places],
        "Metric": [f"{t.metric.title}, {direction(t)}" for _, t in places],
        "Modes": [", ".join(mode or "vectors unchanged" for mode in t.modes) for _, t in places],
        "Language": [languages(t) for _, t in places],
        "Data set": [f"`{t.dataset}`" if t.dataset else "none" for _, t in places],
        "Settings": [options(t) for _, t in places],
        "Training": [training(s, t) for s, t in places],
        "Definition": [definitions(s, t) for s, t in places],
        "Source": [t.citation for _, t in places],
    }
    return [(title, *cells) for title, cells in rows.items() if any(cells)]


def languages(task: Task) -> str:
    return ", ".join(map(language_name, task.languages)) or "any"


def definitions(suite: Suite, task: Task) -> str:
    """The hash of each of a task's cells."""
    return ", ".join(f"{mode or ''} `{task_hash(suite, task, mode)}`".strip() for mode in task.modes)


def direction(task: Task) -> str:
    if task.descriptive:
        return "neither direction is better"
    return f"{task.metric.direction} is better"


def options(task: Task) -> str:
    return ", ".join(f"{name.replace('_', ' ')}: {plain(value)}" for name, value in task.options.items())


def plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {plain(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(" – ".join(item) if isinstance(item, list | tuple) else str(item) for item in value)
    return str(value)


def training(suite: Suite, task: Task) -> str:
    if not task.extrinsic:
        return ""
    in_words = []
    for mode in task.modes:
        assert mode is not None
        chosen = suite.training_for(task, mode)
        vectors = (
            f", vectors {chosen.vector_optimiser} {chosen.vector_learning_rate:g}" if chosen.vector_optimiser else ""
        )
        in_words.append(
            f"{mode}: {chosen.optimiser} {chosen.learning_rate:g}{vectors}, batch {chosen.batch}, {chosen.length}"
        )
    return "; ".join(in_words) + f"; {suite.seeds} seed{'s' if suite.seeds > 1 else ''}"


def data_of(dataset_id: str | None) -> str:
    if dataset_id is None:
        return "This task needs only the vectors."
    dataset = REGISTRY[dataset_id]
    lines = [f"**{dataset.title}** (`{dataset.id}`, version {dataset.version})", "", f"- Licence: {dataset.licence}"]
    lines += [f"- Cite: {dataset.citation}", f"- How to get it: {how_to_get(dataset)}"]
    lines += [f"- {dataset.notes}"] if dataset.notes else []
    lines += [f"- Home: <{dataset.homepage}>"] if dataset.homepage else []
    return "\n".join(lines)


def how_to_get(dataset: DataSet) -> str:
    licensed = [file.recipe.where for file in dataset.files if isinstance(file.recipe, Licensed)]
    if licensed:
        return f"available from its owner only; {licensed[0]}"
    if any(file.published for file in dataset.files):
        return f"`python -m tasks datasets fetch {dataset.id}`"
    return "it ships with the program"


def family_text(family: Family) -> str:
    """The family's text, or else the docstring of the function that measures it."""
    path = FAMILIES / f"{family.id}.md"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else docstring(family)


def docstring(family: Family) -> str:
    """First paragraph of the implementation's docstring, read without importing it."""
    module, function = family.implementation.split(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            text = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
            return re.sub(r"``(.+?)``", r"`\1`", text)
    raise LookupError(f"{family.id} names {family.implementation}, which does not exist")


def run_it(places: list[tuple[Suite, Task]]) -> str:
    suite, task = places[0]
    return f"```\npython -m tasks evaluate vectors.txt.gz --suite {suite.id} --task {task.id}\n```"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = tuple(head)
    return "\n".join(_lines(head, rows))


def _lines(head: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
