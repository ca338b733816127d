"""A file from the web, downloaded on the user's side: the same call resumes an interrupted download."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx

from vecboard.errors import Refused, Unreachable
from vecboard.upload import Sent, quiet
from vecboard.version import VERSION

MOST_BYTES = 12_000_000_000
"""What a site reads of a file by default, expanded."""
TRIES = 5
PAUSE_SECONDS = 2.0
_BLOCK_BYTES = 1 << 20
_TIMEOUT = httpx.Timeout(30, read=120)
_ODD = re.compile(r"[^\w.+-]")
_TAG, _PART = "tag", ".part"


def of_archive(url: str) -> tuple[str, str]:
    """What to download, and what to read of it: ``https://example.org/a.zip:b.txt`` is ``b.txt`` in ``a.zip``."""
    archive, found, member = url.partition(".zip:")
    return f"{archive}.zip" if found else archive, member


class Download:
    """A URL's file in the cache directory (``XDG_CACHE_HOME``, else ``~/.cache``).

    Parameters
    ----------
    url : http or https.
    most : bytes; a larger file is refused.

    Raises
    ------
    Refused
        it is not such a URL.
    """

    def __init__(self, url: str, most: int = MOST_BYTES) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refused(f"{url!r} is not the URL of a file; it begins with https:// or http://.", "url")
        self.url, self.most = url, most
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = Path(cache) / "vecboard" / hashlib.sha256(url.encode()).hexdigest()[:16]
        name = _ODD.sub("_", unquote(parts.path).rpartition("/")[2])[-100:].lstrip(".")
        self.path = self.folder / (name or "vectors")

    def fetch(self, on_progress: Sent = quiet) -> Path:
        """Download the file, or the rest of it.

        Parameters
        ----------
        on_progress : called with the bytes that are here and the total, 0 if the server does not say.

        Raises
        ------
        Refused
            the server has no such file, or it is too large.
        Unreachable
            no more bytes arrive; the next call resumes.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for nth in range(TRIES):
            if self.path.is_file():
                return self.path
            time.sleep(nth * PAUSE_SECONDS)
            try:
                self._fetch_rest(on_progress)
            except httpx.TransportError as error:
                broken = str(error) or type(error).__name__
        if self.path.is_file():
            return self.path
        raise Unreachable(f"{self.url} could not be downloaded ({broken}); the same command resumes.")

    def forget(self) -> None:
        """Delete what was downloaded."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _fetch_rest(self, on_progress: Sent) -> None:
        from tasks.resuming import MAY_COME_LATER, NO_CONTINUATION, file_answer, request_headers

        partial, tag = self.path.with_name(self.path.name + _PART), self.folder / _TAG
        known = tag.read_text(encoding="ascii") if tag.is_file() else ""
        here = partial.stat().st_size if known and partial.is_file() else 0
        asked = request_headers(here, known) | {"User-Agent": f"vecboard/{VERSION}"}
        with httpx.stream("GET", self.url, headers=asked, follow_redirects=True, timeout=_TIMEOUT) as answer:
            found = file_answer(answer.status_code, answer.headers.get, here)
            if found is None:
                if answer.status_code in NO_CONTINUATION:
                    tag.unlink(missing_ok=True)
                if answer.status_code in MAY_COME_LATER:
                    raise httpx.ReadError(f"HTTP {answer.status_code}")
                message = f"{self.url} answers HTTP {answer.status_code}; check the URL."
                raise Refused(message, "url", answer.status_code)
            here, total = found.start, found.total
            if total > self.most:
                raise self._too_large()
            tag.write_text(found.validator, encoding="ascii")
            with partial.open("ab" if here else "wb") as file:
                for block in answer.iter_raw(_BLOCK_BYTES):
                    here += len(block)
                    if here > self.most:
                        raise self._too_large()
                    file.write(block)
                    on_progress(here, total)
        partial.replace(self.path)

    def _too_large(self) -> Refused:
        return Refused(f"{self.url} is larger than {self.most / 1e9:g} GB; give a smaller file.", "too-large")
