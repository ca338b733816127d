"""A bundle: a zip archive with a report and everything that checks it, but the vectors (docs/bundle.md).

``ro-crate-metadata.json`` has the SHA-256 of every file, and ``signature.json`` an Ed25519 signature (RFC 8032) of it.
"""

from __future__ import annotations

import base64
import hashlib
import io
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
from tasks.results import METHOD, Report, adapter, cell_key, json_text
from tasks.suite import Suite
from tasks.suites import SUITES

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

REPORT, OUTCOMES, DEFINITIONS, SIGNATURE = "report.json", "outcomes.npz", "definitions.json", "signature.json"
FILES: Mapping[str, tuple[str, str]] = {
    REPORT: ("application/json", "Scores with device and threads, intervals, error reductions and their means"),
    OUTCOMES: ("application/zip", "NumPy arrays: the outcome of every test example, averaged over the seeds of a cell"),
    DEFINITIONS: ("application/json", "What fixes each score; hashes and addresses of data sets; hashes of baselines"),
    "requirements.txt": ("text/plain", "Versions of the libraries, for pip"),
    "CITATION.cff": ("application/yaml", "How to cite the report"),
    SIGNATURE: ("application/json", f"Ed25519 signature of {METADATA}"),
}
"""Media type and description of the files, in their order."""
MOST_BYTES = 64_000_000
"""Of each file, of the unpacked outcomes, and of the archive; the shipped entries have less than a twentieth."""
MOST_NAMED = 5
"""Differences that a message names."""
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError)
_BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, MemoryError)
"""Errors of reading arrays and objects of another form than those written."""
_LIBRARIES = ("numpy", "scipy", "torch", "scikit-learn", "gensim", "threadpoolctl")


class Definitions(TypedDict):
    """Definitions of cells, data sets with ``sha256``, and SHA-256 of the files of baselines, by their names."""

    cells: dict[str, dict[str, object]]
    data: dict[str, dict[str, object]]
    baselines: dict[str, str]


Metadata = TypedDict("Metadata", {"@graph": list[dict[str, object]]})


class Differs(VecboardError):
    """A bundle isn't what was measured; the message names the files or figures."""


@dataclass(frozen=True)
class Verified:
    """A bundle without a difference.

    Parameters
    ----------
    report, suite : the report with outcomes, and its suite.
    key : of the key that signed it, the start of the SHA-256 of its PEM; empty if it isn't signed.
    rounded : differences by the rounding of another processor.
    """

    report: Report
    suite: Suite
    key: str
    rounded: tuple[Difference, ...]


def write(file: BinaryIO, report: Report, about: About, key: Ed25519PrivateKey | None = None) -> None:
    """Write a bundle; equal reports give equal bytes.

    Parameters
    ----------
    report : with outcomes.
    key : that signs it; None: it stays unsigned.

    Raises
    ------
    InputError
        the report was made under another definition of the suite, or by an earlier method, or outcomes are missing.
    """
    suite, outcomes = suite_of(report), io.BytesIO()
    if gone := [cell_key(cell.task, cell.mode) for cell in report.results if cell.errors and cell.outcomes is None]:
        message = f"The outcomes of {', '.join(gone)} are no longer stored, so nothing can check their intervals."
        raise InputError("no-outcomes", message)
    report.write_outcomes(outcomes)
    texts = (json_text(definitions(report, suite)), requirements(report), citation(report, suite, about))
    unsigned = (report.to_json().encode(), outcomes.getvalue(), *(text.encode() for text in texts))
    contents = dict(zip(FILES, unsigned if key is None else (*unsigned, b""), strict=False))
    files = {name: (content, *FILES[name]) for name, content in contents.items()}
    metadata = crate(report, suite, about, files).encode()
    if key is not None:
        contents[SIGNATURE] = signature_text(key.public_key(), key.sign(metadata))
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in {METADATA: metadata, **contents}.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def suite_of(report: Report) -> Suite:
    """The suite of a report, if it has the same definition here.

    Raises
    ------
    InputError
        it has another, lacks some of its tasks, or the report is of an earlier method.
    """
    used, suite = report.suite, SUITES.get(report.suite["id"])
    made = used["version"], used["hash"], report.method
    here = suite and (suite.version, suite_hash(suite), METHOD)
    if suite is None or made != here:
        message = f"The report is of {used['id']} (version, hash and method {made}), which here is {here}."
        raise InputError("other-suite", f"{message} Use the version of Vecboard that measured it.")
    tasks = {task.id for task in suite.tasks}
    missing = {result.task for result in report.results if result.task not in tasks}
    missing |= {use.id for result in report.results for use in result.datasets if use.id not in REGISTRY}
    if missing:
        message = f"This program lacks tasks or data sets of the report: {', '.join(sorted(missing))}."
        raise InputError("other-suite", f"{message} Verify it where it was measured.")
    return suite


