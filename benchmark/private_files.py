"""Files that only the site's own account may read: database, uploads, prepared vectors, caches, the embedded broker."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

NOBODY_ELSE = 0o077
FOLDER, FILE = 0o700, 0o600


def keep_to_oneself(*folders: Path) -> None:
    """From now on this process makes files of mode 0600 and folders of 0700; these folders are closed at once.

    What an earlier version left in them with wider modes cannot be reached through a closed folder; the database, which
    is opened again and again, is closed as well.
    """
    os.umask(NOBODY_ELSE)
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ImproperlyConfigured(
                f"The directory {folder} cannot be created: {error.strerror}. Free some space or correct its rights, "
                "or set VECBOARD_VAR (VECBOARD_STORAGE) to another directory."
            ) from None
        with suppress(PermissionError):  # it belongs to another account, which decides
            folder.chmod(FOLDER)
    for database in folders[0].glob("*.sqlite3*"):
        with suppress(PermissionError, FileNotFoundError):
            database.chmod(FILE)
