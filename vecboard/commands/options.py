"""Options shared by several commands."""

from __future__ import annotations

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a module adds its command to."""


def add_waiting(parser: argparse.ArgumentParser) -> None:
    """What a command prints once a site has accepted a submission."""
    parser.add_argument("--wait", action="store_true", help="wait for the report and print it")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="limit of --wait (default: none)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of sentences")


def add_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", default="", metavar="URL", help="default: VECBOARD_URL, else this machine")
