"""Deleting a study permanently. Nothing remains of its raters; of its words, only what other studies took over.

A study that asks raters to judge these lists keeps the ten words a cue that it compares, as if they had been uploaded.
How far entries are from the lists stays where it was computed, under a hash of them; the words themselves do not. Files
that others downloaded are theirs, and backups that were made before hold the study until the operator deletes them.
"""

from __future__ import annotations

from django.db import transaction

from benchmark.people.lists import human_lists
from benchmark.people.models import Source, SourceKind, Study


def erase_study(study_id: str) -> None:
    """Delete a study with all raters, answers, sources and comparisons."""
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study_id)  # nobody begins a session meanwhile
        taken_over = {"kind": SourceKind.LIST, "human": None, "words": human_lists(row)}
        Source.objects.filter(human=row).update(**taken_over)
        row.raters.all().delete()  # first: a comparison that a rater judged is protected
        row.delete()
