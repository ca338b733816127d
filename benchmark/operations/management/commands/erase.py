"""``manage.py erase ID``: delete an entry, or a study with people, for good."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.operations.erasure import NotErasable, erase
from benchmark.people.erasure import erase_study
from benchmark.people.models import Study
from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor


class Command(BaseCommand):
    help = "Delete a submission with its rows, reports and files, or a study with all answers. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id")

    def handle(self, *args: Any, id: str, **options: Any) -> None:
        row = Submission.objects.filter(pk=id).first() or Study.objects.filter(pk=id).first()
        if row is None:
            raise CommandError(f"No submission or study has the id {id!r}.")
        if isinstance(row, Study):
            return erase_study(row)
        try:
            return erase(row, Actor.OPERATOR)
        except NotErasable as error:
            raise CommandError(str(error)) from None
