"""Texts that a form takes as a file or pasted."""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from benchmark.templatetags.figures import size
from tasks.errors import InputError


def uploaded_bytes(request: HttpRequest, most: int, *, field: str) -> bytes:
    """The file of a form; empty if there is none.

    Raises
    ------
    InputError
        it is larger than ``most`` bytes; the error is shown at ``field``.
    """
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return b""
    if (file.size or 0) > most:
        raise InputError("too-large", f"The file is larger than {size(most)}; shorten or split it.", field=field)
    file.seek(0)
    return bytes(file.read(most))


def pasted_text(request: HttpRequest, field: str, most: int) -> str:
    """The text of a form field with single line ends; browsers send CRLF.

    Raises
    ------
    InputError
        it is longer than ``most`` characters.
    """
    text = request.POST.get(field, "").replace("\r\n", "\n")
    if len(text) > most:
        message = f"The text is longer than {most:,} characters; shorten it, or send it as a file."
        raise InputError("too-large", message, field=field)
    return text
