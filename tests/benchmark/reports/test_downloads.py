"""Every chart of a report as SVG, PNG and CSV: linked, complete, bounded, cached."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from PIL import Image

from benchmark.reports.downloads import chart_csv, each_chart
from benchmark.reports.page import ReportPage
from benchmark.reports.tables import paper_table
from benchmark.shipped.dump import dump_path, stored_entries
from benchmark.submissions.models import Measurement, Submission
from plots.chart import SCALE, Chart, chart_pdf, chart_png
from plots.drawing import Drawing
from tasks.results import Report, cell_key
from tasks.suites import OPEN_2026
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of, result_of


def links(page: str) -> list[str]:
    return re.findall(r'href="([^"]*/charts/[^"]*)"', page)


def test_all_scores_are_a_table_in_four_formats(submission: Make, stranger: Client) -> None:
    row = submission(shift=0.1, name="50% & more_")
    page = stranger.get(f"/r/{row.pk}").content.decode()
    for kind in ("tex", "md", "csv", "json"):
        assert f'href="/r/{row.pk}/v1/table.{kind}"' in page
        assert stranger.get(f"/r/{row.pk}/v1/table.{kind}").status_code == 200
    latex = stranger.get(f"/r/{row.pk}/v1/table.tex").content.decode()
    assert rf"\caption{{50\% \& more\_: Vecboard, {SUITE.title}, version {SUITE.version}, " in latex
    _, *lines = stranger.get(f"/r/{row.pk}/v1/table.csv").content.decode().splitlines()
    rows = {line["key"]: line for line in csv.DictReader(lines)}
    assert rows.keys() == {"overall", "fixed", "fine-tuned", *(cell_key(task.id, mode) for task, mode in SUITE.cells())}
    of_tags = rows["pos.fixed"]
    assert (of_tags["score"], of_tags["baseline"], of_tags["reduction"]) == ("0.64", "0.6", "0.1")
    assert (of_tags["reduction.mark"], rows["overall"]["reduction"]) == ("clear", "0.1")
    assert stranger.get(f"/r/{row.pk}/v1/table.pdf").status_code == 404
    assert stranger.get(f"/r/{row.pk}/v2/table.csv").status_code == 404


def test_the_table_names_metrics_as_the_page_does() -> None:
    tasks = [OPEN_2026.task(name) for name in ("priming-ldt-200", "political-human", "pos")]
    report = replace(report_of(0.1), results=tuple(result_of(task, task.modes[0], 0.1) for task in tasks))
    metrics = {row.facts[0]: row.labels[2] for row in paper_table(report, OPEN_2026, "a", "", "2026-11-28").rows}
    assert metrics["priming-ldt-200"] == "−ρ: minus Spearman ρ with reaction time"
    assert metrics["political-human"].endswith(", lower is better")
    assert metrics["pos.fixed"] == "Accuracy, %"


def test_every_chart_of_the_page_is_linked_as_four_files_and_each_opens(submission: Make, stranger: Client) -> None:
    row = submission(shift=0.1)
    page = stranger.get(f"/r/{row.pk}").content.decode()
    found = links(page)
    assert len(found) == 4 * page.count("<figure") > 6
    kinds = {
        "svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "csv": "text/csv; charset=utf-8",
    }  # fmt: skip
    for link in found:
        response = stranger.get(link)
        assert (response.status_code, response["Content-Type"]) == (200, kinds[link.rsplit(".")[-1]]), link


def test_a_picture_is_complete_in_itself_and_may_do_nothing(submission: Make, stranger: Client) -> None:
    response = stranger.get(f"/r/{submission(shift=0.1).pk}/v1/charts/tasks.svg")
    file = ET.fromstring(response.content.decode())
    assert "Fixed: better on 6 of 6 tasks" in " ".join(file.itertext())
    assert response["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_values_in_a_file_are_numbers(submission: Make, stranger: Client) -> None:
    text = stranger.get(f"/r/{submission(shift=-0.1).pk}/v1/charts/tasks.csv").content.decode()
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["task", "mode", "relative error reduction", "interval from", "interval to"]
    assert {tuple(map(float, figures)) for _, _, *figures in rows} == {(-0.1, -0.15, -0.05)}
    assert {mode for _, mode, *_ in rows} == {"fixed", "fine-tuned"}


def test_a_label_that_a_spreadsheet_would_run_is_text() -> None:
    table = (("word", "value"), ("=1+1", "−0.50"), ("+5", "1,234"))
    assert chart_csv(Chart("c", "T", "d", Drawing(1, 1), table=table)) == b'word,value\n\'=1+1,-0.50\n+5,"1,234"\n'


@pytest.mark.parametrize("name", ["nothing.svg", "tasks.jpg", "confusion-pos-fixed.png"])
def test_a_chart_that_a_report_lacks_is_not_found(submission: Make, stranger: Client, name: str) -> None:
    assert stranger.get(f"/r/{submission(shift=0.1).pk}/v1/charts/{name}").status_code == 404


def test_a_file_is_kept_and_revalidated(submission: Make, stranger: Client) -> None:
    address = f"/r/{submission(shift=0.1).pk}/v1/charts/tasks.png"
    first = stranger.get(address)
    assert stranger.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_a_file_is_made_once(submission: Make, stranger: Client) -> None:
    address = f"/r/{submission(shift=0.1).pk}/v1/charts/tasks.png"
    first = stranger.get(address).content
    Measurement.objects.update(result={})  # a new one could not be made
    assert stranger.get(address).content == first


def test_files_displace_no_counter(submission: Make, stranger: Client, settings: Any) -> None:
    folder = Path(settings.CACHES["default"]["LOCATION"])
    first, *others = links(stranger.get(f"/r/{submission(shift=0.1).pk}").content.decode())
    stranger.get(first)
    counters = set(folder.iterdir())
    for link in others:
        stranger.get(link)
    assert set(folder.iterdir()) == counters
    assert len(list(Path(settings.CACHES["files"]["LOCATION"]).glob("*.djcache"))) == len(others) + 1


@pytest.mark.skipif(not dump_path(OPEN_2026).is_file(), reason="this version of the suite has no board yet: make board")
def test_every_mark_of_a_real_report_is_rendered() -> None:
    body = next(stored_entries(OPEN_2026, dump_path(OPEN_2026))).details["report"]
    row = Submission(pk="rendered", suite=OPEN_2026.id, suite_version=OPEN_2026.version, language="en")
    charts = list(each_chart(ReportPage(Report.from_json(body), row, OPEN_2026, "")))
    assert len(charts) > 20
    for chart in charts:
        with Image.open(io.BytesIO(chart_png(chart))) as picture:
            ink = (np.asarray(picture.convert("L")) < 200).mean()
            assert picture.width == round((chart.drawing.width + 32) * SCALE)
        assert 0.002 < ink < 0.5, chart.id
        assert chart_csv(chart).count(b"\n") > 1, chart.id
        assert chart_pdf(chart).startswith(b"%PDF"), chart.id
