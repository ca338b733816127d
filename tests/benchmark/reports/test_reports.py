"""The report page: its content, unfinished reports, access, and the sources of uncertainty."""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise

import pytest
from django.test import Client
from django.utils import timezone

from benchmark import evidence
from benchmark.operations.models import Job
from benchmark.reports.charts import (
    NARROW,
    VALUE_WIDTH,
    WIDE,
    Layout,
    axis_for,
    chart_of,
    dot_chart,
    histogram,
    side_of,
)
from benchmark.reports.summary import so_far
from benchmark.reports.tables import Score, WordRow, paper_table, word_rows
from benchmark.submissions.models import Measurement, StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import State
from benchmark.templatetags.figures import percent
from plots.chart import Chart
from tasks.baseline.published import published
from tasks.metrics import LOG_RANK_DEVIATION, SPEARMAN, metric_named
from tasks.political.secondary import Distribution
from tasks.results import Aggregates, Outcomes, Report, cell_key, json_text, plain
from tasks.suites import DEMO, OPEN_2026
from tests.benchmark.conftest import Make
from tests.benchmark.reports import REASON, SUITE, TOKEN, report_of, result_of

SVG = "{http://www.w3.org/2000/svg}"


def page(client: Client, row: Submission) -> str:
    return client.get(f"/r/{row.pk}").content.decode()


def charts_on(text: str, name: str) -> list[ET.Element]:
    """The drawings of a chart: the wide one and, if there is one, the narrow one."""
    starts = [found.start() for found in re.finditer(rf'<svg(?=[^>]*aria-labelledby="{name}-title)', text)]
    found = [text[start : start + _end_of_svg(text[start:])] for start in starts]
    return [ET.fromstring(part.replace("<svg", "<svg xmlns='http://www.w3.org/2000/svg'", 1)) for part in found]


def _end_of_svg(text: str) -> int:
    """Length of the SVG at the beginning of a text, with those inside it."""
    depth = 0
    for tag in re.finditer("<svg|</svg>", text):
        depth += 1 if tag[0] == "<svg" else -1
        if not depth:
            return tag.end()
    raise AssertionError("an SVG without end")


def drawn(chart: Chart) -> ET.Element:
    return ET.fromstring(chart.svg)


def marks(picture: ET.Element, tag: str, kind: str) -> list[ET.Element]:
    return picture.findall(f".//{tag}[@class='{kind}']")


def test_the_report_has_the_four_parts_of_figure_1(submission: Make, stranger: Client) -> None:
    shown = page(stranger, submission(shift=0.1234))
    assert len(charts_on(shown, "tasks")) == 2
    assert "Fixed: better on 6 of 6 tasks. Fine-tuned: better on 6 of 6 tasks<" in shown
    assert "+12.34" in shown
    assert "Raw scores" in shown
    assert "WordSim-353" in shown


def test_a_chart_is_described_in_words_too(submission: Make, stranger: Client) -> None:
    chart = charts_on(page(stranger, submission(shift=-0.05)), "tasks")[0]
    assert "better on 0 of 6 tasks, 6 too close to call" in (chart.findtext(f"{SVG}title") or "")
    assert "Chunking −5.00 %, interval −10.00 to 0.00 %" in (chart.findtext(f"{SVG}desc") or "")


def test_the_charts_are_shown_as_a_table_too(submission: Make, stranger: Client) -> None:
    table = page(stranger, submission(shift=-0.05)).split("The same as a table")[1].split("</table>")[0]
    assert table.count('−5.00</td><td class="number">−10.00 to 0.00</td>') == 12
    assert "Lines: 95&nbsp;% intervals" in page(stranger, submission(shift=-0.05))


