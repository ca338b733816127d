"""GloVe: weighted least squares on co-occurrence counts (Pennington, Socher & Manning 2014; docs/protocol.md §5.7).

J = Σ f(X_ij) (w_iᵀ w̃_j + b_i + b̃_j − log X_ij)² over the pairs that co-occur, f(x) = min(1, (x / x_max)^α), by
AdaGrad.

The authors' program processes one pair after the other. Here the pairs are divided into random batches once, and all
pairs of a batch are processed together: they read the same vectors, and their gradients and squares are summed. A batch
has a few pairs per word, a small share of the word's pairs; a test compares the loss with that of single pairs. A batch
is a sparse matrix: its predictions are a sampled product, its gradients products of sparse and dense matrices.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tasks.errors import InputError
from tasks.processes import Progress, no_progress
from tasks.vectors import Matrix

if TYPE_CHECKING:
    import torch

PAIRS_A_WORD = 4.0
"""Maximum number of pairs in a batch, per word of the vocabulary."""
FEWEST_BATCHES = 40
"""Least number of batches: with larger ones, updates of frequent words overshoot, the loss oscillates, and training
stops too early."""


@dataclass(frozen=True)
class GloveSettings:
    """Settings of docs/protocol.md §5.7.

    Parameters
    ----------
    dimensions : D.
    x_max, alpha : of the weight f.
    learning_rate : of AdaGrad; the sums of squares start at 1 and contain squares of gradient times rate, as in the
        authors' program.
    tolerance : training stops when the loss changes by less than this share.
    max_iterations : maximum number of passes over the pairs.
    """

    dimensions: int = 100
    x_max: float = 100.0
    alpha: float = 0.75
    learning_rate: float = 0.05
    tolerance: float = 1e-3
    max_iterations: int = 100


@dataclass(frozen=True)
class Glove:
    """The result of training.

    Parameters
    ----------
    matrix : float32, shape (V, D): w + w̃.
    losses : mean of f·(error)² over the pairs in every iteration, as processed; J is this times the number of pairs.
    converged : training stopped by the tolerance, before the maximum of iterations.
    """

    matrix: Matrix
    losses: tuple[float, ...]
    converged: bool


def train_glove(
    counts: sparse.csr_array, settings: GloveSettings, seed: int, progress: Progress = no_progress
) -> Glove:
    """Fit word and context vectors to co-occurrence counts.

    The same counts, settings and seed give the same vectors on the same machine.

    Parameters
    ----------
    counts : X, shape (V, V), no stored zero.

    Raises
    ------
    InputError
        no words co-occur.
    """
    if counts.nnz == 0:
        raise InputError("no-pairs", "No two frequent words occur near each other: the corpus is too small for GloVe.")
    generator = np.random.default_rng(seed)
    model = _Model(counts.shape[0], settings, generator)
    batches = _batches(counts, settings, generator)
    losses: list[float] = []
    converged = False
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Ss]parse.*")  # torch's sparse matrices are a beta feature
        while len(losses) < settings.max_iterations and not converged:
            total = sum(model.step(batches[i]) for i in generator.permutation(len(batches)))
            losses.append(total / counts.nnz)
            converged = len(losses) > 1 and abs(losses[-2] - losses[-1]) < settings.tolerance * losses[-2]
            share = 1.0 if converged else len(losses) / settings.max_iterations
            progress(share, f"iteration {len(losses)}: loss {losses[-1]:.5f}")
    return Glove(model.vectors(), tuple(losses), converged)


@dataclass(frozen=True)
class _Batch:
    """Pairs of a batch as a sparse pattern, by rows and by columns.

    ``by_columns`` is the pattern of the transposed matrix; ``order`` permutes values from the first to the second.
    """

    rows: torch.Tensor
    pointers: torch.Tensor
    columns: torch.Tensor
    column_pointers: torch.Tensor
    order: torch.Tensor
    logarithms: torch.Tensor
    weights: torch.Tensor


def _batches(counts: sparse.csr_array, settings: GloveSettings, generator: np.random.Generator) -> list[_Batch]:
    """All pairs in random batches of nearly equal size."""
    size = counts.shape[0]
    number = min(counts.nnz, max(FEWEST_BATCHES, round(counts.nnz / (PAIRS_A_WORD * size))))
    logarithms = np.log(counts.data).astype(np.float32)
    weights = np.minimum(1.0, (counts.data / settings.x_max) ** settings.alpha).astype(np.float32)
    rows = np.repeat(np.arange(size, dtype=np.int32), np.diff(counts.indptr))
    columns = counts.indices.astype(np.int32)
    dealt = np.array_split(generator.permutation(counts.nnz), number)
    return [_batch(size, rows, columns, logarithms, weights, np.sort(pairs)) for pairs in dealt]


def _batch(
    size: int,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    logarithms: Matrix,
    weights: Matrix,
    pairs: NDArray[np.int64],
) -> _Batch:
    import torch

    batch_rows, batch_columns = rows[pairs], columns[pairs]
    order = np.argsort(batch_columns, kind="stable")
    arrays = (
        batch_rows[order],
        _pointers(batch_rows, size),
        batch_columns,
        _pointers(batch_columns, size),
        order,
        logarithms[pairs],
        weights[pairs],
    )
    return _Batch(*(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays))


def _pointers(sorted_or_not: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Start of the entries of each row, shape (size + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_or_not, minlength=size))]).astype(np.int32)


def _product(matrix: torch.Tensor, side: torch.Tensor, out: torch.Tensor) -> None:
    """A sparse matrix times a dense one, into existing memory."""
    import torch

    torch.addmm(out, matrix, side, beta=0.0, out=out)


class _Model:
    """Word and context vectors with their sums of squared gradients.

    Two columns after D hold the biases: [w, b, 1] · [w̃, 1, b̃] = w·w̃ + b + b̃. The ones are never updated. All steps
    write into the same memory, as allocating for each product took longer than the products.
    """

    def __init__(self, size: int, settings: GloveSettings, generator: np.random.Generator) -> None:
        import torch

        self.size, self.settings = size, settings
        d = settings.dimensions
        self.words, self.contexts = (
            torch.from_numpy(((generator.random((size, d + 2)) - 0.5) / d).astype(np.float32)) for _ in range(2)
        )
        self.words[:, d + 1] = 1.0
        self.contexts[:, d] = 1.0
        self.word_squares, self.context_squares = torch.ones_like(self.words), torch.ones_like(self.contexts)
        self.moves = [  # gradients and their squares, of words and of contexts
            (torch.zeros_like(self.words), torch.zeros_like(self.words)) for _ in range(2)
        ]
        self.scratch = torch.empty_like(self.words)

    def step(self, batch: _Batch) -> float:
        """Update all vectors by the pairs of a batch; return the sum of f·(error)² before the update."""
        import torch

        shape = (self.size, self.size)
        pattern = torch.sparse_csr_tensor(batch.pointers, batch.columns, torch.zeros_like(batch.weights), shape)
        predicted = torch.sparse.sampled_addmm(pattern, self.words, self.contexts.t(), beta=0.0).values()
        errors = predicted - batch.logarithms
        slopes = batch.weights * errors
        loss = float(torch.dot(slopes.double(), errors.double()))
        slopes.mul_(self.settings.learning_rate)
        for pointers, others, values, side, (gradient, squares) in (
            (batch.pointers, batch.columns, slopes, self.contexts, self.moves[0]),
            (batch.column_pointers, batch.rows, slopes[batch.order], self.words, self.moves[1]),
        ):
            _product(torch.sparse_csr_tensor(pointers, others, values, shape), side, gradient)
            torch.mul(side, side, out=self.scratch)
            _product(torch.sparse_csr_tensor(pointers, others, values.square(), shape), self.scratch, squares)
        d = self.settings.dimensions
        self._move(self.words, self.word_squares, d + 1, *self.moves[0])
        self._move(self.contexts, self.context_squares, d, *self.moves[1])
        return loss

    def _move(
        self,
        side: torch.Tensor,
        sums: torch.Tensor,
        ones: int,
        gradient: torch.Tensor,
        squares: torch.Tensor,
    ) -> None:
        """Take a step of AdaGrad on one side, except in its column of ones."""
        import torch

        sums += squares
        gradient[:, ones] = 0.0
        torch.sqrt(sums, out=self.scratch)
        side.addcdiv_(gradient, self.scratch, value=-1.0)

    def vectors(self) -> Matrix:
        """w + w̃, shape (V, D)."""
        d = self.settings.dimensions
        return np.ascontiguousarray((self.words[:, :d] + self.contexts[:, :d]).numpy())
