"""Speed and memory of reading vector files: ours compared with gensim, NumPy, Polars and each format's own library.

    python -m research.performance.reading                                # 400,000 x 50, five runs each
    python -m research.performance.reading --words 20000 --runs 1         # a short look
    python -m research.performance.reading --file vectors.txt.gz --readers ours,prepare,gensim
    python -m research.performance.reading --form binary-gz --readers ours,prepare,gensim,copy
    python -m research.performance.reading --form parquet --readers ours,prepare,library
    python -m research.performance.reading --form fasttext --readers ours,prepare,library
    python -m research.performance.reading --form token-model --readers ours,prepare,library

Every run is a fresh process that imports its library first; only reading is timed. Memory is the process's high-water
mark, including libraries. Only our reader checks the file, counts repeated words and hashes the vectors. ``open`` opens
the prepared form; ``copy`` reads (and inflates) the bytes without using them.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from isal import igzip
from pyarrow import feather, parquet
from safetensors.numpy import save
from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from research.performance.versions import versions
from tests.tasks.formats.models import fasttext

_ROOT = Path(__file__).resolve().parents[2]
FORMS = {
    "text-gz": ".txt.gz",
    "binary": ".bin",
    "binary-gz": ".bin.gz",
    "zip": ".zip",
    "npz": ".npz",
    "parquet": ".parquet",
    "arrow": ".arrow",
    "fasttext": ".model.bin",
    "token-model": ".model.zip",
}
_BUCKETS = 200_000
TEXT_READERS = "ours,prepare,open,copy,gensim,polars,numpy"
READERS = {
    "ours": """
from pathlib import Path
from tasks.formats import ReadRequest, read
def measured(path): return read(ReadRequest(Path(path), words=listed(path))).matrix.shape
""",
    "prepare": """
import tempfile
from pathlib import Path
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
def measured(path):
    with tempfile.TemporaryDirectory() as root:
        prepared = prepare(ReadRequest(Path(path), words=listed(path)), root)
        return prepared.words, prepared.dimensions
""",
    "open": """
import sys, tempfile
from pathlib import Path
from tasks.prepared import open_prepared
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
root = tempfile.TemporaryDirectory()
directory = prepare(ReadRequest(Path(sys.argv[1]), words=listed(sys.argv[1])), root.name).directory
def measured(path): return open_prepared(directory, name="prepared").matrix.shape
""",
    "copy": """
from isal import igzip
def measured(path):
    with (igzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")) as file:
        while file.read(1 << 20): pass
    return 0, 0
""",
    "library": """
import zipfile
import numpy as np
from pyarrow import feather, parquet
def of_table(table):
    return len(table["word"].to_pylist()), table["vector"].combine_chunks().flatten().to_numpy().size // table.num_rows
def of_tokens(path):
    from safetensors.numpy import load
    from tokenizers import Tokenizer
    with zipfile.ZipFile(path) as archive:
        table = load(archive.read("model.safetensors"))["embeddings"]
        tokenizer = Tokenizer.from_str(archive.read("tokenizer.json").decode())
    words = listed(path)().read_text().split()
    ids = [encoded.ids for encoded in tokenizer.encode_batch_fast(words, add_special_tokens=False)]
    return np.stack([table[own].mean(axis=0) for own in ids if own]).shape
def measured(path):
    if path.endswith(".model.zip"): return of_tokens(path)
    if path.endswith(".model.bin"):
        from gensim.models.fasttext import load_facebook_vectors
        model, words = load_facebook_vectors(path), listed(path)().read_text().split()
        return np.stack([model[word] for word in words]).shape
    if path.endswith(".npz"):
        with np.load(path, allow_pickle=False) as arrays:
            return len(arrays["words"].tolist()), arrays["vectors"].shape[1]
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
            while file.read(1 << 20): pass
        return 0, 0
    return of_table(parquet.read_table(path) if path.endswith(".parquet") else feather.read_table(path))
""",
    "gensim": """
from gensim.models import KeyedVectors
def measured(path):
    if ".bin" in path: return KeyedVectors.load_word2vec_format(path, binary=True).vectors.shape
    return KeyedVectors.load_word2vec_format(path, no_header=not has_header(path)).vectors.shape
""",
    "polars": """
import polars as pl
def measured(path):
    frame = pl.read_csv(path, separator=" ", has_header=False, quote_char=None, skip_rows=int(has_header(path)))
    words, matrix = frame[:, 0].to_list(), frame[:, 1:].cast(pl.Float32).to_numpy()
    return matrix.shape
""",
    "numpy": """
import gzip
import numpy as np
def measured(path):
    words, rows = [], []
    with gzip.open(path, "rt", encoding="utf-8", newline="\\n") as lines:
        if has_header(path): next(lines)
        for line in lines:
            word, numbers = line.rstrip().split(" ", 1)
            words.append(word)
            rows.append(np.fromstring(numbers, dtype=np.float32, sep=" "))
    return np.stack(rows).shape
""",
}
_PROGRAM = """
import gzip, sys, time
from pathlib import Path
def listed(path): return lambda: Path(path + ".words")
def has_header(path):
    with gzip.open(path, "rb") as lines:
        return len(lines.readline().split()) == 2
{reader}
start = time.perf_counter()
shape = measured(sys.argv[1])
seconds = time.perf_counter() - start
with open("/proc/self/status") as status:
    megabytes = next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
print(seconds, megabytes, *shape)
"""


def write_sample(path: Path, words: int, dimensions: int, opened: IO[bytes] | None = None) -> None:
    """Random vectors with five decimals per number, as in published files; gzipped if no other file is given."""
    generator = np.random.default_rng(0)
    with opened or igzip.open(path, "wb", compresslevel=2) as file:  # type: ignore[no-untyped-call]
        for start in range(0, words, 10_000):
            rows = generator.standard_normal((min(10_000, words - start), dimensions)) * 0.4
            lines = (
                f"word{start + i} " + " ".join([f"{value:.5f}" for value in row]) + "\n"
                for i, row in enumerate(rows.tolist())
            )
            file.write("".join(lines).encode())


def write_binary_sample(path: Path, words: int, dimensions: int) -> None:
    """The same in word2vec's binary form, gzipped if the name says so."""
    generator = np.random.default_rng(0)
    opened = igzip.open(path, "wb", compresslevel=2) if path.suffix == ".gz" else path.open("wb")  # type: ignore[no-untyped-call]
    with opened as file:
        file.write(f"{words} {dimensions}\n".encode())
        for start in range(0, words, 10_000):
            rows = (generator.standard_normal((min(10_000, words - start), dimensions)) * 0.4).astype("<f4")
            file.write(b"".join(b"word%d " % (start + i) + row.tobytes() + b"\n" for i, row in enumerate(rows)))


def write_arrays_sample(path: Path, words: int, dimensions: int) -> None:
    """The same numbers as arrays or columns, or as text in a zip archive, by the library that writes that form."""
    if path.suffix == ".zip":
        with tempfile.TemporaryDirectory() as directory, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            text = Path(directory) / "vectors.txt"
            write_sample(text, words, dimensions, opened=text.open("wb"))
            archive.write(text, text.name)
        return
    names = [f"word{i}" for i in range(words)]
    matrix = (np.random.default_rng(0).standard_normal((words, dimensions)) * 0.4).astype("<f4")
    if path.suffix == ".npz":
        np.savez(path, words=np.array(names), vectors=matrix)
        return
    lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), dimensions)
    table = pa.table({"word": names, "vector": lists})
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, str(path))


