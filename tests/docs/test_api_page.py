"""The API's page in the documentation agrees with the API."""

from __future__ import annotations

import json

from tasks.answers import Accepted
from tasks.results import typed
from tests.docs.blocks import DOCS, blocks


def test_the_sample_answer_is_one_that_the_api_gives() -> None:
    sample = next(json.loads(block.text) for block in blocks(DOCS / "api.md") if block.title == "answer")
    assert set(sample) == set(Accepted.__annotations__)
    assert typed(Accepted, sample) == sample
    assert sample["status_url"].endswith(f"/s/{sample['id']}")
    assert sample["owner_url"] == f"{sample['status_url']}/owner/{sample['token']}"
