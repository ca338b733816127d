"""The block for a model card, read as a model hub's own program reads it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml
from django.test import Client
from huggingface_hub.repocard_data import model_index_to_eval_results

from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.benchmark.reports import SUITE

Make = Callable[..., Submission]
NASTY = 'a "name": # with\\ all → kinds'


@pytest.fixture
def card(submission: Make, stranger: Client) -> dict[str, object]:
    """The metadata of an entry with a name that YAML could misread."""
    text = stranger.get(f"/api/v1/submissions/{submission(shift=0.1, name=NASTY).pk}/model-index").content.decode()
    found: dict[str, object] = yaml.safe_load(text)
    return found


def test_a_hub_reads_every_judged_figure(card: dict[str, object]) -> None:
    name, results = model_index_to_eval_results(card["model-index"])
    assert name == NASTY
    judged = [(task, mode) for task, mode in SUITE.cells() if not task.descriptive]
    judged = [cell for cell in judged if cell[0].family.group not in ("Political", "Associations")]
    assert len(results) == len(judged) > 12
    tagging = next(one for one in results if one.metric_name == "Accuracy in % with fixed vectors")
    assert (tagging.task_type, tagging.metric_type, tagging.metric_value) == ("token-classification", "accuracy", 64.0)
    assert {one.source_url.split("/r/")[0] for one in results} == {"http://testserver"}


def test_the_page_shows_the_same_block(submission: Make, stranger: Client) -> None:
    row = submission(shift=0.1)
    block = stranger.get(f"/api/v1/submissions/{row.pk}/model-index").content.decode()
    page = stranger.get(f"/r/{row.pk}").content.decode()
    assert block.replace('"', "&quot;") in page


def test_without_a_report_the_api_says_how_far_it_is(submission: Make, stranger: Client) -> None:
    response = stranger.get(f"/api/v1/submissions/{submission(State.RUNNING).pk}/model-index")
    assert (response.status_code, response.json()["state"]) == (409, "running")
