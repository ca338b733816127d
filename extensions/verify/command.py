"""``python -m tasks verify FILE.zip``: is a bundle what was measured? With the vectors, some cells measured again."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from extensions.verify.measure.verify import Differs, Verified, verify
from tasks.cells import attempt_cell
from tasks.cli.baseline import tolerance
from tasks.cli.check import VECTORS
from tasks.cli.tables import existing, positive
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.evaluate import environment
from tasks.files import temporary_folder
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
from tasks.prepared import open_prepared
from tasks.processes import resolve_device
from tasks.results import CellResult, Unavailable, cell_key
from tasks.vectors import Embedding
from tasks.word_list import words_for

AS_MEASURED, DIFFERS = 0, 1
VERIFY = """\
Compares the signature and every hash, and computes scores, intervals, error reductions and means again from outcomes,
without a network. Ranks belong to a leaderboard, not to a report. With --vectors and --retrain, it also measures cells
again. Exit status: 0 as measured; 1 something differs, and is named; 2 the bundle or another file can't be read.
"""


def add_verify(parser: argparse.ArgumentParser) -> None:
    parser.description = VERIFY
    parser.add_argument("bundle", type=existing, metavar="FILE", help="the bundle, a zip archive")
    parser.add_argument("--key", metavar="FILE|URL", help="public key of the site that must have signed it")
    parser.add_argument("--vectors", type=existing, metavar="FILE", help=f"the measured vectors: {VECTORS}")
    parser.add_argument(
        "--retrain", type=positive, metavar="N", help="with --vectors: measure N cells again, drawn at random"
    )


def run_verify(arguments: argparse.Namespace) -> int:
    """Check the bundle and print what was compared."""
    if bool(arguments.vectors) != bool(arguments.retrain):
        raise InputError("retrain", "Give --vectors and --retrain together.", field="retrain")
    try:
        with arguments.bundle.open("rb") as file:
            verified = verify(file, arguments.key and read_key(arguments.key))
    except Differs as error:
        print(error)
        return DIFFERS
    print("\n".join(sentences(verified, is_key_given=bool(arguments.key))))
    if not arguments.retrain:
        return AS_MEASURED
    with temporary_folder() as scratch:
        prepared = prepare(ReadRequest(arguments.vectors, words=words_for(verified.suite)), scratch)
        vectors = verified.report.vectors
        if prepared.sha256 != vectors["sha256"]:
            print(f"These are other vectors: their hash is {prepared.sha256}, not {vectors['sha256']}.")
            return DIFFERS
        embedding = open_prepared(prepared.directory, name=vectors["name"], language=vectors["language"])
        return retrain(verified, embedding, arguments.retrain)


def read_key(named: str) -> str:
    """A public key as PEM, from a file or a URL.

    Raises
    ------
    InputError
        it can't be read.
    """
    import httpx

    try:
        if named.startswith(("https://", "http://")):
            return httpx.get(named, timeout=30).raise_for_status().text
        return Path(named).read_text(encoding="ascii")
    except (OSError, ValueError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise InputError("no-key", f"{named} is not a public key that can be read ({error}).", field="key") from None


def sentences(verified: Verified, *, is_key_given: bool) -> list[str]:
    """What was compared, one sentence per line."""
    report, rounded = verified.report, [difference.size for difference in verified.rounded]
    without = [cell_key(result.task, result.mode) for result in report.results if result.outcomes is None]
    by_own_key = "its own key, so nothing has changed since; name the site's key with --key to see who signed it"
    signed = f"Signed by {'the given key' if is_key_given else by_own_key} ({verified.key})."
    how = "all bit-identical"
    if rounded:
        how = f"{len(rounded)} values differ by at most {max(rounded):.1g}, as on another processor"
    lines = [
        f"{report.vectors['name']}, {report.suite['id']} version {report.suite['version']}: as measured.",
        signed if verified.key else "Not signed: nothing shows who made it.",
        "Hashes of files, definitions, data sets and baselines: all agree.",
        f"Computed again from outcomes: {len(report.results) - len(without)} of {len(report.results)} scores, "
        f"intervals, error reductions and means: {how}.",
    ]
    if without:
        lines.append(f"Without outcomes, so only --retrain checks them: {', '.join(without)}.")
    return lines


def retrain(verified: Verified, embedding: Embedding, count: int) -> int:
    """Measure cells again, drawn at random, and print how each agrees."""
    suite, report, status = verified.suite, verified.report, AS_MEASURED
    measurable = [result for result in report.results if not suite.task(result.task).family.needs_runs]
    for result in random.SystemRandom().sample(measurable, min(count, len(measurable))):
        key, threads = cell_key(result.task, result.mode), result.threads or 1
        device = resolve_device("cpu" if result.device in (None, "cpu") else "auto")
        again = attempt_cell(
            embedding, suite, suite.task(result.task), result.mode, data=DataStore.default(),
            seeds=result.seeds if result.mode else None, device=device, threads=threads,
        )  # fmt: skip
        if isinstance(again, Unavailable):
            raise InputError("not-measured", f"{key} cannot be measured here: {again.reason}", field="retrain")
        if is_identical(result, again):
            print(f"{key}: bit-identical, {result.score!r}.")
            continue
        allowed = tolerance(result, again)
        is_within = abs(again.score - result.score) <= allowed
        here = environment(device, threads) | {"device": again.device}
        there = {**report.environment, "device": result.device, "threads": result.threads}
        others = [f"{name} {there.get(name)}, here {here[name]}" for name in here if here[name] != there.get(name)]
        print(
            f"{key}: {'within' if is_within else 'beyond'} the tolerance of {allowed:.4f}: {result.score:.6f}, here "
            f"{again.score:.6f} ({'; '.join(others) or 'perhaps another processor'})."
        )
        status = status if is_within else DIFFERS
    return status


def is_identical(first: CellResult, second: CellResult) -> bool:
    """Whether two measurements of a cell agree in every bit: score, deviation, and outcomes if both have them."""
    outcomes, others = first.outcomes, second.outcomes
    is_same = outcomes is None or others is None or np.array_equal(outcomes.values, others.values, equal_nan=True)
    return is_same and (first.score, first.sd) == (second.score, second.sd)
