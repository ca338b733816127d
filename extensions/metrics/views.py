"""Metrics in Prometheus' text format, queried from the database at every scrape."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from benchmark.operations import fair_queue, space
from benchmark.operations.models import WorkerBeat
from benchmark.operations.monitoring import is_operator
from benchmark.submissions.models import Submission, SubmissionCell
from workers import queue

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
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text for operators; 404 for others."""
    if not is_operator(request):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


app_name = "metrics"
urlpatterns = [path("metrics", metrics, name="metrics")]
