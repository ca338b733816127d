"""The user's secrets: one JSON file that only its owner can read."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict, cast

from tasks.files import sync_folder, whole
from vecboard.connection import Refused

MODE = 0o600
NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY


def default_path() -> Path:
    """``VECBOARD_KEYRING``, else ``vecboard/keyring.json`` in the user's configuration directory."""
    if named := os.environ.get("VECBOARD_KEYRING"):
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "vecboard" / "keyring.json"


class KeysOfServer(TypedDict, total=False):
    """Keyring entries of a server: the account's token, secrets by submission, unfinished uploads by key."""

    token: str
    submissions: dict[str, str]
    uploads: dict[str, str]


class Keyring:
    """Tokens and unfinished uploads by server URL.

    For each server the file holds ``token`` (of the account), ``submissions`` (the secret of each submission) and
    ``uploads`` (ids of interrupted ones, for resuming). It is created with mode 600, and a file that others can read is
    rejected.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()

    def token(self, server: str) -> str:
        """The account's token for a server; empty if there is none."""
        return str(self._of(server).get("token", ""))

    def secret(self, server: str, submission: str) -> str:
        """The secret of a submission made with this keyring; empty if there is none."""
        return str(self._of(server).get("submissions", {}).get(submission, ""))

    def upload(self, server: str, key: str) -> str:
        """The submission that waits for the rest of a file; empty if there is none."""
        return str(self._of(server).get("uploads", {}).get(key, ""))

    def keep_token(self, server: str, token: str) -> None:
        with self._changing(server) as keys:
            keys["token"] = token

    def keep_secret(self, server: str, submission: str, secret: str) -> None:
        with self._changing(server) as keys:
            keys.setdefault("submissions", {})[submission] = secret

    def keep_upload(self, server: str, key: str, submission: str) -> None:
        with self._changing(server) as keys:
            keys.setdefault("uploads", {})[key] = submission

    def forget_upload(self, server: str, key: str) -> None:
        with self._changing(server) as keys:
            keys.get("uploads", {}).pop(key, None)

    def forget(self, server: str) -> None:
        """Delete everything stored for a server."""
        with self._changing(server) as keys:
            cast("dict[str, object]", keys).clear()

    def _of(self, server: str) -> KeysOfServer:
        keys = self._read().get(server, {})
        return keys if isinstance(keys, dict) else {}

    def _read(self) -> dict[str, KeysOfServer]:
        try:
            with self.path.open(encoding="utf-8") as file:
                if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                    raise Refused(
                        f"Others can read the keyring {self.path}. Protect it with: chmod 600 {self.path}",
                        "open-keyring",
                    )
                content = json.load(file)
        except FileNotFoundError:
            return {}
        except ValueError:
            raise Refused(
                f"The keyring {self.path} is not valid JSON. Repair it, or delete it and log in again.", "keyring"
            ) from None
        return content if isinstance(content, dict) else {}

    @contextmanager
    def _changing(self, server: str) -> Iterator[KeysOfServer]:
        """Context for changing a server's entries: one process at a time, written atomically."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(self.path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, MODE)) as lock:  # noqa: PTH123
                fcntl.flock(lock, fcntl.LOCK_EX)
                content = self._read()
                keys = content.setdefault(server, {})
                yield keys
                with whole(self.path) as draft, open(os.open(draft, NEW, MODE), "w", encoding="utf-8") as file:  # noqa: PTH123
                    json.dump({name: stored for name, stored in content.items() if stored}, file, indent=1)
                    file.flush()
                    os.fsync(file.fileno())
                sync_folder(self.path.parent)
        except OSError as error:
            raise Refused(
                f"The keyring {self.path} cannot be written: {error.strerror}. Free some space or correct its rights, "
                "or set VECBOARD_KEYRING to another file.",
                "keyring",
            ) from None
