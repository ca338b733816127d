"""Check the preference score: simulated raters with known preferences answer real draws."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand
from threadpoolctl import threadpool_limits

from tasks.people.preference import CUES, LIST_LENGTH, RATERS, checks, lists_sharing, overlap, raters_needed


class Command(BaseCommand):
    help = "Simulate raters with known preferences; prints bias and coverage of the 95 % interval."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--runs", type=int, default=1000, help="studies to simulate per row (default: %(default)s)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--half-width", type=float, help="print how many raters an interval of ± this needs instead"
        )
        parser.add_argument("--json", action="store_true", help="print a list of {p, overlap, bias, coverage}")

    def handle(self, *args: Any, **options: Any) -> None:
        with threadpool_limits(1):  # the matrices are too small for threads
            if options["half_width"] is not None:
                self._plan(options["half_width"])
            else:
                self._check(max(1, options["runs"]), options["seed"], options["json"])

    def _check(self, runs: int, seed: int, as_json: bool) -> None:
        rows = list(checks(runs, seed))
        if as_json:
            self.stdout.write(json.dumps([asdict(row) for row in rows], indent=1))
            return
        self.stdout.write(
            f"{runs} studies a row: {RATERS} raters, {CUES} cues, lists of {LIST_LENGTH} words that share "
            "some; p is the chance that a rater prefers the candidate's word.\n\n"
        )
        self.stdout.write("| p | words shared | truth | bias | coverage of the 95 % interval |\n|---|---|---|---|---|")
        for row in rows:
            self.stdout.write(
                f"| {row.p:.1f} | {row.overlap} of {LIST_LENGTH} | {row.truth:.3f} | {row.bias:+.4f} | "
                f"{row.coverage * 100:.1f} % |"
            )

    def _plan(self, half_width: float) -> None:
        """Print needed raters like the planner on result pages, for lists that share three of ten words."""
        overlaps = [overlap(*lists_sharing(3))] * CUES
        self.stdout.write(f"Raters for ±{half_width:g}, candidate and baseline equally good, {CUES} cues\n\n")
        self.stdout.write("| raters' tastes | mean over cues | a single cue |\n|---|---|---|")
        for spread in (0.0, 0.1, 0.2):
            found = [raters_needed(half_width, 0.5, overlaps, spread, of_one_cue=one) for one in (False, True)]
            numbers = (str(width.raters) if width else "over 5,000" for width in found)
            self.stdout.write(f"| {f'spread {spread:g}' if spread else 'alike'} | {' | '.join(numbers)} |")
