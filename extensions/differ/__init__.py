"""Where do two entries differ? The examples that one gets right and the other doesn't."""

from __future__ import annotations

COMMANDS = {
    "differ": ("command", "where do two reports differ? the examples that one gets right and the other doesn't"),
}
