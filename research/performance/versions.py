"""Versions and hardware behind a table."""

from __future__ import annotations

import os
import platform


def versions() -> str:
    """Python, NumPy, torch and cores, on one line."""
    import numpy
    import torch

    used = f"Python {platform.python_version()}, NumPy {numpy.__version__}, torch {torch.__version__}"
    return f"{used}, {os.cpu_count()} cores"
