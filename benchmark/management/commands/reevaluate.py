"""``manage.py reevaluate``: measure the entries of a suite again where its tasks have changed."""

from __future__ import annotations

from functools import cache

from django.core.management.base import BaseCommand, CommandParser

from benchmark.data import current_suite
from benchmark.submissions import steering
from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.hashes import task_hash
from tasks.suite import Suite
from tasks.suites import SUITES

Cell = tuple[str, str, str]


class Command(BaseCommand):
    help = (
        "Re-evaluate every entry of a suite that was evaluated by an earlier version: only tasks whose definition "
        "changed, and behind all new work. Earlier reports keep their URLs. Running it again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--suite", choices=sorted(SUITES), help="default: the site's suite")
        parser.add_argument("--most", type=int, help="queue at most this many entries now")
        parser.add_argument("--dry-run", action="store_true", help="only show what would be evaluated")

    def handle(self, *args: object, suite: str | None = None, most: int | None = None, **options: object) -> None:
        chosen = SUITES[suite] if suite else current_suite()
        due = [(entry, cells) for entry, cells in outdated(chosen) if entry.file_key and not entry.remade_sha256]
        lost = len(outdated(chosen)) - len(due)
        queued = 0
        for entry, cells in due[:most]:
            if not options["dry_run"]:
                try:
                    steering.measure_again(entry, Actor.OPERATOR)
                except IllegalMove:  # its owner was faster
                    continue
            queued += 1
            self.stdout.write(f"{entry.pk}  version {entry.suite_version}, {cells} of its cells")
        done = "would be re-evaluated" if options["dry_run"] else "are queued after all new work"
        self.stdout.write(f"{chosen.id} version {chosen.version}: {queued} entries {done}.")
        if lost:
            self.stdout.write(f"{lost} keep their old report: their files are no longer kept.")


def outdated(suite: Suite) -> list[tuple[Submission, int]]:
    """Finished entries that lack cells of the current suite or have a report of the first form, and these cells."""
    entries = Submission.objects.filter(suite=suite.id, state=State.DONE, is_baseline=False).with_report()
    lacking = []
    for entry in entries.order_by("finished_at").prefetch_related("cells"):
        missing = _cells_of(suite, entry.language) - {
            (cell.task, cell.mode, cell.task_hash) for cell in entry.cells.all()
        }
        is_old = entry.report is not None and entry.report.is_of_first_form
        if missing or entry.suite_version != suite.version or is_old:
            lacking.append((entry, len(missing)))
    return lacking


@cache
def _cells_of(suite: Suite, language: str) -> frozenset[Cell]:
    """Cells of a suite that apply to a language."""
    cells = [(task, mode) for task, mode in suite.cells() if task.applies_to(language)]
    return frozenset((task.id, mode or "", task_hash(suite, task, mode)) for task, mode in cells)
