"""Which vectors serve one's own data: labelled texts, or queries with texts to find (docs/protocol.md §8.10)?"""

from __future__ import annotations

COMMANDS = {"own": ("command", "which vectors serve your own labelled texts, or your own search?")}
