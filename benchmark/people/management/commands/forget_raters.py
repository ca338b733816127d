"""Run daily: forgets the raters of studies that were closed long enough ago."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from benchmark.people.retention import due, forget


class Command(BaseCommand):
    help = "Forget the raters of closed studies whose retention time is over; the answers that count stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *args: Any, **options: Any) -> None:
        studies = due()
        for study in studies:
            if options["dry_run"]:
                self.stdout.write(f"{study}: {study.raters.count()} raters would be forgotten.")
            else:
                self.stdout.write(f"{study}: {forget(study)} raters are forgotten.")
        if not studies:
            self.stdout.write("No study's retention time is over.")
