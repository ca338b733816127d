"""Is a finding from vectors stable? One claim over samples of documents, windows, dimensions, starts and word lists."""

from __future__ import annotations

COMMANDS = {"claim": ("command", "is a finding stable over documents, windows, dimensions and word lists?")}
