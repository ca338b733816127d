"""Random ids of studies and raters; the number of bits in each is part of what is promised to raters."""

from __future__ import annotations

import secrets

PSEUDONYM_BYTES = 5


def new_link() -> str:
    """The address of a study for its raters: 128 random bits."""
    return secrets.token_urlsafe(16)


def new_seed() -> int:
    return secrets.randbits(48)


def new_pseudonym() -> str:
    """How a rater is called in exports; other than the id, it gives no right to anything."""
    return f"r{secrets.token_hex(PSEUDONYM_BYTES)}"
