"""Vector files: read, checked and written. Nothing else in the project opens one."""

from tasks.vector_files.limits import Limits
from tasks.vector_files.read import read

__all__ = ["Limits", "read"]
