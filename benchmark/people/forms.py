"""What an owner says about a study. Lists are typed one a line, so that they can be pasted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms

from benchmark.forms import TidyForm
from benchmark.people.models import Kind, Question, SourceKind, Study
from benchmark.people.texts import PRACTICE, SCREENERS, consent_of, language_shown
from benchmark.submissions.forms import LANGUAGE_CHOICES
from tasks.people.associations import LONGEST_WORD, normalise
from tasks.political.cues import political_cues
from tasks.visible import is_blank

MOST_CUES = 30
MOST_QUESTIONS = 10
CHECK_FORM = "cue: word that fits / word that does not"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if not is_blank(line)]


def default_cues(language: str) -> str:
    cues = political_cues(language) or political_cues("en")
    return "\n".join(cues.words if cues else ())


def written_checks(checks: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"{cue}: {right} / {wrong}" for cue, right, wrong in checks)


class StudyForm(TidyForm, forms.ModelForm):  # type: ignore[type-arg]
    cues = forms.CharField(widget=forms.Textarea(attrs={"rows": 10}), max_length=4000)
    practice = forms.CharField(widget=forms.Textarea(attrs={"rows": 1}), max_length=400, required=False)
    screeners = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), max_length=1000, required=False)
    questions = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), max_length=4000, required=False)
    consent = forms.CharField(widget=forms.Textarea(attrs={"rows": 6}), max_length=4000, required=False)
    language = forms.ChoiceField(choices=LANGUAGE_CHOICES, initial="en")
    kind = forms.ChoiceField(choices=Kind.choices, widget=forms.RadioSelect, initial=Kind.ASSOCIATIONS)
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
        if study is not None:
            self.fields["kind"].disabled = True
        self.describe_fields()

    @staticmethod
    def _starting_values(study: Study | None, language: str) -> dict[str, object]:
        if study is None:
            shown = language_shown(language)
            return {
                "cues": default_cues(language),
                "practice": written_checks(PRACTICE[shown]),
                "screeners": written_checks(SCREENERS[shown]),
            }
        return {
            "cues": "\n".join(study.cues),
            "practice": written_checks(study.practice),
            "screeners": written_checks(study.screeners),
            "questions": "\n".join(" | ".join([q["question"], *q["options"]]) for q in study.questions),
        }

    def clean_cues(self) -> list[str]:
        cues = list(dict.fromkeys(normalise(line) for line in _lines(self.cleaned_data["cues"])))
        if not 1 <= len(cues) <= MOST_CUES:
            raise forms.ValidationError(f"There are {len(cues)} cues; write 1 to {MOST_CUES}, one per line.")
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
        if not cleaned.get("consent"):
            kind = Kind(cleaned.get("kind") or Kind.ASSOCIATIONS)
            cleaned["consent"] = consent_of(cleaned.get("language", "en"), kind)
        return cleaned


class SourceForm(TidyForm, forms.Form):
    """One more list to compare; what is needed depends on its kind."""

    kind = forms.ChoiceField(choices=SourceKind.choices)
    name = forms.CharField(max_length=60, required=False)
    entry = forms.CharField(max_length=200, required=False)
    human = forms.CharField(max_length=200, required=False)
    lists = forms.CharField(max_length=100_000, required=False, widget=forms.Textarea(attrs={"rows": 5}))


def id_in(text: str) -> str:
    """The id in what a person pasted: the id itself, or the address of a page of it."""
    parts = [part for part in text.strip().split("/") if part]
    return next((part for part in parts if len(part) == 12 and part.isalnum()), parts[-1] if parts else "")
