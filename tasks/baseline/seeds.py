"""The seed variances that are published with a suite version, beside its baseline."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tasks.baseline import published
from tasks.languages import ENGLISH
from tasks.statistics.uncertainty import SeedVariances
from tasks.suite import Suite


def seed_variances(suite: Suite, language: str = ENGLISH) -> SeedVariances:
    """The seed variances published for this suite version and this language's baseline; empty if there are none."""
    path = published.stored_as(f"{published.stem(suite, language=language)}.seeds.json")
    return SeedVariances() if path is None else _read_variances(path)


def write_seed_variances(suite: Suite, variances: SeedVariances, language: str = ENGLISH) -> Path:
    """Publish seed variances in the last of :func:`tasks.baseline.published.directories`."""
    path = published.directories()[-1] / f"{published.stem(suite, language=language)}.seeds.json"
    path.write_text(variances.to_json(), encoding="utf-8")
    _read_variances.cache_clear()
    return path


_read_variances = cache(SeedVariances.read)
