"""Static token models, packed: tensors, tokenizer and configuration."""

from __future__ import annotations

from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Format, Reading
from tasks.vector_files.source import ByteSource

_MOST_HEADER_BYTES = 100_000_000


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return is_model(names)


def is_model(names: tuple[str, ...]) -> bool:
    """Whether an archive of these files holds a model."""
    return any(name.endswith(".safetensors") for name in names)


def _read(source: ByteSource) -> Reading:
    from tasks.vector_files.token_model import read_token_model

    return read_token_model(source)


def _is_alone(beginning: bytes, names: tuple[str, ...]) -> bool:
    return beginning[8:10] == b'{"' and int.from_bytes(beginning[:8], "little") < _MOST_HEADER_BYTES


def _refuse(source: ByteSource) -> Reading:
    raise Problem.LONE_SAFETENSORS()


TOKEN_MODEL = Format(
    "static token model",
    "Static token models: a zip or .tar.gz with model.safetensors, tokenizer.json and config.json.",
    _recognise,
    _read,
)
LONE_SAFETENSORS = Format("safetensors", "", _is_alone, _refuse)
