"""Small models with open vocabularies, in their libraries' formats."""

from __future__ import annotations

import io
import json
import struct
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import gensim
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray
from safetensors.numpy import save
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

GENSIM = Path(gensim.__file__).parent / "test" / "test_data"
WORDS = [f"w{chr(97 + n % 26)}{chr(97 + n // 26)}ord" for n in range(150)]


def word_list(folder: Path, words: Sequence[str]) -> Path:
    path = folder / "words.txt"
    path.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return path


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def zipped_with_hole(path: Path, members: Mapping[str, bytes], name: str, content: bytes, size: int) -> None:
    """A zip archive, not compressed, whose last member is ``size`` bytes long; after its content it is a hole of zeros.

    The hole takes no space on disk. The checksum is correct.
    """
    checksum = isal_zlib.crc32(content)
    for start in range(len(content), size, 1 << 24):
        checksum = isal_zlib.crc32(bytes(min(1 << 24, size - start)), checksum)
    sizes = {name: (checksum, size)}
    sizes |= {other: (isal_zlib.crc32(data), len(data)) for other, data in members.items()}
    entries = []
    with path.open("wb") as file:
        for other, data in (members | {name: content}).items():
            place, (crc, length) = file.tell(), sizes[other]
            described = struct.pack("<2H 2H 3I 2H", 0, 0, 0, 33, crc, length, length, len(other), 0)
            file.write(struct.pack("<IH", 0x04034B50, 20) + described + other.encode() + data)
            file.seek(length - len(data), io.SEEK_CUR)
            rest = struct.pack("<3H 2I", 0, 0, 0, 0, place)
            entries.append(struct.pack("<I 2H", 0x02014B50, 20, 20) + described + rest + other.encode())
        listed, begin = b"".join(entries), file.tell()
        ends = struct.pack("<I 4H 2I H", 0x06054B50, 0, 0, len(entries), len(entries), len(listed), begin, 0)
        file.write(listed + ends)


def tarred(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return packed.getvalue()


def wordpiece() -> Tokenizer:
    """A WordPiece tokenizer with single letters, initial and later ones, but no digits."""
    letters = [chr(97 + n) for n in range(26)]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters), "word", "##ord"]
    tokenizer = Tokenizer(models.WordPiece({token: n for n, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def byte_level() -> Tokenizer:
    """A byte-level tokenizer, with which every word has tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        WORDS, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    )
    return tokenizer


def unigram() -> Tokenizer:
    """A unigram tokenizer with letters and one ending; the rest is its unknown token."""
    pieces = [("<unk>", 0.0), ("▁", -2.0), *((chr(97 + n), -3.0) for n in range(26)), ("ord", -1.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def rows(count: int, dimensions: int = 6) -> NDArray[np.float32]:
    return np.random.default_rng(0).normal(size=(count, dimensions)).astype(np.float32)


def members(tokenizer: Tokenizer, tensors: Mapping[str, NDArray[np.generic]], **config: object) -> dict[str, bytes]:
    """The files of a model."""
    return {
        "config.json": json.dumps(config).encode(),
        "model.safetensors": save(dict(tensors)),
        "tokenizer.json": tokenizer.to_str().encode(),
    }


def fasttext(
    words: Sequence[str],
    matrix: NDArray[np.float32],
    *,
    buckets: int = 0,
    shortest: int = 3,
    longest: int = 6,
    version: int = 12,
    labels: Sequence[str] = (),
    model: int = 2,
    pruned: int = -1,
    quantised: bool = False,
) -> bytes:
    """A model in fastText's format, with rows for words and buckets, without weights for training."""
    dimensions = matrix.shape[1]
    arguments = (dimensions, 5, 5, 1, 5, 1, 1, model, buckets, shortest, longest, 100)
    header = struct.pack("<2i 12i d", 793_712_314, version, *arguments, 1e-4)
    sizes = struct.pack("<3i 2q", len(words) + len(labels), len(words), len(labels), 1_000, pruned)
    entries = b"".join(word.encode() + b"\0" + struct.pack("<qb", 7, 0) for word in words)
    entries += b"".join(label.encode() + b"\0" + struct.pack("<qb", 3, 1) for label in labels)
    own = struct.pack("<?2q", quantised, *matrix.shape) + matrix.astype("<f4").tobytes()
    return header + sizes + entries + own + struct.pack("<?2q", False, 0, dimensions)
