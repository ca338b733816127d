"""Random numbers, drawn on the CPU from named streams, so that a seed means the same on every device."""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from numpy.typing import NDArray

from tasks.results import Mode

DROPOUT = 0.5
"""The only dropout that masks of single bits can express."""


class Stream:
    """One stream per (task, mode, seed): used for initial weights, order of examples, dropout masks, in that order."""

    def __init__(self, task: str, mode: Mode, name: int | str) -> None:
        key = hashlib.sha256(f"{task}|{mode}|{name}".encode()).digest()
        self.generator = np.random.default_rng(np.frombuffer(key, dtype=np.uint32))

    def uniform(self, shape: tuple[int, ...], bound: float) -> torch.Tensor:
        """Float32 numbers, uniform in ±bound."""
        return torch.from_numpy(self.generator.uniform(-bound, bound, shape).astype(np.float32))

    def glorot(self, fan_in: int, fan_out: int) -> torch.Tensor:
        """Glorot-uniform matrix, shape (fan_in, fan_out) (Glorot & Bengio 2010, eq. 16)."""
        return self.uniform((fan_in, fan_out), float(np.sqrt(6.0 / (fan_in + fan_out))))

    def orthogonal(self, size: int) -> torch.Tensor:
        """Random orthogonal matrix, shape (size, size) (Saxe et al. 2014): Q of a Gaussian matrix with unique signs."""
        q, r = np.linalg.qr(self.generator.standard_normal((size, size)))
        return torch.from_numpy((q * np.sign(np.diag(r))).astype(np.float32))

    def permutation(self, n: int) -> NDArray[np.int64]:
        """A random order of n examples."""
        return self.generator.permutation(n)

    def dropout_masks(self, n: int, width: int) -> torch.Tensor:
        """Masks for ``DROPOUT``, shape (n, width), uint8: one random bit per unit."""
        row_bytes = -(-width // 8)
        raw = np.frombuffer(self.generator.bytes(n * row_bytes), dtype=np.uint8).reshape(n, row_bytes)
        return torch.from_numpy(np.unpackbits(raw, axis=1)[:, :width])
