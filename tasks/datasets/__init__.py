"""Data sets: a registry of what exists, where its files come from, and how they are read."""

from __future__ import annotations

from tasks.datasets.registry import REGISTRY, DataFile, DataSet
from tasks.datasets.store import DataStore, Status

__all__ = ["REGISTRY", "DataFile", "DataSet", "DataStore", "Status"]
