"""Least-squares regression of vectors on covariates: the length of a coefficient, its interval and its p.

An estimated coefficient is longer than the true one: the square of its length exceeds that of the true one by the
sampling variance of its D numbers, which is therefore subtracted (Green et al. 2025, "Measuring distances in high
dimensional spaces", Political Analysis, doi:10.1017/pan.2024.22; docs/protocol.md §6.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, gammaln, ncfdtrinc, stdtrit

from tasks.associations.weat import TOLERANCE
from tasks.results import Interval
from tasks.statistics.bootstrap import RESAMPLES, SEED
from tasks.statistics.intervals import LEVEL
from tasks.statistics.ranks import POWER

FEWEST_DEGREES = 4.0
"""Degrees of freedom below which intervals hold 91 to 97 % instead of 95 % (docs/associations.md, simulation)."""
ALONE = 1e-9
"""Bound of 1 − leverage: an observation below it determines a coefficient alone. Also of other shares taken for 0."""
NO_VARIANCE = "A single {one} decides this length, which leaves no variance: no correction, interval or p."
NO_INTERVAL = "Without one {one}, this length would have no variance, so it has no interval."
_A_BLOCK = 4_000_000
"""Numbers in a block of permutations or of pairs of observations, in double precision."""
_ROUNDING = 1e-12
"""Share of the vectors' length below which residuals may be rounding: a thousand times double precision."""
_HALVINGS = 100
"""More than double precision can tell apart."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Unit:
    """What is counted, left out by the jackknife and permuted, in words.

    Parameters
    ----------
    field : whose values are counted, as documents are merged by it; None: documents.
    """

    field: str | None = None

    @property
    def singular(self) -> str:
        return f"value of “{self.field}”" if self.field else "document"

    @property
    def many(self) -> str:
        return f"values of “{self.field}”" if self.field else "documents"

    def named(self, id: str) -> str:
        """A single one, by the id of its document."""
        return f"the documents of “{id}”" if self.field else f"document {id}"


DOCUMENTS = Unit()


@dataclass(frozen=True)
class SquaredNorm:
    """The squared length of a coefficient.

    Parameters
    ----------
    uncorrected : squared length of the estimated coefficient.
    estimate : uncorrected minus the sampling variance; negative where there is less than noise alone gives on average.
    standard_error : of the estimate, by the jackknife.
    interval : 95 % interval of the true squared length; not the estimate ± standard errors.
    degrees_of_freedom : of the sampling variance, and so of Student's t in the interval.
    p : share of permutations with at least this uncorrected squared length over its sampling variance.
    detectable : smallest true squared length that a test at 5 % finds with a chance of 80 %; None if there are too few
        permutations to find any.
    reason : of missing numbers, as a sentence.
    """

    uncorrected: float
    estimate: float | None = None
    standard_error: float | None = None
    interval: Interval | None = None
    degrees_of_freedom: float | None = None
    p: float | None = None
    detectable: float | None = None
    reason: str | None = None

    def scaled(self, factor: float) -> SquaredNorm:
        """That of the same coefficient in another unit."""
        return replace(
            self,
            estimate=None if self.estimate is None else factor * self.estimate,
            uncorrected=factor * self.uncorrected,
            standard_error=None if self.standard_error is None else factor * self.standard_error,
            interval=None if self.interval is None else (factor * self.interval[0], factor * self.interval[1]),
            detectable=None if self.detectable is None else factor * self.detectable,
        )


@dataclass(frozen=True)
class Regression:
    """Ordinary least squares of n vectors on p columns.

    Parameters
    ----------
    design : linearly independent columns, shape (n, p).
    vectors : shape (n, D).
    unit : of the n observations.
    """

    design: Floats
    vectors: Floats
    unit: Unit = DOCUMENTS

    @cached_property
    def basis(self) -> Floats:
        """Orthonormal columns that span the design, shape (n, p)."""
        return np.linalg.qr(self.design)[0]

    @cached_property
    def weights(self) -> Floats:
        """Weight of every vector in every coefficient, shape (p, n)."""
        return np.asarray(np.linalg.solve(self.basis.T @ self.design, self.basis.T))

    @cached_property
    def coefficients(self) -> Floats:
        """Shape (p, D)."""
        return np.asarray(self.weights @ self.vectors)

    @cached_property
    def residuals(self) -> Floats:
        """Shape (n, D)."""
        return np.asarray(self.vectors - self.basis @ (self.basis.T @ self.vectors))

    @cached_property
    def leverages(self) -> Floats:
        """Diagonal of the projection onto the design, shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self.basis, self.basis))

    def squared_norm(self, column: int, permutations: int = RESAMPLES) -> SquaredNorm:
        """The squared length of one column's coefficient.

        Its sampling variance is the trace of the covariance estimate HC2 (MacKinnon & White 1985), which for two groups
        is Σ tr(S_k) / n_k.
        """
        uncorrected = float(self.coefficients[column] @ self.coefficients[column])
        variances = self._variance_weights(column)
        if variances is None:
            return SquaredNorm(uncorrected, reason=NO_VARIANCE.format(one=self.unit.singular))
        estimate = uncorrected - float(variances @ self._squares)
        freedom = self._degrees_of_freedom(variances)
        p = self._p(column, variances, permutations)
        jackknife = self._jackknife_variance(column, estimate)
        if jackknife is None:
            reason = NO_INTERVAL.format(one=self.unit.singular)
            return SquaredNorm(uncorrected, estimate, degrees_of_freedom=freedom, p=p, reason=reason)
        interval = self._interval(column, variances, estimate, jackknife, freedom)
        detectable = self._detectable(variances, uncorrected - estimate, freedom)
        return SquaredNorm(uncorrected, estimate, math.sqrt(jackknife), interval, freedom, p, detectable)

    @cached_property
    def _free(self) -> NDArray[np.bool_]:
        """Observations that the fit does not reproduce whatever their value."""
        return np.greater(1 - self.leverages, ALONE)

    @cached_property
    def _squares(self) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self.residuals, self.residuals))

    def _variance_weights(self, column: int) -> Floats | None:
        """Weight of every squared residual in the sampling variance; None if a coefficient rests on one observation."""
        weights = self.weights[column]
        if np.any(np.abs(weights[~self._free]) > ALONE * np.abs(weights).max()):
            return None
        return np.where(self._free, weights**2 / np.where(self._free, 1 - self.leverages, 1.0), 0.0)

    def _degrees_of_freedom(self, variances: Floats) -> float:
        """Those of the sampling variance if all vectors vary alike (Bell & McCaffrey 2002); at most n − p.

        Two groups of equal size have n₁ + n₂ − 2; with a small and a large group, the small one decides.
        """
        projected = self.basis.T @ (variances[:, None] * self.basis)
        of_squares = float(variances**2 @ (1 - 2 * self.leverages)) + float(np.sum(projected**2))
        return float(variances @ (1 - self.leverages)) ** 2 / of_squares

    def _jackknife_variance(self, column: int, estimate: float) -> float | None:
        """Σ (1 − leverage) (estimate without one observation − estimate)², the weighted jackknife (Wu 1986).

        For two groups, it is Σ (n_k − 1) / n_k Σ (…)², the jackknife within groups. Every estimate without an
        observation is exact, by rank-one updates: with h the leverages and r the residuals, the weight of observation
        l becomes c_l + c_i h_il / (1 − h_i) and its residual r_l + r_i h_il / (1 − h_i). Observations with the same row
        of the design are summed first, so that time and memory grow with n times the number of distinct rows.

        None if a coefficient without one of the observations has no variance.
        """
        free = np.flatnonzero(self._free)
        residuals, squares, leverages = self.residuals[free], self._squares[free], self.leverages[free]
        weights, coefficient = self.weights[column][free], self.coefficients[column]
        _, places, of_row, sizes = np.unique(
            self.design[free], axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        of_row = of_row.reshape(-1)
        sums = np.zeros((len(places), residuals.shape[1]))
        np.add.at(sums, of_row, residuals)
        sums_of_squares = np.bincount(of_row, squares)
        total = 0.0
        rows = max(1, _A_BLOCK // (8 * len(places)))
        for start in range(0, len(free), rows):
            block = slice(start, start + rows)
            is_same_row = np.arange(len(places)) == of_row[block, None]
            rest, square = 1 - leverages[block], squares[block]
            shift = self.basis[free[block]] @ self.basis[free[places]].T / rest[:, None]
            others = sizes - is_same_row
            unfree = 1 - leverages[places] - shift**2 * rest[:, None]
            moved = weights[places] + weights[block, None] * shift
            alone = (others > 0) & (unfree <= ALONE)
            if np.any(alone & (np.abs(moved) > ALONE * np.abs(weights).max())):
                return None
            factor = np.where((others > 0) & ~alone, moved**2 / np.where(unfree > ALONE, unfree, 1.0), 0.0)
            variance = np.sum(
                factor
                * (
                    sums_of_squares
                    - is_same_row * square[:, None]
                    + 2 * shift * (residuals[block] @ sums.T - is_same_row * square[:, None])
                    + others * shift**2 * square[:, None]
                ),
                axis=1,
            )
            step = weights[block] / rest
            change = step**2 * square - 2 * step * (residuals[block] @ coefficient)
            without = float(coefficient @ coefficient) + change - variance
            total += float(rest @ (without - estimate) ** 2)
        return total

    def _interval(
        self, column: int, variances: Floats, estimate: float, jackknife: float, freedom: float
    ) -> Interval | None:
        """All true squared lengths at most t standard errors from the estimate, each with its own standard error.

        The estimate ± t standard errors holds 0 in 99 % of the cases, and misses other small lengths too often on one
        side, because estimate and standard error are small together. As in Wilson's interval of a share, the standard
        error is therefore that of each candidate θ. With b the estimated coefficient, Σ the HC2 estimate of its
        covariance with f degrees of freedom, and v = tr Σ, the variance at θ is

            s (θ + v / 2), where s = min(jackknife / b'b · ((θ + v) / b'b)^g, 4 λ); for negative θ, it is that at 0.

        - v / 2: the jackknife, which is nearly 4 b'Σb, counts the part of noise alone twice.
        - g: if b is longer or shorter than θ lets expect, then mostly where noise is strongest, and b'Σb / b'b is
          larger or smaller than at θ. In the least favourable family (Stein 1956, DiCiccio & Romano 1990), b moves by
          Σb, and log b'Σb grows b'b · b'Σ²b / (b'Σb)² = 1 + g times as fast as log b'b. The bias of b'Σ²b is removed.
          g is from 0, its least value without noise, to 1, which keeps the standard error concave, without gaps in the
          interval.
        - λ, the largest eigenvalue of Σ, bounds b'Σb / b'b.

        t has f degrees of freedom for the part of θ, which has one direction, and 2 f for that of v, which has several.
        """
        coefficient = self.coefficients[column]
        uncorrected = float(coefficient @ coefficient)
        if uncorrected <= 0.0:
            return None
        noise = uncorrected - estimate
        projected = self.residuals @ coefficient
        turned = (variances * projected) @ self.residuals
        once = float(variances @ projected**2)
        twice = (float(turned @ turned) - once * noise / freedom) / (1 + 1 / freedom)
        steepest = 4 * float(np.linalg.norm(np.sqrt(variances)[:, None] * self.residuals, 2)) ** 2
        is_along = once > ALONE * steepest * uncorrected
        growth = min(max(uncorrected * twice / once**2 - 1, 0.0), 1.0) if is_along else 0.0
        of_length, of_noise = (float(stdtrit(degrees, 1 - LEVEL / 2)) ** 2 for degrees in (freedom, 2 * freedom))

        def reach(length: float) -> float:
            """t standard errors at a true squared length."""
            above = max(length, 0.0)
            slope = min(jackknife / uncorrected * ((above + noise) / uncorrected) ** growth, steepest)
            return math.sqrt(slope * (of_length * above + of_noise * noise / 2))

        def end(outside: float) -> float:
            """The end of the interval between the estimate and a length beyond it."""
            inside = estimate
            for _ in range(_HALVINGS):
                middle = (inside + outside) / 2
                inside, outside = (middle, outside) if abs(middle - estimate) <= reach(middle) else (inside, middle)
            return inside

        most = of_length * steepest
        highest = estimate + most + math.sqrt(most * (max(estimate, 0.0) + noise / 2))
        return end(estimate - reach(estimate)), end(0.0 if estimate < -reach(0.0) else highest)

    def _detectable(self, variances: Floats, noise: float, freedom: float) -> float | None:
        """The true squared length that is found with a chance of ``POWER``, if its direction varies as the vectors do.

        With Σ the HC2 estimate of the coefficient's covariance, v = tr Σ and f degrees of freedom, b'b / v is taken for
        F with m and m f degrees of freedom and the noncentrality θ m / v, where m = v² / tr Σ² is the effective number
        of directions (Satterthwaite 1946); the bias of tr Σ² is removed. An order of the design's rows and its mirror
        image give the same length, so that p cannot reach 5 % with fewer than 2 / 5 % orders.
        """
        _, sizes = np.unique(self.design, axis=0, return_counts=True)
        if gammaln(len(self.design) + 1) - gammaln(sizes + 1).sum() < math.log(2 / LEVEL) or noise <= 0.0:
            return None
        scaled = np.sqrt(variances)[:, None] * self.residuals
        inner = scaled.T @ scaled if len(scaled) > scaled.shape[1] else scaled @ scaled.T
        of_squares = (float(np.square(inner).sum()) - noise**2 / freedom) / (1 + 1 / freedom)
        directions = max(1.0, noise**2 / max(of_squares, noise**2 / int(scaled.shape[1])))
        degrees = directions, directions * freedom
        noncentrality = float(ncfdtrinc(*degrees, 1 - POWER, float(fdtri(*degrees, 1 - LEVEL))))
        return noncentrality * noise / directions

    def _p(self, column: int, variances: Floats, permutations: int) -> float:
        """(k + 1) / (n + 1) over permutations of the residuals of the model without the column (Freedman & Lane 1983).

        k of n permutations have at least the observed squared length over its sampling variance, computed again in
        each (studentised as by DiCiccio & Romano 2017). With one column next to the constant, the residuals are the
        centred vectors, and the observations themselves are permuted. Few of them often repeat the observed order; the
        same sums in another order must not count as smaller, nor may residuals that are nothing but rounding.
        """
        weights = self.weights[column]
        scale = float(weights @ weights)
        reduced = self.residuals + np.outer(weights / scale, self.coefficients[column])
        if reduced.shape[1] > len(reduced):
            reduced = np.linalg.qr(reduced.T)[1].T  # the same lengths and angles in fewer dimensions
        squares = np.einsum("ij,ij->i", reduced, reduced)
        weighted = variances[:, None] * self.basis
        inner = self.basis.T @ weighted
        along = self.basis.T @ weights

        def both(order: Ints) -> tuple[Floats, Floats]:
            """Squared length and sampling variance for orders of shape (rows, n)."""
            fitted, turned = (
                np.einsum("pbn,nd->bpd", part.T[:, order], reduced, optimize=True) for part in (self.basis, weighted)
            )
            lengths = np.einsum("p,bpd->bd", along, fitted)
            remaining = np.einsum("pq,bqd->bpd", inner, fitted) - 2 * turned
            spread = variances[order] @ squares + np.einsum("bpd,bpd->b", fitted, remaining)
            return np.einsum("bd,bd->b", lengths, lengths), spread

        (length,), (spread,) = both(np.arange(len(weights))[None])
        rounding = _ROUNDING**2 * float(np.einsum("ij,ij->", self.vectors, self.vectors))
        bound = (scale + float(variances.sum())) * (TOLERANCE * float(squares.sum()) + rounding)
        generator = np.random.default_rng(SEED)
        reached = 0
        rows = max(1, _A_BLOCK // (2 * self.basis.size))
        for start in range(0, permutations, rows):
            size = min(rows, permutations - start)
            order = generator.permuted(np.tile(np.arange(len(weights)), (size, 1)), axis=1)
            lengths, spreads = both(order)
            reached += int(np.count_nonzero(lengths * spread - length * spreads >= -bound * (length + spread)))
        return (reached + 1) / (permutations + 1)
