"""Upload of files in pieces: an interrupted upload resumes after the last complete piece."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tasks.answers import SubmissionStatus, UploadAnswer
from vecboard.connection import Refused, ServerConnection, Unreachable, error_of
from vecboard.keyring import Keyring

Sent = Callable[[int, int], None]
"""Called with the bytes that have arrived and the total."""
BLOCK_BYTES = 128 * 1024
PIECE_BYTES = 4_000_000
RECONNECT_SECONDS = 300.0
"""Seconds for which a sender retries while no more bytes arrive."""


def quiet(sent: int, total: int) -> None:
    """The silent progress callback."""


@dataclass(frozen=True)
class Upload:
    """Sends files over a connection; the keyring stores unfinished uploads.

    Parameters
    ----------
    token : of the account that will own the submission; empty: it belongs to the holder of its secret.
    reconnect : seconds to keep trying while no byte arrives.
    """

    connection: ServerConnection
    keyring: Keyring
    token: str = ""
    reconnect: float = RECONNECT_SECONDS

    def send(self, paths: Sequence[Path], details: Mapping[str, object], sent: Sent = quiet) -> SubmissionStatus:
        """Send files with their details, or the rest of them; return the submission's status.

        Parameters
        ----------
        paths : one file, or the runs of one setting.

        Raises
        ------
        Refused
            the server rejects it.
        Unreachable
            no more bytes arrive. The server keeps the received bytes for a day; the same call sends the rest.
        """
        files = [(path.name, path.stat().st_size) for path in paths]
        key = _key(paths, details)
        begun = self._begun(key) or self._begin(key, files, details)
        before, total = 0, sum(size for _, size in files)
        for number, there in enumerate(begun["files"], start=1):  # empty if only the response was lost
            self._send_rest(begun, number, paths[number - 1], int(there["offset"]), partial(_tell, sent, before, total))
            before += files[number - 1][1]
        answer = self._finish(begun["id"])
        self.keyring.forget_upload(self.connection.server, key)
        return answer

    def _begin(self, key: str, files: Sequence[tuple[str, int]], details: Mapping[str, object]) -> UploadAnswer:
        body = dict(details) | {"files": [{"name": name, "bytes": size} for name, size in files]}
        begun: UploadAnswer = self.connection.post("/uploads", self.token, json=body).json()
        self.keyring.keep_secret(self.connection.server, begun["id"], begun["token"])
        self.keyring.keep_upload(self.connection.server, key, begun["id"])
        return begun

    def _begun(self, key: str) -> UploadAnswer | None:
        """The unfinished upload of these files; None if there is none."""
        upload = self.keyring.upload(self.connection.server, key)
        if not upload:
            return None
        try:
            begun: UploadAnswer = self.connection.get(f"/uploads/{upload}", self._secret(upload)).json()
        except Refused as error:
            if error.status not in (401, 403, 404):
                raise
        else:
            if begun["state"] != "cancelled":
                return begun
        self.keyring.forget_upload(self.connection.server, key)
        return None

    def _send_rest(self, begun: UploadAnswer, number: int, path: Path, offset: int, at: Callable[[int], None]) -> None:
        """Send one file piece by piece, from the end of the server's copy."""
        address, secret = f"/uploads/{begun['id']}", self._secret(begun["id"])
        size, most = path.stat().st_size, int(begun.get("piece_bytes") or PIECE_BYTES)
        moved = time.monotonic()
        at(offset)
        while offset < size:
            length = min(most, size - offset)
            try:
                content = _blocks(path, offset, length, at)
                answer = self.connection.put(address, content, length, secret, {"file": number, "offset": offset})
                end = int(answer.json()["offset"])
            except Unreachable as error:
                if time.monotonic() - moved > self.reconnect:
                    raise Unreachable(f"{error} The same command resumes at byte {offset:,} of {size:,}.") from None
                time.sleep(1)
                end = int(self.connection.get(address, secret).json()["files"][number - 1]["offset"])
            if end > offset:
                moved = time.monotonic()
            elif time.monotonic() - moved > self.reconnect:
                raise Unreachable(f"No more bytes arrive after byte {offset:,} of {size:,}; try again later.")
            else:
                time.sleep(0.5)  # the server is still busy with another connection for this file
            offset = end
            at(offset)

    def _finish(self, submission: str) -> SubmissionStatus:
        response = self.connection.patiently("POST", f"/uploads/{submission}/finish", self._secret(submission))
        if response.status_code == 409:
            raise Refused(str(error_of(response).get("message", "The upload is not complete.")), "incomplete", 409)
        answer: SubmissionStatus = response.json()
        return answer

    def _secret(self, submission: str) -> str:
        return self.keyring.secret(self.connection.server, submission)


def _tell(sent: Sent, before: int, total: int, at: int) -> None:
    """Convert one file's progress to progress over all files."""
    sent(before + at, total)


def _key(paths: Sequence[Path], details: Mapping[str, object]) -> str:
    """Identity of an upload, equal for the same files with the same details in any folder."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    digest.update(json.dumps(details, sort_keys=True).encode())
    return digest.hexdigest()


def _blocks(path: Path, offset: int, length: int, at: Callable[[int], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(offset)
        left = length
        while left:
            block = file.read(min(BLOCK_BYTES, left))
            if not block:
                raise Refused("The file became shorter during the upload; send it again.", "changed")
            left -= len(block)
            yield block
            at(offset + length - left)
