"""``manage.py restore BACKUP``: fill an empty, migrated database and the storage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.operations.backups import Unusable, backups_in, restore


class Command(BaseCommand):
    help = "Restore a backup into an empty, migrated database and the storage. FOLDER/TIME, or FOLDER for the latest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", type=Path)

    def handle(self, *args: Any, backup: Path, **options: Any) -> None:
        chosen = next(backups_in(backup), backup)
        try:
            restore(chosen, self.stdout.write)
        except Unusable as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{chosen} is restored. Start workers and beat: open work resumes by itself.")
