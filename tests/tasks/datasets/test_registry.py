"""The registry is complete, consistent and pinned, and every set has its section in docs/data.md."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs._hooks.data_page import completed
from tasks.datasets.assembly import ROUTINES
from tasks.datasets.dataset import Assembled, Packaged, Plain, Twin, ZipMember, content_sha256, open_unpacked
from tasks.datasets.registry import REGISTRY, registry_of
from tasks.datasets.store import DataStore
from tasks.suites import SUITES

FILES = [file for dataset in REGISTRY.values() for file in dataset.files]


def test_it_refuses_two_sets_with_one_id() -> None:
    with pytest.raises(ValueError, match="two data sets have the id 'sst2'"):
        registry_of([REGISTRY["sst2"], REGISTRY["sst2"]])


@pytest.mark.parametrize("dataset", REGISTRY.values(), ids=list(REGISTRY))
def test_every_set_says_its_licence_citation_and_how_it_is_read(dataset) -> None:
    assert dataset.licence
    assert dataset.citation
    assert dataset.reader is not None or dataset.paragraphs is not None


def test_every_address_in_a_repository_names_a_commit() -> None:
    urls = [part.url for file in FILES for part in file.published if "githubusercontent" in part.url]
    assert len(urls) > 100
    assert not [
        url for url in urls if not re.match(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/", url)
    ]


def test_every_assembly_names_a_known_routine() -> None:
    named = {file.recipe.how for file in FILES if isinstance(file.recipe, Assembled)}
    assert named == set(ROUTINES)


def test_a_set_hash_changes_with_the_content_of_a_file_that_is_read_and_not_with_a_licence_file() -> None:
    sst2, ewt = REGISTRY["sst2"], REGISTRY["ud-ewt"]
    assert len({dataset.sha256 for dataset in REGISTRY.values()}) == len(REGISTRY)
    assert [file.path for file in ewt.files if not file.read] == ["ud-ewt/LICENSE.txt"]
    assert len(sst2.sha256) == 64


MIRRORED = [
    "weat",
    "lexical-relations",
    "paralex",
    "similarity-de-it-ru",
    "conll2000",
    "trec-qc",
    "sst2",
    "ppdb-nli",
    "snli",
    "ud-ewt",
    "wikineural-en",
    "word-sim",
    "qvec",
    "spp",
    "metaphor-an",
    "20ng",
    "analogy",
    "sotu",
    "inaugural",
    "wiki-corpus",
    "political-neighbours",
    "veceval-vocabulary",
]
"""Declared sets that the mirror holds. It may hold others, which nothing reads yet."""


def test_every_file_of_the_default_suite_is_published_or_packaged() -> None:
    files = [file for name in SUITES["open-2026"].datasets for file in REGISTRY[name].files]
    assert len(files) > 50
    assert [file.path for file in files if not (file.published or isinstance(file.recipe, Packaged))] == []


@pytest.mark.data
def test_every_published_file_has_its_declared_content(published: Callable[[str], Path]) -> None:
    """Files that are assembled are compared in test_assembly."""
    compared, wrong = 0, []
    for file in FILES:
        sources = [published(part.url) for part in file.published]
        match file.recipe:
            case Plain() | Twin():
                content = sources[0].read_bytes()
            case ZipMember(_, member):
                content = zipfile.ZipFile(sources[0]).read(member)
            case _:
                continue
        for part in file.published:
            served = published(part.url).read_bytes()
            is_same = not part.sha256 or hashlib.sha256(served).hexdigest() == part.sha256
            if part.bytes != len(served) or not is_same:
                wrong.append(part.url)
        compared += 1
        if (len(content), hashlib.sha256(content).hexdigest()) != (file.bytes, file.sha256):
            wrong.append(file.path)
    assert compared > 50
    assert wrong == []


@pytest.fixture
def manifest(real_store: DataStore) -> dict[str, dict[str, Any]]:
    """The mirror's list, by id of the set."""
    assert real_store.mirror is not None
    listed = json.loads((real_store.mirror / "MANIFEST.json").read_text())
    return {dataset["id"]: dataset for dataset in listed}


@pytest.mark.data
def test_sizes_hashes_and_addresses_of_declared_files_are_those_of_the_mirror_manifest(
    real_store: DataStore, manifest: dict[str, dict[str, Any]]
) -> None:
    assert real_store.mirror is not None
    listed = {entry["path"]: entry for dataset in manifest.values() for entry in dataset["files"]}
    compared = [file for file in FILES if file.path in listed]
    assert len(compared) > 70
    for file in compared:
        entry = listed[file.path]
        if file.gzipped:
            path = real_store.mirror / file.path
            assert content_sha256(path, gzipped=False) == entry["sha256"]
            with open_unpacked(path, gzipped=True) as unpacked:
                assert len(unpacked.read()) == file.bytes
        else:
            assert (file.bytes, file.sha256) == (entry["bytes"], entry["sha256"])
        if "source_url" in entry and file.published:
            assert file.published[0].url == entry["source_url"]


@pytest.mark.data
@pytest.mark.parametrize("name", MIRRORED)
def test_a_declared_set_is_whole_in_the_mirror_and_has_its_licence(
    name: str, manifest: dict[str, dict[str, Any]]
) -> None:
    assert name in manifest, f"the mirror has no {name} any more"
    listed = {entry["path"] for entry in manifest[name]["files"]}
    assert {file.path for file in REGISTRY[name].read_files} <= listed
    assert REGISTRY[name].licence.split("(")[0].strip() in manifest[name]["licence"]


@pytest.mark.data
def test_every_declared_set_that_the_mirror_holds_is_known_to_be_there(manifest: dict[str, dict[str, Any]]) -> None:
    assert REGISTRY.keys() & manifest.keys() - set(MIRRORED) == set(), "add these to MIRRORED"


def test_the_page_of_data_sets_has_a_section_for_each() -> None:
    page = completed("# Data sets\n")
    assert page.startswith("# Data sets\n\n### `")
    assert all(f"\n### `{dataset}`: " in page for dataset in REGISTRY)
