"""The page that says why: its figures are those of what ships and of the board."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import in_unit
from benchmark.trust.charts import coverage_chart, same_vectors_chart
from benchmark.trust.written import share, table_of
from tests.benchmark.reports import SUITE, report_of

Make = Callable[..., Submission]
PAGE = """Before.

<!-- aa -->
2 files.

| Cell | comparisons | alone | as published |
| --- | ---: | ---: | ---: |
| Questions, fixed | 6 | 50.0 % | 16.7 % |
| **All** | 12 | 33.8 % | 4.6 % |

After.
<!-- end of aa -->
"""


def test_a_table_between_marks_is_read_with_its_caption(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    found = table_of("page.md", "aa", tmp_path)
    assert found is not None
    assert found.caption == "2 files."
    assert list(found.rows[-1]) == ["All", "12", "33.8 %", "4.6 %"]
    chart = same_vectors_chart(found)
    assert "alone 33.8 %; as published 4.6 %." in chart.description
    assert chart.svg.count('class="point worse"') == 1
    assert table_of("page.md", "other", tmp_path) is None
    assert table_of("nowhere.md", "aa", tmp_path) is None


def test_a_share_is_read_from_its_cell() -> None:
    assert [share(cell) for cell in ("94.0 % (chunk.fixed)", "5 %", "4.6", "")] == [94.0, 5.0, None, None]


def test_the_tables_that_ship_can_be_shown() -> None:
    same, simulated = table_of("uncertainty.md", "aa"), table_of("uncertainty.md", "coverage")
    assert same is not None
    assert simulated is not None
    assert same_vectors_chart(same).svg.count("point ") == len(same.head) - 2
    assert coverage_chart(simulated).svg.count("point ") == len(simulated.rows)


@pytest.mark.django_db
def test_the_page_shows_controls_beside_real_vectors(submission: Make, stranger: Client) -> None:
    submission(name="Real", shift=0.2), submission(name="Dealt out", algorithm="shuffled", shift=-0.3)
    page = stranger.get("/trust").content.decode()
    controls = page.split('id="controls"')[1]
    assert re.search(r"Real \+\d+\.\d\d %.*Dealt out −\d+\.\d\d %", controls)
    Submission.objects.filter(name="Dealt out").delete()
    assert "no controls yet" in stranger.get("/trust").content.decode()


@pytest.mark.django_db
def test_the_number_to_reproduce_is_the_published_one(stranger: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = report_of(0.0)
    monkeypatch.setattr("benchmark.trust.views.published", lambda suite: baseline)
    first = next(task for task in SUITE.tasks if not task.extrinsic)
    page = stranger.get("/trust").content.decode()
    assert f"--task {first.id}" in page
    score, metric = baseline.result(first.id).score, first.metric
    assert (score is not None, metric.unit) == (True, "")
    assert f"<strong>{in_unit(score, metric)}</strong>" in page


@pytest.mark.django_db
def test_without_a_published_baseline_there_is_no_number_to_reproduce(
    stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmark.trust.views.published", lambda suite: None)
    assert "Reproduce one number" not in stranger.get("/trust").content.decode()
