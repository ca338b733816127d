"""A variant on a device: a look-up of single words, and its memory and speed, measured in a process of its own.

``python -m extensions.front.measure.device FILE`` prints them as JSON. The process loads a written variant with NumPy
(and, for a token model, the library tokenizers) and nothing else of this project's formats; words are found in Python's
dictionary.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LOOK_UPS = 20_000
_SEED = 1
_STATUS = Path("/proc/self/status")


class OnDevice(TypedDict):
    """``memory_bytes``: resident memory that loading and looking up added; None where the system does not state it."""

    memory_bytes: int | None
    look_ups_per_second: float


@dataclass(frozen=True)
class WordTable:
    """A written ``.npz`` file in memory: whole numbers stay whole until a word is looked up."""

    rows: dict[str, int]
    vectors: NDArray[np.number]
    scales: NDArray[np.floating] | None

    @classmethod
    def load(cls, path: Path) -> WordTable:
        with np.load(path, allow_pickle=False) as file:
            words = file["words.txt"].decode().split("\n")[:-1]
            scales = file["scales"] if "scales" in file.files else None
            return cls({word: row for row, word in enumerate(words)}, file["vectors"], scales)

    @property
    def words(self) -> list[str]:
        return list(self.rows)

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Float32, shape (D,); None for an unknown word."""
        row = self.rows.get(word)
        if row is None:
            return None
        numbers = self.vectors[row]
        if numbers.dtype == np.uint8:
            numbers = np.stack([numbers & 15, numbers >> 4], axis=1).ravel().astype(np.int8) - np.int8(8)
        vector: NDArray[np.float32] = numbers.astype(np.float32)
        return vector if self.scales is None else vector * np.float32(self.scales[row])


@dataclass(frozen=True)
class TokenTable:
    """A written token model in memory."""

    tokenizer: Tokenizer
    tensors: dict[str, NDArray[np.number]]
    unknown: int | None
    is_normalised: bool

    @classmethod
    def load(cls, path: Path) -> TokenTable:
        from tokenizers import Tokenizer

        kinds = {"F32": "<f4", "F16": "<f2", "I8": "i1", "I64": "<i8"}
        with zipfile.ZipFile(path) as archive:
            content = archive.read("model.safetensors")
            tokenizer = Tokenizer.from_str(archive.read("tokenizer.json").decode())
            is_normalised = bool(json.loads(archive.read("config.json"))["normalize"])
        start = 8 + int.from_bytes(content[:8], "little")
        tensors = {}
        for name, tensor in json.loads(content[8:start]).items():
            begin, end = (start + place for place in tensor["data_offsets"])
            tensors[name] = np.frombuffer(content[begin:end], kinds[tensor["dtype"]]).reshape(tensor["shape"])
        unknown = getattr(tokenizer.model, "unk_token", None)
        return cls(tokenizer, tensors, tokenizer.token_to_id(unknown) if unknown else None, is_normalised)

    @property
    def words(self) -> list[str]:
        return list(self.tokenizer.get_vocab())

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Float32, shape (D,); None for a word without tokens."""
        tokens = [t for t in self.tokenizer.encode(word, add_special_tokens=False).ids if t != self.unknown]
        if not tokens:
            return None
        rows = self.tensors["mapping"][tokens] if "mapping" in self.tensors else tokens
        vectors = self.tensors["embeddings"][rows].astype(np.float32)
        if "weights" in self.tensors:
            vectors = vectors * self.tensors["weights"][tokens].astype(np.float32)[:, None]
        mean: NDArray[np.float32] = vectors.mean(axis=0)
        length = float(np.linalg.norm(mean))
        return mean / np.float32(length) if self.is_normalised and length else mean


def table_of(path: Path) -> WordTable | TokenTable:
    """A written variant, ready for look-ups."""
    with zipfile.ZipFile(path) as archive:
        is_model = "tokenizer.json" in archive.namelist()
    return TokenTable.load(path) if is_model else WordTable.load(path)


def on_device(path: Path) -> OnDevice:
    """Memory and speed of a written variant, measured by a process of its own."""
    command = [sys.executable, "-m", __name__, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: OnDevice = json.loads(done.stdout)
    return figures


def _resident() -> int | None:
    if not _STATUS.is_file():
        return None
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS")), None)


def main(path: Path) -> OnDevice:
    """Load the variant and look up words of its vocabulary, drawn with equal chances."""
    warm = np.float32(1) * np.ones((2, 2), np.int8)  # the first product loads parts of NumPy
    before = _resident()
    table = table_of(path)
    words = table.words
    drawn = [words[i] for i in np.random.default_rng(_SEED).integers(0, len(words), LOOK_UPS).tolist()]
    del words
    began = time.perf_counter()
    for word in drawn:
        table.vector(word)
    seconds = time.perf_counter() - began
    after = _resident()
    assert warm is not None
    memory = None if before is None or after is None else after - before
    return {"memory_bytes": memory, "look_ups_per_second": LOOK_UPS / seconds}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
