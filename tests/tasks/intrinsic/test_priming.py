"""Semantic priming on invented times: sign, missing times, repeated pairs, letter case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from tasks.datasets.examples import Example, PrimedTarget, ScoredPair
from tasks.datasets.readers import Priming
from tasks.errors import NoScore
from tasks.intrinsic.priming import primed_pairs
from tasks.metrics.distances import paired_cosines
from tasks.results import UNITS, CellResult
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tests.tasks.intrinsic.conftest import Invented, measure
from tests.tasks.made import random_embedding

PRIMES, TARGETS = [f"prime{i}" for i in range(60)], [f"target{i}" for i in range(60)]
VECTORS = random_embedding(PRIMES + TARGETS)


def pair(i: int, time: float | None, fold: int | None = 5) -> PrimedTarget:
    return PrimedTarget(TARGETS[i], PRIMES[i].upper(), "first_related", fold, time, time, time, time)


def times(seed: int = 0) -> list[float]:
    return np.random.default_rng(seed).uniform(400, 900, size=60).tolist()


def evaluate(pairs: list[PrimedTarget], vectors: Embedding = VECTORS, **sets: list[Example]) -> CellResult:
    store = Invented({"spp": {"all": list(pairs)}} | ({"word-sim": sets} if sets else {}))
    return measure("priming-nt-200", vectors, store)


def test_faster_reactions_to_nearer_primes_are_a_positive_score() -> None:
    cosines = paired_cosines(VECTORS.matrix[:60], VECTORS.matrix[60:])
    measured = evaluate([pair(i, 600 - 100 * cosine) for i, cosine in enumerate(cosines)])
    assert measured.score == pytest.approx(1.0)
    assert measured.secondary["rho"] == pytest.approx(-1.0)


def test_within_a_target_slow_targets_no_longer_hide_the_effect_of_the_prime() -> None:
    """Twenty targets with three primes each: people differ more between targets than primes explain."""
    cosines = paired_cosines(VECTORS.matrix[:60], np.repeat(VECTORS.matrix[60:80], 3, axis=0))
    slow = np.repeat(np.random.default_rng(1).uniform(0, 5000, 20), 3)
    deviations = cosines - np.repeat(cosines.reshape(20, 3).mean(axis=1), 3)
    pairs = [
        PrimedTarget(TARGETS[i // 3], PRIMES[i], "first_related", 5, *[600 + slow[i] - 100 * deviations[i]] * 4)
        for i in range(60)
    ]
    measured = evaluate([*pairs, pair(59, 900.0)])
    assert measured.secondary["within_target"] == pytest.approx(1.0)
    assert measured.secondary["within_pairs"] == 60
    assert abs(measured.score) < 0.5
    assert evaluate([pair(i, time) for i, time in enumerate(times())]).secondary["within_target"] is None


def test_the_outcomes_give_the_score() -> None:
    measured = evaluate([pair(i, time) for i, time in enumerate(times())])
    assert measured.outcomes is not None
    predicted, gold = measured.outcomes.column("predicted"), measured.outcomes.column("gold")
    assert spearmanr(predicted, gold).statistic == pytest.approx(measured.score)


def test_a_prime_that_is_also_a_target_is_one_unit() -> None:
    pairs = [pair(i, time) for i, time in enumerate(times())]
    pairs[1] = PrimedTarget(PRIMES[0], TARGETS[0].upper(), "first_related", 5, *[500.0] * 4)
    outcomes = evaluate([pair(59, 1.0, fold=0), *pairs[:40]]).outcomes
    assert outcomes is not None
    assert outcomes.columns == ("predicted", "gold", "target", *UNITS)
    assert [outcomes.column(name)[:4].tolist() for name in UNITS] == [[0, 1, 2, 4], [1, 0, 3, 5]]


def test_a_prime_in_capitals_is_not_the_acronym() -> None:
    """A cased file has CAT and US as well as cat and us; the primes are printed in capitals."""
    acronyms = random_embedding([prime.upper() for prime in PRIMES], seed=9)
    both = np.concatenate([acronyms.matrix, VECTORS.matrix])
    cased = Embedding("cased", (*acronyms.words, *VECTORS.words), both, "")
    pairs = [pair(i, time) for i, time in enumerate(times())]
    assert evaluate(pairs, cased).score == evaluate(pairs).score


def test_missing_times_are_left_out_and_counted() -> None:
    whole = times()
    measured = evaluate([pair(i, None if i < 13 else time) for i, time in enumerate(whole)])
    assert (measured.n, measured.secondary["pairs"]) == (47, 60)
    assert measured.score == pytest.approx(evaluate([pair(i, whole[i]) for i in range(13, 60)]).score)


def test_an_empty_field_of_the_file_is_a_missing_time() -> None:
    columns = ("target", "prime", "condition", "fold", "ldt_200_rt", "ldt_1200_rt", "nt_200_rt", "nt_1200_rt")
    rows = [",".join(columns), "true,NONE,first_related,3,500,,600,", "false,TRUE,first_related,,1,2,3,4"]
    found = Priming("x")(lambda path: ("\r\n".join(rows) + "\r\n").encode())["all"]
    assert found[0] == PrimedTarget("true", "NONE", "first_related", 3, 500.0, None, 600.0, None)


def test_only_the_test_folds_of_the_first_partition_are_the_headline() -> None:
    pairs = [pair(i, time, fold=i % 10) for i, time in enumerate(times())]
    measured = evaluate([*pairs, pair(0, 1.0, fold=None)])
    counts = {part: figures["pairs"] for part, figures in measured.secondary["partitions"].items()}
    assert counts == {"p1_dev": 12, "p1_test": 48, "p2_dev": 12, "p2_test": 12, "p2_train": 36}
    assert measured.n == 48


def test_of_a_repeated_pair_the_first_counts_whatever_its_case() -> None:
    first, again = pair(0, 500.0), replace_case(pair(0, 900.0))
    assert primed_pairs([first, again, pair(1, 600.0)]) == [first, pair(1, 600.0)]


def replace_case(example: PrimedTarget) -> PrimedTarget:
    return example._replace(target=example.target.upper(), prime=example.prime.lower())


def test_fewer_than_ten_known_pairs_give_no_score() -> None:
    with pytest.raises(NoScore, match="a score needs 10"):
        evaluate([pair(i, time) for i, time in enumerate(times()[:9])])


def test_constant_vectors_have_no_score() -> None:
    constant = replace(VECTORS, matrix=np.full((120, 4), 0.1, dtype=np.float32))
    with pytest.raises(NoScore, match="same cosine"):
        evaluate([pair(i, time) for i, time in enumerate(times())], constant)


def test_similarity_sets_that_share_sixteen_pairs_are_compared_but_not_those_of_verbs() -> None:
    whole = times()
    pairs = [pair(i, time) for i, time in enumerate(whole)]
    scored: list[Example] = [ScoredPair(TARGETS[i], PRIMES[i], -whole[i]) for i in range(16)]
    table = evaluate(pairs, MEN=scored, RG=scored[:15], **{"EN-SimVerb-3500": scored}).secondary["similarity_sets"]
    assert table == {"men": {"rho": pytest.approx(-1.0), "pairs": 16}}


def test_without_the_similarity_sets_there_is_a_score_but_no_table() -> None:
    measured = evaluate([pair(i, time) for i, time in enumerate(times())])
    assert measured.secondary["similarity_sets"] is None


def test_the_four_conditions_read_four_times() -> None:
    assert len({OPEN_2026.task(f"priming-{c}").options["condition"] for c in ("ldt-200", "ldt-1200", "nt-200")}) == 3
