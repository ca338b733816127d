"""Linear probes: texts as points, the choice of C, the scored examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tasks.datasets.examples import Document, Example, LabelledText
from tasks.datasets.store import DataStore
from tasks.metrics import ACCURACY
from tasks.probes import STRENGTHS, probe, text_vectors, units_of_posts, words_of
from tasks.results import UNITS
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tests.tasks.intrinsic.conftest import Invented, measure
from tests.tasks.made import embedding, random_embedding

LOOK_UP = OPEN_2026.look_up
GROUPS = [group for pair in OPEN_2026.task("20ng").options["pairs"] for group in pair]


def test_a_text_is_the_mean_of_its_known_words_each_time_they_stand_there() -> None:
    vectors = embedding(["a", "b"], np.array([[1, 2], [4, 8]], dtype=np.float32))
    found = text_vectors(vectors, LOOK_UP, [["a", "b", "a", "unheard"], ["A"], ["unheard"], []])
    assert found.means.tolist() == [[2, 4], [1, 2], [0, 0], [0, 0]]
    assert (found.coverage.tokens, found.coverage.types) == (4 / 6, 3 / 4)


def separable(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    generator = np.random.default_rng(seed)
    labels = np.array(["left", "right"])[np.arange(n) % 2]
    return generator.standard_normal((n, 3)) + 8.0 * (labels == "right")[:, None], labels


def test_a_probe_reads_what_a_line_can_separate() -> None:
    (train, labels), (test, gold) = separable(60), separable(40, seed=1)
    found = probe(train, labels, test)
    assert (found.predicted == gold).all()
    assert found.strength == STRENGTHS[0]  # the smallest of equally good ones


@pytest.mark.parametrize("dimensions", [3, 200])
def test_a_probe_on_noise_is_a_guess_and_seeded(dimensions: int) -> None:
    generator = np.random.default_rng(0)
    labels = generator.choice(["a", "b"], size=80)
    train, test = generator.standard_normal((2, 80, dimensions))
    first, again = probe(train, labels, test), probe(train, labels, test)
    assert 0.25 < np.mean(first.predicted == labels) < 0.75
    assert (first.predicted == again.predicted).all()


def test_both_solvers_for_several_classes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    labels = np.array(["a", "b", "c", "d"])[np.arange(240) % 4]
    train, test = generator.standard_normal((2, 240, 6)) + 1.5 * np.eye(4, 6)[np.arange(240) % 4]
    by_newton = probe(train, labels, test)
    monkeypatch.setattr("tasks.probes.LARGE_HESSIAN", 0)
    by_lbfgs = probe(train, labels, test)
    assert (by_lbfgs.strength, by_lbfgs.validation) == (by_newton.strength, by_newton.validation)
    assert by_lbfgs.predicted.tolist() == by_newton.predicted.tolist()


def test_constant_features_are_not_an_error() -> None:
    found = probe(np.ones((20, 3)), np.array(["a", "b"] * 10), np.ones((4, 3)))
    assert len(set(found.predicted.tolist())) == 1


def test_headers_footers_and_quotes_are_not_words_of_a_post() -> None:
    head, quote = "From: me@x.org\nSubject: hockey", "In article <1> somebody writes:\n> quoted words"
    post = f"{head}\n\n{quote}\nI don't agree, 3 times.\n\n--\nMy name"
    assert words_of(post) == ("I", "don't", "agree", ",", "3", "times", ".")


def newsgroup_store(counts: dict[str, int]) -> Invented:
    def posts(part: str, n: int) -> list[Example]:
        return [
            Document(f"{part}{group}{i}", group, f"Subject: x\n\n{'ball' if j % 2 else 'puck'} ball puck\n\nbye")
            for j, group in enumerate(GROUPS)
            for i in range(counts.get(group, n))
        ]

    return Invented({"20ng": {"train": posts("train", 12), "test": posts("test", 6)}})


def test_every_pair_of_groups_has_the_same_weight() -> None:
    vectors = random_embedding(["ball", "puck"], dimensions=4)
    measured = measure("20ng", vectors, newsgroup_store({GROUPS[0]: 30}))
    figures = measured.secondary["pairs"]
    assert len(figures) == 4
    assert measured.score == pytest.approx(np.mean([figure["accuracy"] for figure in figures.values()]))
    assert measured.outcomes is not None
    assert ACCURACY.of(measured.outcomes) == pytest.approx(measured.score)
    assert measured.n == len(measured.outcomes.values) == 30 + 7 * 6


def post(sender: str | None, subject: str | None) -> str:
    lines = [("From", sender), ("Subject", subject), ("Lines", "3")]
    return (
        "\n".join(f"{name}: {line}" for name, line in lines if line is not None) + "\n\nFrom: quoted\nSubject: quoted"
    )


def test_posts_share_authors_and_threads_which_share_no_number() -> None:
    found = units_of_posts(
        [
            post("Ann <Ann@X.org>", "Re: Hockey  tonight"),
            post("ann@x.org (A. Nother)\n <1993@news>", "RE:Re: hockey\n tonight"),
            post("ann@x.org", "hockey"),
            post("hockey", "Re[2]: Fwd: Hockey"),
        ]
    )
    assert found.tolist() == [[0, 0, 0, 3], [1, 1, 2, 2]]


def test_a_post_without_author_or_thread_shares_none() -> None:
    found = units_of_posts([post(None, "x"), post(None, "x"), post("", "Re: "), post("a@b.c", None)])
    assert found.tolist() == [[0, 2, 3, 5], [1, 1, 4, 6]]


def test_outcomes_of_posts_have_their_units_in_the_order_of_pairs() -> None:
    outcomes = measure("20ng", random_embedding(["ball", "puck"], dimensions=4), newsgroup_store({})).outcomes
    assert outcomes is not None
    assert outcomes.columns == ("correct", "total", *UNITS)
    assert outcomes.column(UNITS[0]).tolist() == [0, *range(2, 49)]
    assert set(outcomes.column(UNITS[1])) == {1}
    held = outcomes.predictions
    assert held is not None
    assert list(dict.fromkeys(held.named(held.gold))) == GROUPS
    assert ((held.gold == held.predicted) == (outcomes.column("correct") > 0)).all()


def sentence_store() -> Invented:
    def sentences(n: int) -> list[Example]:
        return [LabelledText((("good", "bad")[i % 2], "film"), str(i % 2)) for i in range(n)]

    return Invented({"sst2": {"train": sentences(40), "dev": sentences(4), "test": sentences(10)}})


def test_senti_is_read_from_the_mean_vector() -> None:
    vectors = embedding(["good", "bad", "film"], np.array([[1, 0], [-1, 0], [0, 1]], dtype=np.float32))
    measured = measure("senti", vectors, sentence_store())
    assert (measured.score, measured.n) == (1.0, 10)
    assert measured.coverage.tokens == 1.0


def test_without_a_known_word_the_probe_guesses() -> None:
    measured = measure("senti", random_embedding(["nothing", "here"]), sentence_store())
    assert (measured.score, measured.coverage.tokens) == (0.5, 0.0)
    assert measured.outcomes is not None
    held = measured.outcomes.predictions
    assert held is not None
    assert held.named(held.gold) == ["0", "1"] * 5
    assert (held.gold == held.predicted).tolist() == measured.outcomes.column("correct").tolist()


ADJECTIVES, NOUNS = [f"adjective{i}" for i in range(30)], [f"noun{i}" for i in range(7)]


def metaphors(decides: int) -> Invented:
    """Pairs of every adjective, some in capitals, with every noun; the parity of one of the two decides."""
    pairs: list[Example] = [
        LabelledText((adjective.upper() if j % 3 else adjective, noun), str((i, j)[decides] % 2))
        for i, adjective in enumerate(ADJECTIVES)
        for j, noun in enumerate(NOUNS)
    ]
    return Invented({"metaphor-an": {"train": pairs}})


METAPHOR = OPEN_2026.task("metaphor")
FOREST = replace(METAPHOR, options={**METAPHOR.options, "trees": 50})
"""With a tenth of the trees: what decides is as plain to them."""


def with_parity(words: list[str]) -> Embedding:
    """Noise vectors whose first component is the parity of the number in the word."""
    matrix = np.random.default_rng(3).normal(size=(len(words), 8)).astype(np.float32)
    matrix[:, 0] = [10 * (int(word[-1]) % 2) for word in words]
    return embedding(words, matrix)


@pytest.mark.parametrize("decides", [0, 1], ids=["adjective", "noun"])
def test_metaphor_is_read_from_both_words(decides: int) -> None:
    both = measure(FOREST, with_parity([*ADJECTIVES, *NOUNS]), metaphors(decides))
    assert (both.n, both.coverage.types) == (210, 1.0)
    assert both.score > 0.95
    assert len(both.secondary["folds"]) == 5
    assert both.outcomes is not None
    assert both.outcomes.columns == ("correct", "total", *UNITS)
    held = both.outcomes.predictions
    assert held is not None
    assert ((held.gold == held.predicted) == (both.outcomes.column("correct") > 0)).all()
    assert [both.outcomes.column(name)[[0, 1, 7, 209]].tolist() for name in UNITS] == [[0, 0, 8, 36], [1, 2, 1, 7]]
    one = measure(FOREST, with_parity([ADJECTIVES, NOUNS][1 - decides]), metaphors(decides))
    assert one.score < 0.75
    assert one.coverage.types < 1


def test_folds_keep_the_pairs_of_an_adjective_together() -> None:
    """Adjectives decide the label here: a forest that has not seen one can only guess."""
    measured = measure(FOREST, random_embedding([*ADJECTIVES, *NOUNS], dimensions=3), metaphors(0))
    assert measured.score < 0.75


@pytest.mark.data
def test_the_published_training_pairs_are_884_and_879() -> None:
    if not DataStore.default().status("metaphor-an").available:
        pytest.skip("the pairs are not there")
    pairs = [pair for pair in DataStore.default().load("metaphor-an")["train"] if isinstance(pair, LabelledText)]
    assert Counter(pair.label for pair in pairs) == {"metaphorical": 884, "literal": 879}
    assert all(len(pair.words) == 2 for pair in pairs)
