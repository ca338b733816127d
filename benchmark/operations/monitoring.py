"""Endpoints for programs: liveness, readiness, metrics for Prometheus, and the arrival of data sets."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from benchmark import data, storage
from benchmark.operations import fair_queue, space
from benchmark.operations.counting import is_loopback
from benchmark.operations.models import WorkerBeat
from benchmark.responses import Middleware
from benchmark.submissions.models import Submission, SubmissionCell
from workers import queue

HEALTH = "/healthz"
NO_ANSWER = "does not answer"


def database() -> str:
    """Each check returns "ok" or the problem, without addresses."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return NO_ANSWER
    return "ok"


def broker() -> str:
    return "ok" if queue.length() is not None else NO_ANSWER


def files() -> str:
    """Whether the storage is writable and has room."""
    if storage.is_remote():
        try:
            storages["default"].connection.meta.client.head_bucket(Bucket=settings.VECBOARD_S3_BUCKET)  # type: ignore[attr-defined]
        except Exception:  # any network or credential error
            return NO_ANSWER
    try:
        free = space.free_bytes()
    except OSError:
        return "cannot be written to"
    return "ok" if free >= settings.VECBOARD_DISK_STOP_BYTES else "is nearly full"


def worker() -> str:
    if installing := data.installation():
        return "could not be installed" if installing == "failed" else "is still being installed"
    try:
        return "none seen recently" if fair_queue.is_worker_missing() else "ok"
    except DatabaseError:
        return "unknown, because the database does not answer"


CHECKS: dict[str, Callable[[], str]] = {"database": database, "broker": broker, "storage": files, "worker": worker}


def readiness() -> dict[str, str]:
    """The result of every check, by part of the site."""
    return {name: check() for name, check in CHECKS.items()}


