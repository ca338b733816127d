"""``python -m tasks datasets``: list which data is present, missing and why; ``fetch`` downloads it."""

from __future__ import annotations

import argparse
import sys
import textwrap

from tasks.cli.tables import as_json
from tasks.datasets.dataset import DataSet
from tasks.datasets.recipes import urls_of
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, UnknownName
from tasks.suite import Suite
from tasks.suites import get

DONE, INCOMPLETE = 0, 2
_PLACES = {
    "data": "in the data directory",
    "mirror": "in the mirror",
    "package": "in an installed package",
    "generated": "generated",
}


def run(arguments: argparse.Namespace) -> int:
    """List or fetch, and return the exit status."""
    store = DataStore.default()
    chosen = _chosen(arguments)
    status = DONE
    if arguments.action == "fetch":
        status = _fetch(store, chosen, quiet=arguments.json)
    if arguments.json:
        print(as_json([as_dict(store, dataset) for dataset in chosen]))
    else:
        _print_table(store, chosen)
    return status


def datasets_of(suite: Suite) -> list[DataSet]:
    """The data sets that a suite needs: those of its tasks in order, then its vocabulary and its corpus."""
    ids = [task.dataset for task in suite.tasks if task.dataset is not None]
    if suite.unknown == "mean-outside-vocabulary":
        ids.append("veceval-vocabulary")
    return [REGISTRY[dataset] for dataset in dict.fromkeys([*ids, suite.corpus.dataset])]


def as_dict(store: DataStore, dataset: DataSet) -> dict[str, object]:
    """A data set's declaration and status, JSON-able."""
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
        "urls": sorted({url for file in dataset.files for url in urls_of(file.recipe)}),
    }


def _chosen(arguments: argparse.Namespace) -> list[DataSet]:
    unknown = [dataset for dataset in arguments.ids if dataset not in REGISTRY]
    if unknown:
        raise UnknownName(f"{unknown[0]!r} is not a data set; the data sets are {', '.join(REGISTRY)}.")
    if arguments.ids:
        return [REGISTRY[dataset] for dataset in arguments.ids]
    if arguments.suite:
        return datasets_of(get(arguments.suite))
    return datasets_of(get("open-2026")) if arguments.action == "fetch" else list(REGISTRY.values())


def _fetch(store: DataStore, chosen: list[DataSet], *, quiet: bool) -> int:
    """Fetch one after the other; a failure of one does not stop the others."""
    status = DONE
    for dataset in chosen:
        if not quiet:
            print(f"{dataset.id}: {dataset.title}. Licence: {dataset.licence}.", file=sys.stderr)
        try:
            store.fetch(dataset.id, progress=not quiet and sys.stderr.isatty())
        except DataUnavailable as error:
            print(f"vecboard: {error}", file=sys.stderr)
            status = INCOMPLETE
    return status


def _print_table(store: DataStore, chosen: list[DataSet]) -> None:
    width = max(len(dataset.id) for dataset in chosen)
    for dataset in chosen:
        status = store.status(dataset.id)
        where = _PLACES[status.source] if status.source else "MISSING"
        print(f"{dataset.id:{width}}  {where:24}  {dataset.title} ({dataset.version})")
        details = [f"licence: {dataset.licence}", *([status.reason] if status.reason else [])]
        for detail in details:
            print(textwrap.indent(textwrap.fill(detail, 110 - width, break_on_hyphens=False), " " * (width + 2)))
