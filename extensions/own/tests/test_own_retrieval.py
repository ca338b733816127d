"""One's own queries and texts to find: reading, ranking, figures and verdicts."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from extensions.own.measure.measure import measure
from extensions.own.measure.report import DISAGREEMENTS, REPORT, Disagreements, OwnReport
from extensions.own.measure.retrieval import DEPTH, Retrieval, expected_hits, retrieval
from extensions.shared.measure.vectors import NamedVectors
from tasks.cli import main
from tasks.errors import InputError
from tasks.suites import DEMO

THEMES = {"cat": ("kitten", "paw"), "oak": ("acorn", "leaf"), "sea": ("wave", "salt")}
"""A theme's queries name it; its texts never do."""
Files = dict[str, Sequence[Sequence[str]]]


def given() -> Files:
    """Four texts of each theme, all relevant to its query, and a query without a relevant text."""
    texts = [(f"{theme}{i}", f"{words[i % 2]} number{i}") for theme, words in THEMES.items() for i in range(4)]
    judged = [(theme, name, "1" if name.startswith(theme) else "0") for theme in THEMES for name, _ in texts]
    return {
        "queries.csv": [("id", "text"), *((theme, theme) for theme in THEMES), ("none", "zebra")],
        "texts.csv": [("id", "text"), *texts],
        "judgements.tsv": [("query-id", "corpus-id", "score"), *judged],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[Files], Path]:
    def write(files: Files) -> Path:
        own = tmp_path / "search"
        own.mkdir()
        for name, rows in files.items():
            separator = "\t" if name.endswith(".tsv") else ","
            (own / name).write_text("".join(f"{separator.join(row)}\n" for row in rows), encoding="utf-8")
        return own

    return write


@pytest.fixture
def vectors(tmp_path: Path) -> Callable[..., Path]:
    """A file in which the words of a theme resemble each other, or don't."""

    def write(name: str, *, knows: bool = True, leaves_out: Sequence[str] = ()) -> Path:
        generator = np.random.default_rng(3)
        lines = []
        for axis, (theme, words) in enumerate(THEMES.items()):
            for word in (theme, *words):
                row = generator.standard_normal(4) * 0.1 + 2 * np.eye(4)[axis if knows else generator.integers(4)]
                if word not in leaves_out:
                    lines.append(f"{word} {' '.join(f'{value:.4f}' for value in row)}")
        lines += [f"filler{i} 0.1 0.1 0.1 {i}" for i in range(1, 101)]
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def measured(data: Retrieval, files: Sequence[Path], scratch: Path) -> tuple[OwnReport, Disagreements]:
    return measure(data, [NamedVectors(path.stem, path) for path in files], DEMO.look_up, scratch, 1.0)


def test_relevant_texts_are_those_judged_above_0_and_a_query_without_one_is_left_out(
    folder: Callable[[Files], Path],
) -> None:
    data = retrieval(folder(given()))
    facts = data.facts()
    assert (facts["queries"], facts["texts"], facts["judgements"], facts["left_out"]) == (3, 12, 36, 1)
    assert facts["reasons"] == ["The query on line 5 of queries.csv has no relevant text."]
    assert data.relevant.toarray().tolist() == np.repeat(np.eye(3), 4, axis=1).tolist()


