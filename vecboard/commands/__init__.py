"""One module per command; each registers itself and returns an exit status."""

from vecboard.commands import board, check, login, report, status, submit

__all__ = ["board", "check", "login", "report", "status", "submit"]
