"""Collections of documents: every form gives the same documents, and unusable records are named."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.associations.measure.groups import split_documents
from extensions.shared.measure.corpora import corpus
from extensions.shared.measure.documents import collection, having, number_of
from extensions.shared.measure.texts import TextLimits, documents_of, is_plain_text
from tasks.cli import main
from tasks.datasets.dataset import DamagedData
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.text import LeftOut

ROWS = [
    {"text": "Peace,\nat last", "party": "Whig", "year": "1850"},
    {"text": 'He said "no"; twice', "party": "Tory", "year": "1851"},
]


def as_json(path: Path) -> None:
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n", encoding="utf-8-sig")


def as_table(path: Path) -> None:
    separator = {".tsv": "\t", ".csv": ";" if "semicolon" in path.name else ","}[path.suffix]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]), delimiter=separator, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(ROWS)


def read(path: Path, left_out: LeftOut | None = None, text_field: str = "text") -> list[Document]:
    return list(documents_of(path, left_out or LeftOut(), text_field))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.jsonl", as_json),
        ("a.txt", as_json),
        ("a.csv", as_table),
        ("semicolon.csv", as_table),
        ("a.tsv", as_table),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_and_tables_give_the_same_documents(
    name: str, write: Callable[[Path], None], packed: bool, tmp_path: Path
) -> None:
    path = tmp_path / name
    write(path)
    if packed:
        path = path.rename(path.with_name(f"{name}.gz"))
        path.write_bytes(gzip.compress(path.read_bytes()))
    documents = read(path)
    assert [document.text for document in documents] == [row["text"] for row in ROWS]
    assert [dict(document.metadata) for document in documents] == [
        {"party": row["party"], "year": row["year"]} for row in ROWS
    ]
    assert not is_plain_text(path)


def test_a_text_has_a_document_a_line_and_a_folder_one_a_file(tmp_path: Path) -> None:
    path = tmp_path / "speech.txt"
    path.write_bytes("\ufefffirst line\r\n\r\n[Applause] second".encode())
    assert is_plain_text(path)
    assert [document.text for document in read(path)] == ["first line", "[Applause] second"]
    (tmp_path / "Whig").mkdir()
    (tmp_path / "Whig" / "1850-Clay.txt").write_text("one\ntwo")
    (tmp_path / "Whig" / "notes.pdf").write_bytes(b"%PDF-1.4 \xff")
    found = {document.id: document for document in read(tmp_path)}
    assert found["Whig/1850-Clay.txt"].text == "one\ntwo"
    assert dict(found["Whig/1850-Clay.txt"].metadata) == {"file": "1850-Clay.txt", "folder": "Whig"}
    assert dict(found["speech.txt"].metadata) == {"file": "speech.txt"}
    assert len(found) == 2


def test_missing_values_numbers_and_booleans_become_groups_as_people_write_them(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "year": 1945.0, "won": true, "share": 0.5, "age": null, "rank": NaN}\n')
    (document,) = read(path)
    assert dict(document.metadata) == {"year": "1945", "won": "true", "share": "0.5"}


def test_na_is_a_value_among_words_and_missing_among_numbers(tmp_path: Path) -> None:
    table, left_out = tmp_path / "a.csv", LeftOut()
    table.write_text("text,region,year\na,NA,1945\nb,,NA\nc,EU,1946\n")
    documents = read(table)
    assert list(split_documents(having(documents, "region", left_out), "region")) == ["NA", "EU"]
    assert [document.text for document in having(documents, "year", left_out)] == ["a", "c"]
    assert left_out.sentence("Documents").endswith("Document on line 3 of a.csv has no “year”.")


def test_blanks_around_a_value_make_no_group_of_their_own(tmp_path: Path) -> None:
    table, lines = tmp_path / "a.csv", tmp_path / "a.jsonl"
    table.write_text("text , party\na,Whig\nb,Whig \nc,Whig\u00a0\n")
    lines.write_text('{"text": "a", "party": "Whig"}\n{"text": "b", "party": " Whig "}\n')
    for path in (table, lines):
        assert {dict(document.metadata)["party"] for document in read(path)} == {"Whig"}


UNQUOTED = 'text\tlabel\n"He began\ta\nplain 15" x\tb\n"Yes," he said\ta\nand ended"\tb\n"whole"\ta\n'


def test_a_table_between_tabs_without_quoting_keeps_every_row(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(UNQUOTED)
    texts = [document.text for document in read(path)]
    assert texts == ['"He began', 'plain 15" x', '"Yes," he said', 'and ended"', "whole"]


def test_quoted_texts_between_tabs_may_have_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('label\ttext\na\t"one\ntwo"\nb\t"she said ""no""\n\nand\tleft"\n')
    assert [document.text for document in read(path)] == ["one\ntwo", 'she said "no"\n\nand\tleft']


def test_a_record_of_several_lines_is_named_where_no_line_needs_quotation_marks(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('text,label\n"He began,a\nplain,b\nand ended",b\nlast,a\n')
    with pytest.raises(InputError, match=r"Line 2 of a\.csv begins a record of several lines"):
        read(path)
    path.write_text('text,label\n"Roses, red\nSugar",a\nviolets,b\n"no, commas, here",b\n')
    assert [document.text for document in read(path)] == ["Roses, red\nSugar", "violets", "no, commas, here"]


@pytest.mark.parametrize(
    "content",
    [
        "text,label\ra b,x\rc d,y\r",
        'sep=;\r\ntext;label\r\na b;x\r\n"c d";y\r\n',
        '"text"\t"label"\n"1"\t"a b"\t"x"\n"2"\t"c d"\t"y"\n',
        '"","text","label"\n"1","a b","x"\n"2","c d","y"\n',
        "text,label,\na b,x,\nc d,y,\n",
    ],
    ids=["CR", "sep", "write.table", "write.csv", "empty column"],
)
def test_tables_of_spreadsheets_and_r_are_read(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content.encode())
    assert [(one.text, dict(one.metadata)["label"]) for one in read(path)] == [("a b", "x"), ("c d", "y")]


def test_other_names_of_rows_are_named_with_the_way_out(tmp_path: Path) -> None:
    path, left_out = tmp_path / "a.csv", LeftOut()
    path.write_text('"text","label"\n"Clay","a b","x"\n')
    assert read(path, left_out) == []
    assert left_out.sentence("Rows").endswith(
        "Does it begin with a name of a row, as R writes them? Use row.names = FALSE."
    )


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "cut \\ud83d", "label": "a\\udc00"}\n{"text": "\\ud83d\\ude00", "label": "b"}\n')
    assert [(one.text, one.metadata) for one in read(path)] == [
        ("cut \ufffd", (("label", "a\ufffd"),)),
        ("\U0001f600", (("label", "b"),)),
    ]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (TextLimits(records=9), r"more records than the limit of 9, blank ones included"),
        (TextLimits(expanded_bytes=1_000_000), r"The content of a\.txt\.bz2 has more than 1 MB, the limit"),
    ],
)
def test_blank_lines_count_and_unpacked_bytes_are_bounded(limits: TextLimits, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt.bz2"
    path.write_bytes(bz2.compress(b"word\n" + b"\n" * 5_000_000))
    with pytest.raises(InputError, match=message):
        list(documents_of(path, LeftOut(), limits=limits))


def test_a_line_that_never_ends_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.bz2"
    path.write_bytes(bz2.compress(b"x" * 5_000_000))
    with pytest.raises(InputError, match="more than 100 kB"):
        is_plain_text(path, TextLimits(expanded_bytes=100_000))


def test_records_that_are_left_out_count(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "only one field\n" * 20)
    with pytest.raises(InputError, match="more records than the limit of 9"):
        list(documents_of(path, LeftOut(), limits=TextLimits(records=9)))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '[{"text": "a"}]', "is one JSON value. Write one object per line"),
        ("a.txt", '{\n "text": "a"\n}', "is one JSON value. Write one object per line"),
        ("a.csv", "speech,party\na,b\n", "names no column “text”, but “speech”, “party”"),
        ("a.csv", "text,text\na,b\n", "has two columns “text”"),
        ("a.csv", 'text,party\na,b\n"never closed,b\nc,d\n', "Line 3 of a.csv begins a row that is not CSV"),
        ("a.csv", 'text\n"a" b\n', "Line 2 of a.csv begins a row that is not CSV"),
        ("a.txt", "fine\nf\udcfcnf\n", "Line 2 of a.txt is not UTF-8"),
        ("a.csv", "text\nf\udcfcnf\n", "Line 2 of a.csv is not UTF-8"),
    ],
)
def test_an_unusable_file_is_refused_with_line_and_remedy(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read(path)


def test_a_row_of_another_length_is_left_out_and_named(tmp_path: Path) -> None:
    path, left_out = tmp_path / "a.csv", LeftOut()
    path.write_text('text,party\n"two\nlines",Whig\nshort\n\nlast,Tory\n')
    assert [document.text for document in read(path, left_out)] == ["two\nlines", "last"]
    assert left_out.sentence("Documents") == (
        "Documents left out: 1. Line 4 of a.csv has 1 field, but the header 2."
    )  # fmt: skip


def test_a_field_longer_than_the_csv_modules_default_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"text\n{'word ' * 50_000}\n")
    assert len(read(path)[0].text) == 250_000


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a"}\n' * 10_000)[:-20])
    with pytest.raises(DamagedData, match=r"a\.jsonl\.gz cannot be read"):
        read(path)


def test_another_field_holds_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("speech,text\na,b\n")
    (document,) = read(path, text_field="speech")
    assert (document.text, document.metadata) == ("a", (("text", "b"),))


def test_a_field_is_not_ignored_where_texts_have_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words\n")
    for source in ("sotu", str(tmp_path), str(tmp_path / "a.txt")):
        with pytest.raises(InputError, match="has no fields"):
            corpus(source, DataStore.default(), text_field="speech")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(InputError, match=r"a\.jsonl is empty"):
        collection(str(tmp_path / "a.jsonl"), DataStore.default())


@pytest.mark.parametrize(
    ("value", "number"),
    [("1945", 1945), ("1945-04-12", 1945), ("0.5", 0.5), ("-3", -3), ("n. d.", None), ("²⁰²⁰", None), ("nan", None)],
)
def test_numbers_are_told_from_words(value: str, number: float | None) -> None:
    assert number_of(value) == number


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").mkdir()
    with pytest.raises(InputError, match="has no text file"):
        collection(str(tmp_path), DataStore.default())


@pytest.mark.parametrize(("name", "write"), [("own.jsonl", as_json), ("own.csv", as_table)])
def test_vectors_are_trained_on_the_words_of_the_text_alone(
    name: str, write: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / name)
    out = tmp_path / "out"
    command = ["train", str(tmp_path / name), "--minimum-count", "1", "--dimensions", "2", "--out", str(out)]
    assert main(command) == 0
    text = gzip.decompress((out / "own-skip-gram-w6-d2.txt.gz").read_bytes()).decode()
    assert {line.split(" ")[0] for line in text.splitlines()[1:]} == {
        "peace",
        "at",
        "last",
        "he",
        "said",
        "no",
        "twice",
    }
    assert main(["subgroups", "split", str(tmp_path / name), "--groups", "Whig", "--out", str(out)]) == 0
    assert gzip.decompress((out / "own-whig.txt.gz").read_bytes()) == b"peace\nat last\n"
    assert "licence: not stated" in capsys.readouterr().out
