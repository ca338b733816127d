"""Vector files: read, checked and written. Nothing else in the project opens one."""

from tasks.formats.reading import read
from tasks.formats.source import Limits, ReadRequest

__all__ = ["Limits", "ReadRequest", "read"]
