"""The repository as a newcomer sees it: the pages at its root, the workflows and forms of .github, the hooks."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from benchmark.shipped.dump import dump_path, stored_entries
from tasks.baseline.published import published
from tasks.cli.tables import report_table
from tasks.results import Report
from tasks.suites import OPEN_2026
from tests.docs.blocks import DOCS, ROOT

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ADDRESS: str = PROJECT["urls"]["Repository"]
FILE_OF_TESTS = re.compile(r"\btests/[\w/]+\.py(?:::\w+)?|\btests/\w+\b(?![/.])")


def commands(workflow: Path) -> Iterator[str]:
    """Each command of a workflow's steps, once for every value of its job's matrix."""
    for job in yaml.safe_load(workflow.read_text())["jobs"].values():
        matrix: dict[str, list[str]] = job.get("strategy", {}).get("matrix", {})
        for step in job["steps"]:
            command = step.get("run", "")
            named = re.search(r"\$\{\{ matrix\.(\w+) \}\}", command)
            yield from [command.replace(named[0], value) for value in matrix[named[1]]] if named else [command]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_to_files_of_the_repository(page: Path) -> None:
    links = [urlsplit(link) for link in LINK.findall(page.read_text(encoding="utf-8"))]
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    places = [(page.parent / link.path).resolve() for link in links if not link.scheme and link.path]
    names = [place.relative_to(ROOT).as_posix() for place in places]
    assert [name for name in names if name not in tracked] == []


def test_the_readme_quotes_the_current_findings() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    quoted = re.findall(r"(\d\.\d\d) for ([\w-]+)", readme)
    (fixed,) = re.findall(r"correlate poorly with practice \(here: .*?mean, fixed\)\.\*\*.*", _findings())
    assert len(quoted) == 2
    assert all(f"{name} {r} (" in fixed for r, name in quoted)
    assert re.findall(r"over (\d+) entries of the board", readme) == re.findall(r"(\d+) entries, worth", fixed)


def test_the_readme_quotes_the_current_scores_of_the_baseline() -> None:
    row = re.compile(
        r"^([\w-]+) +(fixed|fine-tuned|) +[a-z]+ +([\d.]+) +\S+(?: +±\S+ +\d+ of \d+)? +([\d.]+) +(\S+) ", re.MULTILINE
    )
    quoted = row.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    baseline = published(OPEN_2026, 50)  # of as many dimensions as the vectors
    assert baseline is not None
    scores = {(result.task, result.mode or ""): result.score for result in baseline.results}
    assert len(quoted) == 4
    for task, mode, score, of_baseline, reduction in quoted:
        assert f"{scores[task, mode]:.4f}" == of_baseline
        if mode:
            assert 100 * (float(score) - float(of_baseline)) / (1 - float(of_baseline)) == pytest.approx(
                float(reduction), abs=0.1
            )


def test_the_readme_shows_lines_of_the_shipped_report() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"Part of what `evaluate` prints .*?```text\n(.*?)```", readme, re.DOTALL)
    shipped = {one.details["name"]: one.details for one in stored_entries(OPEN_2026, dump_path(OPEN_2026))}
    report = shipped["Skip-gram, window 5, 50 dimensions"]["report"]
    printed = {" ".join(line.split()) for line in report_table(Report.from_json(report)).splitlines()}
    assert [line for line in block.splitlines() if " ".join(line.split()) not in printed] == []


def _findings() -> str:
    return (DOCS / "findings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [*PAGES, *WORKFLOWS, GITHUB / "pull_request_template.md"], ids=lambda path: path.name)
def test_targets_and_tests_that_are_named_exist(path: Path) -> None:
    text = "\n".join(commands(path)) if path in WORKFLOWS else path.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named - TARGETS == set()
    assert set(re.findall(r"make \.venv/([\w-]+)", text)) <= set(re.findall(r":= \$\(VENV\)/([\w-]+)$", MAKEFILE, re.M))
    for found in FILE_OF_TESTS.findall(text):
        file, _, test = found.partition("::")
        assert (ROOT / file).exists(), found
        assert not test or f"def {test}(" in (ROOT / file).read_text(), found


@pytest.mark.parametrize("path", [*WORKFLOWS, DOCS / "examples" / "measure-vectors.yml"], ids=lambda path: path.name)
def test_actions_are_pinned_to_a_commit_and_name_its_version(path: Path) -> None:
    used = re.findall(r"uses: *(.*)", path.read_text())
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", name)] == []


def test_the_workflows_may_only_read_and_run_each_kind_of_test() -> None:
    assert all(yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"} for path in WORKFLOWS)
    made = {name for path in WORKFLOWS for command in commands(path) for name in re.findall(r"make ([a-z-]+)", command)}
    assert made >= {"lint", "docs", "test", "test-slow", "test-faults", "audit"}


def test_quick_tests_run_on_every_python_that_the_package_promises() -> None:
    promised = [name.split(" :: ")[-1] for name in PROJECT["classifiers"] if "Python :: 3." in name]
    quick = yaml.safe_load((GITHUB / "workflows" / "tests.yml").read_text())["jobs"]["quick"]
    assert quick["strategy"]["matrix"]["python"] == promised


def test_the_repository_has_one_address() -> None:
    texts = [*PAGES, *WORKFLOWS, *GITHUB.rglob("*.yml"), ROOT / "CITATION.cff", ROOT / "pyproject.toml"]
    texts += [DOCS / "examples" / "measure-vectors.yml"]
    found = {url for text in texts for url in re.findall(r"https://github\.com/[\w-]+/vecboard\b", text.read_text())}
    assert found == {ADDRESS}
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["repository-code"] == ADDRESS
