from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.people import sessions
from extensions.people.models import (
    Comparison,
    IllegalStudyMove,
    Kind,
    RaterState,
    Source,
    SourceKind,
    Study,
    StudyState,
    move_to,
)
from extensions.people.tests.conftest import CUES, TOKEN, Browser, Make

FORM: dict[str, Any] = {
    "title": "Political words",
    "kind": "triads",
    "language": "en",
    "cues": "Democracy\nfreedom\n\nfreedom",
    "raters_wanted": 50,
    "practice": "kitchen: oven / comet",
    "screeners": "winter: snow / invoice",
    "licence": "CC BY 4.0",
    "retention_days": 90,
}


def make_through_the_form(**changes: Any) -> tuple[Client, Any]:
    client = Client()
    return client, client.post("/people/new", FORM | changes)


@pytest.mark.django_db
def test_a_visitor_makes_a_study_and_owns_it() -> None:
    client, response = make_through_the_form()
    row = Study.objects.get()
    assert response["Location"] == f"/people/{row.pk}/"
    assert (row.state, row.cues, row.screeners) == ("draft", ["democracy", "freedom"], [["winter", "snow", "invoice"]])
    assert "random number in place of your name" in row.consent
    assert client.get(f"/people/{row.pk}/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("title", "", "Give the study a title; raters see it."),
        ("title", "x" * 81, "Shorten this to 80 characters; it has 81."),
        ("kind", "other", "Choose what raters do"),
        ("language", "xx", "Choose the language of the words"),
        ("cues", " ", "Enter at least one cue."),
        ("licence", "", "Name the licence of the lists"),
        ("retention_days", "many", "Enter a whole number from 1 to 3,650."),
        ("cues", "\n".join(map(str, range(31))), "write 1 to 30"),
        ("practice", "kitchen oven comet", "cannot be read"),
        ("screeners", "a: b / b", "cannot be read"),
        ("questions", "Age", "question | option | option"),
        ("raters_wanted", 1, "Enter a whole number from 2 to 5,000."),
        ("raters_wanted", "", "Enter a whole number from 2 to 5,000."),
    ],
)
def test_an_error_is_shown_at_its_field(field: str, value: Any, sentence: str) -> None:
    _, response = make_through_the_form(**{field: value})
    assert response.status_code == 400
    page = response.content.decode()
    assert sentence in page
    assert f'id="{field}-error"' in page
    assert not Study.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "minutes"),
    [
        ({"kind": "associations"}, 4),
        ({"kind": "associations", "cues": "a b c d e f g h i j"}, 15),
        ({"cues": "a b c d e f g h i j", "screeners": "a: b / c\nd: e / f"}, 4),
        ({"kind": "associations", "questions": "\n".join(["Age | under 40 | over 40"] * 8)}, 5),
    ],
)
def test_the_default_consent_estimates_the_time_from_the_number_of_questions(
    changes: dict[str, str], minutes: int
) -> None:
    make_through_the_form(**changes)
    assert f"It takes about {minutes} minutes." in Study.objects.get().consent


@pytest.mark.django_db
def test_a_default_consent_follows_later_cues_and_an_own_one_stays() -> None:
    client, response = make_through_the_form(kind="associations")
    row = Study.objects.get()
    client.post(f"{response['Location']}edit", FORM | {"cues": "a b c d e f g h i j", "consent": row.consent})
    row.refresh_from_db()
    assert "It takes about 15 minutes." in row.consent
    client.post(f"{response['Location']}edit", FORM | {"consent": "My own text."})
    row.refresh_from_db()
    assert row.consent == "My own text."


@pytest.mark.parametrize("kind", list(Kind))
def test_a_full_study_says_so_before_it_asks_for_consent(study: Make, owner: Browser, kind: Kind) -> None:
    row = study(kind, raters_wanted=1)
    begun = sessions.begin(row)
    assert "Send this link to raters" in owner(row).get(f"/people/{row.pk}/").content.decode()
    move_to(begun, RaterState.DONE)
    page = owner(row).get(f"/people/{row.pk}/").content.decode()
    assert "Enough raters have finished." in page
    assert "Send this link" not in page
    response = Client().get(f"/rate/{row.link}")
    assert response.status_code == 410
    assert "This study has enough raters" in response.content.decode()
    assert 'name="browser"' not in response.content.decode()


