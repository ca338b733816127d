"""Are a dictionary's translations nearest neighbours after alignment?"""

from __future__ import annotations

COMMANDS = {"translate": ("command", "are a dictionary's translations nearest neighbours after alignment?")}
