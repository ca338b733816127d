"""``manage.py backup FOLDER``: rows and files, from a running site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmark.operations.backups import back_up


class Command(BaseCommand):
    help = "Copy everything that cannot be recreated to a folder: rows from one snapshot, and files that are new."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        target = back_up(folder, self.stdout.write)
        self.stdout.write(f"The backup is {target}.")
