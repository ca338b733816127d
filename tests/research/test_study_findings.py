"""The study's findings: verdicts from counted comparisons, and a page whose numbers come from the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from research.cli import main
from research.study.findings import Comparison, Finding, findings, write_findings
from research.study.run import forget_pairs, key
from research.study.store import PUBLISHED, Numbers, Results, Setting, settings

LOSSES = {"1-50": 0.030, "1-100": 0.020, "1-300": 0.015, "6-50": 0.028, "6-100": 0.021}


def cell(loss: float, minutes: float, stability: float) -> dict[str, Any]:
    shown = {
        "mean": stability,
        "quantiles": [0.5, 0.6, 0.7, 0.8, 0.9],
        "pairs": [stability],
        "interval": [stability - 0.005, stability + 0.005],
        "cues": 9,
    }
    return {
        "runs": [{"loss": loss, "iterations": 40, "converged": True, "processor_minutes": minutes}],
        "stability": {"random": shown, "political": shown},
        "human": {name: {"mean": 14.0, "se": 0.9} for name in ("full", "within", "relative")} | {"cues": {}},
    }


def pair(*, random: float, political: float, error: float = 0.01) -> dict[str, Any]:
    overlap = {str(n): 0.5 for n in (5, 10, 25, 50, 100)}
    means = {"random": (random, 100), "political": (political, 9)}
    sets = {name: {"mean": mean, "se": error, "n": n, "jaccard": overlap} for name, (mean, n) in means.items()}
    return {"common_words": 8000, **sets}


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Five GloVe settings of the State of the Union, and two that were compared."""
    made = Results(tmp_path / "study", tmp_path / "work")
    for nth, (label, loss) in enumerate(LOSSES.items()):
        made.write(f"cells/{setting(label).id}", cell(loss, 0.1 * (nth + 1), 0.80 + 0.02 * nth))
    made.write("pairs", {key(setting("1-50"), setting("1-100")): pair(random=0.9, political=0.7)})
    return made


def finding(results: Results, claim: str) -> Finding:
    return next(found for found in findings(Numbers(results)) if found.claim == claim)


def test_a_claim_confirmed_by_every_comparison_holds(results: Results) -> None:
    found = finding(results, "More dimensions fit better")
    assert (found.verdict, len(found.comparisons)) == ("Holds", 3)
    assert "GloVe, window 1: 0.0300 at 50, 0.0200 at 100" in [comparison.text for comparison in found.comparisons]


def setting(label: str, algorithm: str = "glove") -> Setting:
    return next(s for s in settings() if s.id.startswith(f"sotu-{algorithm}") and s.label == label)


def with_distances(results: Results, label: str, distances: list[float]) -> None:
    """Distances from people of single cues."""
    cues = {f"cue{i}": {"full": 20.0 + i, "within": 2.0, "relative": value} for i, value in enumerate(distances)}
    summary = {"mean": sum(distances) / len(distances), "se": 0.08}
    human = {"full": summary, "within": summary, "relative": summary, "cues": {"lost": None} | cues}
    results.write(f"cells/{setting(label).id}", cell(0.02, 0.1, 0.9) | {"human": human})


AVOIDED = "Small windows with few dimensions are to be avoided"


def test_distances_from_people_are_compared_cue_by_cue(results: Results) -> None:
    """Cues differ more than settings do, so a difference that is clear per cue may be unclear between two means."""
    hard = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2]
    with_distances(results, "1-50", [value + 0.1 + 0.01 * value for value in hard])
    with_distances(results, "6-100", hard)
    found = finding(results, AVOIDED)
    assert found.verdict == "Holds"
    assert "GloVe 0.91 ± 0.08 at 1-50 and 0.80 ± 0.08 at 6-100 over 9 cues (Wilcoxon's p = 0.004)" in found.sentence


def test_a_distance_within_chance_decides_nothing(results: Results) -> None:
    with_distances(results, "1-50", [0.9 + (-1.0) ** i * 0.1 for i in range(9)])
    with_distances(results, "6-100", [0.9] * 9)
    found = finding(results, AVOIDED)
    assert (found.verdict, found.count(False)) == ("Undecided", 0)
    assert found.sentence.endswith("The paper exempts this corpus (§9).")


def test_the_loss_of_skip_gram_is_compared_per_pair(results: Results) -> None:
    """Per token it grows with the window, because there are more pairs."""
    tokens, losses = 1_000, {"1-50": 2.8, "6-50": 8.9, "12-50": 15.2}
    for label, loss in losses.items():
        made = cell(loss, 0.1, 0.9)
        made["runs"][0]["tokens"] = tokens
        results.write(f"cells/{setting(label, 'skip-gram').id}", made)
    results.write("corpora", {"sotu": {"pairs": {"1": 1_400, "6": 4_700, "12": 8_500}}})
    steps = [c for c in finding(results, "Larger windows fit better").comparisons if "skip-gram" in c.text]
    assert [c.text for c in steps] == [
        "skip-gram, 50 dimensions: 2.0000 at 1, 1.8936 at 6",
        "skip-gram, 50 dimensions: 1.8936 at 6, 1.7882 at 12",
    ]
    assert all(c.agrees for c in steps)


def test_skip_gram_has_no_loss_without_the_number_of_pairs(results: Results) -> None:
    results.write(f"cells/{setting('1-50', 'skip-gram').id}", cell(2.8, 0.1, 0.9))
    assert Numbers(results).cells[setting("1-50", "skip-gram").id]["loss"] is None


