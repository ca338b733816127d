from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from extensions.people import exchange, lists, sessions, study_pages
from extensions.people.access import network_hash
from extensions.people.exchange import answers_csv, import_answers, lists_as_csv
from extensions.people.forms import read_lists
from extensions.people.lists import mentions_of
from extensions.people.models import (
    Choice,
    Comparison,
    FreeAssociation,
    Kind,
    Rater,
    Source,
    SourceKind,
    Study,
    StudyState,
)
from extensions.people.results import result_of
from extensions.people.retention import forget
from extensions.people.tests.conftest import CUES, OURS, Browser, Make, finish
from extensions.people.tests.test_association_session import write_all
from tasks.errors import InputError
from tasks.text import LeftOut

# As R writes it: a first column without a name, dots in names, logical values in capitals.
PAPER = ",".join(
    f'"{name}"'
    for name in (
        "", "workerid", "cue", "left.source", "right.source", "left.word", "right.word", "left.rank", "right.rank",
        "left.choice", "right.choice",
    )
)  # fmt: skip


def paper_file(*lines: str) -> str:
    return "\n".join([PAPER, *(f'"{nth}",{line}' for nth, line in enumerate(lines, start=1))])


def rows_of(study: Study) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(answers_csv(study)))))


def test_the_papers_own_files_are_read(study: Make) -> None:
    row = study()
    imported = import_answers(
        row,
        paper_file(
            '"W1","cue0","people","model","b0","a0","1","1",TRUE,FALSE',
            '"W1","cue1","model","people","a1","b1","2","2",TRUE,FALSE',
            '"W2","cue0","people","model","b3","a0","4","1",FALSE,TRUE',
        ),
    )
    result = result_of(row.comparisons.get())
    assert (imported.raters, imported.answers) == (2, 3)
    assert [(cue.won, cue.shown) for cue in result.preference.cues[:3]] == [(1, 2), (1, 1), (0, 0)]


def test_ids_of_workers_are_kept_as_codes_only(study: Make) -> None:
    row = study()
    import_answers(row, paper_file('"A1SECRET","cue0","people","model","b0","a0","1","1",TRUE,FALSE'))
    rater = Rater.objects.get()
    assert len(rater.participant_hash) == 64
    assert "A1SECRET" not in "".join(answers_csv(row)) + str(Rater.objects.values())


def test_an_export_can_be_imported_with_the_same_score(study: Make) -> None:
    first, second = study(), study()
    for prefer in ("candidate", "candidate", "baseline"):
        finish(sessions.begin(first), prefer)
    text = "".join(answers_csv(first))
    imported = import_answers(second, text)
    assert (imported.raters, imported.not_counted) == (3, 9)
    one, two = (result_of(row.comparisons.get()).preference for row in (first, second))
    assert one == two


def test_exports_have_the_papers_columns_and_mark_what_does_not_count(study: Make) -> None:
    row = study()
    finish(sessions.begin(row))
    rows = rows_of(row)
    assert len(rows) == 13
    assert sum(line["counted"] == "TRUE" for line in rows) == 10
    triad = next(line for line in rows if line["kind"] == "cue")
    assert {triad["left.source"], triad["right.source"]} == {"people", "model"}
    assert triad["left.rank"].isdigit()
    assert {triad["left.choice"], triad["right.choice"]} == {"TRUE", "FALSE"}


ODD = {
    '"W1","cue0","glove","model","x","a0","1","1",TRUE,FALSE': "Line 2 compares “glove” with “model”",
    '"W1","other","people","model","x","a0","1","1",TRUE,FALSE': "Line 2 has the cue “other”",
    '"W1","cue0","people","model","x","x","1","1",TRUE,FALSE': "two different words",
    '"W1","cue0","people","model","x","y","1","1",maybe,FALSE': "it must be TRUE or FALSE",
    '"","cue0","people","model","x","y","1","1",TRUE,FALSE': "names no rater",
}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cue,left.source\na,b", "lacks left.choice, left.word, right.source, right.word"),
        ("cue,left.source,right.source,left.word,right.word,left.choice\n", "lacks workerid"),
        *((paper_file(line), sentence) for line, sentence in ODD.items()),
    ],
)
def test_a_file_without_a_line_that_fits_is_refused_with_its_line(study: Make, text: str, sentence: str) -> None:
    row = study()
    with pytest.raises(InputError, match=sentence):
        import_answers(row, text)
    assert not Rater.objects.exists()


