"""Positive pointwise mutual information (Levy, Goldberg & Dagan 2015, §2 and §3.2; docs/protocol.md §3.2)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

CONTEXT_POWER = 0.75
"""α, the smoothing of the context distribution."""


def ppmi(counts: sparse.csr_array) -> sparse.csr_array:
    """max(0, log( #(w, c) · Σ_c' #(c')^α / (#(w) · #(c)^α) )), with #(w) and #(c) the row and column sums (k = 1).

    Parameters
    ----------
    counts : non-negative co-occurrence counts, shape (V, C).

    Returns
    -------
    scipy.sparse.csr_array, float64, shape (V, C)
        positive entries only; an empty row or column stays empty.
    """
    counts = counts.tocsr()
    rows = np.asarray(counts.sum(axis=1)).ravel()
    contexts = np.asarray(counts.sum(axis=0)).ravel() ** CONTEXT_POWER
    with np.errstate(divide="ignore"):
        log_rows, log_contexts = np.log(rows), np.log(contexts)
        information = np.log(counts.data) + np.log(contexts.sum())
    information -= np.repeat(log_rows, np.diff(counts.indptr))
    information -= log_contexts[counts.indices]
    information = np.maximum(np.nan_to_num(information, nan=0.0, neginf=0.0), 0.0)
    result = sparse.csr_array((information, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
    result.eliminate_zeros()
    return result
