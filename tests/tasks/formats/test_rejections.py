"""Every reason to reject a text file: code, line, word, and a sentence with the fix."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.formats import Limits
from tests.tasks.formats.conftest import Rejected, WriteLines, check

Lines = list[str]


@pytest.mark.parametrize(
    ("line", "code", "word"),
    [
        ("bad word 0.5 1", "not-a-number", "bad"),
        ("bad 0.5 1", "wrong-field-count", "bad"),
        ("bad", "wrong-field-count", "bad"),
        ("", "wrong-field-count", None),
        (" 1 2 3", "wrong-field-count", ""),
        ("bad  1 2 3", "wrong-field-count", ""),
        ("bad 1  2 3", "wrong-field-count", None),
        ("bad 1 2 nan", "not-a-number", "bad"),
        ("bad inf 2 3", "not-a-number", "bad"),
        ("bad 1 -Infinity 3", "not-a-number", "bad"),
        ("bad 1 2 1e39", "not-a-number", "bad"),
        ("bad 1 2 -1e999", "not-a-number", "bad"),
        ("bad 1 0x10 3", "not-a-number", "bad"),
        ("bad 1 1_0 3", "not-a-number", "bad"),
        ("bad 1 1,5 3", "not-a-number", "bad"),
        ("bad 1 ٣ 3", "not-a-number", "bad"),
        ("7.0 8.0 1 2 3", "too-many-fields", "7.0 8.0"),
        ("bad .5 1e3 1 2 3", "too-many-fields", "bad .5 1e3"),
        ("b\0d 1 2 3", "nul-byte", "b\\x00d"),
        ("bad 1 2 \0", "nul-byte", "bad"),
        ("b" * 1025 + " 1 2 3", "word-too-long", None),
        ("bad 1 2 " + "0" * 262_140, "line-too-long", "bad"),
    ],
)
def test_it_rejects_a_spoiled_line(
    line: str, code: str, word: str | None, good_lines: Lines, rejected: Rejected
) -> None:
    good_lines.insert(70, line)
    error = rejected(good_lines)
    assert (error.code, error.line) == (code, 71)
    assert word is None or error.word == word
    assert "ine 71" in error.message
    assert error.message.endswith(".")


def test_a_short_line_that_ends_in_a_word_is_shown_by_its_end(good_lines: Lines, rejected: Rejected) -> None:
    good_lines = [f"{line} 1 2 3" for line in good_lines]
    error = rejected([*good_lines, "brokenword 0.1 0.2 oops"])
    assert (error.code, error.line, error.word) == ("wrong-field-count", 121, "brokenword")
    assert "has 3 fields after its word, the last of them “oops”, not 6 numbers" in error.message


@pytest.mark.parametrize("block_bytes", [1, 50, 1 << 20])
def test_the_first_of_two_errors_is_reported(block_bytes: int, good_lines: Lines, rejected: Rejected) -> None:
    good_lines[40] = "bad 1 2 x"
    good_lines[90] = "worse 1 2"
    error = rejected(good_lines, block_bytes=block_bytes)
    assert (error.code, error.line, error.word) == ("not-a-number", 41, "bad")
    assert "number 3 is “x”" in error.message


def test_the_header_counts_as_a_line(good_lines: Lines, rejected: Rejected) -> None:
    good_lines[40] = "bad 1 2 x"
    assert rejected(["120 3", *good_lines]).line == 42


@pytest.mark.parametrize("first", ["word 1 2 \0", "word \0 2 3", "w\0rd 1 2 3"])
def test_text_with_a_header_and_nul_bytes_is_not_taken_for_binary(
    first: str, good_lines: Lines, rejected: Rejected
) -> None:
    error = rejected(["121 3", first, *good_lines])
    assert (error.code, error.line) == ("nul-byte", 2)


def test_a_line_of_exactly_the_longest_length_is_read(good_lines: Lines, write: WriteLines) -> None:
    line = "long 1 2 "
    good_lines.append(line + "0" * (256 * 1024 - len(line)))
    assert check(write(good_lines)).words == 121


def test_a_word_of_exactly_the_longest_length_is_read(good_lines: Lines, write: WriteLines) -> None:
    good_lines.append("é" * 512 + " 1 2 3")
    assert check(write(good_lines)).words == 121


@pytest.mark.parametrize("header", ["121 3", "119 3", "120 2", "120 4", "0 3"])
def test_it_rejects_a_header_that_contradicts_the_lines(header: str, good_lines: Lines, rejected: Rejected) -> None:
    error = rejected([header, *good_lines])
    assert (error.code, error.line) == ("header-contradicts", 1)


ONE_NUMBER = [f"word{nth} 0.5" for nth in range(200)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"\n\n \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        ("1000 50\n", "header-contradicts"),
        (ONE_NUMBER, "too-few-dimensions"),
        (["200 1", *ONE_NUMBER], "too-few-dimensions"),
        ([f"word{nth}" for nth in range(200)], "too-few-dimensions"),
        (b"3 2\na aaaa 0.0 0.0\na 0.0 0.0\ncaf\xc3 0.0 0.0\n", "invalid-utf-8"),  # not taken for binary
    ],
)
def test_it_rejects_a_file_without_vectors(content: Lines | str | bytes, code: str, rejected: Rejected) -> None:
    assert rejected(content).code == code


def test_it_rejects_fewer_than_a_hundred_words(good_lines: Lines, rejected: Rejected) -> None:
    assert rejected(good_lines[:99]).code == "too-few-words"


def test_repeated_words_do_not_make_a_hundred(good_lines: Lines, rejected: Rejected) -> None:
    error = rejected(good_lines[:99] * 2)
    assert error.code == "too-few-words"
    assert "99 different words" in error.message


R_NAMES = " ".join(f'"V{n}"' for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("change", "code", "sentence"),
    [
        (lambda lines: [R_NAMES, *lines], "column-names", "Line 1 holds names of columns"),
        (lambda lines: ["V1\tV2\tV3", *lines], "column-names", "col.names = FALSE"),
        (lambda lines: ["word V1 V2 V3", *lines], "column-names", "Line 1 holds names of columns"),
        (lambda lines: [f'"{line.replace(" ", chr(34) + " ", 1)}' for line in lines], "quoted-words", "quote = FALSE"),
        (lambda lines: [line.replace(" ", "  ") for line in lines], "wrong-field-count", "two spaces in a row"),
        (lambda lines: [line.replace(".", ",") for line in lines], "not-a-number", "decimal comma"),
        (lambda lines: [line.partition(" ")[2] + " 0.5" for line in lines], "numbers-for-words", "tensor.tsv"),
        (lambda lines: [line.removeprefix("word") for line in lines], "numbers-for-words", "ids"),
        (lambda lines: ["120 3 2 3 5 2166136261 < >", *lines], "unknown-format", "floret"),
        (
            lambda lines: [line.replace(" ", "' ", 1).replace("w", "'w", 1) for line in lines],
            "quoted-words",
            "repr(word)",
        ),
        (lambda lines: [f"b'{line.replace(' ', chr(39) + ' ', 1)}" for line in lines], "quoted-words", "word.decode()"),
        (lambda lines: [f"{nth} {line}" for nth, line in enumerate(lines)], "numbered-words", "index=False"),
        (lambda lines: [f"{nth}\t{line}" for nth, line in enumerate(lines)], "numbered-words", "cut -d"),
        (lambda lines: [line.replace(" ", ",") for line in lines], "separated", "by “,”"),
        (lambda lines: ["word,a,b,c", *(line.replace(" ", ",") for line in lines)], "separated", "csv.reader"),
        (lambda lines: [line.replace(".", ",").replace(" ", ";") for line in lines], "separated", "by “;”"),
        (
            lambda lines: [f"{line.replace(' ', ' [', 1).replace('.5 ', '.5, ')}]" for line in lines],
            "in-brackets",
            "JSON",
        ),
        (lambda lines: ['{"word1": [0.5, 1, 2], "word2": [0.5, 1, 2]}'], "in-brackets", "print(word, *vector)"),
    ],
)
def test_files_of_other_programs_are_named_with_the_way_out(
    change: Callable[[Lines], Lines], code: str, sentence: str, good_lines: Lines, rejected: Rejected
) -> None:
    error = rejected(change(good_lines))
    assert error.code == code
    assert sentence in str(error)


@pytest.mark.parametrize("start", ["", "word ", '"" ', "\t", " word "])
@pytest.mark.parametrize("first", [0, 1])
def test_consecutive_numbers_over_the_columns_are_their_names(start: str, first: int, rejected: Rejected) -> None:
    lines = [f"word{nth}{' 0.5' * 12}" for nth in range(120)]
    error = rejected([start + " ".join(str(first + nth) for nth in range(12)), *lines])
    assert (error.code, error.line) == ("column-names", 1)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda line: line.replace(" ", "  "), "wrong-field-count"),
        (lambda line: line.replace(".", ","), "not-a-number"),
        (lambda line: line.partition(" ")[2], "wrong-field-count"),
        (lambda line: line.replace(" ", ","), "separated"),
    ],
)
def test_a_header_does_not_hide_what_is_wrong_with_all_lines(
    change: Callable[[str], str], code: str, rejected: Rejected
) -> None:
    error = rejected(["120 4", *(change(f"word{nth} 0.5 0.25 1.5 2.5") for nth in range(120))])
    assert (error.code, error.line) == (code, 2)


def test_prose_with_commas_is_not_csv(rejected: Rejected) -> None:
    error = rejected("It was the best, the worst, the wisest, the most foolish of times\n" * 200)
    assert error.code == "not-a-number"


def test_whole_numbers_that_do_not_count_on_are_a_vector(rejected: Rejected, write: WriteLines) -> None:
    lines = [f"word{nth} {' '.join(str((nth * k) % 17 - 8) for k in range(1, 13))}" for nth in range(1, 121)]
    check(write(lines))


def test_it_rejects_prose(rejected: Rejected) -> None:
    error = rejected("It was the best of times,\nit was the worst of times.\n")
    assert (error.code, error.line, error.word) == ("not-a-number", 1, "It")


@pytest.mark.parametrize("header", [[], ["200 2001"]])
def test_it_rejects_too_many_dimensions(header: Lines, rejected: Rejected) -> None:
    vector = " 1" * 2001
    assert rejected(header + [f"word{nth}{vector}" for nth in range(200)]).code == "too-many-dimensions"


def test_it_rejects_too_many_words(good_lines: Lines, rejected: Rejected) -> None:
    error = rejected(good_lines, limits=Limits(words=110))
    assert (error.code, error.line) == ("too-many-words", 111)


def test_it_rejects_a_header_that_promises_too_many_words(good_lines: Lines, rejected: Rejected) -> None:
    assert rejected([f"{10**4000} 3", *good_lines]).code == "too-many-words"


def test_it_rejects_invalid_utf8_beyond_the_share(good_lines: Lines, rejected: Rejected) -> None:
    raw = "\n".join(good_lines).encode().replace(b"word7 ", b"caf\xc3 ")
    error = rejected(raw)
    assert (error.code, error.line, error.word) == ("invalid-utf-8", 7, "caf�")


@pytest.mark.parametrize(
    "beginning",
    [b"PK\x05\x06", b"BZh91AY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\x80\x04\x95", b"\x93NUMPY"],
)
def test_it_names_formats_that_it_does_not_read(beginning: bytes, rejected: Rejected) -> None:
    assert rejected(beginning + b"\x00" * 50).code == "unknown-format"


def test_the_error_for_utf16_says_to_save_it_as_utf8(good_lines: Lines, rejected: Rejected) -> None:
    error = rejected("\n".join(good_lines).encode("utf-16"))
    assert error.code == "nul-byte"
    assert "UTF-8" in error.message


def test_a_message_shows_no_control_characters(good_lines: Lines, rejected: Rejected) -> None:
    good_lines[3] = "\x1b[31mred 1 2 x"
    assert rejected(good_lines).message.isprintable()
