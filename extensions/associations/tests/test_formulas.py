"""Formulas: kinds of fields, errors, and coefficients with known answers."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from extensions.associations.measure.contexts import Contexts, compare_groups
from extensions.associations.measure.formulas import Covariate, columns_of, explain, fields_of
from extensions.associations.tests.test_contexts import WORDS, learned, vectors, written
from tasks.datasets.examples import Document
from tasks.errors import InputError


def described(*rows: dict[str, str]) -> list[Document]:
    return [Document(str(i), "", "", tuple(row.items())) for i, row in enumerate(rows)]


def covariates(formula: str, *rows: dict[str, str]) -> list[Covariate]:
    return [Covariate.of(field, described(*rows)) for field in fields_of(formula)]


def with_fields(count: int = 120) -> tuple[Contexts, list[Document]]:
    """Random documents of two parties, three regions and two centuries, in which a word has other company."""
    documents = []
    for i, document in enumerate(written(count)):
        late = i // 4 % 2
        fields = {"party": "left" if i % 2 else "right", "region": "nsw"[i % 3], "year": str(1900 + 100 * late)}
        text = document.text.replace(WORDS[0], f"{WORDS[1 + late]} {WORDS[0]}")
        documents.append(Document(document.id, "", text, tuple(fields.items())))
    return learned(documents, vectors()), documents


def test_a_field_is_a_number_if_all_its_values_are() -> None:
    rows = [{"year": "1999", "grade": "1.5", "party": "b"}, {"year": "2001", "grade": "-2e1", "party": "a"}]
    year, grade, party = covariates("year + grade + party", *rows)
    assert year.levels == grade.levels == ()
    assert party.levels == ("a", "b")
    (column,) = columns_of([party], np.arange(2).repeat(2))
    assert (column.name, column.level, column.reference) == ("party: b", "b", "a")
    assert column.values.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("odd", ["undated", "nan", "inf"])
def test_a_value_that_is_not_a_number_is_named_where_others_are(odd: str) -> None:
    rows = [{"year": "1999"}, {"year": odd}, {"year": "2001"}]
    with pytest.raises(InputError, match=f"“year” is a number in 2 of 3 documents, but “{odd}” in document 1"):
        covariates("year", *rows)


@pytest.mark.parametrize(
    ("formula", "rows", "message"),
    [
        ("a", [{"a": "x"}] * 5, "“a” is “x” in all 5 documents"),
        ("a", [{"a": "1"}, {"a": "1.0"}] * 3, "“a” is “1” in all 6 documents"),
        ("a + b", [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}] * 3, "“b” follows from “a: y” in the documents"),
        (
            "a + b + c",
            [{"a": str(i), "b": str(i * i), "c": str(3 * i * i - i + 1)} for i in range(9)],
            "“c” follows from “a”, “b”",
        ),
        (
            "a + b",
            [{"a": "xyz"[i % 3], "b": "xy"[i % 3 == 2]} for i in range(9)],
            "“b: y” follows from “a: z”",
        ),
        ("a + b", [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}, {"a": "y", "b": "4"}], "3 coefficients .* only 3"),
    ],
)
def test_what_a_regression_can_not_tell_is_an_error(formula: str, rows: list[dict[str, str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        columns_of(covariates(formula, *rows), np.arange(len(rows)))


def test_two_groups_are_the_formula_of_a_field_with_two_values() -> None:
    contexts, documents = with_fields()
    for word in WORDS[:10]:
        places = {
            name: [i for i, d in enumerate(documents) if dict(d.metadata)["party"] == name]
            for name in ("left", "right")
        }
        (found,) = explain(contexts, word, [Covariate.of("party", documents)]).coefficients
        expected = compare_groups(contexts, word, places).distance
        for name, value in asdict(expected).items():
            assert getattr(found.length, name) == pytest.approx(value), name


def test_a_reference_without_the_word_gives_way_to_the_next_level() -> None:
    contexts, documents = with_fields()
    having_it = contexts.by_document(WORDS[4]).documents
    values = ["z" if i % 2 else "y" for i in range(len(documents))]
    values[next(i for i in range(len(documents)) if i not in having_it)] = "a"
    covariate = Covariate("of", tuple(values), ("a", "y", "z"))
    (found,) = explain(contexts, WORDS[4], [covariate]).coefficients
    assert (found.level, found.reference) == ("z", "y")
    assert found.units == sum(values[i] == "z" for i in having_it)


def test_a_change_with_the_year_is_found_beside_groups_that_do_not_differ() -> None:
    contexts, documents = with_fields()
    formula = [Covariate.of(field, documents) for field in ("party", "region", "year")]
    answer = explain(contexts, WORDS[0], formula)
    assert [one.name for one in answer.coefficients] == ["party: right", "region: s", "region: w", "year"]
    *groups, year = answer.coefficients
    assert year.length.p < 0.05 < min(one.length.p for one in groups)
    assert year.length.interval[0] > 0
    uses = contexts.by_document(WORDS[0])
    fields = [dict(documents[i].metadata) for i in uses.documents]
    design = [[1, f["party"] == "right", f["region"] == "s", f["region"] == "w", int(f["year"])] for f in fields]
    direction = np.linalg.lstsq(np.array(design, dtype=np.float64), uses.vectors, rcond=None)[0][4]
    assert year.length.uncorrected == pytest.approx(float(direction @ direction))
    for near, turned in ((year.towards, direction), (year.away, -direction)):
        assert [one.word for one in near] == [one.word for one in contexts.neighbours(turned, WORDS[0])]
    assert answer.units == year.units == len(contexts.by_document(WORDS[0]).documents)


def test_the_unit_of_a_number_scales_its_length_alone() -> None:
    contexts, documents = with_fields()
    years = Covariate.of("year", documents)
    centuries = Covariate("century", tuple(str(float(value) / 100) for value in years.values), ())
    (by_year,), (by_century,) = (explain(contexts, WORDS[0], [one]).coefficients for one in (years, centuries))
    assert by_century.length.estimate == pytest.approx(1e4 * by_year.length.estimate)
    assert by_century.length.interval == pytest.approx([1e4 * end for end in by_year.length.interval])
    assert by_century.length.p == by_year.length.p
    assert [near.word for near in by_century.towards] == [near.word for near in by_year.towards]


def test_a_field_that_is_constant_where_the_word_occurs_is_an_error_of_this_word() -> None:
    contexts, documents = with_fields()
    having_it = set(contexts.by_document(WORDS[4]).documents.tolist())
    covariate = Covariate("has", tuple("yes" if i in having_it else "no" for i in range(len(documents))), ("no", "yes"))
    with pytest.raises(InputError, match=rf"“has” is “yes” in all {len(having_it)} documents with “{WORDS[4]}”"):
        explain(contexts, WORDS[4], [covariate])
