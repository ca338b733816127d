"""Readers: from the bytes of published files to examples, one module per format."""

from __future__ import annotations

from tasks.datasets.readers.lines import DamagedData

__all__ = ["DamagedData"]
