"""Tables for papers: what a page shows as LaTeX, Markdown, CSV and JSON, with intervals, marks and a caption."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.http import Http404, HttpResponse

from benchmark.templatetags.figures import between, csv_comment, csv_lines, signed_percent, tex
from tasks.languages import ENGLISH, language_name
from tasks.suite import Suite
from tasks.text import visible

BEST, EQUAL, CLEAR = "best", "equal", "clear"
"""Marks: the best of a column, one not significantly different from it, and a significant difference."""
_IN_LATEX = {BEST: r"\textbf{{{}}}", EQUAL: r"\underline{{{}}}", CLEAR: "{}$^{{*}}$"}
_IN_MARKDOWN = {BEST: "**{}**", EQUAL: "<u>{}</u>", CLEAR: r"{}\*"}
_FRACTIONS = "Percentages are written as fractions: 0.1 is 10 %."
_SPECIAL_IN_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#|&~$!])")


@dataclass(frozen=True)
class Value:
    """A number with its 95 % interval and mark, or the reason for its absence.

    ``more`` are the further values of its column, ``write`` writes the number and the ends of the interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    mark: str = ""
    reason: str = ""
    more: Sequence[object] = ()
    write: Callable[[float | None], str] = signed_percent

    @property
    def text(self) -> str:
        return self.write(self.value)

    @property
    def bounds(self) -> str:
        return "" if self.low is None or self.high is None else between((self.low, self.high), self.write)


@dataclass(frozen=True)
class PaperColumn:
    """A column of values; ``key`` names it for programs, ``more`` the further values in each of its cells."""

    key: str
    title: str
    group: str = ""
    more: Sequence[str] = ()


@dataclass(frozen=True)
class PaperRow:
    """A row: its labels for readers, its facts for programs, and its values in the order of the columns."""

    labels: Sequence[str]
    facts: Sequence[object]
    values: Sequence[Value]


@dataclass(frozen=True)
class PaperTable:
    """A table; ``labels`` and ``facts`` name those of its rows, ``address`` is the URL of the page that shows it."""

    caption: str
    address: str
    labels: Sequence[str]
    facts: Sequence[str]
    columns: Sequence[PaperColumn]
    rows: Sequence[PaperRow]

    @property
    def scored(self) -> list[PaperRow]:
        """The rows with a value, which readers see."""
        return [row for row in self.rows if any(value.value is not None for value in row.values)]


def about(suite: Suite, version: object, day: str, language: str = ENGLISH) -> str:
    """Start of a caption: suite, version, language unless English, and date."""
    of_language = "" if language == ENGLISH else f", {language_name(language)}"
    return f"Vecboard, {suite.title}, version {version}{of_language}, {day}."


def as_csv(table: PaperTable) -> str:
    """A line per row with its facts; a value is followed by the ends of its interval, its mark and its reason."""
    names = [
        name for column in table.columns
        for name in (column.key, *(f"{column.key}.{part}" for part in ("low", "high", *column.more, "mark", "blank")))
    ]  # fmt: skip
    rows = [
        [*row.facts, *(part for v in row.values for part in (v.value, v.low, v.high, *v.more, v.mark, v.reason))]
        for row in table.rows
    ]
    comment = csv_comment(f"{table.caption} {_FRACTIONS} {table.address}")
    return "".join((comment, *csv_lines([[*table.facts, *names], *rows])))


def as_json(table: PaperTable) -> str:
    """The rows with their facts, and the parts of each value by the key of its column."""
    rows = [
        dict(zip(table.facts, row.facts, strict=True)) | {
            "values": {
                column.key: {"value": v.value, "low": v.low, "high": v.high, "mark": v.mark, "blank": v.reason}
                | dict(zip(column.more, v.more, strict=True))
                for column, v in zip(table.columns, row.values, strict=True)
            }
        }
        for row in table.rows
    ]  # fmt: skip
    columns = [{"key": column.key, "title": column.title, "group": column.group} for column in table.columns]
    whole = {"caption": f"{table.caption} {_FRACTIONS}", "address": table.address, "columns": columns, "rows": rows}
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


_MOST_ON_A_PAGE = 30