@pytest.mark.parametrize(
    ("agree", "undecided", "contradict", "verdict"),
    [
        (0, 0, 0, "Undecided"),
        (3, 0, 0, "Holds"),
        (7, 0, 5, "Holds in part"),
        (18, 0, 18, "Mixed"),
        (0, 33, 3, "Undecided"),
        (1, 0, 2, "Does not hold"),
    ],
)
def test_the_verdict_is_a_count(agree: int, undecided: int, contradict: int, verdict: str) -> None:
    answers = [True] * agree + [None] * undecided + [False] * contradict
    compared = tuple(Comparison(f"{i}", answer) for i, answer in enumerate(answers))
    assert Finding("a claim", "§0", compared).verdict == verdict


def test_a_claim_is_not_contradicted_by_a_corpus_that_the_paper_exempts() -> None:
    found = Finding("a claim", "§0", (Comparison("0.3", False),) * 4, exempt="note 35")
    assert found.verdict == "Exempt"
    assert found.sentence.endswith("The paper exempts this corpus (note 35).")


def test_a_mean_whose_interval_has_the_threshold_decides_nothing(results: Results) -> None:
    results.write("pairs", {key(setting("1-50"), setting("1-100")): pair(random=0.51, political=0.7)})
    found = finding(results, "All local settings correlate above 0.5")
    assert (found.verdict, found.comparisons[0].agrees) == ("Undecided", None)


def test_published_vectors_are_compared_with_every_setting_that_has_a_pair(results: Results) -> None:
    pairs = {key(setting("1-50"), PUBLISHED): pair(random=0.1, political=0.2)}
    results.write("pairs", pairs | {key(setting("6-50"), PUBLISHED): pair(random=0.1, political=0.3)})
    claim = "Published vectors correlate above 0.5 with local ones around political cues"
    assert finding(results, claim).verdict == "Exempt"
    assert finding(results, "… and more with larger windows").comparisons[0].agrees


def test_separability_counts_where_intervals_are_apart(results: Results) -> None:
    differences = {"glove-w1-d50": 0.3, "glove-w6-d50": 0.5, "glove-w12-d50": 0.51}
    figures = {
        name: {"same": value, "random": 0.0, "difference": value, "interval": [value - 0.02, value + 0.02]}
        for name, value in differences.items()
    }
    results.write("separability", figures)
    found = finding(results, "Larger windows separate words better")
    assert [c.agrees for c in found.comparisons] == [True, None]


def test_parties_differ_where_the_interval_excludes_zero(results: Results) -> None:
    groups = {party: {"mean": 0.2, "se": 0.01} for party in ("Republican", "Democratic")}
    for interval, agrees in ([-0.01, 0.02], True), ([0.01, 0.03], False):
        apart = {"mean": 0.01, "interval": interval, "p": 0.5, "cues": 9}
        results.write("parties", {"political": {"groups": groups, "difference": apart, "common_words": 900}})
        claim = "Published vectors are not significantly nearer to one party"
        assert finding(results, claim).comparisons[0].agrees is agrees


def test_returns_decrease_where_the_second_step_gains_less_a_dimension(results: Results) -> None:
    found = finding(results, "… with decreasing returns")
    assert (found.verdict, found.sentence) == (
        "Holds",
        "GloVe, window 1: 2.0e-04 a dimension up to 100, 2.5e-05 up to 300.",
    )


def test_claims_about_settings_not_run_are_undecided(results: Results) -> None:
    found = finding(results, "Larger windows separate words better")
    assert (found.verdict, found.sentence) == ("Undecided", "The settings that it compares have not been run.")


def test_pairs_are_found_either_way_round(results: Results) -> None:
    claim = "Correlations are larger around political cues than around random ones"
    assert finding(results, claim).sentence == "1-50 and 1-100 0.700 against 0.900."


def test_the_findings_replace_the_text_between_their_markers(results: Results, tmp_path: Path) -> None:
    page = tmp_path / "political.md"
    page.write_text("before\n<!-- study -->\nbygone\n<!-- end of study -->\nafter\n")
    assert write_findings(results, page) == page
    text = page.read_text()
    assert text.startswith(
        "before\n<!-- study -->\n5 of 26 settings have been run. Outside the grid, these are missing: "
    )
    assert text.endswith("<!-- end of study -->\nafter\n")
    assert "bygone" not in text
    assert "| Runs of one setting agree above 0.85, random cues (§6.3) | **Does not hold.** 2 of 5" in text


def test_a_page_without_a_place_is_left_alone(results: Results, tmp_path: Path) -> None:
    page = tmp_path / "other.md"
    assert write_findings(results, page) is None
    page.write_text("nothing")
    assert write_findings(results, page) is None
    assert page.read_text() == "nothing"


def test_a_setting_that_is_trained_again_loses_its_comparisons(results: Results) -> None:
    forget_pairs(setting("1-50"), results)
    assert results.read("pairs") == {}


def test_the_command_names_the_page_relative_to_the_current_folder(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "political.md").write_text("<!-- study -->\n<!-- end of study -->\n")
    monkeypatch.chdir(tmp_path)
    assert main(["study", "--write", "--results", str(results.results), "--work", str(results.work)]) == 1
    said = capsys.readouterr().out
    assert "The findings are in political.md." in said
    assert str(tmp_path) not in said