def test_a_chart_says_on_how_many_tasks_the_vectors_are_worse() -> None:
    report = report_of(-0.2)
    noisy = [replace(r, relative_error_reduction_interval=(-0.4, 0.1)) for r in report.results if r.task == "pos"]
    worse = [r for r in report.results if r.task != "pos"]
    chart = chart_of(replace(report, results=(*noisy, *worse)), SUITE)
    assert chart.title.startswith("Fixed: better on 0 of 6 tasks, worse on 5, 1 too close to call. Fine-tuned:")


def test_the_baselines_own_report_has_no_charts_and_says_why(submission: Make, stranger: Client) -> None:
    shown = page(stranger, submission(shift=0.0, is_baseline=True))
    assert charts_on(shown, "tasks") == []
    assert "so there are no charts" in shown
    assert "figure-1" not in shown


def test_seeds_are_those_of_trained_tasks(submission: Make, stranger: Client) -> None:
    report = report_of(0.1)
    draws = [replace(r, seeds=10) if r.task == "analogy-google" else r for r in report.results]
    shown = page(stranger, submission(body=replace(report, results=tuple(draws)).to_json()))
    assert "mean of 2 seeds ± standard deviation" in shown
    assert "2 for trained tasks, numbered from 0; Google analogies draws 10<" in shown


def test_word_tasks_are_dots_beside_the_baselines_tick_with_tables_behind_them(
    submission: Make, stranger: Client
) -> None:
    shown = page(stranger, submission())
    (dots,) = charts_on(shown, "dots-word-similarity")
    tasks = sum(task.family.id == "similarity" and task.applies_to("en") for task in SUITE.tasks)
    assert len(marks(dots, f"{SVG}circle", "point better")) == len(marks(dots, f"{SVG}line", "reference")) == tasks
    assert f"better than the baseline on {tasks} of {tasks}" in (dots.findtext(f"{SVG}title") or "")
    assert shown.count('id="task-sim-ws-353-all"') == 1


@pytest.mark.parametrize(
    ("value", "interval", "base", "side"),
    [
        (0.5, (0.4, 0.6), 0.3, "better"),
        (0.5, (0.4, 0.6), 0.7, "worse"),
        (0.5, (0.4, 0.6), 0.4, "close"),
        (0.5, None, 0.1, "close"),
        (0.5, (0.4, 0.6), None, "close"),
    ],
)
def test_a_task_is_better_only_where_its_interval_excludes_the_baseline(
    value: float, interval: tuple[float, float] | None, base: float | None, side: str
) -> None:
    score = Score("0.500", value=value, ends=interval, base=base)
    row = WordRow("one", "One", "", score, "", "")
    assert side_of(row, SPEARMAN) == side
    opposite = {"better": "worse", "worse": "better", "close": "close"}
    assert side_of(row, LOG_RANK_DEVIATION) == opposite[side]


@pytest.mark.parametrize("figures", [[0.0], [0.5, 0.5], [-3.0, 1e-9], [12.345, 12.346]])
def test_an_axis_of_dots_spans_every_value(figures: list[float]) -> None:
    rows = [WordRow("t", "T", "", Score("x", value=figure), "", "") for figure in figures]
    chart = dot_chart("dots", "Dots", SPEARMAN, rows)
    assert chart is not None
    assert all(0 < place < 100 for place in places(drawn(chart).iter("circle"), "cx"))


def test_a_missing_score_is_blank_with_its_reason_and_so_is_the_mean(submission: Make, stranger: Client) -> None:
    row = submission(State.QUEUED)
    StoredReport.objects.create(submission=row, body=report_of(0.1, missing=["ner"]).to_json())
    Submission.objects.filter(pk=row.pk).update(state=State.DONE, finished_at=row.uploaded_at)
    shown = page(stranger, row)
    assert REASON in shown
    assert "No mean, because ner is missing." in shown
    assert "better on 5 of 5 tasks" in shown