def test_a_query_that_is_itself_a_text_does_not_find_itself(
    folder: Callable[[Files], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    files = given()
    itself = [("cat", "cat"), ("oak", "sea")]  # the second id only coincides
    files["texts.csv"] = [*files["texts.csv"], *itself]
    files["judgements.tsv"] = [*files["judgements.tsv"], ("cat", "cat", "1")]
    data = retrieval(folder(files))
    assert data.itself.tolist() == [12, -1, -1]
    assert data.facts()["sentence"].endswith(
        "4.0 relevant to a query on average; queries that are texts themselves, and don't find themselves: 1"
    )
    found = data.by_words_alone(lambda share: None).values["recall@10"]
    assert found.tolist() == [0.0, 0.0, 0.0]
    report, _ = measured(data, [vectors("themes")], tmp_path)
    precision = report["scores"][1]["figures"][0]["value"]
    assert precision == pytest.approx(40.0)


def test_the_layout_of_beir_is_read_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "beir"
    (own / "qrels").mkdir(parents=True)
    texts = [{"_id": f"d{i}", "title": f"Title {i}", "text": f"body{i}", "metadata": {}} for i in range(11)]
    queries = [{"_id": f"q{i}", "text": "why"} for i in range(2)]
    with gzip.open(own / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(one)}\n" for one in texts)
    (own / "queries.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in queries))
    (own / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td9\t1\n")
    (own / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td1\t1\nq1\td2\t2\n")
    data = retrieval(own)
    assert data.texts[1] == "Title 1 body1"
    assert [one.tolist() for one in data.relevant.nonzero()] == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("judgements.tsv", lambda rows: [*rows, ("cat", "d", "1")], "on line 38 .* “d”, which is not in texts.csv"),
        ("judgements.tsv", lambda rows: [*rows, ("cow", "cat1", "1")], "on line 38 .* “cow”, which is not in queries"),
        ("judgements.tsv", lambda rows: [*rows, ("cat", "cat1", "yes")], "on line 38 .* the score “yes”"),
        ("judgements.tsv", lambda rows: rows[:2], "relevant texts for 1 of the queries"),
        ("judgements.tsv", lambda rows: [("a", "b", "c")], "Write a header with the column “query-id”"),
        ("texts.csv", lambda rows: [*rows, ("cat1", "again")], "on line 14 .* that of the record on line 3 of texts"),
        ("texts.csv", lambda rows: [*rows, (" ", "again")], "on line 14 of texts.csv has no id"),
        ("texts.csv", lambda rows: rows[:11], "has only 10 texts"),
        (
            "texts.csv",
            lambda rows: [rows[0], *((row[0], "...") for row in rows[1:])],
            "No text of texts.csv has a word",
        ),
        ("queries.csv", lambda rows: [("id", "query"), *rows], "no column “text”"),
        ("corpus.csv", lambda rows: [("id", "text")], "the files “corpus.csv”, “texts.csv”; keep one"),
    ],
)
def test_an_error_of_the_data_is_named_with_its_line(
    folder: Callable[[Files], Path],
    name: str,
    change: Callable[[Sequence[Sequence[str]]], Sequence[Sequence[str]]],
    said: str,
) -> None:
    files = given()
    with pytest.raises(InputError, match=said):
        retrieval(folder(files | {name: change(files.get(name, []))}))


def test_a_folder_without_judgements_is_refused(folder: Callable[[Files], Path]) -> None:
    files = given()
    del files["judgements.tsv"]
    with pytest.raises(InputError, match=r"no file judgements\.csv"):
        retrieval(folder(files))


def test_texts_with_equal_scores_count_by_the_expectation_over_their_orders() -> None:
    scores = np.array([[9.0] * 8 + [5.0] * 4 + [1.0] * 3, [7.0] * 15, [3.0, 2.0] + [-np.inf] * 13])
    relevant = np.zeros((3, 15), dtype=bool)
    relevant[0, [0, 8, 9, 10, 14]] = True  # one is first; of four for two places, three are relevant
    relevant[1, :6] = True
    relevant[2, [1, 2]] = True  # what isn't found doesn't count
    assert expected_hits(scores, relevant).tolist() == pytest.approx([1 + 2 * 3 / 4, 10 * 6 / 15, 1.0])


def test_vectors_that_know_the_themes_find_what_shares_no_word_with_the_query(
    folder: Callable[[Files], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    files = [vectors("knowing"), vectors("random", knows=False)]
    report, differing = measured(retrieval(folder(given())), files, tmp_path)
    words, knowing, _ = report["scores"]
    assert (words["name"], words["known"]) == (Retrieval.floor, None)
    assert [figure["name"] for figure in knowing["figures"]] == [f"precision@{DEPTH}", f"recall@{DEPTH}"]
    assert [figure["value"] for figure in words["figures"]] == [0.0, 0.0]
    assert [figure["value"] for figure in knowing["figures"]] == pytest.approx([40.0, 100.0])
    assert report["comparisons"][1]["verdict"] == "not inferior"
    assert differing["rows"][0]["answers"][0] == {"answer": "nothing", "right": 0.0}
    assert differing["rows"][0]["gold"].count("✓") == 3
    assert REPORT.validate_json(REPORT.dump_json(report)) == report
    assert DISAGREEMENTS.validate_json(DISAGREEMENTS.dump_json(differing)) == differing


def test_a_query_without_a_known_word_finds_nothing_and_is_counted(
    folder: Callable[[Files], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    files = [vectors("whole"), vectors("lacking", leaves_out=["cat"])]
    report, differing = measured(retrieval(folder(given())), files, tmp_path)
    assert [one["without_words"] for one in report["scores"]] == [None, 0, 1]
    assert report["scores"][2]["figures"][1]["value"] == pytest.approx(200 / 3)
    assert differing["rows"][0]["text"] == "cat"
    assert differing["rows"][0]["answers"][2]["answer"] == "nothing"


def test_the_verdict_is_that_of_paired_queries(
    folder: Callable[[Files], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    files = [vectors("whole"), vectors("lacking", leaves_out=["cat"])]
    found = measured(retrieval(folder(given())), files, tmp_path)[0]["comparisons"][0]
    # Differences of −40, 0 and 0 points; Student's t with two degrees of freedom is 2.9200.
    error = math.sqrt(1600 / 3) / math.sqrt(3)
    assert found["difference"] == pytest.approx(-40 / 3)
    assert found["lower"] == pytest.approx(-40 / 3 - 2.9200 * error, abs=1e-2)
    assert found["verdict"] == "can't tell"


def test_blocks_of_queries_change_nothing(
    folder: Callable[[Files], Path], vectors: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, files = retrieval(folder(given())), [vectors("random", knows=False)]
    at_once = measured(data, files, tmp_path)[1]
    monkeypatch.setattr("extensions.own.measure.retrieval._BLOCK", 1)
    assert measured(data, files, tmp_path)[1] == at_once


def test_the_command_takes_a_folder_and_no_option_of_labelled_texts(
    folder: Callable[[Files], Path],
    vectors: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    own, files = str(folder(given())), [str(vectors("knowing")), str(vectors("random", knows=False))]
    assert main(["own", own, *files, "--suite", "demo"]) == 0
    printed, warned = capsys.readouterr()
    assert "3 queries, 12 texts; 4.0 relevant to a query on average" in printed
    assert "queries that knowing.txt answers better than random.txt (its answer first):" in printed
    assert "has no relevant text" in warned
    assert main(["own", own, *files, "--label-field", "queue"]) == 2
    assert "--label-field" in capsys.readouterr().err
