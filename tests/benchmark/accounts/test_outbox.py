"""Mail of a site with a mail server: pages queue it, workers send it, and its content goes with its job."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, ClassVar

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.mail import mail_admins, send_mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmark.accounts.jobs import KEPT, TRIES
from benchmark.accounts.models import Mail
from benchmark.features import features
from benchmark.operations.models import Job
from benchmark.submissions.models import move
from benchmark.submissions.states import Actor, State
from tests.benchmark.accounts.test_accounts import NEW, mail_server
from tests.benchmark.people_accounts import browser_of, person
from tests.mail_server import MailServer, silent_server
from tests.mail_server import mail_server as smtp
from tests.workers.factories import do_job
from workers import sweeper

__all__ = ["mail_server"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mail_server")]
RESET = "/account/password/reset/"


class CountingHasher(MD5PasswordHasher):
    """A cheap hasher that records its inputs."""

    hashed: ClassVar[list[str]] = []

    def encode(self, password: str, salt: str) -> str:
        self.hashed.append(password)
        return super().encode(password, salt)


def use(settings: Any, port: int) -> None:
    settings.EMAIL_BACKEND = "benchmark.accounts.jobs.Outbox"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", port, False
    settings.EMAIL_TIMEOUT = 0.2


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with smtp() as server:
        use(settings, server.port)
        yield server


@pytest.fixture
def hanging(settings: Any) -> Iterator[socket.socket]:
    with silent_server() as listening:
        use(settings, listening.getsockname()[1])
        yield listening


def send_all() -> None:
    """Send every waiting message, as workers do."""
    for subject in Job.objects.filter(kind="send_mail").values_list("subject", flat=True):
        do_job("send_mail", subject)


def writes(client: Client, path: str, form: dict[str, str]) -> list[str]:
    """The statements that change rows, without their values."""
    with CaptureQueriesContext(connection) as queries:
        client.post(path, form)
    found = [re.match(r"(INSERT INTO|UPDATE|DELETE FROM) \S+", query["sql"]) for query in queries]
    return [match[0] for match in found if match]


def test_a_page_answers_while_the_mail_server_hangs(stranger: Client, hanging: socket.socket) -> None:
    person("ada")
    answer = stranger.post(RESET, {"email": "ada@vectors.example"}, follow=True)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "on its way" in text
    assert "spam folder" in text
    with pytest.raises(BlockingIOError):  # nobody has connected
        hanging.accept()


def test_a_worker_sends_the_message_and_deletes_it(stranger: Client, server: MailServer) -> None:
    ada = person("ada")
    stranger.post(RESET, {"email": ada.email})
    assert server.received == []
    send_all()
    [(recipient, text)] = server.received
    assert ada.email in recipient
    link = re.search(r"http://testserver(/account/password/reset/key/\S+)", text)
    assert link is not None
    assert "Set password" in stranger.get(link[1], follow=True).content.decode()
    assert not Mail.objects.exists()
    assert not Job.objects.exists()


def test_a_mail_server_that_hangs_is_tried_again_after_growing_pauses(hanging: socket.socket) -> None:
    send_mail("hello", "text", None, ["ada@vectors.example"])
    pauses = []
    for _ in range(3):
        send_all()
        job = Job.objects.get()
        pauses.append(round((job.sent_at - timezone.now()).total_seconds() / 60))
    assert pauses == [1, 2, 3]
    assert f"The mail server 127.0.0.1:{hanging.getsockname()[1]} cannot be used" in job.reason


def test_a_message_that_is_given_up_leaves_its_reason_to_the_operator_and_no_content(hanging: socket.socket) -> None:
    send_mail("Reset your password", "the link", None, ["ada@vectors.example"])
    assert b"the link" in bytes(Mail.objects.get().content)
    Job.objects.update(tries=TRIES - 1)
    send_all()
    assert not Job.objects.exists()
    mail = Mail.objects.get()
    assert bytes(mail.content) == b""
    page = browser_of(person("grace", is_staff=True, is_superuser=True)).get("/operator/accounts/mail/")
    assert f"Not sent in {TRIES} tries" in page.content.decode()
    assert "timed out" in page.content.decode()


def test_a_message_whose_worker_keeps_dying_is_given_up_without_its_content(server: MailServer) -> None:
    send_mail("Reset your password", "the link", None, ["ada@vectors.example"])
    Job.objects.update(tries=TRIES, heartbeat_at=timezone.now() - timedelta(hours=1))
    sweeper.revive_silent(timezone.now())
    assert not Job.objects.exists()
    assert bytes(Mail.objects.get().content) == b""
    assert server.received == []


@pytest.mark.parametrize(("answer", "is_final"), [("550 no <ada@vectors.example> here", True), ("451 later", False)])
def test_a_refused_recipient_is_tried_again_only_if_the_server_says_so(
    server: MailServer, caplog: pytest.LogCaptureFixture, answer: str, is_final: bool
) -> None:
    server.answer_to_recipients = answer
    send_mail("hello", "text", None, ["ada@vectors.example"])
    send_all()
    assert Job.objects.exists() is not is_final
    reason = Mail.objects.get().reason if is_final else Job.objects.get().reason
    assert answer[:3] in reason
    assert "ada@vectors.example" not in reason + caplog.text


def test_every_recipient_has_a_message_of_its_own(server: MailServer) -> None:
    send_mail("hello", "näïve 词向量", None, ["ada@vectors.example", "grace@vectors.example"])
    assert Job.objects.count() == 2
    send_all()
    assert sorted(recipient for recipient, _ in server.received) == [
        "rcpt TO:<ada@vectors.example>",
        "rcpt TO:<grace@vectors.example>",
    ]
    assert all("näïve 词向量" in text for _, text in server.received)


def test_an_unknown_address_gets_no_mail_and_takes_the_same_work(stranger: Client, server: MailServer) -> None:
    person("ada")
    known = writes(stranger, RESET, {"email": "ada@vectors.example"})
    unknown = writes(stranger, RESET, {"email": "eve@vectors.example"})
    assert known == unknown
    assert 'INSERT INTO "accounts_mail"' in known
    pages = [stranger.post(RESET, {"email": f"{name}@vectors.example"}, follow=True) for name in ("ada", "eve")]
    assert pages[0].content == pages[1].content
    assert pages[0].redirect_chain == pages[1].redirect_chain
    send_all()
    assert {recipient for recipient, _ in server.received} == {"rcpt TO:<ada@vectors.example>"}
    assert not Mail.objects.exists()


def test_signing_up_takes_the_same_work_for_an_address_that_has_an_account(
    stranger: Client, server: MailServer, settings: Any
) -> None:
    person("ada")
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    for name in ("ada", "eve"):
        stranger.post("/account/signup/", NEW | {"email": f"{name}@vectors.example", "username": f"{name}-2"})
    assert CountingHasher.hashed == [NEW["password1"]] * 2


def test_mail_to_operators_and_owners_takes_the_same_way(
    server: MailServer, submission: Any, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.ADMINS = [("Grace", "grace@vectors.example")]
    mail_admins("the disk is full", "text")
    with django_capture_on_commit_callbacks(execute=True):
        move(submission(State.RUNNING, owner=person("ada")), State.DONE, Actor.WORKER)
    assert sorted(Mail.objects.values_list("recipient", flat=True)) == ["ada@vectors.example", "grace@vectors.example"]


def test_a_deleted_account_leaves_no_mail(server: MailServer) -> None:
    ada = person("ada")
    send_mail("hello", "text", None, [ada.email])
    ada.delete()
    send_all()
    assert server.received == []
    assert not Job.objects.exists()
    assert not Mail.objects.exists()


def test_records_of_unsent_mail_are_deleted_after_a_month(server: MailServer) -> None:
    for _ in range(2):
        send_mail("hello", "text", None, ["ada@vectors.example"])
    old = Mail.objects.earliest("pk")
    Mail.objects.filter(pk=old.pk).update(created_at=timezone.now() - KEPT - timedelta(hours=1))
    next(feature for feature in features() if feature.name == "benchmark.accounts").tidy()
    assert Mail.objects.exclude(pk=old.pk).count() == Mail.objects.count() == 1
