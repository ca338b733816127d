"""The parts that a data set with labels is divided into."""

from __future__ import annotations

PARTS = ("train", "dev", "test")
