from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from extensions.people import sessions
from extensions.people.access import participant_hash
from extensions.people.lists import human_lists, mentions_of, merge
from extensions.people.models import FreeAssociation, Kind, Rater, RaterState, Source, SourceKind, Study
from extensions.people.tests.conftest import CUES, Begin, Make, words_for
from tasks.errors import InputError


def write(client: Client, row: Study, cue: str, words: list[str]) -> str:
    fields = {f"word{nth}": word for nth, word in enumerate(words, start=1)}
    page = client.post(f"/rate/{row.link}/answer", {"page": "associations", "cue": cue, **fields}, follow=True)
    return page.content.decode()


def write_all(rater: Rater, words: list[str]) -> None:
    sessions.instructed(rater)
    rater.refresh_from_db()
    for cue in rater.plan:
        assert sessions.associate(rater, cue, words) is None


def test_every_cue_comes_once_in_an_order_of_its_own(study: Make, answering: Begin) -> None:
    row = study(Kind.FREE_ASSOCIATIONS)
    plans = [answering(row)[1].plan for _ in range(3)]
    assert all(sorted(plan) == CUES for plan in plans)
    assert len({tuple(plan) for plan in plans}) > 1


def test_a_whole_session_stores_ten_words_a_cue_with_their_time(study: Make, answering: Begin) -> None:
    row = study(Kind.FREE_ASSOCIATIONS)
    client, rater = answering(row)
    for cue in rater.plan:
        write(client, row, cue, words_for(cue))
    rater.refresh_from_db()
    assert (rater.state, rater.associations.count()) == (RaterState.DONE, 100)
    assert not FreeAssociation.objects.filter(milliseconds=None).exists()


def test_control_characters_are_left_out(study: Make, answering: Begin) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["cue"])
    client, rater = answering(row)
    write(client, row, "cue", ["Mo\x07ney\x1b", *words_for("x")[:9]])
    first = rater.associations.get(place=1)
    assert (first.word, first.written) == ("money", "Money")


@pytest.mark.parametrize(
    ("word", "sentence"),
    [("", "Please write a word"), ("X WORD 0", "already written this word"), ("CUE", "the cue itself")],
)
def test_a_word_that_does_not_count_is_refused_politely_at_its_field(
    study: Make, answering: Begin, word: str, sentence: str
) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["cue"])
    client, _ = answering(row)
    page = write(client, row, "cue", [*words_for("x")[:9], word])
    assert sentence in page
    assert 'aria-describedby="word10-error"' in page
    assert 'value="x word 3"' in page
    assert FreeAssociation.objects.count() == 0


def test_the_same_page_sent_twice_counts_once(study: Make, answering: Begin) -> None:
    row = study(Kind.FREE_ASSOCIATIONS)
    client, rater = answering(row)
    for first in (0, 50):
        write(client, row, rater.plan[0], words_for("x", first))
    assert {row.word for row in FreeAssociation.objects.all()} == set(words_for("x"))


def test_the_list_is_by_mentions_of_those_who_finished(study: Make) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["tax"])
    for words in (["money", "irs"], ["irs", "law"]):
        write_all(sessions.begin(row), [*words, *words_for("x")[:8]])
    unfinished = sessions.begin(row)
    sessions.instructed(unfinished)
    listed = mentions_of(row)["tax"]
    assert [(m.word, m.mentions) for m in listed if m.word in ("irs", "money", "law")] == [
        ("irs", 2), ("money", 1), ("law", 1),
    ]  # fmt: skip
    assert len(human_lists(row)["tax"]) == 10


def test_the_owner_merges_variants_and_undoes_it(study: Make, owner: Callable[[Study], Client]) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["paint"])
    for words in (["colour", "color"], ["color"]):
        write_all(sessions.begin(row), [*words, *words_for("x")[: 10 - len(words)]])
    owner(row).post(f"/people/{row.pk}/merge", {"cue": "paint", "variant": "color", "word": "Colour"})
    row.refresh_from_db()
    merged = next(m for m in mentions_of(row)["paint"] if m.word == "colour")
    assert (merged.mentions, merged.variants) == (2, ("color",))
    merge(row, "paint", "color", "color")
    assert next(m for m in mentions_of(row)["paint"] if m.word == "color").mentions == 2


def test_a_word_that_nobody_gave_cannot_be_merged(study: Make) -> None:
    with pytest.raises(InputError, match="No rater gave"):
        merge(study(Kind.FREE_ASSOCIATIONS), CUES[0], "nothing", "something")


@pytest.mark.parametrize("first", [Kind.FREE_ASSOCIATIONS, Kind.TRIADS])
def test_a_person_who_did_one_task_cannot_do_the_other(study: Make, first: Kind) -> None:
    writing, judging = study(Kind.FREE_ASSOCIATIONS), study(Kind.TRIADS)
    Source.objects.create(study=judging, kind=SourceKind.HUMAN, name="collected", human=writing)
    one, other = (writing, judging) if first == Kind.FREE_ASSOCIATIONS else (judging, writing)
    client = Client()
    assert client.post(f"/rate/{one.link}").status_code == 302
    page = client.post(f"/rate/{other.link}")
    assert page.status_code == 403
    assert "the other half of this study" in page.content.decode()
    assert Client().post(f"/rate/{other.link}").status_code == 302


