"""Vectors shared by the political tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.formats import read
from tasks.vectors import Embedding

GOLDEN = Path(__file__).resolve().parents[4] / "shared" / "golden"
PAIRS = {
    "sg-sotu-100-a-vs-b": ("sg-sotu-100-a", "sg-sotu-100-b"),
    "sg-wiki-50-vs-sg-sotu-100-a": ("sg-wiki-50", "sg-sotu-100-a"),
}


@pytest.fixture(scope="session", params=sorted(PAIRS))
def golden(request: pytest.FixtureRequest) -> tuple[Embedding, Embedding, dict[str, Any]]:
    """Two real files, with results by brute force."""
    if not GOLDEN.is_dir():
        pytest.skip("the golden files are not there")
    left, right = (read(GOLDEN / f"{name}.txt.gz") for name in PAIRS[request.param])
    return left, right, json.loads((GOLDEN / f"{request.param}.expected.json").read_text())
