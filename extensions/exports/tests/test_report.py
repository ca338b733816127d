"""The page and the API offer a report in the forms of others, under its public name."""

from __future__ import annotations

import pytest
import yaml
from django.test import Client
from huggingface_hub.repocard_data import model_index_to_eval_results

from benchmark.submissions.models import Submission, Visibility
from benchmark.submissions.states import State
from extensions.exports.measure.forms import WRITERS
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE

NASTY = 'a "name": # with\\ all → kinds'


@pytest.fixture
def card(submission: Make, stranger: Client) -> dict[str, object]:
    """Metadata of an entry with a name that YAML could misread."""
    text = stranger.get(
        f"/api/v1/submissions/{submission(shift=0.1, name=NASTY).pk}/export?form=model-index"
    ).content.decode()
    found: dict[str, object] = yaml.safe_load(text)
    return found


def test_a_model_hub_reads_every_score_that_is_not_descriptive(card: dict[str, object]) -> None:
    name, results = model_index_to_eval_results(card["model-index"])
    assert name == NASTY
    judged = [(task, mode) for task, mode in SUITE.cells() if not task.descriptive]
    judged = [cell for cell in judged if cell[0].family.group not in ("Political", "Associations")]
    assert len(results) == len(judged) > 12
    named = "Accuracy in % with fixed vectors (95 % interval 62.00 to 66.00)"
    tagging = next(one for one in results if one.metric_name == named)
    assert (tagging.task_type, tagging.metric_type, tagging.metric_value) == ("token-classification", "accuracy", 64.0)
    assert {one.source_url.split("/r/")[0] for one in results} == {"http://testserver"}


def test_the_page_links_every_form(submission: Make, stranger: Client) -> None:
    row = submission(shift=0.1)
    page = stranger.get(f"/r/{row.pk}").content.decode()
    for form in WRITERS:
        address = f"/api/v1/submissions/{row.pk}/export?form={form}"
        assert f'href="{address}"' in page
        assert stranger.get(address).status_code == 200


def test_other_forms_have_the_public_name(submission: Make, stranger: Client) -> None:
    row = submission(shift=0.1, name=NASTY)

    def names() -> set[str]:
        results, log = (
            stranger.get(f"/api/v1/submissions/{row.pk}/export", {"form": form}).json()
            for form in ("mteb", "every-eval-ever")
        )
        return {results["model_name"], log["model_info"]["name"], log["model_info"]["id"]}

    assert names() == {NASTY}
    Submission.objects.filter(pk=row.pk).update(visibility=Visibility.ANONYMOUS)
    assert names() == {f"Anonymous entry {row.pk[:4]}"}


def test_an_unknown_form_is_refused_with_the_known_ones(submission: Make, stranger: Client) -> None:
    response = stranger.get(f"/api/v1/submissions/{submission().pk}/export?form=bibtex")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "unknown-value")
    assert "model-index, mteb, every-eval-ever" in response.json()["error"]["message"]


def test_without_a_report_the_api_says_how_far_it_is(submission: Make, stranger: Client) -> None:
    response = stranger.get(f"/api/v1/submissions/{submission(State.RUNNING).pk}/export")
    assert (response.status_code, response.json()["state"]) == (409, "running")
