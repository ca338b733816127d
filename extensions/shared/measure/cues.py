"""Cues of one's own: typed words, lists of an operator, and what commands are given."""

from __future__ import annotations

from pathlib import Path

from extensions.shared.measure.texts import text_of
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.political.cues import CUE_LISTS, CueList, political_cues
from tasks.text import LeftOut, split_words

MOST_WORDS = 1_000
_COMMENT = "#"
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


def parse_cues(text: str) -> list[str]:
    """Distinct cues in user input (:func:`tasks.text.split_words`).

    Raises
    ------
    InputError
        there are no words, or more than a thousand.
    """
    words = split_words(text)
    if not words:
        raise InputError(
            "no-cues",
            "There is no cue in the list. Give words separated by commas, semicolons, tabs, blanks or lines.",
            field="words",
        )
    if len(words) > MOST_WORDS:
        message = f"The list has {len(words):,} cues; at most {MOST_WORDS:,} can be compared at once."
        raise InputError("too-many-cues", message, field="words")
    return words


def read_cue_list(path: Path) -> CueList:
    """Read a list from a file named by its id: lines ``# language: en`` and ``# title: …``, then the cues.

    Raises
    ------
    InputError
        the file cannot be read, names no language or has no cues.
    """
    try:
        lines = text_of(path.read_bytes(), f"the cue list {path.name}", field="cues").splitlines()
    except OSError as error:
        raise InputError("unreadable-cues", f"The cue list {path.name} cannot be read: {error}.") from error
    notes = dict(_note(line) for line in lines if line.startswith(_COMMENT))
    if not notes.get("language"):
        message = f"The cue list {path.name} does not say its language. Begin it with a line “# language: en”."
        raise InputError("cues-without-language", message)
    try:
        words = parse_cues("\n".join(line for line in lines if not line.startswith(_COMMENT)))
    except InputError as error:
        raise InputError(error.code, f"The cue list {path.name} cannot be used: {error}", field="cues") from error
    return CueList(path.stem, notes["language"], tuple(words), notes.get("title") or path.stem)


def operator_lists(directory: Path, left_out: LeftOut) -> dict[str, CueList]:
    """Lists added by the operator, by id: every ``.txt`` of a directory, which may be missing.

    Lists that :func:`read_cue_list` rejects, or with the id of a built-in one, are added to ``left_out``.
    """
    lists = {}
    for path in sorted(directory.glob("*.txt")):
        try:
            if path.stem in CUE_LISTS:
                message = f"There is a list {path.stem} already. Give the file another name."
                raise InputError("cue-list-exists", message, field="cues")
            lists[path.stem] = read_cue_list(path)
        except InputError as error:
            left_out.add(error)
    return lists


def _note(line: str) -> tuple[str, str]:
    name, _, value = line.lstrip(_COMMENT).partition(":")
    return name.strip().lower(), value.strip()
