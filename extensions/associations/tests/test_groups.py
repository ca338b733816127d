"""Groups of documents: their names, their units, fields that repeat within them."""

from __future__ import annotations

import pytest

from extensions.associations.measure.groups import check_numbers, merged, named_groups, repeating_field, split_documents
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.text import LeftOut


def addresses() -> list[Document]:
    """Six presidents of two parties, with four addresses each."""
    return [
        Document(f"{i}", "", f"text {i}", (("president", f"p{i // 4}"), ("party", "DR"[i // 12]), ("year", str(i))))
        for i in range(24)
    ]


def test_values_with_commas_are_named_between_quotation_marks() -> None:
    groups = {"Smith, John": [], "Doe, Jane": [], "Whig": []}
    assert named_groups('"Smith, John", "Doe, Jane",Whig', groups, "speaker") == list(groups)
    with pytest.raises(InputError, match="Put quotation marks around a value with a comma"):
        named_groups("Smith, John", groups, "speaker")


@pytest.mark.parametrize("values", [("1,5", "2,5"), ("19,450", "950"), ("1.234.567,8", "1"), ("1 000", "1'000")])
def test_numbers_of_spreadsheets_are_refused_by_name(values: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="as spreadsheets and R write it in some languages"):
        check_numbers(values, "share")
    check_numbers((*values, "unknown"), "share")  # words


def test_a_field_that_repeats_within_groups_is_found() -> None:
    assert repeating_field(addresses(), "party") == "president"
    assert repeating_field(addresses(), "president") is None
    others = [document._replace(metadata=(("party", "D"), ("town", f"t{i}"))) for i, document in enumerate(addresses())]
    assert repeating_field(others, "party") is None


def test_documents_of_a_unit_are_merged_with_the_mean_of_their_numbers() -> None:
    left_out = LeftOut()
    found = merged(addresses(), "president", ["party", "year"], left_out, is_averaged=True)
    by_name = {document.id: document for document in found}
    assert dict(by_name["p0"].metadata) == {"president": "p0", "party": "D", "year": "1.5"}
    assert dict(by_name["p5"].metadata) == {"president": "p5", "party": "R", "year": "21.5"}
    assert (by_name["p0"].text, len(found), left_out.count) == ("text 0\ntext 1\ntext 2\ntext 3", 6, 0)
    changed = [Document("x", "", "text", (("president", "p0"), ("party", "R"), ("year", "9"))), *addresses()]
    assert "p0" not in split_documents(merged(changed, "president", ["party"], left_out), "president")
    assert "The president “p0” has several values of “party”: “D”, “R”." in left_out.sentence("Documents")


def test_numbers_that_name_groups_are_not_averaged() -> None:
    left_out = LeftOut()
    with pytest.raises(InputError, match="has several values of “year”"):
        merged(addresses(), "president", ["year"], left_out)
