"""Folds, cues, pairs and areas against examples counted by hand and brute force."""

from __future__ import annotations

import numpy as np
import pytest

from extensions.associations.measure.contexts import WINDOW, Tokens
from extensions.sufficiency.measure.pairs import (
    COMMON,
    LEAST_OCCURRENCES,
    MOST_APART,
    NEGATIVES,
    CentredVectors,
    CuePairs,
    drawn_cues,
    folds_of,
    pairs_named,
    pairs_near,
)
from tasks.datasets.examples import Document
from tasks.errors import InputError

WORDS = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(150)]


def written(groups: int = 12, length: int = 300, seed: int = 0) -> Tokens:
    draw = np.random.default_rng(seed)
    texts = ["\n".join(" ".join(draw.choice(WORDS, length // 3)) for _ in range(3)) for _ in range(groups)]
    return Tokens.of([Document(str(i), "", text) for i, text in enumerate(texts)])


def test_folds_are_a_random_partition_balanced_by_tokens() -> None:
    sizes = np.random.default_rng(0).integers(50, 500, 60)
    first, second = (folds_of(sizes, 4, np.random.default_rng(seed)) for seed in (1, 2))
    assert (first != second).any()
    for found in (first, second):
        filled = np.bincount(found, weights=sizes, minlength=4)
        assert filled.max() < 1.1 * filled.min()


def test_neighbours_are_those_of_a_loop_and_their_others_are_equally_frequent_and_not_near() -> None:
    part = written(2)
    counts = part.counts
    for cue in (3, 40):
        near = set()
        for i in np.flatnonzero(part.ids == cue):
            for j in range(max(0, i - WINDOW), min(len(part.ids), i + WINDOW + 1)):
                if part.paragraphs[i] == part.paragraphs[j] and part.ids[j] != cue:
                    near.add(int(part.ids[j]))
        found = pairs_near(part, counts, [cue], [1]).words
        assert len(found)
        assert set(found[:, 0].tolist()) <= near
        assert near.isdisjoint(found[:, 1:].ravel().tolist())
        assert cue not in found
        apart = counts[found[:, 1:]] / counts[found[:, :1]]
        assert apart.max() <= MOST_APART
        assert apart.min() >= 1 / MOST_APART
        for others in found[:, 1:]:
            assert len(set(others.tolist())) == NEGATIVES


def test_a_pair_counts_in_equal_parts_for_the_groups_where_the_words_are_near() -> None:
    part = written(6)
    cues = [3, 40]
    pairs = pairs_near(part, part.counts, cues, [1])
    values = np.random.default_rng(0).random(len(pairs.cues))
    expected: dict[tuple[int, int], float] = {}
    for i, word, value in zip(pairs.cues.tolist(), pairs.words[:, 0].tolist(), values.tolist(), strict=True):
        groups = set()
        for place in np.flatnonzero(part.ids == cues[i]):
            near = np.arange(max(0, place - WINDOW), min(len(part.ids), place + WINDOW + 1))
            near = near[part.paragraphs[near] == part.paragraphs[place]]
            groups |= {int(part.documents[place])} if word in part.ids[near] else set()
        for group in groups:
            expected[i, group] = expected.get((i, group), 0.0) + value / len(groups)
    by_group = pairs.by_group(values)
    assert dict(
        zip(zip(by_group[0].tolist(), by_group[1].tolist(), strict=True), by_group[2], strict=True)
    ) == pytest.approx(expected)
    assert pairs.by_group(np.ones(len(values)))[2].sum() == pytest.approx(len(values))


def test_a_neighbour_without_equally_frequent_others_is_left_out() -> None:
    common = Document("0", "", "often rare " + " ".join(["often"] * 50) + "\n" + " ".join(WORDS))
    part = Tokens.of([common])
    rare, often = part.types.index("rare"), part.types.index("often")
    assert often not in pairs_near(part, part.counts, [rare], [1]).words
    assert rare in pairs_near(part, part.counts, [often], [1]).words[:, 0]


def test_the_pairs_of_a_cue_do_not_depend_on_the_other_cues() -> None:
    part = written(3)
    alone, together = (pairs_near(part, part.counts, cues, [1, 2]) for cues in ([5], [7, 5]))
    np.testing.assert_array_equal(alone.words, together.words[together.cues == 1])
    assert not np.array_equal(pairs_near(part, part.counts, [5], [1, 3]).words, alone.words)


def test_random_cues_are_frequent_used_by_several_groups_and_not_too_common() -> None:
    lone = Document("lone", "", "lone " * LEAST_OCCURRENCES)
    texts = [Document(str(i), "", f"{'the ' * 2_500}rare {' '.join(WORDS * 2)}") for i in range(12)]
    tokens = Tokens.of([*texts, lone])
    assert tokens.counts[tokens.types.index("the")] > COMMON * len(tokens.ids)
    cues = drawn_cues(tokens, 500, 1)
    assert set(cues) == set(WORDS)
    assert drawn_cues(tokens, 20, 1) == drawn_cues(tokens, 20, 1) != drawn_cues(tokens, 20, 2)


def test_too_few_frequent_words_are_refused() -> None:
    with pytest.raises(InputError, match="needs more text"):
        drawn_cues(written(1), 200, 1)


def vectors(values: dict[int, float], types: int) -> CentredVectors:
    """Unit vectors in a plane, by their angle with type 0."""
    units = np.zeros((types, 2), dtype=np.float32)
    for i, angle in values.items():
        units[i] = np.cos(angle), np.sin(angle)
    return CentredVectors(units, np.isin(np.arange(types), list(values)))


def test_an_area_is_the_share_of_others_that_are_farther_and_ties_count_half() -> None:
    others = np.arange(2, 2 + NEGATIVES)
    pairs = CuePairs(np.zeros(1, dtype=np.int32), np.array([[1, *others]], dtype=np.int32))
    angles = {0: 0.0, 1: 0.5} | {int(i): 1.0 for i in others[:12]} | {int(i): 0.1 for i in others[12:18]}
    angles |= {int(i): 0.5 for i in others[18:]}
    assert vectors(angles, 30).areas(pairs, [0])[0] == pytest.approx((12 + 2 / 2) / 20)


def test_words_with_one_vector_up_to_rounding_are_ties_whatever_their_place() -> None:
    generator = np.random.default_rng(2)
    base = generator.standard_normal((3, 45))
    for types in range(30, 60):
        rows = np.tile(base[0], (types, 1)) + 1e-9 * generator.standard_normal((types, 45))
        rows[0], rows[-1] = base[1:]
        found = CentredVectors.of(np.ones(types, dtype=np.bool_), rows.astype(np.float32))
        pairs = CuePairs(np.zeros(1, dtype=np.int32), np.arange(1, 2 + NEGATIVES, dtype=np.int32)[None])
        assert found.areas(pairs, [0])[0] == 0.5


@pytest.mark.parametrize("missing", [0, 1])
def test_an_unknown_cue_or_neighbour_has_half_the_area(missing: int) -> None:
    pairs = CuePairs(np.zeros(1, dtype=np.int32), np.arange(1, 2 + NEGATIVES, dtype=np.int32)[None])
    angles = {i: 0.1 * i for i in range(30) if i != missing}
    assert vectors(angles, 30).areas(pairs, [0])[0] == 0.5


def test_an_unknown_other_word_is_a_tie_whatever_its_place() -> None:
    pairs = CuePairs(np.zeros(1, dtype=np.int32), np.arange(1, 2 + NEGATIVES, dtype=np.int32)[None])
    angles = {i: 0.1 * i for i in range(30) if i not in (2, 3)}
    assert vectors(angles, 30).areas(pairs, [0])[0] == pytest.approx((18 + 1) / 20)


def test_a_cue_without_pairs_has_no_area() -> None:
    none = CuePairs(np.empty(0, dtype=np.int32), np.empty((0, 1 + NEGATIVES), dtype=np.int32))
    assert np.isnan(vectors({0: 0.0}, 3).areas(none, [0])).all()


def test_vectors_are_centred_over_the_known_words() -> None:
    known = np.array([True, False, True])
    found = CentredVectors.of(known, np.array([[5.0, 1.0], [5.0, -1.0]], dtype=np.float32))
    np.testing.assert_allclose(found.units, [[0, 1], [0, 0], [0, -1]])


def test_words_that_people_name_are_compared_with_words_that_they_do_not_name() -> None:
    tokens = written(4)
    found = pairs_named({2: [4, 5]}, tokens.counts, [1])
    assert found.words[:, 0].tolist() == [4, 5]
    assert {2, 4, 5}.isdisjoint(found.words[:, 1:].ravel().tolist())
