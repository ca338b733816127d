"""Which URLs the site fetches files from: https, on a host and port that the operator has listed."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings

from benchmark.inputs import file_name
from tasks.errors import InputError

HTTPS = 443
LONGEST_URL = 2000
_KEPT = "%/:=&?~+!$,;'@()*[]"
"""What is sent as it is written; all else that is not a letter, digit, or one of ``_.-`` is escaped."""


@dataclass(frozen=True)
class WebFile:
    """A file that may be fetched.

    Parameters
    ----------
    host, port : as the operator lists them.
    target : path and query, as they are sent.
    """

    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """Host, with its port unless that is 443."""
        return written(self.host, self.port)

    @property
    def url(self) -> str:
        return f"https://{self.place}{self.target}"

    @property
    def name(self) -> str:
        """The last part of its path."""
        return file_name(unquote(self.target.partition("?")[0]).rpartition("/")[2])


def is_offered() -> bool:
    """Whether the site fetches files at all."""
    return bool(settings.VECBOARD_FETCH_HOSTS)


def listed() -> str:
    """The operator's list, for people."""
    return ", ".join(written(host, port) for host, port in settings.VECBOARD_FETCH_HOSTS)


def written(host: str, port: int) -> str:
    return host if port == HTTPS else f"{host}:{port}"


def web_file(url: str) -> WebFile:
    """The file that a URL names.

    Raises
    ------
    InputError
        it is not an https URL without a password, or its host or port is not listed.
    """
    if not is_offered():
        raise InputError("fetch-off", "This site does not fetch files from URLs; send the file.", field="url")
    try:
        parts = urlsplit(url.strip())
        port = HTTPS if parts.port is None else parts.port
    except ValueError:  # brackets or a port that cannot be read
        raise _not_one() from None
    if len(url) > LONGEST_URL or parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise _not_one()
    if (parts.hostname, port) not in settings.VECBOARD_FETCH_HOSTS:
        message = f"This site does not fetch files from {written(parts.hostname, port)}, only from {listed()}."
        raise InputError("host-not-listed", message, field="url")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebFile(parts.hostname, port, quote(target, safe=_KEPT))


def _not_one() -> InputError:
    message = f"This is not a URL that a file can be fetched from: write https:// and a file on {listed()}."
    return InputError("bad-url", message, field="url")
