"""The prepared form of excerpts, which ship with the program. The web process never imports this: it loads Arrow."""

from __future__ import annotations

from benchmark.shipped.vectors import Excerpt
from tasks.formats.reading import prepare
from tasks.prepared import is_whole


def lay_out(excerpt: Excerpt) -> None:
    """Write the prepared form, as of any other vectors, unless this machine has it.

    Raises
    ------
    RuntimeError
        the file is not the one that the list names.
    """
    if is_whole(excerpt.directory):
        return
    found = prepare(excerpt.path, excerpt.directory.parent)
    if found.sha256 != excerpt.sha256:
        raise RuntimeError(f"{excerpt.file} does not contain the vectors that the list beside it names.")
