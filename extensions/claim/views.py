"""Pages of claims: is a finding stable?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import cast

from django import forms
from django.http import HttpRequest

from benchmark.compare.entries import Marked
from extensions.associations.measure.regression import Unit
from extensions.claim.measure.answer import chances_in_words, remarks
from extensions.claim.measure.counts import MOST_TOKENS
from extensions.claim.measure.curve import curve_of
from extensions.claim.measure.effects import COMPARING, LISTS, Kind
from extensions.claim.measure.plan import Analysis, Settings
from extensions.claim.measure.report import MOST_ANALYSES, MOST_WORDS, REPORT
from extensions.claim.models import MeasuredClaim
from extensions.texts.forms import TextsForm
from extensions.texts.pages import TextsPages
from tasks.errors import InputError
from tasks.text import split_words

MOST_LISTED = 100
"""Words of all lists: the claim is measured without each."""
MOST_SAMPLES, MOST_NUMBERS, WIDEST, MOST_DIMENSIONS = 100, 5, 15, 300
TITLES = {
    "association": "Two lists of words go with different attributes",
    "axis": "Words are nearer to one pole of an axis than to the other",
    "nearest": "Words are near a word",
    "drift": "A word changed between two groups or periods",
    "groups": "Two groups use a word differently",
}


class NumbersField(forms.CharField):
    """Whole numbers, separated by commas; by default those of the command."""

    def __init__(self, least: int, most: int, defaults: Sequence[int]) -> None:
        self.least, self.most, self.defaults = least, most, defaults
        example = {"placeholder": ", ".join(map(str, defaults)), "inputmode": "numeric", "autocomplete": "off"}
        super().__init__(required=False, max_length=40, widget=forms.TextInput(attrs=example))

    def clean(self, value: object) -> list[int]:
        parts = split_words(super().clean(value))
        numbers = list(dict.fromkeys(int(part) for part in parts if part.isdecimal() and part.isascii()))
        is_valid = all(part.isdecimal() and part.isascii() for part in parts)
        if not is_valid or len(numbers) > MOST_NUMBERS or not all(self.least <= each <= self.most for each in numbers):
            message = f"Write at most {MOST_NUMBERS} whole numbers from {self.least} to {self.most}, such as "
            raise forms.ValidationError(f"{message}{', '.join(map(str, self.defaults))}.", code="numbers")
        return numbers or list(self.defaults)


def words_field(example: str) -> forms.CharField:
    """A list of words, or a single word."""
    typed = {"placeholder": example, "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
    return forms.CharField(required=False, max_length=1_000, widget=forms.TextInput(attrs=typed))


def field_of(name: str) -> str:
    """The field of a list: ``targets_x`` of “targets X”."""
    return name.lower().replace(" ", "_")


class ClaimForm(TextsForm):
    """A corpus, the kind of claim with the fields of its lists, the groups that it compares, and the plan."""

    MODEL = MeasuredClaim
    COLUMNS = (
        *TextsForm.COLUMNS,
        *("kind", "lists", "by", "at", "between", "windows", "dimensions", "samples", "minimum_count"),
    )

    kind = forms.ChoiceField(
        choices=TITLES.items(),
        initial="association",
        widget=forms.RadioSelect,
        error_messages={
            "required": "Choose the kind of claim.",
            "invalid_choice": f"“%(value)s” isn’t a kind of claim; the kinds are {', '.join(TITLES)}.",
        },
    )
    targets_x = words_field("woman, she, her, mother")
    targets_y = words_field("man, he, him, father")
    attributes_a = words_field("family, home, children, marriage")
    attributes_b = words_field("career, office, business, salary")
    positive_pole = words_field("freedom, liberty")
    negative_pole = words_field("taxes, spending")
    words = words_field("government")
    word = words_field("welfare")
    near_it = words_field("poverty, dependency")
    by = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "party"}))
    at = forms.FloatField(
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": "1980"}),
        error_messages={"invalid": "At: write a number, such as 1980."},
    )
    between = forms.CharField(required=False, max_length=200, widget=forms.TextInput(attrs={"placeholder": "D, R"}))
    windows = NumbersField(1, WIDEST, Settings.windows)
    dimensions = NumbersField(2, MOST_DIMENSIONS, Settings.dimensions)
    samples = forms.IntegerField(
        required=False,
        min_value=2,
        max_value=MOST_SAMPLES,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "placeholder": f"{Settings.samples}"}),
    )
    minimum_count = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1_000_000,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "placeholder": f"{Settings.minimum_count}"}),
    )

    def clean(self) -> dict[str, object]:
        """Collect the lists of the kind; the fields of other kinds are not read."""
        cleaned = super().clean()
        kind = cast("Kind", cleaned.get("kind"))
        lists = [(name, split_words(str(cleaned.get(field_of(name), "")))) for name in LISTS.get(kind, ())]
        for name, words in lists:
            if name == "word" and len(words) != 1:
                self.add_error("word", "Write one word.")
            elif not words:
                self.add_error(field_of(name), "Write words, separated by commas or spaces.")
        if (count := sum(len(words) for _, words in lists)) > MOST_LISTED:
            message = f"The lists have {count} words; the limit is {MOST_LISTED}. The command takes longer ones."
            self.add_error(field_of(lists[-1][0]), message)
        compares = kind in COMPARING or cleaned.get("at") is not None or cleaned.get("between")
        if compares and not cleaned.get("by"):
            self.add_error("by", "Name the field that tells the two groups or periods.")
        cleaned["lists"] = [words for _, words in lists]
        return cleaned

    def check_choice(self, entries: Sequence[Marked]) -> None:
        """Refuse a plan with too many analyses. Vectors are not needed: they are more starts.

        Raises
        ------
        InputError
            there are too many.
        """
        windows, dimensions, samples, lists = (
            self.cleaned_data[name] for name in ("windows", "dimensions", "samples", "lists")
        )
        analyses = (1 + samples) * len(windows) * (len(dimensions) + len(entries)) * (1 + sum(map(len, lists)))
        if analyses > MOST_ANALYSES:
            message = (
                f"The plan has up to {analyses:,} analyses; the limit here is {MOST_ANALYSES:,}. Lower the samples, or "
                "give fewer windows, dimensions, vectors or words. The command takes plans of any size."
            )
            raise InputError("too-large-plan", message, field="samples")


class ClaimPages(TextsPages[MeasuredClaim]):
    """``/find/claim``."""

    model, form = MeasuredClaim, ClaimForm
    app, address, noun, most, least = "claim", "claim", "corpus", 2, 0
    command = "python -m tasks claim CORPUS --groups freedom --by party --group-by speaker --pretrained glove.txt.gz"

    def form_context(self) -> Mapping[str, object]:
        models = len(Settings.windows) * (1 + Settings.samples)
        plan = {"models": models, "most_of_models": MOST_WORDS // models}
        return plan | {"most_words": MOST_WORDS, "most_tokens": MOST_TOKENS, "most_analyses": MOST_ANALYSES}

    def sent_before(self, row: MeasuredClaim) -> dict[str, object]:
        numbers = {name: ", ".join(map(str, getattr(row, name))) for name in ("windows", "dimensions")}
        lists = {field_of(name): ", ".join(words) for name, words in row.words_by_list.items()}
        return super().sent_before(row) | numbers | lists

    def facts(self, row: MeasuredClaim) -> dict[str, object]:
        lists = {f"{name[0].upper()}{name[1:]}": ", ".join(words) for name, words in row.words_by_list.items()}
        windows, dimensions = (", ".join(map(str, numbers)) for numbers in (row.windows, row.dimensions))
        plan = (
            f"{row.models_of_plan} models: of the whole corpus and {row.samples} samples, windows {windows}; "
            f"{dimensions} dimensions"
        )
        return super().facts(row) | {"Kind": TITLES[row.kind]} | lists | {"Plan": plan}

    def report_context(self, row: MeasuredClaim, request: HttpRequest) -> Mapping[str, object]:
        vectors = {"without_entries": "trained on the corpus"}
        if (report := row.contents) is None:
            return {"page": None, **vectors}
        result = report["answer"]
        verdict, _, reasons = result.sentence.partition(": ")
        page = {
            "report": report,
            "verdict": verdict.replace("'", "’"),
            "reasons": reasons,
            "chances": chances_in_words(result, Unit(report["corpus"]["unit"])),
            "remarks": remarks(result),
            "curve": curve_of(result, [Analysis(*analysis) for analysis in report["analyses"]]),
        }
        return {"page": page, **vectors}

    def as_rows(self, row: MeasuredClaim) -> Iterable[Sequence[object]]:
        """The analyses."""
        names = [field.name for field in fields(Analysis)]
        return [names, *REPORT.validate_python(row.report)["analyses"]]


app_name = "claim"
urlpatterns = ClaimPages().urls()
