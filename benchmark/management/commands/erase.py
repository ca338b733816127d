"""``manage.py erase ID``: permanently delete an entry, or an object that a feature owns."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.features import belongings
from benchmark.operations.retention import NotErasable, erase
from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor


class Command(BaseCommand):
    help = "Delete a submission with its rows, reports and files, or a study with all answers. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id")

    def handle(self, *args: Any, id: str, **options: Any) -> None:
        submission = Submission.objects.filter(pk=id).first()
        if submission is not None:
            try:
                return erase(submission, Actor.OPERATOR)
            except NotErasable as error:
                raise CommandError(str(error)) from None
        for kind in belongings():
            if kind.rows.filter(pk=id).exists():
                return kind.erase(id)
        raise CommandError(f"No submission or study has the id {id!r}.")
