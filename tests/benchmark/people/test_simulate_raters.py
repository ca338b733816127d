from __future__ import annotations

import json
from io import StringIO

from django.core.management import call_command

from tasks.people.simulation import OVERLAPS, PREFERENCES


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("simulate_raters", *arguments, stdout=out)
    return out.getvalue()


def test_every_preference_is_checked_with_every_overlap() -> None:
    rows = json.loads(printed("--runs", "5", "--json"))
    assert {(row["p"], row["overlap"]) for row in rows} == {(p, o) for p in PREFERENCES for o in OVERLAPS}
    assert all(set(row) == {"p", "overlap", "bias", "coverage"} for row in rows)


def test_the_same_seed_prints_the_same_table() -> None:
    assert printed("--runs", "5") == printed("--runs", "5")
    assert printed("--runs", "5") != printed("--runs", "5", "--seed", "1")


def test_it_says_how_many_raters_an_interval_needs() -> None:
    lines = printed("--half-width", "0.4").splitlines()
    alike = [int(cell) for cell in lines[-3].split("|")[2:4]]
    assert 2 < alike[0] < alike[1]
