"""The submission form, shared by page and API."""

from __future__ import annotations

from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.http import HttpRequest
from django.utils import timezone

from benchmark.forms import TidyForm
from benchmark.inputs import one_line
from benchmark.operations.counting import Visitor
from benchmark.submissions import fetching
from benchmark.submissions.arriving import ReceivedFile, check_announced, refusal
from benchmark.submissions.models import PartialFile, Submission, Track, Visibility
from tasks.errors import InputError
from tasks.languages import ENGLISH, LANGUAGES, language_name

LANGUAGE_CHOICES = sorted(LANGUAGES.items(), key=itemgetter(1))
_CODES = {name.casefold(): code for code, name in LANGUAGES.items()}


class LanguageInput(forms.TextInput):
    """A text input with the language's name, completed from a list on the page."""

    def format_value(self, value: Any) -> str | None:
        return language_name(value) if value else None


class LanguageField(forms.ChoiceField):
    """A language by its code or its English name; if none is given and it isn't required, the default."""

    def __init__(self, *, required: bool = False, default: str = ENGLISH) -> None:
        self.default = default
        placeholder = LANGUAGES.get(default, "found from the texts")
        offered = {"list": "languages", "autocomplete": "off", "placeholder": placeholder}
        super().__init__(
            choices=LANGUAGE_CHOICES,
            required=required,
            widget=LanguageInput(attrs=offered),
            error_messages={
                "invalid_choice": "Unknown language %(value)s; enter a name or a code, such as German or de.",
                "required": "The language is missing; enter a name or a code, such as German or de.",
            },
        )

    def clean(self, value: Any) -> str:
        return str(super().clean(value)) or self.default

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).strip()
        return _CODES.get(text.casefold(), text.lower())


def language_of(text: str) -> str:
    """The code of a language given by its code or its English name.

    Raises
    ------
    InputError
        the language is unknown.
    """
    try:
        return LanguageField(required=True).clean(text[:80])
    except forms.ValidationError as error:
        raise InputError("no-language", error.messages[0], field="language") from None


class TruthBox(forms.CheckboxInput):
    """A check box for programs too: ``no``, ``0`` and ``off`` mean unchecked."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> bool:
        return str(data.get(name, "")).strip().lower() not in {"", "0", "f", "false", "n", "no", "off"}


ABOUT = ("name", "description", "authors", "track", "trained_on_task_data", "licence")
CRITERIA = (
    "corpus", "algorithm", "window", "iterations", "loss", "training_minutes", "tokens", "technical_notes",
)  # fmt: skip
SHARING = ("visibility", "public_from", "offers_download")
LONGEST_EMBARGO = timedelta(days=5 * 366)
LABELS = {
    "description": "Description", "authors": "Authors of the vectors",
    "licence": "Licence of the vectors", "corpus": "Training corpus",
    "algorithm": "Algorithm", "window": "Window", "iterations": "Iterations", "loss": "Loss at convergence",
    "training_minutes": "Training minutes", "tokens": "Tokens", "technical_notes": "Technical notes",
    "member": "File in the archive",
}  # fmt: skip


class DetailsForm(TidyForm, forms.ModelForm):  # type: ignore[type-arg]
    """Details that can be edited later: everything except the file and the language, which the scores depend on."""

    track = forms.ChoiceField(
        choices=Track.choices,
        required=False,
        initial=Track.OTHER,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": "The track is %(value)s; it must be prescribed or other."},
    )
    visibility = forms.ChoiceField(
        choices=Visibility.choices,
        required=False,
        initial=Visibility.PUBLIC,
        widget=forms.RadioSelect,
        error_messages={
            "invalid_choice": "The visibility is %(value)s; it must be public, unlisted, private or anonymous."
        },
    )

    public_from = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"invalid": "Public from: write a date, such as 2027-03-01, or a time with its offset."},
    )

    class Meta:
        model = Submission
        fields: tuple[str, ...] = ABOUT + CRITERIA + SHARING
        widgets = {"trained_on_task_data": TruthBox, "offers_download": TruthBox}  # noqa: RUF012
        labels = LABELS
        error_messages = {  # noqa: RUF012 - Django's own form of declaration
            "name": {"required": "The name is missing; enter a name for these vectors."},
        }

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            self._word_errors(name, field)
        self.fields["training_minutes"].validators.append(MinValueValidator(0, "Training minutes: the minimum is 0."))
        self.describe_fields()
        self.fields["name"].widget.attrs |= {"autocomplete": "off", "placeholder": "GloVe 6B, 300 dimensions"}
        for name in ("description", "technical_notes"):
            self.fields[name].widget.attrs["rows"] = 3
        for name, example in {
            "licence": "CC BY 4.0",
            "corpus": "English Wikipedia, 2024",
            "algorithm": "GloVe",
        }.items():
            self.fields[name].widget.attrs["placeholder"] = example

    def _word_errors(self, name: str, field: forms.Field) -> None:
        label = LABELS.get(name, name.capitalize())
        if isinstance(field, forms.CharField):
            for validator in field.validators:
                if isinstance(validator, MaxLengthValidator):
                    validator.message = f"{label}: it has %(show_value)s characters; the limit is %(limit_value)s."
        elif isinstance(field, forms.FloatField):
            field.error_messages["invalid"] = f"{label}: write a number, such as 0.05."
        elif isinstance(field, forms.IntegerField):
            field.error_messages["invalid"] = f"{label}: write a whole number, such as 10."
            column = Submission._meta.get_field(name)
            assert isinstance(column, models.Field)
            for lowest in field.validators:
                if isinstance(lowest, MinValueValidator):
                    lowest.message = f"{label}: the minimum is {lowest.limit_value}."
            for bound in column.validators:
                if isinstance(bound, MaxValueValidator):
                    message = f"{label}: the maximum is {bound.limit_value:,}."
                    others = [other for other in field.validators if not isinstance(other, MaxValueValidator)]
                    field.validators = [*others, MaxValueValidator(bound.limit_value, message)]

    def clean_track(self) -> str:
        return self.cleaned_data["track"] or Track.OTHER

    def clean_visibility(self) -> str:
        return self.cleaned_data["visibility"] or Visibility.PUBLIC

    def clean_public_from(self) -> datetime | None:
        """The end of an embargo, rounded up to a minute, because forms show no seconds."""
        end: datetime | None = self.cleaned_data["public_from"]
        if end is None:
            return None
        now = timezone.now()
        if not now < end < now + LONGEST_EMBARGO:
            message = "Public from: the date must lie in the future, within five years."
            raise forms.ValidationError(message, code="out-of-range")
        return end if end == (whole := end.replace(second=0, microsecond=0)) else whole + timedelta(minutes=1)

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("public_from") and cleaned.get("visibility") == Visibility.PUBLIC:
            message = "Public from: choose what the entry is until that date; public entries have none."
            self.add_error("public_from", forms.ValidationError(message, code="invalid"))
        if cleaned.get("offers_download") and "licence" in cleaned and not cleaned["licence"]:
            self.add_error(
                "licence",
                forms.ValidationError("Enter the licence under which the vectors are offered.", code="required"),
            )
        return cleaned


class SubmissionForm(DetailsForm):
    """A new submission. Defaults: English, other track, public, not trained on task data.

    ``member`` is the file to read in a zip archive.
    """

    language = LanguageField()

    class Meta(DetailsForm.Meta):
        fields = (*ABOUT, "language", "member", *CRITERIA, *SHARING)


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file, or the runs of one setting."""

    def clean(self, data: object, initial: object = None) -> list[ReceivedFile]:
        if not data and not self.required:
            return []
        sent = data if isinstance(data, (list, tuple)) else [data]
        files: list[ReceivedFile] = [super(FilesField, self).clean(file, initial) for file in sent or [None]]
        try:
            check_announced([PartialFile(name=file.name or "", bytes=file.size or 0) for file in files])
        except InputError as error:
            raise forms.ValidationError(error.message, code=error.code) from None
        return files


