"""``--api-table FILE`` writes the API's answers to generated requests into a page of docs/."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--api-table", type=Path, help="page whose table of the API's answers is to be written")
