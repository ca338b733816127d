"""Reasons for missing scores in the shipped reports are worded as this version words them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from benchmark.shipped.dump import dump_path, stored_entries
from tasks.associations.measure import plain_name
from tasks.baseline import published
from tasks.errors import NoScore
from tasks.political.separability import separability
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tasks.word_tasks import ASSOCIATION_TASKS


@pytest.fixture(scope="module")
def reasons() -> list[tuple[str, str]]:
    """Task and reason, of the shipped entries and the baselines."""
    reports = [json.loads(entry.details["report"]) for entry in stored_entries(OPEN_2026, dump_path(OPEN_2026))]
    reports += [json.loads(path.read_text()) for path in published.SHIPPED.glob(f"{OPEN_2026.id}-*.json")]
    return [(one["task"], one["reason"]) for report in reports for one in report.get("unavailable", ())]


def test_a_file_without_tagged_words_has_the_reason_of_this_version(reasons: list[tuple[str, str]]) -> None:
    with pytest.raises(NoScore) as found:
        separability(Embedding("plain", ["war", "peace"], np.eye(2, dtype=np.float32), ""), 10)
    assert {reason for task, reason in reasons if task == "separability"} == {str(found.value)}


def test_lists_without_enough_words_have_their_plain_names(reasons: list[tuple[str, str]]) -> None:
    plain = {plain_name(name) for task in ASSOCIATION_TASKS for name in task.options["lists"]}
    named = {name for task, reason in reasons if task.startswith("weat-") for name in re.findall("“(.*?)”", reason)}
    assert named
    assert named <= plain
