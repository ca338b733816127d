"""Pages and API of reports on whether pre-trained vectors suffice for a corpus."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms
from django.conf import settings
from django.http import HttpRequest

from benchmark.submissions.forms import TruthBox
from extensions.shared.measure.cues import parse_cues
from extensions.sufficiency.measure.report import REPORT
from extensions.sufficiency.models import CorpusReport
from extensions.sufficiency.page import SufficiencyPage, cue_rows
from extensions.texts.forms import TextsForm
from extensions.texts.pages import TextsPages
from tasks.errors import InputError

MOST_CUES = 100


class CorpusForm(TextsForm):
    """A corpus with the names of its fields, and the owner's cues."""

    MODEL = CorpusReport
    COLUMNS = (*TextsForm.COLUMNS, "cues", "keeps_corpus")

    cues = forms.CharField(
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "data-words": "cue"}),
    )
    keeps_corpus = forms.BooleanField(required=False, widget=TruthBox)

    def clean_cues(self) -> list[str]:
        typed: str = self.cleaned_data["cues"]
        if not typed:
            return []
        try:
            cues = parse_cues(typed)
        except InputError as error:
            raise forms.ValidationError(error.message, code=error.code) from None
        if len(cues) > MOST_CUES:
            message = f"The list has {len(cues)} cues; the limit is {MOST_CUES}."
            raise forms.ValidationError(message, code="too-many-cues")
        return cues


class CorpusPages(TextsPages[CorpusReport]):
    """``/find/suffices``."""

    model, form = CorpusReport, CorpusForm
    app, address, noun, most = "sufficiency", "suffices", "corpus", 3
    command = "python -m tasks suffices CORPUS --pretrained glove.txt.gz"

    def form_context(self) -> Mapping[str, object]:
        return {"most_words": settings.VECBOARD_MAX_CORPUS_WORDS}

    def sent_before(self, row: CorpusReport) -> dict[str, object]:
        return super().sent_before(row) | {"cues": ", ".join(row.cues)}

    def report_context(self, row: CorpusReport, request: HttpRequest) -> Mapping[str, object]:
        report = row.contents
        return {"page": SufficiencyPage(report) if report else None, "not_found": not_found(row)}

    def as_rows(self, row: CorpusReport) -> list[list[object]]:
        """The cues."""
        return cue_rows(REPORT.validate_python(row.report))


def not_found(row: CorpusReport) -> list[str]:
    """The owner's cues that a finished report lacks, because they don't occur in the corpus."""
    counted = {cue["cue"].casefold() for cue in report["cues"]} if (report := row.contents) else None
    return [] if counted is None else [cue for cue in row.cues if cue.casefold() not in counted]


app_name = "sufficiency"
urlpatterns = CorpusPages().urls()
