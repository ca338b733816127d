"""Vector files: read, checked and written. Nothing else in the project opens one."""

from tasks.vector_files.read import read
from tasks.vector_files.source import Limits

__all__ = ["Limits", "read"]
