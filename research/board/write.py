"""Write a site's public entries as a dump, which ships with the program or goes to another site, and excerpts.

An excerpt holds the first words of an entry's vectors, in 8-bit numbers.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark import evidence
from benchmark.shipped.dump import EXCERPT_PRECISION, EXCERPT_WORDS, SUITE_MEMBER, UNITS_MEMBER, identity, outcomes_key
from benchmark.shipped.load import DETAILS, TIMES
from benchmark.shipped.recipes import (
    Excerpt,
    ShippedVectors,
    list_path,
    read_list,
    write_list,
)
from benchmark.shipped.trained import TRAINED, TrainedEntry
from benchmark.submissions.models import Submission, SubmissionCell, Visibility
from benchmark.submissions.states import State
from research.board.entries import shipped_ids
from tasks.errors import VecboardError
from tasks.files import whole
from tasks.formats import read
from tasks.formats.quantised import write_npz
from tasks.neighbours import COUNT, Search, lengths_of
from tasks.report import assemble
from tasks.results import Outcomes, Report
from tasks.suite import Suite
from tasks.vectors import Embedding
from vecboard.public import PUBLIC

Arrays = dict[str, NDArray[np.generic]]
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Fixed, so that the same entries give the same bytes."""


class TooFew(VecboardError):
    """There are no entries to write, or fewer than in the file to be replaced."""


def dump(suite: Suite, path: Path, *, fewer: bool = False) -> int:
    """Write every public finished entry of a suite version except the baseline; return their number.

    Results are as measured. They are compared again with the baselines and seed variances that are published now, as
    these are often published after the entries were measured.

    Raises
    ------
    TooFew
        there are no such entries; or, without ``fewer``, the file holds more of this definition of the suite.
    """
    entries = Submission.objects.filter(
        suite=suite.id, suite_version=suite.version, state=State.DONE, is_baseline=False,
        visibility=Visibility.PUBLIC, withdrawn_at=None, hidden_at=None,
    ).select_related("report").order_by("name", "pk")  # fmt: skip
    if not entries:
        raise TooFew(
            f"This database has no public finished entry of {suite.id} version {suite.version}, so nothing was "
            "written. VECBOARD_VAR or DATABASE_URL selects the database."
        )
    shipped = shipped_ids(suite, path)
    if len(entries) < len(shipped) and not fewer:
        lost = ", ".join(sorted(set(shipped) - {entry.name for entry in entries}))
        raise TooFew(
            f"{path} holds {len(shipped)} entries and this database has {len(entries)}, so nothing was written; these "
            f"would go: {lost}. Write to another --file, or pass --fewer."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        _add(archive, SUITE_MEMBER, _json(identity(suite)))
        units: Arrays = {}
        for entry in entries:
            outcomes = dict(_outcomes(entry))
            _add(archive, f"{entry.pk}.json", _json(_details(entry, _report(suite, entry, outcomes))))
            _add(archive, f"{entry.pk}.npz", _npz(_without_units(outcomes, units)))
        _add(archive, UNITS_MEMBER, _npz(units))
    _write_list(entries, list_path(path))
    return len(entries)


def _write_list(entries: Iterable[Submission], path: Path) -> None:
    """Write the recipes of these entries' vectors; their excerpts stay."""
    makers = {entry.title: entry.id for entry in (*TRAINED, *PUBLIC)}
    before = read_list(path)
    vectors = {}
    for entry in entries:
        if entry.vectors_sha256 and entry.name in makers:
            excerpt = before[entry.vectors_sha256].excerpt if entry.vectors_sha256 in before else None
            vectors[entry.vectors_sha256] = ShippedVectors(makers[entry.name], excerpt, entry.model_bytes)
    write_list(path, vectors)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True).encode()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, ZIP_TIME)
    info.compress_type = zipfile.ZIP_LZMA
    archive.writestr(info, content)


