"""A bundle: one zip archive with a report and everything that checks it, but the vectors (docs/bundle.md).

``ro-crate-metadata.json`` has the SHA-256 of every file, and ``signature.json`` an Ed25519 signature (RFC 8032) of it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from typing_extensions import TypedDict

from tasks.base import digest
from tasks.baseline.published import sizes_of, stem, stored_as
from tasks.crate import METADATA, About, citation, crate
from tasks.datasets.registry import REGISTRY
from tasks.errors import InputError, VecboardError
from tasks.hashes import definition_of, suite_hash
from tasks.recompute import ROUNDING, Difference, between, differences
from tasks.results import METHOD, Mode, Report, cell_key, json_text, typed
from tasks.suite import Suite
from tasks.suites import SUITES

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

REPORT, OUTCOMES, DEFINITIONS, SIGNATURE = "report.json", "outcomes.npz", "definitions.json", "signature.json"
REQUIREMENTS, CITATION = "requirements.txt", "CITATION.cff"
_JSON, _TEXT = "application/json", "text/plain"
FILES: Mapping[str, tuple[str, str]] = {
    REPORT: (_JSON, "The report: scores with device and threads, intervals, error reductions and their means"),
    OUTCOMES: ("application/zip", "NumPy arrays: outcomes of every test example of each cell, averaged over its seeds"),
    DEFINITIONS: (_JSON, "What fixes each score: definitions of cells; hashes and addresses of data sets; baselines"),
    REQUIREMENTS: (_TEXT, "Versions of the libraries, for pip"),
    CITATION: ("application/yaml", "How to cite the report"),
    SIGNATURE: (_JSON, f"Ed25519 signature of {METADATA}"),
}
"""Media type and description of the files, in their order."""
MOST_BYTES = 64_000_000
"""Of a file, of the unpacked outcomes, and of the archive; the largest shipped one has a fiftieth."""
MOST_NAMED = 5
"""Differences that a message names."""
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError)
"""Errors of reading arrays and objects of another form than those written."""
_LIBRARIES = ("numpy", "scipy", "torch", "scikit-learn", "gensim", "threadpoolctl")


class CellDefinition(TypedDict):
    """A cell with what fixes its score; the suite's hash does not cover cells of an operator's tasks."""

    task: str
    mode: Mode | None
    in_suite: bool
    hash: str
    definition: dict[str, object]


class DataAddress(TypedDict):
    """A data set with its hash and the addresses of its files."""

    title: str
    version: str
    sha256: str
    licence: str
    homepage: str
    files: dict[str, list[str]]


class Definitions(TypedDict):
    """The content of ``definitions.json``; hashes of the published files of baselines by their names."""

    cells: list[CellDefinition]
    data: dict[str, DataAddress]
    baselines: dict[str, str]


@dataclass(eq=False)
class Differs(VecboardError):
    """A bundle isn't what was measured; the message names the files or figures."""

    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Verified:
    """A bundle without a difference.

    Parameters
    ----------
    report, suite : the report with outcomes, and its suite.
    key : fingerprint of the key that signed it; empty if it isn't signed.
    is_of_given_key : whether that is the key by which it was to be signed; otherwise the key is the bundle's.
    rounded : differences by the rounding of another processor.
    """

    report: Report
    suite: Suite
    key: str
    is_of_given_key: bool
    rounded: tuple[Difference, ...]

    @property
    def as_measured(self) -> list[str]:
        """Cells whose score does not rest on outcomes."""
        return [cell_key(result.task, result.mode) for result in self.report.results if result.outcomes is None]


def _unreadable(why: str) -> InputError:
    return InputError("no-bundle", f"This is not a bundle that can be read: {why}.")


def write(file: BinaryIO, report: Report, about: About, key: Ed25519PrivateKey | None = None) -> None:
    """Write a bundle; equal reports give equal bytes.

    Parameters
    ----------
    report : with outcomes.
    key : that signs it; None: it stays unsigned.

    Raises
    ------
    InputError
        the report was made under another definition of the suite, or by an earlier method.
    """
    suite = suite_of(report)
    outcomes = io.BytesIO()
    report.write_outcomes(outcomes)
    contents = {
        REPORT: report.to_json().encode(),
        OUTCOMES: outcomes.getvalue(),
        DEFINITIONS: json_text(definitions(report, suite)).encode(),
        REQUIREMENTS: requirements(report).encode(),
        CITATION: citation(report, suite, about).encode(),
    } | ({} if key is None else {SIGNATURE: b""})
    metadata = crate(report, suite, about, {name: (content, *FILES[name]) for name, content in contents.items()})
    if key is not None:
        contents[SIGNATURE] = _signature_text(public_text(key), key.sign(metadata.encode()))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {METADATA: metadata.encode(), **contents}.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def suite_of(report: Report) -> Suite:
    """The suite of a report, if it has the same definition here.

    Raises
    ------
    InputError
        it has another, or the report is of an earlier method.
    """
    used, suite = report.suite, SUITES.get(report.suite["id"])
    if suite is None or (suite.version, suite_hash(suite)) != (used["version"], used["hash"]):
        here = "does not have it" if suite is None else f"has version {suite.version} ({suite_hash(suite)})"
        message = f"The report is of {used['id']} version {used['version']} ({used['hash']}); this program {here}."
        raise InputError("other-suite", f"{message} Use the version of Vecboard that measured it.")
    if report.method != METHOD:
        message = f"The report's intervals are of method {report.method}; this program computes method {METHOD}."
        raise InputError("other-method", f"{message} Use the version of Vecboard that measured it.")
    return suite


