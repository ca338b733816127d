"""``manage.py serve``: the web server."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from benchmark.serve import bound, serve

RANKING = "ranking.lock"
"""File in ``VECBOARD_VAR`` that ``manage.py up`` locks while it ranks a new board; until then, requests wait."""


class Command(BaseCommand):
    """Serve the site until SIGTERM or Ctrl-C."""

    help = "Serve the site's pages and API; WEB_CONCURRENCY is the number of processes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT", help="default: %(default)s")

    def handle(self, *, bind: str, **options: Any) -> None:
        host, _, port = bind.rpartition(":")
        try:
            sock = bound(host.strip("[]"), int(port))
        except (OSError, ValueError, OverflowError) as error:
            message = f"{bind} cannot be used ({error}). Choose another address with --bind."
            raise CommandError(message, returncode=os.EX_UNAVAILABLE) from None
        application = import_module("benchmark.wsgi").application
        connections.close_all()
        with suppress(FileNotFoundError), (settings.VECBOARD_VAR / RANKING).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
        raise SystemExit(serve(application, sock, settings.WEB_CONCURRENCY))