def places(marks: Iterable[ET.Element], *names: str) -> list[float]:
    """Horizontal positions in per cent of the width."""
    return [float(mark.attrib[name].rstrip("%")) for mark in marks for name in names]


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_both_modes_have_one_scale_that_holds_every_whisker(layout: Layout) -> None:
    chart = chart_of(report_of(0.37), SUITE)
    drawing = chart.drawing if layout is WIDE else chart.narrow
    assert drawing is not None
    picture = ET.fromstring(f"<svg>{drawing.body}</svg>")
    (begin, end), (second, _) = layout.panels
    whiskers = places(marks(picture, "line", "whisker"), "x1", "x2")
    fixed = [x for x in whiskers if x * layout.width < 100 * second]
    tuned = [x for x in whiskers if x not in fixed]
    assert len(fixed) == len(tuned) == 12
    assert [x - 100 * (second - begin) / layout.width for x in tuned] == pytest.approx(fixed, abs=0.02)
    assert 100 * begin / layout.width < min(fixed) < max(fixed) < 100 * (end - VALUE_WIDTH) / layout.width


@pytest.mark.parametrize("shift", [-12.34, -1.0, -0.9, -0.01, 0.0, 0.45, 0.9, 1.0])
def test_no_bar_reaches_a_label_or_a_number(shift: float) -> None:
    drawing = chart_of(report_of(shift), SUITE).drawing
    picture = ET.fromstring(f"<svg>{drawing.body}</svg>")
    for side in ("better", "worse"):
        for bar in marks(picture, "rect", side):
            begin, width = (float(bar.attrib[name].rstrip("%")) * drawing.width / 100 for name in ("x", "width"))
            panel = next((a, b) for a, b in WIDE.panels if a <= begin < b)
            assert panel[0] <= begin <= begin + width <= panel[1] - VALUE_WIDTH


@pytest.mark.parametrize("values", [[], [0.0], [1e-9], [-0.3, 0.2], [-40.0], [0.9999, 1.0]])
def test_a_scale_holds_zero_and_all_values_and_is_never_empty(values: list[float]) -> None:
    axis = axis_for(values)
    assert axis.scale.low <= min([0.0, *values])
    assert axis.scale.high >= max([0.0, *values])
    assert axis.scale.high > axis.scale.low
    assert 1 <= len(axis.ticks) <= 7


@pytest.mark.parametrize("values", [[-33.0, 3.0], [-0.02, 0.4], [0.001], [-0.9, 0.9], [-0.35, 0.49]])
def test_labels_of_a_short_axis_stand_apart(values: list[float]) -> None:
    axis = axis_for(values, 4, 96)
    labels = sorted([(axis.scale(0.0), "0"), *axis.ticks])
    assert len(labels) > 1
    assert all(right - left >= 7 * len(text) for (left, text), (right, _) in pairwise(labels))


def test_analogies_are_shown_by_semantic_and_syntactic() -> None:
    task = SUITE.task("analogy-google")
    counts = [{"correct": 1, "known": n, "questions": 10} for n in range(7)]
    secondary = {
        "known": 21, "questions": 70, "semantic": 0.25, "syntactic": None, "strict": 0.1, "cosmul": {"total": 0.3},
        "categories": {f"c{i}": count for i, count in enumerate(counts)},
    }  # fmt: skip
    report = replace(report_of(0.1), results=(replace(result_of(task, None, 0.0), secondary=secondary),))
    total, semantic, syntactic = word_rows(report, SUITE)[-3:]
    assert (total.counted, semantic.counted, syntactic.counted) == ("21 of 70", "10 of 50", "11 of 20")
    assert (semantic.score.text, syntactic.score.text) == ("25.00", "–")
    assert total.score.beside == ("10.00 with unknown questions counted as wrong", "30.00 by 3CosMul")


