"""The form of a corpus, the rights to its report, and the start of its measurement."""

from __future__ import annotations

import re
from typing import NamedTuple

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest

from benchmark import storage
from benchmark.compare.entries import Marked
from benchmark.fields import new_token, one_at_a_time, token_hash
from benchmark.forms import TidyForm
from benchmark.inputs import file_name, one_line
from benchmark.operations import quotas, space
from benchmark.operations.counting import Visitor, payer_with, spend
from benchmark.submissions.arriving import ReceivedFile, refusal
from benchmark.submissions.forms import LANGUAGE_CHOICES, UNKNOWN_LANGUAGE, LanguageField, LanguageInput, TruthBox
from benchmark.sufficiency.models import FOLDER, CorpusReport, can_be_measured, enqueue
from benchmark.templatetags.figures import size
from tasks.errors import InputError
from tasks.languages import ENGLISH, LANGUAGES
from tasks.political.cues import parse_cues

MOST_ENTRIES = 3
MOST_CUES = 100
_SUFFIX = re.compile(r"(\.(gz|bz2|txt|jsonl|ndjson|json|csv|tsv))+$", re.IGNORECASE)


class CorpusForm(TidyForm, forms.Form):
    """A corpus with the names of its fields, and the owner's cues."""

    file = forms.FileField(
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.jsonl,.ndjson,.json,.csv,.tsv,.gz,.bz2"}),
        error_messages={"required": "No file was sent; choose the corpus."},
    )
    title = forms.CharField(required=False, max_length=120, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    text_field = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "text"}))
    group_by = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "speaker"}))
    language = LanguageField(
        choices=LANGUAGE_CHOICES,
        required=False,
        widget=LanguageInput(attrs={"list": "languages", "autocomplete": "off", "placeholder": LANGUAGES[ENGLISH]}),
        error_messages=UNKNOWN_LANGUAGE,
    )
    cues = forms.CharField(
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "data-words": "cue"}),
    )
    keeps_corpus = forms.BooleanField(required=False, widget=TruthBox)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if isinstance(field, forms.CharField) and field.max_length:
                label = name.replace("_", " ").capitalize()
                field.error_messages["max_length"] = f"{label}: at most {field.max_length:,} characters."
        self.describe_fields()

    def clean_file(self) -> ReceivedFile:
        file: ReceivedFile = self.cleaned_data["file"]
        if not file.size:
            raise forms.ValidationError("The file is empty; choose the corpus.", code="empty-file")
        if file.size > (most := settings.VECBOARD_MAX_CORPUS_BYTES):
            message = f"The corpus has {size(file.size)}; the limit is {size(most)}. Send a part of it."
            raise forms.ValidationError(message, code="too-large")
        return file

    def clean_text_field(self) -> str:
        return self.cleaned_data["text_field"] or "text"

    def clean_language(self) -> str:
        return self.cleaned_data["language"] or ENGLISH

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


def read_corpus_form(request: HttpRequest) -> CorpusForm:
    """The bound form of a request.

    Raises
    ------
    InputError
        the file was refused while it arrived, or is in a field of another name.
    """
    form = CorpusForm(request.POST, request.FILES)
    refused = refusal(request)
    if refused is not None:
        raise refused
    if set(request.FILES) - {"file"} or len(request.FILES.getlist("file")) > 1:
        raise InputError("too-many-files", "Send one file, in the field file.", field="file")
    return form


class BegunReport(NamedTuple):
    """A new report; ``token`` is the owner's secret, shown once and stored only as a hash."""

    report: CorpusReport
    token: str


