"""What a person tells about a file. Page and API ask through this one form."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from benchmark.submissions.models import Submission, Track
from benchmark.submissions.receiving import GZIP_MAGIC, ReceivedFile

LANGUAGES = (
    ("en", "English"), ("ar", "Arabic"), ("zh", "Chinese"), ("cs", "Czech"), ("da", "Danish"), ("nl", "Dutch"),
    ("fi", "Finnish"), ("fr", "French"), ("de", "German"), ("hi", "Hindi"), ("hu", "Hungarian"), ("it", "Italian"),
    ("ja", "Japanese"), ("ko", "Korean"), ("no", "Norwegian"), ("pl", "Polish"), ("pt", "Portuguese"),
    ("ro", "Romanian"), ("ru", "Russian"), ("es", "Spanish"), ("sv", "Swedish"), ("tr", "Turkish"), ("uk", "Ukrainian"),
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class TruthBox(forms.CheckboxInput):
    """A tick box that also understands what programs write: ``no``, ``0`` and ``off`` are not ticks."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> bool:
        return str(data.get(name, "")).strip().lower() not in {"", "0", "f", "false", "n", "no", "off"}


class SubmissionForm(forms.ModelForm):  # type: ignore[type-arg]
    """Defaults hold for whatever the API leaves out: language English, track other, not trained on the tasks' data."""

    field_order = ("file", "name", "description", "language", "track", "trained_on_task_data", "licence")

    file = forms.FileField(
        label="Vector file",
        allow_empty_file=True,
        error_messages={"required": "No file arrived; choose a gzipped vector file."},
    )
    language = forms.ChoiceField(
        choices=LANGUAGES,
        required=False,
        initial="en",
        error_messages={"invalid_choice": "The language %(value)s is not known here; write a code such as en."},
    )
    track = forms.ChoiceField(
        choices=Track.choices,
        required=False,
        initial=Track.OTHER,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": "The track is %(value)s; it must be prescribed or other."},
    )

    class Meta:
        model = Submission
        fields = ("name", "description", "language", "track", "trained_on_task_data", "licence")
        widgets = {"trained_on_task_data": TruthBox}  # noqa: RUF012 - Django's own form of declaration
        error_messages = {  # noqa: RUF012 - Django's own form of declaration
            "name": {
                "required": "The name is missing; say what these vectors are called.",
                "max_length": "The name has %(show_value)s characters; the most is %(limit_value)s.",
            },
            "description": {
                "max_length": "The description has %(show_value)s characters; the most is %(limit_value)s."
            },
            "licence": {"max_length": "The licence has %(show_value)s characters; the most is %(limit_value)s."},
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            described = [f"{name}-help"]
            if self.is_bound and name in self.errors:
                field.widget.attrs["aria-invalid"] = "true"
                described.insert(0, f"{name}-error")
            field.widget.attrs["aria-describedby"] = " ".join(described)
        self.fields["name"].widget.attrs |= {"autocomplete": "off", "placeholder": "GloVe 6B, 300 dimensions"}
        self.fields["description"].widget.attrs["rows"] = 3
        self.fields["licence"].widget.attrs["placeholder"] = "CC BY 4.0"
        self.fields["file"].widget.attrs["accept"] = ".gz,application/gzip"

    def clean_file(self) -> ReceivedFile:
        file: ReceivedFile = self.cleaned_data["file"]
        if not file.size:
            raise forms.ValidationError("The file is empty; choose a gzipped vector file.", code="empty-file")
        if file.first_bytes != GZIP_MAGIC:
            raise forms.ValidationError(
                "The file is not gzipped (it does not begin with the bytes 1F 8B); compress it with gzip first.",
                code="not-gzip",
            )
        return file

    def clean_name(self) -> str:
        return self._one_line("name")

    def clean_licence(self) -> str:
        return self._one_line("licence")

    def clean_description(self) -> str:
        return _CONTROL.sub("", self.cleaned_data["description"].replace("\r\n", "\n"))

    def clean_language(self) -> str:
        return self.cleaned_data["language"] or "en"

    def clean_track(self) -> str:
        return self.cleaned_data["track"] or Track.OTHER

    def _one_line(self, field: str) -> str:
        text = " ".join(_CONTROL.sub(" ", self.cleaned_data[field]).split())
        if field == "name" and not text:
            raise forms.ValidationError("The name is missing; say what these vectors are called.", code="required")
        return text
