"""Cues that commands are given: sets by their names, or words."""

from __future__ import annotations

from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.political.cues import CUE_LISTS, operator_lists, parse_cues, political_cues
from tasks.text import LeftOut

CUE_SETS = ("random", "all")


def chosen_cues(sets: str | None, words: str | None, language: str) -> tuple[list[str] | None, set[str]]:
    """The chosen cues (None: no list) and ``CUE_SETS``.

    Raises
    ------
    InputError
        a set is unknown.
    """
    if words is not None:
        return parse_cues(words), set()
    if sets is None:
        political = political_cues(language)
        return list(political.words) if political else None, set(CUE_SETS)
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(DataStore.default().data_dir / "cue-lists", left_out)
    names = [name.strip() for name in sets.split(",") if name.strip()]
    for name in names:
        if name not in CUE_SETS and name not in lists:
            message = f"“{name}” is not a set of cues; the sets are {', '.join([*lists, *CUE_SETS])}."
            raise InputError("no-cue-set", f"{message} {left_out.sentence('Lists')}".strip(), field="cues")
    cues = list(dict.fromkeys(word for name in names if name in lists for word in lists[name].words))
    return cues or None, set(names) & set(CUE_SETS)
