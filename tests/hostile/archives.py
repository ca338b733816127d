"""Malicious archives of a few kB each, made to cost time or memory, or to look like a fault of the site."""

from __future__ import annotations

import gzip
import tarfile

CONTENT = b"".join(b"word%d 0.1 0.2 0.3\n" % n for n in range(120))


def header(name: str = "run.txt", size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    """One block with a valid checksum; a negative size in GNU's encoding."""
    info = tarfile.TarInfo(name)
    info.type = kind
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = tarfile.itn(size, 12, tarfile.GNU_FORMAT)
    return with_sum(block)


def with_sum(block: bytearray) -> bytes:
    """The block with its checksum corrected."""
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def entry(content: bytes, name: str = "run.txt", kind: bytes = tarfile.REGTYPE) -> bytes:
    return header(name, len(content), kind) + content + bytes(-len(content) % 512)


def records(*pairs: tuple[str, str]) -> bytes:
    """POSIX records in front of a file."""
    text = b""
    for key, value in pairs:
        body = f" {key}={value}\n".encode()
        length = len(body) + 1
        while length != len(body) + len(str(length)):
            length += 1
        text += str(length).encode() + body
    return entry(text, "pax", tarfile.XHDTYPE)


RUNS = entry(CONTENT, "a.txt") + entry(CONTENT, "b.txt")
MEGABYTES = 16 << 20


def sparse(extended: bytes = b"") -> bytes:
    """GNU's oldest form of a sparse file, whose map continues in a missing or short block."""
    block = bytearray(header("holes", 512, tarfile.GNUTYPE_SPARSE))
    block[386:482] = b"00000000001\0" * 8
    block[482] = 1
    return with_sum(block) + extended


HARMFUL = {
    "16 MB of digits as records": entry(b"1" * (MEGABYTES - 512), "pax", tarfile.XHDTYPE) + RUNS,
    "16 MB of digits for the whole archive": entry(b"1" * (MEGABYTES - 512), "pax", tarfile.XGLTYPE) + RUNS,
    "a name of 16 MB": entry(b"a" * (MEGABYTES - 512), "long", tarfile.GNUTYPE_LONGNAME) + RUNS,
    "a header of a terabyte": header("pax", 1 << 40, tarfile.XHDTYPE),
    "3,000 long names in a row": entry(b"name\0", "long", tarfile.GNUTYPE_LONGNAME) * 3_000 + RUNS,
    "3,000 headers of records in a row": records(("comment", "x")) * 3_000 + RUNS,
    "3,000 headers for the whole archive": entry(b"13 comment=x\n", "pax", tarfile.XGLTYPE) * 3_000 + RUNS,
    "a sparse map that breaks off": sparse(),
    "a sparse map that is too short": sparse(b"7" * 512) + RUNS,
    "an empty sparse map in records": records(("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")) + RUNS,
    "a sparse map of words": records(("GNU.sparse.map", "a,b"), ("GNU.sparse.size", "x")) + RUNS,
    "a sparse map of one number": records(("GNU.sparse.map", "1"), ("GNU.sparse.size", "9")) + RUNS,
    "a negative size": header("run.txt", -512) + RUNS,
    "a negative size of records": header("pax", -512, tarfile.XHDTYPE) + RUNS,
    "a negative size in records": records(("size", "-1024")) + RUNS,
    "a size of 4,000 digits": records(("size", "9" * 4_000)) + RUNS,
    "a size beyond any file": header("run.txt", 1 << 80) + RUNS,
    "a size that is a word": with_sum(bytearray(header()[:124] + b"many bytes!\0" + header()[136:])) + RUNS,
    "records of length nothing": entry(b"0 path=x\n", "pax", tarfile.XHDTYPE) + RUNS,
    "records longer than their header": entry(b"99 path=x\n", "pax", tarfile.XHDTYPE) + RUNS,
    "records without an end": entry(b"9 path=xy", "pax", tarfile.XHDTYPE) + RUNS,
    "records that say nothing": entry(b"\0" * 512, "pax", tarfile.XHDTYPE) + RUNS,
    "a header without its file": RUNS + records(("path", "x")),
    "a wrong checksum": RUNS[:148] + b"000001\0 " + RUNS[156:],
    "half a header": RUNS + header()[:200],
    "half a file": RUNS + header("c.txt", 1 << 20) + b"word 1 2 3\n",
    "a link": RUNS + header("c.txt", kind=tarfile.SYMTYPE),
    "a kind that nobody knows": RUNS + header("c.txt", kind=b"Z"),
    "a name that leads out, in records": records(("path", "../../c.txt")) + RUNS,
}
"""Refused as bad-archive, each."""


def packed(content: bytes) -> bytes:
    return gzip.compress(content + bytes(1024), 9, mtime=0)
