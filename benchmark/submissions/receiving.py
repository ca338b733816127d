"""Receiving a file: written and hashed while it arrives, never held in memory, refused as soon as it is too large."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

from benchmark import storage
from benchmark.operations import space
from benchmark.submissions.reservations import reserved_bytes
from benchmark.templatetags.figures import size
from tasks.errors import InputError

CHUNK_BYTES = 256 * 1024
# A browser that is still sending when the connection closes shows no answer at all. So a file that is only a little too
# large is read to its end (and thrown away), and the person reads the sentence.
DRAIN_BYTES = 64 * 1024 * 1024
MOST_RUNS = 20


def too_many_runs(count: int) -> str:
    return f"{count} files were sent; a submission can have at most {MOST_RUNS} runs."


def empty_file() -> InputError:
    return InputError("empty-file", "The file is empty; choose a vector file.", field="file")


class ReceivedFile(UploadedFile):  # type: ignore[type-arg]
    """A file that arrived whole. It disappears with the request unless it is kept."""

    def __init__(self, draft: Any, name: str, sha256: str, size: int) -> None:
        super().__init__(draft, name, "application/octet-stream", size)
        self.draft = draft
        self.sha256 = sha256

    def keep(self, key: str) -> None:
        """Move the synced file to its place in the storage: whole or not at all."""
        storage.publish(Path(self.draft.name), key)

    def close(self) -> None:
        with contextlib.suppress(FileNotFoundError):  # it was kept: nothing is left to delete
            self.draft.close()


def too_large(limit: int) -> InputError:
    return InputError(
        "too-large",
        f"The file is larger than {size(limit)}, the limit on this site. "
        "Keep only the most frequent words, or write fewer decimals.",
    )


def refusal(request: HttpRequest) -> InputError | None:
    """Why the request's file was refused while it arrived, if it was."""
    return getattr(request, "upload_refusal", None)


def discard(request: HttpRequest) -> None:
    """Delete what arrived of a body that cannot be read to its end."""
    for handler in request.upload_handlers:
        handler.upload_interrupted()


class ReceivingHandler(FileUploadHandler):
    """Django's hook into a multipart body, chunk by chunk."""

    chunk_size = CHUNK_BYTES

    def handle_raw_input(
        self, input_data: object, META: dict[str, str], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """What the browser announces is refused before the first byte is written."""
        self.limit: int = settings.VECBOARD_MAX_UPLOAD_BYTES
        self.announced = content_length
        self.earlier = 0  # bytes of the files before this one: the limit holds for all together
        self.drained = 0

    def new_file(self, field_name: str, file_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, file_name, *args, **kwargs)
        self.received = 0
        if self.announced > self.limit + DRAIN_BYTES:
            self._refuse(too_large(self.limit))
            raise StopUpload(connection_reset=True)
        if self._is_refused:
            return
        with self._full_disk_refused():
            self.file = NamedTemporaryFile(dir=storage.incoming(), prefix="upload-")  # noqa: SIM115 - closed with the request
        self.reserved = reserved_bytes()
        self.digest = hashlib.sha256()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.earlier + self.received > self.limit:
            self._refuse(too_large(self.limit))
        if self._is_refused:
            self._drain(len(raw_data))
            return
        self.digest.update(raw_data)
        if not space.has_room(len(raw_data), self.reserved):
            self._refuse(space.full())
            return
        with self._full_disk_refused():
            self.file.write(raw_data)

    def file_complete(self, file_size: int) -> ReceivedFile | None:
        with self._full_disk_refused():
            if not self._is_refused:
                self.file.flush()
                os.fsync(self.file.fileno())
        if self._is_refused:
            return None
        self.earlier += self.received
        name = self.file_name or "vectors"
        return ReceivedFile(self.file, name, self.digest.hexdigest(), self.received)

    def upload_interrupted(self) -> None:
        """The body ended inside the file: what came of it goes at once."""
        if hasattr(self, "file"):
            with contextlib.suppress(OSError):  # it is gone already, or its last bytes find no room
                self.file.close()

    @property
    def _is_refused(self) -> bool:
        assert self.request is not None
        return refusal(self.request) is not None

    def _refuse(self, error: InputError) -> None:
        """What came of the file goes at once; the rest is read and thrown away."""
        if not self._is_refused:
            self.request.upload_refusal = error  # type: ignore[union-attr]
            self.upload_interrupted()

    def _drain(self, count: int) -> None:
        self.drained += count
        if self.drained > DRAIN_BYTES:
            raise StopUpload(connection_reset=True)

    @contextlib.contextmanager
    def _full_disk_refused(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not space.is_full(error):
                raise
            self._refuse(space.full())
