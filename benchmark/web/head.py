"""What the loop looks at in the head of a request, to know who shall answer it. gunicorn parses it again, strictly."""

from __future__ import annotations

import re
from typing import NamedTuple

HEALTH = "/healthz"
"""Answered by a thread of its own, under any name."""
END = b"\r\n\r\n"
MOST_BYTES = 64 * 1024
"""Browsers keep at most 180 cookies of a site, of a hundred bytes here: a head has room for all of them."""
SMALL_BODY_BYTES = 64 * 1024
"""A body of up to this size is awaited before a thread looks at the request, as those of forms and of the API are."""
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_UNKNOWN_END = re.compile(rb"\r\n(transfer-encoding|expect):", re.IGNORECASE)
_FORWARDED = re.compile(rb"\r\nx-forwarded-for:[ \t]*([^\r\n]*)", re.IGNORECASE)
_LONG = re.compile(r"/s/[^/]+/(vectors|upload/finish)|/api/v1/uploads/[^/]+/finish")
"""A file that may come from a bucket, and the end of an upload, where the whole file is read once more."""


class Head(NamedTuple):
    """Of a request: its path, where its body ends in what arrives, and what it says of the visitor's address."""

    path: str
    end: int | None
    forwarded: str

    @property
    def is_transfer(self) -> bool:
        """Whether it takes a thread of uploads: a large body, one whose end is not known before, or a large file."""
        return self.end is None or _LONG.fullmatch(self.path) is not None


def read_head(received: bytes | bytearray) -> Head | None:
    """The head at the beginning of what arrived; None while it is not whole."""
    size = received.find(END)
    if size < 0:
        return None
    text = bytes(received[: size + len(END)])
    target = text.split(b"\r\n", 1)[0].split(b" ")[1:2]
    path = target[0].partition(b"?")[0].decode("latin-1") if target else ""
    length = _LENGTH.search(text)
    body = int(length[1]) if length else 0
    waits = _UNKNOWN_END.search(text) is None and body <= SMALL_BODY_BYTES
    forwarded = ",".join(found.decode("latin-1") for found in _FORWARDED.findall(text))
    return Head(path, len(text) + body if waits else None, forwarded)
