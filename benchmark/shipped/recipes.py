"""The list of the vectors of shipped entries: their recipes, and the excerpt that ships.

Most files do not ship. Each dump has a list that maps the content hash of an entry's vectors to the id of the recipe
that rebuilds them and, for some entries, to an excerpt: the first words of the file in 8-bit numbers. An excerpt cannot
be mistaken for the measured vectors: it has its own content hash, and only look-ups use it, with a note.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from benchmark import storage
from benchmark.shipped.dump import EXCERPT_PRECISION
from tasks.formats.quantised import BITS
from tasks.suite import Suite
from tasks.suites import SUITES

_SUFFIX = ".vectors.json"


@dataclass(frozen=True)
class Excerpt:
    """The first words of a vector file, with reduced precision.

    Parameters
    ----------
    file : file name, in the folder of the dump.
    sha256 : content hash of its vectors, and the name of its prepared form.
    words : number of words.
    """

    file: str
    sha256: str
    words: int

    @property
    def path(self) -> Path:
        return settings.SHIPPED_ROOT / self.file

    @property
    def directory(self) -> Path:
        """Folder of its prepared form on this machine, which may not exist."""
        return storage.prepared_root() / self.sha256

    def __str__(self) -> str:
        return f"first {self.words:,} words of the file, in {BITS[EXCERPT_PRECISION]}-bit numbers"


@dataclass(frozen=True)
class ShippedVectors:
    """One entry of the list.

    Parameters
    ----------
    made_by : id of the trained or public entry.
    model_bytes : as of a submission.
    """

    made_by: str
    excerpt: Excerpt | None = None
    model_bytes: int = 0


def recipe_of(suite_id: str, vectors_sha256: str) -> ShippedVectors | None:
    """The recipe of the vectors with this content hash; None if the suite doesn't ship them."""
    suite = SUITES.get(suite_id)
    return shipped_vectors(suite).get(vectors_sha256) if suite else None


def list_path(dump: Path) -> Path:
    """Path of a dump's list."""
    return dump.with_suffix(_SUFFIX)


def shipped_vectors(suite: Suite) -> Mapping[str, ShippedVectors]:
    """The suite's shipped vectors by content hash of the complete file; empty if none ship."""
    return _read_once(settings.SHIPPED_ROOT / f"{suite.id}-{suite.version}{_SUFFIX}")


def read_list(path: Path) -> dict[str, ShippedVectors]:
    """Read a list; empty if the file doesn't exist."""
    if not path.is_file():
        return {}
    return {
        sha256: ShippedVectors(
            row["made_by"], Excerpt(**row["excerpt"]) if "excerpt" in row else None, row.get("model_bytes", 0)
        )
        for sha256, row in json.loads(path.read_text(encoding="utf-8")).items()
    }


_read_once = cache(read_list)


def write_list(path: Path, vectors: Mapping[str, ShippedVectors]) -> None:
    """Write a list; equal entries give equal bytes."""
    stored = {
        sha256: {"made_by": row.made_by}
        | ({"excerpt": asdict(row.excerpt)} if row.excerpt else {})
        | ({"model_bytes": row.model_bytes} if row.model_bytes else {})
        for sha256, row in sorted(vectors.items(), key=lambda item: item[1].made_by)
    }
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
