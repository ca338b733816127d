"""What every request passes before anything reads it: its address, its cookies and its form can be read and stored."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError

from benchmark.inputs import is_storable
from benchmark.operations.gate import refused
from benchmark.submissions.arriving import MOST_RUNS, discard
from tasks.errors import InputError

_UNREADABLE = "contains a NUL or another character that cannot be stored; remove it"


class Entrance:
    """Refuses with a sentence what no view could use. A cookie that cannot be read counts as not sent."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            _check_charset(request)
            _check_address(request)
        except InputError as error:
            return refused(request, error)
        if not _all_storable([*request.COOKIES, *request.COOKIES.values()]):
            request.COOKIES = {k: v for k, v in request.COOKIES.items() if is_storable(k) and is_storable(v)}
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        """The form is read here, as the first of all; bounds on how much one may send were asked before."""
        if request.method != "POST":
            return None
        try:
            _check_fields(_form(request), "field")
        except InputError as error:
            return refused(request, error)
        return None


def _check_charset(request: HttpRequest) -> None:
    """Python knows encodings that make half characters, or none that are of texts; everybody sends UTF-8 today."""
    given = request.content_params.get("charset") if request.content_params else None
    try:
        known = given is None or codecs.lookup(given).name in ("utf-8", "ascii")
    except (LookupError, ValueError):
        known = False
    if not known:
        raise InputError("bad-charset", "The request uses an encoding other than UTF-8; send UTF-8.", field=None)


def _check_address(request: HttpRequest) -> None:
    if not is_storable(request.path):
        raise InputError("bad-text", f"The URL {_UNREADABLE}.", field=None)
    _check_fields(request.GET, "parameter")


def _check_fields(fields: QueryDict, what: str) -> None:
    for name, values in fields.lists():
        if not _all_storable([name, *values]):
            shown = name if is_storable(name) else ""
            raise InputError("bad-text", f"The {what} {shown} {_UNREADABLE}.".replace("  ", " "), field=shown or None)


def _all_storable(texts: Iterable[str]) -> bool:
    return all(map(is_storable, texts))


def _form(request: HttpRequest) -> QueryDict:
    """The fields of the body; its files arrive with this.

    Raises
    ------
    InputError
        the body is too long, ends early, or is not a valid form.
    """
    try:
        return request.POST
    except (RequestDataTooBig, TooManyFieldsSent):
        message = "The form's text fields are too long; shorten the description."
        refused_form = InputError("too-much-text", message, field="description")
    except TooManyFilesSent:
        refused_form = InputError("too-many-files", f"Too many files; the limit is {MOST_RUNS}.", field="file")
    except (MultiPartParserError, UnreadablePostError, LookupError):  # the last: a file's name in no known encoding
        refused_form = InputError("broken-upload", "The upload ended early; send it again.", field="file")
    discard(request)
    raise refused_form
