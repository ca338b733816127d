"""Reads safetensors files from start to end: the names, kinds and shapes of their tensors, then single ones.

The library of that name maps a whole file into memory at once, more than the process that reads uploads may have.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.blocks import Matrix
from tasks.vector_files.arrays import pieces
from tasks.vector_files.composing import ROWS_AT_ONCE_BYTES
from tasks.vector_files.problems import Problem
from tasks.vector_files.source import ByteSource
from tasks.vector_files.wording import shown

LENGTH_BYTES = 8
MOST_HEADER_BYTES = 1 << 18
"""A static model has a handful of tensors; a large network's header is not read."""
FLOATS = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8", "I8": "i1"}
"""Kinds of rows. BF16 is the first half of F32; I8 are whole numbers of quantised rows."""
WHOLE_NUMBERS = {"I8": "i1", "U8": "u1", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4", "I64": "<i8"}
_KINDS = FLOATS | WHOLE_NUMBERS


@dataclass(frozen=True)
class Tensor:
    """Where a tensor is.

    Parameters
    ----------
    name : in the file.
    kind : of its numbers, as the format calls it.
    shape : of the array.
    begin : its first byte in the file.
    bytes : its size.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    begin: int
    bytes: int


def tensors_of(source: ByteSource) -> dict[str, Tensor]:
    """All tensors by name.

    Raises
    ------
    InputError
        ``bad-safetensors``: the header is damaged, or a tensor's bytes do not fit its shape.
    """
    beginning = source.beginning
    size = int.from_bytes(beginning[:LENGTH_BYTES], "little")
    if not 2 <= size <= MOST_HEADER_BYTES or len(beginning) < LENGTH_BYTES + size:
        raise source.failure or Problem.BAD_SAFETENSORS(why="its header is damaged or cut off")
    try:
        header = json.loads(beginning[LENGTH_BYTES : LENGTH_BYTES + size])
        header.pop("__metadata__", None)
        return {name: _tensor(name, fields, LENGTH_BYTES + size) for name, fields in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Problem.BAD_SAFETENSORS(why="its header is damaged") from error


def _tensor(name: str, fields: dict[str, object], start: int) -> Tensor:
    """
    Raises
    ------
    ValueError, TypeError, KeyError
        the fields are not those of a tensor.
    """
    kind, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if not isinstance(kind, str) or not isinstance(shape, list) or not isinstance(offsets, list):
        raise TypeError(name)
    begin, end = offsets
    if not all(isinstance(number, int) and 0 <= number < 1 << 48 for number in (*shape, begin, end)):
        raise ValueError(name)
    if kind in _KINDS and end - begin != math.prod(shape) * np.dtype(_KINDS[kind]).itemsize:
        raise ValueError(name)
    return Tensor(name, kind, tuple(shape), start + begin, end - begin)


def vector_of(source: ByteSource, tensor: Tensor) -> NDArray[np.generic]:
    """A whole 1-D tensor."""
    content = b"".join(_bytes(source, tensor))
    return _numbers(content, tensor.kind)


def rows_of(source: ByteSource, tensor: Tensor) -> Iterator[Matrix]:
    """The rows of a 2-D tensor in blocks, float32, shape (n, D).

    Raises
    ------
    InputError
        ``bad-safetensors``: the file ends before.
    """
    dimensions = tensor.shape[1]
    size = dimensions * np.dtype(_KINDS[tensor.kind]).itemsize
    for piece in pieces(_bytes(source, tensor), max(1, ROWS_AT_ONCE_BYTES // size) * size):
        with np.errstate(over="ignore"):
            yield _numbers(piece, tensor.kind).astype(np.float32, copy=False).reshape(-1, dimensions)


def _numbers(content: bytes, kind: str) -> NDArray[np.generic]:
    numbers: NDArray[np.generic] = np.frombuffer(content, dtype=_KINDS[kind])
    return (numbers.astype("<u4") << 16).view("<f4") if kind == "BF16" else numbers


def _bytes(source: ByteSource, tensor: Tensor) -> Iterator[bytes]:
    place, left = 0, tensor.bytes
    for block in source.blocks():
        part = block[max(0, tensor.begin - place) :][:left]
        place += len(block)
        left -= len(part)
        if part:
            yield part
        if not left:
            return
    if left:
        raise Problem.BAD_SAFETENSORS(why=f"it ends in the middle of the tensor “{shown(tensor.name)}”")
