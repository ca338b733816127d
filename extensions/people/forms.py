"""Input of study owners: forms with their defaults, tables and lists of context words. Errors give the line."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpRequest

from benchmark.forms import TidyForm
from benchmark.inputs import json_of
from benchmark.submissions.forms import LANGUAGE_CHOICES
from extensions.people.measure.free_associations import LONGEST_WORD, normalise
from extensions.people.models import Kind, Question, SourceKind, Study, language_shown, texts_in
from extensions.shared.inputs import uploaded_bytes
from extensions.shared.measure.texts import NAMED_SEPARATOR, text_of
from tasks.errors import InputError
from tasks.political.cues import political_cues
from tasks.text import LeftOut, is_blank, split_words

MOST_LIST_WORDS = 100
MOST_ROWS = 200_000
SEPARATORS = ",;\t"
MOST_COLUMNS = 100
"""Bounds the fields per line, as a small file with many columns and lines would take minutes."""


def uploaded_text(request: HttpRequest, most_bytes: int, *, field: str) -> str:
    """Text of the file in a form, without byte order mark; empty without a file.

    Raises
    ------
    InputError
        it is too large or not text.
    """
    return text_of(uploaded_bytes(request, most_bytes, field=field), "the file", field=field)


class UploadedTable:
    """CSV with a header line, separated by commas, semicolons or tabs.

    Column names are case-insensitive. Missing fields are empty; blank lines are skipped.

    Parameters
    ----------
    text : of the file, with or without a byte order mark.

    Raises
    ------
    InputError
        while reading: it is not CSV, or has too many lines.
    """

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff")
        head = re.split("[\r\n]", text, maxsplit=1)[0]
        named = NAMED_SEPARATOR.fullmatch(head)
        separator = named[1] if named else max(SEPARATORS, key=head.count)
        self._before = int(named is not None)
        lines = io.StringIO(text[len(head) :].lstrip("\r\n") if named else text, newline="")
        self._reader = csv.DictReader(lines, restval="", delimiter=separator, skipinitialspace=True, strict=True)

    def lacks(self, *names: str) -> list[str]:
        """Those of these columns that are missing."""
        return sorted(set(names) - set(self._names))

    @cached_property
    def _names(self) -> list[str]:
        try:
            names = self._reader.fieldnames = [name.strip().lower() for name in self._reader.fieldnames or ()]
        except csv.Error as error:
            raise InputError("bad-csv", f"The first line cannot be read as CSV: {error}.") from error
        if len(names) > MOST_COLUMNS:
            message = f"The first line names {len(names):,} columns; keep the needed ones, {MOST_COLUMNS} at most."
            raise InputError("too-many", message)
        return names

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield line numbers with fields."""
        names = self._names
        begins = self._reader.line_num + self._before + 1
        try:
            for number, row in enumerate(self._reader, start=1):
                if number > MOST_ROWS:
                    raise InputError("too-many", f"The file has more than {MOST_ROWS:,} lines; split it.")
                if not is_blank("".join(row[name] for name in names)):
                    yield self._reader.line_num + self._before, row
                begins = self._reader.line_num + self._before + 1
        except csv.Error as error:
            where = f"Line {begins} cannot be read as CSV"
            raise InputError("bad-csv", f"{where}: {error}. Is a quotation mark missing?") from error


def read_lists(text: str, left_out: LeftOut) -> dict[str, list[str]]:
    """Read lists from JSON ``{cue: [words, best first]}``, or CSV with the columns ``cue`` and ``word``, best first.

    Empty or too long cues and words are added to ``left_out``.

    Raises
    ------
    InputError
        the text is neither, or has no usable word.
    """
    text = text.removeprefix("\ufeff")
    lists = _from_json(text, left_out) if text.lstrip().startswith("{") else _from_csv(text, left_out)
    if not lists:
        left_out.refuse()
        raise InputError("no-lists", "The file contains no lists; use the columns cue and word, one word per line.")
    return lists


def _from_json(text: str, left_out: LeftOut) -> dict[str, list[str]]:
    content = json_of(text)
    lists: dict[str, list[str]] = {}
    for cue, words in content.items():
        if not isinstance(words, list):
            message = f"The list of “{cue[:LONGEST_WORD]}” is not a list of words; write {{cue: [word, word, …]}}."
            left_out.add(InputError("bad-json", message))
            continue
        for word in words:
            _add(lists, cue, word if isinstance(word, str) else "", f"the list of “{cue[:LONGEST_WORD]}”", left_out)
    return lists


def _from_csv(text: str, left_out: LeftOut) -> dict[str, list[str]]:
    table = UploadedTable(text)
    if table.lacks("cue", "word"):
        raise InputError("no-columns", "The first line must name the columns cue and word (cue,word).")
    lists: dict[str, list[str]] = {}
    for line, row in table:
        _add(lists, row["cue"], row["word"], f"line {line}", left_out)
    return lists


