"""Uploads that go past the site into the bucket. The site opens, signs and ends them; a worker checks what arrived.

No byte passes through the web process, so the site cannot hash the file while it arrives. The sender sends the SHA-256
of every piece instead, and the worker that reads the file first compares them (``workers.vectors.arrivals``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from benchmark import multipart, storage
from benchmark.submissions.models import PartialFile
from tasks.errors import InputError

_SHA256 = re.compile(r"[0-9a-f]{64}")


def open_uploads(parts: Sequence[PartialFile], piece_bytes: int) -> None:
    """Open an upload in the bucket for every file that was announced; the rows are not saved yet."""
    for part in parts:
        part.piece_bytes = piece_bytes
        part.bucket_upload = multipart.begin(key_of(part))


def key_of(part: PartialFile) -> str:
    return storage.upload_key(part.submission_id, part.position)


def pieces_of(part: PartialFile) -> int:
    """How many pieces the file has."""
    return -(-part.bytes // part.piece_bytes)


def _size(part: PartialFile, number: int) -> int:
    """Bytes of a piece; all are equal but the last one."""
    return min(part.piece_bytes, part.bytes - (number - 1) * part.piece_bytes)


def offset_of(part: PartialFile) -> int:
    """How many bytes are in the bucket without a gap, by whole pieces; all, if it was put together already."""
    offset = 0
    for number, arrived in enumerate(multipart.parts(key_of(part), part.bucket_upload), start=1):
        if (arrived.number, arrived.bytes) != (number, _size(part, number)):
            break
        offset += arrived.bytes
    return offset or (part.bytes if _is_whole(part) else 0)


def _is_whole(part: PartialFile) -> bool:
    key = key_of(part)
    return bool(part.digests) and storage.exists(key) and storage.size(key) == part.bytes


def place_of(part: PartialFile, offset: int) -> str | None:
    """The signed address for the piece that begins at ``offset``; None if none begins there."""
    if not 0 <= offset < part.bytes or offset % part.piece_bytes:
        return None
    number = offset // part.piece_bytes + 1
    return multipart.address(key_of(part), part.bucket_upload, number, _size(part, number))


def note_digests(parts: Sequence[PartialFile], digests: Sequence[Sequence[str]]) -> None:
    """Keep what the sender says of the files' pieces, for the worker to compare.

    Raises
    ------
    InputError
        there is not one SHA-256 for every piece.
    """
    sent = [part for part in parts if part.bucket_upload]
    of_each = list(digests) + [()] * (len(sent) - len(digests))
    for part, pieces in zip(sent, of_each, strict=False):
        if len(pieces) != pieces_of(part) or not all(_SHA256.fullmatch(piece) for piece in pieces):
            message = f"{pieces_of(part)} hashes of the pieces of {part.name} are needed; reload the page to resume."
            raise InputError("no-digests", message, field="file")
        part.digests = list(pieces)
        part.save(update_fields=["digests"])


class InBucket:
    """A file whose pieces are all in the bucket. Its hash is found by the worker that reads it first."""

    sha256 = ""

    def __init__(self, part: PartialFile) -> None:
        self.part = part
        self.name, self.size = part.name, part.bytes

    def keep(self, key: str) -> None:
        """Put the pieces together; harmless when that was done by a request that ended before its last step."""
        arrived = multipart.parts(key, self.part.bucket_upload)
        if arrived:
            multipart.complete(key, self.part.bucket_upload, arrived[: pieces_of(self.part)])
        elif not _is_whole(self.part):
            raise FileNotFoundError(f"{key} is not in the bucket")


def abort(part: PartialFile) -> None:
    if part.bucket_upload:
        multipart.abort(key_of(part), part.bucket_upload)


def came_since(part: PartialFile, moment: datetime) -> bool:
    """Whether a piece arrived since then."""
    return any(arrived.modified >= moment for arrived in multipart.parts(key_of(part), part.bucket_upload))