def definitions(report: Report, suite: Suite) -> Definitions:
    """What fixes each of the report's numbers."""
    cells: list[CellDefinition] = []
    for task, mode in suite.cells():
        if not task.by_operator or report.result(task.id, mode):
            definition = definition_of(suite, task, mode)
            cells.append({
                "task": task.id, "mode": mode, "in_suite": not task.by_operator, "hash": digest(definition),
                "definition": definition,
            })  # fmt: skip
    ids = {use.id: use.sha256 for result in report.results for use in result.datasets}
    data: dict[str, DataAddress] = {}
    for id_, sha256 in sorted(ids.items()):
        declared = REGISTRY[id_]
        data[id_] = {
            "title": declared.title, "version": declared.version, "sha256": sha256, "licence": declared.licence,
            "homepage": declared.homepage,
            "files": {file.path: [source.url for source in file.published] for file in declared.read_files},
        }  # fmt: skip
    return {"cells": cells, "data": data, "baselines": baseline_hashes(report, suite)}


def baseline_hashes(report: Report, suite: Suite) -> dict[str, str]:
    """SHA-256 of the published files of the baselines in a report's language, by name."""
    language = report.vectors["language"]
    stems = [stem(suite, size, language) for size in sizes_of(suite, language)]
    names = [f"{name}{suffix}" for name in stems for suffix in (".json", ".npz")]
    paths = map(stored_as, [*names, f"{stem(suite, language=language)}.seeds.json"])
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path is not None}


def requirements(report: Report) -> str:
    """Versions as pip reads them: recorded ones of the measurement, and otherwise those of the bundle's writer."""
    lines = [f"# Python {report.environment.get('python', 'not recorded')}"]
    for name in _LIBRARIES:
        recorded = report.environment.get(name)
        try:
            number = version(name) if recorded is None else str(recorded)
        except PackageNotFoundError:
            continue
        lines.append(f"{name}=={number}" + ("  # not recorded; of the bundle's writer" if recorded is None else ""))
    return "\n".join(lines) + "\n"


def public_text(key: Ed25519PrivateKey) -> str:
    """The public half of a key, as PEM."""
    return _pem(key.public_key())


def _pem(public: Ed25519PublicKey) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def fingerprint(public: str) -> str:
    """A short name of a public key: the start of its SHA-256, in hex."""
    return hashlib.sha256(public.strip().encode()).hexdigest()[:16]


def _signature_text(public: str, signature: bytes) -> bytes:
    encoded = base64.b64encode(signature).decode()
    return json_text({"algorithm": "Ed25519", "signs": METADATA, "key": public, "signature": encoded}).encode()


def verify(file: BinaryIO, key: str | None = None) -> Verified:
    """Check a bundle's signature and hashes, and compute its report again from its outcomes.

    Parameters
    ----------
    key : public key as PEM, by which the bundle must be signed; None: by its own key, which shows that nothing changed
        since, but not who signed.

    Raises
    ------
    Differs
        something isn't as signed or measured.
    InputError
        it can't be read, or this program has another version of the suite.
    """
    contents = _contents(file)
    signed_by = _check_signature(contents, key)
    _check_hashes(contents)
    try:
        report = Report.from_json(contents[REPORT].decode())
        if report.to_json().encode() != contents[REPORT]:
            raise ValueError("another form of a report")
        named = typed(Definitions, _object(contents, DEFINITIONS))
        _bound_arrays(contents[OUTCOMES])
        report = report.with_outcomes(io.BytesIO(contents[OUTCOMES]))
    except (*_DAMAGE, OSError, EOFError, MemoryError, zipfile.BadZipFile) as error:
        raise _unreadable(f"a file in it is damaged ({type(error).__name__})") from None
    _refuse(_of_definitions(report, named))
    suite = suite_of(report)
    for name, sha256 in named["baselines"].items():
        if baseline_hashes(report, suite).get(name) != sha256:
            message = f"This program does not have the baseline that the report was compared with: {name}, {sha256}."
            raise InputError("other-baseline", f"{message} For other languages, set VECBOARD_BASELINE_SCORES.")
    try:
        of_outcomes = tuple(differences(report, suite))
    except (*_DAMAGE, ArithmeticError, VecboardError) as error:
        raise Differs(f"The report cannot be computed from its outcomes ({type(error).__name__}: {error}).") from None
    _refuse(difference for difference in of_outcomes if difference.size > ROUNDING)
    return Verified(report, suite, signed_by and fingerprint(signed_by), key is not None, of_outcomes)