def pages_of(row: Study, participant: str) -> tuple[Rater, list[str]]:
    """Every page of a session in a browser of its own, without what differs between any two."""
    client = Client()
    answers = [client.post(f"/rate/{row.link}", {"participant": participant})]
    rater = Rater.objects.latest("started_at")
    address = f"/rate/{row.link}/now"
    while rater.state == "running" and len(answers) < 30:
        answers.append(client.get(address))
        answer_step(rater)
        rater.refresh_from_db()
    answers.append(client.get(address))
    texts = [f"{answer.status_code} {answer.content.decode()}" for answer in answers]
    return rater, [re.sub(rf"{rater.pk}|csrfmiddlewaretoken\S+ \S+|nonce-\S+", "", text) for text in texts]


def answer_step(rater: Rater) -> None:
    step = sessions.step_of(rater)
    if step.place == "instructions":
        sessions.instructed(rater)
    elif step.place == "questions":
        sessions.reply(rater, {})
    else:
        sessions.associate(rater, step.cue, words_for(step.cue))


@pytest.mark.parametrize("is_other_half", [False, True])
def test_nothing_tells_whether_a_participant_id_has_taken_part(study: Make, is_other_half: bool) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, asks_participant=True, cues=["dog"], completion_code="C0DE")
    if is_other_half:
        judging = study(Kind.TRIADS, asks_participant=True)
        Source.objects.create(study=judging, kind=SourceKind.HUMAN, name="collected", human=row)
        Rater.objects.create(study=judging, participant_hash=participant_hash("5f3e"))
    else:
        Client().post(f"/rate/{row.link}", {"participant": "5f3e"})
    (repeated, seen), (fresh, seen_fresh) = pages_of(row, "5f3e"), pages_of(row, "other")
    assert "C0DE" in seen[-1]
    assert seen == seen_fresh
    assert (repeated.state, fresh.state) == ("screened out", "done")
    assert list(row.raters.counted()) == [fresh]


def test_a_repeated_participant_id_goes_on_with_the_session_that_it_began(study: Make) -> None:
    row, other = study(asks_participant=True), Client()
    Client().post(f"/rate/{row.link}", {"participant": "5f3e"})
    form = consent_form(other, row) | {"participant": "5f3e"}
    for _ in range(2):  # the answer, with its cookies, was lost
        assert Client().post(f"/rate/{row.link}", form).status_code == 302
    assert Rater.objects.count() == 2
    assert other.post(f"/rate/{row.link}", {"rater": "wrong"}).status_code == 404


def test_the_rater_id_resumes_a_session_in_another_browser(study: Make) -> None:
    row = study(asks_participant=True)
    own, other = Client(), Client()
    own.post(f"/rate/{row.link}", {"participant": "5f3e"})
    rater = Rater.objects.get().pk
    assert rater in own.get(f"/rate/{row.link}/now").content.decode()
    other.post(f"/rate/{row.link}", {"rater": f" {rater.upper()} "})
    assert rater in other.get(f"/rate/{row.link}/now").content.decode()
    assert Rater.objects.count() == 1


def consent_form(client: Client, row: Study) -> dict[str, str]:
    """Fields of the consent form."""
    page = client.get(f"/rate/{row.link}?PROLIFIC_PID=5f3e").content.decode()
    found = dict(re.findall(r'name="(\w+)" value="([^"]*)"', page))
    return {name: found[name] for name in ("participant", "browser") if name in found}


@pytest.mark.parametrize("asks", [True, False])
def test_a_form_sent_again_after_a_lost_answer_goes_on_with_the_session_that_it_began(study: Make, asks: bool) -> None:
    """The rater id was never shown, and the cookie was in the lost response."""
    row = study(asks_participant=asks)
    form = consent_form(Client(), row)
    assert Client().post(f"/rate/{row.link}", form).status_code == 302
    again = Client()
    assert again.post(f"/rate/{row.link}", form).status_code == 302
    assert Rater.objects.get().pk in again.get(f"/rate/{row.link}/now").content.decode()
    stranger = consent_form(Client(), row)
    assert Client().post(f"/rate/{row.link}", stranger).status_code == 302
    assert Rater.objects.count() == 2


def test_a_browser_with_another_participant_id_begins_a_session_of_its_own(study: Make) -> None:
    row = study(asks_participant=True)
    form = consent_form(Client(), row)
    for participant in ("one", "two"):
        assert Client().post(f"/rate/{row.link}", form | {"participant": participant}).status_code == 302
    assert Rater.objects.count() == 2


def test_unrelated_studies_may_both_be_done(study: Make) -> None:
    client = Client()
    assert client.post(f"/rate/{study(Kind.FREE_ASSOCIATIONS).link}").status_code == 302
    assert client.post(f"/rate/{study(Kind.TRIADS).link}").status_code == 302
