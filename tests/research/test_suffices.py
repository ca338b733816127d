"""The study of verdicts, without its trainings: resuming, tables."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from research import suffices
from research.suffices import (
    DRAW,
    PAGE,
    PARTS,
    Effects,
    Kept,
    example_corpora,
    example_rows,
    examples,
    other_german,
    shuffled,
    simulated,
)
from tasks.errors import InputError

DIFFERENCE = {"mean": -0.05, "interval": [-0.06, -0.04]}
REPORT = {
    "corpus": {"tokens": 2_000_000, "groups": 42, "group_by": "president"},
    "curve": [
        {"candidate": "glove", "auc": {"mean": 0.58}},
        {"candidate": "a-la-carte:glove", "auc": {"mean": 0.6}},
        {"candidate": "local", "auc": {"mean": 0.55}},
        {"candidate": "local", "auc": {"mean": 0.63}},
    ],
    "decisions": [
        {"candidate": "glove", "difference": DIFFERENCE, "verdict": "train-locally"},
        {"candidate": "a-la-carte:glove", "difference": DIFFERENCE, "verdict": "train-locally"},
    ],
    "overtakes": {"glove": 151_234},
}


def test_the_page_has_a_place_for_every_part() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for part in PARTS:
        assert f"<!-- suffices {part} -->" in text
        assert f"<!-- end of suffices {part} -->" in text


def test_an_example_that_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    parsed = Namespace(pretrained=[Path("a.txt")], german=None, only="Inaugural", processes=1)
    kept = Kept(tmp_path / "found.jsonl")
    for name, example in example_corpora(parsed).items():
        if "Inaugural" in name or "since" in name:
            kept.add("examples", f"{name} {' '.join(example.names)}", REPORT)
    rows = [line for line in examples(parsed, kept).splitlines() if " | glove | " in line]
    assert [row.split(" | ")[0] for row in rows] == ["| State of the Union since 1945", "| Inaugural addresses"]


def test_corpora_that_are_too_small_and_those_of_other_bounds_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suffices, "DRAWN", 3)
    kept = Kept(tmp_path / "kept.jsonl")
    kept.add("shuffled", "of other bounds 0", {"verdict": "suffices", "local": 0.9})
    verdicts = [{"verdict": "train-locally", "local": 0.6}, {"refused": "small-corpus"}]
    for number, verdict in enumerate([*verdicts, {"verdict": "near-chance", "local": 0.52}]):
        kept.add("shuffled", f"{DRAW} {number}", verdict)
    text = shuffled(Namespace(pretrained=[Path("a.txt")], processes=1), kept)
    assert text.startswith("2 corpora of ")
    assert "areas from 0.520 to 0.600" in text
    assert "*suffices* 0" in text
    assert "*train locally* 1" in text


def test_the_rule_holds_where_groups_differ_and_where_splits_have_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suffices, "DESIGNS", 40)
    for effects in (Effects(), Effects(tested=0.2, splits=2.0)):
        held, falsely_sufficient, falsely_worse = simulated(effects, 12, is_unequal=False)
        assert 0.92 <= held <= 0.98
        assert max(falsely_sufficient, falsely_worse) < 0.045


def test_an_example_has_a_row_for_each_pre_trained_set() -> None:
    (row,) = example_rows("SOTU", REPORT)
    assert row[:7] == ("SOTU", "2,000,000", "42 (president)", "glove", "0.580", "0.600", "0.630")
    assert row[7:] == ("−0.050 (−0.060 to −0.040)", "train locally", "150,000")


def test_a_folder_without_other_german_packages_is_answered_with_their_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lacks debian-faq-de, .*, manpages-de: apt-get download them"):
        other_german(tmp_path)
