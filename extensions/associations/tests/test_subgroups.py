"""Groups of a corpus, and the distances between their vectors."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from extensions.associations.measure.groups import of_years, split_at, split_documents
from extensions.associations.measure.subgroups import compare_subgroups, difference
from extensions.shared.measure.documents import having
from tasks.cli import main
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError, NoScore
from tasks.formats.text_blocks import write_text
from tasks.text import LeftOut
from tasks.vectors import Embedding
from tests.tasks.made import embedding, random_embedding, words

REFERENCE = random_embedding(words(300), 0)


def near(noise: float, seed: int) -> Embedding:
    moved = REFERENCE.matrix + noise * np.random.default_rng(seed).standard_normal(REFERENCE.matrix.shape)
    return embedding(list(REFERENCE.words), moved)


def test_documents_are_split_by_a_field_the_largest_group_first() -> None:
    texts = [("A", "x"), ("B", "a longer text"), ("A", "y")]
    documents = [Document(str(i), "", text, (("party", party),)) for i, (party, text) in enumerate(texts)]
    groups = split_documents(documents, "party")
    assert [(name, len(found)) for name, found in groups.items()] == [("B", 1), ("A", 2)]


def test_values_that_differ_in_signs_or_case_get_a_file_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"C": "pointers", "C++": "templates", "c": "lower", "#": "unnamed"}
    rows = "".join(f"{text} {text},{party}\n" for party, text in texts.items())
    (tmp_path / "g.csv").write_text(f"text,party\n{rows}", encoding="utf-8")
    assert main(["subgroups", "split", str(tmp_path / "g.csv"), "--out", str(tmp_path / "out")]) == 0
    listed = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[2:6]]
    written = {party: gzip.decompress(Path(path).read_bytes()).decode().split()[0] for path, party in listed}
    assert written == texts


def test_it_refuses_a_field_that_no_document_has() -> None:
    with pytest.raises(InputError, match="they have party"):
        having([Document("1", "", "text", (("party", "Whig"),))], "president", LeftOut())


@pytest.mark.parametrize("metadata", [(), (("year", "1790"),), (("party", " "),)])
def test_a_document_without_the_field_is_left_out_counted_and_named(metadata: tuple[tuple[str, str], ...]) -> None:
    left_out = LeftOut()
    documents = [Document(str(i), "", "text", (("party", "Whig"),)) for i in range(200)]
    found = having([*documents, Document("200", "", "text", metadata)], "party", left_out)
    assert (found, left_out.sentence("Documents")) == (
        documents, "Documents left out: 1. Document 200 has no “party”."
    )  # fmt: skip


def test_two_spellings_of_one_cue_count_once() -> None:
    groups = {"near": [near(0.3, 1)], "far": [near(2.0, 2)]}
    once, twice = (compare_subgroups(groups, REFERENCE, cues) for cues in (words(5), [*words(5), "W3", "ŵ3"]))
    assert (twice.groups, twice.differences) == (once.groups, once.differences)
    assert twice.cues["W3"] == twice.cues["w3"] == once.cues["w3"]


def test_the_group_nearer_to_the_reference_is_found_nearer() -> None:
    found = compare_subgroups({"near": [near(0.3, 1)], "far": [near(2.0, 2)]}, REFERENCE, words(40))
    (between,) = found.differences
    assert found.groups["near"]["mean"] > found.groups["far"]["mean"]
    assert between.mean == pytest.approx(found.groups["near"]["mean"] - found.groups["far"]["mean"])
    assert between.interval is not None
    assert between.interval[0] > 0
    assert between.p is not None
    assert between.p < 0.001


def test_groups_of_equal_noise_do_not_differ() -> None:
    found = compare_subgroups({"a": [near(1.0, 1)], "b": [near(1.0, 2)]}, REFERENCE, words(40))
    (between,) = found.differences
    assert between.interval is not None
    assert between.interval[0] < 0 < between.interval[1]


def test_runs_of_a_group_are_averaged_by_similarity() -> None:
    one = compare_subgroups({"a": [near(1.0, 1)], "b": [near(1.0, 9)]}, REFERENCE, words(40))
    many = compare_subgroups({"a": [near(1.0, s) for s in range(1, 6)], "b": [near(1.0, 9)]}, REFERENCE, words(40))
    assert many.groups["a"]["mean"] > one.groups["a"]["mean"] + 0.05


def test_a_cue_that_one_file_does_not_know_is_left_out_for_all() -> None:
    found = compare_subgroups({"a": [near(1.0, 1)], "b": [near(1.0, 2)]}, REFERENCE, ["w1", "peace"])
    assert found.cues["peace"] is None
    assert found.groups["a"]["n"] == 1


def test_a_cue_that_is_zeros_in_one_file_is_left_out_for_all() -> None:
    zeros = near(1.0, 2)
    zeros.matrix[1] = 0
    found = compare_subgroups({"a": [near(1.0, 1)], "b": [zeros]}, REFERENCE, ["w1", "w2", "w3"])
    assert found.cues["w1"] is None
    assert (found.groups["a"]["n"], found.groups["b"]["n"], found.differences[0].cues) == (2, 2, 2)
    assert found.differences[0].mean == pytest.approx(found.groups["a"]["mean"] - found.groups["b"]["mean"])
    with pytest.raises(NoScore, match="No cue has a correlation in every group"):
        compare_subgroups({"a": [near(1.0, 1)], "b": [zeros]}, REFERENCE, ["w1"])


def test_no_difference_at_all_has_no_test() -> None:
    assert difference("a", "b", np.zeros(5)).p is None


def test_one_group_gives_no_comparison_and_no_known_cue_gives_no_score() -> None:
    with pytest.raises(InputError, match="at least two"):
        compare_subgroups({"a": [near(1.0, 1)]}, REFERENCE, ["w1"])
    with pytest.raises(NoScore, match="known to all 3 files"):
        compare_subgroups({"a": [near(1.0, 1)], "b": [near(1.0, 2)]}, REFERENCE, ["peace"])


def test_the_command_compares_groups_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, vectors in (("reference", REFERENCE), ("a", near(0.5, 1)), ("b", near(1.0, 2))):
        write_text(tmp_path / f"{name}.txt", vectors.words, vectors.matrix)
    groups = [f"--group={name}={tmp_path / name}.txt" for name in ("a", "b")]
    command = ["subgroups", "compare", "--reference", str(tmp_path / "reference.txt"), *groups, "--cues", "random"]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["differences"][0]["cues"] == 100
    assert main(command) == 0
    assert "a − b" in capsys.readouterr().out


def test_a_group_that_is_given_twice_is_refused_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    groups = [f"--group={text}" for text in ("Whig=a.txt", "Whig=b.txt", "Free Soil=c.txt")]
    assert main(["subgroups", "compare", "--reference", __file__, *groups]) == 2
    assert "“Whig” is given twice" in capsys.readouterr().err


def dated(*years: str) -> list[Document]:
    return [Document(str(i), "", "text", (("year", year),)) for i, year in enumerate(years)]


def test_documents_are_split_at_a_year_that_belongs_to_the_later_period() -> None:
    found = split_at(dated("1944", "1945", "1790", "2020-02"), "year", 1945, LeftOut())
    assert {name: [one.id for one in own] for name, own in found.items()} == {
        "before 1945": ["0", "2"],
        "from 1945": ["1", "3"],
    }
    assert [one.id for one in of_years(dated("1944", "1945", "1946"), 1945, 1945, LeftOut())] == ["1"]
    with pytest.raises(InputError, match="The period “from 1945” has no document"):
        split_at(dated("1790"), "year", 1945, LeftOut())
    left_out = LeftOut()
    left_out.add(InputError("bad-line", "Line 7 is not a JSON object."))  # found earlier, and not the reason
    with pytest.raises(InputError, match="No document has a number as its “year”"):
        split_at([Document("0", "", "text")], "year", 1945, left_out)


def test_documents_without_a_year_are_left_out_once() -> None:
    left_out = LeftOut()
    found = split_at(dated("1944", "", "1945", "n. d.", "²⁰²⁰", "1946"), "year", 1945, left_out)
    assert ([len(own) for own in found.values()], left_out.count) == ([1, 2], 3)
    assert "Document 1 has no number as its “year”. Document 3" in left_out.sentence("Documents")
    assert len(of_years(dated("1944", "", "1945"), 1945, None, LeftOut())) == 1


@pytest.mark.data
@pytest.mark.skipif(not DataStore.default().status("sotu").available, reason="the addresses are not on this machine")
def test_the_command_splits_the_state_of_the_union_by_party(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["subgroups", "split", "sotu", "--groups", "Whig,Federalist", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sotu-federalist.txt.gz", "sotu-whig.txt.gz"]
    assert "public domain" in capsys.readouterr().out
    assert main(["subgroups", "split", "sotu", "--groups", "Green", "--out", str(tmp_path)]) == 2
    periods = tmp_path / "periods"
    assert main(["subgroups", "split", "sotu", "--at", "1945", "--out", str(periods)]) == 0
    assert sorted(path.name for path in periods.iterdir()) == ["sotu-before-1945.txt.gz", "sotu-from-1945.txt.gz"]
