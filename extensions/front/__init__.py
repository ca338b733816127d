"""How small may vectors become? Smaller variants of a file, and the smallest one that is not inferior."""

from __future__ import annotations

COMMANDS = {"front": ("command", "how small may vectors become without being worse?")}
