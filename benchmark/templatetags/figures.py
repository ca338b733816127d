"""Formatting of numbers and of visitors' words, the same in tables, charts and sentences."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from math import ceil, floor, inf

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from tasks.languages import ENGLISH, contradicts, direction, language_name
from tasks.metrics import Metric
from tasks.text import MINUS, visible
from tasks.text import size as readable_size

register = template.Library()
register.filter("language", language_name)
register.filter("contradicts", contradicts)

BLANK = "–"
_QUOTED = re.compile("(?<!`)`+([^`]+)`+")
_COMMAND = re.compile(r"(?m)(?<=: )python -m .*\S")
NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LATER_FORMULA = re.compile(r"([;\t] *)(?=[=+\-@])")
_FORMULA_IN_COMMENT = re.compile(r"([,;\t\"] *)(?=[=+\-@])")
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        MINUS: "$-$", BLANK: "--", "ρ": r"$\rho$", "\N{NO-BREAK SPACE}": "~",
    }
)  # fmt: skip


@register.filter
def word(text: object, code: str = ENGLISH) -> SafeString:
    """A word of a file, or a name that a visitor chose, isolated so that it can't change the direction around it.

    Words in another language than the page's are marked with it, for fonts, screen readers and hyphenation.
    """
    return format_html("<bdi{}>{}</bdi>", of_language(code), visible(str(text)))


@register.filter
def words(texts: Iterable[object], code: str = ENGLISH) -> SafeString:
    """Several words, separated by commas."""
    return format_html_join(", ", "{}", ((word(text, code),) for text in texts))


@register.filter
def of_language(code: str) -> SafeString:
    """``lang`` and ``dir`` attributes for text in this language; none for English, the language of all pages."""
    if code == ENGLISH:
        return SafeString("")
    return format_html(' lang="{}" dir="{}"', code, direction(code))


@register.filter
def with_code(text: str) -> SafeString:
    """A sentence in which words between backticks, single or double, are code; programs print it as it is."""
    return mark_safe(_QUOTED.sub(r"<code>\1</code>", escape(text)))  # nosec B308 B703 - escaped before


@register.filter
def with_commands(text: str) -> SafeString:
    """Text in which commands after ``NAME:`` are code, whose words stay whole at the ends of lines."""

    def command(match: re.Match[str]) -> str:
        return f"<code>{' '.join(f'<span>{word}</span>' for word in match[0].split(' '))}</code>"

    return mark_safe(_COMMAND.sub(command, escape(text)))  # nosec B308 B703 - escaped before


def in_sentence(title: str) -> str:
    """A title within a sentence: ``Lexical inference, BLESS`` → ``lexical inference, BLESS``; names stay."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Lines of CSV; an apostrophe precedes text that a spreadsheet would run as a formula. None is an empty field.

    Some spreadsheets split at semicolons or tabs, too.
    """
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        writer.writerow([_harmless(value) if isinstance(value, str) else value for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def csv_comment(text: str) -> str:
    """A line before the head of CSV, which programs skip and spreadsheets may split anywhere."""
    line = _FORMULA_IN_COMMENT.sub(r"\1'", " ".join(text.splitlines()))
    return f"# {line}\n"


def _harmless(text: str) -> str:
    text = _LATER_FORMULA.sub(r"\1'", text)
    return f"'{text}" if text.startswith(_FORMULA) and not NUMBER.fullmatch(text) else text


def tex(text: str) -> str:
    """The text escaped for LaTeX and for BibTeX, where an escaped brace would still delimit a field."""
    return text.translate(_LATEX)


def bibtex(key: str, **fields: str) -> str:
    """A BibTeX entry ``@misc``; fields are LaTeX, and empty ones are left out."""
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


@register.filter
def signed_percent(share: float | None, digits: int = 2) -> str:
    """Relative error reduction: 0.1234 → ``+12.34``; a true minus sign, so that columns align."""
    if share is None:
        return BLANK
    text = f"{share * 100:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", MINUS)


@register.filter
def decimals(value: float | None, digits: int = 2) -> str:
    """A number without a unit: −0.126 → ``−0.13``; never a negative zero."""
    return BLANK if value is None else f"{value:z.{digits}f}".replace("-", MINUS)


@register.filter
def percent(share: float | None) -> str:
    """A score in [0, 1] in per cent: 0.8812 → ``88.12``."""
    return BLANK if share is None else decimals(share * 100)


def between(interval: Sequence[float | None] | None, write: Callable[[float | None], str] = signed_percent) -> str:
    """An interval, by default of an error reduction: ``−0.10 to +1.20``; empty without one."""
    return f"{write(interval[0])} to {write(interval[1])}" if interval else ""


def around_chance(interval: Sequence[float], write: Callable[[float | None], str]) -> str:
    """What chance gives in 95 % of the cases: ``±0.104`` around zero, ``0.88 to 1.12`` around another mean."""
    low, high = interval
    return f"±{write(high)}" if low == -high else between(interval, write)


def writer_of(metric: Metric) -> Callable[[float | None], str]:
    """A function that writes the metric's values in its unit, with its number of decimals."""
    scale, form = metric.scale, f"z.{metric.decimals}f"

    def write(value: float | None) -> str:
        return BLANK if value is None else format(value * scale, form).replace("-", MINUS)

    return write


