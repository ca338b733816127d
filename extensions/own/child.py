"""The process that measures vectors on one's own data within limits: ``python -m extensions.own.child PARENT``."""

from __future__ import annotations

import json
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from extensions.own.measure.labelled import labelled
from extensions.own.measure.measure import OwnData, measure
from extensions.own.measure.report import DISAGREEMENTS, REPORT
from extensions.own.measure.retrieval import retrieval
from extensions.texts.child import MADE, TextsRequest, run
from tasks.errors import InputError
from tasks.formats.archives import ZIP_DAMAGES, ZIP_METHODS
from tasks.processes import Progress
from tasks.suites import get
from tasks.text import shown

_LONGEST_NAME = 60
"""Characters of a file's name in an archive, each of at most four bytes: file systems take 255 bytes."""


@dataclass(frozen=True)
class OwnRequest(TextsRequest):
    """Labelled texts or a search to measure.

    Parameters
    ----------
    suite : tells how words are looked up.
    """

    label_field: str
    split_field: str | None
    margin: float
    suite: str


def score(request: OwnRequest, progress: Progress) -> dict[str, object]:
    """The report; makes a file of the texts on which sets differ.

    Raises
    ------
    InputError
        the data cannot be used.
    """
    progress(0.0, "Reading the texts")
    scratch = Path(tempfile.gettempdir())
    data = data_of(request, scratch)
    look_up = get(request.suite).look_up
    report, differing = measure(data, request.pretrained, look_up, scratch, request.margin, progress)
    (scratch / MADE).write_bytes(DISAGREEMENTS.dump_json(differing))
    return {"report": json.loads(REPORT.dump_json(report)), "language": data.language}


def data_of(request: OwnRequest, scratch: Path) -> OwnData:
    """Labelled texts or, from an archive, queries with texts to find."""
    path = Path(request.path)
    if zipfile.is_zipfile(path):
        folder = scratch / "unpacked" / path.stem
        folder.mkdir(parents=True)
        unpack(path, folder, request.limits.expanded_bytes)
        return retrieval(folder, request.language, request.limits)
    return labelled(
        path,
        request.label_field,
        text_field=request.text_field,
        split_field=request.split_field,
        group_field=request.group_by,
        language=request.language,
        limits=request.limits,
    )


def unpack(path: Path, to: Path, most: int) -> None:
    """Copy the files of an archive into one folder, by their names without folders.

    Raises
    ------
    InputError
        it cannot be read, two of its files have one name, or its files are larger than ``most`` bytes together.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename or member.header_offset < 0:
                    raise zipfile.BadZipFile
                if member.is_dir():
                    continue
                name = Path(member.filename).name
                if name in ("", "..") or len(name) > _LONGEST_NAME or member.compress_type not in ZIP_METHODS:
                    raise zipfile.BadZipFile
                if (to / name).exists():
                    message = f"The archive has two files with the name “{shown(name)}”. Keep one of them."
                    raise InputError("same-name", message, field="data")
                with archive.open(member) as file:
                    content = file.read(most + 1)
                most -= len(content)
                if most < 0:
                    message = "The files in the archive are too large. Send a part of them."
                    raise InputError("too-large", message, field="data")
                (to / name).write_bytes(content)
    except ZIP_DAMAGES:
        message = "The archive cannot be read. Send a plain .zip without a password."
        raise InputError("bad-archive", message, field="data") from None


REQUEST = OwnRequest

if __name__ == "__main__":
    run(REQUEST, score)
