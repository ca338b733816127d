"""``python -m tasks compare A B``: do two vector files rank neighbours alike?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tasks.cli.tables import as_json, number, table
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats import ReadRequest, read
from tasks.left_out import LeftOut
from tasks.political.compare import CueSet, EmbeddingComparison, compare
from tasks.political.cues import CUE_LISTS, operator_lists, parse_cues, political_cues
from tasks.political.figures import MovedWord
from tasks.political.neighbours import JACCARD_AT
from tasks.political.ranking import Distribution
from tasks.suites import DEFAULT, get
from tasks.word_list import words_for

SETS = ("random", "all")
MOVED = 10


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison."""
    cues, sets = chosen(arguments.cues, arguments.words, arguments.language)
    words = words_for(get(DEFAULT))
    requests = (ReadRequest(path, words=words) for path in (arguments.a, arguments.b))
    left, right = (read(request, language=arguments.language) for request in requests)
    found = compare(left, right, cues, random="random" in sets, every="all" in sets)
    print(as_json(found.as_dict()) if arguments.json else comparison_table(found))
    return 0


def chosen(sets: str | None, words: str | None, language: str) -> tuple[list[str] | None, set[str]]:
    """The cues to compare (None: no list), and the chosen ``SETS``.

    Raises
    ------
    InputError
        for an unknown set.
    """
    if words is not None:
        return parse_cues(words), set()
    if sets is None:
        own = political_cues(language)
        return list(own.words) if own else None, set(SETS)
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(DataStore.default().data_dir / "cue-lists", left_out)
    names = [name.strip() for name in sets.split(",") if name.strip()]
    for name in names:
        if name not in SETS and name not in lists:
            known = f"“{name}” is not a set of cues; the sets are {', '.join([*lists, *SETS])}."
            raise InputError("no-cue-set", f"{known} {left_out.sentence('Lists')}".strip(), field="cues")
    cues = list(dict.fromkeys(word for name in names if name in lists for word in lists[name].words))
    return cues or None, set(names) & set(SETS)


def comparison_table(found: EmbeddingComparison) -> str:
    """Tables for a terminal."""
    left, right = found.left, found.right
    lines = [
        f"{left.name}: {len(left.words):,} words, {left.dimensions} dimensions",
        f"{right.name}: {len(right.words):,} words, {right.dimensions} dimensions",
        f"{found.common_words:,} common words",
    ]
    if found.identical:
        lines.append("Both files contain the same vectors: every figure is 1 by definition.")
    if found.cues:
        lines += ["", _cue_table(found.cues)]
    lines += ["", _summaries(found)]
    lines += ["", _overlaps(found)] if any(cues and cues.overlap for cues in (found.cues, found.random)) else []
    if found.every:
        moved = found.every.moved
        lines += ["", f"moved most:  {_words(moved['most'])}", f"moved least: {_words(moved['least'])}"]
    return "\n".join(lines)


def _cue_table(cues: CueSet) -> str:
    rows = [
        (cue, number(figures.pearson), number(figures.spearman), number(figures.kendall))
        if figures
        else (cue, "out of vocabulary in one or both", "", "")
        for cue, figures in cues.cues.items()
    ]
    return table(("cue", "Pearson", "Spearman", "Kendall"), rows)


def _summaries(found: EmbeddingComparison) -> str:
    sets: list[tuple[str, Distribution | None]] = []
    if found.cues:
        sets += [("cues, Pearson", found.cues.pearson), ("cues, Spearman", found.cues.spearman)]
    if found.random:
        sets += [("random cues, Pearson", found.random.pearson), ("random cues, Spearman", found.random.spearman)]
    if found.every:
        sets += [("every word, Pearson", found.every.pearson)]
    head = ("set", "n", "mean", "standard error", "sd", "min", "max")
    rows = [
        (name, f"{d.n:,}", number(d.mean), number(d.se), number(d.sd), number(d.min), number(d.max))
        if d
        else (name, "0", "–", "–", "–", "–", "–")
        for name, d in sets
    ]
    return table(head, rows)


def _overlaps(found: EmbeddingComparison) -> str:
    rows = []
    for name, cues in (("cues", found.cues), ("random cues", found.random)):
        if cues and cues.overlap:
            rows.append((f"{name}, full vocabularies", *(number(cues.overlap.full[n]) for n in JACCARD_AT)))
            rows.append((f"{name}, common vocabulary", *(number(cues.overlap.common[n]) for n in JACCARD_AT)))
    return table(("Jaccard index of the N nearest words, N =", *map(str, JACCARD_AT)), rows)


def _words(words: Sequence[MovedWord]) -> str:
    return ", ".join(f"{item['word']} {item['pearson']:.3f}" for item in words[:MOVED])
