"""One splitter reads every field that takes a list of words: commas, semicolons, tabs, blanks and lines alike."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from django.http import QueryDict

from benchmark.submissions.vectors import Answer
from extensions.associations import lists
from extensions.associations.command_groups import _targets
from extensions.associations.measure.word_lists import read_list
from extensions.pairs.cues import chosen
from extensions.people.forms import StudyForm
from extensions.shared.measure.cues import chosen_cues as cues_of_the_command
from extensions.shared.measure.cues import operator_lists
from extensions.translation.measure.translation import read_dictionary
from tasks.text import LeftOut, split_words

EXPECTED = ["king", "climate_change", "o'clock"]
WRITTEN = {
    "commas": "king,climate_change,o'clock",
    "commas and blanks": "king, climate_change, o'clock",
    "semicolons": "king;climate_change; o'clock",
    "tabs": "king\tclimate_change\to'clock",
    "blanks": " king climate_change  o'clock ",
    "lines": "king\r\nclimate_change\n\no'clock\n",
    "a mixture": "king,;climate_change\t\n o'clock,",
    "a spreadsheet": '"king"\n"climate_change"\n"o\'clock"',
    "other scripts": "king、climate_change，o'clock؛",
    "twice": "king king climate_change king o'clock",
}


def association(text: str) -> Iterable[str]:
    fields = {f"words_{side}": f"word{side}" for side in lists.SIDES} | {"words_x": text}
    return lists.entered_test(fields).question.targets[0].words


def axis(name: str) -> Callable[[str], Iterable[str]]:
    def read(text: str) -> Iterable[str]:
        axis = lists.requested_axis({"positive": "rich", "negative": "poor", "words": "opera"} | {name: text})
        assert axis is not None
        return {"positive": axis.poles.positive, "negative": axis.poles.negative, "words": axis.words}[name]

    return read


def study(text: str) -> Iterable[str]:
    form = StudyForm(QueryDict(mutable=True) | {"cues": text})
    form.full_clean()
    return [cue.replace(" ", "_") for cue in form.cleaned_data["cues"]]


FIELDS: dict[str, Callable[[str], Iterable[str] | None]] = {
    "the splitter": split_words,
    "association test": association,
    "left pole": axis("negative"),
    "right pole": axis("positive"),
    "words on an axis": axis("words"),
    "cues of heat maps and pairs": lambda text: chosen({"cues": text}, "en").words,
    "cues of a study": study,
    "a word to look up": lambda text: Answer(text, code="several-words").words,
    "compare --words": lambda text: cues_of_the_command(None, text, "en")[0],
    "contexts --target": lambda text: _targets(argparse.Namespace(target=text), None),
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("field", FIELDS)
def test_every_field_splits_lists_in_the_same_way(field: str, text: str) -> None:
    assert list(FIELDS[field](text) or ()) == EXPECTED


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_files_of_words_are_split_in_the_same_way(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(f"# language: en\n{text}", encoding="utf-8")
    assert list(read_list(tmp_path / "own.txt", "own").words) == EXPECTED
    assert list(operator_lists(tmp_path, LeftOut())["own"].words) == EXPECTED


@pytest.mark.parametrize("between", [" ", "\t", ",", ", ", ";", " ; "])
def test_a_line_of_a_dictionary_has_any_separator(between: str) -> None:
    assert read_dictionary(f"cat{between}Katze\n").pairs == (("cat", "Katze"),)


def test_commas_within_the_words_of_a_dictionary_stay() -> None:
    assert read_dictionary("10,000 10.000\n, ;\n").pairs == (("10,000", "10.000"), (",", ";"))
    assert read_dictionary("ice cream, Eis\ncat,Katze\n").several_words == 1


def test_cues_of_several_words_are_shown_to_raters_with_spaces() -> None:
    form = StudyForm(QueryDict(mutable=True) | {"cues": "climate_change tax"})
    form.full_clean()
    assert form.cleaned_data["cues"] == ["climate change", "tax"]
