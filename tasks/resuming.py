"""Resuming a download: what to ask a server for, and whether its answer continues the part that is here.

By RFC 9110: section 14 for ranges, 13.1.5 for If-Range, 8.8 for validators. The client downloads with it on a user's
machine, and workers where a site fetches files itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

NO_CONTINUATION = (206, 416)
"""Of an answer that does not carry the file: its server does not continue the part that is here; begin again."""
MAY_COME_LATER = (*NO_CONTINUATION, 408, 425, 429, 500, 502, 503, 504)
"""HTTP statuses of answers without the file, after which another request may bring it."""
HeaderOf = Callable[[str, str], str]
"""A header's value by its name, or what is given in its place."""


def request_headers(here: int, validator: str) -> dict[str, str]:
    """Headers that ask for a file as it is stored; of one that is here in part, for the rest if it is still the same.

    Parameters
    ----------
    here : bytes that have arrived.
    validator : of the answer that they arrived with; empty: they cannot be continued.
    """
    asked = {"Accept-Encoding": "identity"}
    return asked | {"Range": f"bytes={here}-", "If-Range": validator} if here and validator else asked


@dataclass(frozen=True)
class FileAnswer:
    """The head of an answer that carries a file, or the rest of it.

    Parameters
    ----------
    start : where in the file the body begins, in bytes.
    total : size of the whole file in bytes; 0 if the server does not say.
    validator : tells later whether the file is still the same; empty if the server gives nothing reliable.
    """

    start: int
    total: int
    validator: str


def file_answer(status: int, header: HeaderOf, here: int) -> FileAnswer | None:
    """What an answer to :func:`request_headers` carries; None if it is neither the file nor the rest of it.

    Parameters
    ----------
    status : HTTP status.
    here : bytes that had arrived when it was asked for.
    """
    if status == 200:
        start = 0
    elif status == 206 and here and header("Content-Range", "").startswith(f"bytes {here}-"):
        start = here
    else:
        return None
    length = header("Content-Length", "")
    total = start + int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0
    return FileAnswer(start, total, _validator(header))


def _validator(header: HeaderOf) -> str:
    tag = header("ETag", "")
    found = header("Last-Modified", "") if not tag or tag.startswith("W/") else tag
    return found if found.isascii() and found.isprintable() and len(found) <= 200 else ""
