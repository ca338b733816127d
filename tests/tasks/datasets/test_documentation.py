"""The page of data sets says of every set what the registry says."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs._hooks.data_page import completed
from tasks.datasets.dataset import DataSet
from tasks.datasets.registry import REGISTRY

PAGE = completed((Path(__file__).resolve().parents[3] / "docs" / "data.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dataset", REGISTRY.values(), ids=list(REGISTRY))
def test_the_page_has_the_licence_and_citation_of_every_set(dataset: DataSet) -> None:
    section = PAGE.split(f"### `{dataset.id}`: {dataset.title}\n")[1].split("\n### ")[0]
    assert f"- Licence: {dataset.licence}\n" in section
    assert f"- Citation: {dataset.citation}\n" in section


def test_a_set_that_nobody_wrote_about_has_its_section_at_the_end() -> None:
    page = completed("# Data sets\n")
    assert page.startswith("# Data sets\n\n### `")
    assert all(f"\n### `{dataset}`: " in page for dataset in REGISTRY)
