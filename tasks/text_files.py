"""Text files that people give, such as lists, answers and dictionaries, as spreadsheets and editors save them."""

from __future__ import annotations

import codecs

from tasks.errors import InputError
from tasks.magic import WORKBOOKS

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(content: bytes, name: str, *, field: str) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its byte order mark; without the mark.

    Parameters
    ----------
    name : of the file, in sentences: ``cues.txt``, ``the dictionary``.
    field : of the form, that errors belong to.

    Raises
    ------
    InputError
        it is a workbook, or in another encoding; the message names the first such line.
    """
    if content.startswith(WORKBOOKS):
        message = f"In place of text, {name} is a workbook or an archive. Save the sheet as “CSV UTF-8” in Excel."
        raise InputError("not-text", message, field=field)
    try:
        return content.decode("utf-16" if content.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"Line {line:,} of {name} is not UTF-8. Save the file as UTF-8; in Excel, as “CSV UTF-8”."
        raise InputError("not-utf8", message, line=line, field=field) from error
