"""The ten association tests as tasks of the suite: golden values, unknown words, several runs, hashes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tasks.associations.measure import plain_name
from tasks.base import ASSOCIATION
from tasks.cells import evaluate_cell
from tasks.coverage import counted_words
from tasks.datasets.examples import ListedWord, Parts
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.formats import read
from tasks.hashes import task_hash
from tasks.prepared import store as prepare
from tasks.results import CellResult, plain, typed
from tasks.secondary import AssociationFigures
from tasks.suites import OPEN_2026, SUITES
from tasks.vectors import Embedding, content_hash
from tasks.word_tasks import ASSOCIATION_TASKS
from tests.tasks.intrinsic.conftest import GOLDEN, Invented, measure

WEAT_6 = OPEN_2026.task("weat-6")
LISTS = {name: [f"{name}-{letter}" for letter in "abcdef"] for name in WEAT_6.options["lists"]}


def invented() -> Invented:
    lists: Parts = {name: [ListedWord(word) for word in words] for name, words in LISTS.items()}
    return Invented({"weat": lists})


def vectors(seed: int = 0, without: tuple[str, ...] = ()) -> Embedding:
    """Random vectors of the lists' words; those of the first targets lean towards the first attributes."""
    generator = np.random.default_rng(seed)
    x, _, a, _ = LISTS
    leaning = {x: 2.0, a: 2.0}
    words = [word for name in LISTS for word in LISTS[name]]
    matrix = generator.normal(size=(len(words), 8)).astype(np.float32)
    matrix[:, 0] += [leaning.get(name, 0.0) for name in LISTS for _ in LISTS[name]]
    kept = [i for i, word in enumerate(words) if word not in without]
    known = [words[i] for i in kept]
    return Embedding("made", known, matrix[kept], content_hash(known, matrix[kept]))


def test_they_are_the_ten_tests_of_the_suite_and_describe() -> None:
    mine = [task for task in OPEN_2026.tasks if task.family.group == "Associations"]
    assert [task.id for task in mine] == [f"weat-{n}" for n in range(1, 11)]
    assert all(task.descriptive and task.modes == (None,) for task in mine)
    others = (task for suite in SUITES.values() if suite is not OPEN_2026 for task in suite.tasks)
    assert all(task.family is not ASSOCIATION for task in others)


@pytest.mark.data
@pytest.mark.skipif(not (GOLDEN / "weat").is_dir(), reason="the golden files are not here")
def test_scores_are_those_of_the_source(store: DataStore) -> None:
    embedding = read(GOLDEN / "weat/word2vec-news-300-weat-words.txt")
    expectations = json.loads((GOLDEN / "weat/expected.json").read_text())["tests"]
    published = {tuple(one["targets"] + one["attributes"]): one for one in expectations}
    for task in ASSOCIATION_TASKS:
        expected = published.pop(tuple(task.options["lists"]), None)
        if expected is not None:
            result = measure(task, embedding, store)
            assert result.score == pytest.approx(expected["d"], abs=0.002)
            assert result.figures(AssociationFigures)["missing"] == expected.get("missing", [])
    assert published == {}


def test_a_result_has_interval_p_and_every_target_word() -> None:
    result = measure(WEAT_6, vectors(without=("career-a",)), invented())
    figures = result.figures(AssociationFigures)
    assert result.descriptive
    assert result.metric == "effect size"
    assert result.interval is not None
    assert result.interval[0] < result.score < result.interval[1]
    assert (figures["known"], figures["words"], figures["missing"]) == (23, 24, ["career-a"])
    assert figures["p"] < 0.05
    assert figures["exact"]
    assert result.n == len(figures["single"]) == 12
    assert "runs" not in figures
    assert typed(CellResult, json.loads(json.dumps(plain(result), allow_nan=False))) == result


def test_a_fifth_of_a_list_unknown_gives_no_score_and_names_the_words() -> None:
    with pytest.raises(NoScore, match="2 of the 6 words of “family”: family-b, family-e"):
        measure(WEAT_6, vectors(without=("family-b", "family-e")), invented())


def test_several_runs_have_a_d_each_and_the_score_is_that_of_the_file(tmp_path: Path) -> None:
    own, other, lacking = vectors(0), vectors(1), vectors(2, without=("family-b", "family-e"))
    runs = [prepare(run, tmp_path) for run in (other, lacking)]
    result = evaluate_cell(own, OPEN_2026, WEAT_6, None, data=invented(), runs=runs)
    alone = [measure(WEAT_6, run, invented()).score for run in (own, other)]
    assert result.figures(AssociationFigures)["runs"] == [*alone, None]
    assert result.score == alone[0]


def test_the_words_that_a_check_counts_are_those_of_the_four_lists(store: DataStore) -> None:
    if not store.status("weat").available:
        pytest.skip("the data set weat is not here")
    counted = counted_words(WEAT_6, store)
    assert {"executive", "home", "Amy", "John"} <= set(counted.words)
    assert len(counted.words) == 32


def test_another_list_is_another_definition() -> None:
    changed = replace(WEAT_6, options={"lists": ("a", "b", "c", "d")})
    assert task_hash(OPEN_2026, changed, None) != task_hash(OPEN_2026, WEAT_6, None)


def test_lists_have_plain_names_that_differ_within_a_test() -> None:
    plain = [[plain_name(name) for name in task.options["lists"]] for task in ASSOCIATION_TASKS]
    assert not any(re.search(r"_|\d", name) for names in plain for name in names)
    assert all(len(set(names)) == 4 for names in plain)
    assert plain[2] == ["European American names", "African American names", "pleasant", "unpleasant"]
    assert plain[9][1] == "old people's names"
