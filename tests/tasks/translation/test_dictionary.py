"""Dictionaries in MUSE's form, and every way in which a line can be wrong."""

from __future__ import annotations

import re

import pytest

from tasks.errors import InputError
from tasks.text_files import text_of
from tasks.translation import LONGEST, read_dictionary


def test_blanks_and_tabs_separate_terms_and_a_pair_counts_once() -> None:
    text = "\ufeffcat Katze\r\ncat\tKater\n\n  cat   Katze \nשלום سلام\n猫 แมว"
    found = read_dictionary(text_of(text.encode(), "the dictionary", field="dictionary"))
    assert found.pairs == (("cat", "Katze"), ("cat", "Kater"), ("שלום", "سلام"), ("猫", "แมว"))


def test_terms_of_several_words_need_a_tab_and_are_left_out_and_counted() -> None:
    found = read_dictionary("ice cream\tEis\npotato\tpomme de terre\ncat\tchat\n")
    assert (found.pairs, found.several_words) == ((("cat", "chat"),), 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\nice cream Eis\n", "Line 2 of the dictionary has 3 terms instead of two"),
        (b"\n\ncat;Katze\n", r"Line 3 of the dictionary has 1 term instead of two. .*\(no comma or semicolon\)"),
        (b"a\tb\tc\n", "Line 1 of the dictionary has 3 terms"),
        (b"cat Katze\ncaf\xe9 Kaffee\n", "Line 2 of the dictionary is not UTF-8"),
        (b"cat " + b"x" * (LONGEST + 1), "line 1 of the dictionary is longer than 200"),
        (b"\n \n", "no pair of single words"),
        (b"ice cream\tEis\n", "no pair of single words"),
    ],
)
def test_a_bad_dictionary_is_refused_with_its_line(text: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_dictionary(text_of(text, "the dictionary", field="dictionary"))
    assert refused.value.field == "dictionary"


@pytest.mark.parametrize("odd", ["ice cream Eis", "cat", "a\tb\tc", "cat " + "x" * (LONGEST + 1)])
def test_an_odd_line_is_left_out_counted_and_named(odd: str) -> None:
    found = read_dictionary(f"cat Katze\n{odd}\ndog Hund")
    assert found.pairs == (("cat", "Katze"), ("dog", "Hund"))
    assert re.match("Lines left out: 1. .*ine 2 of the dictionary", found.left_out)


def test_a_dictionary_over_the_limit_is_refused_at_the_line_that_is_too_many() -> None:
    assert len(read_dictionary("a x\na x\nb y\n", most_pairs=2).pairs) == 2
    with pytest.raises(InputError, match="more than 2 pairs, the limit; line 4"):
        read_dictionary("a x\na x\nb y\nc z\n", most_pairs=2)
