"""The page of data sets: a set without a written section gets one from its declaration."""

from __future__ import annotations

from typing import Any

from docs._hooks.task_pages import REGISTRY, DataSet


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Complete the page when the documentation is built."""
    return completed(markdown) if page.file.src_uri == "data.md" else markdown


def completed(markdown: str) -> str:
    """The page with a section for every registered set."""
    missing = [dataset for dataset in REGISTRY.values() if f"\n### `{dataset.id}`: " not in markdown]
    return "\n".join([markdown.rstrip("\n"), "", *map(section, missing)]) if missing else markdown


def section(dataset: DataSet) -> str:
    """The facts to state wherever a data set is named."""
    return (
        f"### `{dataset.id}`: {dataset.title}\n\n- Licence: {dataset.licence}\n- Citation: {dataset.citation}\n"
        f"- Version: {dataset.version}\n"
    )
