"""The API's page in the documentation agrees with the API: sample answer, states, endpoints."""

from __future__ import annotations

import json
import re

from benchmark.api.api import api
from tasks.answers import STATES, Accepted
from tasks.results import typed
from tests.docs.blocks import DOCS, blocks


def test_the_sample_answer_is_one_that_the_api_gives() -> None:
    sample = next(json.loads(block.text) for block in blocks(DOCS / "api.md") if block.title == "answer")
    assert set(sample) == set(Accepted.__annotations__)
    assert typed(Accepted, sample) == sample
    assert sample["status_url"].endswith(f"/s/{sample['id']}")
    assert sample["owner_url"] == f"{sample['status_url']}/owner/{sample['token']}"


def test_the_page_has_every_state_with_its_meaning() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z]+)` \| (.*) \|$", text, re.MULTILINE) == list(STATES.items())


def test_the_page_names_every_endpoint() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    paths = {re.sub(r"{\w+}", "{id}", path.removeprefix("/api/v1")) for path in api.get_openapi_schema()["paths"]}
    named = {path for path in paths if path in text or path.rpartition("/")[2] in ("cancel", "withdraw")}
    assert paths - named == set()


def test_pages_that_newcomers_read_have_a_picture() -> None:
    for page in ("start", "report", "api"):
        assert "](pictures/" in (DOCS / f"{page}.md").read_text(encoding="utf-8"), page
