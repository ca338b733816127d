"""Charts: a drawing with its description and its table, as markup for a page, an SVG file, a PNG or a PDF."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap

import resvg_py

from plots.drawing import Drawing, Markup, element

LINE_HEIGHT, LETTER_WIDTH = 20, 8
"""Line height and mean letter width of a title above a drawing."""
MARGIN = 16
"""Margin around a drawing with its title above."""
SCALE = 2
"""Pixels per unit of a chart, for sharp print and high-resolution screens."""
FAMILY = "Inter"
_REGULAR, _BOLD = (str(Path(__file__).parent / "fonts" / f"Inter-{weight}.ttf") for weight in ("Regular", "SemiBold"))
"""Fonts for Latin, Greek and Cyrillic; other letters become boxes."""
PAPER = "#fbfaf7"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe & Ito's palette, safe for colour-blind readers."""
_LIGHT = {"ink": "#1c1b19", "muted": "#5b5852", "rule": "#d8d4ca", "shade": "#004b7f", "on-shade": "#fff"}
_DARK = {"ink": "#ebe8e1", "muted": "#aaa69c", "rule": "#3b3934", "shade": "#9fd0f2", "on-shade": "#111"}
_RULES = (
    "svg{color:#0072b2}text{font-family:Inter,system-ui,sans-serif;font-size:12px;fill:var(--ink)}"
    ".label,.value{font-size:14px;paint-order:stroke;stroke:var(--halo);stroke-width:4px}"
    ".title{font-weight:600;font-size:14px}.tick{font-size:11px;fill:var(--muted)}.strong{font-weight:600}"
    ".cell{fill:var(--shade)}.on-shade{fill:var(--on-shade)}.grid,.rule{stroke:var(--rule)}"
    ".curve{fill:none;stroke:currentColor;stroke-width:1.5}.dot,.named{fill:currentColor}"
    ".front{fill:none;stroke:#0072b2;stroke-width:1.5;stroke-dasharray:5 4}.leader{stroke:#8a867e;stroke-width:.75}"
    ".whisker{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".point,.better{fill:#0072b2}.best{fill:#0072b2;stroke:var(--halo)}"
    ".worse{fill:#d55e00}.baseline{fill:#8a867e}.close{fill:var(--ink)}.number{font-size:14px}"
    ".nr{paint-order:stroke;stroke:var(--halo);stroke-width:5px}"
    ".lane .close{fill:var(--paper);stroke:var(--ink);stroke-width:1.5}"
    ".zero{stroke:#8a867e;stroke-width:2}.mark{stroke:#8a867e}.reference{stroke:#8a867e;stroke-width:3}"
    ".missing .value{fill:var(--muted);font-style:italic}"
    ".middle-half{fill:#0072b2;fill-opacity:.35;stroke:#0072b2}.median{stroke:#0072b2;stroke-width:3}"
) + "".join(f".c{n}{{color:{colour}}}" for n, colour in enumerate(_COLOURS))


def _root(variables: Mapping[str, str]) -> str:
    return f":root{{{';'.join(f'--{name}:{value}' for name, value in variables.items())}}}"


_BY_DAY, _BY_NIGHT = {**_LIGHT, "halo": "none", "paper": PAPER}, {**_DARK, "paper": "#161614"}
_FILE_STYLE = f"{_root(_BY_DAY)}@media(prefers-color-scheme:dark){{{_root(_BY_NIGHT)}}}{_RULES}"
_FIXED = {**_LIGHT, "halo": PAPER, "paper": PAPER}
"""Fixed light colours; the halo makes text hide the lines behind it."""
_FIXED_STYLE = re.sub(r"var\(--([\w-]+)\)", lambda match: _FIXED[match[1]], _RULES)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow."""


def colour_class(index: int) -> str:
    """CSS class of the nth line; colours repeat."""
    return f"c{index % len(_COLOURS)}"


@dataclass(frozen=True)
class Chart:
    """A drawing with its text.

    Attributes
    ----------
    id : prefix of the ids of title and description; unique on a page.
    title, description : the finding and every number, as plain text.
    table : head and rows, shown below the drawing.
    has_row_heads : the first cell of each row is its head.
    heading, caption : plain text above the drawing, the heading in bold; without both, the title in bold.
    kind : CSS classes of the ``figure`` element.
    note : plain text below the drawing.
    data : a table only for files, if the page shows the numbers elsewhere.
    files : URL of the files without extension; links to them are below the drawing.
    links : marks are links, so that screen readers must not treat the drawing as one image.
    narrow : the same for pages that are too narrow for the drawing.
    """

    id: str
    title: str
    description: str
    drawing: Drawing
    table: Sequence[Sequence[str]] = ()
    has_row_heads: bool = False
    heading: str = ""
    caption: str = ""
    kind: str = ""
    note: str = ""
    data: Sequence[Sequence[str]] = ()
    files: str = ""
    links: bool = False
    narrow: Drawing | None = None

    @property
    def svg(self) -> Markup:
        """The drawing, for a page with the style sheet, which shows the narrow one where the other has no room."""
        titled = self._svg(self._titles + self.drawing.body, **_frame(self.drawing))
        if self.narrow is None:
            return titled
        narrow = self._svg(self.narrow.body, **_frame(self.narrow), kind="narrow")
        return Markup(f"{titled}\n{narrow}")

    @property
    def figure(self) -> Markup:
        """The drawing with its caption, note and table."""
        heading = self.heading if self.caption else self.heading or self.title
        caption = (element("strong", escape(heading)) + " " if heading else "") + escape(self.caption)
        note = element("p", escape(self.note), kind="aside") if self.note else ""
        inside = element("figcaption", caption.strip()) + self.svg + note + self._table() + self._files()
        return Markup(element("figure", inside, kind=f"chart {self.kind}".strip()))

    def file(self, *, title_above: bool = False, fixed: bool = False) -> str:
        """The drawing as an SVG file with its title at the top.

        Parameters
        ----------
        title_above : add space for the title and a margin; otherwise the drawing itself has space at its top.
        fixed : light colours instead of variables for light and dark mode, which only browsers support.
        """
        lines = self.title_lines if title_above else [self.title]
        above, margin = (LINE_HEIGHT * len(lines) + 8, MARGIN) if title_above else (0, 0)
        x, y = (0, 14 - above) if title_above else (8, 20)
        title = "".join(
            element("text", escape(line), kind="title", x=x, y=y + i * LINE_HEIGHT) for i, line in enumerate(lines)
        )
        width, height = self.drawing.width + 2 * margin, self.drawing.height + above + 2 * margin
        box = f"{-margin} {-above - margin} {width:g} {height:g}"
        attributes = {"xmlns": "http://www.w3.org/2000/svg", "width": f"{width:g}", "height": f"{height:g}"}
        style = element("style", _FIXED_STYLE if fixed else _FILE_STYLE)
        svg = self._svg(f"{self._titles}{style}{title}\n{self.drawing.fixed}", viewBox=box, **attributes)
        return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", svg) + "\n"

    @property
    def title_lines(self) -> list[str]:
        """The title, wrapped to the width of the drawing."""
        return wrap(self.title, int(self.drawing.width / LETTER_WIDTH)) or [""]

    @property
    def _titles(self) -> str:
        """Title and description, which both drawings refer to."""
        title = element("title", escape(self.title), id=f"{self.id}-title")
        return f"{title}\n{element('desc', escape(self.description), id=f'{self.id}-desc')}\n"

    def _svg(self, body: str, **attributes: str) -> Markup:
        named = {"role": "group" if self.links else "img", "aria_labelledby": f"{self.id}-title {self.id}-desc"}
        return Markup(element("svg", body, **named, **attributes))

    def _files(self) -> str:
        if not self.files:
            return ""
        names = [element("a", kind, href=f"{self.files}.{kind.lower()}") for kind in ("SVG", "PDF", "PNG", "CSV")]
        return element("p", " ".join(names), kind="files")

    def _table(self) -> str:
        if not self.table:
            return ""
        heads, *rows = self.table
        head = "".join(element("th", escape(cell), scope="col", kind="number") for cell in heads)
        body = "".join(f"<tr>{''.join(map(self._cell, range(len(row)), row))}</tr>\n" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        label = f"{self.title}, as a table"
        region = element("div", table, kind="scroll", tabindex="0", role="region", aria_label=label)
        return element("details", element("summary", "The same as a table") + region, kind="table-alternative")

    def _cell(self, column: int, text: str) -> str:
        if column == 0 and self.has_row_heads:
            return element("th", escape(text), scope="row")
        return element("td", escape(text), kind="number")


def _frame(drawing: Drawing) -> dict[str, str]:
    """Attributes of a drawing on a page: as wide as the page's column, or never wider than drawn."""
    width, height = f"{drawing.width:g}", f"{drawing.height:g}"
    if drawing.stretches:
        return {"width": "100%", "height": height}
    return {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}


def chart_png(chart: Chart) -> bytes:
    """PNG of a chart with its title, in the pages' light colours."""
    return png(chart.file(title_above=True, fixed=True), SCALE)


def png(svg: str, scale: float = 1.0) -> bytes:
    """PNG of an SVG that uses neither CSS variables nor media queries.

    Raises
    ------
    ValueError
        the SVG isn't well-formed.
    """
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        background=PAPER,
        zoom=scale,
        skip_system_fonts=True,
        font_files=[_REGULAR, _BOLD],
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )


def chart_pdf(chart: Chart) -> bytes:
    """PDF of a chart as :func:`chart_png` shows it."""
    return pdf(chart.file(title_above=True, fixed=True))


def pdf(svg: str) -> bytes:
    """PDF of an SVG as :func:`png` takes it; its text stays text, in the same fonts."""
    from reportlab.graphics import renderPDF  # both take a second to load, and few ask for a PDF
    from svglib.svglib import register_font, svg2rlg

    register_font(FAMILY, _REGULAR)
    register_font(FAMILY, _REGULAR, style="italic")
    register_font(FAMILY, _BOLD, weight="600")
    return bytes(renderPDF.drawToString(svg2rlg(io.BytesIO(svg.encode()))))
