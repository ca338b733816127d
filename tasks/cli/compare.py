"""``compare``, ``associate``, ``drift``, ``translate``: comparing two vector files, or word lists in one."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import fill

from tasks.associations.drift import Changed, Drift, Floor, drift
from tasks.associations.measure import question_named, read_list, shipped_list
from tasks.associations.weat import CAUTION, AssociationAnswer, AssociationQuestion, WordList, associate, shown
from tasks.cli.tables import add_json, add_suite, as_json, ends, existing, number, positive, step_bar, table
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
from tasks.vectors import Embedding, order_warnings
from tasks.word_list import read_for
from tasks.word_tasks import ASSOCIATION_TASKS

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
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "--cues",
        help="comma-separated sets: a list (political-en, political-es, political-de, or one of the data "
        "directory's cue-lists/*.txt), random, all (default: the political list of the language, random and all)",
    )
    wanted.add_argument("--words", help="compare only these cues, separated by commas or blanks")
    parser.add_argument("--language", default="en", help="language of the vectors (default %(default)s)")
    add_json(parser)


def run_compare(arguments: argparse.Namespace) -> int:
    """Print the comparison."""
    cues, sets = chosen(arguments.cues, arguments.words, arguments.language)
    left, right = (read_for(get(DEFAULT), path, arguments.language) for path in (arguments.a, arguments.b))
    found = compare(left, right, cues, random="random" in sets, every="all" in sets)
    print(as_json(found.as_dict()) if arguments.json else comparison_table(found))
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
        lines.append("Both files contain the same vectors: every correlation and overlap is 1 by definition.")
    if found.cues:
        lines += ["", _cue_table(found.cues)]
    lines += ["", _summaries(found)]
    lines += ["", _overlaps(found)] if any(cues and cues["jaccard"] for cues in (found.cues, found.random)) else []
    if found.every:
        moved = found.every["moved"]
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


def _summaries(found: EmbeddingComparison) -> str:
    sets: list[tuple[str, Distribution | None]] = []
    if found.cues:
        sets += [("cues, Pearson", found.cues["pearson"]), ("cues, Spearman", found.cues["spearman"])]
    if found.random:
        sets += [(f"random cues, {name.title()}", found.random[name]) for name in ("pearson", "spearman")]
    if found.every:
        sets += [("every word, Pearson", found.every["pearson"])]
    head = ("set", "n", "mean", "standard error", "sd", "min", "max")
    rows = [
        (name, f"{d['n']:,}", *(number(d[key]) for key in ("mean", "se", "sd", "min", "max")))
        if d
        else (name, "0", "–", "–", "–", "–", "–")
        for name, d in sets
    ]
    return table(head, rows)


def _overlaps(found: EmbeddingComparison) -> str:
    rows = []
    for name, cues in (("cues", found.cues), ("random cues", found.random)):
        if cues and (found_at := cues["jaccard"]):
            rows.append((f"{name}, full vocabularies", *(number(found_at["full"][str(n)]) for n in JACCARD_AT)))
            rows.append((f"{name}, common vocabulary", *(number(found_at["common"][str(n)]) for n in JACCARD_AT)))
    return table(("Jaccard index of the N nearest words, N =", *map(str, JACCARD_AT)), rows)


def _moved_words(words: Sequence[MovedWord]) -> str:
    return ", ".join(f"{item['word']} {item['pearson']:.3f}" for item in words[:MOVED])


def add_associate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measures how much nearer one list of target words is to one list of attributes than another list "
        "is, relative to a second list of attributes: effect size d, 95 % interval over target words, and "
        "permutation p (Caliskan, Bryson & Narayanan 2017). Without lists or names, the ten published tests."
    )
    parser.epilog = (
        "Exit status: 0 every test has an answer; 1 some have none, and the reason is printed; 2 an argument or "
        "the file is wrong. A test has no answer if a fifth or more of a list is unknown."
    )
    parser.add_argument("file", type=existing, help="vector file")
    parser.add_argument(
        "--test",
        nargs="+",
        metavar="NAME",
        help="tests by name: weat-6, parties-morality; a wrong name lists all",
    )
    lists = "a file of words, or the name of a political list that ships with the program"
    parser.add_argument("--targets", nargs=2, metavar="LIST", help=f"two lists of target words: each {lists}")
    parser.add_argument("--attributes", nargs=2, metavar="LIST", help="two lists of attribute words")
    add_suite(parser, "suite whose look-up rule is used (default: %(default)s)")
    add_json(parser)


def run_associate(arguments: argparse.Namespace) -> int:
    """Print the results; return 1 if a test has none."""
    questions = _questions(arguments)
    suite = get(arguments.suite)
    embedding = read_for(suite, arguments.file)
    found = {name: associate(embedding, suite.look_up, question) for name, question in questions.items()}
    if arguments.json:
        answers = {name: one.as_dict() for name, one in found.items()}
        own = next(iter(answers.values())) if arguments.targets else answers
        print(as_json(own))
    else:
        print(_summary(found))
        if arguments.targets:
            print(_target_words(next(iter(found.values()))))
        print("\n" + fill(CAUTION, 110))
    return 0 if all(one.d is not None for one in found.values()) else 1


def _questions(arguments: argparse.Namespace) -> dict[str, AssociationQuestion]:
    if bool(arguments.targets) != bool(arguments.attributes) or (arguments.targets and arguments.test):
        message = "Give two lists of targets and two of attributes, or tests by name, or neither for WEAT's ten tests."
        raise InputError("lists-missing", message, field="lists")
    if arguments.targets:
        x, y, a, b = _lists([*arguments.targets, *arguments.attributes])
        return {f"{x.name} and {y.name}, {a.name}": AssociationQuestion((x, y), (a, b))}
    data = DataStore.default()
    return {name: question_named(name, data) for name in arguments.test or [task.id for task in ASSOCIATION_TASKS]}


def _lists(given: Sequence[str]) -> list[WordList]:
    """Files or shipped lists, named after the file; files with equal names are named by path."""
    paths = {one: Path(one) for one in dict.fromkeys(given) if Path(one).is_file()}
    names = Counter(path.name for path in paths.values())
    return [
        read_list(paths[one], paths[one].name if names[paths[one].name] == 1 else one)
        if one in paths
        else shipped_list(one)
        for one in given
    ]


def _summary(found: dict[str, AssociationAnswer]) -> str:
    head = ("test", "d", "95 % from", "to", "p", "partitions", "unknown words")
    rows = []
    for name, one in found.items():
        tried = f"{one.partitions:,}{'' if one.exact or not one.partitions else ' drawn'}"
        cells = (number(one.d, 3), *ends(one.interval, 3), _chance(one.p), tried, str(len(one.missing)))
        rows.append((name, *cells))
    notes = [(name, note) for name, one in found.items() for note in (shown(one.left_out), one.reason)]
    reasons = [f"{name}: {note}" for name, note in notes if note]
    return "\n".join([table(head, rows), *(["", *reasons] if reasons else [])])


def _target_words(found: AssociationAnswer) -> str:
    rows = [(word, number(one.d, 3), _chance(one.p)) for word, one in found.single.items()]
    rows.sort(key=lambda row: -(found.single[row[0]].d or 0.0))
    return f"\n{table(('word', 'd', 'p'), rows)}" if rows else ""


def _chance(p: float | None) -> str:
    return "< 0.0001" if p is not None and p < 0.0001 else number(p)


def add_drift(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes on their common "
        "words) and prints the words whose vectors changed most, with intervals; also the share "
        "of their nearest words that changed, which needs neither alignment nor equal dimensions (Gonen et al. 2020)."
    )
    parser.add_argument("a", type=existing, help="vector file")
    parser.add_argument("b", type=existing, help="vector file")
    parser.add_argument("--words", help="also print these words, separated by commas or blanks")
    parser.add_argument("--floor", type=existing, metavar="FILE", help="another run on A's corpus, for the noise")
    add_json(parser)


def run_drift(arguments: argparse.Namespace) -> int:
    """Print the words that changed most."""
    suite = get(DEFAULT)
    left, right = read_for(suite, arguments.a), read_for(suite, arguments.b)
    runs = None if arguments.floor is None else (left, read_for(suite, arguments.floor))
    found = drift(left, right, parse_cues(arguments.words) if arguments.words else (), runs)
    for warning in order_warnings(left) if found.asked < found.common else ():
        print(f"Warning: {warning.message}", file=sys.stderr)
    print(as_json(asdict(found)) if arguments.json else drift_table(found))
    return 0


OVER_TRAININGS = "Intervals: over the words that fix the alignment, and over trainings, from the two runs."
OVER_ANCHORS = "Intervals: over the words that fix the alignment only, not over trainings; for those, give --floor."


def drift_table(found: Drift) -> str:
    """Tables for a terminal."""
    first = f"{found.common:,} common words, the first {found.asked:,} asked about; median change "
    if found.median is None:
        parts = [f"{first}of neighbours {found.median_neighbours:.3f}", NOT_ALIGNED]
    else:
        parts = [f"{first}{found.median:.3f}, of neighbours {found.median_neighbours:.3f}"]
        parts.append(OVER_TRAININGS if found.over_trainings else OVER_ANCHORS)
    if found.floor is not None:
        parts.append(_floor(found.floor))
    if found.most:
        parts.append("Changed most, after alignment\n" + _changed_words(found.most))
    parts.append("Changed most, by neighbours\n" + _changed_words(found.most_by_neighbours))
    if found.words:
        parts.append("Asked for\n" + _changed_words(found.words))
    return "\n\n".join(parts)


def _floor(floor: Floor) -> str:
    rows = [("by neighbours", number(floor.neighbours, 3), _percent(floor.above_neighbours))]
    if floor.change is not None:
        rows.insert(0, ("after alignment", number(floor.change, 3), _percent(floor.above)))
    head = ("between two runs on one corpus, 95 % of the words change", "less than", "here, more do")
    return table(head, rows)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _changed_words(words: Mapping[str, Changed | None]) -> str:
    rows = []
    for word, one in words.items():
        change, interval, neighbours = (one.change, one.interval, one.neighbours) if one else (None, None, None)
        rows.append((word, number(change, 3), *ends(interval, 3), number(neighbours, 3)))
    return table(("word", "change", "95 % from", "to", "neighbours changed"), rows)


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
        found = translate(left, right, dictionary, suite.look_up, seeds, arguments.most_words, progress)
    print(as_json(asdict(found) | {"coverage": found.coverage}) if arguments.json else translation_table(found))
    return 0


def _first_words(path: Path, suite: Suite, most: int) -> Embedding:
    """Load only the first words of a file."""
    found = first_words(read_for(suite, path), most)
    return replace(found, matrix=found.matrix.copy())


def translation_table(found: Translation) -> str:
    """Tables for a terminal."""
    lines = [
        f"{found.known:,} of {found.words:,} words known with a translation ({100 * found.coverage:.1f} %)"
        + (f"; left out for terms of several words: {found.several_words:,}" if found.several_words else ""),
        f"each split: learnt from {found.learnt[0]:,} pairs, tested on {found.tested[0]:,} words, each answer one of "
        f"{found.candidates:,}; {len(found.seeds)} split{'' if len(found.seeds) == 1 else 's'}",
    ]
    lines += [found.left_out] if found.left_out else []
    lines += [f"warning: {found.warning}"] if found.warning else []
    rows = [
        (f"{one.method}, precision at {one.at}", number(one.value), *ends(one.interval), number(one.sd))
        for one in found.precisions
    ]
    lines += ["", table(("", "value", "95 % from", "to", "sd of splits"), rows), ""]
    examples = [(one.word, ", ".join(one.translations), ", ".join(one.found)) for one in found.examples]
    lines += ["First words tested, with their translations by CSLS", table(("word", "dictionary", "found"), examples)]
    return "\n".join(lines)