def start(form: CorpusForm, entries: list[Marked], user: Visitor) -> BegunReport:
    """Store the corpus of a valid form and queue its measurement.

    Raises
    ------
    InputError
        no entry or too many are chosen, or one can't be used; or the sender's limit is reached.
    """
    check_entries(entries)
    payer, token, file = payer_with(user), new_token(), form.cleaned_data["file"]
    name = file_name(file.name).replace("/", "_").lstrip(".") or "corpus.txt"
    row = CorpusReport(
        title=form.cleaned_data["title"] or one_line(_SUFFIX.sub("", name)) or "A corpus",
        entries=[entry.submission.pk for entry in entries],
        owner_token_hash=token_hash(token),
        owner=user if user is not None and user.is_authenticated else None,
        payer=payer,
        corpus_name=name,
        corpus_bytes=file.size,
        **{key: form.cleaned_data[key] for key in ("text_field", "group_by", "language", "cues", "keeps_corpus")},
    )
    row.corpus_key = f"{FOLDER}/{row.pk[:2]}/{row.pk}"
    storage.publish(file.path, row.corpus_key)
    try:
        with one_at_a_time(quotas.lock_of(payer)):
            quotas.authorize_corpus(payer)  # again, under the lock: simultaneous requests count each other
            row.save(force_insert=True)
            enqueue(row.pk)
    except BaseException as error:
        storage.delete(row.corpus_key)
        if isinstance(error, Exception) and space.is_full(error):
            raise space.full() from None
        raise
    spend(quotas.corpora_a_day(), payer)
    return BegunReport(row, token)


def check_entries(entries: list[Marked]) -> None:
    """
    Raises
    ------
    InputError
        there are none or too many, or one is private or has no vectors on this site.
    """
    if not entries:
        raise InputError("no-entry", "Choose at least one entry with vectors.", field="entries")
    if len(entries) > MOST_ENTRIES:
        raise InputError("too-many-entries", f"Choose at most {MOST_ENTRIES} entries.", field="entries")
    for entry in entries:
        if not entry.submission.is_open_to_all:
            message = (
                f"“{entry.name}” is private, but everyone with the link to the report would see it. Choose another."
            )
            raise InputError("private-entry", message, field="entries")
        if not can_be_measured(entry.submission):
            message = f"The vectors of “{entry.name}” are not on this site. Choose another entry."
            raise InputError("no-vectors", message, field="entries")


class ReportAccess(NamedTuple):
    """A report with the rights of a visitor: anyone with its address may read it, the owner may stop and delete it."""

    report: CorpusReport
    is_owner: bool


def cookie_name(report_id: str) -> str:
    return f"corpus-{report_id}"


def find(report_id: str, token: str, user: Visitor) -> ReportAccess:
    """A report with the rights of this secret or this account.

    Raises
    ------
    Http404
        there is none.
    """
    row = CorpusReport.objects.filter(pk=report_id).first()
    if row is None:
        raise Http404("There is no such report.")
    by_account = user is not None and user.is_authenticated and row.owner_id == user.pk
    return ReportAccess(row, by_account or row.is_owned_with(token))


def access_of(request: HttpRequest, report_id: str) -> ReportAccess:
    """A report with the rights of a visitor of its page."""
    return find(report_id, request.COOKIES.get(cookie_name(report_id), ""), request.user)


def owned_report(request: HttpRequest, report_id: str) -> CorpusReport:
    """The report, only for its owner.

    Raises
    ------
    Http404
        there is none, or it belongs to someone else.
    """
    access = access_of(request, report_id)
    if not access.is_owner:
        raise Http404("There is no such report.")
    return access.report


def own_reports(request: HttpRequest) -> list[CorpusReport]:
    """Reports of this account or with their secret in this browser, newest first."""
    prefix = cookie_name("")
    ids = [name.removeprefix(prefix) for name in request.COOKIES if name.startswith(prefix)]
    kept = CorpusReport.objects.filter(pk__in=ids)
    rows = {row.pk: row for row in kept if row.is_owned_with(request.COOKIES[cookie_name(row.pk)])}
    if request.user.is_authenticated:
        rows |= {row.pk: row for row in CorpusReport.objects.filter(owner=request.user)}
    return sorted(rows.values(), key=lambda row: row.created_at, reverse=True)
