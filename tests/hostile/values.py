"""Values that databases, parsers and terminals stumble over."""

from __future__ import annotations

DEEP = 30_000
LONG = 300_000
"""More than Django reads into memory of a body without files."""

MARK = "Shé wrote this herself"
"""What a visitor wrote, which no line of the log may hold."""

TEXTS: dict[str, bytes] = {
    "a visitor's own words": MARK.encode(),
    "a NUL": b"a\x00b",
    "half a surrogate pair": b"a\xed\xa0\x80b",
    "bytes that are not UTF-8": b"\xff\xfe\xc3",
    "a right-to-left override": "a\u202eb\u2066c".encode(),
    "an escape sequence": b"\x1b[2J\x07\x9b",
    "line ends": b"a\r\nSet-Cookie: x=1\n\nb\x0b\x85",
    "nothing": b"",
    "too large for a float": b"1e999",
    "not a number": b"nan",
    "one more than 32 bits": b"2147483648",
    "more than 32 bits": b"4294967296",
    "more than 64 bits": b"9223372036854775808",
    "a raised two": "²".encode(),
    "Arabic digits": "٤٢".encode(),
    "five thousand digits": b"9" * 5_000,
    "many brackets": b"[" * DEEP,
    "brackets in an object": b'{"a":' * DEEP,
    "a surrogate escaped": b'[{"name": "\\ud800", "bytes": 9}]',
    "a NUL escaped": b'[{"name": "a\\u0000b", "bytes": 9}]',
    "an endless number in JSON": b'[{"name": "a", "bytes": 1e999}]',
    "long": b"x" * LONG,
}
"""As the bytes of a field of a form or of an address."""

JSON: dict[str, str] = {
    "half a surrogate pair": '"\\ud800"',
    "a NUL": '"a\\u0000b"',
    "a right-to-left override": '"a\\u202eb\\u001b[2J"',
    "too large for a float": "1e999",
    "much too small": "-1e999",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "too large, quoted": '"1e999"',
    "one more than 32 bits": "2147483648",
    "more than 64 bits": "9223372036854775808",
    "four hundred digits": "9" * 400,
    "five thousand digits": "9" * 5_000,
    "less than nothing": "-1",
    "a fraction": "0.5",
    "nothing": "null",
    "the truth": "true",
    "an empty text": '""',
    "an object": '{"__proto__": {"a": 1}}',
    "an empty list": "[]",
    "many lists": "[" * DEEP + "]" * DEEP,
    "brackets": "[" * DEEP,
    "objects in objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "a thousand lists": "[" * 900 + "]" * 900,
    "long": '"' + "x" * LONG + '"',
    "a raised two": '"²"',
}
"""As a piece of JSON."""

CHARSETS = ("utf-7", "utf-16", "idna", "undefined", "zlib", "raw_unicode_escape", "none-such", "\\")
"""Names of encodings that a client may give with a body or a file's name."""

FILE_NAMES: dict[str, bytes] = {
    "plain": b'filename="a.gz"',
    "a visitor's own words": f'filename="{MARK}.gz"'.encode(),
    "none": b'filename=""',
    "a NUL": b'filename="a\x00b.gz"',
    "right to left": 'filename="\u202ezg.a"'.encode(),
    "long": b'filename="' + b"n" * 3_000 + b'.gz"',
    "no UTF-8": b'filename="\xff\xed\xa0\x80.gz"',
    "a way out": b'filename="../../x\r.gz"',
    **{f"in {name}": f"filename*={name}''%2B2AA-%ed%a0%80%00a.gz".encode() for name in CHARSETS},
}
"""The parameter of Content-Disposition."""

FILES: dict[str, bytes] = {
    "empty": b"",
    "a visitor's own words": f"cue,word\ncue0,{MARK}\n{MARK}".encode(),
    "a NUL": b"cue,word\na\x00b,c\x00d\n",
    "control characters": "cue,word,workerid,written\ncue0,\x1b[2J\u202eabc,r\u202e1,x\x07\n".encode(),
    "surrogates in JSON": b'{"cue0": ["\\ud800"], "\\udfff": ["a"]}',
    "NULs in JSON": b'{"a\\u0000": ["b\\u0000"], "cue0": ["\\u0000"]}',
    "no finite number": b'{"cue0": [1e999, NaN]}',
    "deep": b'{"a":' * DEEP,
    "no UTF-8": b"\xed\xa0\x80",
    "lists": b"cue,word\ncue0,rain\ncue0,snow\n",
}
"""What is in a file that is sent with a form."""
