"""Our stacked and row-sparse updates against torch.optim and against dense arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tasks.extrinsic.optimisers import RMSprop, TunedVectors, WeightOptimiser
from tasks.suite import TrainingSettings

STEPS = 6
RATE = torch.tensor(0.05, dtype=torch.float64)


def settings(optimiser: str, **more: object) -> TrainingSettings:
    return TrainingSettings(optimiser, 0.05, batch=4, max_epochs=1, patience=1, **more)  # type: ignore[arg-type]


def gradients(shape: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator) for _ in range(STEPS)]


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("adam", lambda p: torch.optim.Adam(p, lr=0.05)),
        ("adagrad", lambda p: torch.optim.Adagrad(p, lr=0.05, eps=1e-10)),
    ],
)
def test_a_stack_moves_like_torchs_optimiser(
    name: str, oracle: Callable[[list[Tensor]], torch.optim.Optimizer]
) -> None:
    weights = [torch.ones(2, 3, 4)]
    expected = torch.ones(2, 3, 4, requires_grad=True)
    theirs, ours = oracle([expected]), WeightOptimiser(weights, settings(name), dense=())
    for grad in gradients((2, 3, 4)):
        expected.grad = grad.clone()
        theirs.step()
        ours.step(weights, [grad], RATE)
    torch.testing.assert_close(weights[0], expected.detach())


def test_rmsprop_has_its_epsilon_inside_the_root() -> None:
    rule, values = RMSprop(), [torch.zeros(1)]
    rule.move(values, [torch.tensor([2.0])], rule.state(values), torch.tensor(0.1))
    torch.testing.assert_close(values[0], torch.tensor([-0.1 * 2.0 / (0.1 * 4.0 + 1e-6) ** 0.5]))


def test_l2_pulls_on_dense_weights_only() -> None:
    weights = [torch.ones(1, 2, 2), torch.ones(1, 2, 2)]
    optimiser = WeightOptimiser(weights, settings("adagrad", l2_dense=0.1), dense=(0,))
    optimiser.step(weights, [torch.zeros(1, 2, 2), torch.zeros(1, 2, 2)], RATE)
    assert (weights[0] < 1).all()
    assert (weights[1] == 1).all()


def test_kept_seeds_go_on_as_if_the_others_had_never_been() -> None:
    grads = gradients((3, 2, 2))
    weights, alone = [torch.ones(3, 2, 2)], [torch.ones(1, 2, 2)]
    stacked, single = (WeightOptimiser(w, settings("adam"), dense=()) for w in (weights, alone))
    for step, grad in enumerate(grads):
        if step == STEPS // 2:
            weights = [weights[0][2:]]
            stacked.keep(torch.tensor([2]))
        stacked.step(weights, [grad[-len(weights[0]) :]], RATE)
        single.step(alone, [grad[2:]], RATE)
    torch.testing.assert_close(weights[0], alone[0])


def tuned(optimiser: str, **more: object) -> TunedVectors:
    table = torch.arange(12, dtype=torch.float32).view(4, 3)
    table[0] = 0
    return TunedVectors(table, 2, settings("adam", vector_optimiser=optimiser, vector_learning_rate=0.1, **more))


def test_rows_that_a_batch_does_not_touch_keep_their_bits() -> None:
    vectors = tuned("sparse-adagrad")
    before = vectors.table.clone()
    ids = torch.tensor([[1, 1], [6, 7]])
    vectors.update(ids, torch.ones(2, 2, 3), 2 * RATE)
    touched = torch.tensor([1, 6, 7])
    untouched = torch.tensor([0, 2, 3, 4, 5])
    assert torch.equal(vectors.table[untouched], before[untouched])
    assert (vectors.table[touched] < before[touched]).all()


def test_sparse_adagrad_equals_torchs_adagrad_on_a_dense_table() -> None:
    vectors = tuned("sparse-adagrad")
    expected = vectors.table.clone().requires_grad_()
    theirs = torch.optim.Adagrad([expected], lr=0.1, eps=1e-10)
    generator = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        ids = torch.randint(1, 4, (2, 5), generator=generator) + torch.tensor([[0], [4]])
        grad = torch.randn(2, 5, 3, generator=generator)
        expected.grad = torch.zeros_like(expected).index_add_(0, ids.flatten(), grad.flatten(end_dim=1))
        theirs.step()
        vectors.update(ids, grad, 2 * RATE)
    torch.testing.assert_close(vectors.table, expected.detach())


def test_a_seed_learns_the_same_after_another_has_left() -> None:
    both, alone = tuned("sparse-adagrad"), tuned("sparse-adagrad")
    alone.keep(torch.tensor([1]))
    generator = torch.Generator().manual_seed(2)
    for step in range(STEPS):
        ids, grad = torch.randint(1, 4, (1, 5), generator=generator), torch.randn(1, 5, 3, generator=generator)
        if step == STEPS // 2:
            both.keep(torch.tensor([1]))
        if step < STEPS // 2:
            both.update(torch.cat([ids, ids + 4]), torch.cat([grad, grad]), RATE)
        else:
            both.update(ids, grad, RATE)
        alone.update(ids, grad, RATE)
    assert torch.equal(both.of_seed(0), alone.of_seed(0))


def test_the_padding_row_is_never_trained() -> None:
    for optimiser, more in [("sparse-adagrad", {}), ("dense-rmsprop", {"l2_vectors": 0.1})]:
        vectors = tuned(optimiser, **more)
        vectors.update(torch.tensor([[0, 1], [4, 5]]), torch.ones(2, 2, 3), 2 * RATE)
        assert (vectors.table.view(2, 4, 3)[:, 0] == 0).all()


def test_dense_l2_moves_rows_that_no_batch_touched() -> None:
    vectors = tuned("dense-rmsprop", l2_vectors=0.1)
    before = vectors.table.clone()
    vectors.update(torch.tensor([[1], [5]]), torch.zeros(2, 1, 3), 2 * RATE)
    assert (vectors.table.view(2, 4, 3)[:, 3] < before.view(2, 4, 3)[:, 3]).all()
