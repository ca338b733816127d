"""Files that the site fetches from a URL: accepted URLs, and the order of fetches.

A URL is accepted if it begins with https and its host and port are on the operator's list. The submission waits in the
state ``receiving``, as during an upload. Only the next fetches have a job, so that they never occupy more than
``VECBOARD_FETCHES_AT_ONCE`` workers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings

from benchmark.fields import one_at_a_time
from benchmark.inputs import file_name
from benchmark.operations import fair_queue
from benchmark.operations.counting import share_of
from benchmark.operations.models import Job
from benchmark.submissions.models import PartialFile
from benchmark.submissions.states import State
from tasks.errors import InputError
from workers import queue

KIND = "fetch"
HTTPS = 443
LONGEST_URL = 2000
_KEPT = "%/:=&?~+!$,;'@()*[]"
"""Characters left unescaped, in addition to letters, digits and ``_.-``."""
_TURNS = "turns to fetch"


@dataclass(frozen=True)
class WebFile:
    """A file at an accepted URL.

    Parameters
    ----------
    host, port : as the operator lists them.
    target : path and query, escaped.
    """

    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """Host, and its port if that is not 443."""
        return written(self.host, self.port)

    @property
    def url(self) -> str:
        return f"https://{self.place}{self.target}"

    @property
    def name(self) -> str:
        """The last part of its path."""
        return file_name(unquote(self.target.partition("?")[0]).rpartition("/")[2])


def is_offered() -> bool:
    """Whether the operator lists any host."""
    return bool(settings.VECBOARD_FETCH_HOSTS)


def listed() -> str:
    """The listed hosts, as text."""
    return ", ".join(written(host, port) for host, port in settings.VECBOARD_FETCH_HOSTS)


def written(host: str, port: int) -> str:
    return host if port == HTTPS else f"{host}:{port}"


def web_file(url: str) -> WebFile:
    """The file that a URL names.

    Raises
    ------
    InputError
        it is not an https URL without a password, or its host or port is not listed.
    """
    if not is_offered():
        raise InputError("fetch-off", "This site does not fetch files from URLs; send the file.", field="url")
    try:
        parts = urlsplit(url.strip())
        port = HTTPS if parts.port is None else parts.port
    except ValueError:  # brackets or a port that cannot be read
        raise _bad_address() from None
    if len(url) > LONGEST_URL or parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise _bad_address()
    if (parts.hostname, port) not in settings.VECBOARD_FETCH_HOSTS:
        message = f"This site does not fetch files from {written(parts.hostname, port)}, only from {listed()}."
        raise InputError("host-not-listed", message, field="url")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebFile(parts.hostname, port, quote(target, safe=_KEPT))


def _bad_address() -> InputError:
    message = f"Files cannot be fetched from this URL: write https:// and a file on {listed()}."
    return InputError("bad-url", message, field="url")


def take_turns() -> None:
    """Queue the next fetches."""
    with one_at_a_time(_TURNS):
        for submission_id in due():
            enqueue(submission_id)


def enqueue(submission_id: str) -> None:
    """Queue the job that fetches a submission's file."""
    queue.enqueue(KIND, submission_id, submission_id=submission_id, level=fair_queue.FIRST)


def due() -> list[str]:
    """Submissions to fetch next: the first file of each payer before any second one, then by age.

    Existing jobs count against the number of simultaneous fetches and each payer's share of it.
    """
    files = PartialFile.objects.to_fetch().filter(submission__state=State.RECEIVING)
    rows = files.order_by("submission__created_at").values_list("submission", "submission__ticket__payer")
    at_work = set(Job.objects.filter(kind=KIND).values_list("subject", flat=True))
    payers = Counter(payer for submission, payer in rows if submission in at_work)
    turns = []
    for place, (submission, payer) in enumerate(rows):
        if submission not in at_work and payers[payer] < share_of(settings.VECBOARD_FETCHES_AT_ONCE):
            turns.append((payers[payer], place, submission))
            payers[payer] += 1
    free = max(settings.VECBOARD_FETCHES_AT_ONCE - len(at_work), 0)
    return [submission for *_, submission in sorted(turns)[:free]]
