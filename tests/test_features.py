"""A feature is a folder and a line in the settings: the rest of the site runs without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import files_of_git
from tests.test_architecture import ROOT, imported, modules

ROOMS = ("tasks", "benchmark", "workers", "vecboard")
SECONDS = 300
QUICK = (
    "tests/benchmark/test_pages.py",
    "tests/benchmark/reports/test_reports.py",
    "tests/benchmark/api/test_api.py",
)


def importers(feature: str) -> list[str]:
    """Modules of the product outside a feature's folder that import it."""
    name, folder = f"benchmark.{feature}", ROOT / "benchmark" / feature
    outside = (path for room in ROOMS for path in modules(room) if folder not in path.parents)
    return [
        str(path.relative_to(ROOT))
        for path in outside
        if any(f"{found}.".startswith(f"{name}.") for found in imported(path))
    ]


def copy_without(feature: str, to: Path) -> Path:
    """Copy the files that git tracks or would add, without a feature's folder, tests and line in the settings."""
    gone = (f"benchmark/{feature}/", f"tests/benchmark/{feature}/")
    for name in files_of_git("--cached", "--others", "--exclude-standard"):
        if not name.startswith(gone) and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    settings = to / "benchmark" / "settings.py"
    lines = settings.read_text(encoding="utf-8").splitlines(keepends=True)
    left = [line for line in lines if line.strip() != f'"benchmark.{feature}",']
    assert len(left) == len(lines) - 1
    settings.write_text("".join(left), encoding="utf-8")
    return to


@pytest.mark.slow
@pytest.mark.parametrize("feature", ["people", "find", "sufficiency", "own"])
def test_the_site_runs_without_a_feature(feature: str, tmp_path: Path) -> None:
    assert importers(feature) == []
    tree = copy_without(feature, tmp_path / "tree")
    own = {"VECBOARD_VAR": str(tmp_path / "var"), "VECBOARD_SUITE": "demo", "DATABASE_URL": "", "REDIS_URL": ""}
    for command in (
        ["manage.py", "check", "--fail-level", "WARNING"],
        ["manage.py", "makemigrations", "--check", "--dry-run"],
        ["manage.py", "migrate", "--verbosity", "0"],
        ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *QUICK],
    ):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tree,
            env=os.environ | own,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
