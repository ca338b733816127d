"""Every error that rejects a vector file: what is wrong, where, and what to do (docs/protocol.md §1.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tasks.errors import InputError

_SHOWN = 60
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")
_NAMED = 12
_COLUMN_NAMES_OFF = (
    "in R, write.table(vectors, “vectors.txt”, quote = FALSE, col.names = FALSE); in pandas, table.to_csv("
    "“vectors.txt”, sep=“ ”, header=False)"
)
PASTE = "“paste metadata.tsv tensor.tsv > vectors.tsv” (if metadata.tsv has one column and no header)"
"""How the two files of the Embedding Projector become one."""
_OF_BINARY = (
    "The file is damaged, or an earlier word contains a space, as phrases do. Replace spaces in words by underscores "
    "and save the vectors again, or save them as text."
)


def shown(text: bytes | str) -> str:
    """A word or field as a message shows it: readable, without control characters, cut to 60 characters."""
    string = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in string[: _SHOWN + 1])
    return printable if len(string) <= _SHOWN else printable[:_SHOWN] + "…"


def size(count: int) -> str:
    """A readable size: ``3 GB``, ``64 MB``, ``256 KiB``, ``12 bytes``."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count // 1024} KiB" if count >= 1024 and count % 1024 == 0 else f"{count:,} bytes"


def listed(names: Sequence[str], count: int = 0) -> str:
    """Names as a message lists them: the first twelve, and how many more there are (of ``count``, if it is larger)."""
    left = max(len(names), count) - min(len(names), _NAMED)
    more = f" and {left:,} more" if left else ""
    return (", ".join(f"“{shown(name)}”" for name in names[:_NAMED]) or "none") + more


# The file as a whole


def empty() -> InputError:
    return InputError(
        "empty", "The file contains no vectors. Write one word per line, then its numbers, and send it again."
    )


def unknown_format(name: str) -> InputError:
    message = (
        f"The file is {name}, not a vector file. Export the vectors as text (one word per line, then its numbers) or "
        "as word2vec binary."
    )
    return InputError("unknown-format", message)


def pickled(name: str, *, of_torch: bool) -> InputError:
    file = shown(name)
    line = (
        "import numpy, torch; numpy.savez('vectors.npz', words=numpy.array(WORDS), "
        f"vectors=torch.load('{file}', weights_only=True).numpy())"
        if of_torch
        else f"from gensim.models import KeyedVectors; KeyedVectors.load('{file}').save_word2vec_format('vectors.txt')"
    )
    whose = "PyTorch’s form" if of_torch else "a Python pickle, such as gensim’s .kv or a .pkl"
    message = f"The file is {whose}, which can run programs and is never opened here. Convert it in Python: {line}."
    return InputError("unknown-format", message)


