"""Pages and API of vectors measured on a visitor's own labelled texts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest

from benchmark.templatetags.figures import csv_lines
from extensions.own.measure.report import csv_rows
from extensions.own.models import OwnTexts
from extensions.own.page import OwnPage
from extensions.texts.forms import TextsForm
from extensions.texts.pages import TextsPages
from tasks.gate import MARGIN

MOST_SHOWN = 50
"""Texts on the page, of those on which the sets differ most."""


class OwnForm(TextsForm):
    """Labelled texts with the names of their fields, or an archive of queries, texts and judgements."""

    MODEL = OwnTexts
    COLUMNS = (*TextsForm.COLUMNS, "label_field", "split_field", "margin")

    label_field = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "label"}))
    group_by = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "author"}))
    split_field = forms.CharField(required=False, max_length=60)
    margin = forms.FloatField(
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": f"{MARGIN:g}"}),
        error_messages={"invalid": "Margin: write a number of points, such as 1."},
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] += ",.zip"

    def clean_label_field(self) -> str:
        return self.cleaned_data["label_field"] or "label"

    def clean_margin(self) -> float:
        margin: float | None = self.cleaned_data["margin"]
        if margin is not None and not (math.isfinite(margin) and 0 < margin <= 100):
            message = f"The margin must be more than 0 and at most 100 points, such as {MARGIN:g}."
            raise forms.ValidationError(message, code="margin")
        return MARGIN if margin is None else margin


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

    def file(self, row: OwnTexts, extension: str) -> str:
        """The report as JSON, or the texts on which sets differ as CSV."""
        stored = row.differing
        if row.report is None or (extension == "csv" and stored is None):
            raise Http404("The report isn’t finished, or its texts are deleted.")
        if extension == "json":
            return json.dumps({"report": row.report, "differing": stored}, indent=1)
        assert stored is not None
        return "".join(csv_lines(csv_rows(stored)))


app_name = "own"
urlpatterns = OwnPages().urls()
