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
    answers = {name: associate(embedding, suite.look_up, question) for name, question in questions.items()}
    if arguments.json:
        by_test = {name: answer.as_dict() for name, answer in answers.items()}
        print(as_json(next(iter(by_test.values())) if arguments.targets else by_test))
    else:
        print(_summary(answers))
        if arguments.targets:
            print(_target_words(next(iter(answers.values()))))
        print("\n" + fill(CAUTION, 110))
    return 0 if all(answer.d is not None for answer in answers.values()) else 1


def _questions(arguments: argparse.Namespace) -> dict[str, AssociationQuestion]:
    if bool(arguments.targets) != bool(arguments.attributes) or (arguments.targets and arguments.test):
        message = "Give two lists of targets and two of attributes, or tests by name, or neither for WEAT's ten tests."
        raise InputError("lists-missing", message, field="lists")
    if arguments.targets:
        x, y, a, b = _lists([*arguments.targets, *arguments.attributes])
        return {f"{x.name} and {y.name}, {a.name}": AssociationQuestion((x, y), (a, b))}
    data = DataStore.default()
    return {name: question_named(name, data) for name in arguments.test or [task.id for task in ASSOCIATION_TASKS]}


def _lists(arguments: Sequence[str]) -> list[WordList]:
    """Files or shipped lists, named after the file; files with equal names are named by path."""
    paths = {argument: Path(argument) for argument in dict.fromkeys(arguments) if Path(argument).is_file()}
    names = Counter(path.name for path in paths.values())
    return [
        read_list(paths[argument], paths[argument].name if names[paths[argument].name] == 1 else argument)
        if argument in paths
        else shipped_list(argument)
        for argument in arguments
    ]


def _summary(answers: dict[str, AssociationAnswer]) -> str:
    head = ("test", "d", "95 % from", "to", "p", "partitions", "unknown words")
    rows = []
    for name, answer in answers.items():
        tried = f"{answer.partitions:,}{'' if answer.exact or not answer.partitions else ' drawn'}"
        cells = (number(answer.d, 3), *ends(answer.interval, 3), _chance(answer.p), tried, str(len(answer.missing)))
        rows.append((name, *cells))
    notes = [(name, note) for name, answer in answers.items() for note in (shown(answer.left_out), answer.reason)]
    reasons = [f"{name}: {note}" for name, note in notes if note]
    return "\n".join([table(head, rows), *(["", *reasons] if reasons else [])])


def _target_words(answer: AssociationAnswer) -> str:
    rows = [(word, number(figures.d, 3), _chance(figures.p)) for word, figures in answer.single.items()]
    rows.sort(key=lambda row: -(answer.single[row[0]].d or 0.0))
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
    changes = drift(left, right, parse_cues(arguments.words) if arguments.words else (), runs)
    for warning in order_warnings(left) if changes.asked < changes.common else ():
        print(f"Warning: {warning.message}", file=sys.stderr)
    print(as_json(asdict(changes)) if arguments.json else drift_table(changes))
    return 0


OVER_TRAININGS = "Intervals: over the words that fix the alignment, and over trainings, from the two runs."
OVER_ANCHORS = "Intervals: over the words that fix the alignment only, not over trainings; for those, give --floor."


def drift_table(changes: Drift) -> str:
    """Tables for a terminal."""
    first = f"{changes.common:,} common words, the first {changes.asked:,} asked about; median change "
    if changes.median is None:
        parts = [f"{first}of neighbours {changes.median_neighbours:.3f}", NOT_ALIGNED]
    else:
        parts = [f"{first}{changes.median:.3f}, of neighbours {changes.median_neighbours:.3f}"]
        parts.append(OVER_TRAININGS if changes.over_trainings else OVER_ANCHORS)
    if changes.floor is not None:
        parts.append(_floor(changes.floor))
    if changes.most:
        parts.append("Changed most, after alignment\n" + _changed_words(changes.most))
    parts.append("Changed most, by neighbours\n" + _changed_words(changes.most_by_neighbours))
    if changes.words:
        parts.append("Asked for\n" + _changed_words(changes.words))
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
    for word, change in words.items():
        size, interval, neighbours = (change.change, change.interval, change.neighbours) if change else (None,) * 3
        rows.append((word, number(size, 3), *ends(interval, 3), number(neighbours, 3)))
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
