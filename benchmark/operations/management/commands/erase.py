"""``manage.py erase ID``: delete an entry for good."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.operations.erasure import NotErasable, erase
from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor


class Command(BaseCommand):
    help = "Delete a submission with its rows, reports and files. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission")

    def handle(self, *args: Any, submission: str, **options: Any) -> None:
        row = Submission.objects.filter(pk=submission).first()
        if row is None:
            raise CommandError(f"There is no submission {submission!r}.")
        try:
            erase(row, Actor.OPERATOR)
        except NotErasable as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{submission} is deleted.")
