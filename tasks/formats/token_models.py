"""Static token models: a row for each token, in the layouts of model2vec and sentence-transformers.

The vector of a word is the mean of factor × row over its tokens, without special tokens and the one for what is
unknown; scaled to length 1 if the configuration says ``normalize`` or the next module is Normalize. The library
safetensors isn't used: it maps a whole file into memory, more than the process that reads uploads may have, and gives
NumPy no BF16.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tasks.formats.composing import ROWS_AT_ONCE_BYTES, Pieces, composed
from tasks.formats.others import other_kind
from tasks.formats.problems import Problem
from tasks.formats.source import MEGABYTE, ByteSource, Folder, Format, Reading, check_shape, pieces
from tasks.text import shown
from tasks.vectors import Matrix

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_LENGTH_BYTES = 8
_MOST_HEADER_BYTES = 1 << 18
"""A static model has a handful of tensors; a large network's header is not read."""
_FLOATS = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8", "I8": "i1"}
"""Kinds of rows. BF16 is the first half of F32; I8 are whole numbers of quantised rows."""
_WHOLE_NUMBERS = {"I8": "i1", "U8": "u1", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4", "I64": "<i8"}
_KINDS = _FLOATS | _WHOLE_NUMBERS
_RECOGNISED_HEADER_BYTES = 100_000_000
_ROWS = ("embeddings", "embedding.weight")
_WEIGHTS, _MAPPING = "weights", "mapping"
TRUNCATIONS = "matryoshka_dimensions"
_MOST_TOKENIZER_BYTES = 64 * MEGABYTE
_MOST_CONFIG_BYTES = MEGABYTE
_MOST_TOKENS = 5_000_000
_WORDS_AT_ONCE = 4_096
_CHECKED = 1_000
"""About as many words, from the whole list, are tokenized twice."""
_MOST_CHARACTERS = 10_000
"""Of a word once it is normalized; words of the lists have a few dozen."""
_UNKNOWN_ID = re.compile(rb'"unk_id"\s*:\s*([0-9]{1,9})')
"""Of a Unigram tokenizer, which the library doesn't expose; inside a token, its quotes would be escaped."""


@dataclass(frozen=True)
class _Tensor:
    """Location of a tensor in the file.

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


def _tensors_of(source: ByteSource) -> dict[str, _Tensor]:
    """All tensors by name.

    Raises
    ------
    InputError
        ``bad-safetensors``: the header is damaged, or a tensor's bytes do not fit its shape.
    """
    beginning = source.beginning
    size = int.from_bytes(beginning[:_LENGTH_BYTES], "little")
    if not 2 <= size <= _MOST_HEADER_BYTES or len(beginning) < _LENGTH_BYTES + size:
        raise source.failure or Problem.BAD_SAFETENSORS(why="its header is damaged or cut off")
    try:
        header = json.loads(beginning[_LENGTH_BYTES : _LENGTH_BYTES + size])
        header.pop("__metadata__", None)
        return {name: _tensor(name, fields, _LENGTH_BYTES + size) for name, fields in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Problem.BAD_SAFETENSORS(why="its header is damaged") from error


def _tensor(name: str, fields: dict[str, object], start: int) -> _Tensor:
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
    return _Tensor(name, kind, tuple(shape), start + begin, end - begin)


def _vector_of(source: ByteSource, tensor: _Tensor) -> NDArray[np.generic]:
    """A whole 1-D tensor."""
    content = b"".join(_bytes(source, tensor))
    return _numbers(content, tensor.kind)


def _rows_of(source: ByteSource, tensor: _Tensor) -> Iterator[Matrix]:
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


def _bytes(source: ByteSource, tensor: _Tensor) -> Iterator[bytes]:
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


@dataclass(frozen=True)
class _Rows:
    """The tensors of a model.

    Parameters
    ----------
    rows : shape (R, D).
    mapping : int64, shape (T,): the row of each token id; None: the id itself.
    weights : float32: the factor of each token id, shape (T,), or of each row, shape (R,); None: 1.
    """

    rows: _Tensor
    mapping: NDArray[np.int64] | None
    weights: NDArray[np.float32] | None

    @property
    def tokens(self) -> int:
        """Ids that have a row."""
        return self.rows.shape[0] if self.mapping is None else len(self.mapping)


def _read(source: ByteSource) -> Reading:
    """The vectors of the listed words.

    Raises
    ------
    InputError
        ``files-of-model``, ``unknown-format``, ``unknown-module``, ``bad-safetensors``, ``unknown-tensors``,
        ``bad-tensor``, ``bad-tokenizer``, ``bad-config``, ``token-without-row``, ``needs-word-list``,
        ``too-many-dimensions``, ``too-few-dimensions``.
    """
    assert isinstance(source, Folder)
    limits = source.limits
    is_normalised = _is_normalised(source)
    tensors = _only(source, "*.safetensors", lambda name: name.endswith(".safetensors"))
    model = _model(tensors)
    check_shape(0, model.rows.shape[1], limits)
    tokenizer = _tokenizer(_only(source, "tokenizer.json", lambda name: name == "tokenizer.json"))
    words = source.request.listed_words()
    tokenizer.check(words[:: max(1, len(words) // _CHECKED)])
    pieces = _pieces(words, tokenizer, model)
    vectors = composed(
        words, pieces, _rows_of(tensors, model.rows), model.rows.shape[1], limits, normalised=is_normalised
    )
    more = sum(vector.nbytes for vector in (model.mapping, model.weights) if vector is not None)
    model_bytes = model.rows.bytes + more + tokenizer.bytes
    dimensions = model.rows.shape[1]
    return Reading(dimensions, vectors, unit="word", open_vocabulary=True, model_bytes=model_bytes, source=tensors)


@dataclass(frozen=True)
class TokenModel:
    """A static token model in memory.

    Parameters
    ----------
    rows : float32, shape (R, D).
    mapping : int64, shape (T,): the row of each token id; None: the id itself.
    weights : float32, shape (T,): the factor of each token id; None: 1.
    tokenizer : content of ``tokenizer.json``.
    is_normalised : vectors of words are scaled to length 1.
    truncations : numbers of dimensions below D to which its rows were trained to be cut: ``matryoshka_dimensions`` in
        ``config.json``.
    kind : type of the rows in the file.
    """

    rows: Matrix
    mapping: NDArray[np.int64] | None
    weights: NDArray[np.float32] | None
    tokenizer: bytes
    is_normalised: bool
    truncations: tuple[int, ...] = ()
    kind: str = "F32"


def model_of(folder: Folder) -> TokenModel:
    """The model in an archive that has been read as one.

    Raises
    ------
    InputError
        as for reading it; ``bad-config``: the declared truncations are not numbers of dimensions.
    """
    tensors = _only(folder, "*.safetensors", lambda name: name.endswith(".safetensors"))
    model = _model(tensors)
    tokenizer = _only(folder, "tokenizer.json", lambda name: name == "tokenizer.json")
    sizes = _config(folder).get(TRUNCATIONS, [])
    dimensions = model.rows.shape[1]
    if not isinstance(sizes, list) or not all(type(n) is int and 2 <= n <= dimensions for n in sizes):
        raise Problem.BAD_CONFIG(name="config.json", why=f"its “{TRUNCATIONS}” are not numbers from 2 to {dimensions}")
    return TokenModel(
        np.concatenate(list(_rows_of(tensors, model.rows))),
        model.mapping,
        model.weights,
        b"".join(tokenizer.blocks()),
        _is_normalised(folder),
        tuple(sorted({n for n in sizes if n < dimensions})),
        model.rows.kind,
    )


def _only(folder: Folder, kind: str, matches: Callable[[str], bool]) -> ByteSource:
    names = [name for name in folder.names if matches(PurePosixPath(name).name)]
    if len(names) != 1:
        raise Problem.FILES_OF_MODEL(kind=kind, names=folder.names)
    if other := other_kind(folder.members[names[0]].beginning, what=f"“{shown(names[0])}”"):
        raise other
    return folder.members[names[0]]


def _model(source: ByteSource) -> _Rows:
    tensors = _tensors_of(source)
    rows = [tensors[name] for name in _ROWS if name in tensors]
    if len(rows) != 1 or len(rows[0].shape) != 2 or rows[0].kind not in _FLOATS:
        raise Problem.UNKNOWN_TENSORS(
            names=[f"{tensor.name} ({tensor.kind} {' × '.join(map(str, tensor.shape))})" for tensor in tensors.values()]
        )
    count = rows[0].shape[0]
    if not 0 < count <= _MOST_TOKENS:
        raise Problem.BAD_TENSOR(name=rows[0].name, why=f"has {count:,} rows; at most {_MOST_TOKENS:,} are read")
    mapping = _mapping(source, tensors.get(_MAPPING), count)
    return _Rows(rows[0], mapping, _weights(source, tensors.get(_WEIGHTS), count, mapping))


def _mapping(source: ByteSource, tensor: _Tensor | None, rows: int) -> NDArray[np.int64] | None:
    if tensor is None:
        return None
    _check_vector(tensor, _WHOLE_NUMBERS)
    mapping = _vector_of(source, tensor).astype(np.int64)
    outside = np.flatnonzero((mapping < 0) | (mapping >= rows))
    if len(outside):
        token = int(outside[0])
        why = f"maps the token id {token:,} to row {mapping[token]:,}, and there are {rows:,} rows"
        raise Problem.BAD_TENSOR(name=tensor.name, why=why)
    return mapping


def _weights(
    source: ByteSource, tensor: _Tensor | None, rows: int, mapping: NDArray[np.int64] | None
) -> NDArray[np.float32] | None:
    if tensor is None:
        return None
    _check_vector(tensor, _FLOATS)
    tokens = rows if mapping is None else len(mapping)
    if tensor.shape[0] not in (tokens, rows):
        why = f"has {tensor.shape[0]:,} factors, not one for each of the {rows:,} rows or {tokens:,} tokens"
        raise Problem.BAD_TENSOR(name=tensor.name, why=why)
    with np.errstate(over="ignore"):
        weights = _vector_of(source, tensor).astype(np.float32)
    # One for each token, as model2vec writes them; else one for each row.
    return weights if mapping is None or len(weights) == tokens else weights[mapping]


def _check_vector(tensor: _Tensor, kinds: dict[str, str]) -> None:
    if len(tensor.shape) != 1 or tensor.kind not in kinds or tensor.shape[0] > _MOST_TOKENS:
        raise Problem.BAD_TENSOR(
            name=tensor.name,
            why=f"is {shown(tensor.kind)} of shape {shown(str(tensor.shape))}, not 1-D of {', '.join(kinds)}",
        )


@dataclass(frozen=True)
class _TokenIds:
    """A tokenizer that gives the token ids of words.

    Parameters
    ----------
    tokenizer : without padding and truncation.
    unknown : id of the token for unknown text; None: there is none.
    bytes : size of its file.
    """

    tokenizer: Tokenizer
    unknown: int | None
    bytes: int

    def of(self, words: Sequence[str]) -> Iterator[list[int]]:
        """
        Raises
        ------
        InputError
            ``bad-tokenizer``.
        """
        try:
            encoded = self.tokenizer.encode_batch_fast(list(words), add_special_tokens=False)
        except BaseException as error:  # its panics are not ordinary exceptions
            raise _as_input_error(error) from error
        for word in encoded:
            yield [token for token in word.ids if token != self.unknown]

    def check(self, words: Sequence[str]) -> None:
        """Check on some words that tokens are repeatable and that normalized words stay short.

        Raises
        ------
        InputError
            ``bad-tokenizer``.
        """
        for word in words if self.tokenizer.normalizer else ():
            try:
                length = len(self.tokenizer.normalizer.normalize_str(word))
            except BaseException as error:
                raise _as_input_error(error) from error
            if length > _MOST_CHARACTERS:
                raise Problem.GROWING_TEXT(characters=length, word=word)
        if list(self.of(words)) != list(self.of(words)):
            raise Problem.VARYING_TOKENS()


def _tokenizer(source: ByteSource) -> _TokenIds:
    from tokenizers import Tokenizer

    text = _content(source, _MOST_TOKENIZER_BYTES)
    if text is None:
        raise Problem.BAD_TOKENIZER(why="it is too large")
    try:
        tokenizer = Tokenizer.from_str(text.decode())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if getattr(tokenizer.model, "dropout", None) is not None:
            tokenizer.model.dropout = None  # leaves out merges at random, to vary the texts of a training
        name = getattr(tokenizer.model, "unk_token", None)
        unknown = tokenizer.token_to_id(name) if name else None
    except BaseException as error:
        raise _as_input_error(error) from error
    listed_id = _UNKNOWN_ID.search(text)
    return _TokenIds(tokenizer, int(listed_id[1]) if unknown is None and listed_id else unknown, len(text))


def _as_input_error(error: BaseException) -> BaseException:
    """A tokenizer's error or panic is the file's fault; an interrupt or lack of memory is not."""
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        return error
    return Problem.BAD_TOKENIZER(why=str(error) or type(error).__name__)


def _content(source: ByteSource, most: int) -> bytes | None:
    """The whole file; None if it is larger."""
    content = bytearray()
    for block in source.blocks():
        content += block
        if len(content) > most:
            return None
    return bytes(content)


def _json(folder: Folder, name: str) -> object:
    """Content of the first file of this name; None if there is none."""
    named = [member for path, member in folder.members.items() if PurePosixPath(path).name == name]
    if not named:
        return None
    try:
        return json.loads(_content(named[0], _MOST_CONFIG_BYTES) or b"")
    except (ValueError, RecursionError) as error:
        raise Problem.BAD_CONFIG(name=name, why="it is not JSON, or too large") from error


def _config(folder: Folder) -> dict[str, object]:
    """The content of config.json; empty if there is none, or if it is not an object."""
    config = _json(folder, "config.json")
    return config if isinstance(config, dict) else {}


def _is_normalised(folder: Folder) -> bool:
    """Whether config.json says so, or a module in modules.json does it.

    Raises
    ------
    InputError
        ``bad-config``; ``unknown-module``: the model computes more than means of its rows.
    """
    normalize = _config(folder).get("normalize")
    if normalize not in (None, True, False):
        raise Problem.BAD_CONFIG(name="config.json", why="its “normalize” is neither true nor false")
    modules = _json(folder, "modules.json") or []
    try:
        types = [str(module["type"]).rpartition(".")[2] for module in modules]  # type: ignore[attr-defined]
    except (TypeError, KeyError) as error:
        raise Problem.BAD_CONFIG(name="modules.json", why="it is not a list of modules with their types") from error
    for place, module in enumerate(types):
        if module != ("Normalize" if place else "StaticEmbedding"):
            raise Problem.UNKNOWN_MODULE(name=module)
    return bool(normalize) or len(types) > 1


def _pieces(words: Sequence[str], tokenizer: _TokenIds, model: _Rows) -> Pieces:
    ends = np.zeros(len(words) + 1, dtype=np.int64)
    tokens: list[NDArray[np.int64]] = []
    for start in range(0, len(words), _WORDS_AT_ONCE):
        some = words[start : start + _WORDS_AT_ONCE]
        ids = list(tokenizer.of(some))
        ends[start + 1 : start + 1 + len(some)] = [len(tokens_of_word) for tokens_of_word in ids]
        tokens.append(np.array([token for tokens_of_word in ids for token in tokens_of_word], dtype=np.int64))
        for word, tokens_of_word in zip(some, ids, strict=True):
            if tokens_of_word and max(tokens_of_word) >= model.tokens:
                raise Problem.TOKEN_WITHOUT_ROW(word=word, token=max(tokens_of_word), rows=model.tokens)
    np.cumsum(ends, out=ends)
    all_tokens = np.concatenate(tokens)
    rows = all_tokens if model.mapping is None else model.mapping[all_tokens]
    return Pieces(ends, rows.astype(np.int32), None if model.weights is None else model.weights[all_tokens])


def is_model(names: tuple[str, ...]) -> bool:
    """Whether an archive of these files holds a model."""
    return any(name.endswith(".safetensors") for name in names)


def _refuse(source: ByteSource) -> Reading:
    raise Problem.LONE_SAFETENSORS()


TOKEN_MODEL = Format(
    "static token model",
    "Static token models: a zip or .tar.gz with model.safetensors, tokenizer.json and config.json.",
    lambda beginning, names: is_model(names),
    _read,
)
LONE_SAFETENSORS = Format(
    "safetensors",
    "",
    lambda start, _: start[8:10] == b'{"' and int.from_bytes(start[:8], "little") < _RECOGNISED_HEADER_BYTES,
    _refuse,
)
