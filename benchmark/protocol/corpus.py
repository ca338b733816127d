"""The prescribed corpus as a file that can be downloaded: made once, by a job, when its data set is here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmark import storage
from tasks.suite import Suite


@dataclass(frozen=True)
class CorpusFile:
    """A prescribed text that is ready: its own hash and size, and those of the gzipped file."""

    sha256: str
    bytes: int
    gzip_bytes: int
    lines: int


def text_path(suite: Suite) -> Path:
    return storage.path_of(f"corpus/{suite.id}-{suite.version}.txt.gz")


def _description_path(suite: Suite) -> Path:
    return storage.path_of(f"corpus/{suite.id}-{suite.version}.json")


def describe(suite: Suite, file: CorpusFile) -> None:
    """Write the description; from here on the page offers the text."""
    draft = _description_path(suite).with_suffix(".draft")
    draft.write_text(json.dumps(asdict(file)), encoding="utf-8")
    draft.replace(_description_path(suite))


def ready(suite: Suite) -> CorpusFile | None:
    """What can be downloaded, or None while nobody has made it."""
    try:
        described = json.loads(_description_path(suite).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return CorpusFile(**described) if text_path(suite).exists() else None
