"""Which words go together in texts: association tests, axes, contexts of groups, and words that changed."""

from __future__ import annotations

COMMANDS = {
    "associate": ("command", "association tests: WEAT's ten, or your own word lists"),
    "contexts": ("command_groups", "do groups of a corpus use a word differently?"),
    "drift": ("command", "which words changed between two corpora or periods?"),
    "subgroups": ("command_groups", "compare groups of speakers of one corpus"),
}
