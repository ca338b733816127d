"""Small vector files, intact or corrupted in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from isal import igzip

from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest
from tasks.formats.reading import prepare
from tasks.prepared import Prepared
from tasks.processes import Progress, no_progress

WriteLines = Callable[..., Path]
Rejected = Callable[..., InputError]


def check(path: Path, *, progress: Progress = no_progress, **options: object) -> Prepared:
    """Read a file like the check, and keep only the findings."""
    with TemporaryDirectory() as root:
        return prepare(ReadRequest(path, **options), root, progress=progress)  # type: ignore[arg-type]


@pytest.fixture
def good_lines() -> list[str]:
    """120 words of 3 dimensions."""
    return [f"word{nth} 0.5 -1.25 {nth}e-2" for nth in range(1, 121)]


@pytest.fixture
def write(tmp_path: Path) -> WriteLines:
    """Writes text or bytes (a list is one line an item) to a file, gzipped if asked, and returns its path."""

    def write_file(content: list[str] | str | bytes, *, gzipped: bool = False) -> Path:
        text = "".join(line + "\n" for line in content) if isinstance(content, list) else content
        raw = text.encode() if isinstance(text, str) else text
        path = tmp_path / ("vectors.txt.gz" if gzipped else "vectors.txt")
        path.write_bytes(igzip.compress(raw) if gzipped else raw)
        return path

    return write_file


@pytest.fixture
def rejected(write: WriteLines) -> Rejected:
    """Writes a file, checks it, and returns the error that rejects it."""

    def reject(content: list[str] | str | bytes, limits: Limits | None = None, **options: object) -> InputError:
        path = write(content)
        with pytest.raises(InputError) as caught:
            check(path, limits=limits or Limits(), **options)
        return caught.value

    return reject