def test_associations_are_read_and_written(study: Make) -> None:
    first, second = study(Kind.FREE_ASSOCIATIONS, cues=["tax"]), study(Kind.FREE_ASSOCIATIONS, cues=["tax"])
    write_all(sessions.begin(first), ["Money", *[f"w{n}" for n in range(9)]])
    import_answers(second, "".join(answers_csv(first)))
    assert [m.word for m in mentions_of(second)["tax"]] == [m.word for m in mentions_of(first)["tax"]]


def test_words_that_the_form_would_refuse_are_left_out_and_named(study: Make) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["tax"])
    sentence = import_answers(row, "rater,cue,word\nR,tax,Tax\nR,tax,irs\nR,tax,IRS \nR,tax,\u3164\n,,\n").sentence
    assert [word.word for word in FreeAssociation.objects.all()] == ["irs"]
    assert sentence.endswith(
        "Lines with errors left out: 3. Line 2 repeats the cue as its word. Line 4 repeats a word of the same rater. "
        "Line 5 has no word."
    )


@pytest.mark.parametrize("odd", ODD)
def test_an_invalid_line_of_triads_is_left_out_counted_and_named(study: Make, odd: str) -> None:
    good = [f'"{who}","cue0","people","model","b0","a0","1","1",TRUE,FALSE' for who in ("W1", "W2")]
    imported = import_answers(study(), paper_file(good[0], odd, good[1]))
    assert (imported.raters, imported.answers, Choice.objects.count()) == (2, 2, 2)
    assert re.search(r"Lines with errors left out: 1\. Line 3\b", imported.sentence)


LISTS = "cue,word\nlaw,court\nlaw,café\n"
READ = {"law": ["court", "café"]}


@pytest.mark.parametrize(
    "content",
    [
        LISTS.encode("utf-8-sig"),
        LISTS.replace(",", ";").replace("\n", "\r\n").encode("utf-8-sig"),
        LISTS.replace(",", "\t").encode("utf-16"),
        LISTS.replace("cue,word", "Cue, Word ").encode() + b",\n,\n",
        LISTS.replace("law,court", '"law","court"').encode(),
        b"sep=;\r\n" + LISTS.replace(",", ";").replace("\n", "\r\n").encode(),
    ],
    ids=["mark", "semicolons", "UTF-16 and tabs", "capitals and empty rows", "quoted", "named separator"],
)
def test_lists_are_read_as_spreadsheets_save_them(study: Make, owner: Browser, content: bytes) -> None:
    row = study(state=StudyState.DRAFT)
    sent = {"kind": "list", "name": "more", "file": SimpleUploadedFile("lists.csv", content)}
    assert owner(row).post(f"/people/{row.pk}/sources", sent).status_code == 302
    assert Source.objects.get(name="more").words == READ


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (LISTS.encode("cp1252"), "Line 3 of the file is not UTF-8. Save the file as UTF-8; in Excel, as “CSV UTF-8”"),
        (b"PK\x03\x04\x14\x00", "the file is a workbook or an archive"),
        (b"term;near\nlaw;court\n", "The first line must name the columns cue and word"),
    ],
)
def test_a_file_that_is_not_a_list_is_refused_with_the_fix(
    study: Make, owner: Browser, content: bytes, said: str
) -> None:
    row = study(state=StudyState.DRAFT)
    sent = {"kind": "list", "name": "more", "file": SimpleUploadedFile("lists.csv", content)}
    page = owner(row).post(f"/people/{row.pk}/sources", sent)
    assert (page.status_code, said in html.unescape(page.content.decode())) == (400, True)


