"""``manage.py rebuild_vectors``: rebuild the vectors of shipped entries, in the background."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.data import current_suite
from benchmark.shipped.vectors import request, without_file
from tasks.suites import SUITES


class Command(BaseCommand):
    help = (
        "Let workers make the vectors of shipped entries again: trained on the prescribed corpus, or fetched from "
        "their published source."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("entries", nargs="*", metavar="ID", help="entries of the board (default: all without file)")
        parser.add_argument("--suite", choices=sorted(SUITES), help="default: the site's suite")

    def handle(self, *args: object, entries: list[str], suite: str | None = None, **options: object) -> None:
        chosen = SUITES[suite] if suite else current_suite()
        by_id = {entry.pk: entry for entry in without_file(chosen)}
        unknown = [pk for pk in entries if pk not in by_id]
        if unknown:
            raise CommandError(f"Not a shipped entry without vectors: {', '.join(unknown)}.")
        for pk in entries or by_id:
            request(by_id[pk])
            self.stdout.write(f"{pk}  {by_id[pk].name}: requested")
        self.stdout.write(f"{len(entries or by_id)} entries; workers rebuild their vectors after all new work.")
