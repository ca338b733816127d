"""Unguessable ids of submissions, and owners' secrets."""

from __future__ import annotations

import base64
import hashlib
import secrets


def new_id() -> str:
    """60 random bits as 12 letters and digits: short enough to read out, too many to guess."""
    return base64.b32encode(secrets.token_bytes(8)).decode("ascii")[:12].lower()


def new_token() -> str:
    """The owner's secret; only its hash is kept."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8")).hexdigest()
