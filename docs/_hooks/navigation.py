"""The order of the pages. Pages that no group names go into the last one, so that none gets lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docs._hooks.repository import ROOT_PAGES

DOCS = Path(__file__).resolve().parents[1]
FIRST = "index.md"
GROUPS = {
    "Start": (
        "start.md",
        "tour.md",
        "before-after.md",
        "prepare.md",
        "report.md",
        "client.md",
        "texts.md",
        "suffices.md",
        "own.md",
        "front.md",
        "r.md",
        "glossary.md",
    ),
    "Tasks": (),
    "How it works": (
        "protocol.md",
        "trust.md",
        "uncertainty.md",
        "results.md",
        "task-reliability.md",
        "findings.md",
        "settings.md",
        "intrinsic.md",
        "languages.md",
        "political.md",
        "study/tables.md",
        "associations.md",
        "suffices.md",
        "people.md",
        "data.md",
        "api.md",
        "architecture.md",
        "performance.md",
        "reliability.md",
        "security.md",
        "adr/",
    ),
    "Run your own": ("running.md", "operations.md", "public-entries.md"),
    "Contribute": (
        "contributing.md",
        "add-a-task.md",
        "first-contribution.md",
        "board.md",
        "report-a-vulnerability.md",
        "changelog.md",
        "licence.md",
        "apache-licence.md",
    ),
}
LAST = "More"
ELSEWHERE = ("adr/", "families/", "_hooks/")


def on_config(config: Any) -> Any:
    """Build the navigation from the existing pages."""
    from docs._hooks.task_pages import groups

    named = {name for names in GROUPS.values() for name in names}
    paths = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]
    others = [name for name in paths if name not in named | {FIRST} and not name.startswith(ELSEWHERE)]
    nav: list[Any] = [{"Home": FIRST}]
    for title, names in (GROUPS | {LAST: tuple(others)}).items():
        group = [entry for name in names for entry in _entries(name)]
        if title == "Tasks":
            pages = ({kind: [f"tasks/{task}.md" for task in ids]} for kind, ids in groups().items())
            group = ["tasks/index.md", *pages]
        if group:
            nav.append({title: group})
    config["nav"] = nav
    return config


def _entries(name: str) -> list[Any]:
    path = DOCS / name
    if name.endswith("/"):
        inside = [f"{name}{page.name}" for page in sorted(path.glob("*.md"), key=lambda page: page.name != FIRST)]
        return [{"Decisions": inside}] if inside else []
    return [name] if path.is_file() or name in ROOT_PAGES.values() else []
