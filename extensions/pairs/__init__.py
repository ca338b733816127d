"""Do two sets of vectors rank words alike, and which words moved?"""

from __future__ import annotations

COMMANDS = {
    "compare": ("command", "compare two vector files by the neighbours of words"),
    "drift": ("command_drift", "which words changed between two corpora or periods?"),
}
