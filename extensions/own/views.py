"""Pages and API of vectors measured on a visitor's own labelled texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest

from extensions.own.measure.report import csv_rows
from extensions.own.models import OwnTexts
from extensions.own.page import OwnPage
from extensions.texts.forms import TextsForm, margin_field
from extensions.texts.pages import TextsPages

MOST_SHOWN = 50
"""Texts on the page, of those on which the sets differ most."""


class OwnForm(TextsForm):
    """Labelled texts with the names of their fields, or an archive of queries, texts and judgements."""

    MODEL = OwnTexts
    COLUMNS = (*TextsForm.COLUMNS, "label_field", "split_field", "margin")

    label_field = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "label"}))
    group_by = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "author"}))
    split_field = forms.CharField(required=False, max_length=60)
    margin = margin_field()

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] += ",.zip"


class OwnPages(TextsPages[OwnTexts]):
    """``/find/own``."""

    model, form = OwnTexts, OwnForm
    app, address, noun, most = "own", "own", "file", 5
    command = "python -m tasks own DATA glove.txt.gz"
    stays = "The texts that the report quotes are deleted with it. The figures stay, for you alone."

    def form_context(self) -> Mapping[str, object]:
        return {"most_texts": settings.VECBOARD_MAX_OWN_TEXTS}

    def report_context(self, row: OwnTexts, request: HttpRequest) -> Mapping[str, object]:
        contents = row.contents
        return {"page": OwnPage(contents) if contents else None, "differing": row.differing, "most_shown": MOST_SHOWN}

    def written(self, row: OwnTexts) -> dict[str, object]:
        return {
            "report": row.report,
            "differing": row.differing,
            "texts_deleted_on": row.deleted_on.isoformat() if row.deleted_on else None,
        }

    def as_json(self, row: OwnTexts) -> object:
        return {"report": row.report, "differing": row.differing}

    def as_rows(self, row: OwnTexts) -> Iterable[Sequence[object]]:
        """The texts on which sets differ."""
        if (stored := row.differing) is None:
            raise Http404("The texts are deleted.")
        return csv_rows(stored)


app_name = "own"
urlpatterns = OwnPages().urls()
