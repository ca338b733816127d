"""Python interface to a Vecboard server: submit vectors, follow their evaluation, read reports and the board."""

from __future__ import annotations

import io
import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, Unpack, cast, overload

import httpx

from tasks.answers import (
    AssociationsAnswer,
    BoardPage,
    ComparisonAnswer,
    Details,
    ExportForm,
    NeighboursAnswer,
    SubmissionStatus,
)
from vecboard.connection import (
    PATIENCE_SECONDS,
    NoReport,
    NotYet,
    Query,
    Refused,
    ServerConnection,
    error_of,
    server_address,
)
from vecboard.keyring import Keyring
from vecboard.sources import Vectors, as_file
from vecboard.upload import Sent, Upload, quiet

if TYPE_CHECKING:
    from tasks.results import Report

FINAL = ("done", "failed", "rejected", "cancelled")
LEAST_PAUSE, MOST_PAUSE = 1.0, 60.0
RESTART_SECONDS = 600.0
"""Longest outage, in seconds, that following a submission survives: enough for a deploy or a reboot."""
StatusCallback = Callable[[SubmissionStatus], None]
"""Called with every status received."""
Files = Vectors | list[Vectors]
"""One file, or the runs of one setting."""


@dataclass(frozen=True)
class Accepted:
    """A submission that the server has accepted.

    Parameters
    ----------
    id : argument of all other calls.
    secret : required to retry, cancel or withdraw it; shown once and stored in the keyring.
    url : URL of its page.
    """

    id: str
    secret: str
    url: str


