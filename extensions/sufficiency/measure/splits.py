"""The mean over splits of a corpus."""

from __future__ import annotations

import math

import numpy as np

from tasks.results import Interval
from tasks.statistics.intervals import Floats, mean_interval


def mean_over_splits(sums: Floats, weights: Floats) -> tuple[float, Interval | None]:
    """Mean over splits with its 95 % interval: the groups are a sample, and each split has noise of its own.

    A split's value is the weighted mean over its tested groups of θ + b_g + h_j, with variances σ_g² and σ_h². The mean
    over the J splits has the variance σ_g² ΣW² + σ_h² / J, where W_g is the mean weight of group g. The first part is
    V = Σ z_g² / (1 - 2 W_g + ΣW²), with 1 / ΣW² - 1 degrees of freedom, where z_g is the mean over the splits of the
    group's weighted deviation from the mean: the cluster-robust variance, unbiased for groups of equal variance (Bell &
    McCaffrey 2002, Bias reduction in standard errors for linear regression with multi-stage samples, Survey Methodology
    28(2), 169-181). σ_h², with J - 1, is the variance of the splits without what groups of variance V add to it, at
    least 0. The sum's degrees of freedom are Satterthwaite's.

    Parameters
    ----------
    sums : weight × value of each group in each split, shape (J, groups); 0 where the group isn't tested.
    weights : at least 0, each row with sum 1; shape (J, groups), each group with a weight.

    Returns
    -------
    (mean, interval)
        no interval below two splits or four effective groups, 1 / ΣW².
    """
    splits, values, weight = len(sums), sums.sum(axis=1), weights.mean(axis=0)
    mean, squares = float(values.mean()), float(np.square(weight).sum())
    if splits < 2 or squares > 0.25:
        return mean, None
    deviations = (sums - weights * mean).mean(axis=0)
    of_groups = float((np.square(deviations) / (1 - 2 * weight + squares)).sum())
    in_a_split = (float(np.square(weights).sum()) / splits - squares) * splits / (splits - 1)
    of_noise = max(0.0, float(values.var(ddof=1)) - of_groups * in_a_split / squares) / splits
    variance = of_groups + of_noise
    if variance == 0.0:
        return mean, (mean, mean)
    freedom = variance**2 / (of_groups**2 / (1 / squares - 1) + of_noise**2 / (splits - 1))
    return mean, mean_interval(mean, math.sqrt(variance), freedom + 1)
