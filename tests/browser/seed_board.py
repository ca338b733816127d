"""Eight entries of the demonstration's board, with figures, marks and ranks; prints the ids of two of them.

The second takes animals for places in questions.

Run as ``python -m tests.browser.seed_board`` with the site's environment.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import django

django.setup()

import numpy as np  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmark.leaderboard import jobs, ranking_data  # noqa: E402
from benchmark.operations.models import WorkerBeat  # noqa: E402
from benchmark.submissions.models import StoredReport, Submission  # noqa: E402
from extensions.differ.tests.test_differ_page import GOLD, answered, keep, planted, with_errors  # noqa: E402
from tasks.metrics.correlation import spearman  # noqa: E402
from tasks.results import Outcomes, Report  # noqa: E402
from tasks.statistics.intervals import fisher_interval  # noqa: E402
from tests.benchmark.entries import submitted  # noqa: E402
from tests.benchmark.reports import SUITE, report_of  # noqa: E402
from tests.benchmark.reports.test_report_sections import CLASSES, MISSED, TRAINING  # noqa: E402
from tests.benchmark.scores import figure  # noqa: E402


def detailed(shift: float, noise: int) -> Report:
    """A report with every section; the entry of noise 3 lacks a task."""
    found = report_of(shift, missing=["ner"] if noise == 3 else [])
    results = []
    for i, result in enumerate(found.results):
        move = 0.03 * np.sin(i * (noise + 1))
        if result.mode is None:
            wanted = 0.4 + shift / 2 + move
            found_here = {}
            if result.metric == "spearman":
                gold = np.random.default_rng(len(result.task)).normal(size=300)
                seen = gold + np.sqrt(1 / wanted**2 - 1) * np.random.default_rng([i, noise + 1]).normal(size=300)
                found_here["outcomes"] = Outcomes.of(predicted=seen, gold=gold)
                wanted = spearman(seen, gold)
            results.append(replace(result, score=wanted, interval=fisher_interval(wanted, 300), **found_here))
            continue
        rer, more = shift + move, {"classes": CLASSES, "unknown_words": MISSED}
        results.append(
            replace(
                result,
                relative_error_reduction=rer,
                relative_error_reduction_interval=(rer - 0.04, rer + 0.04),
                score=0.6 + 0.4 * rer,
                secondary=more,
                training=TRAINING,
            )
        )
    means = replace(found.aggregates, intervals={"overall": (shift - 0.02, shift + 0.02)} if noise != 3 else {})
    return replace(found, results=tuple(results), aggregates=means)


if __name__ == "__main__":
    names = ["GloVe", "skip-gram", "CBOW", "fastText", "LexVec", "Paragram", "numberbatch", "counter-fitted"]
    for i, name in enumerate(names):
        shift = 0.3 - 0.06 * i
        dimensions, measured = [50, 100, 300][i % 3], detailed(shift, i)
        measured = replace(measured, vectors={**measured.vectors, "dimensions": dimensions})
        row = submitted(
            name=name,
            body=measured.to_json(),
            words=20000 + 999 * i,
            dimensions=dimensions,
            corpus="Wikipedia" if i % 2 else "Gigaword",
            algorithm=name,
            vectors_sha256=f"{i:064x}",
            file_key="",
        )
        report = StoredReport.objects.get(submission=row)
        noisy = figure(shift, np.random.default_rng(i).normal(0, 0.012, 1000))
        figures = {"overall": noisy, "pos.fixed": noisy} if i != 3 else {}
        ranking_data.save(report.entry, figures, ranking_data.orders_of(measured.results))
    for name, predicted in (("GloVe", with_errors(6, 2)), ("LexVec", planted())):
        keep(Submission.objects.get(name=name), answered(GOLD, predicted))
    jobs.compute("demo", SUITE.version)
    WorkerBeat.objects.create(name="alive throughout", seen_at=timezone.now() + timedelta(days=1))
    print(*(Submission.objects.get(name=name).pk for name in ("GloVe", "LexVec")))