def write_model_sample(path: Path, words: int, dimensions: int) -> None:
    """A model with an open vocabulary, and the list of words to compose, half of them in the model's vocabulary."""
    spelled = ["".join(chr(97 + ord(digit) - 48) for digit in f"{i * 7919 % 10**6:06}") for i in range(words)]
    path.with_name(f"{path.name}.words").write_text("".join(f"{word}\n" for word in spelled))
    rows = np.random.default_rng(0).standard_normal((words + _BUCKETS, dimensions)).astype("<f4")
    if path.suffix == ".bin":
        path.write_bytes(fasttext(spelled[::2], rows[: len(spelled[::2]) + _BUCKETS], buckets=_BUCKETS))
        return
    letters = [chr(97 + i) for i in range(10)]
    pairs = [first + second for first in letters for second in letters]
    pieces = ["[UNK]", *(prefix + piece for prefix in ("", "##") for piece in letters + pairs)]
    tokenizer = Tokenizer(WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    table = np.ascontiguousarray(rows[: len(pieces)])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.safetensors", save({"embeddings": table}))
        archive.writestr("tokenizer.json", tokenizer.to_str())


def run_once(reader: str, path: Path) -> tuple[float, int, tuple[int, int]]:
    """Seconds, megabytes and shape of one reading in a fresh process."""
    command = [sys.executable, "-W", "ignore", "-c", _PROGRAM.format(reader=READERS[reader]), str(path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=_ROOT).stdout.split()
    return float(printed[0]), int(printed[1]), (int(printed[2]), int(printed[3]))


def print_table(path: Path, readers: list[str], runs: int) -> None:
    """One row per reader: median seconds, ratio to ours, peak megabytes."""
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB on disk, median of {runs}; {versions()}")
    print(f"{'reader':<24}{'seconds':>10}{'x ours':>8}{'peak MB':>10}   shape")
    ours: float | None = None
    for reader in readers:
        measured = [run_once(reader, path) for _ in range(runs)]
        seconds = statistics.median(run[0] for run in measured)
        ours = seconds if ours is None else ours
        peak = max(run[1] for run in measured)
        words, dimensions = measured[0][2]  # none for copy
        print(f"{reader:<24}{seconds:>10.2f}{seconds / ours:>8.1f}{peak:>10}   {words:,} x {dimensions}", flush=True)


WRITERS = {"text-gz": write_sample, "binary": write_binary_sample, "binary-gz": write_binary_sample}
WRITERS |= {"fasttext": write_model_sample, "token-model": write_model_sample}
"""Functions that write a sample, for the forms that are not arrays."""


def main() -> None:
    """Parse the command line, write a sample if no file is given, and print the table."""
    parser = argparse.ArgumentParser(description="Reading vector files: our reader compared with others.")
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--file", type=Path, help="a gzipped vector file of your own")
    parser.add_argument("--form", choices=FORMS, default="text-gz")
    parser.add_argument("--readers", default=TEXT_READERS, help="default: %(default)s; library: the format's own")
    arguments = parser.parse_args()
    readers = arguments.readers.split(",")
    if unknown := set(readers) - set(READERS):
        parser.error(f"unknown readers {sorted(unknown)}; there are {', '.join(READERS)}")
    with tempfile.TemporaryDirectory() as directory:
        name = f"{arguments.words}x{arguments.dimensions}{FORMS[arguments.form]}"
        path = arguments.file or Path(directory) / name
        if arguments.file is None:
            WRITERS.get(arguments.form, write_arrays_sample)(path, arguments.words, arguments.dimensions)
        print_table(path.resolve(), readers, arguments.runs)


if __name__ == "__main__":
    main()
