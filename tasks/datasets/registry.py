"""What exists: every data set with its files, hashes, licence and citation. (To be filled.)"""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DataSet:
    id: str
    sha256: str
    licence: str


REGISTRY: dict[str, DataSet] = {}
