"""Import rules: tasks imports no other package of the project; the site imports workers only to enqueue."""

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
LEFT_OUT = {"migrations", "tests", "conftest.py"}
FOREIGN = {"django", "celery", "kombu", "benchmark", "extensions", "workers", "plots", "ninja"}
# The local launcher is a management command, and starting workers is its purpose.
LAUNCHER = "benchmark/management/commands/up.py"


def modules(room: str) -> list[Path]:
    """Python files of a package, without migrations and the tests of extensions."""
    paths = sorted((ROOT / room).rglob("*.py"))
    return [path for path in paths if LEFT_OUT.isdisjoint(path.relative_to(ROOT).parts)]


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


def test_tasks_imports_no_other_package() -> None:
    assert importers("tasks", lambda name: name.split(".")[0] in FOREIGN) == {}


def measures() -> list[Path]:
    """Modules of extensions that run without the site: the measures, the commands, and the packages themselves."""
    without = ("__init__.py", "command")
    return [path for path in modules("extensions") if "measure" in path.parts or path.name.startswith(without)]


def test_measures_and_commands_of_extensions_import_nothing_of_the_site() -> None:
    assert len(measures()) > 30
    site = FOREIGN - {"plots", "extensions"}
    for path in measures():
        names = {name for name in imported(path) if name.split(".")[0] in site | {"extensions"}}
        assert all(re.match(r"extensions\.\w+\.measure\b", name) for name in names), path


def test_plots_imports_nothing_but_itself_the_standard_library_and_the_renderers() -> None:
    known = {"plots", "resvg_py", "reportlab", "svglib", *sys.stdlib_module_names}
    assert importers("plots", lambda name: name.split(".")[0] not in known) == {}


def test_loading_every_measure_loads_neither_django_nor_celery() -> None:
    paths = [*modules("tasks"), *measures()]
    names = [str(path.relative_to(ROOT).with_suffix("")).replace("/", ".") for path in paths]
    names = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    loaded = python(
        f"import importlib, sys\nfor n in {names!r}: importlib.import_module(n)\nprint(*sys.modules)"
    ).split()
    assert "tasks.suites" in loaded
    assert (FOREIGN - {"plots", "extensions"}).isdisjoint(name.split(".")[0] for name in loaded)


@pytest.mark.parametrize("room", ["benchmark", "extensions"])
def test_the_site_imports_workers_only_to_enqueue(room: str) -> None:
    queue = ["workers", "queue"]
    found = importers(room, lambda name: name.split(".")[0] == "workers" and name.split(".")[:2] != queue)
    assert found.keys() <= {LAUNCHER}, found


@pytest.mark.parametrize("room", ["tasks", "benchmark", "extensions", "workers", "plots", "vecboard"])
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


def test_there_are_no_import_cycles(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Imports inside functions count too; ``.ci/house`` lists the cycles."""
    monkeypatch.setattr("sys.argv", [".ci/house"])
    HOUSE["main"]()
    output, cycles = capsys.readouterr()
    assert "| lines of tasks |" in output
    assert cycles == ""


def test_the_core_keeps_within_its_budget() -> None:
    """Or a row of docs/adr/0014-core-and-extensions.md says why it needs more; extensions have none."""
    tree = HOUSE["tree_of"]("")
    assert 0 < HOUSE["core_lines"](tree) <= HOUSE["budget"]()
    assert HOUSE["core_lines"]({"tasks/a.py": "a = 1\n" * 3, "extensions/find/views.py": "a = 1\n"}) == 3


MOST_VAGUE = 0.003
"""Share of a package's names; ``.ci/house`` lists the words."""


def test_names_say_what_they_hold() -> None:
    shares = HOUSE["vague_names"](HOUSE["tree_of"](""))
    assert shares.keys() >= {"tasks", "benchmark/compare", "workers", "research"}
    assert {package: share for package, share in shares.items() if share > MOST_VAGUE} == {}


def test_a_vague_name_counts_wherever_it_is_bound_but_in_a_stored_form() -> None:
    form = "class Drift:\n    asked: int\n    common: int\n"
    code = "def pairs(wanted):\n    for one in wanted:\n        self.found = one\n"
    share = HOUSE["vague_names"]({"tasks/a.py": form + code, "tests/b.py": "found = 1\n"})
    assert share == {"tasks": 3 / 5}  # of Drift, pairs, wanted, one and found


INSTALLED_FIRST = {
    "tasks.answers", "tasks.cli", "tasks.download", "tasks.errors", "tasks.fields", "tasks.files", "tasks.text",
}  # fmt: skip
"""What the client's command loads of the measurement: it starts without numpy."""


def test_loading_the_clients_command_loads_none_of_the_measurement() -> None:
    loaded = python("import sys, vecboard, vecboard.cli\nprint(*sys.modules)").split()
    assert "vecboard.client" in loaded
    assert {name for name in loaded if name.startswith("tasks.")} == INSTALLED_FIRST
    assert {"django", "torch", "numpy", "scipy"}.isdisjoint(loaded)