def _contents(file: BinaryIO) -> dict[str, bytes]:
    """The files of a bundle by name, none larger than ``MOST_BYTES``."""
    if file.seek(0, io.SEEK_END) > MOST_BYTES:
        raise _unreadable(f"it has more than {MOST_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(file) as archive:
            names = [info.filename for info in islice(archive.infolist(), len(FILES) + 2)]
            strange = [name for name in names if name not in (METADATA, *FILES) or names.count(name) > 1]
            if strange:
                raise Differs(f"The bundle has a file that does not belong to it: {', '.join(strange)}.")
            contents = {}
            for name in names:
                with archive.open(name) as member:
                    contents[name] = member.read(MOST_BYTES + 1)
                if len(contents[name]) > MOST_BYTES:
                    raise _unreadable(f"{name} has more than {MOST_BYTES:,} bytes")
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
        raise _unreadable(f"its archive is damaged ({error})") from None
    for name in (METADATA, *FILES):
        if name != SIGNATURE and name not in contents:
            raise Differs(f"{name} is missing from the bundle.")
    return contents


def _object(contents: Mapping[str, bytes], name: str) -> dict[str, object]:
    """A JSON object among the files."""
    try:
        stored = json.loads(contents[name])
    except (ValueError, RecursionError):
        stored = None
    if not isinstance(stored, dict):
        raise _unreadable(f"{name} is not a JSON object")
    return stored


def _check_signature(contents: Mapping[str, bytes], key: str | None) -> str:
    """Compare the signature; return the key that signed as PEM, empty for none."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if SIGNATURE not in contents:
        if key is not None:
            raise Differs("The bundle isn't signed, so nothing shows that it comes from the owner of the given key.")
        return ""
    stored = _object(contents, SIGNATURE)
    try:
        public = load_pem_public_key(str(stored.get("key")).encode())
        given = public if key is None else load_pem_public_key(key.encode())
        signature = base64.b64decode(str(stored.get("signature")), validate=True)
        if not isinstance(public, Ed25519PublicKey):
            raise ValueError("another algorithm")
    except (ValueError, UnsupportedAlgorithm):
        raise Differs(f"{SIGNATURE} was changed, or the given key is not a public key as PEM.") from None
    signed_by = _pem(public)
    if given != public:
        raise Differs(f"The bundle is signed by the key {fingerprint(signed_by)}, not by the given one.")
    try:
        public.verify(signature, contents[METADATA])
    except InvalidSignature:
        raise Differs(f"{METADATA} or {SIGNATURE} was changed after signing: the signature does not fit.") from None
    if contents[SIGNATURE] != _signature_text(signed_by, signature):
        raise Differs(f"{SIGNATURE} was changed.")
    return signed_by


def _check_hashes(contents: Mapping[str, bytes]) -> None:
    """Compare every file with the metadata."""
    graph = _object(contents, METADATA).get("@graph")
    listed = {
        str(entity.get("@id")): str(entity.get("sha256", ""))
        for entity in (graph if isinstance(graph, list) else [])
        if isinstance(entity, dict) and entity.get("@type") == "File"
    }
    for name in {**listed, **contents}:
        if name == METADATA:
            continue
        if name not in contents:
            raise Differs(f"{name} is missing from the bundle.")
        if name not in listed:
            raise Differs(f"{name} was added to the bundle.")
        if name != SIGNATURE and (sha256 := hashlib.sha256(contents[name]).hexdigest()) != listed[name]:
            raise Differs(f"{name} was changed: its SHA-256 is {sha256}, not {listed[name] or 'stated'}.")


def _bound_arrays(outcomes: bytes) -> None:
    """Refuse an archive of arrays that unpacks to more than ``MOST_BYTES``, or has an array twice."""
    with zipfile.ZipFile(io.BytesIO(outcomes)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > MOST_BYTES:
            raise ValueError("too large")
        if len({member.filename for member in members}) < len(members):
            raise ValueError("an array twice")


def _of_definitions(report: Report, named: Definitions) -> Iterator[Difference]:
    """Yield the hashes in a report that aren't those of the definitions and data sets."""
    hashes = {}
    for cell in named["cells"]:
        key = cell_key(cell["task"], cell["mode"])
        hashes[key] = digest(cell["definition"])
        yield from between(cell["hash"], hashes[key], f"hash of the definition of {key}")
    covered = [cell["hash"] for cell in named["cells"] if cell["in_suite"]]
    of_suite = digest([report.suite["id"], report.suite["version"], covered])
    yield from between(report.suite["hash"], of_suite, "suite.hash")
    for result in report.results:
        key = cell_key(result.task, result.mode)
        yield from between(result.task_hash, hashes.get(key), f"results.{key}.task_hash")
        for use in result.datasets:
            address = named["data"].get(use.id)
            yield from between(use.sha256, address and address["sha256"], f"results.{key}.datasets.{use.id}")


def _refuse(differing: Iterable[Difference]) -> None:
    """
    Raises
    ------
    Differs
        there is a difference; the message has the first few.
    """
    if listed := list(differing):
        more = f"\n… and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
        count = "1 value differs" if len(listed) == 1 else f"{len(listed)} values differ"
        lines = "\n".join(f"  {difference}" for difference in listed[:MOST_NAMED])
        raise Differs(f"{count}:\n{lines}{more}")
