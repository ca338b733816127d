"""Train, dev and test: the rules, and what they give on the real sets."""

from __future__ import annotations

import hashlib
import random

import pytest

from tasks.datasets import DataStore
from tasks.datasets.examples import LabelledText, Parts
from tasks.datasets.splits import old_python_permutation, split
from tasks.suites import SUITES


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


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no split rule 'random'"):
        split(texts(3), {"rule": "random"})


REAL_SIZES = {
    "pos": (12_544, 2_001, 2_077),
    "chunk": (8_043, 893, 2_012),
    "ner": (10_431, 1_159, 11_597),
    "sentiment": (6_920, 872, 1_821),
    "questions": (4_907, 545, 500),
    "nli": (20_211, 2_245, 4_000),
}


@pytest.mark.data
@pytest.mark.parametrize("task_id", REAL_SIZES)
def test_the_real_sets_split_into_their_documented_sizes(real_store: DataStore, task_id: str) -> None:
    task = SUITES["open-2026"].task(task_id)
    assert sizes(split(real_store.load(task.dataset), task.options["split"])) == REAL_SIZES[task_id]


@pytest.mark.data
def test_the_inference_test_set_is_pinned(real_store: DataStore) -> None:
    task = SUITES["open-2026"].task("nli")
    parts = real_store.load(task.dataset)
    ids = old_python_permutation(len(parts["all"]), 137)[:4_000]
    digest = hashlib.sha256(" ".join(map(str, ids)).encode()).hexdigest()
    assert digest == "bdd5478eb18521b30640001764d4d1801713068a59a84de1040c3e50b79f2582"
    assert split(parts, task.options["split"])["test"] == [parts["all"][i] for i in ids]
