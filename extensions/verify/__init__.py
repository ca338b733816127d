"""A report in a bundle with everything that checks it, and the check of such a bundle."""

from __future__ import annotations

COMMANDS = {
    "bundle": ("command_bundle", "write a report in a bundle with everything that checks it"),
    "verify": ("command", "is a bundle with a report and its outcomes what was measured?"),
}