def definitions(report: Report, suite: Suite) -> Definitions:
    """What fixes each of the report's numbers."""
    cells = [(suite.task(result.task), result.mode) for result in report.results]
    used = {use.id: use for result in report.results for use in result.datasets}
    data: dict[str, dict[str, object]] = {}
    for id_, use in sorted(used.items()):
        declared = REGISTRY[id_]
        files = {file.path: [source.url for source in file.published] for file in declared.read_files}
        about = {"title": declared.title, "version": declared.version, "homepage": declared.homepage, "files": files}
        data[id_] = {"sha256": use.sha256, "licence": use.licence, **about}
    named = {cell_key(task.id, mode): definition_of(suite, task, mode) for task, mode in cells}
    return {"cells": named, "data": data, "baselines": baseline_hashes(report, suite)}


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
        try:
            of_writer = f"{version(name)}  # of the bundle's writer"
        except PackageNotFoundError:
            of_writer = ""
        if number := report.environment.get(name, of_writer):
            lines.append(f"{name}=={number}")
    return "\n".join(lines) + "\n"


def pem(key: Ed25519PublicKey) -> str:
    """A public key as text."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def signature_text(key: Ed25519PublicKey, signature: bytes) -> bytes:
    """The content of ``signature.json``."""
    encoded = base64.b64encode(signature).decode()
    return json_text({"algorithm": "Ed25519", "signs": METADATA, "key": pem(key), "signature": encoded}).encode()


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
        named = adapter(Definitions).validate_json(contents[DEFINITIONS])
        _bound_arrays(contents[OUTCOMES])
        report = report.with_outcomes(io.BytesIO(contents[OUTCOMES]))
    except (*_DAMAGE, *_BROKEN_ARCHIVE) as error:
        raise _unreadable(f"a file in it is damaged ({type(error).__name__})") from None
    suite = suite_of(report)
    _refuse(_of_definitions(report, named))
    here = definitions(report, suite)
    if named["baselines"] != here["baselines"]:
        message = "This program does not have the baselines that the report was compared with"
        names = ", ".join(sorted(dict(named["baselines"].items() ^ here["baselines"].items())))
        raise InputError("other-baseline", f"{message}: {names}. For other languages, set VECBOARD_BASELINE_SCORES.")
    _refuse(_of_this_program(named, here))
    try:
        of_outcomes = tuple(differences(report, suite))
    except (*_DAMAGE, ArithmeticError, VecboardError) as error:
        raise Differs(f"The report cannot be computed from its outcomes ({type(error).__name__}: {error}).") from None
    _refuse(difference for difference in of_outcomes if difference.size > ROUNDING)
    return Verified(report, suite, signed_by, of_outcomes)


def _unreadable(why: str) -> InputError:
    return InputError("no-bundle", f"This is not a bundle that can be read: {why}.")


def _contents(file: BinaryIO) -> dict[str, bytes]:
    """The files of a bundle by name, none larger than ``MOST_BYTES``."""
    contents: dict[str, bytes] = {}
    if file.seek(0, io.SEEK_END) > MOST_BYTES:
        raise _unreadable(f"it has more than {MOST_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(file) as archive:
            for info in islice(archive.infolist(), len(FILES) + 2):
                name = info.filename
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise _unreadable(f"{name} is compressed in another way than zip files usually are")
                if name not in (METADATA, *FILES) or name in contents:
                    raise Differs(f"{name} was added to the bundle.")
                with archive.open(info) as member:
                    contents[name] = member.read(MOST_BYTES + 1)
                if len(contents[name]) > MOST_BYTES:
                    raise _unreadable(f"{name} has more than {MOST_BYTES:,} bytes")
    except _BROKEN_ARCHIVE as error:
        raise _unreadable(f"its archive is damaged ({error})") from None
    if missing := [name for name in (METADATA, *FILES) if name != SIGNATURE and name not in contents]:
        raise Differs(f"{', '.join(missing)} is missing from the bundle.")
    return contents


def _check_signature(contents: Mapping[str, bytes], key: str | None) -> str:
    """Compare the signature; return :attr:`Verified.key`."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if SIGNATURE not in contents:
        if key is not None:
            raise Differs("The bundle is not signed, so nothing shows that it comes from the owner of the given key.")
        return ""
    try:
        stored = adapter(dict[str, str]).validate_json(contents[SIGNATURE])
        public = load_pem_public_key(stored["key"].encode())
        given = public if key is None else load_pem_public_key(key.encode())
        signature = base64.b64decode(stored["signature"], validate=True)
    except (ValueError, KeyError, UnsupportedAlgorithm):
        raise Differs(f"{SIGNATURE} was changed, or the given key is not a public key as PEM.") from None
    if not isinstance(public, Ed25519PublicKey) or contents[SIGNATURE] != signature_text(public, signature):
        raise Differs(f"{SIGNATURE} was changed.")
    signed_by = hashlib.sha256(pem(public).encode()).hexdigest()[:16]
    if given != public:
        raise Differs(f"The bundle is signed by the key {signed_by}, not by the given one.")
    try:
        public.verify(signature, contents[METADATA])
    except InvalidSignature:
        raise Differs(f"{METADATA} or {SIGNATURE} was changed after signing: the signature does not fit.") from None
    return signed_by


