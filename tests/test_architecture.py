"""Import rules: tasks imports no other package of the project; benchmark imports workers only to enqueue."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOREIGN = {"django", "celery", "kombu", "benchmark", "workers", "plots", "ninja"}
# The local launcher is a management command, and starting workers is its purpose.
LAUNCHER = "benchmark/management/commands/up.py"
DRAWS = "tasks/cli/front.py"
"""The command that draws, if asked to."""
SHARED_NAMES = {
    "Accepted": "public twice: in the client, and as a component of the API's schema",
    "Command": "Django's name for a management command",
    "Row": "one of the charts, and one of the board",
}
"""Names shared by several classes for now. The list only becomes shorter."""


def modules(room: str) -> list[Path]:
    return sorted(path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


HOUSE = runpy.run_path(str(ROOT / ".ci/house"))


def tree(path: Path) -> ast.Module:
    parsed: ast.Module = HOUSE["parsed"](path.read_text(encoding="utf-8"))
    return parsed


@cache
def imported(path: Path) -> set[str]:
    """Full names of everything a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} uses a relative import, which this check does not follow"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def importers(room: str, is_forbidden: Callable[[str], bool]) -> dict[str, list[str]]:
    """The forbidden imports of a package's modules, by path."""
    paths = modules(room)
    assert paths
    found = {str(path.relative_to(ROOT)): sorted(filter(is_forbidden, imported(path))) for path in paths}
    return {path: names for path, names in found.items() if names}


def test_tasks_imports_no_other_package_but_a_command_draws() -> None:
    found = importers("tasks", lambda name: name.split(".")[0] in FOREIGN)
    assert found.keys() <= {DRAWS}, found
    assert {name.split(".")[0] for name in found[DRAWS]} == {"plots"}


def test_plots_imports_nothing_but_itself_the_standard_library_and_the_renderer() -> None:
    known = {"plots", "resvg_py", *sys.stdlib_module_names}
    assert importers("plots", lambda name: name.split(".")[0] not in known) == {}


def test_loading_every_module_of_tasks_loads_neither_django_nor_celery() -> None:
    names = [str(path.relative_to(ROOT).with_suffix("")).replace("/", ".") for path in modules("tasks")]
    names = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    loaded = python(
        f"import importlib, sys\nfor n in {names!r}: importlib.import_module(n)\nprint(*sys.modules)"
    ).split()
    assert "tasks.suites" in loaded
    assert FOREIGN.isdisjoint(name.split(".")[0] for name in loaded)


def test_benchmark_imports_workers_only_to_enqueue() -> None:
    queue = ["workers", "queue"]
    found = importers("benchmark", lambda name: name.split(".")[0] == "workers" and name.split(".")[:2] != queue)
    assert found.keys() <= {LAUNCHER}, found


@pytest.mark.parametrize("room", ["tasks", "benchmark", "workers", "plots", "vecboard"])
def test_the_product_does_not_import_research(room: str) -> None:
    assert importers(room, lambda name: name.split(".")[0] == "research") == {}


INSTALLED_LATER = ("sympy", "networkx", "rdata", "pandas", "xarray", "boto3", "storages")
"""Besides torch, what pages must do without: ``make run`` serves before these are installed."""


def test_the_web_process_and_the_main_process_of_a_worker_load_no_large_library() -> None:
    """Every web process would hold these for its lifetime: ``scipy.stats`` and its imports are 30 MB.

    A process of a worker's pool inherits what the main one loaded; torch's threads and CUDA do not survive that.
    """
    unwanted = ("torch", "workers.jobs", "scipy.stats", "scipy.optimize", "pyarrow", "tokenizers", *INSTALLED_LATER)
    code = (
        "import os, sys, django\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'benchmark.settings'\n"
        "django.setup()\n"
        "import benchmark.wsgi, benchmark.urls, workers.queue\n"
        f"print('benchmark.urls' in sys.modules, *(name in sys.modules for name in {unwanted}))\n"
        "from workers.app import app\n"
        "app.loader.import_default_modules()\n"
        "print('workers.jobs' in sys.modules, 'torch' in sys.modules)"
    )
    of_the_web, of_a_worker = python(code).splitlines()
    assert of_the_web.split() == ["True", *["False"] * len(unwanted)]
    assert of_a_worker.split() == ["True", "False"]


def test_the_process_that_reads_a_file_loads_neither_metrics_nor_scipy() -> None:
    """One process starts for every file that a site checks, and these imports take longer than a small file."""
    code = (
        "import sys\n"
        "import tasks.formats.child\n"
        "print(tasks.formats.child.main.__name__, *(n in sys.modules for n in ('tasks.metrics', 'scipy')))"
    )
    assert python(code).split() == ["main", "False", "False"]


