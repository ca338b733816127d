"""Folders that last as long as the test process, for files made once and used by many tests."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path


def scratch(name: str) -> Path:
    """A new temporary folder that is removed when Python ends."""
    folder = Path(tempfile.mkdtemp(prefix=f"vecboard-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
