"""Train, dev and test: the rules, and their results on the real sets."""

from __future__ import annotations

import hashlib
import random

import pytest

from tasks.datasets.examples import LabelledPair, LabelledText, Parts, old_python_permutation, split
from tasks.datasets.store import DataStore
from tasks.suites import OPEN_2026, VECEVAL_2016


def texts(n: int) -> Parts:
    return {"all": [LabelledText((str(i),), "x") for i in range(n)]}


def sizes(parts: dict[str, list]) -> tuple[int, int, int]:
    return len(parts["train"]), len(parts["dev"]), len(parts["test"])


def test_published_parts_are_used_as_they_are() -> None:
    parts = {"train": [1], "dev": [2], "test": [3], "other": [4]}
    assert split(parts, {"rule": "published"}) == {"train": [1], "dev": [2], "test": [3]}


def test_the_last_share_is_dev_rounded_down() -> None:
    parts = {"val": list(range(19)), "test": [99]}
    cut = split(parts, {"rule": "last-share", "of": "val", "share": 0.1})
    assert cut == {"train": list(range(18)), "dev": [18], "test": [99]}


def test_the_old_shuffle_draws_as_the_protocol_writes_it_and_not_as_python_does_today() -> None:
    order = list(range(50))
    generator = random.Random(137)
    for i in reversed(range(1, len(order))):
        j = int(generator.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    assert old_python_permutation(50, 137) == order
    today = list(range(50))
    random.Random(137).shuffle(today)
    assert old_python_permutation(50, 137) != today


def test_the_old_shuffle_cuts_test_then_dev_then_train() -> None:
    cut = split(texts(100), {"rule": "old-python-shuffle", "seed": 137, "test": 40, "dev_share": 0.1})
    drawn = [int(text.words[0]) for part in ("test", "dev", "train") for text in cut[part]]
    assert sizes(cut) == (54, 6, 40)
    assert drawn == old_python_permutation(100, 137)


BY_WORD = {"rule": "by-word", "of": "set", "train_percent": 50, "dev_percent": 15}


def test_no_word_of_a_split_by_word_is_in_two_parts_and_repetitions_count_once() -> None:
    generator = random.Random(1)
    drawn = [LabelledPair((f"w{generator.randrange(60)}",), (f"W{generator.randrange(60)}",), "x") for _ in range(3000)]
    cut = split({"set/a": drawn[:2000], "set/b": drawn[2000:], "settle/a": [1]}, BY_WORD)
    words = {part: {word.lower() for pair in pairs for word in pair.first + pair.second} for part, pairs in cut.items()}
    assert all(cut.values())
    assert not words["train"] & words["dev"]
    assert not words["train"] & words["test"]
    assert not words["dev"] & words["test"]
    assert sum(map(len, cut.values())) == len({pair for part in cut.values() for pair in part}) < len(set(drawn))


def test_a_words_part_is_what_the_protocol_writes() -> None:
    for word in ("house", "Turtle", "phone", "été"):
        number = int(hashlib.sha256(word.lower().encode()).hexdigest()[:8], 16) % 100
        expected = "train" if number < 50 else "dev" if number < 65 else "test"
        pair = LabelledPair((word,), (word,), "x")
        assert split({"set/a": [pair]}, BY_WORD)[expected] == [pair]


def test_texts_of_the_test_part_leave_the_others() -> None:
    def text(words: str) -> LabelledText:
        return LabelledText(tuple(words.split()), "x")

    parts = {"train": [text("Who is it ?"), text("who is he ?"), text("why ?")], "test": [text("who  IS it ?")]}
    cut = split(parts, {"rule": "last-share", "of": "train", "share": 0.5, "without_test": True})
    assert cut == {"train": [text("who is he ?")], "dev": [text("why ?")], "test": parts["test"]}


def test_pairs_whose_premise_is_tested_leave_train_and_those_of_train_leave_dev() -> None:
    def pair(first: str, second: str) -> LabelledPair:
        return LabelledPair(tuple(first.split()), tuple(second.split()), "x")

    parts = {
        "train": [pair("A dog", "b"), pair("a cat", "b"), pair("c", "a dog")],
        "dev": [pair("A Cat", "d"), pair("a  dog", "d"), pair("e", "a cat")],
        "test": [pair("a dog", "f")],
    }
    cut = split(parts, {"rule": "published", "without_test": True, "without_train": True})
    assert cut == {"train": parts["train"][1:], "dev": parts["dev"][2:], "test": parts["test"]}
    assert split(parts, {"rule": "published"}) == parts


def test_few_examples_are_drawn_once_and_leave_dev_and_test_alone() -> None:
    whole = {"train": list(range(100)), "dev": [1], "test": [2]}
    few = split(dict(whole), {"rule": "published", "few": 10, "seed": 0})
    assert few["train"] == split(dict(whole), {"rule": "published", "few": 10, "seed": 0})["train"]
    assert len(set(few["train"])) == 10
    assert few["train"] != list(range(10))
    assert (few["dev"], few["test"]) == ([1], [2])
    assert split(dict(whole), {"rule": "published", "few": 200, "seed": 0})["train"] != whole["train"]


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no split rule 'random'"):
        split(texts(3), {"rule": "random"})


REAL_SIZES = {
    "pos": (12_544, 2_001, 2_077),
    "chunk": (8_043, 893, 2_012),
    "ner": (10_431, 1_159, 11_597),
    "sentiment": (6_920, 872, 1_821),
    "questions": (4_897, 544, 500),
    "lexical-inference": (2_977, 286, 1_623),
    "nli": (20_211, 2_245, 4_000),
    "sentence-inference": (17_999, 1_724, 9_824),
    "sentiment-500": (500, 872, 1_821),
    "ner-500": (500, 1_159, 11_597),
    "lexical-inference-bless": (6_087, 579, 3_543),
    "lexical-inference-evalution": (1_621, 223, 895),
}


@pytest.mark.data
@pytest.mark.parametrize("task_id", REAL_SIZES)
def test_the_real_sets_split_into_their_documented_sizes(real_store: DataStore, task_id: str) -> None:
    task = {task.id: task for suite in (VECEVAL_2016, OPEN_2026) for task in suite.extrinsic_tasks}[task_id]
    assert sizes(split(real_store.load(task.dataset), task.options["split"])) == REAL_SIZES[task_id]


@pytest.mark.data
def test_the_inference_test_set_is_pinned(real_store: DataStore) -> None:
    task = VECEVAL_2016.task("nli")
    parts = real_store.load(task.dataset)
    ids = old_python_permutation(len(parts["all"]), 137)[:4_000]
    digest = hashlib.sha256(" ".join(map(str, ids)).encode()).hexdigest()
    assert digest == "bdd5478eb18521b30640001764d4d1801713068a59a84de1040c3e50b79f2582"
    assert split(parts, task.options["split"])["test"] == [parts["all"][i] for i in ids]