def as_latex(table: PaperTable) -> str:
    """A ``table``, of more rows a ``longtable``, with the rules of booktabs; intervals are below their values."""
    groups = [(name, len([*columns])) for name, columns in groupby(table.columns, key=lambda column: column.group)]
    heads = [*table.labels, *(column.title for column in table.columns)]
    is_long, caption = len(table.scored) > _MOST_ON_A_PAGE, rf"\caption{{{_latex(table.caption)}}}"
    alignment = f"{{{'l' * len(table.labels)} {' '.join('r' * count for _, count in groups)}}}"
    begin = [r"\begin{table}", r"\centering", caption, rf"\begin{{tabular}}{alignment}"]
    end = [r"\end{tabular}", r"\end{table}"]
    if is_long:
        begin, end = [rf"\begin{{longtable}}{alignment}", rf"{caption} \\"], [r"\end{longtable}"]
    lines = [
        f"% {table.address}",
        f"% needs \\usepackage{{booktabs{',longtable' * is_long}}}; names in other scripts need LuaLaTeX or XeLaTeX, "
        "and a font that has them",
        *begin,
        r"\toprule",
        *(_latex_groups(groups, len(table.labels)) if any(name for name, _ in groups) else ()),
        " & ".join(map(_latex, heads)) + r" \\",
        r"\midrule",
        *(line for row in table.scored for line in _latex_row(row)),
        r"\bottomrule",
        *end,
    ]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    return tex(visible(text))


def _latex_groups(groups: Sequence[tuple[str, int]], labels: int) -> Iterator[str]:
    yield (
        " & ".join([""] * labels + [rf"\multicolumn{{{count}}}{{c}}{{{_latex(name)}}}" for name, count in groups])
        + r" \\"
    )
    ends = [labels + sum(count for _, count in groups[: i + 1]) for i in range(len(groups))]
    rules = zip(groups, ends, strict=True)
    yield "".join(rf"\cmidrule(lr){{{end - count + 1}-{end}}}" for (name, count), end in rules if name)


def _latex_row(row: PaperRow) -> Iterator[str]:
    values = [_IN_LATEX.get(value.mark, "{}").format(tex(value.text)) for value in row.values]
    yield " & ".join([*map(_latex, row.labels), *values]) + r" \\"
    if any(value.bounds for value in row.values):
        bounds = [rf"{{\scriptsize {tex(value.bounds)}}}" if value.bounds else "" for value in row.values]
        yield " & ".join([""] * len(row.labels) + bounds) + r" \\ \addlinespace"


def as_markdown(table: PaperTable) -> str:
    """A table of GitHub's Markdown, followed by its caption."""
    titles = [f"{column.group}: {column.title}" if column.group else column.title for column in table.columns]
    rows = [[*map(_markdown, row.labels), *map(_markdown_value, row.values)] for row in table.scored]
    lines = [
        [_markdown(title) for title in (*table.labels, *titles)],
        ["---"] * len(table.labels) + ["---:"] * len(titles),
        *rows,
    ]
    cells = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([*cells, "", f"{_markdown(table.caption)} <{table.address}>"]) + "\n"


def _markdown(text: str) -> str:
    return _SPECIAL_IN_MARKDOWN.sub(r"\\\1", visible(text))


def _markdown_value(value: Value) -> str:
    number = _IN_MARKDOWN.get(value.mark, "{}").format(value.text)
    return f"{number} ({value.bounds})" if value.bounds else number


FORMATS: dict[str, tuple[str, Callable[[PaperTable], str]]] = {
    "tex": ("text/plain; charset=utf-8", as_latex),
    "md": ("text/markdown; charset=utf-8", as_markdown),
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
}

FORMS = {"tex": "LaTeX", "md": "Markdown", "csv": "CSV", "json": "JSON"}
"""Names of the formats on pages."""


def as_file(table: PaperTable, name: str, extension: str) -> HttpResponse:
    """The table as a download.

    Raises
    ------
    Http404
        there is no such format.
    """
    if extension not in FORMATS:
        raise Http404(f"Tables are available as {', '.join(FORMS.values())}.")
    content_type, write = FORMATS[extension]
    return as_attachment(write(table), content_type, f"{name}.{extension}")


def as_attachment(text: str, content_type: str, name: str) -> HttpResponse:
    """A text as a download."""
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="vecboard-{name}"'
    return response
