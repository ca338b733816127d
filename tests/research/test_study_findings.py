"""Findings of the study: verdicts from counted comparisons, and a page with numbers from the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from research.cli import main
from research.study.draw import draw
from research.study.findings import Comparison, Finding, findings, write_findings
from research.study.run import forget_pairs, key
from research.study.store import Numbers, Results, settings

LOSSES = {"1-50": 0.030, "1-100": 0.020, "1-300": 0.015, "6-50": 0.028, "6-100": 0.021}


def cell(loss: float, minutes: float, stability: float) -> dict[str, Any]:
    shown = {
        "mean": stability,
        "quantiles": [0.5, 0.6, 0.7, 0.8, 0.9],
        "pairs": [stability],
        "interval": None,
        "cues": 9,
    }
    return {
        "runs": [{"loss": loss, "iterations": 40, "converged": True, "processor_minutes": minutes}],
        "stability": {"random": shown, "political": shown},
        "human": {name: {"mean": 14.0, "se": 0.9} for name in ("full", "within")} | {"cues": {}},
        "neighbours": {cue: [f"{cue}{i}" for i in range(10)] for cue in ("freedom", "immigration")},
    }


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Five GloVe settings of the State of the Union, and two that were compared."""
    made = Results(tmp_path / "study", tmp_path / "work")
    own = {s.label: s for s in settings() if s.id.startswith("sotu-glove")}
    for nth, (label, loss) in enumerate(LOSSES.items()):
        made.write(f"cells/{own[label].id}", cell(loss, 0.1 * (nth + 1), 0.80 + 0.02 * nth))
    summary = {"mean": 0.9, "se": 0.01, "jaccard": {str(n): 0.5 for n in (5, 10, 25, 50, 100)}}
    pair = {"common_words": 8000, "random": summary, "political": summary | {"mean": 0.7}}
    made.write("pairs", {key(own["1-50"], own["1-100"]): pair})
    return made


def finding(results: Results, claim: str) -> Finding:
    return next(found for found in findings(Numbers(results)) if found.claim == claim)


def test_a_claim_that_every_comparison_bears_out_holds(results: Results) -> None:
    found = finding(results, "More dimensions fit better")
    assert (found.verdict, len(found.comparisons)) == ("Holds", 3)
    assert "GloVe, window 1: 0.0300 at 50, 0.0200 at 100" in found.sentence


def with_distances(results: Results, label: str, distances: list[float]) -> None:
    """Distances from people of single cues."""
    setting = next(s for s in settings() if s.id.startswith("sotu-glove") and s.label == label)
    cues = {f"cue{i}": {"full": value, "within": value} for i, value in enumerate(distances)}
    summary = {"mean": sum(distances) / len(distances), "se": 2.0}
    made = cell(0.02, 0.1, 0.9) | {"human": {"full": summary, "within": summary, "cues": {"lost": None} | cues}}
    results.write(f"cells/{setting.id}", made)


def test_distances_from_people_are_compared_cue_by_cue(results: Results) -> None:
    """Cues differ by more than settings do: what is clear cue by cue is not so between two means."""
    hard = [4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0, 36.0]
    with_distances(results, "1-50", [value + 1.0 + 0.01 * value for value in hard])
    with_distances(results, "6-100", hard)
    found = finding(results, "Small windows with few dimensions are to be avoided")
    assert found.verdict == "Holds"
    assert "1.20 apart over 9 cues (Wilcoxon's p = 0.004)" in found.sentence
    with_distances(results, "1-50", [value + (-1.0) ** value * 0.1 for value in range(4, 13)])
    assert finding(results, "Small windows with few dimensions are to be avoided").verdict == "Does not hold"


def test_a_claim_that_half_of_the_comparisons_contradict_does_not_hold(results: Results) -> None:
    found = finding(results, "Larger windows fit better")
    assert [c.agrees for c in found.comparisons] == [True, False]
    assert found.verdict == "Does not hold"
    assert found.sentence.startswith("1 of 2 comparisons agree")


