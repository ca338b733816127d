"""``manage.py load_baseline``: put the suite's baseline on the board, as an ordinary entry."""

from __future__ import annotations

from dataclasses import asdict

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from benchmark.data import current_suite
from benchmark.submissions.models import StoredReport, Submission, Track
from benchmark.submissions.states import State
from tasks.baseline.published import published
from tasks.report import assemble
from tasks.results import Report
from tasks.suite import Suite
from tasks.suites import SUITES


class Command(BaseCommand):
    help = "Put the published baseline of a suite on the board. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--suite", choices=sorted(SUITES), help="default: the site's suite")

    def handle(self, *args: object, suite: str | None = None, **options: object) -> None:
        chosen = SUITES[suite] if suite else current_suite()
        report = published(chosen)
        if report is None:
            self.stdout.write(f"No baseline is published for {chosen.id} version {chosen.version}.")
            return
        changed = load(chosen, report)
        done = "is on the board" if changed else "was on the board already"
        self.stdout.write(f"The baseline of {chosen.id} version {chosen.version} {done}.")


def load(suite: Suite, published: Report) -> bool:
    """Store the baseline's report against itself (every error reduction is zero); False if it is there already."""
    report = assemble(suite, published.vectors, published.results, published.unavailable, published.environment)
    with transaction.atomic():
        entry = Submission.objects.filter(suite=suite.id, suite_version=suite.version, is_baseline=True).first()
        if entry is not None and entry.report is not None and entry.report.measured == report:
            return False
        entry = entry or Submission(suite=suite.id, suite_version=suite.version, is_baseline=True)
        _describe(entry, suite, report)
        entry.save()
        StoredReport.publish(entry, report)
    return True


def _describe(entry: Submission, suite: Suite, report: Report) -> None:
    now = timezone.now()
    entry.state = State.DONE
    entry.name = f"SVD-PPMI baseline, {report.vectors['dimensions']} dimensions"
    entry.description = (
        f"The suite's baseline (Levy et al. 2015), trained on its prescribed corpus: {suite.corpus.title}."
    )
    entry.language, entry.track, entry.licence = "en", Track.PRESCRIBED, suite.corpus.licence
    if entry.vectors_sha256 != report.vectors["sha256"]:
        entry.vectors_sha256, entry.remade_sha256 = report.vectors["sha256"], ""
    entry.words, entry.dimensions = report.vectors["words"], report.vectors["dimensions"]
    entry.warnings = [asdict(warning) for warning in report.vectors["warnings"]]
    entry.overall = report.aggregates.overall
    entry.uploaded_at = entry.checked_at = entry.queued_at = entry.started_at = entry.finished_at = now
