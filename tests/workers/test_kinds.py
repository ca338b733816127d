"""A new kind of job needs only a function and a declaration."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from benchmark.operations.kinds import JobContext, JobKind, NotNow, Store
from benchmark.operations.models import Job, Ticket
from tests.workers.conftest import Sweep
from tests.workers.factories import do_job
from workers import heartbeat, queue, runner
from workers.runner import KINDS

pytestmark = pytest.mark.django_db
LATER = timedelta(minutes=10)


def _store(subject: str) -> None:
    Ticket.objects.create(payer=subject)


class Greeting:
    """Record of the toy kind's work."""

    def __init__(self) -> None:
        self.given_up: list[tuple[str, int]] = []
        self.wanted = True
        self.error: Exception | None = None
        self.meanwhile: Callable[[], None] = lambda: None

    def do(self, job: Job, context: JobContext) -> Store:
        context.progress(0.5, "greeting")
        self.meanwhile()
        if self.error is not None:
            raise self.error
        return partial(_store, job.subject)

    @property
    def stored(self) -> list[str]:
        """Rows that represent results; rolled back with their transaction."""
        return list(Ticket.objects.values_list("payer", flat=True))

    def give_up(self, job: Job, reason: str) -> None:
        self.given_up.append((reason, job.tries))


@pytest.fixture
def greeting(monkeypatch: pytest.MonkeyPatch) -> Greeting:
    """A kind of job that is requested once."""
    found = Greeting()
    kind = JobKind(found.do, found.give_up, begin=lambda _: found.wanted, tries=lambda: 2)
    monkeypatch.setitem(KINDS, "greet", kind)
    queue.enqueue("greet", "world")
    return found


def test_its_result_is_stored_once_and_its_row_is_gone(greeting: Greeting) -> None:
    do_job("greet", "world")
    do_job("greet", "world")
    assert greeting.stored == ["world"]
    assert not Job.objects.exists()


def test_a_failure_is_retried_and_then_given_up_with_its_reason(greeting: Greeting) -> None:
    greeting.error = RuntimeError("no voice")
    do_job("greet", "world")
    assert (Job.objects.get().tries, greeting.given_up) == (1, [])
    do_job("greet", "world")
    assert greeting.given_up == [("RuntimeError; the worker’s log says where", 2)]
    assert not Job.objects.exists()


def test_an_unwanted_job_is_not_done(greeting: Greeting) -> None:
    greeting.wanted = False
    do_job("greet", "world")
    assert greeting.stored == []
    assert not Job.objects.exists()


def test_a_postponed_job_uses_no_try(greeting: Greeting) -> None:
    greeting.error = NotNow()
    do_job("greet", "world")
    job = Job.objects.get()
    assert (job.tries, job.heartbeat_at) == (0, None)
    assert job.sent_at > timezone.now() + timedelta(seconds=5)


def test_a_request_while_it_runs_makes_it_run_again(greeting: Greeting) -> None:
    greeting.meanwhile = lambda: queue.enqueue("greet", "world")
    do_job("greet", "world")
    job = Job.objects.get()
    assert (greeting.stored, job.tries, job.heartbeat_at) == (["world"], 0, None)


def test_one_that_is_cancelled_while_it_runs_stores_nothing(greeting: Greeting) -> None:
    greeting.meanwhile = lambda: Job.objects.all().delete()
    do_job("greet", "world")
    assert greeting.stored == []


def test_its_lost_message_is_sent_again_by_one_of_two_sweepers(greeting: Greeting, sent: Sweep) -> None:
    assert sent() == []
    assert sent(timezone.now() + LATER) == [("greet", "world")]
    assert sent() == []


def test_a_worker_that_stopped_without_a_word_is_replaced(greeting: Greeting, sent: Sweep) -> None:
    assert runner.claim("greet", "world") is not None
    assert sent(timezone.now() + heartbeat.silence() / 2) == []
    assert sent(timezone.now() + heartbeat.silence() * 2) == [("greet", "world")]


def test_two_workers_do_not_do_the_same(greeting: Greeting) -> None:
    claims = [runner.claim("greet", "world") for _ in range(2)]
    assert [claim is not None for claim in claims] == [True, False]
