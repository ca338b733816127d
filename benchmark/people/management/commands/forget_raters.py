"""Forget raters of studies past their retention time, as the scheduler does daily."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from benchmark.people.retention import due, forget_due


class Command(BaseCommand):
    help = "Forget the raters of studies whose retention time is over; the answers that count stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *args: object, **options: object) -> None:
        if options["dry_run"]:
            lines = [f"{study}: {study.known_raters().count()} raters would be forgotten." for study in due()]
        else:
            lines = [f"{study}: {raters} raters are forgotten." for study, raters in forget_due().items()]
        self.stdout.write("\n".join(lines or ["No study's retention time is over."]))