def _add(lists: dict[str, list[str]], cue: str, word: str, where: str, left_out: LeftOut) -> None:
    cue, word = normalise(cue), normalise(word)
    if not cue or not word or len(word) > LONGEST_WORD or len(cue) > LONGEST_WORD:
        message = f"In {where}, a cue or word is empty or longer than {LONGEST_WORD} characters; correct it."
        left_out.add(InputError("bad-word", message))
        return
    words = lists.setdefault(cue, [])
    if len(words) >= MOST_LIST_WORDS:
        raise InputError("too-many", f"“{cue}” has more than {MOST_LIST_WORDS} words; keep the best ones.")
    if word not in words and word != cue:
        words.append(word)


Checks = tuple[tuple[str, str, str], ...]
PRACTICE: Mapping[str, Checks] = {
    "en": (("kitchen", "oven", "comet"),),
    "de": (("küche", "ofen", "komet"),),
    "es": (("cocina", "horno", "cometa"),),
}
SCREENERS: Mapping[str, Checks] = {
    "en": (("winter", "snow", "invoice"), ("ship", "harbour", "violin")),
    "de": (("winter", "schnee", "rechnung"), ("schiff", "hafen", "geige")),
    "es": (("invierno", "nieve", "factura"), ("barco", "puerto", "violín")),
}
"""Cue, a fitting word, a clearly unfitting one."""
SECONDS_TO_READ, SECONDS_A_QUESTION = 60, 8
SECONDS_AN_ITEM = {Kind.FREE_ASSOCIATIONS: 84, Kind.TRIADS: 13}
"""Ten context words for a cue; one choice between two words."""


def minutes_of(kind: Kind, cues: int, checks: int, questions: int) -> int:
    """Estimated length of a session in minutes, rounded up: 15 for ten cues, 4 for thirteen triads.

    Parameters
    ----------
    checks : practice items and screeners, which only triads have.
    """
    items = cues + checks if kind == Kind.TRIADS else cues
    return math.ceil((SECONDS_TO_READ + SECONDS_AN_ITEM[kind] * items + SECONDS_A_QUESTION * questions) / 60)


MOST_CUES = 30
PHRASE_MARK = "_"
"""Joins the words of a phrase in the form; raters see a space."""
MOST_QUESTIONS = 10
CHECK_FORM = "cue: word that fits / word that does not"
_ITEMS = ("cues", "practice", "screeners", "questions")
TO_ENTER = {
    "title": "Give the study a title; raters see it.",
    "kind": "Choose what raters do: free associations or triads.",
    "language": "Choose the language of the words from the list.",
    "cues": "Enter at least one cue.",
    "licence": "Name the licence of the lists, such as CC BY 4.0.",
}
"""What to do about a field without a usable value; numbers have their limits instead."""


def say_what_to_do(form: forms.BaseForm, to_enter: Mapping[str, str]) -> None:
    """Replace Django's messages, such as “This field is required.”, by sentences that say what to do."""
    for name, field in form.fields.items():
        message = to_enter.get(name, "Choose one from the list.")
        if isinstance(field, forms.IntegerField | forms.FloatField):
            whole = "a whole number" if type(field) is forms.IntegerField else "a number"
            message = f"Enter {whole} from {field.min_value:,} to {field.max_value:,}."
        names = ("required", "invalid", "invalid_choice", "min_value", "max_value")
        field.error_messages.update(dict.fromkeys(names, message))
        field.error_messages["max_length"] = "Shorten this to %(limit_value)d characters; it has %(show_value)d."


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if not is_blank(line)]


def written_checks(checks: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"{cue}: {right} / {wrong}" for cue, right, wrong in checks)


