"""Make untrusted text safe for pages and terminals: control and direction characters are shown as escapes."""

from __future__ import annotations

import re

UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Control characters except tab and line feed, line and paragraph separators, marks of direction, lone surrogates."""
_UNSEEN = re.compile(UNSEEN)


def visible(text: str) -> str:
    r"""The text with every such character replaced by its Python escape: ``\x1b``, ``\u202e``."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)
