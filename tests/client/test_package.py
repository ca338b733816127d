"""The wheel: console command, types, and all files that the measurement reads."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile

import pytest
import yaml

import vecboard
from tasks.gate import MARGIN
from tests.checkout import files_of_git
from tests.test_architecture import measures
from tests.workers.running_site import ROOT
from vecboard.cli import build_parser


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy, so that the checkout stays clean."""
    folder = tmp_path_factory.mktemp("wheel")
    skip = shutil.ignore_patterns("__pycache__")
    for package in ("vecboard", "tasks", "extensions"):
        shutil.copytree(ROOT / package, folder / "source" / package, ignore=skip)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source" / name)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        ".",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
    ]
    subprocess.run([*command, str(folder)], cwd=folder / "source", check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_it_has_the_console_command(wheel: zipfile.ZipFile) -> None:
    (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "vecboard = vecboard.cli:main" in wheel.read(entry).decode()


def test_it_is_typed(wheel: zipfile.ZipFile) -> None:
    assert {"vecboard/py.typed", "tasks/py.typed"} <= set(wheel.namelist())


def test_it_holds_every_file_that_the_packages_hold(wheel: zipfile.ZipFile) -> None:
    assert set(files_of_git("vecboard", "tasks")) <= set(wheel.namelist())
    assert {str(path.relative_to(ROOT)) for path in measures()} <= set(wheel.namelist())


def test_every_public_name_is_there() -> None:
    assert all(hasattr(vecboard, name) for name in vecboard.__all__)


def test_every_public_name_stands_on_the_page_of_the_client() -> None:
    page = (ROOT / "docs" / "client.md").read_text()
    assert [name for name in vecboard.__all__ if not name.startswith("_") and f"`{name}`" not in page] == []


def test_what_is_cited_is_this_version_with_the_date_of_its_release() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    dates = dict(re.findall(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE))
    assert citation["version"] == vecboard.__version__
    assert str(citation["date-released"]) == dates[vecboard.__version__]


def test_the_command_shows_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["--version"])
    assert capsys.readouterr().out == f"vecboard {vecboard.__version__}\n"


def test_the_example_workflow_uses_options_that_the_command_has(capsys: pytest.CaptureFixture[str]) -> None:
    workflow = yaml.safe_load((ROOT / "docs" / "examples" / "measure-vectors.yml").read_text())
    steps = [step["run"] for step in workflow["jobs"]["measure"]["steps"] if "vecboard submit" in step.get("run", "")]
    words = steps[0].replace("\\\n", " ").split(" > ")[0].split()[1:]
    parsed = build_parser().parse_args([word.strip('"') for word in words])
    assert (parsed.command, parsed.wait, parsed.margin) == ("submit", True, MARGIN)
    assert parsed.not_inferior_to == ".vecboard/report.json"
