"""``python -m research context-intervals``: do intervals and tests of ``python -m tasks contexts`` hold their level?

Documents are drawn with a known truth. Their vectors vary in 50 directions, the k-th with a variance proportional to
1 / k: the first has 22 % of it, a little more than in the State of the Union (10 to 17 % for nine frequent words). An
occurrence of a word has a part of its document and, ten times as large, a part of its own. A document's vector is the
mean over its occurrences, of which most documents have few and some have many.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from extensions.associations.measure.regression import Regression, SquaredNorm
from research import pages
from research.findings.finding import table as markdown
from tasks.processes import end_with_parent
from tasks.statistics.intervals import LEVEL

PAGE = Path(__file__).resolve().parents[1] / "docs" / "associations.md"
DIMENSIONS = 50
OF_DOCUMENT, OF_OCCURRENCE = 2.0, 20.0
"""Variances, summed over the dimensions."""
LENGTHS = (0.0, 1.0, 10.0)
"""True squared lengths: none, a small one and a large one."""
PERMUTATIONS = 199
LEAST_FOUND, MOST_FOUND = 0.7, 0.9
"""Designs with a share of detected differences beyond these have a row."""
SHARES = 1.0 / np.arange(1, DIMENSIONS + 1)
SHARES /= SHARES.sum()
Floats = NDArray[np.float64]
Map = Callable[[Callable[[int], Floats], Iterable[int]], Iterable[Floats]]


@dataclass(frozen=True)
class Case:
    """A design, drawn for every run.

    Parameters
    ----------
    draw : design matrix with a constant, and the mean number of occurrences of every document.
    columns : the tested columns, by name.
    axis : direction of the true difference: 0 where documents vary most, −1 where least; None: it varies as they do.
    is_even : documents vary alike in all directions.
    has_tails : some documents are far from the others (Student's t with 4 degrees of freedom).
    """

    name: str
    draw: Callable[[np.random.Generator], tuple[Floats, Floats]]
    columns: Mapping[str, int]
    axis: int | None = None
    is_even: bool = False
    has_tails: bool = False


def _groups(first: int, second: int, occurrences: tuple[float, float] = (3.0, 3.0)) -> Callable[..., Any]:
    sizes = (first, second)
    design = np.column_stack([np.ones(first + second), np.repeat([1.0, 0.0], sizes)])
    return lambda _: (design, np.repeat(occurrences, sizes))


def _formula(generator: np.random.Generator, documents: int, *, is_uneven: bool) -> tuple[Floats, Floats]:
    """Two parties, three regions and a number that depends on the party; all regions have three documents or more."""
    party = (generator.random(documents) < (0.2 if is_uneven else 0.5)).astype(np.float64)
    region = generator.choice(3, documents, p=(0.6, 0.25, 0.15) if is_uneven else (1 / 3, 1 / 3, 1 / 3))
    region[:9] = np.arange(9) % 3
    party[:6] = (0, 0, 0, 1, 1, 1)
    number = generator.exponential(size=documents) if is_uneven else generator.standard_normal(documents)
    design = np.column_stack([np.ones(documents), party, region == 1, region == 2, number + party / 2])
    return design, np.where(party == 1, 1.3, 6.0) if is_uneven else np.full(documents, 3.0)


_TWO = {"": 1}
_FIELDS = {"the party": 1, "a region": 3, "the number": 4}
CASES = (
    Case("3 and 3 documents", _groups(3, 3), _TWO),
    Case("5 and 5", _groups(5, 5), _TWO),
    Case("20 and 20", _groups(20, 20), _TWO),
    Case("100 and 100", _groups(100, 100), _TWO),
    Case("3 and 100", _groups(3, 100), _TWO),
    Case("5 and 20", _groups(5, 20), _TWO),
    Case("5 and 100", _groups(5, 100), _TWO),
    Case("20 and 100", _groups(20, 100), _TWO),
    Case("5 short and 20 long documents", _groups(5, 20, (1.3, 8.0)), _TWO),
    Case("5 long and 20 short ones", _groups(5, 20, (8.0, 1.3)), _TWO),
    Case("20 short and 100 long ones", _groups(20, 100, (1.3, 8.0)), _TWO),
    Case("20 long and 100 short ones", _groups(20, 100, (8.0, 1.3)), _TWO),
    Case("20 and 20, differing where documents vary most", _groups(20, 20), _TWO, axis=0),
    Case("100 and 100, differing where documents vary most", _groups(100, 100), _TWO, axis=0),
    Case("Formula, 30 documents", partial(_formula, documents=30, is_uneven=False), _FIELDS),
    Case("Formula, 100 documents", partial(_formula, documents=100, is_uneven=False), _FIELDS),
    Case("Formula, 60 documents, uneven", partial(_formula, documents=60, is_uneven=True), _FIELDS),
    Case("Formula, 200 documents, uneven", partial(_formula, documents=200, is_uneven=True), _FIELDS),
    Case("10 and 40, differing where documents vary most", _groups(10, 40), _TWO, axis=0),
    Case("20 and 20, differing where documents vary least", _groups(20, 20), _TWO, axis=-1),
    Case("20 and 20, varying alike in all directions", _groups(20, 20), _TWO, is_even=True),
    Case("5 and 5, some of them far from the others", _groups(5, 5), _TWO, has_tails=True),
    Case("10 and 40, some of them far from the others", _groups(10, 40), _TWO, has_tails=True),
)


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "context-intervals",
        help="how often do intervals and tests of contexts hold?",
        description="Simulates documents with known differences (minutes), and prints how often the intervals of "
        "“tasks contexts” hold the truth and how often its tests reject equal groups.",
    )
    parser.add_argument(
        "--runs", type=int, default=1000, help="simulated data sets of each case (default: %(default)s)"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument(
        "--detectable",
        action="store_true",
        help="instead, print how often differences of the size that is stated to be detectable are found",
    )
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Simulate, print, write if asked."""
    with ProcessPoolExecutor(parsed.workers, initializer=end_with_parent) as pool:
        of_kind = detectable_table if parsed.detectable else context_table
        text = of_kind(partial(pool.map, chunksize=20), parsed.runs)
    print(text)
    if parsed.write:
        pages.put("context-detectable" if parsed.detectable else "context-intervals", text, PAGE)


def context_table(over: Map, runs: int) -> str:
    """The lowest and highest shares over all cases; ``over`` maps a function over the run numbers."""
    rows = []
    for i in tqdm(range(len(CASES)), desc="cases", disable=None):
        figures = np.stack(list(over(partial(simulate, i), range(runs))))
        rows += [(*held, rejected[0]) for held, rejected in figures.mean(axis=0)]
    head = ("Share", "no difference", "small", "large", "rejected at 5 %")
    shares = np.array(rows, dtype=np.float64)
    ends = (("lowest", shares.min(axis=0)), ("highest", shares.max(axis=0)))
    shown = [(name, *map(_percent, of_columns)) for name, of_columns in ends]
    caption = (
        f"{runs} simulated data sets each of {len(rows)} designs, lowest and highest share: of the 95 % intervals that "
        f"hold the truth, if there is no difference, a small one (squared length {LENGTHS[1]:g}) or a large one "
        f"({LENGTHS[2]:g}); and of the tests that reject although there is no difference ({PERMUTATIONS} "
        "permutations)."
    )
    return markdown(head, shown, caption)


def simulate(case: int, number: int) -> Floats:
    """One data set of a case.

    Returns
    -------
    float64, shape (columns, 2, lengths)
        for every true squared length, whether the interval holds it, and whether the test rejects.
    """
    chosen = CASES[case]
    design, noise, direction = drawn(chosen, np.random.default_rng([4, case, number]))
    columns = []
    with threadpool_limits(limits=1):
        for column in chosen.columns.values():
            of_column = []
            for length in LENGTHS:
                shifted = noise + math.sqrt(length) * np.outer(design[:, column], direction)
                norm = Regression(design, shifted).squared_norm(column, 1 if length else PERMUTATIONS)
                of_column.append(_checked(norm, length))
            columns.append(np.transpose(of_column))
    return np.array(columns, dtype=np.float64)


def detectable_table(over: Map, runs: int) -> str:
    """The lengths that are stated to be detectable, and the share of differences of these lengths that are found."""
    rows = []
    for i, case in enumerate(tqdm(CASES, desc="cases", disable=None)):
        of_runs = np.stack(list(over(partial(detect, i), range(runs))))
        ends = np.quantile(of_runs[:, :, 0], (0.5, 0.1, 0.9), axis=0).T
        for name, (middle, low, high), rejected in zip(case.columns, ends, of_runs[:, :, 1].mean(axis=0), strict=True):
            title = f"{case.name}: {name}" if name else case.name
            rows.append((title, f"{middle:.2g}", f"{low:.2g} to {high:.2g}", float(rejected)))
    unusual = [row for row in rows if not LEAST_FOUND <= row[3] <= MOST_FOUND]
    shown = [
        (title, *(("–",) * 3 if math.isnan(share) else (*lengths, f"{100 * share:.0f} %")))
        for title, *lengths, share in unusual
    ]
    caption = (
        f"{runs} simulated data sets each of {len(rows)} designs; those that find fewer than "
        f"{100 * LEAST_FOUND:.0f} % or more than {100 * MOST_FOUND:.0f} % of the differences. The squared length that "
        "is stated to be found in 80 % of the cases, its median and range; and the share of tests at 5 % "
        f"({PERMUTATIONS} permutations) that reject if the difference has exactly this length."
    )
    return markdown(("Groups", "detectable", "in 80 % of the data sets", "found"), shown, caption)


def detect(case: int, number: int) -> Floats:
    """The detectable length and whether it is found, shape (columns, 2); NaN where no difference is detectable."""
    design, noise, direction = drawn(CASES[case], np.random.default_rng([4, case, number]))
    of_columns = []
    with threadpool_limits(limits=1):
        for column in CASES[case].columns.values():
            length = Regression(design, noise).squared_norm(column, 1).detectable
            shifted = noise + math.sqrt(length or 0.0) * np.outer(design[:, column], direction)
            p = Regression(design, shifted).squared_norm(column, PERMUTATIONS).p or math.nan
            of_columns.append((length, p <= LEVEL) if length else (math.nan, math.nan))
    return np.array(of_columns, dtype=np.float64)


def drawn(chosen: Case, generator: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Design, vectors without a difference, and the direction of a difference, of length 1."""
    design, means = chosen.draw(generator)
    occurrences = generator.geometric(1 / means)
    shares = np.full(DIMENSIONS, 1 / DIMENSIONS) if chosen.is_even else SHARES
    noise = _vectors(generator, np.full(len(design), OF_DOCUMENT), shares)
    noise += _vectors(generator, OF_OCCURRENCE / occurrences, shares)
    if chosen.has_tails:
        noise *= np.sqrt(2 / generator.chisquare(4, len(design)))[:, None]  # the same variance
    of_shares = _vectors(generator, np.ones(1), shares)[0]
    direction = of_shares if chosen.axis is None else np.eye(DIMENSIONS)[chosen.axis]
    return design, noise, direction / np.linalg.norm(direction)


def _checked(norm: SquaredNorm, length: float) -> tuple[bool, bool]:
    assert norm.interval is not None
    assert norm.p is not None
    low, high = norm.interval
    return low <= length <= high, norm.p <= LEVEL


def _vectors(generator: np.random.Generator, variances: Sequence[float] | Floats, shares: Floats = SHARES) -> Floats:
    """Vectors with these variances, summed over the dimensions, which have these shares of it; shape (n, D)."""
    drawn = generator.standard_normal((len(variances), DIMENSIONS))
    return np.asarray(drawn * np.sqrt(np.asarray(variances)[:, None] * shares))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
