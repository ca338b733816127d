"""The page of data sets: its sections on single sets are made from their declarations."""

from __future__ import annotations

import re
from typing import Any

from docs._hooks.task_pages import REGISTRY, DataSet, how_to_get

REPOSITORY = re.compile(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{7})")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Complete the page when the documentation is built."""
    return completed(markdown) if page.file.src_uri == "data.md" else markdown


def completed(markdown: str) -> str:
    """The page with a section for every registered set."""
    return "\n".join([markdown.rstrip("\n"), "", *map(section, REGISTRY.values())])


def section(dataset: DataSet) -> str:
    """The facts to state wherever a data set is named."""
    facts = {
        "Licence": dataset.licence,
        "Citation": dataset.citation,
        "Version": dataset.version,
        "Source": ", ".join(sources(dataset)) or how_to_get(dataset),
        "Home": dataset.homepage and f"<{dataset.homepage}>",
        "Notes": dataset.notes,
    }
    lines = [f"- {name}: {fact}\n" for name, fact in facts.items() if fact]
    return f"### `{dataset.id}`: {dataset.title}\n\n{''.join(lines)}"


def sources(dataset: DataSet) -> list[str]:
    """Repositories with their commits, or addresses of other files."""
    addresses = dict.fromkeys(part.url for file in dataset.files for part in file.published)
    return list(
        dict.fromkeys(
            f"github.com/{commit[1]} at `{commit[2]}`" if (commit := REPOSITORY.match(address)) else f"<{address}>"
            for address in addresses
        )
    )