@pytest.mark.parametrize(
    ("agreeing", "of", "verdict"),
    [(0, 0, "Undecided so far"), (3, 3, "Holds"), (2, 3, "Holds in part"), (1, 2, "Does not hold")],
)
def test_the_verdict_is_a_count(agreeing: int, of: int, verdict: str) -> None:
    compared = tuple(Comparison(f"{i}", i < agreeing) for i in range(of))
    assert Finding("a claim", "§0", "rows", compared).verdict == verdict


def test_returns_decrease_where_the_second_step_gains_less_a_dimension(results: Results) -> None:
    found = finding(results, "… with decreasing returns")
    assert (found.verdict, found.sentence) == (
        "Holds",
        "GloVe, window 1: 2.0e-04 a dimension up to 100, 2.5e-05 up to 300.",
    )


def test_claims_about_settings_not_run_are_undecided(results: Results) -> None:
    found = finding(results, "Vectors trained elsewhere correlate above 0.5 around political cues")
    assert (found.verdict, found.sentence) == ("Undecided so far", "The settings that it compares have not been run.")


def test_pairs_are_found_either_way_round(results: Results) -> None:
    claim = "Correlations are larger around political cues than around random ones"
    assert finding(results, claim).sentence == "1-50 and 1-100 0.700 against 0.900."


def test_the_findings_take_the_place_between_their_markers(results: Results, tmp_path: Path) -> None:
    page = tmp_path / "political.md"
    page.write_text("before\n<!-- study -->\nbygone\n<!-- end of study -->\nafter\n")
    assert write_findings(results, page) == page
    text = page.read_text()
    assert text.startswith("before\n<!-- study -->\n5 of 26 settings have been run.")
    assert text.endswith("<!-- end of study -->\nafter\n")
    assert "bygone" not in text
    assert "| Runs of one setting agree above 0.85, random cues (§6.3) | **Does not hold.** 2 of 5" in text


def test_a_page_without_a_place_is_left_alone(results: Results, tmp_path: Path) -> None:
    page = tmp_path / "other.md"
    assert write_findings(results, page) is None
    page.write_text("nothing")
    assert write_findings(results, page) is None
    assert page.read_text() == "nothing"


def test_the_tables_have_the_corpora_the_settings_and_every_figure_with_its_caption(results: Results) -> None:
    about = {"title": "t", "licence": "public domain", "period": "1790–2020", "documents": 234, "tokens": 1_970_600,
             "words": 8348}  # fmt: skip
    results.write("corpora", {"sotu": about})
    draw(results)
    text = (results.results / "tables.md").read_text()
    assert "| State of the Union | public domain | 1790–2020 | 234 | 1,970,600 | 8,421 | 8,348 |" in text
    assert "| sotu-glove-w1-d50 | 1 | 0.03000 | 40 | 0.10 | 0.8000 | 0.8000 | 14.00 ± 0.90 | 14.00 ± 0.90 |" in text
    assert "| State of the Union | immigration | 1-50: immigration0, " in text
    for figure in (results.results / "figures").glob("*.svg"):
        assert f"(figures/{figure.name})" in text
    assert text.index("Figure 1a.") < text.index("Figure 3.")


def test_what_was_drawn_from_results_that_are_gone_goes_too(results: Results) -> None:
    draw(results)
    for path in (results.results / "cells").glob("*.json"):
        path.unlink()
    draw(results)
    assert not list((results.results / "figures").glob("*.svg"))
    assert "sotu-glove-w1-d50, sotu" not in (results.results / "tables.md").read_text().split("Not run yet")[0]


def test_a_setting_that_is_trained_again_loses_its_comparisons(results: Results) -> None:
    setting = next(s for s in settings() if s.id == "sotu-glove-w1-d50")
    forget_pairs(setting, results)
    assert results.read("pairs") == {}


def test_the_command_names_the_page_from_where_one_stands(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "political.md").write_text("<!-- study -->\n<!-- end of study -->\n")
    monkeypatch.chdir(tmp_path)
    assert main(["study", "--draw", "--results", str(results.results), "--work", str(results.work)]) == 1
    said = capsys.readouterr().out
    assert "The findings are in political.md." in said
    assert str(tmp_path) not in said
