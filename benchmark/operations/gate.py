"""Middleware that refuses unreadable requests, and those beyond limits of number, size and free space."""

from __future__ import annotations

import codecs
import logging
import sqlite3
from collections.abc import Iterable

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.shortcuts import render

from benchmark.features import features, uploads
from benchmark.inputs import is_storable, refuse, unknown
from benchmark.operations import quotas, space
from benchmark.operations.counting import Limit, TooMuch, address_payer, current_payer, payer_of, spend
from benchmark.responses import Middleware
from benchmark.submissions.arriving import MOST_RUNS, discard
from benchmark.templatetags.figures import size
from tasks.errors import InputError

log = logging.getLogger(__name__)
_UNREADABLE = "contains a NUL or another character that cannot be stored; remove it"


OPENED = "This address only takes what a form sends. Go back, and use the button of the form."
SENT = "This page can only be opened, and takes no form."


class Entrance(Middleware):
    """Refuses requests with unreadable URLs or forms, and drops unreadable cookies."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            _check_charset(request)
            if not is_storable(request.path):
                raise InputError("bad-text", f"The URL {_UNREADABLE}.", field=None)
            _check_fields(request.GET, "parameter")
        except InputError as error:
            return refused(request, error)
        if not _all_storable([*request.COOKIES, *request.COOKIES.values()]):
            request.COOKIES = {k: v for k, v in request.COOKIES.items() if is_storable(k) and is_storable(v)}
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            message = OPENED if request.method in ("GET", "HEAD") else SENT
            page = refused(request, InputError("bad-method", message, field=None))
            page["Allow"] = response["Allow"]
            return page
        return _without_unknown(request, response)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        """Read and check the form; limits on its size were checked before."""
        if request.method != "POST":
            return None
        try:
            _check_fields(_form(request), "field")
        except InputError as error:
            return refused(request, error)
        return None


def _without_unknown(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or a refusal if it has no place for a notice about unknown parameters: only pages have."""
    if response.status_code != 200 or response["Content-Type"].startswith("text/html") or not request.GET:
        return response
    try:
        refuse(unknown(request))
    except InputError as error:
        response.close()
        return refused(request, error)
    return response


def _check_charset(request: HttpRequest) -> None:
    """Accept only UTF-8: some of Python's encodings yield half characters, or aren't text encodings."""
    charset = request.content_params.get("charset") if request.content_params else None
    try:
        is_utf8 = charset is None or codecs.lookup(charset).name in ("utf-8", "ascii")
    except (LookupError, ValueError):
        is_utf8 = False
    if not is_utf8:
        raise InputError("bad-charset", "The request uses an encoding other than UTF-8; send UTF-8.", field=None)


def _check_fields(fields: QueryDict, what: str) -> None:
    for name, values in fields.lists():
        if not _all_storable([name, *values]):
            shown = name if is_storable(name) else ""
            raise InputError("bad-text", f"The {what} {shown} {_UNREADABLE}.".replace("  ", " "), field=shown or None)


def _all_storable(texts: Iterable[str]) -> bool:
    return all(map(is_storable, texts))


def _form(request: HttpRequest) -> QueryDict:
    """The fields of the body. Reading them also receives its files.

    Raises
    ------
    InputError
        the body is too long, ends early, or is not a valid form.
    """
    try:
        return request.POST
    except (RequestDataTooBig, TooManyFieldsSent):
        message = "The texts of this form are too long; shorten the longest."
        refused_form = InputError("too-much-text", message, field="description")
    except TooManyFilesSent:
        refused_form = InputError("too-many-files", f"Too many files; the limit is {MOST_RUNS}.", field="file")
    except (MultiPartParserError, UnreadablePostError, LookupError):  # LookupError: a file name in an unknown encoding
        refused_form = InputError("broken-upload", "The upload ended early; send it again.", field="file")
    discard(request)
    raise refused_form


