"""Versions and hardware behind a table."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version


def versions(*further: str) -> str:
    """Python, NumPy, torch, further packages, cores and the widest vectors that torch computes with, on one line."""
    from torch.backends.cpu import get_cpu_capability

    used = [
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in ("NumPy", "torch", *further)),
    ]
    return f"{', '.join(used)}, {os.cpu_count()} cores with {get_cpu_capability()}"
