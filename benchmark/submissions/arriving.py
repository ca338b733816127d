"""Writing an arriving file to disk as it arrives, with its size limit enforced on the way.

:func:`append` writes both the pieces of an upload and the files of a whole form, to the same place.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

from benchmark import storage
from benchmark.fields import new_id
from benchmark.operations import space
from benchmark.submissions.models import PartialFile, part_path
from benchmark.templatetags.figures import size
from tasks.errors import InputError

CHUNK_BYTES = 256 * 1024
DRAIN_BYTES = 64 * 1024 * 1024
"""Number of excess bytes that are read and discarded. A browser that is still sending when the connection closes shows
no response; with a slightly oversized file read to its end, the user sees the error."""
MOST_RUNS = 20


class OffsetMismatch(Exception):
    """The piece does not begin at the end of the file, ``offset``."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(f"Upload resumes at byte {offset}.")


def check_announced(files: Sequence[PartialFile]) -> None:
    """Check the number and the sizes of files; the size of a file to fetch is still unknown.

    Raises
    ------
    InputError
        there are none or too many, one is empty, or together they are too large.
    """
    if not files:
        raise InputError("no-file", "No file was announced; choose a vector file.", field="file")
    if len(files) > MOST_RUNS:
        message = f"{len(files)} files were sent; a submission can have at most {MOST_RUNS} runs."
        raise InputError("too-many-files", message, field="file")
    empty = next((file for file in files if file.bytes < 1 and not file.url), None)
    if empty is not None:
        prefix = f"{empty.name}: " if len(files) > 1 else ""
        raise InputError("empty-file", f"{prefix}The file is empty; choose a vector file.", field="file")
    if sum(file.bytes for file in files) > settings.VECBOARD_MAX_UPLOAD_BYTES:
        raise too_large()


def too_large() -> InputError:
    return InputError(
        "too-large",
        f"The file is larger than {size(settings.VECBOARD_MAX_UPLOAD_BYTES)}, the limit on this site. "
        "Keep only the most frequent words, or write fewer decimals.",
    )


def append(file: IO[bytes], end: int, block: bytes, reserved: int = 0) -> int:
    """Write a block at the ``end`` of an arriving file; return the new end.

    The end is checked before every block, so that a connection presumed dead writes nothing twice when it resumes. If a
    block does not fit on the disk, the part that fits is written.

    Parameters
    ----------
    file : unbuffered, opened for appending.
    reserved : bytes of free space that other uploads have reserved, less those that will be free soon.

    Raises
    ------
    OffsetMismatch
        the file ends elsewhere.
    InputError
        the block would not leave enough free space.
    OSError
        the disk is full.
    """
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        check_end(file, end)
        if not space.has_room(len(block), reserved):
            raise space.no_room_for_the_rest()
        left = memoryview(block)
        while left:
            left = left[file.write(left) :]
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
    return end + len(block)


def check_end(file: IO[bytes], expected: int) -> None:
    """
    Raises
    ------
    OffsetMismatch
        the file does not end at ``expected``.
    """
    end = os.fstat(file.fileno()).st_size
    if end != expected:
        raise OffsetMismatch(end)


class ReceivedFile(UploadedFile):  # type: ignore[type-arg]
    """A file that arrived whole with a form; deleted with the request unless it was stored.

    Its path is that of a file sent in pieces: ``submission_id`` is the id of the submission that it can become.
    """

    def __init__(self, file: IO[bytes], name: str, size: int, path: Path, submission_id: str) -> None:
        super().__init__(file, name, "application/octet-stream", size)
        self.path, self.submission_id = path, submission_id

    def close(self) -> None:
        super().close()
        self.path.unlink(missing_ok=True)


def refusal(request: HttpRequest) -> InputError | None:
    """Reason for refusing the request's file during its arrival, if it was refused."""
    return getattr(request, "upload_refusal", None)


def discard(request: HttpRequest) -> None:
    """Delete the received part of the files of an unusable form."""
    for handler in request.upload_handlers:
        handler.upload_interrupted()


class ReceivingHandler(FileUploadHandler):
    """Django's handler of a multipart body: stores each file as an arriving file of a new submission."""

    chunk_size = CHUNK_BYTES

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.paths: list[Path] = []

    def handle_raw_input(
        self, input_data: object, META: dict[str, str], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """Begin a body of this length."""
        self.limit: int = settings.VECBOARD_MAX_UPLOAD_BYTES
        self.announced = content_length
        self.submission_id = new_id()
        self.earlier = 0  # bytes of the preceding files: the limit is on their sum
        self.drained = 0

    def new_file(self, field_name: str, file_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, file_name, *args, **kwargs)
        self.received = 0
        if self.announced > self.limit + DRAIN_BYTES:
            self._refuse(too_large())
            raise StopUpload(connection_reset=True)
        if self._is_refused:
            return
        storage.incoming()
        self.paths.append(part_path(self.submission_id, len(self.paths) + 1))
        with self._full_disk_refused():
            self.file = self.paths[-1].open("a+b", buffering=0)
        self.reserved = PartialFile.objects.reserved_bytes()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.earlier + self.received + len(raw_data) > self.limit:
            self._refuse(too_large())
        if self._is_refused:
            self.drained += len(raw_data)
            if self.drained > DRAIN_BYTES:
                raise StopUpload(connection_reset=True)
            return
        with self._full_disk_refused():
            self.received = append(self.file, self.received, raw_data, self.reserved - self.announced)

    def file_complete(self, file_size: int) -> ReceivedFile | None:
        with self._full_disk_refused():
            if not self._is_refused:
                os.fsync(self.file.fileno())
        if self._is_refused:
            return None
        self.earlier += self.received
        return ReceivedFile(self.file, self.file_name or "vectors", self.received, self.paths[-1], self.submission_id)

    def upload_interrupted(self) -> None:
        """Discard all files, because the body ended within one."""
        if hasattr(self, "file"):
            self.file.close()
        for path in self.paths:
            path.unlink(missing_ok=True)

    @property
    def _is_refused(self) -> bool:
        assert self.request is not None
        return refusal(self.request) is not None

    def _refuse(self, error: InputError) -> None:
        """Discard all files; the rest of the body is read and ignored."""
        if not self._is_refused:
            self.request.upload_refusal = error  # type: ignore[union-attr]
            self.upload_interrupted()

    @contextmanager
    def _full_disk_refused(self) -> Iterator[None]:
        try:
            yield
        except InputError:  # too little free space
            self._refuse(space.full())
        except OSError as error:
            if not space.is_full(error):
                raise
            self._refuse(space.full())