class StudyForm(TidyForm, forms.ModelForm):  # type: ignore[type-arg]
    cues = forms.CharField(widget=forms.Textarea(attrs={"rows": 10}), max_length=4000)
    practice = forms.CharField(widget=forms.Textarea(attrs={"rows": 1}), max_length=400, required=False)
    screeners = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), max_length=1000, required=False)
    questions = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), max_length=4000, required=False)
    consent = forms.CharField(widget=forms.Textarea(attrs={"rows": 6}), max_length=4000, required=False)
    language = forms.ChoiceField(choices=LANGUAGE_CHOICES, initial="en")
    kind = forms.ChoiceField(choices=Kind.choices, widget=forms.RadioSelect, initial=Kind.FREE_ASSOCIATIONS)
    raters_wanted = forms.IntegerField(min_value=2, max_value=5000, initial=100)
    retention_days = forms.IntegerField(min_value=1, max_value=3650, initial=365)

    class Meta:
        model = Study
        fields = (
            "title", "kind", "language", "focus", "cues", "raters_wanted", "practice", "screeners", "consent",
            "questions", "asks_participant", "completion_code", "licence", "publishes_results", "retention_days",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        study: Study | None = kwargs.get("instance")
        initial = kwargs.get("initial") or {}
        kwargs["initial"] = self._starting_values(study, initial.get("language", "en")) | initial
        super().__init__(*args, **kwargs)
        say_what_to_do(self, TO_ENTER)
        if study is not None:
            self.fields["kind"].disabled = True
        self.describe_fields()

    @staticmethod
    def _starting_values(study: Study | None, language: str) -> dict[str, object]:
        if study is None:
            shown = language_shown(language)
            cues = political_cues(language) or political_cues("en")
            return {
                "cues": "\n".join(cues.words if cues else ()),
                "practice": written_checks(PRACTICE[shown]),
                "screeners": written_checks(SCREENERS[shown]),
            }
        return {
            "cues": "\n".join(cue.replace(" ", PHRASE_MARK) for cue in study.cues),
            "practice": written_checks(study.practice),
            "screeners": written_checks(study.screeners),
            "questions": "\n".join(" | ".join([q["question"], *q["options"]]) for q in study.questions),
        }

    @property
    def cues_read(self) -> list[str]:
        """The cues in the field as it is filled in, split and spelt as raters see them."""
        words = split_words(str(self["cues"].value() or ""))
        return list(dict.fromkeys(filter(None, (normalise(word.replace(PHRASE_MARK, " ")) for word in words))))

    def clean_cues(self) -> list[str]:
        cues = self.cues_read
        if not 1 <= len(cues) <= MOST_CUES:
            raise forms.ValidationError(f"There are {len(cues)} cues; write 1 to {MOST_CUES}.")
        long = next((cue for cue in cues if len(cue) > LONGEST_WORD), None)
        if long is not None:
            raise forms.ValidationError(f"The cue “{long[:20]}…” is longer than {LONGEST_WORD} characters.")
        return cues

    def clean_practice(self) -> list[list[str]]:
        return self._checks("practice", most=3)

    def clean_screeners(self) -> list[list[str]]:
        return self._checks("screeners", most=6)

    def _checks(self, field: str, most: int) -> list[list[str]]:
        checks = []
        for line in _lines(self.cleaned_data[field]):
            cue, _, words = line.partition(":")
            right, _, wrong = words.partition("/")
            check = [normalise(part) for part in (cue, right, wrong)]
            if not all(check) or len(set(check)) < 3:
                raise forms.ValidationError(f"“{line[:60]}” cannot be read; write {CHECK_FORM}.")
            checks.append(check)
        if len(checks) > most:
            raise forms.ValidationError(f"There are {len(checks)} lines; write at most {most}.")
        return checks

    def clean_questions(self) -> list[Question]:
        questions: list[Question] = []
        for line in _lines(self.cleaned_data["questions"]):
            question, *options = [part.strip() for part in line.split("|")]
            if len(options) < 2 or any(map(is_blank, (question, *options))) or len(line) > 500:
                raise forms.ValidationError(f"“{line[:60]}” cannot be read; write question | option | option.")
            questions.append({"question": question, "options": options})
        if len(questions) > MOST_QUESTIONS:
            raise forms.ValidationError(f"There are {len(questions)} questions; ask at most {MOST_QUESTIONS}.")
        return questions

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        kind = Kind(cleaned.get("kind") or Kind.FREE_ASSOCIATIONS)
        if cleaned.get("consent", "") in ("", self._default_consent(kind, self.initial)):
            cleaned["consent"] = self.default_consent(kind)
        return cleaned

    def default_consent(self, kind: Kind) -> str:
        """The default consent text for the fields as they are filled in, with the time that a session takes."""
        return self._default_consent(kind, {name: self[name].value() for name in (*_ITEMS, "language")})

    @staticmethod
    def _default_consent(kind: Kind, fields: Mapping[str, Any]) -> str:
        texts = {name: str(fields.get(name) or "") for name in _ITEMS}
        checks, questions = len(_lines(f"{texts['practice']}\n{texts['screeners']}")), len(_lines(texts["questions"]))
        minutes = minutes_of(kind, len(split_words(texts["cues"])), checks, questions)
        return texts_in(language_shown(fields.get("language") or "en"))["consent"].format(minutes=minutes)


class SourceForm(TidyForm, forms.Form):
    """A source to add; the required fields depend on its kind."""

    kind = forms.ChoiceField(choices=SourceKind.choices)
    name = forms.CharField(max_length=60, required=False)
    entry = forms.CharField(max_length=200, required=False)
    human = forms.CharField(max_length=200, required=False)
    lists = forms.CharField(max_length=100_000, required=False, widget=forms.Textarea(attrs={"rows": 5}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        say_what_to_do(self, {"kind": "Choose the kind of the source."})


def id_in(text: str) -> str:
    """The id in pasted text, which may be the id itself or a URL."""
    parts = [part for part in text.strip().split("/") if part]
    return next((part for part in parts if len(part) == 12 and part.isalnum()), parts[-1] if parts else "")
