"""The probe: standardised features, L2 logistic regression, C by cross-validation on train (docs/protocol.md §2.8)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

FOLDS = 5
SEED = 0
STRENGTHS = tuple(10.0**exponent for exponent in range(-3, 4))
"""C, the inverse of the penalty: 1e-3 … 1e3."""
MOST_STEPS = 500
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Probe:
    """What a probe predicted for the test texts, and the C that cross-validation chose (with its mean accuracy)."""

    predicted: NDArray[np.str_]
    strength: float
    validation: float


def probe(train: Floats, labels: NDArray[np.str_], test: Floats) -> Probe:
    """Fit on train and predict test; C is chosen by stratified 5-fold cross-validation on train (seed 0).

    Of equally good values of C, the smallest is chosen.

    Parameters
    ----------
    train : shape (n, D), finite; ``labels`` : shape (n,), at least five of each of two classes; ``test`` : (m, D).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    few = train.shape[1] < 0.5 * len(train)
    model = LogisticRegression(solver="newton-cholesky" if few else "lbfgs", max_iter=MOST_STEPS, tol=1e-4)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {"logisticregression__C": list(STRENGTHS)},
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=SEED),
    )
    # The matrices are small: a second thread waits more than it computes, and the numbers would depend on it.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # A separable fold at C = 1e3 converges slowly; its predictions settle long before.
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(train, labels)
    return Probe(search.predict(test), float(search.best_params_["logisticregression__C"]), float(search.best_score_))
