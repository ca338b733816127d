"""Hostile files: valid ones with seeded corruption, the same thousand in every run; huge ones; bombs."""

from __future__ import annotations

import gzip
import random
import struct
from collections.abc import Callable, Iterator
from functools import cache

from isal import igzip

WORDS, DIMENSIONS = 120, 6
Change = Callable[[bytes, random.Random], bytes]

NASTY_WORDS = (
    *("../../etc/passwd", "..\\..\\windows", "/dev/null", "\u202eelif\u202c", "𝕨𝕠𝕣𝕕", "\U0001f469\u200d\U0001f467"),
    *("a\u0300" * 500, "\ufeff", "\u2028", "\x00", "\x1b[2J", "nan", "1e999", "\ud7ff\ue000", "%s%n", "{{7*7}}"),
    *("<script>alert(1)</script>", "'; DROP TABLE x; --"),
)
NASTY_NUMBERS = (
    *("nan", "inf", "-Infinity", "1e39", "1e-999", "0x1p3", "1_000", "١٢٣", "1,5", "", "-", "+-1"),
    *("9" * 400, "1e", ".e1"),
)
NASTY_BYTES = (
    *(b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"\x1a", b"\xf4\x90\x80\x80"),
    *(b"\xef\xbb\xbf", b"\n\n", b"\x85"),
)


def text(rng: random.Random, *, header: bool = False) -> bytes:
    """A valid plain text file."""
    lines = [f"{WORDS} {DIMENSIONS}"] if header else []
    for nth in range(WORDS):
        lines.append(" ".join([f"word{nth}", *(f"{rng.gauss(0, 1):.4f}" for _ in range(DIMENSIONS))]))
    return "\n".join(lines).encode() + b"\n"


def binary(rng: random.Random) -> bytes:
    """A valid word2vec binary file."""
    rows = [f"{WORDS} {DIMENSIONS}\n".encode()]
    for nth in range(WORDS):
        numbers = [rng.gauss(0, 1) for _ in range(DIMENSIONS)]
        rows.append(f"word{nth} ".encode() + struct.pack(f"<{DIMENSIONS}f", *numbers) + b"\n")
    return b"".join(rows)


def flip_bits(content: bytes, rng: random.Random) -> bytes:
    spoiled = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        spoiled[rng.randrange(len(spoiled))] ^= 1 << rng.randrange(8)
    return bytes(spoiled)


def truncate(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def splice(content: bytes, rng: random.Random) -> bytes:
    start, stop = sorted(rng.randrange(len(content)) for _ in range(2))
    place = rng.randrange(len(content))
    return content[:place] + content[start:stop] + content[place:]


def cut_out(content: bytes, rng: random.Random) -> bytes:
    start, stop = sorted(rng.randrange(len(content)) for _ in range(2))
    return content[:start] + content[stop:]


def insert_bytes(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + rng.choice(NASTY_BYTES) + content[place:]


def noise(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + rng.randbytes(rng.choice((1, 16, 4096))) + content[place:]


def nasty_word(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines) - 1)
    _, _, rest = lines[place].partition(b" ")
    lines[place] = rng.choice(NASTY_WORDS).encode("utf-8", "surrogatepass") + b" " + rest
    return b"\n".join(lines)


def nasty_number(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines) - 1)
    fields = lines[place].split(b" ")
    fields[rng.randrange(len(fields))] = rng.choice(NASTY_NUMBERS).encode()
    lines[place] = b" ".join(fields)
    return b"\n".join(lines)


def other_columns(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines) - 1)
    lines[place] += b" 0.5" * rng.choice((1, 2, 5_000))
    return b"\n".join(lines)


def false_header(content: bytes, rng: random.Random) -> bytes:
    count = rng.choice(("0", "-1", "119", "121", "99999999999999999999", "1e3", "120"))
    width = rng.choice(("0", "-6", "5", "7", "2147483648", "6.0"))
    return f"{count} {width}\n".encode() + content.split(b"\n", 1)[1]


ON_CONTENT: tuple[Change, ...] = (
    flip_bits, truncate, splice, cut_out, insert_bytes, noise, nasty_word, nasty_number, other_columns, false_header,
)  # fmt: skip
ON_GZIP: tuple[Change, ...] = (flip_bits, truncate, splice, cut_out, insert_bytes, noise)


def spoiled_files(count: int, seed: int = 20) -> Iterator[tuple[str, bytes]]:
    """Name and gzipped bytes of ``count`` files: every format with every corruption, inside and outside of gzip."""
    rng = random.Random(seed)
    for nth in range(count):
        form = nth % 3
        content = binary(rng) if form == 2 else text(rng, header=form == 1)
        if nth % 4 == 3:
            change = ON_GZIP[rng.randrange(len(ON_GZIP))]
            yield f"{nth:05d}-gzip-{change.__name__}", change(gzip.compress(content, mtime=0), rng)
        else:
            change = ON_CONTENT[rng.randrange(len(ON_CONTENT))]
            for _ in range(rng.choice((1, 1, 1, 3))):
                content = change(content, rng) or b"\n"
            yield f"{nth:05d}-{('text', 'header', 'binary')[form]}-{change.__name__}", gzip.compress(content, mtime=0)


HUGE = {
    "ten million columns": (b"word" + b" 0.25" * 10_000_000 + b"\n", 3),
    "one line of two gigabytes": (b"0.25 " * 20_000_000, 20),
    "a word of a hundred megabytes": (b"w" * 100_000_000 + b" 0.1 0.2\n", 1),
    "a million blank lines": (b"\n" * 1_000_000, 3),
    "deep accents": (("a" + "\u0300" * 50_000 + " 0.1 0.2\n").encode(), 20),
}
"""A gzip member, and how many of them stand in a row."""


def huge(what: str) -> bytes:
    unit, times = HUGE[what]
    return bytes(igzip.compress(unit, compresslevel=1)) * times


MEMBER_BYTES = 100_000_000
BOMBS = (
    (b"", b"\0", "nul-byte"),
    (b"400000 300\n", b"\0", "nul-byte"),
    (b"", b"x", "line-too-long"),
    (b"word", b" 0.25", "line-too-long"),
    (b"100 50\nword", b" 0.25", "line-too-long"),
    (b"", b"the 0.25 0.5\n", "expands-too-much"),
    (b"5000000 2\n", b"the 0.25 0.5\n", "expands-too-much"),
    (b"100 2\n", b"the 0.25 0.5\n", "header-contradicts"),
    (b"", b"\n", "empty"),
    (b"the 1 2\n", b"\n", "expands-too-much"),
    (b"the 1 2\n", b" \n", "expands-too-much"),
    (b"the 1 2\n", b" " * 200_000 + b"\n", "expands-too-much"),
    (b"the 1 2\n", b"+1 +1 +1\n", "too-many-words"),
    (b"1000000 2\na \x01\x00\x00\x3f\x00\x00\x00\x3f", b"\n", "header-contradicts"),
    (b"1000000 2\n", b"a \x01\x00\x00\x3f\x00\x00\x00\x3f", "header-contradicts"),
)
"""Beginning of a bomb, its repeated content, and the code of its refusal."""


@cache
def _member(unit: bytes) -> bytes:
    return bytes(igzip.compress(unit * (MEMBER_BYTES // len(unit)), compresslevel=1))


def bomb(beginning: bytes, unit: bytes, members: int) -> bytes:
    """Members of gzip that expand to ``MEMBER_BYTES`` each."""
    return bytes(igzip.compress(beginning)) + _member(unit) * members
