"""``python -m research placebo``: does a test of parties find parties that don't exist?

The presidents of the State of the Union since 1945 are assigned to two parties of the real sizes at random, with all of
their addresses. Nothing but chance then makes the parties differ, and a test at 5 % should reject in 5 % of the
assignments. Presidents give many addresses that resemble each other, so that a test which permutes addresses rejects
more often; ``--group-by president`` permutes presidents.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from extensions.associations.measure.contexts import Contexts, Floats, Tokens
from extensions.associations.measure.groups import merged, of_years
from extensions.associations.measure.regression import Regression
from extensions.shared.measure.documents import collection, having
from extensions.shared.measure.vectors import read_for
from research import pages
from research.findings.finding import table as markdown
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.processes import end_with_parent
from tasks.statistics.intervals import LEVEL
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut

PAGE = Path(__file__).resolve().parents[1] / "docs" / "associations.md"
SINCE = 1945
WORDS = ("freedom", "justice", "equality", "democracy", "immigration", "taxes", "welfare")
PERMUTATIONS = 199
UNITS = {"addresses": "permuting addresses", "presidents": "permuting presidents"}


@dataclass(frozen=True)
class Uses:
    """One word's vectors in one vector file.

    Parameters
    ----------
    vectors : of every address or president that uses the word, shape (n, D).
    presidents : of every row, shape (n,).
    """

    unit: str
    vectors: Floats
    presidents: NDArray[np.str_]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "placebo",
        help="does a test of parties find parties that don't exist?",
        description="Assigns the presidents since 1945 to parties at random (minutes), and prints how often “tasks "
        "contexts” finds a difference, if it permutes addresses and if it permutes presidents.",
    )
    parser.add_argument("vectors", type=Path, nargs="+", help="vector files")
    parser.add_argument("--assignments", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Assign, test, print, write if asked."""
    addresses = list(of_years(collection("sotu", DataStore.default()).documents, SINCE, None, LeftOut()))
    presidents = merged(addresses, "president", ["party"], LeftOut())
    uses = [use for path in parsed.vectors for use in uses_of(path, addresses, presidents)]
    parties = {document.id: dict(document.metadata)["party"] for document in presidents}
    with ProcessPoolExecutor(parsed.workers, initializer=end_with_parent) as pool:
        drawn = pool.map(partial(rejections, uses, parties), range(parsed.assignments), chunksize=5)
        drawn_shares = list(tqdm(drawn, total=parsed.assignments, desc="assignments", disable=None))
    text = placebo_table(uses, drawn_shares, [path.name for path in parsed.vectors], len(presidents))
    print(text)
    if parsed.write:
        pages.put("placebo", text, PAGE)


def uses_of(path: Path, addresses: Sequence[Document], presidents: Sequence[Document]) -> Iterable[Uses]:
    """The uses of every word, by address and by president."""
    suite = get(DEFAULT)
    embedding = read_for(suite, path)
    for unit, documents in (("addresses", having(addresses, "president", LeftOut())), ("presidents", presidents)):
        contexts = Contexts.learn(Tokens.of(documents), embedding, suite.look_up)
        names = np.array([dict(document.metadata)["president"] for document in documents])
        for word in WORDS:
            of_word = contexts.by_document(word)
            yield Uses(unit, of_word.vectors, names[of_word.documents])


def rejections(uses: Sequence[Uses], parties: dict[str, str], number: int) -> list[float]:
    """For one assignment: 1 for every test that rejects, 0 if not, NaN without a test."""
    names = sorted(parties)
    drawn = np.random.default_rng([5, number]).permutation([parties[name] for name in names])
    first = {name for name, party in zip(names, drawn, strict=True) if party == drawn[0]}
    rejected = []
    with threadpool_limits(limits=1):
        for use in uses:
            is_first = np.isin(use.presidents, list(first))
            if min(np.count_nonzero(is_first), np.count_nonzero(~is_first)) < 2:
                rejected.append(np.nan)
                continue
            design = np.column_stack([np.ones(len(is_first)), is_first])
            p = Regression(design, use.vectors).squared_norm(1, PERMUTATIONS).p
            rejected.append(np.nan if p is None else float(p <= LEVEL))
    return rejected


def placebo_table(uses: Sequence[Uses], drawn: Sequence[Sequence[float]], files: Sequence[str], presidents: int) -> str:
    """Share of the tests that reject, by vector file and unit."""
    rejected = np.array(drawn)
    file_of = np.repeat(np.arange(len(files)), len(uses) // len(files))
    rows = []
    for i, name in enumerate(files):
        shares = [np.nanmean(rejected[:, (file_of == i) & [use.unit == unit for use in uses]]) for unit in UNITS]
        rows.append((name, *(f"{100 * share:.1f} %" for share in shares)))
    caption = (
        f"{len(drawn)} random assignments of {presidents} presidents since {SINCE} to parties of the real sizes; "
        f"tests of {', '.join(WORDS)} at 5 % ({PERMUTATIONS} permutations). Share of the tests that reject."
    )
    return markdown(("Vectors", *UNITS.values()), rows, caption)
