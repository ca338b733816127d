"""The report beyond figure 1: findings, classes, curves, unknown words, outcomes, citation, block for a model card."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.contrib.auth import get_user_model
from django.template.loader import render_to_string
from django.test import Client
from sklearn.metrics import precision_recall_fscore_support

from benchmark import evidence
from benchmark.leaderboard import jobs, ranking_data
from benchmark.reports.page import ReportPage
from benchmark.reports.sections.downstream import _of_confusion, classes, confusion_table, score_table
from benchmark.reports.summary import finding
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import State
from benchmark.templatetags.figures import grouped, in_sentence, percent, unbroken
from tasks.datasets.dataset import DataSet
from tasks.hashes import suite_hash
from tasks.results import Aggregates, DatasetUse, Outcomes, Predictions, Report
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of
from tests.benchmark.scores import figure

CLASSES = {"labels": ["no", "yes"], "confusion": [[8, 2], [1, 9]], "seeds": 2}
TRAINING = {
    "seconds": 3.0,
    "seconds_per_epoch": 1.0,
    "seeds": [{"seed": 0, "best_epoch": 2, "epochs": 3, "dev": [0.5, 0.75, 0.7], "test": 0.6}],
}
MISSED = {"tokens": 3, "types": 2, "commonest": [["zebra", 2], ["<yak>", 1]]}


def detailed(shift: float = 0.1) -> Report:
    report = report_of(shift)
    more = {"classes": CLASSES, "unknown_words": MISSED}
    results = [replace(r, secondary=more, training=TRAINING) if r.task == "sentiment" else r for r in report.results]
    means = Aggregates(shift, shift, shift, {}, {"overall": (shift - 0.01, shift + 0.02)})
    return replace(report, results=tuple(results), aggregates=means)


@pytest.fixture
def entry(submission: Make) -> Submission:
    return submission(body=detailed().to_json())


def page(client: Client, row: Submission) -> str:
    return client.get(f"/r/{row.pk}").content.decode()


def test_the_means_have_an_interval_and_a_rank(entry: Submission, stranger: Client) -> None:
    ranking_data.save(entry.report.entry, {"overall": figure(0.1, np.zeros(1000))}, {})
    jobs.compute(SUITE.id, SUITE.version)
    text = page(stranger, entry)
    assert "+9.00 to +12.00" in text
    assert re.search(r"rank 1 at \d+&nbsp;d, 1 of all<", text)


def test_findings_come_from_intervals_and_never_from_noise() -> None:
    """A shift of 0.04 is within the intervals of ± 0.05."""
    (good,) = finding(report_of(0.2), SUITE, None)
    assert good.startswith("Clearly better at tagging, chunking, ")
    assert "worse" not in good
    assert finding(report_of(0.04), SUITE, None) == []
    (bad,) = finding(report_of(-0.2), SUITE, None)
    assert bad.startswith("Clearly worse at tagging, ")


@pytest.mark.parametrize(
    ("window", "source"), [(10, "vectors of wide windows"), (2, "these vectors"), (None, "these vectors")]
)
def test_grammar_that_only_a_fine_tuned_network_learns_is_explained(window: int | None, source: str) -> None:
    worse, better = report_of(-0.2), report_of(0.2)
    results = [
        (worse if (result.task, result.mode) == ("pos", "fixed") else better).result(result.task, result.mode)
        for result in better.results
    ]
    measured = replace(better, results=tuple(result for result in results if result is not None))
    verdict, grammar = finding(measured, SUITE, window)
    assert verdict.startswith("Clearly better at tagging (fine-tuned), chunking")
    assert "clearly worse at tagging (fixed)." in verdict
    assert grammar.startswith(f"Better at tagging only once fine-tuned: from {source}, a network of this size ")


def meaning(overall: float) -> Report:
    """A report with nothing but an overall mean and its interval."""
    means = Aggregates(None, None, overall, {}, {"overall": (overall - 0.01, overall + 0.01)})
    return replace(report_of(overall), results=(), aggregates=means)


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        (0.05, "Clearly better than SVD-PPMI of as many dimensions: 5.0 % fewer errors."),
        (-0.05, "Clearly worse than SVD-PPMI of as many dimensions: 5.0 % more errors."),
        (0.005, "Overall, too close to call against SVD-PPMI of as many dimensions."),
    ],
)
def test_the_finding_begins_with_the_overall_mean(shift: float, expected: str) -> None:
    assert finding(meaning(shift), SUITE, None)[0] == unbroken(expected)


def test_acronyms_in_titles_stay_in_sentences() -> None:
    assert in_sentence("Lexical inference, EVALution") == "lexical inference, EVALution"
    assert in_sentence("BLESS") == "BLESS"


def test_a_ranked_entry_is_emphasised_among_all_others(entry: Submission, submission: Make, stranger: Client) -> None:
    rows = {0.1: entry, 0.2: submission(shift=0.2), -0.2: submission(shift=-0.2)}
    for shift, row in rows.items():
        ranking_data.save(row.report.entry, {"overall": figure(shift, np.zeros(1000))}, {})
    jobs.compute(SUITE.id, SUITE.version)
    standing = page(stranger, entry).split('class="chart standing"')[1].split("</figure>")[0]
    assert "of 3 by the overall mean" in standing
    [place] = re.findall(r'class="own" cx="([\d.]+)%', standing)
    [(best, to_worst, end)] = re.findall(r'class="others" d="m([\d.]+) [\d.]+l0 0m(-[\d.]+) [\d.]+l0 0(.)', standing)
    [width] = re.findall(r'viewBox="0 0 (\d+) ', standing)
    assert float(best) > float(place) / 100 * float(width) > float(best) + float(to_worst)
    assert end == '"'


def test_a_private_entry_has_no_place_among_the_others(submission: Make, owner: Callable[[Submission], Client]) -> None:
    row = submission(visibility="private")
    assert "standing" not in page(owner(row), row)


def test_scores_by_class_follow_from_the_confusion(entry: Submission, stranger: Client) -> None:
    text = page(stranger, entry)
    assert "88.89" in text  # precision of "no": 8 of 9
    assert '<td class="p3">80<' in text
    assert stranger.get(f"/r/{entry.pk}/v1/charts/confusion-sentiment-fixed.csv").content == (
        b"gold,no,yes\nno,8,2\nyes,1,9\n"
    )


@pytest.mark.parametrize(
    ("dataset", "labels", "shown"),
    [
        ("sst2", ["0", "1"], ["negative", "positive"]),
        ("ppdb-nli", ["1", "2", "5"], ["1, least alike", "2", "5, most alike", "mean rating"]),
        ("trec-qc", ["HUM", "LOC"], ["HUM", "LOC"]),
    ],
)
def test_classes_that_are_numbers_in_the_files_have_names(
    submission: Make, dataset: str, labels: list[str], shown: list[str]
) -> None:
    counts = [[1] * len(labels)] * len(labels)
    found = report_of(0.1).results[0]
    secondary = {"classes": {"labels": labels, "confusion": counts, "seeds": 1}}
    result = replace(found, secondary=secondary, datasets=(DatasetUse(dataset, "ab" * 32, "CC BY 4.0"),))
    page = ReportPage(replace(report_of(0.1), results=(result,)), submission(), SUITE, "")
    section = classes(page)
    text = render_to_string("reports/sections/classes.html", {"section": section})
    assert all(name in text for name in shown)
    assert ('<th scope="row">1</th>' in text) is False


def test_every_seed_has_its_curve_and_its_row(entry: Submission, stranger: Client) -> None:
    text = page(stranger, entry)
    assert text.count('class="curve"') == 2  # fixed and fine-tuned, in one chart
    assert text.count("curve-sentiment-title") == 2  # its id and the reference to it
    row = '<td class="text">fixed</td><td>0</td><td>3</td><td>2</td><td>75.00</td><td>60.00</td>'
    assert row in text


def test_unknown_words_are_listed_as_text(entry: Submission, stranger: Client) -> None:
    text = page(stranger, entry)
    assert "zebra\N{NO-BREAK SPACE}(2), &lt;yak&gt;<" in text
    assert "&lt;yak&gt;" in text


def test_a_report_without_these_details_shows_no_empty_section(submission: Make, stranger: Client) -> None:
    assert 'id="classes"' not in page(stranger, submission())


def test_outcomes_can_be_downloaded_as_stored(
    entry: Submission, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = evidence.key("ab" * 32, "hash", "fixed")
    evidence.save(key, Outcomes(("correct", "total"), np.float32([[1, 1], [0.5, 1]])))
    SubmissionCell.objects.create(
        submission=entry, task="pos", mode="fixed", task_hash="hash", vectors_sha256="ab" * 32, position=0,
        outcomes_key=key,
    )  # fmt: skip
    address = f"/r/{entry.pk}/outcomes/pos.fixed"
    assert f"{address}.csv" in page(stranger, entry)
    assert stranger.get(f"{address}.csv").content == b"example,correct,total\n0,1,1\n1,0.5,1\n"
    with np.load(io.BytesIO(stranger.get(f"{address}.npz").content)) as kept:
        assert kept["values"].tolist() == [[1, 1], [0.5, 1]]
    assert stranger.get(f"/r/{entry.pk}/outcomes/ner.fixed.csv").status_code == 404
    labels = Predictions(("=NN", "VB"), np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1, 2]))
    evidence.save(key, Outcomes(("correct", "total"), np.float32([[1, 1], [1, 2]]), labels))
    lines = stranger.get(f"{address}.csv").content.decode().splitlines()
    assert lines == ["example,correct,total,gold label,predicted label", "0,1,1,'=NN,'=NN", "1,1,2,VB VB,'=NN VB"]
    with np.load(io.BytesIO(stranger.get(f"{address}.npz").content)) as kept:
        assert kept["answers"].tolist() == [[0, 1, 1], [0, 0, 1]]
    monkeypatch.setattr(DataSet, "licensed", True)
    assert stranger.get(f"{address}.csv").content == b"example,correct,total\n0,1,1\n1,1,2\n"
    with np.load(io.BytesIO(stranger.get(f"/api/v1/submissions/{entry.pk}/outcomes").content)) as kept:
        assert [name for name in kept.files if name.startswith("pos|fixed|")] == ["pos|fixed|columns"]


def test_the_citation_names_suite_vectors_and_address(entry: Submission, stranger: Client) -> None:
    text = page(stranger, entry)
    cited = text[text.index("@misc{") :]
    assert f"http://testserver/r/{entry.pk}" in cited
    assert suite_hash(SUITE) in cited


@pytest.mark.parametrize(
    ("columns", "author", "named"),
    [
        ({"visibility": "public"}, "{ada}", True),
        ({"visibility": "anonymous"}, "{Anonymous}", False),
        ({"owner": None, "owner_token_hash": "x"}, "{Anonymous}", True),
        ({"owner": None, "owner_token_hash": ""}, "{The Vecboard developers}", True),
    ],
)
def test_a_citation_names_who_submitted_the_vectors_and_their_authors(
    entry: Submission, stranger: Client, columns: dict[str, Any], author: str, named: bool
) -> None:
    user = get_user_model().objects.create_user("ada")
    Submission.objects.filter(pk=entry.pk).update(**{"owner": user, "authors": "Grace & Co_", **columns})
    cited = unescape(page(stranger, entry).split("@misc")[1].split("</code>")[0])
    assert f"author = {{{author}}}" in cited
    assert (r"note = {vectors by Grace \& Co\_, suite demo version" in cited) == named
    with zipfile.ZipFile(io.BytesIO(stranger.get(f"/r/{entry.pk}/bundle.zip").content)) as bundle:
        cff = bundle.read("CITATION.cff").decode()
    assert f'authors: [{{"name": "{author[1:-1]}"}}]' in cff
    assert ("Grace & Co_" in cff) == named


def test_a_citation_is_read_whatever_the_names_contain(entry: Submission, stranger: Client) -> None:
    user = get_user_model().objects.create_user("a_b@c")
    Submission.objects.filter(pk=entry.pk).update(name="C:\\x {50 %", owner=user)
    cited = unescape(page(stranger, entry).split("@misc")[1].split("</code>")[0])
    assert cited.count("{") == cited.count("}")
    assert r"author = {{a\_b@c}}" in cited
    assert r"title = {{C:\textbackslash{}x \textbraceleft{}50 \%}: word" in cited


def test_words_are_looked_up_only_where_the_file_is_kept(entry: Submission, stranger: Client) -> None:
    Submission.objects.filter(pk=entry.pk).update(file_key="uploads/ab/ab.gz")
    assert 'class="look-up"' in page(stranger, entry)
    Submission.objects.filter(pk=entry.pk).update(file_key="")
    assert 'class="look-up"' not in page(stranger, entry)
    assert "This site does not keep the vectors of this entry." in page(stranger, entry)


LABELS = ["<B-PER>", "R&D", '"', "never"]
CONFUSION = np.array([[50, 3, 0, 0], [4, 1000, 1, 0], [0, 7, 2, 0], [0, 0, 0, 0]])


def cells_of(table: str) -> dict[str, list[str]]:
    """Texts of the cells of a table's rows by the row's name."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', table)
    return {unescape(name): [unescape(cell) for cell in re.split("<td[^>]*>", cells)[1:]] for name, cells in rows}


