"""``manage.py storage``: space by kind of file, and files to delete."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmark.operations import retention, space
from benchmark.templatetags.figures import size


class Command(BaseCommand):
    help = "Show the space that each kind of file uses and the files to delete; --apply deletes them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--apply", action="store_true", help="delete the files counted in the last columns")

    def handle(self, *args: Any, apply: bool, **options: Any) -> None:
        row = "{:<10} {:>8} {:>12} {:>8} {:>12}".format
        self.stdout.write(row("kind", "files", "size", "delete", "size"))
        for use in retention.usage():
            self.stdout.write(row(use.kind, use.files, size(use.bytes), len(use.deletable), size(use.deletable_bytes)))
        self.stdout.write(f"Free where uploads arrive: {size(space.free_bytes())}.")
        if apply:
            self.stdout.write(f"Deleted {size(retention.apply(orphans=True))}.")
