"""Tables for papers: the four formats, with names that are special in each."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from benchmark.paper import BEST, CLEAR, EQUAL, FORMATS, PaperColumn, PaperRow, PaperTable, Value

NAMES = ("50% & more_#1", "وكتور", "词向量", "a|b <c> {d} ~^\\ $e", "*bold* [link](x)", "=1+1", "up \u202eside")
ADDRESS = "http://testserver/?suite=demo&q=a_b"


def table(*names: str) -> PaperTable:
    rows = [
        PaperRow(
            ("1–2", name), (name,), (Value(0.1234, -0.01, 0.25, BEST, more=(0.5,)), Value(None, reason="No data."))
        )
        for name in names
    ]
    columns = (PaperColumn("overall", "Overall (%)", "Mean", ("coverage",)), PaperColumn("pos", "Tagging", "Fixed"))
    return PaperTable("Vecboard, Demo, version 3.", ADDRESS, ("Rank", "Entry"), ("name",), columns, rows)


def written_table(kind: str, made: PaperTable) -> str:
    return FORMATS[kind][1](made)


def written(kind: str, *names: str) -> str:
    return written_table(kind, table(*names))


@pytest.mark.parametrize(
    ("name", "escaped"),
    tuple(zip(
        NAMES,
        (
            r"50\% \& more\_\#1", "وكتور", "词向量",
            r"a\textbar{}b \textless{}c\textgreater{} \textbraceleft{}d\textbraceright{} "
            r"\textasciitilde{}\textasciicircum{}\textbackslash{} \$e",
            "*bold* [link](x)", "=1+1", r"up \textbackslash{}u202eside",
        ),
        strict=True,
    )),
)  # fmt: skip
def test_names_are_escaped_for_latex(name: str, escaped: str) -> None:
    assert f"1--2 & {escaped} & " + r"\textbf{+12.34} & -- \\" in written("tex", name)


@pytest.mark.parametrize(
    ("name", "escaped"),
    tuple(zip(
        NAMES,
        (
            r"50% \& more\_\#1", "وكتور", "词向量", r"a\|b \<c\> \{d\} \~^\\ \$e", r"\*bold\* \[link\]\(x\)", "=1+1",
            r"up \\u202eside",
        ),
        strict=True,
    )),
)  # fmt: skip
def test_names_are_escaped_for_markdown(name: str, escaped: str) -> None:
    head, rule, row, _, caption = written("md", name).splitlines()
    assert row == f"| 1–2 | {escaped} | **+12.34** (−1.00 to +25.00) | – |"
    assert (head, rule) == (r"| Rank | Entry | Mean: Overall \(%\) | Fixed: Tagging |", "| --- | --- | ---: | ---: |")
    assert caption == f"Vecboard, Demo, version 3. <{ADDRESS}>"


def test_names_come_back_from_csv_and_json_and_are_no_formulas_in_spreadsheets() -> None:
    _, *lines = written("csv", *NAMES).splitlines()
    assert [row["name"] for row in csv.DictReader(lines)] == [name.replace("=1", "'=1") for name in NAMES]
    assert [row["name"] for row in json.loads(written("json", *NAMES))["rows"]] == list(NAMES)


@pytest.mark.parametrize("name", ["a,=1+1", 'a","=1+1', "a;=1+1", "a\t=1+1"])
def test_names_in_a_caption_are_no_formulas_in_spreadsheets(name: str) -> None:
    lines = written_table("csv", replace(table("a"), caption=f"{name}: Vecboard, Demo.")).splitlines()
    for delimiter in ",;\t":
        for row in csv.reader(lines, delimiter=delimiter):
            assert not any(cell.startswith("=") for cell in row)


def test_a_long_table_breaks_over_pages_and_rows_without_values_are_left_out() -> None:
    blank = PaperRow(("–", "blank"), (), (Value(None, reason="No data."),) * 2)
    whole = table(*(f"entry {i}" for i in range(31)))
    text = written_table("tex", replace(whole, rows=[*whole.rows, blank]))
    assert r"\begin{longtable}{ll r r}" in text
    assert r"\begin{table}" not in text
    assert "blank" not in text
    assert r"\begin{table}" in written("tex", *(f"entry {i}" for i in range(30)))


def test_programs_get_unrounded_values_intervals_marks_and_reasons() -> None:
    comment, *lines = written("csv", "a").splitlines()
    assert comment == f"# Vecboard, Demo, version 3. Percentages are written as fractions: 0.1 is 10 %. {ADDRESS}"
    (row,) = csv.DictReader(lines)
    assert [row[f"overall{part}"] for part in ("", ".low", ".high", ".coverage", ".mark")] == [
        "0.1234", "-0.01", "0.25", "0.5", "best",
    ]  # fmt: skip
    assert (row["pos"], row["pos.blank"]) == ("", "No data.")
    values = json.loads(written("json", "a"))["rows"][0]["values"]
    assert values["overall"] == {
        "value": 0.1234, "low": -0.01, "high": 0.25, "mark": "best", "blank": "", "coverage": 0.5,
    }  # fmt: skip
    assert values["pos"]["blank"] == "No data."


def test_latex_has_a_caption_groups_and_intervals_below_their_values() -> None:
    lines = written("tex", "a").splitlines()
    assert lines[0] == f"% {ADDRESS}"
    assert r"\caption{Vecboard, Demo, version 3.}" in lines
    assert r" &  & \multicolumn{1}{c}{Mean} & \multicolumn{1}{c}{Fixed} \\" in lines
    assert r"\cmidrule(lr){3-3}\cmidrule(lr){4-4}" in lines
    assert r" &  & {\scriptsize $-$1.00 to +25.00} &  \\ \addlinespace" in lines


@pytest.mark.parametrize(
    ("mark", "latex", "markdown"),
    [(BEST, r"\textbf{x}", "**x**"), (EQUAL, r"\underline{x}", "<u>x</u>"), (CLEAR, "x$^{*}$", r"x\*"), ("", "x", "x")],
)
def test_each_mark_is_drawn(mark: str, latex: str, markdown: str) -> None:
    row = PaperRow((), (), (Value(1.0, mark=mark, write=lambda _: "x"),))
    drawn = PaperTable("", "", (), (), (PaperColumn("a", "A"),), [row])
    assert f"\n{latex} \\\\\n" in FORMATS["tex"][1](drawn)
    assert f"\n| {markdown} |\n" in FORMATS["md"][1](drawn)
