"""The same vectors in every format with a closed vocabulary."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import feather, parquet

from tests.tasks.formats.models import zipped

Words, Rows = Sequence[str], NDArray[np.float32]


def _text(words: Words, rows: Rows) -> bytes:
    lines = (f"{word} {' '.join(map(repr, row.tolist()))}\n" for word, row in zip(words, rows, strict=True))
    return "".join(lines).encode()


def _binary(words: Words, rows: Rows) -> bytes:
    vectors = zip(words, rows, strict=True)
    return b"%d %d\n" % rows.shape + b"".join(word.encode() + b" " + row.tobytes() for word, row in vectors)


def _npz(words: Words, rows: Rows) -> bytes:
    out = io.BytesIO()
    np.savez(out, words=np.array(words), vectors=rows)
    return out.getvalue()


def _npy(words: Words, rows: Rows) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asfortranarray(rows))
    return zipped({"vectors.npy": out.getvalue(), "words.txt": "".join(f"{word}\n" for word in words).encode()})


def _table(words: Words, rows: Rows) -> pa.Table:
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])
    return pa.table({"word": list(words), "vector": vectors})


def _parquet(words: Words, rows: Rows) -> bytes:
    out = io.BytesIO()
    parquet.write_table(_table(words, rows), out)
    return out.getvalue()


def _arrow(words: Words, rows: Rows) -> bytes:
    out = io.BytesIO()
    feather.write_feather(_table(words, rows), out, compression="uncompressed")
    return out.getvalue()


FORMS: dict[str, Callable[[Words, Rows], bytes]] = {
    "text": _text,
    "text in gzip": lambda words, rows: gzip.compress(_text(words, rows)),
    "text in zip": lambda words, rows: zipped({"v.txt": _text(words, rows)}),
    "word2vec binary": _binary,
    "npz": _npz,
    "npy": _npy,
    "parquet": _parquet,
    "arrow": _arrow,
}
