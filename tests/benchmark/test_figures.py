from __future__ import annotations

import pytest

from benchmark.templatetags import figures
from tasks.metrics import metric_named


@pytest.mark.parametrize(
    ("share", "text"), [(0.12344, "+12.34"), (-0.12346, "−12.35"), (-0.00001, "0.00"), (0.0, "0.00"), (None, "–")]
)
def test_an_error_reduction_has_a_sign_and_two_decimals(share: float | None, text: str) -> None:
    assert figures.signed_percent(share) == text


@pytest.mark.parametrize(("value", "text"), [(-0.126, "−0.126"), (-1e-17, "0.000"), (-0.0004, "0.000"), (None, "–")])
def test_a_correlation_is_never_a_negative_zero(value: float | None, text: str) -> None:
    assert figures.correlation(value) == text


@pytest.mark.parametrize(("share", "text"), [(1.0, "100.0"), (0.99999, "99.9"), (0.5, "50.0"), (None, "–")])
def test_coverage_is_full_only_when_nothing_is_missing(share: float | None, text: str) -> None:
    assert figures.coverage(share) == text


@pytest.mark.parametrize(("number", "text"), [(3_000_000_000, "3 GB"), (1_500_000, "1.5 MB"), (999, "999 bytes")])
def test_a_size_is_written_in_decimal_units(number: int, text: str) -> None:
    assert figures.size(number) == text


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 s"), (89, "89 s"), (600, "10 min"), (9000, "2.5 h")])
def test_a_duration_is_written_as_people_say_it(seconds: float, text: str) -> None:
    assert figures.duration(seconds) == text


@pytest.mark.parametrize(
    ("left", "text"),
    [
        ((2.0, 1.0, 8.0), "about 5 seconds (at most 10 seconds)"),
        ((33.0, 21.0, 61.0), "about 35 seconds (20 to 65 seconds)"),
        ((80.0, 61.0, 121.0), "about 80 seconds (60 seconds to 3 minutes)"),
        ((160.0, 119.0, 241.0), "about 3 minutes (1 to 5 minutes)"),
        ((5500.0, 100.0, 6000.0), "about 2 hours (1 minute to 2 hours)"),
        (None, ""),
    ],
)
def test_the_typical_time_comes_before_a_range_rounded_outwards(
    left: tuple[float, float, float] | None, text: str
) -> None:
    assert figures.time_left(left) == text


@pytest.mark.parametrize(
    ("metric", "values", "texts"),
    [
        ("qvec", (15.2, 15.41, 2.0), ("15.20", "15.41", "2.00")),
        ("distance ratio", (0.9009, 0.941, 1.018), ("0.901", "0.941", "1.018")),
        ("trustworthiness", (0.9, 0.95645), ("0.900", "0.956")),
        ("log rank deviation", (14.9486, 9.5), ("14.95", "9.50")),
        ("mean cosine difference", (0.1, -0.25), ("0.100", "−0.250")),
        ("accuracy", (0.5, 0.7766, None), ("50.00", "77.66", "–")),
    ],
)
def test_scores_of_a_metric_have_one_number_of_decimals(
    metric: str, values: tuple[float | None, ...], texts: tuple[str, ...]
) -> None:
    write = figures.writer_of(metric_named(metric))
    assert tuple(map(write, values)) == texts


def test_words_between_backticks_are_code_and_all_else_is_escaped() -> None:
    assert figures.with_code("Run `a <b>`; ``c`` < d.") == "Run <code>a &lt;b&gt;</code>; <code>c</code> &lt; d."
    assert figures.with_code("A word (`).") == "A word (`)."