class Alive(Middleware):
    """Middleware that answers ``/healthz`` under any host name, as health checks may use an IP address.

    All other URLs need one of ``ALLOWED_HOSTS``. That includes ``/metrics`` and ``/readyz``, which reveal more to
    programs on this machine: under any name, a foreign page could make a local browser request them.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return _healthz(request) if request.path == HEALTH else self.get_response(request)


@require_safe
@never_cache
def _healthz(request: HttpRequest) -> JsonResponse:
    """Liveness only: checks nothing else, so that a slow database restarts no process."""
    installing = data.installation()
    return JsonResponse({"status": "ok", **({"installation": installing} if installing else {})})


BUCKETS = (1, 5, 15, 60, 300, 900, 3600, 10_800)
RATIOS = (0.25, 0.5, 1.0, 1.5, 2.0, 4.0)
"""Bounds of true time / expected time; at the start, pages show a range of 0.5 to 4."""


class Rows:
    """A collector that queries the database at every scrape."""

    def collect(self) -> Iterator[Any]:
        length = queue.length()
        messages = float("nan") if length is None else length
        yield _gauge("vecboard_queue_messages", "Messages in the broker, NaN if it does not answer", messages)
        yield _submissions()
        yield _cells()
        yield _gauge("vecboard_work", "Jobs and other work, waiting or running", fair_queue.count())
        yield _job_seconds()
        yield _time_of_expected()
        yield _failures()
        received = Submission.objects.aggregate(sum=Sum("file_bytes"))["sum"] or 0
        yield CounterMetricFamily("vecboard_upload_bytes", "Bytes of all files received", value=received)
        yield _gauge("vecboard_workers_alive", "Workers seen within 90 seconds", WorkerBeat.objects.alive().count())
        yield _gauge("vecboard_storage_free_bytes", "Free bytes where uploads are received", space.free_bytes())


def exposition() -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(Rows())
    return generate_latest(registry)


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_text, value=value)


def _submissions() -> GaugeMetricFamily:
    family = GaugeMetricFamily("vecboard_submissions", "Submissions by state", labels=["state"])
    for state, count in Submission.objects.values_list("state").annotate(count=Count("pk")):
        family.add_metric([state], count)
    return family


def _cells() -> GaugeMetricFamily:
    family = GaugeMetricFamily("vecboard_jobs", "Jobs waiting or running", labels=["state"])
    counts = dict(SubmissionCell.objects.unfinished().order_by().values_list("state").annotate(count=Count("pk")))
    for state in (SubmissionCell.State.WAITING, SubmissionCell.State.RUNNING):
        family.add_metric([state.value], counts.get(state.value, 0))
    return family


def _job_seconds() -> HistogramMetricFamily:
    """Wall time of finished cells, by task and mode."""
    family = HistogramMetricFamily("vecboard_job_seconds", "Seconds of finished jobs", labels=["task", "mode"])
    lasted = ExpressionWrapper(F("finished_at") - F("started_at"), output_field=DurationField())
    done = SubmissionCell.objects.filter(
        state=SubmissionCell.State.DONE, started_at__isnull=False, finished_at__isnull=False
    )
    within = {f"le_{bound}": Count("pk", filter=Q(lasted__lte=timedelta(seconds=bound))) for bound in BUCKETS}
    by_cell: Any = done.annotate(lasted=lasted).order_by().values("task", "mode")
    rows = by_cell.annotate(count=Count("pk"), sum=Sum("lasted"), **within)
    for row in rows:
        buckets = [(str(bound), row[f"le_{bound}"]) for bound in BUCKETS] + [("+Inf", row["count"])]
        family.add_metric([row["task"], row["mode"] or "intrinsic"], buckets, sum_value=row["sum"].total_seconds())
    return family


def _time_of_expected() -> HistogramMetricFamily:
    """True time of submissions relative to the expected time when they were queued."""
    within = {f"le_{i}": Count("pk", filter=Q(time_of_expected__lte=bound)) for i, bound in enumerate(RATIOS)}
    timed = Submission.objects.filter(time_of_expected__isnull=False)
    counts = timed.aggregate(count=Count("pk"), sum=Sum("time_of_expected"), **within)
    buckets = [(str(bound), counts[f"le_{i}"]) for i, bound in enumerate(RATIOS)] + [("+Inf", counts["count"])]
    family = HistogramMetricFamily("vecboard_time_of_expected", "True time of reports divided by the expected time")
    family.add_metric([], buckets, sum_value=counts["sum"] or 0.0)
    return family


def _failures() -> CounterMetricFamily:
    family = CounterMetricFamily(
        "vecboard_failures", "Rejected and failed submissions by reason", labels=["state", "reason"]
    )
    ended = Submission.objects.filter(state__in=("rejected", "failed"))
    by_reason = ended.annotate(code=KeyTextTransform("code", "error")).values_list("state", "code")
    for state, code, count in by_reason.annotate(count=Count("pk")):
        family.add_metric([state, str(code or "unknown")], count)
    return family


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether database, broker and storage answer and a worker is alive; operators see the result of each check."""
    parts = readiness()
    ready = all(part == "ok" for part in parts.values())
    body: dict[str, object] = {"status": "ready" if ready else "not ready"}
    if is_operator(request):
        body["parts"] = parts
    return JsonResponse(body, status=200 if ready else 503)


@require_safe
@never_cache
def data_arrival(request: HttpRequest) -> HttpResponse:
    """The notice about missing data sets, for the pages that show it; empty when nothing is missing."""
    return render(request, "_data.html", {"data": data.notice()})


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text for operators; 404 for others."""
    if not is_operator(request):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def is_operator(request: HttpRequest) -> bool:
    """Whether the request has ``METRICS_TOKEN`` or, without that setting, comes from this machine and no proxy."""
    if settings.METRICS_TOKEN:
        _, _, token = request.headers.get("Authorization", "").partition(" ")
        return secrets.compare_digest(token.encode(), settings.METRICS_TOKEN.encode())
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    return is_loopback(str(request.META.get("REMOTE_ADDR", "")))


app_name = "operations"
urlpatterns = [
    path("readyz", readyz, name="readyz"),
    path("data-arrival", data_arrival, name="data"),
    path("metrics", metrics, name="metrics"),
]
