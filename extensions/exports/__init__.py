"""Reports in the forms of others: model hubs, MTEB, Every Eval Ever."""

from __future__ import annotations

COMMANDS = {"export": ("command", "write a report as model hubs, MTEB or Every Eval Ever read it")}