def _check_hashes(contents: Mapping[str, bytes]) -> None:
    """Compare every file with the metadata."""
    try:
        entities = adapter(Metadata).validate_json(contents[METADATA])["@graph"]
    except ValueError:
        raise Differs(f"{METADATA} was changed: it is not an RO-Crate.") from None
    listed = {str(e.get("@id")): e.get("sha256") for e in entities if e.get("@type") == "File"}
    for name in sorted({*listed, *contents} - {METADATA}):
        if name not in contents or name not in listed:
            raise Differs(f"{name} {'was added to' if name in contents else 'is missing from'} the bundle.")
        if name != SIGNATURE and (sha256 := hashlib.sha256(contents[name]).hexdigest()) != listed[name]:
            raise Differs(f"{name} was changed: its SHA-256 is {sha256}, not {listed[name]}.")


def _bound_arrays(outcomes: bytes) -> None:
    """Refuse an archive of arrays that unpacks to more than ``MOST_BYTES``, or has an array twice."""
    with zipfile.ZipFile(io.BytesIO(outcomes)) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        kinds = {member.compress_type for member in archive.infolist()} | {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if sum(sizes.values()) > MOST_BYTES or len(sizes) < len(archive.infolist()) or len(kinds) > 2:
            raise ValueError("too large, an array twice, or compressed in another way")


def _of_definitions(report: Report, named: Definitions) -> Iterator[Difference]:
    """Yield the hashes in a report that aren't those of the definitions and data sets."""
    for result in report.results:
        key = cell_key(result.task, result.mode)
        yield from between(result.task_hash, digest(named["cells"].get(key)), f"hash of the definition of {key}")
        for use in result.datasets:
            yield from between(use.sha256, named["data"].get(use.id, {}).get("sha256"), f"hash of {use.id}")


def _of_this_program(named: Definitions, here: Definitions) -> Iterator[Difference]:
    """Yield the hashes of definitions and data sets that aren't this program's; an operator's files have none."""
    for key in named["cells"].keys() | here["cells"]:
        stored, computed = (digest(definitions["cells"].get(key)) for definitions in (named, here))
        yield from between(stored, computed, f"hash of the definition of {key} in this program")
    for id_, data in named["data"].items():
        declared = REGISTRY[id_]
        if all(file.sha256 for file in declared.read_files):
            yield from between(data.get("sha256"), declared.sha256, f"hash of {id_}")


def _refuse(differing: Iterable[Difference]) -> None:
    """
    Raises
    ------
    Differs
        there is a difference; the message has the first few.
    """
    if listed := list(differing):
        lines = [f"{len(listed)} {'value differs' if len(listed) == 1 else 'values differ'}:"]
        lines += [f"  {difference}" for difference in listed[:MOST_NAMED]]
        raise Differs("\n".join(lines + (["  …"] if len(listed) > MOST_NAMED else [])))