def hidden_imports(path: Path) -> set[str]:
    """What a module imports inside functions, by the module that it is from."""
    found: set[str] = set()
    for function in ast.walk(tree(path)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found.add(str(node.module))
    return found


HEAVY = {"torch", "gensim", "sklearn", "boto3", "botocore", "sentry_sdk", "rdata"}
"""They take seconds to load, or many megabytes, and most processes never need them."""
AFTER_THE_APPS = "Django loads models after the AppConfigs, so a connection of an AppConfig is imported in ready()"
ALLOWED = {
    "benchmark/accounts/apps.py": AFTER_THE_APPS,
    "benchmark/compare/apps.py": AFTER_THE_APPS,
    "benchmark/leaderboard/apps.py": AFTER_THE_APPS,
    "benchmark/operations/apps.py": AFTER_THE_APPS,
    "benchmark/own/apps.py": AFTER_THE_APPS,
    "benchmark/people/apps.py": AFTER_THE_APPS,
    "benchmark/sufficiency/apps.py": AFTER_THE_APPS,
    "tasks/cells.py": "threadpoolctl: scans all loaded libraries, needed only with a thread limit",
    DRAWS: "plots.chart, plots.scatter: the measurement works without the package, and most commands draw nothing",
    "tasks/cli/tables.py": "tasks.local_training.texts, tasks.suites: `treebank` runs while the operator's "
    "declaration is missing or wrong",
    "tasks/datasets/assembly.py": "xlrd: only one file is made from a spreadsheet",
    "tasks/statistics/sequential.py": "scipy.optimize: many MB, which a web process does not need",
    "tasks/political/compare.py": "scipy.stats: 30 MB, which a web process that only reads results does not need",
    "tasks/files.py": "numpy: the client starts without it",
    "tasks/formats/arrays.py": "tasks.formats.columns: Arrow, which lists of formats never need",
    "tasks/formats/composing.py": "scipy: scipy.sparse, as above",
    "tasks/formats/token_models.py": "tokenizers: as above",
    "tasks/front/device.py": "tokenizers: its memory would count as that of every variant",
    "tasks/formats/text.py": "tasks.formats.text_blocks: Arrow, as above",
    "vecboard/client.py": "tasks.results: the client starts without numpy",
    "vecboard/cli.py": "tasks.cli: the client starts without numpy",
    "vecboard/follow_commands.py": "tasks.cli.tables, tasks.errors, tasks.gate, tasks.results, tasks.suites: "
    "the client starts without numpy",
    "vecboard/fetch.py": "numpy, pyarrow, pyarrow.parquet, tasks, tasks.errors, tasks.files, tasks.formats, "
    "tasks.formats.reading, tasks.formats.text_blocks, tasks.prepared, tasks.word_list, "
    "vecboard.spacy_vocabulary: as above",
    "vecboard/sources.py": "numpy, tasks.errors, tasks.files, tasks.formats, "
    "tasks.formats.reading, tasks.formats.text_blocks: the client starts without numpy",
}
"""Modules with other imports inside functions; a reason that begins with names allows these only."""
MOST_READ = {"a report page": 91, "compare": 89}
"""Most files that the views of these features may import, directly or indirectly: changing a page may require reading
all of them. A number grows only with a new concept on the pages."""


@pytest.mark.parametrize("room", ["tasks", "benchmark", "workers", "vecboard"])
def test_imports_inside_functions_are_those_that_have_a_reason(room: str) -> None:
    found = {}
    for path in modules(room):
        hidden = {name for name in hidden_imports(path) if name.split(".")[0] not in HEAVY}
        if hidden:
            found[str(path.relative_to(ROOT))] = hidden
    assert found.keys() == {path for path in ALLOWED if path.startswith(f"{room}/")}
    for path, hidden in found.items():
        reason = ALLOWED[path]
        assert reason == AFTER_THE_APPS or hidden == set(reason.partition(": ")[0].split(", ")), path


def test_there_are_no_import_cycles_and_pages_import_few_modules(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hidden imports count too; ``.ci/house`` lists the cycles."""
    monkeypatch.setattr("sys.argv", [".ci/house"])
    HOUSE["main"]()
    output, cycles = capsys.readouterr()
    assert "| lines of tasks |" in output
    assert "vague names: " in output
    assert cycles == ""
    radii = {page: int(files) for page, files in re.findall(r"radius of ([a-z ]+) \| (\d+)", output)}
    assert radii.keys() == MOST_READ.keys()
    assert all(radii[page] <= most for page, most in MOST_READ.items()), radii


def test_names_that_say_nothing_of_what_they_hold_are_counted_where_they_are_bound() -> None:
    text = "def rows(one): return one\nfound = words = found\n"
    assert HOUSE["vague_names"]({"tasks/own/found.py": text, "tests/own.py": "found = 1"}) == {"tasks/own": 0.5}


def test_no_two_classes_of_the_product_share_a_name() -> None:
    found: dict[str, list[str]] = {}
    for room in ("tasks", "benchmark", "workers", "vecboard", "plots"):
        for path in modules(room):
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    shared = {name: paths for name, paths in found.items() if len(paths) > 1}
    assert set(shared) == set(SHARED_NAMES), shared
