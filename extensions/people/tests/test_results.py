"""Results of studies: scores and charts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from extensions.people import sessions
from extensions.people.models import Kind, Rater, Source, SourceKind, Study, StudyState
from extensions.people.results import (
    deviation_chart,
    deviations_of,
    finding,
    preference_chart,
    preference_rows,
    result_of,
)
from extensions.people.tests.conftest import Browser, Make, finish, right_side
from extensions.people.tests.test_association_session import write_all
from tasks.political.human import NO_ORDER


def answered(row: Study, candidate: int, baseline: int) -> Study:
    for prefer, count in (("candidate", candidate), ("baseline", baseline)):
        for _ in range(count):
            finish(sessions.begin(row), prefer)
    return row


def test_the_score_is_the_adjusted_share(study: Make) -> None:
    result = result_of(answered(study(), 6, 2).comparisons.get())
    # p = 0.75; three of ten words are shared: o = 3 / 100, and as published (3 / 10)².
    assert result.preference.mean == pytest.approx((0.03 * 0.5 + 0.97 * 0.75) / 0.5)
    assert result.preference.as_published == pytest.approx((0.09 * 0.5 + 0.91 * 0.75) / 0.5)
    assert [cue.won for cue in result.preference.cues] == [6] * 10


def test_unfinished_raters_do_not_count(study: Make) -> None:
    row = answered(study(), 2, 0)
    unfinished, failed = sessions.begin(row), sessions.begin(row)
    for rater in (unfinished, failed):
        sessions.instructed(rater)
        rater.refresh_from_db()
        sessions.choose(rater, 0, right_side(rater, 0))
    Rater.objects.filter(pk=failed.pk).update(state="screened out")
    result = result_of(row.comparisons.get())
    assert (result.preference.raters, result.screened_out, result.sessions["running"]) == (2, 1, 1)


def test_a_study_without_answers_has_no_score(study: Make, owner: Browser) -> None:
    row = study()
    result = result_of(row.comparisons.get())
    assert (result.preference.mean, result.agreement.alpha) == (None, None)
    assert "no answers yet" in owner(row).get(f"/people/{row.pk}/results").content.decode()


def test_lists_that_are_not_made_have_nothing_to_score(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    row.comparisons.update(lists=None, prepared_at=None)
    assert not row.comparisons.ready().exists()
    assert "Nothing to score yet" in owner(row).get(f"/people/{row.pk}/results").content.decode()


def test_the_title_reports_no_noise_as_a_finding(study: Make) -> None:
    close = result_of(answered(study(), 4, 4).comparisons.get())
    clear = result_of(answered(study(), 1, 9).comparisons.get())
    assert finding(close) == "model against people: no clear preference"
    assert finding(clear) == "People prefer people to model"


def test_the_chart_orders_the_cues_and_ends_with_their_mean(study: Make) -> None:
    result = result_of(answered(study(), 5, 3).comparisons.get())
    rows = preference_rows(result)
    values = [row.value for row in rows[:-1] if row.value is not None]
    assert values == sorted(values, reverse=True)
    assert (len(values), rows[-1].label) == (10, "mean over cues")
    picture = ET.fromstring(preference_chart(result).svg)
    places = [float(dot.attrib["cx"].rstrip("%")) for dot in picture.iter("circle")]
    whiskers = [mark.attrib for mark in picture.iter("line") if mark.attrib["class"] == "whisker"]
    ends = [[float(mark[name].rstrip("%")) for name in ("x1", "x2")] for mark in whiskers]
    assert len(places) == len(whiskers) == 11
    assert all(low <= x <= high for x, (low, high) in zip(places, ends, strict=True))


def test_an_owner_reads_scores_intervals_and_agreement(study: Make, owner: Browser) -> None:
    row = answered(study(), 6, 2)
    page = owner(row).get(f"/people/{row.pk}/results").content.decode()
    assert "1.49" in page
    assert re.search(r"95&nbsp;% interval [\d.]+ to [\d.]+", page)
    assert "<dt>Agreement</dt>" in page
    assert "<svg" in page


def ranked_study(study: Make, ranks: dict[str, dict[str, int]]) -> Study:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["tax", "law"])
    write_all(sessions.begin(row), [f"w{n}" for n in range(10)])
    for name, model in ranks.items():
        Source.objects.create(
            study=row,
            kind=SourceKind.ENTRY,
            name=name,
            ranks={"tax": model, "law": model},
            position=row.sources.count(),
        )
    return row


def test_entries_stand_by_their_log_rank_deviation_nearest_first(study: Make) -> None:
    near, far = {f"w{n}": n + 1 for n in range(10)}, {f"w{n}": 100 * (n or 9) for n in range(5)}
    deviations = deviations_of(ranked_study(study, {"far": far, "near": near}))
    assert [d.name for d in deviations] == ["near", "far"]
    assert (deviations[0].relative, deviations[0].words, deviations[0].mentioned) == (0.0, 20, 20)
    assert deviations[1].relative == pytest.approx(mean({f"w{n}": n or 5 for n in range(5)}), rel=0.01)
    assert deviations[1].full > deviations[0].full == 0.0


def test_the_headline_divides_by_a_random_order_so_that_missing_words_are_no_advantage(study: Make) -> None:
    few, many = {"w0": 2, "w1": 1}, {f"w{n}": 10 - n for n in range(10)}
    deviations = deviations_of(ranked_study(study, {"few": few, "many": many}))
    assert [d.name for d in deviations] == ["many", "few"]
    assert [d.relative for d in deviations] == [pytest.approx(mean(many), rel=0.01), 2.0]
    assert deviations[1].within < deviations[0].within


def mean(model: dict[str, int]) -> float:
    """Deviation of an order of all words, by hand, over the mean of that of many random orders."""
    generator = np.random.default_rng(0)
    human = np.arange(1, len(model) + 1)
    orders = np.array([generator.permutation(human) for _ in range(20_000)])
    return float(np.log1p((np.array([*model.values()]) - human) ** 2).mean() / np.log1p((orders - human) ** 2).mean())


def test_an_entry_with_one_known_word_for_each_cue_has_no_order(study: Make) -> None:
    (found,) = deviations_of(ranked_study(study, {"one": {"w0": 3}}))
    assert found.relative is None
    assert found.reason == NO_ORDER


def test_the_deviation_chart_is_shown_with_its_table(study: Make, owner: Browser) -> None:
    row = ranked_study(study, {"near": {"w0": 3, "w1": 1}, "unknown": {}})
    page = owner(row).get(f"/people/{row.pk}/results").content.decode()
    assert "Mean log rank deviation" in page
    assert "2 of 20" not in page
    assert "4 of 20" in page
    assert "not computed" in page


def test_a_chart_of_one_entry_claims_nothing(study: Make) -> None:
    row = ranked_study(study, {"near": {"w0": 3}})
    assert deviation_chart(row.pk, deviations_of(row)).title == "Distance from people's ranking"