class UploadForm(SubmissionForm):
    """A new submission with its files, as one multipart form.

    If the operator lists hosts, ``url`` may name a file on one of them instead.
    """

    field_order = ("file", "url")

    file = FilesField(
        label="Vector file",
        widget=FilesInput(attrs={"multiple": True}),
        allow_empty_file=True,
        error_messages={"required": "No file was sent; choose a vector file."},
    )
    url = forms.CharField(
        required=False,
        max_length=fetching.LONGEST_URL,
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
        error_messages={"max_length": f"The URL is longer than {fetching.LONGEST_URL} characters."},
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        if not fetching.is_offered() and not self._names_url:
            del self.fields["url"]

    @property
    def _names_url(self) -> bool:
        return bool(one_line(self.data.get("url", "")))

    def full_clean(self) -> None:
        """Validate; the file is optional with a URL."""
        self.fields["file"].required = not self._names_url
        super().full_clean()

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if not url:
            return ""
        if self.files:
            raise forms.ValidationError("Send a file or a URL, not both.", code="file-and-url")
        try:
            return fetching.web_file(url).url
        except InputError as error:
            raise forms.ValidationError(error.message, code=error.code) from None


def may_submit(user: Visitor) -> bool:
    """Whether this visitor may upload: with an account, or without one if the operator allows it."""
    return bool(user is not None and user.is_authenticated) or settings.VECBOARD_ANONYMOUS_UPLOADS


def read_form(request: HttpRequest) -> UploadForm:
    """The bound form of a request, with its files.

    Raises
    ------
    InputError
        a file was refused while it arrived, or is in a field of another name.
    """
    form = UploadForm(request.POST, request.FILES)
    refused = refusal(request)
    if refused is not None:
        raise refused
    if set(request.FILES) - {"file"}:
        raise InputError(
            "unknown-field",
            "A file was sent in a field other than file; send all files in the field file.",
            field="file",
        )
    return form


CODES_OF_ERRORS = {
    "required": "missing", "max_length": "too-long", "invalid_choice": "unknown-choice", "invalid": "invalid",
    "min_value": "out-of-range", "max_value": "out-of-range",
}  # fmt: skip


def first_error(form: forms.BaseForm) -> InputError:
    """The form's first problem, as the API's error object."""
    field, errors = next(iter(form.errors.as_data().items()))
    error = errors[0]
    if field == "file" and error.code == "required":
        return InputError("no-file", error.messages[0], field=field)
    code = error.code or "invalid"
    return InputError(CODES_OF_ERRORS.get(code, code), error.messages[0], field=field)
