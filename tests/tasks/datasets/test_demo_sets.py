"""The generated demo sets: identical everywhere, and learnable from geometry only."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest

from tasks.baseline.corpus_text import corpus_lines
from tasks.datasets import demo
from tasks.datasets.demo import Draw
from tasks.datasets.examples import PARTS, LabelledPair, Parts, TaggedSentence
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.suites import SUITES

GENERATED = {
    "demo-pos": demo.grammar_words,
    "demo-chunk": demo.grammar_words,
    "demo-ner": demo.name_words,
    "demo-sentiment": demo.opinion_words,
    "demo-questions": demo.topic_words,
    "demo-nli": demo.topic_words,
}
LISTS = {
    "nouns": demo.NOUNS,
    "verbs": demo.VERBS,
    "adjectives": demo.ADJECTIVES,
    "adverbs": demo.ADVERBS,
    "first names": demo.FIRST_NAMES,
    "last names": demo.LAST_NAMES,
    "places": demo.PLACES,
    "nationalities": demo.NATIONALITIES,
    **demo.POLAR,
    **demo.TOPICS,
}


def load(dataset: str) -> Parts:
    reader = REGISTRY[dataset].reader
    assert reader is not None
    return reader(lambda path: pytest.fail(f"a generated set reads {path}"))


def words_of(parts: Parts, part: str) -> set[str]:
    """Lower-cased words of a part, of tagged sentences, texts and pairs alike."""
    pairs = [example for example in parts[part] if isinstance(example, LabelledPair)]
    found = [example.words for example in parts[part] if not isinstance(example, LabelledPair)]
    found += [pair.first + pair.second for pair in pairs]
    return {word.lower() for text in found for word in text}


def test_the_draws_are_those_of_splitmix64() -> None:
    draw = Draw(1234567)
    drawn = [draw.below(2**64) for _ in range(3)]
    assert drawn == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def content_sha256(parts: Parts) -> str:
    """Content hash of examples: SHA-256 of their JSON, one example a line under the name of its part.

    Of a tagged sentence, words and tags: generated ones belong to no document.
    """
    digest = hashlib.sha256()
    for part, examples in parts.items():
        digest.update(f"{part}\n".encode())
        rows = [example[:2] if isinstance(example, TaggedSentence) else example for example in examples]
        digest.update("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("dataset", GENERATED)
def test_the_content_is_pinned(dataset: str) -> None:
    assert content_sha256(load(dataset)) == REGISTRY[dataset].sha256


@pytest.mark.parametrize("dataset", GENERATED)
def test_no_content_word_of_dev_or_test_occurs_in_train(dataset: str) -> None:
    parts, content = load(dataset), GENERATED[dataset]
    seen = words_of(parts, "train")
    for part in ("dev", "test"):
        new = {word for words in content(part).values() for word in words}
        assert len(new & words_of(parts, part)) > 10
        assert not new & seen


@pytest.mark.parametrize("dataset", GENERATED)
def test_every_label_of_test_is_learned_and_none_is_nearly_all(dataset: str) -> None:
    parts = load(dataset)
    counts = {part: Counter(_labels(parts, part)) for part in parts}
    assert set(counts["train"]) == set(counts["dev"]) == set(counts["test"])
    assert max(counts["test"].values()) < 0.6 * counts["test"].total()


def _labels(parts: Parts, part: str) -> list[str]:
    last = [example.tags if isinstance(example, TaggedSentence) else example[-1] for example in parts[part]]
    return [tag for tags in last for tag in tags] if isinstance(last[0], tuple) else last


def test_a_word_has_one_class_within_a_set() -> None:
    for content in set(GENERATED.values()):
        words = [word for part in PARTS for words in content(part).values() for word in words]
        assert [word for word, count in Counter(words).items() if count > 1] == []


@pytest.mark.slow
def test_every_content_word_and_most_others_occur_ten_times_in_the_demo_corpus() -> None:
    """Slow, as the hashes of both are pinned."""
    lines = corpus_lines(SUITES["demo"], DataStore.default())
    counts = Counter(word for line in lines for word in line.split(" "))
    assert [word for words in LISTS.values() for word in words if counts[word] < 10] == []
    words = {word for dataset in GENERATED for part in PARTS for word in words_of(load(dataset), part)}
    rare = {word for word in words if counts[word] < 10}
    assert len(rare) <= 3, rare