@pytest.mark.parametrize(
    "text", [f"{LISTS}law,{'x' * 61}\n", '{"law": ["court", "café", 5], "tax": "money"}', f"{LISTS}\u2800,court\n"]
)
def test_an_invalid_word_of_a_list_is_left_out_and_named_on_the_page(study: Make, owner: Browser, text: str) -> None:
    row = study(state=StudyState.DRAFT)
    sent = {"kind": "list", "name": "more", "lists": text}
    page = owner(row).post(f"/people/{row.pk}/sources", sent, follow=True).content.decode()
    assert Source.objects.get(name="more").words == READ
    assert re.search("Words left out: [12]. In (line 4|the list of “law”)", page)


def test_a_raters_text_is_never_a_spreadsheet_formula(study: Make) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["tax"])
    write_all(sessions.begin(row), ['=cmd("a1")', "@sum1", *[f"w{n}" for n in range(8)]])
    for text in ("".join(answers_csv(row)), "".join(lists_as_csv(row))):
        cells = [cell for line in csv.reader(io.StringIO(text)) for cell in line]
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_replies_to_the_owners_questions_are_exported_with_each_rater(study: Make, owner: Browser) -> None:
    row = study(
        questions=[
            {"question": "Age", "options": ["under 40", "40 or over"]},
            {"question": "=Sex", "options": ["f", "m"]},
        ]
    )
    rater = finish(sessions.begin(row))
    sessions.reply(rater, {"Age": "under 40"})
    sessions.begin(row)
    page = b"".join(owner(row).get(f"/people/{row.pk}/raters.csv").streaming_content).decode()
    first, second = csv.DictReader(io.StringIO(page))
    assert (first["workerid"], first["state"], first["comparison"]) == (rater.pseudonym, "done", "model against people")
    assert (first["Age"], first["'=Sex"], second["Age"]) == ("under 40", "", "")
    assert first["seconds"].isdigit()
    assert Client().get(f"/people/{row.pk}/raters.csv").status_code == 404


def test_an_owner_imports_a_file(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.CLOSED)
    text = paper_file('"W1","cue0","people","model","b0","a0","1","1",TRUE,FALSE')
    page = owner(row).post(f"/people/{row.pk}/read", {"file": SimpleUploadedFile("a.csv", text.encode())})
    assert "Answers imported: 1; raters: 1." in page.content.decode()


def test_a_file_that_is_not_text_is_reported(study: Make, owner: Browser) -> None:
    row = study()
    page = owner(row).post(f"/people/{row.pk}/read", {"file": SimpleUploadedFile("a.xls", b"\xd0\xcf\x11\xe0\xff")})
    assert (page.status_code, "the file is a workbook" in page.content.decode()) == (400, True)


def test_a_rater_of_two_comparisons_is_one_rater_in_each(study: Make) -> None:
    row = study(state=StudyState.DRAFT)
    third = Source.objects.create(
        study=row, kind=SourceKind.LIST, name="third", position=5, words=dict.fromkeys(CUES, OURS)
    )
    lists.refresh(row)
    lines = [f'"W1","cue0","people","{other}","b0","a0","1","1",FALSE,TRUE' for other in ("model", "third")]
    imported = import_answers(row, paper_file(*lines))
    assert (imported.raters, imported.answers) == (2, 2)
    assert row.comparisons.get(candidate=third).raters.count() == 1
    assert import_answers(row, paper_file(*lines)).already_here == 2


def test_answers_to_another_comparison_in_a_second_file_are_read(study: Make) -> None:
    row = study(state=StudyState.DRAFT)
    Source.objects.create(study=row, kind=SourceKind.LIST, name="third", position=5, words=dict.fromkeys(CUES, OURS))
    lists.refresh(row)
    for other in ("model", "third"):
        found = import_answers(row, paper_file(f'"W1","cue0","people","{other}","b0","a0","1","1",FALSE,TRUE'))
        assert (found.raters, found.already_here) == (1, 0)


