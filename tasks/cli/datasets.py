"""``datasets`` and ``languages``: available data, and the tasks of each language."""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import fill

from tqdm import tqdm

from tasks.cli.tables import add_json, add_suite, as_json
from tasks.datasets.dataset import DataSet
from tasks.datasets.fetch import AlreadyFetching, OnArrival, fetch
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import Arrival, DataStore
from tasks.errors import UnknownName
from tasks.languages import language_name
from tasks.suites import DEFAULT, SUITES, get

DONE, INCOMPLETE = 0, 2
EVERY_SECONDS = 5.0
"""Interval between two lines on received bytes."""
_PLACES = {
    "data": "in the data directory",
    "mirror": "in the mirror",
    "package": "in an installed package",
    "generated": "generated",
}
WIDTH, INDENT = 110, "  "


def add_datasets(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lists every data set with its licence and where it was found or why it is missing. `fetch` "
        "downloads sets by id, or all that a suite needs. Exit status of fetch: 0 all present, 2 something is missing."
    )
    parser.add_argument("action", nargs="?", choices=("list", "fetch"), default="list", help="default: %(default)s")
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these data sets")
    parser.add_argument("--suite", choices=SUITES, help="only what this suite needs, including its corpus")
    parser.add_argument(
        "--keep-trying",
        action="store_true",
        help="fetch: retry with increasing pauses until all data is complete",
    )
    add_json(parser, "print one JSON array instead of a table")


def run_datasets(arguments: argparse.Namespace) -> int:
    """List or fetch, and return the exit status."""
    store = DataStore.default()
    chosen = _chosen(arguments)
    status = DONE
    if arguments.action == "fetch":
        status = _fetch(store, chosen, patient=arguments.keep_trying, quiet=arguments.json)
    if arguments.keep_trying:
        return status
    if arguments.json:
        print(as_json([as_dict(store, dataset) for dataset in chosen]))
    else:
        _print_table(store, chosen)
    return status


def as_dict(store: DataStore, dataset: DataSet) -> dict[str, object]:
    """A data set's declaration and status, as a JSON object."""
    status = store.status(dataset.id)
    return {
        "id": dataset.id,
        "title": dataset.title,
        "version": dataset.version,
        "licence": dataset.licence,
        "citation": dataset.citation,
        "sha256": dataset.sha256,
        "available": status.available,
        "source": status.source,
        "reason": status.reason,
        "can_fetch": store.can_fetch(dataset.id),
        "urls": sorted({part.url for file in dataset.files for part in file.published}),
    }


def _chosen(arguments: argparse.Namespace) -> list[DataSet]:
    unknown = [dataset for dataset in arguments.ids if dataset not in REGISTRY]
    if unknown:
        raise UnknownName(f"{unknown[0]!r} is not a data set; the data sets are {', '.join(REGISTRY)}.")
    if arguments.ids:
        return [REGISTRY[dataset] for dataset in arguments.ids]
    if arguments.suite:
        return [REGISTRY[name] for name in get(arguments.suite).datasets]
    return [REGISTRY[name] for name in get(DEFAULT).datasets] if arguments.action == "fetch" else [*REGISTRY.values()]


def _fetch(store: DataStore, chosen: list[DataSet], *, patient: bool, quiet: bool) -> int:
    """Fetch missing sets, continuing after an unavailable one. A patient fetch, whose log is a site's, is brief."""
    missing = [dataset for dataset in chosen if not store.status(dataset.id).available]
    for dataset in missing if not (quiet or patient) else ():
        print(f"{dataset.id}: {dataset.title}. Licence: {dataset.licence}.", file=sys.stderr)
    with _reporter(quiet=quiet) as report:
        try:
            fetch(store, [dataset.id for dataset in chosen], report, patient=patient)
        except AlreadyFetching as error:
            print(f"vecboard: {error}", file=sys.stderr)
    # With --keep-trying, success means that every set with a public URL is available.
    due = [dataset for dataset in missing if store.can_fetch(dataset.id)] if patient else missing
    still = [status for dataset in due if not (status := store.status(dataset.id)).available]
    for status in still if not patient else ():
        print(f"vecboard: {status.reason}", file=sys.stderr)
    return INCOMPLETE if still else DONE


