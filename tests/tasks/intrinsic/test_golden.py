"""The golden file: scores of the sources' own programs against ours."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.base import Context, Task
from tasks.datasets.store import DataStore
from tasks.vectors import Embedding
from tasks.word_tasks import PRIMING_TASKS, SIMILARITY_TASKS
from tests.tasks.intrinsic.conftest import Golden, measure

pytestmark = pytest.mark.data


@pytest.mark.parametrize("task", SIMILARITY_TASKS, ids=lambda task: task.id)
def test_similarity_is_that_of_eval_word_vectors(
    task: Task, golden: Golden, golden_vectors: Embedding, store: DataStore
) -> None:
    # The source's program adds 1e-6 to every component at each look-up, so the fifth decimal may differ.
    theirs = golden("eval-word-vectors")[task.options["part"]]
    ours = measure(task, golden_vectors, store)
    assert ours.score == pytest.approx(theirs["rho"], abs=1e-4)
    assert ours.secondary["pairs"] - ours.secondary["known"] == theirs["not_found"]


def test_qvec_is_that_of_the_sources_program(golden: Golden, golden_vectors: Embedding, store: DataStore) -> None:
    theirs = golden("qvec")
    ours = measure("qvec-en", golden_vectors, store)
    assert ours.score == pytest.approx(theirs["qvec semcor_noun_verb.supersenses.en"], abs=1e-4)
    for (number, name, r), row in zip(theirs["first dimensions"], ours.secondary["dimensions"], strict=False):
        assert (row["dimension"], row["property"]) == (int(number), name)
        assert row["r"] == pytest.approx(float(r), abs=1e-4)


@pytest.mark.parametrize(
    ("task", "part"), [("qvec-cca-en", "semcor_noun_verb.supersenses.en"), ("qvec-cca-ptb", "ptb.pos_tags")]
)
def test_qvec_cca_is_that_of_the_sources_program(
    task: str, part: str, golden: Golden, golden_vectors: Embedding, store: DataStore
) -> None:
    assert measure(task, golden_vectors, store).score == pytest.approx(golden("qvec")[f"cca {part}"], abs=1e-4)


def test_intrusion_is_within_three_standard_deviations_of_the_sources_program(
    golden: Golden, golden_vectors: Embedding, store: DataStore
) -> None:
    ours = measure("intrusion", golden_vectors, store)
    assert ours.sd is not None
    assert abs(ours.score - np.mean(golden("embedtrics")["dist_ratio_mean_of_10_runs"])) < 3 * ours.sd
    assert ours.sd < 0.03


@pytest.mark.parametrize("task", PRIMING_TASKS, ids=lambda task: task.id)
@pytest.mark.parametrize("part", ["p1_dev", "p1_test"])
def test_priming_is_that_of_the_sources_program(
    task: Task, part: str, golden: Golden, golden_vectors: Embedding, store: DataStore
) -> None:
    condition = task.id.removeprefix("priming-").upper()
    theirs = golden("spp-wordsim")[f"{condition} {part}"]
    ours = measure(task, golden_vectors, store).secondary["partitions"][part]
    assert ours["rho"] == pytest.approx(theirs["rho"], abs=1e-4)
    assert (ours["known"], ours["pairs"] - ours["known"]) == (theirs["found"], theirs["not_found"])


@pytest.mark.slow
def test_every_word_of_the_golden_file_is_on_the_map(golden_vectors: Embedding, context: Context) -> None:
    ours = measure("map", golden_vectors, context.data)
    assert (ours.n, ours.coverage.types) == (1_000, 1.0)
    assert ours.score > 0.9
    assert {"noun.person", "verb.motion"} <= set(ours.secondary["supersenses"])
