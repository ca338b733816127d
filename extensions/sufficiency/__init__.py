"""Do pre-trained vectors suffice for a corpus, or should one train on it?"""

from __future__ import annotations

COMMANDS = {"suffices": ("command", "do pre-trained vectors suffice for a corpus, or should one train on it?")}
