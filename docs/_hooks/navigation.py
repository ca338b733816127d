"""The order of the pages. Pages that no group names go into the last one, so that none gets lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docs._hooks.repository import ROOT_PAGES

DOCS = Path(__file__).resolve().parents[1]
FIRST = "index.md"
TASKS = "tasks/"
GROUPS = {
    "Start": ("start.md", "walks.md", "prepare.md", "report.md", "bundle.md", "glossary.md"),
    "Measure": (TASKS, "intrinsic.md", "languages.md", "client.md", "r.md", "own.md", "front.md"),
    "Study": ("texts.md", "suffices.md", "associations.md", "claim.md", "political.md", "people.md", "findings.md"),
    "Run": (
        "running.md",
        "operations.md",
        "public-entries.md",
        "board.md",
        "performance.md",
        "reliability.md",
        "security.md",
        "report-a-vulnerability.md",
    ),
    "Reference": (
        "protocol.md",
        "trust.md",
        "data.md",
        "api.md",
        "architecture.md",
        "adr/",
        "contributing.md",
        "add-a-task.md",
        "changelog.md",
        "licence.md",
        "apache-licence.md",
    ),
}
ELSEWHERE = ("adr/", "families/", "_hooks/")


def on_config(config: Any) -> Any:
    """Build the navigation from the existing pages."""
    named = {name for names in GROUPS.values() for name in names}
    written = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]
    unnamed = [name for name in written if name not in named | {FIRST} and not name.startswith(ELSEWHERE)]
    nav: list[Any] = [{"Home": FIRST}]
    for title, names in GROUPS.items():
        nav.append({title: [entry for name in names for entry in _entries(name)]})
    nav[-1][title] += unnamed
    config["nav"] = nav
    return config


def _entries(name: str) -> list[Any]:
    path = DOCS / name
    if name == TASKS:
        from docs._hooks.task_pages import groups

        return [
            {
                "Tasks": [
                    f"{TASKS}{FIRST}",
                    *({kind: [f"{TASKS}{task}.md" for task in ids]} for kind, ids in groups().items()),
                ]
            }
        ]
    if name.endswith("/"):
        inside = [f"{name}{page.name}" for page in sorted(path.glob("*.md"), key=lambda page: page.name != FIRST)]
        return [{"Decisions": inside}] if inside else []
    return [name] if path.is_file() or name in ROOT_PAGES.values() else []
