"""The registry: every data set with its files, hashes, licence and citation."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.datasets.catalogue import corpora, demo, labelled, words
from tasks.datasets.dataset import DataSet, plain
from tasks.datasets.tagged import Conllu
from tasks.treebanks import TREEBANKS, Treebank


def treebank_set(treebank: Treebank) -> DataSet:
    """The data set of an operator's treebank; its files belong into the folder ``id`` of the data directory."""
    return DataSet(
        id=treebank.id,
        title=treebank.title,
        version=treebank.version,
        files=plain(treebank.id, treebank.source.rstrip("/"), treebank.files.values()),
        licence=treebank.licence,
        citation=treebank.citation,
        reader=Conllu({part: [f"{treebank.id}/{name}"] for part, (name, _, _) in treebank.files.items()}),
        notes="Added by the operator of this site. Multiword tokens and empty nodes are not words.",
        homepage=treebank.source,
    )


def registry_of(datasets: Iterable[DataSet]) -> dict[str, DataSet]:
    """Data sets by id.

    Raises
    ------
    ValueError
        two sets have the same id, or two files the same path.
    """
    registry: dict[str, DataSet] = {}
    owners: dict[str, str] = {}
    for dataset in datasets:
        if dataset.id in registry:
            raise ValueError(f"two data sets have the id {dataset.id!r}")
        registry[dataset.id] = dataset
        for file in dataset.files:
            owner = owners.setdefault(file.path, dataset.id)
            if owner != dataset.id:
                raise ValueError(f"{file.path} belongs to {owner!r} and to {dataset.id!r}")
    return registry


REGISTRY: dict[str, DataSet] = registry_of(
    [
        *(dataset for catalogue in (labelled, words, corpora, demo) for dataset in catalogue.DATASETS),
        *map(treebank_set, TREEBANKS),
    ]
)
"""Every data set by id."""
