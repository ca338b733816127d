"""Formats of vector files: recognised, read, checked and written. Nothing else in the project opens such a file."""

from tasks.formats.reading import read
from tasks.formats.source import Limits, ReadRequest

__all__ = ["Limits", "ReadRequest", "read"]
