"""Files uploaded straight to the bucket: the first worker that reads one compares it with what was sent."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO, Any

from benchmark import storage
from benchmark.submissions.direct import key_of
from benchmark.submissions.models import PartialFile, Submission
from tasks.errors import InputError
from tasks.processes import Progress

BLOCK_BYTES = 1 << 20


def confirm(submission: Submission, progress: Progress) -> None:
    """Compare every file that no web process hashed with its sender's hashes; then store its own hash.

    Safe to repeat: the sender's hashes are deleted once confirmed.

    Raises
    ------
    InputError
        the bucket's bytes differ from the sender's; the message gives the piece.
    """
    for part in submission.partial_files.exclude(bucket_upload=""):
        progress(0.0, f"Comparing {part.name} with what was sent")
        with storage.at_hand(key_of(part)) as path:
            sha256 = compare(path, part)
        if part.position == 1:
            Submission.objects.filter(pk=submission.pk).update(file_sha256=sha256)
        else:
            submission.run_files.filter(position=part.position).update(sha256=sha256)
        part.delete()
    submission.refresh_from_db(fields=["file_sha256"])


def compare(path: Path, part: PartialFile) -> str:
    """The file's SHA-256, if every piece has the hash that its sender gave.

    Raises
    ------
    InputError
        a piece's hash or the file's length differs.
    """
    whole = hashlib.sha256()
    with path.open("rb") as file:
        for number, digest in enumerate(part.digests or (), start=1):
            if _hashed_piece(file, part.piece_bytes, whole) != digest:
                raise _other_bytes(part, f"piece {number} of {len(part.digests)}")
        if file.tell() != part.bytes or file.read(1):
            raise _other_bytes(part, f"it does not have the {part.bytes} bytes announced")
    return whole.hexdigest()


def _hashed_piece(file: IO[bytes], size: int, whole: Any) -> str:
    piece, left = hashlib.sha256(), size
    while left and (block := file.read(min(BLOCK_BYTES, left))):
        piece.update(block)
        whole.update(block)
        left -= len(block)
    return piece.hexdigest()


def _other_bytes(part: PartialFile, where: str) -> InputError:
    message = f"{part.name} differs from the file that was sent ({where}); send it again."
    return InputError("damaged-upload", message, field="file")