def test_a_rater_with_a_participant_id_can_continue_in_another_browser_of_a_full_study(study: Make) -> None:
    row = study(raters_wanted=1, asks_participant=True)
    waiting, first = sessions.begin(row), sessions.begin(row)
    move_to(first, RaterState.DONE)
    assert 'name="rater"' in Client().get(f"/rate/{row.link}").content.decode()
    assert Client().post(f"/rate/{row.link}", {"rater": waiting.pk})["Location"] == f"/rate/{row.link}/now"


@pytest.mark.django_db
def test_the_form_starts_with_the_cues_of_a_language() -> None:
    assert "inmigración" in Client().get("/people/new?language=es").content.decode()


def test_the_owner_link_gives_the_rights_and_forgets_the_address(study: Make) -> None:
    row, client = study(), Client()
    response = client.get(f"/people/{row.pk}/owner/{TOKEN}")
    assert response["Location"] == f"/people/{row.pk}/"
    assert client.get(f"/people/{row.pk}/").status_code == 200


def test_an_account_owns_its_studies_in_every_browser(study: Make, django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("ada")
    row, client = study(owner=user), Client()
    client.force_login(user)
    assert client.get(f"/people/{row.pk}/").status_code == 200
    assert row.title in client.get("/people/").content.decode()


def test_a_study_is_opened_and_closed_once(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    for action, state in (("open", StudyState.OPEN), ("close", StudyState.CLOSED)):
        assert owner(row).post(f"/people/{row.pk}/{action}").status_code == 302
        row.refresh_from_db()
        assert row.state == state
    assert owner(row).post(f"/people/{row.pk}/open").status_code == 409
    assert row.opened_at < row.closed_at


def test_two_who_close_at_once_close_once(study: Make) -> None:
    row = study()
    stale = Study.objects.get(pk=row.pk)
    move_to(row, StudyState.CLOSED)
    with pytest.raises(IllegalStudyMove):
        move_to(stale, StudyState.CLOSED)


def test_a_study_without_sources_is_not_opened(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    row.sources.all().delete()
    page = owner(row).post(f"/people/{row.pk}/open")
    assert (page.status_code, Study.objects.get().state) == (409, StudyState.DRAFT)
    assert "Add at least two sources" in page.content.decode()


def test_a_study_that_is_open_keeps_what_raters_have_read(study: Make, owner: Browser) -> None:
    row = study()
    assert owner(row).post(f"/people/{row.pk}/edit", FORM).status_code == 409
    source = row.sources.first()
    assert source is not None
    assert owner(row).post(f"/people/{row.pk}/sources/{source.pk}/remove").status_code == 409
    assert owner(row).post(f"/people/{row.pk}/sources", {"kind": "list", "lists": "cue,word\na,b"}).status_code == 400


def test_uploaded_lists_come_as_csv_or_json_by_hand_or_by_file(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    lists = "\n".join(["cue,word", *(f"{cue},w{n}" for cue in CUES for n in range(10))])
    owner(row).post(f"/people/{row.pk}/sources", {"kind": "list", "name": "typed", "lists": lists})
    file = SimpleUploadedFile("lists.json", b'{"Cue0": ["Ox", "hen"]}')
    owner(row).post(f"/people/{row.pk}/sources", {"kind": "list", "name": "file", "file": file})
    assert row.sources.get(name="typed").words["cue3"][9] == "w9"
    assert row.sources.get(name="file").words == {"cue0": ["ox", "hen"]}
    assert row.comparisons.count() == 3


def test_a_file_of_more_lists_than_a_study_can_ask_for_is_refused(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    file = SimpleUploadedFile("lists.csv", b"cue,word\n" + b"law,court\n" * 110_000)
    answer = owner(row).post(f"/people/{row.pk}/sources", {"kind": "list", "name": "file", "file": file})
    assert (answer.status_code, row.sources.count()) == (400, 2)
    assert "larger than 1 MB" in answer.content.decode()


def test_lists_that_lack_a_cue_are_reported_before_the_study_opens(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    owner(row).post(f"/people/{row.pk}/sources", {"kind": "list", "name": "short", "lists": "cue,word\ncue0,ox"})
    page = owner(row).post(f"/people/{row.pk}/open").content.decode()
    assert "The candidate has no list for “cue1”" in page


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"kind": "list", "lists": "word\nx"}, "must name the columns cue and word"),
        ({"kind": "list", "lists": "{oops"}, "JSON cannot be read"),
        ({"kind": "list", "lists": '{"a": ' + "[" * 40_000}, "nested more than"),
        ({"kind": "list", "lists": "cue,word\na"}, "line 2"),
        ({"kind": "list", "lists": "cue,word\na,"}, "line 2"),
        ({"kind": "entry", "entry": "nothing"}, "No evaluated entry"),
        ({"kind": "entry", "entry": ""}, "No evaluated entry"),
        ({"kind": "nothing"}, "Choose the kind of the source."),
        ({"kind": "human", "human": "abcdefghijkl"}, "neither published nor yours"),
        ({"kind": "list", "name": "people", "lists": "cue,word\na,b"}, "already"),
    ],
)
def test_a_source_that_does_not_fit_is_reported(
    study: Make, owner: Browser, data: dict[str, str], sentence: str
) -> None:
    row = study(state=StudyState.DRAFT)
    response = owner(row).post(f"/people/{row.pk}/sources", data)
    assert response.status_code == 400
    assert sentence in response.content.decode()
    assert row.sources.count() == 2


def test_another_source_becomes_the_baseline(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    model = row.sources.get(name="model")
    owner(row).post(f"/people/{row.pk}/sources/{model.pk}/baseline")
    assert str(Comparison.objects.get()) == "people against model"


def test_removing_the_baseline_makes_the_next_source_one(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    owner(row).post(f"/people/{row.pk}/sources/{row.sources.get(name='people').pk}/remove")
    assert row.sources.get().is_baseline


def test_an_entry_waits_for_a_worker_and_the_page_says_so(
    study: Make, owner: Browser, django_capture_on_commit_callbacks: Any
) -> None:
    entry = Submission.objects.create(name="vectors", **ENTRY)
    row = study(state=StudyState.DRAFT)
    with django_capture_on_commit_callbacks() as callbacks:
        owner(row).post(f"/people/{row.pk}/sources", {"kind": "entry", "entry": f"http://testserver/r/{entry.pk}"})
    assert len(callbacks) == 1
    page = owner(row).get(f"/people/{row.pk}/").content.decode()
    assert "A worker is making the lists" in page
    assert "No worker is running." in page


def test_lists_that_workers_make_count_among_what_one_person_may_request(
    settings: Any, study: Make, owner: Browser
) -> None:
    settings.VECBOARD_OPEN_PAGE_JOBS = 2
    entry = Submission.objects.create(name="v", **ENTRY)
    rows = [study(state=StudyState.DRAFT) for _ in range(3)]
    answers = [owner(row).post(f"/people/{row.pk}/sources", {"kind": "entry", "entry": entry.pk}) for row in rows]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert [row.sources.filter(kind=SourceKind.ENTRY).count() for row in rows] == [1, 1, 0]
    assert Job.objects.count() == 2
    assert all(job.payer for job in Job.objects.all())

    # What was requested already may be requested again: no further job.
    Job.objects.update(tries=2)
    assert owner(rows[0]).post(f"/people/{rows[0].pk}/sources/make").status_code == 302
    assert sorted(Job.objects.values_list("tries", flat=True)) == [0, 2]


ENTRY = {"state": "done", "vectors_sha256": "0" * 64, "suite": "demo", "file_key": "uploads/x.gz"}


def add_entry(study: Make, owner: Browser, named: str) -> tuple[Study, str]:
    """Add a source to a new study; the study, and the page if it is refused."""
    row = study(state=StudyState.DRAFT)
    return row, owner(row).post(f"/people/{row.pk}/sources", {"kind": "entry", "entry": named}).content.decode()


@pytest.mark.parametrize("named", ["{id}", "https://example.org/r/{id}", "Skip-gram, 50", " skip-gram, 50 "])
def test_an_entry_is_added_by_id_link_or_name(study: Make, owner: Browser, named: str) -> None:
    entry = Submission.objects.create(name="Skip-gram, 50", visibility="public", **ENTRY)
    row, _ = add_entry(study, owner, named.format(id=entry.pk))
    assert row.sources.filter(submission=entry).exists()


def test_an_entry_without_vectors_is_neither_offered_nor_taken(study: Make, owner: Browser) -> None:
    entry = Submission.objects.create(name="Report only", visibility="public", **ENTRY | {"file_key": ""})
    row, page = add_entry(study, owner, entry.pk)
    assert "This site does not keep the vectors of Report only. Choose an entry with vectors." in page
    assert not row.sources.filter(submission=entry).exists()
    assert f'<option value="{entry.pk}">' not in page


def test_a_name_of_several_entries_is_not_enough(study: Make, owner: Browser) -> None:
    for _ in range(2):
        Submission.objects.create(name="twice", visibility="public", **ENTRY)
    row, page = add_entry(study, owner, "twice")
    assert "Several entries have the name “twice”" in page
    assert row.sources.count() == 2


@pytest.mark.parametrize("visibility", ["unlisted", "anonymous", "private"])
def test_a_name_finds_no_entry_that_is_not_listed_under_it(study: Make, owner: Browser, visibility: str) -> None:
    Submission.objects.create(name="secret", visibility=visibility, **ENTRY)
    assert "No evaluated entry" in add_entry(study, owner, "secret")[1]


def test_collected_lists_are_added_by_title(study: Make, owner: Browser) -> None:
    lists_of = study(Kind.FREE_ASSOCIATIONS, StudyState.CLOSED, title="What people say")
    row = study(state=StudyState.DRAFT)
    owner(row).post(f"/people/{row.pk}/sources", {"kind": "human", "human": "what people say"})
    assert row.sources.filter(human=lists_of).exists()


def test_a_private_entry_cannot_be_chosen_by_a_stranger(study: Make, owner: Browser) -> None:
    entry = Submission.objects.create(
        name="not for you", state="done", vectors_sha256="0" * 64, suite="demo", visibility="private"
    )
    row = study(state=StudyState.DRAFT)
    page = owner(row).post(f"/people/{row.pk}/sources", {"kind": "entry", "entry": entry.pk}).content.decode()
    assert "No evaluated entry" in page
    assert "not for you" not in page


def test_the_lists_that_raters_saw_are_never_made_again(study: Make) -> None:
    from extensions.people.lists import make_lists, no_vectors

    row = study()
    before = Comparison.objects.get().lists
    Source.objects.filter(study=row, kind=SourceKind.LIST).update(words={})
    make_lists(row, no_vectors)
    assert Comparison.objects.get().lists == before


def test_lists_are_published_when_the_study_is_closed(study: Make) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, state=StudyState.CLOSED)
    assert row.title in Client().get("/people/").content.decode()
    assert Client().get(f"/people/{row.pk}/lists.json").json()["study"]["licence"] == "CC BY 4.0"
    assert Client().get(f"/people/{row.pk}/lists.csv").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "word"), [("en", "kitchen"), ("de", "küche"), ("es", "cocina"), ("fi", "kitchen")]
)
def test_practice_and_screeners_start_in_the_language_that_raters_read(language: str, word: str) -> None:
    assert f"{word}: " in Client().get(f"/people/new?language={language}").content.decode()
