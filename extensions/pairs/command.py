"""``compare``: two vector files by the neighbours of words."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from extensions.pairs.measure.comparison import EmbeddingComparison, compare
from extensions.shared.measure.cues import chosen_cues
from extensions.shared.measure.vectors import read_for
from tasks.cli.tables import add_json, as_json, existing, number, table
from tasks.political.secondary import CueSet, Distribution, MovedWord
from tasks.political.vocabulary import JACCARD_AT
from tasks.suites import DEFAULT, get

MOVED = 10


def add_compare(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints the ranking correlation of two vector files on their common vocabulary (per cue, over "
        "random cues and, exactly, over every common word), the overlap of nearest neighbours, and the words that "
        "moved most and least."
    )
    parser.add_argument("a", type=existing, help="vector file")
    parser.add_argument("b", type=existing, help="vector file")
    cue_options = parser.add_mutually_exclusive_group()
    cue_options.add_argument(
        "--cues",
        help="comma-separated sets: a list (political-en, political-es, political-de, or one of the data "
        "directory's cue-lists/*.txt), random, all (default: the political list of the language, random and all)",
    )
    cue_options.add_argument("--words", help="compare only these cues, separated by commas or blanks")
    parser.add_argument("--language", default="en", help="language of the vectors (default %(default)s)")
    add_json(parser)


def run_compare(arguments: argparse.Namespace) -> int:
    """Print the comparison."""
    cues, sets = chosen_cues(arguments.cues, arguments.words, arguments.language)
    left, right = (read_for(get(DEFAULT), path, arguments.language) for path in (arguments.a, arguments.b))
    comparison = compare(left, right, cues, random="random" in sets, every="all" in sets)
    print(as_json(comparison.as_dict()) if arguments.json else comparison_table(comparison))
    return 0


def comparison_table(compared: EmbeddingComparison) -> str:
    """Tables for a terminal."""
    left, right = compared.left, compared.right
    lines = [
        f"{left.name}: {len(left.words):,} words, {left.dimensions} dimensions",
        f"{right.name}: {len(right.words):,} words, {right.dimensions} dimensions",
        f"{compared.common_words:,} common words",
    ]
    if compared.identical:
        lines.append("Both files contain the same vectors: every correlation and overlap is 1 by definition.")
    if compared.cues:
        lines += ["", _cue_table(compared.cues)]
    lines += ["", _summaries(compared)]
    lines += ["", _overlaps(compared)] if any(c and c["jaccard"] for c in (compared.cues, compared.random)) else []
    if compared.every:
        moved = compared.every["moved"]
        lines += ["", f"moved most:  {_moved_words(moved['most'])}", f"moved least: {_moved_words(moved['least'])}"]
    return "\n".join(lines)


def _cue_table(cues: CueSet) -> str:
    rows = [
        (cue, number(figures["pearson"]), number(figures["spearman"]), number(figures.get("kendall")))
        if figures
        else (cue, "out of vocabulary in one or both", "", "")
        for cue, figures in cues["cues"].items()
    ]
    return table(("cue", "Pearson", "Spearman", "Kendall"), rows)


def _summaries(compared: EmbeddingComparison) -> str:
    sets: list[tuple[str, Distribution | None]] = []
    if compared.cues:
        sets += [("cues, Pearson", compared.cues["pearson"]), ("cues, Spearman", compared.cues["spearman"])]
    if compared.random:
        sets += [(f"random cues, {name.title()}", compared.random[name]) for name in ("pearson", "spearman")]
    if compared.every:
        sets += [("every word, Pearson", compared.every["pearson"])]
    head = ("set", "n", "mean", "standard error", "sd", "min", "max")
    rows = [
        (name, f"{d['n']:,}", *(number(d[key]) for key in ("mean", "se", "sd", "min", "max")))
        if d
        else (name, "0", "–", "–", "–", "–", "–")
        for name, d in sets
    ]
    return table(head, rows)


def _overlaps(compared: EmbeddingComparison) -> str:
    rows = []
    for name, cues in (("cues", compared.cues), ("random cues", compared.random)):
        if cues and (jaccard := cues["jaccard"]):
            rows.append((f"{name}, full vocabularies", *(number(jaccard["full"][str(n)]) for n in JACCARD_AT)))
            rows.append((f"{name}, common vocabulary", *(number(jaccard["common"][str(n)]) for n in JACCARD_AT)))
    return table(("Jaccard index of the N nearest words, N =", *map(str, JACCARD_AT)), rows)


def _moved_words(words: Sequence[MovedWord]) -> str:
    return ", ".join(f"{item['word']} {item['pearson']:.3f}" for item in words[:MOVED])
