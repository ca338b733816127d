"""What every room's tests share."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def vector_file(tmp_path: Path) -> Path:
    """A real file, small: 200 words, 10 dimensions."""
    rng = np.random.default_rng(7)
    rows = ["word" + str(i) + " " + " ".join(f"{x:.4f}" for x in rng.normal(size=10)) for i in range(200)]
    path = tmp_path / "small.txt.gz"
    path.write_bytes(gzip.compress(("\n".join(rows) + "\n").encode(), mtime=0))
    return path
