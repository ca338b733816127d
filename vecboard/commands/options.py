"""Options shared by several commands."""

from __future__ import annotations

import argparse

from vecboard.client import Client


def add_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", default="", metavar="URL", help="default: VECBOARD_URL, else this machine")


def client_for(arguments: argparse.Namespace) -> Client:
    return Client(arguments.server)
