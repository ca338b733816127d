"""The vectors that an entry is compared with: the suite's baseline, or an operator's file for another language."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tasks.base import Context, Task
from tasks.baseline.vectors import baseline_vectors
from tasks.errors import DataUnavailable
from tasks.formats import read
from tasks.political.declarations import FOLDER, operators_file
from tasks.vectors import Embedding


def reference_vectors(task: Task, context: Context) -> Embedding:
    """The reference of a political task.

    Raises
    ------
    DataUnavailable
        the baseline's corpus is missing, or the operator has supplied no vectors for the language.
    """
    if task.options["reference"] == "baseline":
        return baseline_vectors(context.suite, context.data, lambda share, what: context.progress(0.3 * share, what))
    (language,) = task.languages
    path = operators_file(task, context.data.data_dir)
    if not path.is_file():
        raise DataUnavailable(
            f"{FOLDER}-{language}",
            f"This site has no reference vectors for the language {language!r}: the baseline is English. The "
            f"operator can put a vector file into the data directory as {FOLDER}/{path.name}.",
        )
    return _read(path, path.stat().st_mtime_ns, language)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int, language: str) -> Embedding:
    """Read the file; cached until it changes."""
    return read(path, language=language)
