"""The form of a measurement, the rights to its report, and its start."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from benchmark import storage
from benchmark.compare.entries import Marked
from benchmark.fields import one_at_a_time
from benchmark.forms import TidyForm
from benchmark.inputs import file_name, one_line
from benchmark.operations import quotas, space
from benchmark.operations.counting import Visitor, payer_with, spend
from benchmark.submissions.arriving import ReceivedFile, refusal
from benchmark.submissions.forms import LanguageField
from benchmark.templatetags.figures import size
from extensions.texts.models import Measurement
from tasks.errors import InputError
from tasks.gate import MARGIN

_SUFFIX = re.compile(r"(\.(gz|bz2|txt|jsonl|ndjson|json|csv|tsv|zip|npz|bin|vec))+$", re.IGNORECASE)
Row = TypeVar("Row", bound=Measurement)


def margin_field() -> forms.FloatField:
    """Points that a visitor can afford to lose."""
    return forms.FloatField(
        required=False,
        min_value=0.01,
        max_value=100,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": f"{MARGIN:g}"}),
        error_messages={"invalid": "Margin: write a number of points, such as 1."},
    )


class MeasurementForm(TidyForm, forms.Form):
    """A file, and columns of the row as further fields: ``COLUMNS``."""

    MODEL: ClassVar[type[Measurement]]
    COLUMNS: ClassVar[tuple[str, ...]] = ("language",)

    file = forms.FileField(
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.jsonl,.ndjson,.json,.csv,.tsv,.gz,.bz2"}),
        error_messages={"required": "No file was sent; choose one."},
    )
    title = forms.CharField(required=False, max_length=120, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    language = LanguageField(default="")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if isinstance(field, forms.CharField) and field.max_length:
                label = name.replace("_", " ").capitalize()
                field.error_messages["max_length"] = f"{label}: at most {field.max_length:,} characters."
        self.describe_fields()

    def clean_file(self) -> ReceivedFile | None:
        file: ReceivedFile | None = self.cleaned_data["file"]
        if file is None:
            return None
        if not file.size:
            raise forms.ValidationError("The file is empty; choose another.", code="empty-file")
        if file.size > (most := self.MODEL.most_bytes()):
            message = f"The file has {size(file.size)}; the limit is {size(most)}. Send a part of it."
            raise forms.ValidationError(message, code="too-large")
        return file

    def clean(self) -> dict[str, object]:
        """Blank columns get their defaults."""
        cleaned: dict[str, object] = self.cleaned_data
        for name in self.COLUMNS:
            if cleaned.get(name, ...) in ("", None):
                cleaned[name] = getattr(self.MODEL(), name)
        return cleaned

    def check_choice(self, entries: Sequence[Marked]) -> None:
        """Refuse a valid form whose file and entries together can't be measured.

        Raises
        ------
        InputError
            no entry is chosen.
        """
        if not entries:
            raise InputError("no-entry", "Choose at least one entry with vectors.", field="entries")


class TextsForm(MeasurementForm):
    """A file of texts with the names of its fields."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("text_field", "group_by", "language")

    text_field = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "text"}))
    group_by = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "speaker"}))


Form = TypeVar("Form", bound=MeasurementForm)


def read_form(form_class: type[Form], request: HttpRequest) -> Form:
    """The bound form of a request.

    Raises
    ------
    InputError
        the file was refused while it arrived, or is in a field of another name.
    """
    form = form_class(request.POST, request.FILES)
    refused = refusal(request)
    if refused is not None:
        raise refused
    if set(request.FILES) - {"file"} or len(request.FILES.getlist("file")) > 1:
        raise InputError("too-many-files", "Send one file, in the field file.", field="file")
    return form


def start(
    model: type[Row], form: MeasurementForm, entries: Sequence[Marked], most: int, user: Visitor
) -> tuple[Row, str]:
    """Store the file of a valid form, if it has one, and queue the measurement.

    Returns it with the owner's secret, which is shown once and stored only as a hash.

    Raises
    ------
    InputError
        no entry or too many are chosen, or one can't be used; or the sender's limit is reached.
    """
    form.check_choice(entries)
    if len(entries) > most:
        raise InputError("too-many-entries", f"Choose at most {most}.", field="entries")
    for entry in entries:
        if not model.can_measure(user.pk if user is not None else None, entry.submission):
            raise InputError("private-entry", f"“{entry.name}” {model.NOT_FOR_ALL}", field="entries")
        if not entry.submission.has_vectors:
            message = f"The vectors of “{entry.name}” are not on this site. Choose another entry."
            raise InputError("no-vectors", message, field="entries")
    payer, file = payer_with(user), form.cleaned_data["file"]
    name = file_name(file.name).replace("/", "_").lstrip(".") or "file" if file else ""
    titles = (form.cleaned_data["title"], one_line(_SUFFIX.sub("", name)), *(entry.name for entry in entries), "Texts")
    row = model(
        title=next(filter(None, titles))[:120],
        entries=[entry.submission.pk for entry in entries],
        payer=payer,
        file_name=name,
        file_bytes=file.size if file else 0,
        **{column: form.cleaned_data[column] for column in form.COLUMNS},
    )
    token, row.is_owner = row.give_to(user), True
    row.file_key = f"{model.FOLDER}/{row.pk[:2]}/{row.pk}"
    if file:
        storage.publish(file.path, row.file_key)
    try:
        with one_at_a_time(quotas.lock_of(payer)):
            quotas.authorize_texts(payer)  # again, under the lock: simultaneous requests count each other
            row.save(force_insert=True)
            model.enqueue(row.pk)
    except BaseException as error:
        storage.delete(row.file_key)
        if isinstance(error, Exception) and space.is_full(error):
            raise space.full() from None
        raise
    spend(quotas.texts_a_day(), payer)
    return row, token


def find(model: type[Row], pk: str, token: str, user: Visitor, *, for_owner: bool = False) -> Row:
    """A measurement with the rights of this secret or this account, which are its ``is_owner``.

    Raises
    ------
    Http404
        there is none, or it belongs to someone else and is private, or ``for_owner``.
    """
    row = model._default_manager.filter(pk=pk).first()
    if row is not None:
        row.is_owner = row.is_owned_by(user, token)
    if row is None or ((model.IS_PRIVATE or for_owner) and not row.is_owner):
        raise Http404("There is no such report.")
    return row


def own_rows(model: type[Row], request: HttpRequest) -> QuerySet[Row]:
    """The measurements of this account or with their secret in this browser, newest first, without their reports."""
    return model._default_manager.filter(model.of_visitor(request)).defer("report").order_by("-created_at")