def test_a_finished_report_is_cached_and_revalidated(submission: Make, stranger: Client) -> None:
    row = submission()
    first = stranger.get(f"/r/{row.pk}")
    assert "no-cache" in first["Cache-Control"]
    assert not first["ETag"].startswith("W/")
    assert stranger.get(f"/r/{row.pk}", headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_users_texts_are_never_markup(submission: Make, stranger: Client) -> None:
    shown = page(stranger, submission(name="<script>x</script>", description='"><img src=x>'))
    assert "<script>x" not in shown
    assert "<img src=x>" not in shown


def test_the_report_page_reveals_no_secret(submission: Make, owner: Callable[[Submission], Client]) -> None:
    row = submission()
    response = owner(row).get(f"/r/{row.pk}")
    assert TOKEN not in response.content.decode()
    assert "Set-Cookie" not in response


def test_a_stored_report_cannot_be_changed(submission: Make) -> None:
    report = submission().report
    report.created_at = timezone.now()
    with pytest.raises(ValueError, match="never changes"):
        report.save()


STATES = {("sim-ws-353-all", None): "done", ("sim-simlex-999", None): "unavailable", ("pos", "fixed"): "running"}


def begun(submission: Make, **columns: object) -> Submission:
    """A submission with one score, one unavailable and one running cell; the others wait."""
    row = submission(State.RUNNING, suite_version=DEMO.version, **columns)
    for position, (task, mode) in enumerate(DEMO.cells()):
        state = STATES.get((task.id, mode), "waiting")
        result = plain(replace(result_of(task, mode, 0.1), score=0.4321))
        measurement = Measurement.objects.create(submission=row, result=result) if state == "done" else None
        run = SubmissionCell.objects.create(
            submission=row, task=task.id, mode=mode or "", position=position, state=state, measurement=measurement,
            task_hash="t", vectors_sha256="v", reason="No pair is known." if state == "unavailable" else "",
        )  # fmt: skip
        if state == "running":
            job = {"kind": "run_cell", "subject": run.pk, "submission": row, "level": 1}
            Job.objects.create(**job, share=0.5, what="epoch 3", heartbeat_at=timezone.now())
    return row


def test_scores_are_shown_and_missing_ones_have_their_state_or_reason(submission: Make, stranger: Client) -> None:
    row = begun(submission)
    response = stranger.get(f"/r/{row.pk}")
    shown = response.content.decode()
    assert "Unfinished report" in shown
    assert "0.432" in shown
    assert shown.index("No task can be compared with the baseline yet.") < shown.index("tasks are done")
    others = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", shown))
    assert others["No pair is known."] == "SimLex-999"
    assert others["Running"] == "Part-of-speech tagging, fixed"
    assert len(others["Waiting"].split("; ")) == len(DEMO.cells()) - 3
    assert "no-store" in response["Cache-Control"]
    assert "noindex" in shown


def test_cells_that_will_have_no_score_are_folded_away_from_those_to_come(submission: Make, stranger: Client) -> None:
    to_come, folded = page(stranger, begun(submission)).split('<details data-part="never">')
    assert "1 task of the suite will have no score" in folded
    assert ["No pair is known." in to_come, "No pair is known." in folded] == [False, True]
    assert ["Running" in to_come, "Waiting" in folded] == [True, False]


def test_while_a_report_fills_it_says_only_what_was_seen_and_never_judges_overall() -> None:
    seen = {("pos", "fixed"): (0.1, 0.2), ("pos", "fine-tuned"): (0.01, 0.2), ("ner", "fixed"): (0.1, 0.3)}
    seen |= {("sentiment", "fixed"): (-0.1, 0.1), ("questions", "fixed"): (-0.3, -0.1)}
    results = [
        replace(result_of(OPEN_2026.task(task), mode, 0.1), relative_error_reduction_interval=interval)
        for (task, mode), interval in seen.items()
    ]
    report = replace(report_of(0.1), results=tuple(results))
    assert so_far(report, OPEN_2026) == (
        "So far, compared with the baseline: clearly better on part-of-speech tagging (fixed and fine-tuned), named "
        "entities (fixed); clearly worse on questions (fixed); too close to call on sentiment (fixed). "
        "The overall mean follows when every task is measured."
    )
    assert "can be compared" in so_far(replace(report, results=()), OPEN_2026)


def test_with_one_task_left_and_all_others_clearly_better_nothing_is_said_of_the_mean(
    submission: Make, stranger: Client
) -> None:
    row, baseline = submission(State.RUNNING, suite_version=DEMO.version), published(DEMO)
    assert baseline is not None
    for position, (task, mode) in enumerate([cell for cell in DEMO.cells() if cell[1]][:-1]):
        base = baseline.result(task.id, mode)
        assert base is not None
        assert base.outcomes is not None
        values = base.outcomes.values.copy()
        for right, wrong in (("correct", "total"), ("tp", "fn")):
            if {right, wrong} <= set(base.outcomes.columns):
                at, of = base.outcomes.columns.index(right), base.outcomes.columns.index(wrong)
                values[:, at] += values[:, of] * 0.9 if right == "tp" else 0.9 * (values[:, of] - values[:, at])
                values[:, of] *= 0.1 if right == "tp" else 1.0
        better = Outcomes(base.outcomes.columns, values)
        key = evidence.key("ab" * 32, base.task_hash, mode or "")
        evidence.save(key, better)
        result = plain(replace(base, score=metric_named(base.metric).of(better), outcomes=None))
        SubmissionCell.objects.create(
            submission=row, task=task.id, mode=mode, position=position, state="done", task_hash=base.task_hash,
            vectors_sha256="ab" * 32, outcomes_key=key,
            measurement=Measurement.objects.create(submission=row, result=result),
        )  # fmt: skip
    shown = page(stranger, row)
    assert "clearly better on part-of-speech tagging (fixed and fine-tuned), chunking (fixed and fine-tuned)" in shown
    assert "The overall mean follows" in shown
    for claim in ("On average", "better overall", "than the baseline on average", "clearly worse"):
        assert claim not in shown


def test_it_is_on_no_board_and_the_api_has_no_report_yet(submission: Make, stranger: Client) -> None:
    row = begun(submission, name="Half measured")
    assert "Half measured" not in stranger.get("/board").content.decode()
    assert stranger.get(f"/api/v1/submissions/{row.pk}/report").status_code == 409


def test_before_the_first_score_and_after_a_failure_the_status_page_is_shown(
    submission: Make, stranger: Client
) -> None:
    bare, failed = submission(State.RUNNING), begun(submission)
    Submission.objects.filter(pk=failed.pk).update(state=State.FAILED)
    for row in (bare, failed):
        response = stranger.get(f"/r/{row.pk}")
        assert response["Location"] == f"/s/{row.pk}"
        assert "no-store" in response["Cache-Control"]


TABLE = "sources of uncertainty"


def with_errors(*, seeds: bool) -> Report:
    """A report with standard errors of 1.25 points from examples and, with ``seeds``, 0.5 from seeds."""
    errors = {"examples": 0.0125} | ({"seeds": 0.005} if seeds else {})
    report = report_of(0.1)
    results = [replace(r, relative_error_reduction_errors=errors) if r.mode else r for r in report.results]
    means = replace(report.aggregates, intervals={"overall": (0.08, 0.12)}, errors={"overall": errors})
    return replace(report, results=tuple(results), aggregates=means)


def page_of(client: Client, row: Submission, body: str) -> str:
    StoredReport.objects.create(submission=row, body=body)
    return re.sub(r"\s+", " ", client.get(f"/r/{row.pk}").content.decode())


def test_a_report_of_today_shows_both_sources(submission: Make, stranger: Client) -> None:
    page = page_of(stranger, submission(), with_errors(seeds=True).to_json())
    assert "95 % intervals over test examples and training seeds" in page
    table = page[page.index(TABLE) :]
    assert table.index("+8.00 to +12.00") < table.index("1.25") < table.index("0.50")


@pytest.mark.parametrize(("seeds", "shown"), [(True, "0.50"), (False, "–")])
def test_every_cell_and_mean_with_errors_has_a_row(seeds: bool, shown: str) -> None:
    table = paper_table(with_errors(seeds=seeds), SUITE, "small", "", "")
    rows = {row.facts[0]: row.values[-1] for row in table.rows if row.values[-1].more[0] is not None}
    assert [*rows] == ["overall", *(cell_key(task.id, mode) for task, mode in SUITE.cells() if mode)]
    assert {(value.text, *map(percent, value.more)) for value in rows.values()} == {("+10.00", "1.25", shown)}


def test_a_report_is_stored_in_parts_and_served_as_it_was_written(submission: Make) -> None:
    row, measured = submission(), replace(report_of(0.1), as_used=Aggregates(None, None, 0.1))
    stored = StoredReport.objects.get(pk=StoredReport.publish(row, measured).pk)
    assert stored.body == measured.to_json()
    assert stored.etag == hashlib.sha256(stored.body.encode()).hexdigest()
    assert stored.measured == measured
    assert "results" in stored.frame
    assert not any("score" in part for part in stored.frame["results"])


def test_a_new_version_shares_the_measurements_of_its_cells(submission: Make) -> None:
    row = submission(State.RUNNING)
    result = result_of(SUITE.task("pos"), "fixed", 0.1)
    measurement = Measurement.of(row, plain(result))
    measurement.save()
    SubmissionCell.objects.create(
        submission=row, task="pos", mode="fixed", position=0, state="done", measurement=measurement,
        task_hash=result.task_hash, vectors_sha256="v",
    )  # fmt: skip
    shown = replace(report_of(0.1), results=(replace(result, baseline=0.5, interval=(0.1, 0.2)),))
    versions = [StoredReport.publish(row, shown), StoredReport.publish(row, replace(shown, environment={}))]
    assert [version.measurement_ids for version in versions] == [[measurement.pk]] * 2
    other = StoredReport.publish(row, replace(shown, results=(replace(result, score=0.123),)))
    assert other.measurement_ids != [measurement.pk]


def spaced(text: str) -> str:
    return text.replace("\n ", "\n  ", 1)


def reordered(text: str) -> str:
    found = json.loads(text)
    found["results"][0] = dict(reversed(found["results"][0].items()))
    return json_text(found)


@pytest.mark.parametrize("change", [spaced, reordered])
def test_a_text_that_would_be_served_differently_is_no_report(submission: Make, change: Callable[[str], str]) -> None:
    text = change(report_of(0.1).to_json())
    with pytest.raises(ValueError, match="not the text of a report"):
        StoredReport.objects.create(submission=submission(), body=text)


@pytest.mark.parametrize(
    ("filled", "least", "greatest"), [((19, 21), -0.2, 0.2), ((30, 32), -0.05, 0.7), ((0, 40), -1, 1)]
)
def test_a_histogram_shows_where_the_correlations_are_with_zero(
    filled: tuple[int, int], least: float, greatest: float
) -> None:
    figures: Distribution = {"mean": 0.0, "sd": 0.1, "se": 0.01, "min": -1.0, "max": 1.0, "n": 80}
    counts = [40.0 if nth in range(*filled) else 0.0 for nth in range(40)]
    chart = histogram(figures, {"counts": counts, "edges": [round(-1 + nth / 20, 6) for nth in range(41)]})
    assert chart
    picture = drawn(chart)
    ticks = [float((tick.text or "").replace("−", "-")) for tick in marks(picture, "text", "tick")]
    assert 0.0 in ticks
    assert least <= min(ticks) <= max(ticks) <= greatest
    assert max(ticks) - min(ticks) > 0.5 * (greatest - least)
    assert len(marks(picture, "rect", "better")) == filled[1] - filled[0]
