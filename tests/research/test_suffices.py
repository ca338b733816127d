"""The study of verdicts, without its trainings: excerpts, swapped vectors, resuming, tables."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from research import suffices
from research.cli import main
from research.suffices import (
    PAGE,
    PARTS,
    Kept,
    by_speaker,
    example_corpora,
    example_rows,
    excerpt,
    german,
    halves,
    other_german,
    seeds,
    with_swapped,
)
from research.suffices import rule as rule_table
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.local_training.documents import Collection
from tasks.sufficiency.measure import Settings
from tasks.vectors import Embedding


def test_the_page_has_a_place_for_every_part() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for part in PARTS:
        assert f"<!-- suffices {part} -->" in text
        assert f"<!-- end of suffices {part} -->" in text


def test_an_excerpt_is_of_about_the_wanted_length_and_of_consecutive_paragraphs() -> None:
    lines = [f"p{i} " + "word " * 9 for i in range(20)]
    speeches = [Document("a", "", "\n".join(lines[:12])), Document("b", "", "\n".join(lines[12:]))]
    found = excerpt("speaker", speeches, 45, np.random.default_rng(3)).text.split("\n")
    first = lines.index(found[0])
    assert found == (lines + lines)[first : first + 5]


def test_swapped_cues_have_each_others_vectors_and_other_words_keep_theirs() -> None:
    words = ["a", "b", "c", "d", "e"]
    whole = Embedding.of("whole", words, np.arange(10, dtype=np.float32).reshape(5, 2) + 1)
    found = with_swapped(whole, ["a", "c", "e", "unknown"], 1).matrix
    assert sorted(found[[0, 2, 4]].tolist()) == sorted(whole.matrix[[0, 2, 4]].tolist())
    assert (found[[0, 2, 4]] != whole.matrix[[0, 2, 4]]).all()
    np.testing.assert_array_equal(found[[1, 3]], whole.matrix[[1, 3]])


def test_the_speakers_are_the_groups_where_a_collection_names_them() -> None:
    named = Collection("x", "x", "", [Document("0", "", "a", (("year", "1900"), ("president", "A")))])
    assert by_speaker(named, Settings()).group_by == "president"
    assert by_speaker(Collection("x", "x", "", [Document("0", "", "a")]), Settings()).group_by is None


def test_halves_resume_from_the_file_and_count_those_called_different(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(tmp_path / "found.jsonl")
    for seed, interval in enumerate([(-0.02, 0.01), (-0.03, -0.01), (0.01, 0.02), (-0.01, 0.01)]):
        kept.add("halves 500 200", str(seed), {"difference": 0.0, "interval": interval, "verdict": "suffices"})
    monkeypatch.setattr(suffices, "compared_halves", lambda: pytest.fail("nothing is left to compare"))
    table = halves(Namespace(words=500, repeats=4, partitions=5, cues=200, processes=1), kept)
    assert "| 4 | 50 % |" in table
    assert "| 4 | 0 | 0 | 0 |" in table


def test_the_rule_errs_as_often_as_its_interval_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suffices, "DRAWS", 2_000)
    rows = [
        line.split("|")
        for line in rule_table(Namespace(), Kept(Path())).splitlines()
        if line.startswith(("| +", "| −"))
    ]
    assert len(rows) == 6
    for row in rows:
        assert 3.0 < float(row[3].strip(" %")) < 7.0


def test_an_example_has_a_row_for_each_pre_trained_set() -> None:
    difference = {"mean": -0.05, "interval": [-0.06, -0.04]}
    report = {
        "corpus": {"tokens": 2_000_000, "groups": 42, "group_by": "president"},
        "curve": [
            {"candidate": "glove", "auc": {"mean": 0.58}},
            {"candidate": "a-la-carte:glove", "auc": {"mean": 0.6}},
            {"candidate": "local", "auc": {"mean": 0.55}},
            {"candidate": "local", "auc": {"mean": 0.63}},
        ],
        "decisions": [
            {"candidate": "glove", "difference": difference, "verdict": "train-locally"},
            {"candidate": "a-la-carte:glove", "difference": difference, "verdict": "train-locally"},
        ],
        "overtakes": {"glove": 151_234},
        "processor_seconds": 600.0,
    }
    (row,) = example_rows("SOTU", report)
    assert row[:7] == ("SOTU", "2,000,000", "42 (president)", "glove", "0.580", "0.600", "0.630")
    assert row[7:] == ("−0.050 (−0.060 to −0.040)", "train locally", "150,000", "10")


def test_a_folder_without_the_german_package_is_answered_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="apt-get download libreoffice-help-de"):
        german(tmp_path)


def test_a_folder_without_other_german_packages_is_answered_with_their_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lacks debian-faq-de, .*, manpages-de: apt-get download them"):
        other_german(tmp_path)


def test_the_seeds_of_a_measured_corpus_stay_in_the_table_and_each_set_has_a_row(tmp_path: Path) -> None:
    options = {"only": "Inaugural", "repeats": 2, "partitions": 5, "cues": 200, "processes": 1, "german": None}
    parsed = Namespace(pretrained=[Path("a.txt"), Path("b.txt")], **options)
    kept = Kept(tmp_path / "found.jsonl")
    for example in example_corpora(parsed)[1:3]:
        for seed, verdict in enumerate(["suffices", "train-locally", "suffices"], start=1):
            found = {"difference": -0.01 * seed, "interval": [-0.03, 0.0], "verdict": verdict}
            kept.add(f"seeds {example.key}", str(seed), {"a.txt": found, "b.txt": found | {"verdict": "suffices"}})
    rows = [line for line in seeds(parsed, kept).splitlines() if line.startswith(("| State", "| Inaugural"))]
    assert [row.split(" | ")[:7] for row in rows] == [
        ["| State of the Union since 1945", "a.txt", "3", "2", "0", "0", "1"],
        ["| State of the Union since 1945", "b.txt", "3", "3", "0", "0", "0"],
        ["| Inaugural addresses", "a.txt", "2", "1", "0", "0", "1"],
        ["| Inaugural addresses", "b.txt", "2", "2", "0", "0", "0"],
    ]
    assert rows[0].split(" | ")[7] == "67 %"
    assert "−0.030 to −0.010" in rows[0]


def test_an_example_that_does_not_exist_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--part", "examples", "--only", "nowhere", "--pretrained", __file__]
    assert main(["suffices", *options, "--results", str(tmp_path / "kept.jsonl")]) == 2
    assert "No example has “nowhere” in its name; they are State of the Union" in capsys.readouterr().err
