"""The registry: every data set with its files, hashes, licence and citation, and the treebanks that the operator adds.

Treebanks are declared in the file named by VECBOARD_TREEBANKS: TOML with a table per treebank; docs/languages.md has
one to copy. Each becomes a data set and a task, part-of-speech tagging in its language (:mod:`tasks.suites`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tasks.datasets.catalogue import corpora, demo, labelled, words
from tasks.datasets.dataset import DataSet, plain
from tasks.datasets.examples import PARTS
from tasks.datasets.tagged import Conllu
from tasks.errors import InputError, UnknownName
from tasks.languages import ENGLISH, known_language
from tasks.text import is_blank

File = tuple[str, int, str]
"""Name, size and SHA-256 of the unpacked content."""
_TEXTS = ("language", "title", "version", "licence", "citation", "source")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_ID = 32
_FILE = re.compile(r"[\w.-]+\.conllu(\.gz)?", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Treebank:
    """A declared treebank.

    Parameters
    ----------
    id : of the data set; the task is ``pos-`` and this.
    language : ISO 639-1, not English, whose tasks are the suite's own.
    title, version, licence, citation : as of any data set.
    source : URL of the folder with its published files.
    files : the CoNLL-U file of each part.
    """

    id: str
    language: str
    title: str
    version: str
    licence: str
    citation: str
    source: str
    files: Mapping[str, File]


def read_treebanks(path: Path) -> tuple[Treebank, ...]:
    """The treebanks of a file of declarations, in its order.

    Raises
    ------
    InputError
        the file cannot be read, or a declaration is incomplete or wrong; the message names it and says what to write.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _wrong(f"{path} cannot be read ({error.strerror}); VECBOARD_TREEBANKS names it.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _wrong(f"{path} is not a TOML file: {error}.") from error
    return tuple(_treebank(path, name, table) for name, table in tables.items())


def _treebank(path: Path, name: str, table: object) -> Treebank:
    here = f"{path}, [{name}]"
    if not isinstance(table, dict):
        raise _wrong(f"{path} has {name!r} outside a table; begin each treebank with its id, such as [ud-german-gsd].")
    if not _ID.fullmatch(name) or len(name) > _LONGEST_ID:
        raise _wrong(
            f"{here}: an id has lower-case letters, digits and single hyphens, at most {_LONGEST_ID} characters."
        )
    unknown = [key for key in table if key not in (*_TEXTS, *PARTS)]
    if unknown:
        raise _wrong(f"{here} has {unknown[0]!r}; it can have {', '.join((*_TEXTS, *PARTS))}.")
    texts = {key: table.get(key) for key in _TEXTS}
    for key, text in texts.items():
        if not isinstance(text, str) or is_blank(text):
            raise _wrong(f'{here} has no {key}: add a line {key} = "…".')
    described = {key: str(text).strip() for key, text in texts.items()}
    try:
        language = known_language(described["language"])
    except UnknownName as error:
        raise _wrong(f"{here}: {error}") from error
    if language == ENGLISH:
        raise _wrong(f"{here} is in English, but the suite fixes the tasks in English. Declare other languages here.")
    if not described["source"].startswith("https://"):
        raise _wrong(f"{here}: its source is the https:// address of the folder that its files are published in.")
    return Treebank(name, files=dict(_files(here, table)), **described)


def _files(here: str, table: Mapping[str, object]) -> Iterator[tuple[str, File]]:
    for part in PARTS:
        match table.get(part):
            case {"file": str(name), "bytes": int(size), "sha256": str(sha256), **rest} if not rest:
                if not _FILE.fullmatch(name):
                    raise _wrong(f"{here}: {name!r} is not the name of a .conllu file, without a folder.")
                if size < 1 or not _SHA256.fullmatch(sha256):
                    raise _wrong(
                        f"{here}: `python -m tasks treebank` prints the size and SHA-256 of {name}; one is wrong."
                    )
                yield part, (name, size, sha256)
            case _:
                raise _wrong(
                    f"{here} needs a table [….{part}] with file, bytes and sha256 of its {part} part, and nothing else."
                )


def _wrong(message: str) -> InputError:
    return InputError("treebanks", message, field=None)


TREEBANKS = read_treebanks(Path(declared)) if (declared := os.environ.get("VECBOARD_TREEBANKS")) else ()
"""The operator's treebanks; none by default."""


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
