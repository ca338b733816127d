"""Every error that rejects a vector file: problem, place and remedy (docs/protocol.md §1.4)."""

from __future__ import annotations

from enum import Enum

from tasks.errors import InputError
from tasks.text import Wording, shown

COMPOSE = (
    "Compute a vector for each word of a list with the model, and write each word and its numbers on a line of text"
)
_FEWER = "Keep the most frequent words only, or write fewer digits."
_RESAVE = (
    "The file is damaged, or an earlier word contains a space, as phrases do. Replace spaces in words by underscores "
    "and save the vectors again, or save them as text."
)
_PASTE = "“paste metadata.tsv tensor.tsv > vectors.tsv” (if metadata.tsv has one column and no header)"
_MISALIGNED = "the bytes do not fit the {dimensions:,} dimensions that its header promises."


class Problem(Enum):
    """Reasons to reject a file: the code for programs, a sentence with the fault, and one with the remedy.

    Call one with the fields of its sentences to make the error, as in ``raise Problem.BLANK_LINE(line=7)``. The fields
    ``line`` and ``word`` also become attributes of the error.
    """

    def __init__(self, code: str, sentence: str, remedy: str) -> None:
        self.code, self.text = code, f"{sentence} {remedy}"

    def __call__(self, **fields: object) -> InputError:
        line, word = fields.get("line"), fields.get("word")
        return InputError(
            self.code,
            Wording().vformat(self.text, (), fields),
            line if isinstance(line, int) else None,
            shown(word) if isinstance(word, str | bytes) else None,
        )

    # The file as a whole

    EMPTY = "empty", "The file contains no vectors.", "Write one word per line, then its numbers, and send it again."
    UNKNOWN_FORMAT = "unknown-format", "{what:raw} is {kind:raw}.", "{remedy:raw}."
    FOLDER = "unreadable", "“{path}” is a folder; its files: {names}.", "Give one of them."
    FOLDER_OF_MODEL = (
        "unreadable",
        "“{path}” is a folder; its files: {names}.",
        "Pack its token model: “cd '{path}' && zip ../model.zip *.safetensors *.json”; give model.zip.",
    )
    UPLOADED_TOO_LARGE = "too-large", "The file is larger than {limit:size}.", _FEWER
    EXPANDED_TOO_LARGE = "too-large", "The file expands to more than {limit:size}.", _FEWER
    EXPANDS_TOO_MUCH = (
        "expands-too-much",
        "The file expands to more than {ratio} times its compressed size, which vectors never do: it repeats itself.",
        "Check how it was written, and compress the real vectors.",
    )
    TRUNCATED_GZIP = (
        "truncated-gzip",
        "The gzip data end in the middle: the file was cut off.",
        "Compress it again and send the whole file.",
    )
    DAMAGED_GZIP = (
        "damaged-gzip",
        "The gzip data are damaged (they do not fit their checksum or format).",
        "Compress the file again and resend it.",
    )
    GARBAGE_AFTER_GZIP = (
        "garbage-after-gzip",
        "Bytes that are not gzip data follow the end of the gzip data.",
        "Compress the vectors again, alone.",
    )
    PACKED_TWICE = "packed-twice", "The file inside is packed with {how} again.", "Unpack it once and send that."
    TOO_MUCH_MEMORY = (
        "too-much-memory",
        "Reading the file needs more memory than {limit:size}, the most that this site gives one file.",
        _FEWER,
    )
    LACKS_MEMORY = "too-much-memory", "Reading the file needs more memory than there is.", _FEWER
    TOO_SLOW = (
        "too-slow",
        "Reading the file took more than {seconds:,} seconds of processor time, the most that this site spends on one "
        "of its size.",
        _FEWER,
    )
    CRASHES_THE_READER = (
        "crashes-the-reader",
        "The program that reads files crashed on this one, twice, so the file is damaged or written in an unusual way.",
        "Save the vectors again, as text if that does not help; if it is refused then too, ask the site's operators.",
    )

    # Zip archives, and archives of several runs

    BAD_ZIP = "bad-zip", "The zip archive cannot be read: {why}.", "Create it again, or send the vector file itself."
    OTHER_COMPRESSION = (
        "bad-zip",
        "The zip archive is compressed with {how}; deflate is read.",
        "Pack the file with gzip (“gzip vectors.txt”, or 7-Zip’s format gzip), or create the zip with the method "
        "Deflate.",
    )
    PROJECTOR_FILES = (
        "numbers-for-words",
        "The archive holds the Embedding Projector’s two files, vectors without their words and words without vectors.",
        f"Put them together: {_PASTE}, and send vectors.tsv.",
    )
    EMPTY_ARCHIVE = "empty", "The archive contains no files.", "Put the vector file into it, or send that itself."
    ENCRYPTED = (
        "encrypted",
        "“{name}” in the archive is encrypted.",
        "Create the archive again, without a password.",
    )
    WHICH_MEMBER = (
        "which-member",
        "The archive contains {names:count} files: {names}.",
        "Name the one to read: on the form and in the API as “member”, on the command line as ARCHIVE.zip:MEMBER.",
    )
    NO_SUCH_MEMBER = "no-such-member", "The archive does not contain “{member}”.", "It contains {names}."
    BAD_ARCHIVE = (
        "bad-archive",
        "The archive cannot be read: {why:raw}.",
        "Create it again with tar and gzip, from plain files.",
    )
    OUTSIDE_OF_ARCHIVE = (
        "bad-archive",
        "The archive contains a path that leads outside it (“{name}”).",
        "Create it again, from plain files.",
    )
    LINK_IN_ARCHIVE = "bad-archive", "“{name}” in the archive is a link or a device.", "Include the file itself."
    SEVERAL_RUNS = (
        "several-runs",
        "The file is an archive, which a site takes apart into runs of one setting.",
        "Unpack it and give one file.",
    )
    TOO_MANY_MEMBERS = (
        "too-many-files",
        "The archive contains more than {limit:,} files and folders.",
        "Include only the files of the runs.",
    )
    TOO_MANY_RUNS = "too-many-files", "The archive contains more than {limit} files.", "Send 2 to {limit}."
    ONE_RUN = "one-run", "The archive contains fewer than two files.", "Send one file by itself."
    RUNS_TOO_LARGE = (
        "too-large-expanded",
        "The files of the archive expand to more than {limit:size} together.",
        "Send fewer.",
    )

    # Arrays and columns

    BAD_ARRAY = (
        "bad-array",
        "The array “{name}” cannot be read: {why:raw}.",
        "Save it again with numpy.save or numpy.savez.",
    )
    NOT_FLOATS = (
        "bad-array",
        "The array “{name}” is {kind} of shape {shape:raw}, not a 2-D array of floats.",
        "Convert the matrix before saving: matrix.astype(“float32”).",
    )
    BAD_SCALES = (
        "bad-scales",
        "The array “{name}” {why:raw}.",
        "Quantised vectors need “vectors” as int8, or as uint8 with two numbers of four bits in a byte, and “scales” "
        "with one float above 0 for each row.",
    )
    BFLOAT16 = (
        "bad-array",
        "The array “{name}” is {kind} of shape {shape:raw}, not a 2-D array of floats.",
        "Convert the matrix before saving: matrix.astype(“float32”), which must be done with the library that made it "
        "(bfloat16).",
    )
    OBJECT_ARRAY = (
        "object-array",
        "The array “{name}” contains Python objects, which are never unpickled here.",
        "Save plain arrays: numpy.savez(“vectors.npz”, words=numpy.array(words, dtype=str), "
        "vectors=matrix.astype(“float32”)).",
    )
    STRUCTURED_ARRAY = (
        "bad-array",
        "The array “{name}” has the fields {names}.",
        "Save words and numbers as two arrays: numpy.savez(“vectors.npz”, words=table[WORDS], vectors=table[NUMBERS]).",
    )
    NOT_TEXT = (
        "bad-array",
        "The array “{name}” is {kind} of shape {shape:raw}, not a list of text.",
        "Save the words as text: numpy.array(words, dtype=str).",
    )
    UNKNOWN_ARRAYS = (
        "unknown-arrays",
        "Vectors in NumPy’s format need the arrays “words” and “vectors” in one .npz file, or one .npy file and a word "
        "list in a zip archive.",
        "This one contains {names}.",
    )
    WORDS_AND_ROWS = (
        "words-and-rows",
        "There are {how} (at word {line:,}).",
        "Write one word for each row of the array, in the same order.",
    )
    BAD_COLUMNS = (
        "bad-columns",
        "The columns of “{name}” cannot be read: {why}.",
        "Write the file again and send all of it.",
    )
    UNKNOWN_COLUMNS = (
        "unknown-columns",
        "The file needs one column of words, and one of lists of floats or a column of floats for each dimension. It "
        "has {names}.",
        "Leave out the others.",
    )
    COLUMNS_OF_SPARK = (
        "unknown-columns",
        "The file needs one column of words, and one of lists of floats or a column of floats for each dimension. It "
        "has {names}.",
        "Spark’s vectors become lists with pyspark.ml.functions.vector_to_array(column).",
    )
    UNEVEN_ROW = (
        "wrong-field-count",
        "Row {line:,} has {found:,} numbers, not {dimensions:,} like the first row.",
        "Correct or remove the row.",
    )
    MISSING_VALUE = (
        "missing-value",
        "Row {line:,} has no value (null) in its column “{column}”.",
        "Remove such rows (pandas: table.dropna(); Polars: table.drop_nulls()), or read the source again: pandas takes "
        "the words “null” and “nan” for missing values without keep_default_na=False.",
    )

    # Models of open vocabulary

    NEEDS_WORD_LIST = (
        "needs-word-list",
        "The file has vectors for any word (an open vocabulary), so a list of the words to compose must be given:",
        "the one of a suite, which “python -m tasks words” writes.",
    )
    BAD_FASTTEXT = (
        "bad-fasttext",
        "The fastText model cannot be read: {why:raw}.",
        "Send the whole .bin file that fastText saved.",
    )
    OTHER_FASTTEXT = (
        "other-fasttext",
        "The file is {kind:raw}, which is not supported.",
        "Send the .bin file of skip-gram or CBOW vectors, or a .vec file.",
    )
    LONE_SAFETENSORS = (
        "no-tokenizer",
        "The file is a safetensors file without its tokenizer.",
        "Send both in a zip or tar.gz archive: “vecboard submit FOLDER” packs them.",
    )
    FILES_OF_MODEL = (
        "files-of-model",
        "A static token model needs exactly one {kind} file in its archive, and this one contains {names}.",
        "Pack one *.safetensors file with its tokenizer.json and config.json.",
    )
    BAD_SAFETENSORS = (
        "bad-safetensors",
        "The safetensors file cannot be read: {why:raw}.",
        "Save the model again and pack the whole file.",
    )
    UNKNOWN_TENSORS = (
        "unknown-tensors",
        "A static token model has a 2-D tensor of floats named “embeddings” or “embedding.weight”, and may have the "
        "1-D tensors “weights” and “mapping”.",
        "This one has {names}.",
    )
    BAD_TENSOR = "bad-tensor", "The tensor “{name}” {why:raw}.", "Save the model again."
    BAD_TOKENIZER = (
        "bad-tokenizer",
        "The tokenizer.json cannot be read ({why}).",
        "Save it again, with “tokenizer.save('tokenizer.json')” and a recent version of the library tokenizers.",
    )
    GROWING_TEXT = (
        "bad-tokenizer",
        "The normalizer of tokenizer.json makes {characters:,} characters of “{word}”.",
        "Remove the part of it that makes words longer.",
    )
    VARYING_TOKENS = (
        "bad-tokenizer",
        "The tokenizer.json splits the same word differently each time.",
        "Remove the part of it that is random.",
    )
    TOKEN_WITHOUT_ROW = (
        "token-without-row",
        "The tokenizer gives “{word}” a token with the id {token:,}, but the model has rows or a mapping for {rows:,} "
        "only.",
        "Pack the tokenizer that belongs to these tensors.",
    )
    BAD_CONFIG = "bad-config", "“{name}” cannot be read ({why}).", "Correct it, or leave it out."
    UNKNOWN_MODULE = (
        "unknown-module",
        "The model’s modules.json has a module that isn’t computed here, “{name}”; without it, the vectors are wrong.",
        f"{COMPOSE}.",
    )

    # The header, and all vectors together

    TOO_MANY_WORDS = (
        "too-many-words",
        "The file has more than {limit:,} words.",
        "Keep the most frequent {limit:,} words.",
    )
    TOO_FEW_WORDS = (
        "too-few-words",
        "The file has {found:,} different words{without:raw}; at least {fewest:,} are needed.",
        "Send the whole vocabulary.",
    )
    MOSTLY_ZEROS = (
        "too-few-words",
        "The file has {found:,} different words{without:raw}; at least {fewest:,} are needed.",
        "Check how the vectors were made.",
    )
    TOO_MANY_DIMENSIONS = (
        "too-many-dimensions",
        "The vectors have more than {limit:,} dimensions.",
        "Send vectors of at most {limit:,} numbers.",
    )
    TOO_FEW_DIMENSIONS = (
        "too-few-dimensions",
        "The vectors have {found} {found:dimension|dimensions}; at least {fewest} are needed.",
        "Write each word and then all the numbers of its vector on one line, with one space or tab between them.",
    )
    ODD_DIMENSIONS = (
        "odd-dimension",
        "The numbers at {positions:raw} of the rows vary far more than the others, so they are probably counts, ranks "
        "or ids.",
        "Leave them out; if they are dimensions, divide them by their standard deviation.",
    )
    WILD_ROW = (
        "wild-row",
        "{unit:Unit} {line:,} (word “{word}”) is {times} times as long as the median row: it can’t be a vector, and "
        "would distort every score.",
        "The file may be damaged there, or a column may hold counts rather than a dimension. Correct or remove the "
        "row, or export the vectors again.",
    )
    HEADER_AND_COUNT = (
        "header-contradicts",
        "The header in line 1 promises {promised:,} vectors, but the file has {found}.",
        "Correct the header, or leave it out; if the file was cut off, send all of it.",
    )
    HEADER_AND_DIMENSIONS = (
        "header-contradicts",
        "The header in line 1 promises {promised:,} dimensions, but the lines have {found:,} numbers.",
        "Correct the header, or leave it out.",
    )
    WORD_OF_TWO_LINES = (
        "header-contradicts",
        f"Vector {{line:,}} of this word2vec binary file has a word that spans two lines: {_MISALIGNED}",
        _RESAVE,
    )
    OUT_OF_STEP = (
        "out-of-step",
        "This word2vec binary file is out of step at byte {place:,} (vector {line:,}): “{word}” isn’t a word, and the "
        "numbers there are out of range.",
        _RESAVE,
    )
    NUMBERS_FOR_WORDS = (
        "numbers-for-words",
        "Most of the words are numbers: {names}.",
        "Are they ids, or is there no word before each vector? The Embedding Projector’s tensor.tsv needs the words of "
        f"its metadata.tsv: {_PASTE}. A floret table holds hashed n-grams: save the vectors of its words instead.",
    )
    NUMBERED_WORDS = (
        "numbered-words",
        "Most of the words follow a number: {names}.",
        "Leave that column out: “cut -d ' ' -f 2- vectors.txt” (without -d ' ' for tabs); in pandas, "
        "table.to_csv(…, index=False).",
    )
    QUOTED_WORDS = (
        "quoted-words",
        "Most of the words are in quotation marks: {names}, which tasks don’t have.",
        "Write them without: in R, write.table(vectors, “vectors.txt”, quote = FALSE, col.names = FALSE); in Python, "
        "word instead of repr(word), and word.decode() for bytes.",
    )
    COLUMN_NAMES = (
        "column-names",
        "Line {line:,} holds names of columns (“{first}”), not a word and its numbers.",
        "Remove the line: in R, write.table(vectors, “vectors.txt”, quote = FALSE, col.names = FALSE); in pandas, "
        "table.to_csv(“vectors.txt”, sep=“ ”, header=False).",
    )
    SEPARATED = (
        "separated",
        "Line {line:,} separates its fields by “{separator}”, as CSV does.",
        'Write one space or tab between them: python3 -c "import csv, sys; [print(*row) for row in '
        "csv.reader(sys.stdin, delimiter='{separator}')]\" < vectors.csv > vectors.txt",
    )
    IN_BRACKETS = (
        "in-brackets",
        "Line {line:,} has numbers in brackets, as in JSON and Python’s lists.",
        "Write one line for each word, without brackets: in Python, print(word, *vector).",
    )
    FLORET_TABLE = (
        "unknown-format",
        "The file is a floret table: vectors of hashed n-grams, not of words.",
        "Save the vectors of words: floret writes them to its .vec file, or “floret print-word-vectors MODEL.bin < "
        "WORDS.txt > vectors.txt”.",
    )
    INVALID_UTF8 = (
        "invalid-utf-8",
        "{count:,} of {lines:,} words are not valid UTF-8, the first in {unit} {line:,} (“{word}”); at most "
        "{share:.1%} may be.",
        "Save the file as UTF-8.",
    )

    # One line, vector or row

    NUL_BYTE = (
        "nul-byte",
        "{unit:Unit} {line:,} (word “{word}”) contains a NUL byte, so it is not text.",
        "Save the vectors as UTF-8 text (not UTF-16), or as word2vec binary with its header.",
    )
    NUL_BYTE_IN_BINARY = (
        "nul-byte",
        "Vector {line:,} (word “{word}”) contains a NUL byte, so it is not text.",
        _RESAVE,
    )
    LINE_TOO_LONG = (
        "line-too-long",
        "Line {line:,} (word “{word}”) is longer than {limit:size}.",
        "Write one word and its vector per line, each line ended by a newline.",
    )
    WORD_TOO_LONG = (
        "word-too-long",
        "{unit:Unit} {line:,} has a word longer than {limit:size} (“{word}”).",
        "Shorten it or leave it out.",
    )
    BLANK_LINE = "wrong-field-count", "Line {line:,} is empty but more lines follow.", "Remove it."
    EMPTY_WORD = "wrong-field-count", "{unit:Unit} {line:,} has an empty word.", "Remove it, with its vector."
    NO_WORD = (
        "wrong-field-count",
        "Line {line:,} has no word before its {dimensions:,} numbers, or more than one space between them.",
        "Write the word, one space or tab, then the numbers with one space or tab between them.",
    )
    WRONG_FIELD_COUNT = (
        "wrong-field-count",
        "Line {line:,} (word “{word}”) has {found:,} {found:number|numbers}, not {dimensions:,} like the other lines.",
        "Correct or remove the line.",
    )
    SHORT_LINE = (
        "wrong-field-count",
        "Line {line:,} (word “{word}”) has {found:,} {found:field|fields} after its word, the last of them “{last}”, "
        "not {dimensions:,} numbers like the other lines.",
        "Correct or remove the line.",
    )
    NEWLINE_IN_WORD = (
        "newline-in-word",
        "{unit:Unit} {line:,} has a word that spans two lines (“{word}”).",
        "Correct or remove it.",
    )
    TOO_MANY_FIELDS = (
        "too-many-fields",
        "Line {line:,} (“{word}”) has {found:,} numbers after its first field, too many for vectors of {dimensions:,}.",
        "Correct or remove the line.",
    )
    NOT_A_NUMBER = (
        "not-a-number",
        "{unit:Unit} {line:,} (word “{word}”): its number {position:,} is “{found}”, which is not a finite 32-bit "
        "decimal number.",
        "Correct or remove the {unit:unit}.",
    )
    NOT_A_NUMBER_IN_BINARY = (
        "not-a-number",
        "Vector {line:,} (word “{word}”): its number {position:,} is “{found}”, which is not a finite 32-bit decimal "
        "number.",
        _RESAVE,
    )
    DECIMAL_COMMA = (
        "not-a-number",
        "Line {line:,} (word “{word}”) has “{found}”, a number with a decimal comma.",
        "Write a point instead: in R, write.table(…, dec = “.”).",
    )
    EMPTY_FIELD = (
        "wrong-field-count",
        "Line {line:,} (word “{word}”): there are two spaces in a row before its number {position:,}.",
        "Put a single space or tab between the numbers.",
    )
