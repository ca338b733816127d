"""Which words go together in texts: association tests, axes, and contexts of groups."""

from __future__ import annotations

COMMANDS = {
    "associate": ("command", "association tests: WEAT's ten, or your own word lists"),
    "contexts": ("command_groups", "do groups of a corpus use a word differently?"),
    "subgroups": ("command_groups", "compare groups of speakers of one corpus"),
}
