"""Is a bundle with a report and its outcomes what was measured?"""

from __future__ import annotations

COMMANDS = {"verify": ("command", "is a bundle with a report and its outcomes what was measured?")}