@register.filter
def coverage(share: float | None) -> str:
    """A share in per cent with one decimal; 100.0 only if nothing is missing."""
    if share is None:
        return BLANK
    text = f"{share * 100:.1f}"
    return "99.9" if text == "100.0" and share < 1 else text


@register.filter
def unbroken(text: str) -> str:
    """A text whose lines don't break between a number and its per cent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


@register.filter
def with_letters(rows: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The rows whose ``word`` has a letter: punctuation and numbers aren't words that moved."""
    return [row for row in rows if any(map(str.isalpha, row["word"]))]


@register.filter
def correlation(value: float | None) -> str:
    return decimals(value, 3)


@register.filter
def chance(p: float | None) -> str:
    """A p-value with four decimals, never zero."""
    return "< 0.0001" if p is not None and p < 0.0001 else decimals(p, 4)


@register.filter
def significant(value: float | None) -> str:
    """Four significant digits: 12.345 → ``12.35``."""
    return BLANK if value is None else f"{value:.4g}".replace("-", MINUS)


@register.filter
def grouped(number: int | None) -> str:
    """1234567 → ``1,234,567``."""
    return BLANK if number is None else f"{number:,}"


@register.filter
def size(number: int | None) -> str:
    """Bytes in decimal units: 3000000000 → ``3 GB``."""
    return BLANK if number is None else readable_size(number)


_STEPS = ((90, 5, 1, "second"), (90 * 60, 1, 60, "minute"), (inf, 1, 3600, "hour"))


@register.filter
def time_left(left: tuple[float, float, float] | None) -> str:
    """Typical seconds and their bounds as ``about 4 minutes (2 to 30 minutes)``; empty if unknown.

    The bounds are rounded outwards: the range shown holds if they do.
    """
    if left is None:
        return ""
    typical, unit_of_typical = _rounded(left[0], lambda number: max(1, round(number)))
    (low, unit_of_low), (high, unit) = _rounded(left[1], floor), _rounded(left[2], ceil)
    lower = str(low) if unit_of_low == unit else _counted(low, unit_of_low)
    bounds = f"{lower} to {_counted(high, unit)}" if low else f"at most {_counted(high, unit)}"
    return f"about {_counted(typical, unit_of_typical)} ({bounds})"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _rounded(seconds: float, rounding: Callable[[float], int]) -> tuple[int, str]:
    step, size, unit = next((step, size, unit) for most, step, size, unit in _STEPS if seconds < most)
    return step * rounding(seconds / size / step), unit


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds as ``45 s``, ``12 min`` or ``1.5 h``."""
    if seconds is None:
        return BLANK
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"
