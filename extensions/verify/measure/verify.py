"""The check of a bundle: signature, hashes, and the report computed again from its outcomes (docs/bundle.md)."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from typing_extensions import TypedDict

from extensions.verify.measure.bundle import (
    DEFINITIONS,
    FILES,
    OUTCOMES,
    REPORT,
    SIGNATURE,
    Definitions,
    definitions,
    pem,
    signature_text,
    suite_of,
)
from extensions.verify.measure.crate import METADATA
from extensions.verify.measure.recompute import ROUNDING, Difference, between, differences
from tasks.base import digest
from tasks.datasets.registry import REGISTRY
from tasks.errors import InputError, VecboardError
from tasks.results import Report, adapter, cell_key
from tasks.suite import Suite

MOST_BYTES = 64_000_000
"""Of each file, of the unpacked outcomes, and of the archive; the shipped entries have less than a twentieth."""
MOST_NAMED = 5
"""Differences that a message names."""
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError)
_BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, MemoryError)
"""Errors of reading arrays and objects of another form than those written."""
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
        required = public if key is None else load_pem_public_key(key.encode())
        signature = base64.b64decode(stored["signature"], validate=True)
    except (ValueError, KeyError, UnsupportedAlgorithm):
        raise Differs(f"{SIGNATURE} was changed, or the given key is not a public key as PEM.") from None
    if not isinstance(public, Ed25519PublicKey) or contents[SIGNATURE] != signature_text(public, signature):
        raise Differs(f"{SIGNATURE} was changed.")
    signed_by = hashlib.sha256(pem(public).encode()).hexdigest()[:16]
    if required != public:
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