def test_raters_who_answered_here_are_not_imported_again(study: Make) -> None:
    row = study()
    finish(sessions.begin(row))
    assert import_answers(row, "".join(answers_csv(row))).already_here == 1
    assert Rater.objects.count() == 1


def test_answers_read_into_a_draft_settle_what_is_compared(study: Make, owner: Browser) -> None:
    row = study(state=StudyState.DRAFT)
    import_answers(row, paper_file('"W1","cue0","people","model","b0","a0","1","1",TRUE,FALSE'))
    source = row.sources.get(name="model")
    for path in ("edit", f"sources/{source.pk}/remove", f"sources/{source.pk}/baseline", "sources/make"):
        page = owner(row).post(f"/people/{row.pk}/{path}")
        assert (page.status_code, "has imported answers" in page.content.decode()) == (409, True)
    assert Comparison.objects.get().raters.count() == 1


def test_nothing_is_read_into_a_study_whose_raters_are_forgotten(study: Make) -> None:
    row = study(state=StudyState.CLOSED)
    forget(row)
    row.refresh_from_db()
    with pytest.raises(InputError, match="rater ids of this study have been deleted"):
        import_answers(row, paper_file('"W1","cue0","people","model","b0","a0","1","1",TRUE,FALSE'))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (paper_file('"W1","cue0","people"'), "Line 2 compares “people” with “”"),
        (paper_file('"W1","cue0","people" and others', '"W2"'), "Line 2 cannot be read as CSV"),
        (paper_file('"W1","cue0","people', '"W2"'), "Line 2 cannot be read as CSV"),
        ("", "The first line lacks"),
    ],
)
def test_a_broken_table_is_reported_with_its_line(study: Make, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        import_answers(study(), text)


def test_a_table_of_many_columns_is_refused_before_its_lines_are_read(study: Make) -> None:
    """Every line would get a field for every column: 36 kB took 1.4 s, growing quadratically, up to 20 MB."""
    names, lines = ",".join(f"x{n}" for n in range(2_000)), "a,b\n" * 20_000
    with pytest.raises(InputError, match="names 2,002 columns"):
        read_lists(f"cue,word,{names}\n{lines}", LeftOut())
    with pytest.raises(InputError, match="names 2,003 columns"):
        import_answers(study(Kind.FREE_ASSOCIATIONS), f"cue,word,workerid,{names}\n{lines}")


@pytest.mark.parametrize(
    ("bound", "sentence"), [("MOST_RATERS", "would have 3 raters; the limit is 2"), ("MOST_ANSWERS", "3 answers")]
)
def test_a_study_takes_a_bounded_number_of_answers_in_however_many_files(
    study: Make, monkeypatch: pytest.MonkeyPatch, bound: str, sentence: str
) -> None:
    monkeypatch.setattr(exchange, bound, 2)
    row = study(Kind.FREE_ASSOCIATIONS, cues=["law"])
    two = "workerid,cue,word\nW1,law,court\nW2,law,judge\n"
    import_answers(row, two)
    import_answers(row, two)  # again: they are already stored
    with pytest.raises(InputError, match=sentence):
        import_answers(row, "workerid,cue,word\nW3,law,order\n")
    assert (row.raters.count(), FreeAssociation.objects.count()) == (2, 2)


@pytest.mark.parametrize("path", ["sources", "read"])
def test_an_addresss_data_per_hour_is_limited(
    study: Make, owner: Browser, leave: Callable[..., None], path: str
) -> None:
    leave(study_pages.SENT_CHARACTERS, network_hash(RequestFactory().get("/")), 40)
    row = study(state=StudyState.DRAFT)
    lists = "cue,word\n" + "law,court\n" * 4
    sent = {"kind": "list", "name": "more", "lists": lists, "answers": lists}
    answer = owner(row).post(f"/people/{row.pk}/{path}", sent)
    assert (answer.status_code, row.sources.count(), row.raters.count()) == (429, 2, 0)
    assert "wait an hour" in answer.content.decode()
