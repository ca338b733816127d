"""The data sets of the treebanks that the operator of this machine adds (:mod:`tasks.treebanks`)."""

from __future__ import annotations

from tasks.datasets.dataset import DataSet, plain
from tasks.datasets.readers.conllu import Conllu
from tasks.treebanks import TREEBANKS, Treebank


def dataset_of(treebank: Treebank) -> DataSet:
    """A declared treebank as a data set; its files belong into the folder ``id`` of the data directory."""
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


DATASETS = tuple(map(dataset_of, TREEBANKS))