class Client:
    """One server, with its entries in the keyring.

    Parameters
    ----------
    server : its URL; empty: ``VECBOARD_URL``, else a site on this machine.
    token : of the account; empty: ``VECBOARD_TOKEN``, else the keyring's. Some servers accept files without one.
    keyring : store of secrets.
    patience : seconds to retry read requests while the server does not answer.
    """

    def __init__(
        self,
        server: str = "",
        token: str = "",
        keyring: Keyring | None = None,
        *,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self.server = server_address(server)
        self.keyring = keyring or Keyring()
        self.token = token or os.environ.get("VECBOARD_TOKEN", "").strip() or self.keyring.token(self.server)
        self._connection = ServerConnection(self.server, patience=patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def submit(self, vectors: Files, name: str, *, sent: Sent = quiet, **details: Unpack[Details]) -> Accepted:
        """Upload vectors; the evaluation starts automatically.

        Parameters
        ----------
        vectors : a vector file, gensim's ``KeyedVectors``, or ``(words, array)`` with an array or tensor of
            shape (V, D). A list holds runs of one setting: the first is evaluated on every task, all together for
            stability.
        name : display name.
        sent : called with the number of bytes that have arrived.
        details : see :class:`Details`.

        Raises
        ------
        Refused
            the server rejects the file or its details.
        Unreachable
            the server does not answer; the same call resumes the upload.
        """
        fields = {"name": name} | {key: value for key, value in details.items() if value is not None}
        with ExitStack() as stack:
            paths = [stack.enter_context(as_file(run)) for run in (vectors if isinstance(vectors, list) else [vectors])]
            answer = Upload(self._connection, self.keyring, self.token).send(paths, fields, sent)
        submission = str(answer["id"])
        return Accepted(submission, self.keyring.secret(self.server, submission), self.page(submission))

    def fetch(self, url: str, name: str, member: str = "", **details: Unpack[Details]) -> Accepted:
        """Have the server download vectors from a URL; the evaluation starts automatically.

        Parameters
        ----------
        url : https, on a host that the server's operator has listed.
        name : display name.
        member : file to read in a zip archive.
        details : see :class:`Details`.

        Raises
        ------
        Refused
            the server does not download from there, or rejects the details.
        Unreachable
            the server does not answer.
        """
        fields = {"url": url, "name": name, "member": member} | details
        form = {key: str(value) for key, value in fields.items() if value is not None}
        answer = self._connection.post("/submissions", self.token, data=form).json()
        submission = str(answer["id"])
        self.keyring.keep_secret(self.server, submission, str(answer["token"]))
        return Accepted(submission, str(answer["token"]), self.page(submission))

    def page(self, submission: str) -> str:
        """URL of a submission's page."""
        return f"{self.server}/s/{submission}"

    def owner_link(self, submission: str) -> str:
        """URL that makes a browser the owner's, for a submission that was sent without an account.

        Raises
        ------
        Refused
            the keyring has no secret of the submission.
        """
        secret = self.keyring.secret(self.server, submission)
        if not secret:
            message = f"The secret of {submission} isn't in this keyring: it was sent by another user or machine."
            raise Refused(message, "no-secret")
        return f"{self.page(submission)}/owner/{secret}"

    def status(self, submission: str, *, patience: float | None = None) -> SubmissionStatus:
        """State, progress, warnings and error of a submission, as the API returns them."""
        return cast(SubmissionStatus, self._json(f"/submissions/{submission}", self._key_of(submission), patience))

    def wait(
        self, submission: str, seconds: float | None = None, on_status: StatusCallback | None = None
    ) -> SubmissionStatus:
        """Follow a submission to its end, even across a restart of the server; return the last status.

        Raises
        ------
        NotYet
            it has not finished within ``seconds``.
        NoReport
            it ended without a report.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        pause = LEAST_PAUSE
        while True:
            status = self.status(submission, patience=min(RESTART_SECONDS, _left(deadline)))
            if on_status is not None:
                on_status(status)
            if status["state"] in FINAL:
                if status["state"] == "done":
                    return status
                why = status["error"]["message"] if status["error"] else ""
                raise NoReport(f"{submission} was {status['state']}. {why}".strip())
            if not (left := _left(deadline)):
                raise NotYet(f"{submission} is {status['state']} and continues; ask again later.")
            time.sleep(min(pause, left))
            pause = min(pause * 1.2, MOST_PAUSE)

    def report(self, submission: str, version: int | None = None) -> Report:
        """The report, as the site stores it.

        Raises
        ------
        NoReport, NotYet
            there is no report, or none yet.
        """
        from tasks.results import Report

        query: Query = {} if version is None else {"version": version}
        try:
            return Report.from_json(self._of_report(submission, "report", query).text)
        except ValueError:
            raise self._no_vecboard() from None

    def outcomes(self, submission: str, report: Report) -> Report:
        """The current report with the outcomes of every test example.

        Raises
        ------
        NoReport, NotYet
            there is no report, or none yet.
        """
        return report.with_outcomes(io.BytesIO(self._of_report(submission, "outcomes", {}).content))

    def export(self, submission: str, form: ExportForm) -> str:
        """The judged scores of the current report in a form of others; ``model-index`` is YAML, the others are JSON.

        Raises
        ------
        NoReport, NotYet
            there is no report, or none yet.
        """
        return self._of_report(submission, "export", {"form": form}).text

    def bundle(self, submission: str) -> bytes:
        """A zip archive of the current report and everything that checks it; raises as :meth:`export`."""
        return self._of_report(submission, "bundle", {}).content

    def _of_report(self, submission: str, what: str, query: Query) -> httpx.Response:
        response = self._connection.get(f"/submissions/{submission}/{what}", self._key_of(submission), query=query)
        if response.status_code == 409:
            message = str(error_of(response).get("message", "There is no report."))
            raise (NoReport if response.json().get("state") in FINAL else NotYet)(message)
        return response

    def retry(self, submission: str) -> SubmissionStatus:
        """Continue a failed or cancelled submission (tasks without a result only); return the status.

        Raises
        ------
        Refused
            it has neither failed nor been cancelled, it is not yours, or a quota is exceeded.
        """
        return self._steer(submission, "retry")

    def cancel(self, submission: str) -> SubmissionStatus:
        """Cancel a submission that has not ended; return the status.

        Raises
        ------
        Refused
            it has ended, or it is not yours.
        """
        return self._steer(submission, "cancel")

    def _steer(self, submission: str, what: str) -> SubmissionStatus:
        response = self._connection.post(f"/submissions/{submission}/{what}", self._key_of(submission))
        if response.status_code == 409:
            raise Refused(str(error_of(response).get("message", "Its state does not allow that.")), "state", 409)
        return cast(SubmissionStatus, response.json())

    def board(self, suite: str = "", sort: str = "", after: str = "") -> BoardPage:
        """One page of a suite's leaderboard (by default of the site's own suite).

        Parameters
        ----------
        sort : a column's key, or ``name``; a leading ``-`` reverses the order.
        after : ``next`` of the previous page.

        Raises
        ------
        Refused
            for an unknown suite or column.
        """
        parameters = {"suite": suite, "sort": sort, "after": after}
        query: Query = {name: value for name, value in parameters.items() if value}
        return cast(BoardPage, self._json("/leaderboard", "", query=query))

    def neighbours(self, entry: str, words: Sequence[str], top: int = 10) -> NeighboursAnswer:
        """The ``top`` nearest words of each word in an entry; waits while a worker prepares its vectors.

        Raises
        ------
        Refused
            the entry does not exist, or the server has no vectors of it.
        NotYet
            no worker has prepared the vectors within ten minutes.
        """
        query: Query = {"words": ",".join(words), "top": top}
        return cast(NeighboursAnswer, self._prepared(f"/entries/{entry}/neighbours", self._key_of(entry), query))

    def compare(self, *entries: str) -> ComparisonAnswer:
        """The verdict on two to eight entries, with all differences; raises as :meth:`neighbours`."""
        return cast(ComparisonAnswer, self._prepared("/compare", self._key_of(entries[0]), {"e": entries}))

    def associations(self, entries: Sequence[str], test: str = "", **lists: Sequence[str]) -> AssociationsAnswer:
        """A named association test, or one of the lists ``x``, ``y``, ``a`` and ``b``; raises as :meth:`neighbours`."""
        named: Query = {"test": test} if test else {side: ",".join(words) for side, words in lists.items()}
        return cast(
            AssociationsAnswer, self._prepared("/associations", self._key_of(entries[0]), {"e": entries, **named})
        )

    def _prepared(self, path: str, token: str, query: Query) -> object:
        """The JSON of an answer, once a worker has prepared what it needs."""
        deadline = time.monotonic() + RESTART_SECONDS
        while (response := self._connection.get(path, token, query=query)).status_code == 202:
            if not _left(deadline):
                raise NotYet("No worker has prepared the vectors yet; ask again later.")
            time.sleep(int(response.headers.get("Retry-After", "5")))
        if response.status_code == 409:
            raise Refused(str(error_of(response).get("message", "The server has no vectors of it.")), "state", 409)
        return cast(object, response.json())

    def _key_of(self, submission: str) -> str:
        return self.keyring.secret(self.server, submission) or self.token

    def _json(self, path: str, token: str, patience: float | None = None, query: Query | None = None) -> object:
        """The JSON object of an answer."""
        response = self._connection.get(path, token, patience=patience, query=query)
        try:
            content = response.json()
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise self._no_vecboard()
        return content

    def _no_vecboard(self) -> Refused:
        return Refused(f"{self.server} does not answer like a Vecboard; is the URL correct?", "no-vecboard")


def _left(deadline: float | None) -> float:
    return math.inf if deadline is None else max(0.0, deadline - time.monotonic())


@overload
def submit(
    vectors: Files, name: str, *, server: str = "", token: str = "", wait: Literal[True], **details: Unpack[Details]
) -> Report: ...
@overload
def submit(
    vectors: Files, name: str, *, server: str = "", token: str = "", wait: bool = False, **details: Unpack[Details]
) -> SubmissionStatus | Report: ...
def submit(
    vectors: Files, name: str, *, server: str = "", token: str = "", wait: bool = False, **details: Unpack[Details]
) -> SubmissionStatus | Report:
    """Upload vectors and return the status, or with ``wait`` the report.

    Parameters
    ----------
    vectors : a vector file (``Path`` or text), gensim's ``KeyedVectors``, or ``(words, array)``; or a list of
        them, as in :meth:`Client.submit`.
    name : display name.
    server, token : as in :class:`Client`.
    wait : wait for the report.
    details : as in :meth:`Client.submit`.
    """
    with Client(server, token) as client:
        accepted = client.submit(vectors, name, **details)
        if not wait:
            return client.status(accepted.id)
        client.wait(accepted.id)
        return client.report(accepted.id)
