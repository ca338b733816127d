"""The registry: every data set with its files, hashes, licence and citation."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.datasets.catalogue import corpora, demo, documents, labelled, lexical, supplied, treebanks, words
from tasks.datasets.dataset import DataSet


def registry_of(datasets: Iterable[DataSet]) -> dict[str, DataSet]:
    """Data sets by id; raises ValueError when two have the same id or two files have the same path."""
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
    dataset
    for catalogue in (labelled, words, corpora, supplied, demo, lexical, documents, treebanks)
    for dataset in catalogue.DATASETS
)
"""Every data set by id."""
