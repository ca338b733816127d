"""``manage.py load_board``: put the reports that ship with the program, or those of another dump, on the board."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.data import current_suite
from benchmark.leaderboard.jobs import rank_board
from benchmark.shipped.dump import OtherVersion, dump_path
from benchmark.shipped.load import lay_out, load
from benchmark.shipped.recipes import shipped_vectors
from tasks.suites import SUITES


class Command(BaseCommand):
    help = "Put the reports of a dump on the board. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--suite", choices=sorted(SUITES), help="default: the site's suite")
        parser.add_argument("--file", type=Path, help="default: what is shipped with the repository")

        parser.add_argument("--without-ranks", action="store_true", help="leave the ranks to a worker")

    def handle(
        self,
        *args: object,
        suite: str | None = None,
        file: Path | None = None,
        without_ranks: bool = False,
        **options: object,
    ) -> None:
        chosen = SUITES[suite] if suite else current_suite()
        path = file or dump_path(chosen, settings.SHIPPED_ROOT)
        if not path.is_file():
            self.stdout.write(f"No entries are shipped for {chosen.id} version {chosen.version}.")
            return
        try:
            count = load(chosen, path)
        except OtherVersion as error:
            raise CommandError(str(error)) from None
        for vectors in shipped_vectors(chosen).values():
            if vectors.excerpt is not None:
                lay_out(vectors.excerpt)
        if not without_ranks:
            rank_board(f"{chosen.id}/{chosen.version}")
        self.stdout.write(f"{count} entries of {chosen.id} version {chosen.version} were added to the board.")