def folder(path: Path) -> InputError:
    files = sorted(file.name for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    pack = f"Pack its token model: “cd '{shown(str(path))}' && zip ../model.zip *.safetensors *.json”; give model.zip."
    remedy = pack if "tokenizer.json" in files else "Give one of them."
    return InputError("unreadable", f"“{shown(str(path))}” is a folder; its files: {listed(files)}. {remedy}")


def uploaded_too_large(limit: int) -> InputError:
    message = f"The file is larger than {size(limit)}. Keep the most frequent words only, or write fewer digits."
    return InputError("too-large", message)


def expanded_too_large(limit: int) -> InputError:
    message = f"The file expands to more than {size(limit)}. Keep the most frequent words only, or write fewer digits."
    return InputError("too-large", message)


def expands_too_much(ratio: int) -> InputError:
    message = (
        f"The file expands to more than {ratio} times its compressed size, which vectors never do: it repeats itself. "
        "Check how it was written, and compress the real vectors."
    )
    return InputError("expands-too-much", message)


def truncated_gzip() -> InputError:
    message = "The gzip data end in the middle: the file was cut off. Compress it again and send the whole file."
    return InputError("truncated-gzip", message)


def damaged_gzip() -> InputError:
    message = (
        "The gzip data are damaged (they do not fit their checksum or format). Compress the file again and resend it."
    )
    return InputError("damaged-gzip", message)


def garbage_after_gzip() -> InputError:
    message = "Bytes that are not gzip data follow the end of the gzip data. Compress the vectors again, alone."
    return InputError("garbage-after-gzip", message)


def packed_twice(how: str) -> InputError:
    message = f"The file inside is packed with {how} again. Unpack it once and send that."
    return InputError("packed-twice", message)


def too_much_memory(limit: int) -> InputError:
    bound = f" than {size(limit)}, the most that this site gives one file" if limit else " than there is"
    message = f"Reading the file needs more memory{bound}. Keep the most frequent words only, or write fewer digits."
    return InputError("too-much-memory", message)


def too_slow(seconds: int) -> InputError:
    message = (
        f"Reading the file took longer than {seconds:,} seconds, the most that this site spends on one of its size. "
        "Keep the most frequent words only, or write fewer digits."
    )
    return InputError("too-slow", message)


def crashes_the_reader() -> InputError:
    message = (
        "The program that reads files crashed on this one, twice, so the file is damaged or written in an unusual way. "
        "Save the vectors again, as text if that does not help; if it is refused then too, ask the site's operators."
    )
    return InputError("crashes-the-reader", message)


# Arrays and columns


def bad_array(name: str, why: str) -> InputError:
    message = f"The array “{shown(name)}” cannot be read: {why}. Save it again with numpy.save or numpy.savez."
    return InputError("bad-array", message)


def not_floats(name: str, kind: str, shape: tuple[int, ...]) -> InputError:
    message = (
        f"The array “{shown(name)}” is {kind} of shape {shape}, not a 2-D array of floats. Convert the matrix before "
        "saving: matrix.astype(“float32”)"
        + (", which must be done with the library that made it (bfloat16)." if kind == "|V2" else ".")
    )
    return InputError("bad-array", message)


def object_array(name: str) -> InputError:
    message = (
        f"The array “{shown(name)}” contains Python objects, which are never unpickled here. Save plain arrays: "
        "numpy.savez(“vectors.npz”, words=numpy.array(words, dtype=str), vectors=matrix.astype(“float32”))."
    )
    return InputError("object-array", message)


def structured_array(name: str, fields: Sequence[str]) -> InputError:
    message = (
        f"The array “{shown(name)}” has the fields {listed(fields)}. Save words and numbers as two arrays: "
        "numpy.savez(“vectors.npz”, words=table[WORDS], vectors=table[NUMBERS])."
    )
    return InputError("bad-array", message)


def not_text(name: str, kind: str, shape: tuple[int, ...]) -> InputError:
    message = (
        f"The array “{shown(name)}” is {kind} of shape {shape}, not a list of text. Save the words as text: "
        "numpy.array(words, dtype=str)."
    )
    return InputError("bad-array", message)


def unknown_arrays(names: Sequence[str]) -> InputError:
    message = (
        "Vectors in NumPy’s format need the arrays “words” and “vectors” in one .npz file, or one .npy file and a word "
        f"list in a zip archive. This one contains {listed(names)}."
    )
    return InputError("unknown-arrays", message)


def words_and_rows(how: str, words: int) -> InputError:
    message = f"There are {how} (at word {words:,}). Write one word for each row of the array, in the same order."
    return InputError("words-and-rows", message, line=words)


def bad_columns(name: str, why: str) -> InputError:
    message = f"The columns of “{shown(name)}” cannot be read: {shown(why)}. Write the file again and send all of it."
    return InputError("bad-columns", message)


def unknown_columns(columns: Sequence[str], *, of_spark: bool) -> InputError:
    remedy = (
        "Spark’s vectors become lists with pyspark.ml.functions.vector_to_array(column)."
        if of_spark
        else "Leave out the others."
    )
    message = (
        "The file needs one column of words, and one of lists of floats or a column of floats for each dimension. It "
        f"has {listed(columns)}. {remedy}"
    )
    return InputError("unknown-columns", message)


def uneven_row(row: int, found: int, dimensions: int) -> InputError:
    message = f"Row {row:,} has {found:,} numbers, not {dimensions:,} like the first row. Correct or remove the row."
    return InputError("wrong-field-count", message, line=row)


def missing_value(row: int, column: str) -> InputError:
    message = (
        f"Row {row:,} has no value (null) in its column “{shown(column)}”. Remove such rows (pandas: table.dropna(); "
        "Polars: table.drop_nulls()), or read the source again: pandas takes the words “null” and “nan” for missing "
        "values without keep_default_na=False."
    )
    return InputError("missing-value", message, line=row)


def odd_dimensions(positions: Sequence[int]) -> InputError:
    these = f"position{'s' if len(positions) > 1 else ''} {', '.join(f'{nth:,}' for nth in positions[:_NAMED])}"
    message = (
        f"The numbers at {these} of the rows vary far more than the others, so they are probably counts, ranks or ids. "
        "Leave them out; if they are dimensions, divide them by their standard deviation."
    )
    return InputError("odd-dimension", message)


# The vectors' shape


def too_many_words(limit: int, line: int | None) -> InputError:
    message = f"The file has more than {limit:,} words. Keep the most frequent {limit:,} words."
    return InputError("too-many-words", message, line=line)


def too_few_words(found: int, fewest: int, zeros: int = 0) -> InputError:
    without = f" without the {zeros:,} whose rows are all zeros" if zeros else ""
    message = f"The file has {found:,} different words{without}; at least {fewest:,} are needed. "
    remedy = "Check how the vectors were made." if zeros > found else "Send the whole vocabulary."
    return InputError("too-few-words", message + remedy)


def wild_row(line: int, word: str, times: float, unit: str) -> InputError:
    shown_times = f"{times:,.0f}" if times < 1_000_000 else f"{times:.0e}"
    message = (
        f"{unit.capitalize()} {line:,} (word “{shown(word)}”) is {shown_times} times as long as the median row, which "
        "no vector is, and would distort every score. The file may be damaged there, or a column may hold counts and "
        "no dimension. Correct or remove the row, or export the vectors again."
    )
    return InputError("wild-row", message, line=line, word=shown(word))


def too_many_dimensions(limit: int, line: int | None) -> InputError:
    message = f"The vectors have more than {limit:,} dimensions. Send vectors of at most {limit:,} numbers."
    return InputError("too-many-dimensions", message, line=line)


def too_few_dimensions(found: int, fewest: int, line: int | None) -> InputError:
    message = (
        f"The vectors have {found} {'dimension' if found == 1 else 'dimensions'}; at least {fewest} are needed. "
        "Write each word and then all the numbers of its vector on one line, with one space or tab between them."
    )
    return InputError("too-few-dimensions", message, line=line)


def header_contradicts_count(promised: int, found: str) -> InputError:
    message = (
        f"The header in line 1 promises {promised:,} vectors, but the file has {found}. "
        "Correct the header, or leave it out; if the file was cut off, send all of it."
    )
    return InputError("header-contradicts", message, line=1)


def header_contradicts_dimensions(promised: int, found: int) -> InputError:
    message = (
        f"The header in line 1 promises {promised:,} dimensions, but the lines have {found:,} numbers. "
        "Correct the header, or leave it out."
    )
    return InputError("header-contradicts", message, line=1)


def binary_misaligned(vector: int, dimensions: int, why: str) -> InputError:
    message = (
        f"Vector {vector:,} of this word2vec binary file {why}: the bytes do not fit the {dimensions:,} dimensions "
        f"that its header promises. {_OF_BINARY}"
    )
    return InputError("header-contradicts", message, line=vector)


def out_of_step(vector: int, word: bytes, place: int) -> InputError:
    message = (
        f"This word2vec binary file is out of step at byte {place:,} (vector {vector:,}): “{shown(word)}” isn’t a "
        f"word, and the numbers there are out of range. {_OF_BINARY}"
    )
    return InputError("out-of-step", message, line=vector, word=shown(word))


def numbers_for_words(found: Sequence[str]) -> InputError:
    message = (
        f"Most of the words are numbers: {listed(found)}. Are they ids, or is there no word before each vector? "
        f"The Embedding Projector’s tensor.tsv needs the words of its metadata.tsv: {PASTE}. A floret table holds "
        "hashed n-grams: save the vectors of its words instead."
    )
    return InputError("numbers-for-words", message)


def numbered_words(found: Sequence[str]) -> InputError:
    message = (
        f"Most of the words follow a number: {listed(found)}. Leave that column out: “cut -d ' ' -f 2- vectors.txt” "
        "(without -d ' ' for tabs); in pandas, table.to_csv(…, index=False)."
    )
    return InputError("numbered-words", message)


def quoted_words(found: Sequence[str]) -> InputError:
    message = (
        f"Most of the words are in quotation marks: {listed(found)}, which tasks don’t have. Write them without: in R, "
        "write.table(vectors, “vectors.txt”, quote = FALSE, col.names = FALSE); in Python, word instead of repr(word), "
        "and word.decode() for bytes."
    )
    return InputError("quoted-words", message)


def column_names(line: int, first: bytes) -> InputError:
    message = (
        f"Line {line:,} holds names of columns (“{shown(first)}”), not a word and its numbers. Remove the line: "
        f"{_COLUMN_NAMES_OFF}."
    )
    return InputError("column-names", message, line=line)


def separated(line: int, separator: str) -> InputError:
    message = (
        f"Line {line:,} separates its fields by “{separator}”, as CSV does. Write one space or tab between them: "
        f"python3 -c \"import csv, sys; [print(*row) for row in csv.reader(sys.stdin, delimiter='{separator}')]\" "
        "< vectors.csv > vectors.txt"
    )
    return InputError("separated", message, line=line)


def in_brackets(line: int) -> InputError:
    message = (
        f"Line {line:,} has numbers in brackets, as in JSON and Python’s lists. Write one line for each word, without "
        "brackets: in Python, print(word, *vector)."
    )
    return InputError("in-brackets", message, line=line)


def floret_table() -> InputError:
    message = (
        "The file is a floret table: vectors of hashed n-grams, not of words. Save the vectors of words: floret "
        "writes them to its .vec file, or “floret print-word-vectors MODEL.bin < WORDS.txt > vectors.txt”."
    )
    return InputError("unknown-format", message, line=1)


# One line


def nul_byte(line: int, word: bytes, unit: str = "Line") -> InputError:
    as_text = "Save the vectors as UTF-8 text (not UTF-16), or as word2vec binary with its header."
    message = (
        f"{unit} {line:,} (word “{shown(word)}”) contains a NUL byte, so it is not text. "
        f"{_OF_BINARY if unit == 'Vector' else as_text}"
    )
    return InputError("nul-byte", message, line=line, word=shown(word))


def line_too_long(line: int, word: bytes, limit: int) -> InputError:
    message = (
        f"Line {line:,} (word “{shown(word)}”) is longer than {size(limit)}. "
        "Write one word and its vector per line, each line ended by a newline."
    )
    return InputError("line-too-long", message, line=line, word=shown(word))


def word_too_long(line: int, word: bytes, limit: int, unit: str = "Line") -> InputError:
    message = f"{unit} {line:,} has a word longer than {size(limit)} (“{shown(word)}”). Shorten it or leave it out."
    return InputError("word-too-long", message, line=line, word=shown(word))


def blank_line(line: int) -> InputError:
    return InputError("wrong-field-count", f"Line {line:,} is empty but more lines follow. Remove it.", line=line)


def empty_word(row: int, unit: str) -> InputError:
    message = f"{unit} {row:,} has an empty word. Remove it, with its vector."
    return InputError("wrong-field-count", message, line=row, word="")


def no_word(line: int, dimensions: int) -> InputError:
    message = (
        f"Line {line:,} has no word before its {dimensions:,} numbers, or more than one space between them. "
        "Write the word, one space or tab, then the numbers with one space or tab between them."
    )
    return InputError("wrong-field-count", message, line=line, word="")


def wrong_field_count(line: int, word: bytes, found: int, dimensions: int) -> InputError:
    message = (
        f"Line {line:,} (word “{shown(word)}”) has {found:,} {'number' if found == 1 else 'numbers'}, not "
        f"{dimensions:,} like the other lines. Correct or remove the line."
    )
    return InputError("wrong-field-count", message, line=line, word=shown(word))


def short_line(line: int, word: bytes, found: int, last: bytes, dimensions: int) -> InputError:
    message = (
        f"Line {line:,} (word “{shown(word)}”) has {found:,} {'field' if found == 1 else 'fields'} after its word, the "
        f"last of them “{shown(last)}”, not {dimensions:,} numbers like the other lines. Correct or remove the line."
    )
    return InputError("wrong-field-count", message, line=line, word=shown(word))


def newline_in_word(line: int, word: bytes, unit: str) -> InputError:
    message = f"{unit} {line:,} has a word that spans two lines (“{shown(word)}”). Correct or remove it."
    return InputError("newline-in-word", message, line=line, word=shown(word))


def too_many_fields(line: int, word: bytes, found: int, dimensions: int) -> InputError:
    message = (
        f"Line {line:,} (“{shown(word)}”) has {found:,} numbers after its first field, too many for vectors of "
        f"{dimensions:,}. Correct or remove the line."
    )
    return InputError("too-many-fields", message, line=line, word=shown(word))


def not_a_number(line: int, word: bytes, field: bytes | str, position: int, unit: str = "Line") -> InputError:
    if DECIMAL_COMMA.fullmatch(shown(field)):
        message = (
            f"{unit} {line:,} (word “{shown(word)}”) has “{shown(field)}”, a number with a decimal comma. Write a "
            "point instead: in R, write.table(…, dec = “.”)."
        )
        return InputError("not-a-number", message, line=line, word=shown(word))
    message = (
        f"{unit} {line:,} (word “{shown(word)}”): its number {position:,} is “{shown(field)}”, which is not a finite "
        f"32-bit decimal number. {_OF_BINARY if unit == 'Vector' else f'Correct or remove the {unit.lower()}.'}"
    )
    return InputError("not-a-number", message, line=line, word=shown(word))


def empty_field(line: int, word: bytes, position: int) -> InputError:
    message = (
        f"Line {line:,} (word “{shown(word)}”): there are two spaces in a row before its number {position:,}. "
        "Put a single space or tab between the numbers."
    )
    return InputError("wrong-field-count", message, line=line, word=shown(word))


def invalid_utf8(count: int, lines: int, share: float, line: int, word: bytes, unit: str = "line") -> InputError:
    message = (
        f"{count:,} of {lines:,} words are not valid UTF-8, the first in {unit} {line:,} (“{shown(word)}”); "
        f"at most {share:.1%} may be. Save the file as UTF-8."
    )
    return InputError("invalid-utf-8", message, line=line, word=shown(word))
