"""Dictionaries in MUSE's form, and every way in which a line can be wrong."""

from __future__ import annotations

import pytest

from tasks.errors import InputError
from tasks.translation.dictionary import LONGEST, read_dictionary


def test_blanks_and_tabs_separate_terms_and_a_pair_counts_once() -> None:
    text = "\ufeffcat Katze\r\ncat\tKater\n\n  cat   Katze \nשלום سلام\n猫 แมว"
    found = read_dictionary(text.encode())
    assert found.pairs == (("cat", "Katze"), ("cat", "Kater"), ("שלום", "سلام"), ("猫", "แมว"))


def test_terms_of_several_words_need_a_tab_and_are_left_out_and_counted() -> None:
    found = read_dictionary(b"ice cream\tEis\npotato\tpomme de terre\ncat\tchat\n")
    assert (found.pairs, found.several_words) == ((("cat", "chat"),), 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"cat Katze\nice cream Eis\n", "Line 2 of the dictionary has 3 terms instead of two"),
        (b"cat Katze\n\ncat\n", "Line 3 of the dictionary has 1 term instead of two"),
        (b"a\tb\tc\n", "Line 1 of the dictionary has 3 terms"),
        (b"cat Katze\ncaf\xe9 Kaffee\n", "Line 2 of the dictionary is not UTF-8"),
        (b"cat " + b"x" * (LONGEST + 1), "line 1 of the dictionary is longer than 200"),
        (b"\n \n", "no pair of single words"),
        (b"ice cream\tEis\n", "no pair of single words"),
    ],
)
def test_a_bad_dictionary_is_refused_with_its_line(text: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_dictionary(text)
    assert refused.value.field == "dictionary"


def test_a_dictionary_over_the_limit_is_refused_at_the_line_that_is_too_many() -> None:
    assert len(read_dictionary(b"a x\na x\nb y\n", most_pairs=2).pairs) == 2
    with pytest.raises(InputError, match="more than 2 pairs, the limit; line 4"):
        read_dictionary(b"a x\na x\nb y\nc z\n", most_pairs=2)