@contextmanager
def _reporter(*, quiet: bool) -> Iterator[OnArrival]:
    """A progress bar on a terminal; otherwise, as in a site's log, one line per change."""
    if quiet:
        yield lambda arrival: None
    elif sys.stderr.isatty():
        form = "{l_bar}{bar}| {n_fmt} of {total_fmt}B [{elapsed}, {remaining} left] {postfix}"
        with tqdm(desc="fetching", unit="B", unit_scale=True, bar_format=form) as bar:

            def show(arrival: Arrival) -> None:
                bar.total, bar.n = arrival.total, arrival.arrived
                bar.set_postfix_str(next(iter(arrival.missing), ""))

            yield show
    else:
        yield ArrivalLog(lambda line: print(line, flush=True)).report


class ArrivalLog:
    """Lines on changes since the last report: complete sets, received bytes, each reason of failures once.

    Without a network everything fails, which is one sentence.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._last = Arrival()
        self._reasons: set[str] = set()
        self._reported_bytes_at = time.monotonic()

    def report(self, arrival: Arrival) -> None:
        for name in self._last.missing:
            if name not in arrival.missing:
                self._say(f"{name} is complete; {arrival.megabytes} received.")
        if arrival.missing and arrival.reachable is False and self._last.reachable is not False:
            waiting = "1 data set waits" if len(arrival.missing) == 1 else f"{len(arrival.missing)} data sets wait"
            self._say(f"The network cannot be reached; {waiting} for it.")
        late: dict[str, list[str]] = {}
        for name, missing in arrival.missing.items() if arrival.reachable else ():
            if missing.reason and missing.reason not in self._reasons:
                late.setdefault(missing.reason, []).append(name)
        for reason, names in late.items():
            self._reasons.add(reason)
            next_try = arrival.missing[names[0]].next_try
            again = f"; next try in {duration(next_try - arrival.at)}" if next_try else ""
            self._say(f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} not arrived: {reason}{again}.")
        if arrival.arrived != self._last.arrived and time.monotonic() - self._reported_bytes_at > EVERY_SECONDS:
            self._reported_bytes_at = time.monotonic()
            self._say(f"{arrival.megabytes} received.")
        self._last = arrival


def duration(seconds: float) -> str:
    """“40 s” or “12 min”."""
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _print_table(store: DataStore, chosen: list[DataSet]) -> None:
    width = max(len(dataset.id) for dataset in chosen)
    for dataset in chosen:
        status = store.status(dataset.id)
        where = _PLACES[status.source] if status.source else "MISSING"
        print(f"{dataset.id:{width}}  {where:24}  {dataset.title} ({dataset.version})")
        details = [f"licence: {dataset.licence}", *([status.reason] if status.reason else [])]
        for detail in details:
            print(textwrap.indent(textwrap.fill(detail, 110 - width, break_on_hyphens=False), " " * (width + 2)))


def add_languages(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints the tasks of each language. Tasks that are not listed are for all languages."
    add_suite(parser, "default: %(default)s")
    add_json(parser, "print one JSON object: tasks by language code")


def run_languages(arguments: argparse.Namespace) -> int:
    """Print tasks grouped by the languages that have them."""
    rows = get(arguments.suite).tasks_by_language()
    if arguments.json:
        print(as_json({code: [task.id for task in tasks] for codes, tasks in rows for code in codes}))
        return 0
    for codes, tasks in rows:
        print(fill(", ".join(f"{language_name(code)} ({code})" for code in codes), WIDTH))
        print(fill(", ".join(task.id for task in tasks), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))
    return 0
