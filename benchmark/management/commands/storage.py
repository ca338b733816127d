"""``manage.py storage``: space by kind of file, and everything that the next cleanup deletes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmark.features import features
from benchmark.operations import retention, space
from benchmark.templatetags.figures import size


class Command(BaseCommand):
    help = (
        "Show the space that each kind of file uses, the files to delete and other expired data; --apply deletes them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--apply", action="store_true", help="run the daily cleanup now, and delete every file that has no row"
        )

    def handle(self, *args: Any, apply: bool, **options: Any) -> None:
        row = "{:<10} {:>8} {:>12} {:>8} {:>12}".format
        self.stdout.write(row("kind", "files", "size", "delete", "size"))
        for use in retention.usage():
            self.stdout.write(row(use.kind, use.files, size(use.bytes), len(use.deletable), size(use.deletable_bytes)))
        self.stdout.write(f"Free where uploads arrive: {size(space.free_bytes())}.")
        for feature in features():
            self.stdout.writelines(f"{sentence}\n" for sentence in feature.due())
        if apply:
            freed = retention.apply(orphans=True)
            for feature in features():
                feature.tidy()
            self.stdout.write(f"Deleted {size(freed)}.")