def by_scikit_learn(table: np.ndarray) -> list[tuple[float | None, ...]]:
    """Precision, recall and F1 of every class; None if undefined."""
    gold, taken = np.nonzero(table)
    found = precision_recall_fscore_support(
        gold, taken, sample_weight=table[gold, taken], labels=range(len(table)), zero_division=np.nan
    )
    return [tuple(None if np.isnan(value) else float(value) for value in row) for row in zip(*found[:3], strict=True)]


def test_scores_by_class_are_scikit_learns() -> None:
    tables = {"fixed": CONFUSION, "fine-tuned": CONFUSION.T.copy()}
    scores = [by_scikit_learn(table) for table in tables.values()]
    counts = [(mode, _of_confusion(table)) for mode, table in tables.items()]
    support = CONFUSION.sum(axis=1).tolist()
    text = score_table("R&D", "Class", LABELS, support, counts)  # type: ignore[arg-type]
    assert cells_of(text) == {
        label: [grouped(number), *map(percent, (*of_fixed, *of_tuned))]
        for label, number, of_fixed, of_tuned in zip(LABELS, support, *scores, strict=True)
    }
    assert "–" in text
    assert "<B-PER>" not in text


@pytest.mark.parametrize("seed", range(3))
def test_a_confusion_is_shown_in_per_cent_of_each_gold_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 400, (4, 4)) * rng.integers(0, 2, (4, 4)) + np.diag([0, 0, 100_000, 0])
    text = confusion_table(LABELS, table)
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    assert cells_of(text) == {
        label: [
            "" if not count else "<1" if share < 0.005 else f"{share * 100:.0f}"
            for count, share in zip(counts, of_label, strict=True)
        ]
        for label, counts, of_label in zip(LABELS, table.tolist(), shares, strict=True)
    }
    right = re.findall('<td class="p[1-4]">', text)
    assert len(right) == np.count_nonzero(np.diagonal(table))
    assert "<B-PER>" not in text


def test_without_a_report_the_api_says_how_far_it_is(submission: Make, stranger: Client) -> None:
    response = stranger.get(f"/api/v1/submissions/{submission(State.RUNNING).pk}/outcomes")
    assert (response.status_code, response.json()["state"]) == (409, "running")


def test_commands_in_a_description_are_code(submission: Make, stranger: Client) -> None:
    row = submission(description="Made by: python -m research.board --suite open-2026\nSee: <b>python</b>")
    page = stranger.get(f"/r/{row.pk}").content.decode()
    assert "Made by: <code><span>python</span> <span>-m</span> <span>research.board</span>" in page
    assert "<span>open-2026</span></code><br>See: &lt;b&gt;python&lt;/b&gt;" in page
