"""A report says what its intervals stand for, and where their width comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from benchmark.reports.summary import uncertainty_rows
from benchmark.submissions.models import Report, Submission
from tasks.results import Report as Measured
from tests.benchmark.reports import SUITE, report_of

Make = Callable[..., Submission]
TABLE = "where their uncertainty comes from"


def with_errors(*, seeds: bool) -> Measured:
    """Every error reduction has standard errors of 1.25 points from examples and, if asked for, 0.5 from seeds."""
    errors = {"examples": 0.0125} | ({"seeds": 0.005} if seeds else {})
    report = report_of(0.1)
    results = [replace(r, relative_error_reduction_errors=errors) if r.mode else r for r in report.results]
    means = replace(report.aggregates, intervals={"overall": (0.08, 0.12)}, errors={"overall": errors})
    return replace(report, results=tuple(results), aggregates=means)


def as_method_1_wrote_it() -> str:
    stored = report_of(0.1).as_dict()
    del stored["method"], stored["aggregates"]["errors"]
    for result in stored["results"]:
        del result["errors"], result["relative_error_reduction_errors"]
    return json.dumps(stored)


def page_of(client: Client, row: Submission, body: str) -> str:
    Report.objects.create(submission=row, body=body)
    return re.sub(r"\s+", " ", client.get(f"/r/{row.pk}").content.decode())


def test_a_report_of_before_says_that_its_intervals_are_over_examples_alone(submission: Make, stranger: Client) -> None:
    page = page_of(stranger, submission(), as_method_1_wrote_it())
    assert "over test examples; variance between training seeds not yet included" in page
    assert "test examples and training seeds" not in page
    assert TABLE not in page
    assert "+10.00" in page


def test_a_report_of_today_shows_both_sources(submission: Make, stranger: Client) -> None:
    page = page_of(stranger, submission(), with_errors(seeds=True).to_json())
    assert "95 % intervals over test examples and training seeds" in page
    table = page[page.index(TABLE) :]
    assert table.index("+8.00 to +12.00") < table.index("1.25") < table.index("0.50")


@pytest.mark.parametrize(("seeds", "shown"), [(True, "0.50"), (False, "–")])
def test_every_cell_and_mean_with_errors_has_a_row(seeds: bool, shown: str) -> None:
    found = uncertainty_rows(with_errors(seeds=seeds), SUITE)
    trained = [task for task, mode in SUITE.cells() if mode is not None]
    assert [row.title for row in found][:2] == ["Overall", f"{trained[0].title}, fixed"]
    assert len(found) == 1 + len(trained)
    assert {(row.value, row.examples, row.seeds) for row in found} == {("+10.00", "1.25", shown)}


def test_the_api_gives_a_stored_report_as_it_was_written(submission: Make, stranger: Client) -> None:
    row = submission()
    Report.objects.create(submission=row, body=as_method_1_wrote_it())
    assert stranger.get(f"/api/v1/submissions/{row.pk}/report").content == as_method_1_wrote_it().encode()