UPLOADS = frozenset({"/submit", "/submit/begin", "/api/v1/submissions", "/api/v1/uploads"})
"""Paths whose POST begins a submission."""
TEXTS = {path: upload.most_bytes for upload in uploads() for path in upload.paths}
"""Paths whose POST sends texts, with the setting that limits their bytes."""
UNLIMITED = ("/api/v1/uploads/", *(path for feature in features() for path in feature.unlimited))
"""Beginnings of paths whose writes aren't counted: pieces are limited by the file's size."""
FORM_BYTES = 24_000_000
"""Maximum size of other forms."""
WINDOW_SECONDS = 60
BUSY, BUSY_SECONDS = "busy", 5
STATUS = {"bad-method": 405, "too-large": 413, "too-much-text": 413, BUSY: 503, space.CODE: 507}
"""Statuses other than 400, by error code."""
HEADINGS = {
    "bad-method": "Not possible here",
    "too-large": "Too large",
    "too-much-text": "Too large",
    "unknown-host": "Unknown host name",
    "unknown-parameter": "Invalid link",
    "unknown-value": "Invalid link",
}


class Gate(Middleware):
    """Refuses writes beyond the limits before their body is read; GET and HEAD pass."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_read = request.method in ("GET", "HEAD", "OPTIONS")
        payer = address_payer(request) if is_read else payer_of(request)
        token = current_payer.set(payer)
        try:
            if not is_read:
                authorize_write(request, payer)
            return self.get_response(request)
        except InputError as error:
            return refused(request, error)
        finally:
            current_payer.reset(token)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Turn errors of views, a disk that filled up meanwhile and a busy database into refusals."""
        refusal = error if isinstance(error, InputError) else of_the_site(error)
        return None if refusal is None else refused(request, refusal)


def of_the_site(error: BaseException) -> InputError | None:
    """The refusal for a full disk, or a database with more requests than it takes; None for other errors."""
    if space.is_full(error):
        return space.full()
    if not isinstance(error, (OperationalError, InterfaceError)):
        return None
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
        return None  # of psycopg, these are all about connections and locks
    log.warning("The database does not answer: %s", error)
    return InputError(BUSY, "The database of this site is busy or restarting. Try again in a few seconds.", field=None)


def authorize_write(request: HttpRequest, payer: str) -> None:
    """
    Raises
    ------
    InputError
        there are too many requests, too many bytes, or there is too little space; or a form is too large.
    """
    most = settings.VECBOARD_WRITES_PER_MINUTE
    if not request.path.startswith(UNLIMITED) and not spend(Limit("writes", most, WINDOW_SECONDS), payer):
        message = f"More than {most} requests within a minute; wait a minute."
        raise TooMuch("too-often", message, field=None, retry_after=WINDOW_SECONDS)
    announced = int(request.META.get("CONTENT_LENGTH") or 0)
    if request.method == "POST" and request.path.rstrip("/") in UPLOADS:
        space.authorize_bytes(announced, payer)
        quotas.authorize_submission(payer, announced)
    elif request.method == "POST" and request.path.rstrip("/") in TEXTS:
        space.authorize_bytes(announced, payer)
        quotas.authorize_texts(payer)
        most_bytes = int(getattr(settings, TEXTS[request.path.rstrip("/")]))
        if announced > most_bytes + settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise InputError("too-large", f"The file is larger than {size(most_bytes)}, the limit on this site.")
    elif request.content_type == "multipart/form-data" and announced > FORM_BYTES:
        message = (
            f"This page takes at most {size(FORM_BYTES)}. Shorten or split the file; for vectors, use Submit vectors."
        )
        raise InputError("too-large", message)


def refused(request: HttpRequest, error: InputError) -> HttpResponse:
    """An error response: JSON for programs, a page for people."""
    if request.path.startswith("/api/"):
        return _refusal(JsonResponse({"error": error.as_dict()}), error)
    if "application/json" in request.headers.get("Accept", ""):
        return refused_to_script(error)
    waits = isinstance(error, TooMuch) or STATUS.get(error.code, 400) >= 500
    heading = HEADINGS.get(error.code, "Not now" if waits else "Not accepted")
    return _refusal(render(request, "refused.html", {"error": error, "heading": heading}), error)


def refused_to_script(error: InputError) -> HttpResponse:
    """An error for the upload form's script, which shows it at the field."""
    return _refusal(JsonResponse({"errors": {error.field or "file": error.message}}), error)


def _refusal(response: HttpResponse, error: InputError) -> HttpResponse:
    response.status_code = STATUS.get(error.code, 400)
    if isinstance(error, TooMuch):
        response.status_code, response["Retry-After"] = 429, str(error.retry_after)
    elif error.code == BUSY:
        response["Retry-After"] = str(BUSY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response