def _report(suite: Suite, entry: Submission, outcomes: Mapping[str, Outcomes]) -> Report:
    assert entry.report is not None
    stored = entry.report.measured
    results = [
        replace(result, outcomes=outcomes.get(outcomes_key(result.task, result.mode))) for result in stored.results
    ]
    return assemble(suite, stored.vectors, results, stored.unavailable, stored.environment)


def _details(entry: Submission, report: Report) -> dict[str, Any]:
    details = {name: getattr(entry, name) for name in DETAILS}
    times = {name: getattr(entry, name).isoformat() if getattr(entry, name) else None for name in TIMES}
    return details | times | {"overall": report.aggregates.overall, "report": report.to_json()}


def _outcomes(entry: Submission) -> Iterator[tuple[str, Outcomes]]:
    for cell in entry.cells.filter(state=SubmissionCell.State.DONE).exclude(outcomes_key=""):
        yield outcomes_key(cell.task, cell.mode), evidence.load(cell.outcomes_key)


def _without_units(outcomes: dict[str, Outcomes], units: Arrays) -> Arrays:
    """Arrays of an entry's outcomes; those of units move to ``units``, as all entries share them.

    Raises
    ------
    ValueError
        an earlier entry had other units.
    """
    arrays: Arrays = {}
    for key, of_cell in sorted(outcomes.items()):
        arrays |= of_cell.packed(key)
        name = f"{key}|units"
        cell_units = arrays.pop(name, None)
        if cell_units is not None and not np.array_equal(cell_units, units.setdefault(name, cell_units)):
            raise ValueError(f"two entries have other units of {key}")
    return arrays


def _npz(arrays: Arrays) -> bytes:
    """Uncompressed, as the zip file is compressed."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


PROBED = 1_000
"""Number of words whose neighbours are compared, or a few more, evenly spaced."""


@dataclass(frozen=True)
class WrittenExcerpt:
    """An excerpt, and how it differs from the same words in full precision.

    Parameters
    ----------
    same : share of the ten nearest words that are the same.
    difference : the largest between two cosines of the same pair of words.
    """

    excerpt: Excerpt
    bytes: int
    same: float
    difference: float


def write_excerpt(entry: TrainedEntry, vectors: Path, dump: Path) -> WrittenExcerpt:
    """Write the excerpt into the folder of a dump, and add it to the dump's list.

    Raises
    ------
    VecboardError
        the dump does not hold these vectors as that entry's.
    """
    whole = read(vectors)
    listed = read_list(list_path(dump))
    shipped = listed.get(whole.sha256)
    if shipped is None or shipped.made_by != entry.id:
        raise VecboardError(f"{vectors} does not hold the vectors of {entry.id} in {dump.name}.")
    first = whole.words[:EXCERPT_WORDS]
    path = dump.with_name(f"{dump.stem}.{entry.id}.npz")
    matrix = np.ascontiguousarray(whole.matrix[:EXCERPT_WORDS])
    write_npz(path, first, matrix, EXCERPT_PRECISION)
    written = read(path)
    excerpt = Excerpt(path.name, written.sha256, len(written.words))
    write_list(list_path(dump), listed | {whole.sha256: replace(shipped, excerpt=excerpt)})
    full = replace(whole, words=first, matrix=matrix, stored=None)
    return WrittenExcerpt(excerpt, path.stat().st_size, *_compared(written, full))


def _compared(excerpt: Embedding, full: Embedding) -> tuple[float, float]:
    """Share of equal neighbours; largest difference between cosines."""
    same, difference = 0, 0.0
    searches = [Search(embedding, lengths_of(embedding.matrix)) for embedding in (full, excerpt)]
    rows = range(0, len(full.words), max(1, len(full.words) // PROBED))
    for row in rows:
        exact, rough = ({near.word: near.cosine for near in search.nearest(row)} for search in searches)
        both = exact.keys() & rough.keys()
        same += len(both)
        difference = max([difference, *(abs(exact[word] - rough[word]) for word in both)])
    return same / (len(rows) * COUNT), difference
