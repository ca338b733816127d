"""``compare`` and ``translate``: comparing two vector files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from tasks.cli.tables import add_json, as_json, ends, existing, number, positive, step_bar, table
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.political.compare import EmbeddingComparison, compare
from tasks.political.cues import CUE_LISTS, operator_lists, parse_cues, political_cues
from tasks.political.secondary import CueSet, Distribution, MovedWord
from tasks.political.vocabulary import JACCARD_AT
from tasks.suite import Suite
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut, text_of
from tasks.translation import Translation, first_words, read_dictionary, translate
from tasks.vectors import Embedding
from tasks.word_list import read_for

SETS = ("random", "all")
MOVED = 10
NOT_ALIGNED = "The files have different dimensions, so they cannot be aligned: only neighbours are compared."


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
    cues, sets = chosen(arguments.cues, arguments.words, arguments.language)
    left, right = (read_for(get(DEFAULT), path, arguments.language) for path in (arguments.a, arguments.b))
    comparison = compare(left, right, cues, random="random" in sets, every="all" in sets)
    print(as_json(comparison.as_dict()) if arguments.json else comparison_table(comparison))
    return 0


def chosen(sets: str | None, words: str | None, language: str) -> tuple[list[str] | None, set[str]]:
    """The chosen cues (None: no list) and ``SETS``.

    Raises
    ------
    InputError
        a set is unknown.
    """
    if words is not None:
        return parse_cues(words), set()
    if sets is None:
        political = political_cues(language)
        return list(political.words) if political else None, set(SETS)
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(DataStore.default().data_dir / "cue-lists", left_out)
    names = [name.strip() for name in sets.split(",") if name.strip()]
    for name in names:
        if name not in SETS and name not in lists:
            message = f"“{name}” is not a set of cues; the sets are {', '.join([*lists, *SETS])}."
            raise InputError("no-cue-set", f"{message} {left_out.sentence('Lists')}".strip(), field="cues")
    cues = list(dict.fromkeys(word for name in names if name in lists for word in lists[name].words))
    return cues or None, set(names) & set(SETS)


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


def add_translate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes) learnt from "
        "half of a bilingual dictionary's words, and prints how many words of the other half have a right translation "
        "among the first 1, 5 and 10 words, by cosine and by CSLS (Conneau et al. 2018)."
    )
    parser.epilog = (
        "A dictionary has MUSE's format: a word, a space, tab or comma, and its translation per line, UTF-8; a word "
        "may have several lines."
    )
    parser.add_argument("a", type=existing, help="vector file of the dictionary's first side")
    parser.add_argument("b", type=existing, help="vector file of its second side")
    parser.add_argument("--dictionary", type=existing, required=True, metavar="FILE", help="pairs of words")
    parser.add_argument("--seeds", type=positive, default=3, help="random splits to measure (default %(default)s)")
    parser.add_argument(
        "--most-words", type=positive, default=200_000, help="first words of each file to use (default %(default)s)"
    )
    add_json(parser)


def run_translate(arguments: argparse.Namespace) -> int:
    """Print the precision of translations."""
    dictionary = read_dictionary(text_of(arguments.dictionary.read_bytes(), "the dictionary", field="dictionary"))
    suite = get(DEFAULT)
    left, right = (_first_words(path, suite, arguments.most_words) for path in (arguments.a, arguments.b))
    with step_bar("translate") as progress:
        seeds = range(arguments.seeds)
        answer = translate(left, right, dictionary, suite.look_up, seeds, arguments.most_words, progress)
    print(as_json(asdict(answer) | {"coverage": answer.coverage}) if arguments.json else translation_table(answer))
    return 0


def _first_words(path: Path, suite: Suite, most: int) -> Embedding:
    """Load only the first words of a file."""
    embedding = first_words(read_for(suite, path), most)
    return replace(embedding, matrix=embedding.matrix.copy())


def translation_table(answer: Translation) -> str:
    """Tables for a terminal."""
    lines = [
        f"{answer.known:,} of {answer.words:,} words known with a translation ({100 * answer.coverage:.1f} %)"
        + (f"; left out for terms of several words: {answer.several_words:,}" if answer.several_words else ""),
        f"each split: learnt from {answer.learnt[0]:,} pairs, tested on {answer.tested[0]:,} words, each answer one of "
        f"{answer.candidates:,}; {len(answer.seeds)} split{'' if len(answer.seeds) == 1 else 's'}",
    ]
    lines += [answer.left_out] if answer.left_out else []
    lines += [f"warning: {answer.warning}"] if answer.warning else []
    rows = [
        (f"{p.method}, precision at {p.at}", number(p.value), *ends(p.interval), number(p.sd))
        for p in answer.precisions
    ]
    lines += ["", table(("", "value", "95 % from", "to", "sd of splits"), rows), ""]
    examples = [(row.word, ", ".join(row.translations), ", ".join(row.found)) for row in answer.examples]
    lines += ["First words tested, with their translations by CSLS", table(("word", "dictionary", "found"), examples)]
    return "\n".join(lines)
