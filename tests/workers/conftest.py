from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def own_files(settings: Any, tmp_path: Path) -> Path:
    """Files of this test only."""
    settings.VECBOARD_VAR = tmp_path
    settings.STORAGE_ROOT = tmp_path / "storage"
    return tmp_path
