"""A bundle: a zip archive with a report and everything that checks it, but the vectors (docs/bundle.md).

``ro-crate-metadata.json`` has the SHA-256 of every file, and ``signature.json`` an Ed25519 signature (RFC 8032) of it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, BinaryIO

from typing_extensions import TypedDict

from extensions.verify.measure.crate import METADATA, About, citation, crate
from tasks.baseline.published import sizes_of, stem, stored_as
from tasks.datasets.registry import REGISTRY
from tasks.errors import InputError
from tasks.hashes import definition_of, suite_hash
from tasks.results import METHOD, Report, cell_key, json_text
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
_LIBRARIES = ("numpy", "scipy", "torch", "scikit-learn", "gensim", "threadpoolctl")


class Definitions(TypedDict):
    """Definitions of cells, data sets with ``sha256``, and SHA-256 of the files of baselines, by their names."""

    cells: dict[str, dict[str, object]]
    data: dict[str, dict[str, object]]
    baselines: dict[str, str]


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
