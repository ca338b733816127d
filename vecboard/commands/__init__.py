"""One module per command; each registers itself and returns an exit status."""

from vecboard.commands import board, check, login, public, report, status, steer, submit

__all__ = ["board", "check", "login", "public", "report", "status", "steer", "submit"]
