"""Vector files: read, checked and written. Nothing else in the project opens one."""

from tasks.vector_files.reading import read
from tasks.vector_files.source import Limits, ReadRequest

__all__ = ["Limits", "ReadRequest", "read"]
