"""Pages and API of the search for smaller vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import forms
from django.http import HttpRequest

from benchmark.compare.entries import Marked
from benchmark.submissions.forms import LanguageField
from extensions.front.measure.chart import chart_of
from extensions.front.measure.report import REPORT, chosen_of, rows_of
from extensions.front.models import SmallerVectors
from extensions.texts.forms import MeasurementForm, margin_field
from extensions.texts.pages import TextsPages
from tasks.errors import InputError

LEAST_MEGABYTES, MOST_MEGABYTES = 0.01, 500.0


class FrontForm(MeasurementForm):
    """A budget; the vectors are an entry or a file."""

    MODEL = SmallerVectors
    COLUMNS = (*MeasurementForm.COLUMNS, "budget", "margin")

    file = forms.FileField(required=False, allow_empty_file=True, widget=forms.FileInput())
    budget = forms.FloatField(
        min_value=LEAST_MEGABYTES,
        max_value=MOST_MEGABYTES,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": "5"}),
        error_messages=dict.fromkeys(("required", "invalid"), "Budget: write a number of megabytes, such as 5."),
    )
    margin = margin_field()
    language = LanguageField()

    def check_choice(self, entries: Sequence[Marked]) -> None:
        if bool(entries) == bool(self.cleaned_data["file"]):
            what = "not both" if entries else "one of them"
            raise InputError("no-vectors", f"Tick vectors above or choose a file, {what}.", field="file")


class FrontPages(TextsPages[SmallerVectors]):
    """``/find/front``."""

    model, form = SmallerVectors, FrontForm
    app, address, noun, most, least = "front", "front", "file", 1, 0
    command = "python -m tasks front glove.txt.gz --budget 5MB --probes-only --write small.npz"
    language_help = "Of a file: its name or ISO 639-1 code; English by default."

    def report_context(self, row: SmallerVectors, request: HttpRequest) -> Mapping[str, object]:
        if (report := row.contents) is None:
            return {"page": None}
        answer = report["sentence"].replace("'", "’")
        page = {"report": report, "answer": answer, "chart": chart_of(report), "chosen": chosen_of(report)}
        return {"page": page, "rows": rows_of(report)}

    def as_rows(self, row: SmallerVectors) -> list[list[str]]:
        """The variants."""
        return rows_of(REPORT.validate_python(row.report))


app_name = "front"
urlpatterns = FrontPages().urls()
