"""Untrusted text on pages and in terminals: control and direction characters become escapes; blank text is found."""

from __future__ import annotations

import re

UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Control characters except tab and line feed, line and paragraph separators, marks of direction, lone surrogates."""
_UNSEEN = re.compile(UNSEEN)
_BLANK = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff"
    # Default_Ignorable_Code_Point of Unicode 16 (DerivedCoreProperties.txt): soft hyphen, joiners, marks of direction,
    # Hangul fillers, variation selectors, tags
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # characters that are drawn as a gap, or only arrange others: annotation anchors, the empty Braille pattern,
    # Egyptian joiners and blanks, the Khitan filler, the null note head
    "\ufff9-\ufffb\u2800\U00013430-\U00013442\U00016fe4\U0001d159]*"
)


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen."""
    return _BLANK.fullmatch(text) is not None


def visible(text: str) -> str:
    r"""The text with every such character replaced by its Python escape: ``\x1b``, ``\u202e``."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)
