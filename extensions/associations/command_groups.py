"""``subgroups`` and ``contexts``: groups of documents of one corpus."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from extensions.associations.measure.contexts import Contexts, Floats, GroupComparison, Tokens, compare_groups
from extensions.associations.measure.formulas import Covariate, Explanation, columns_of, explain, fields_of
from extensions.associations.measure.groups import (
    in_periods,
    merged,
    named_groups,
    of_years,
    repeating_field,
    split_at,
    split_documents,
)
from extensions.associations.measure.regression import FEWEST_DEGREES, SquaredNorm, Unit
from extensions.associations.measure.subgroups import Subgroups, compare_subgroups
from extensions.shared.measure.corpora import documents_corpus
from extensions.shared.measure.cues import chosen_cues
from extensions.shared.measure.documents import Collection, collection, having, number_of
from extensions.shared.measure.options import add_documents, report_left_out
from extensions.shared.measure.vectors import NamedVectors, read_for
from tasks.baseline.corpus_text import write_lines
from tasks.cli.tables import (
    add_json,
    add_suite,
    as_json,
    existing,
    number,
    table,
    writable,
)
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import file_names, temporary_folder, whole
from tasks.languages import ENGLISH, language_name
from tasks.neighbours import Neighbour
from tasks.political.cues import random_cues
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut, split_words
from tasks.vectors import Embedding

SHOWN = 5
SEVERAL = "separated by commas; quotation marks enclose a value with a comma"


def add_subgroups(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    split = actions.add_parser("split", help="write the text of each group as a file to train on")
    add_documents(split)
    split.add_argument("--by", metavar="FIELD", help="field of the documents (default: party; with --at, year)")
    split.add_argument("--at", type=float, metavar="VALUE", help="two periods: before this value, and from it on")
    split.add_argument("--groups", help=f"only these values, {SEVERAL} (default: all)")
    _add_years(split)
    split.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY")
    compare = actions.add_parser("compare", help="compare the vectors of each group with a reference")
    compare.add_argument("--reference", type=existing, required=True, help="vector file")
    compare.add_argument(
        "--group", action="append", required=True, metavar="NAME=FILE[,FILE…]", help="a group and its runs; repeatable"
    )
    compare.add_argument("--cues", default="political-en", help="a list of cues, or random (default political-en)")
    compare.add_argument("--language", default="en")
    add_json(compare)


def run_subgroups(arguments: argparse.Namespace) -> int:
    return _compare(arguments) if arguments.action == "compare" else _split(arguments)


def _split(arguments: argparse.Namespace) -> int:
    """Write ``CORPUS-VALUE.txt.gz`` for every group; print the size of each."""
    left_out = LeftOut()
    selected = _chosen(arguments, left_out)
    by = arguments.by or ("party" if arguments.at is None else "year")
    documents = having(selected.documents, by, left_out)
    groups = split_documents(documents, by) if arguments.at is None else split_at(documents, by, arguments.at, left_out)
    names = named_groups(arguments.groups, groups, by) if arguments.groups else list(groups)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows, stems = [], file_names(groups)
    for name in dict.fromkeys(names):
        path = arguments.out / f"{selected.id}-{stems[name]}.txt.gz"
        text = documents_corpus(selected.id, name, selected.licence, groups[name])
        rows.append((str(path), name, f"{len(groups[name]):,}", f"{write_lines(text.read(), path).tokens:,}"))
    print(table(("file", by if arguments.at is None else "period", "documents", "tokens"), rows))
    print(f"licence: {selected.licence}")
    report_left_out(left_out)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    """Print each group's agreement with the reference, and the differences."""
    groups = _groups(arguments.group)
    suite = get(DEFAULT)
    reference = read_for(suite, arguments.reference)
    embeddings = {name: [read_for(suite, path) for path in paths] for name, paths in groups.items()}
    files = [reference, *(file for runs in embeddings.values() for file in runs)]
    comparison = compare_subgroups(embeddings, reference, _cues(arguments, files))
    print(as_json(asdict(comparison)) if arguments.json else subgroups_table(comparison))
    return 0


def _cues(arguments: argparse.Namespace, files: list[Embedding]) -> list[str]:
    cues, sets = chosen_cues(arguments.cues, None, arguments.language)
    if "random" in sets:
        common = set(files[0].words).intersection(*(file.words for file in files[1:]))
        return random_cues(common)
    if cues is None:
        raise InputError("no-cues", "--cues takes one list of cues, or random.", field="cues")
    return cues


def subgroups_table(comparison: Subgroups) -> str:
    """Tables for a terminal."""
    groups = [
        (name, str(figures["n"]), *(number(figures[key]) for key in ("mean", "se", "min", "max")))
        for name, figures in comparison.groups.items()
    ]
    differences = [
        (
            f"{item.first} − {item.second}",
            str(item.cues),
            f"{item.mean:+.4f}",
            f"{item.interval[0]:+.4f} to {item.interval[1]:+.4f}" if item.interval else "–",
            number(item.p),
        )
        for item in comparison.differences
    ]
    unknown = [cue for cue, figures in comparison.cues.items() if figures is None]
    lines = [
        f"{comparison.common_words:,} common words",
        "",
        table(("group", "cues", "mean Pearson", "standard error", "min", "max"), groups),
        "",
        table(("difference", "cues", "mean", "95 % interval", "p (Wilcoxon)"), differences),
    ]
    return "\n".join([*lines, *([f"out of vocabulary in a file: {', '.join(unknown)}"] if unknown else [])])


def _groups(texts: list[str]) -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {}
    for text in texts:
        name, _, files = text.partition("=")
        if not name or not files:
            message = f"“{text}” is not a group: write its name, =, and its files, as in Whig=a.txt.gz,b.txt.gz."
            raise InputError("no-group", message, field="group")
        if name in groups:
            message = f"The group “{name}” is given twice. Give all its runs in one --group, separated by commas."
            raise InputError("group-twice", message, field="group")
        groups[name] = [Path(file) for file in files.split(",")]
    return groups


def add_contexts(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Embeds every occurrence of a word from the vectors around it (à la carte, Khodak et al. 2018), averages them "
        "within documents, and compares two groups of documents, or regresses the documents on several fields: squared "
        "length of the difference without its noise, interval, permutation p and nearest words (Rodriguez, Spirling & "
        "Stewart 2023; Green et al. 2025)."
    )
    parser.epilog = (
        "Exit status: 0 every target has a result; 1 some have none, and the reason is printed; 2 an argument "
        "or a file is wrong."
    )
    add_documents(parser)
    parser.add_argument("vectors", type=existing, nargs="+", help="vector file; several show how much depends on it")
    targets = parser.add_mutually_exclusive_group(required=True)
    targets.add_argument("--target", metavar="WORDS", help="words of the corpus, separated by commas or blanks")
    targets.add_argument("--cues", metavar="LIST", help="a list of cues, such as political-en")
    covariates = parser.add_mutually_exclusive_group(required=True)
    covariates.add_argument("--by", metavar="FIELD", help="field of the documents that groups them (party)")
    covariates.add_argument(
        "--formula",
        metavar="FIELDS",
        help="several fields joined by + (party + year): numbers where all values are numbers, groups otherwise",
    )
    parser.add_argument(
        "--groups",
        help=f"two values of the field of --by, {SEVERAL}: the second is compared with the first (default: the two "
        "with most text, in alphabetical order, as in a formula)",
    )
    parser.add_argument("--at", type=float, metavar="VALUE", help="with --by: before this value, and from it on")
    parser.add_argument(
        "--group-by",
        metavar="FIELD",
        help="field of those who speak (president): their documents count as one, so that speakers are left out and "
        "permuted, not documents",
    )
    _add_years(parser)
    parser.add_argument(
        "--save-transformation",
        type=writable,
        metavar="FILE",
        help="write the map from mean contexts to vectors, for conText’s transform_matrix: .csv, or .npz",
    )
    add_suite(parser, "suite whose look-up rule is used (default: %(default)s)")
    add_json(parser)


def run_contexts(arguments: argparse.Namespace) -> int:
    """Print the answer for every target and vector file; return 1 if a target has none."""
    is_formula = arguments.formula is not None
    if is_formula and (arguments.groups or arguments.at is not None):
        message = "--groups and --at choose two values of the field of --by; leave them out."
        raise InputError("no-group", message, field="groups")
    fields = fields_of(arguments.formula) if is_formula else [arguments.by]
    if arguments.save_transformation:
        _check_transformation(arguments.save_transformation, arguments.vectors)
    left_out = LeftOut()
    chosen_documents = _chosen(arguments, left_out)
    documents, language = list(chosen_documents.documents), chosen_documents.language
    for field in fields:
        documents = having(documents, field, left_out)
    groups = arguments.groups
    if arguments.at is not None:
        periods = split_at(documents, arguments.by, arguments.at, left_out)
        documents, groups = in_periods(periods, arguments.by), ",".join(periods)
    warnings = [] if arguments.group_by else _dependence(documents, fields)
    if arguments.group_by:
        documents = merged(documents, arguments.group_by, fields, left_out, is_averaged=is_formula)
    unit = Unit(arguments.group_by)
    covariates = [Covariate.of(field, documents, unit) for field in fields] if is_formula else []
    if is_formula:
        columns_of(covariates, np.arange(len(documents)), unit)
    places = {} if is_formula else _two_groups(documents, arguments.by, groups, warnings)
    suite, tokens = get(arguments.suite), Tokens.of(documents)
    targets = _targets(arguments, language)
    compared: dict[tuple[str, ...], GroupComparison] = {}
    explained: dict[tuple[str, ...], Explanation] = {}
    troubles: dict[tuple[str, ...], str] = {}
    fidelity: dict[str, float] = {}
    for path in arguments.vectors:
        with temporary_folder() as folder:
            embedding = NamedVectors(path.name, path).with_words(tokens.types, folder)
        contexts = Contexts.learn(tokens, embedding, suite.look_up, unit)
        fidelity[path.name] = contexts.fidelity
        if arguments.save_transformation:
            write_transformation(arguments.save_transformation, contexts.transformation)
        for target in targets:
            key = (target, path.name) if len(arguments.vectors) > 1 else (target,)
            try:
                if is_formula:
                    explained[key] = explain(contexts, target, covariates)
                else:
                    compared[key] = compare_groups(contexts, target, places)
            except InputError as error:
                troubles[key] = error.message
    if arguments.json:
        answers: dict[tuple[str, ...], GroupComparison | Explanation] = {**compared, **explained}
        body = [
            {
                "vectors": name,
                "fidelity": quality,
                "targets": {key[0]: asdict(answer) for key, answer in answers.items() if key[1:] in ((), (name,))},
                "without": {key[0]: trouble for key, trouble in troubles.items() if key[1:] in ((), (name,))},
            }
            for name, quality in fidelity.items()
        ]
        about = {"group_by": arguments.group_by, "language": language}
        print(as_json(about | {"vectors": body, "warnings": warnings}))
    else:
        parts = formula_tables(explained, unit.many) if is_formula else group_tables(compared, unit.many)
        parts += [f"{', '.join(key)}: {trouble}" for key, trouble in troubles.items()] + warnings
        where = f" in {language_name(language)}" if language else ""
        qualities = ", ".join(
            f"{quality:.3f}{f' ({name})' if len(fidelity) > 1 else ''}" for name, quality in fidelity.items()
        )
        parts.append(
            f"{len(tokens.ids):,} tokens{where}; mean cosine of frequent words with their à la carte vectors: "
            f"{qualities}"
        )
        print("\n\n".join(parts))
    report_left_out(left_out, f"Documents and {unit.many}" if unit.field else "Documents")
    return 1 if troubles else 0


def _check_transformation(path: Path, vectors: Sequence[Path]) -> None:
    """
    Raises
    ------
    InputError
        several vector files, which have a transformation each, or an unknown suffix.
    """
    if len(vectors) > 1:
        message = "Each vector file has a transformation of its own. To save one, give one vector file."
        raise InputError("several-files", message, field="save-transformation")
    if path.suffix not in (".csv", ".npz"):
        message = f"{path.name} has no known suffix; end the name in .csv or .npz."
        raise InputError("suffix", message, field="save-transformation")


def write_transformation(path: Path, transformation: Floats) -> None:
    """Write T, shape (D, D): the vector of a mean context c is T c.

    A ``.csv`` file names rows and columns d1 to dD, and its numbers read back as the same float64; ``.npz`` has the
    arrays ``transformation`` and ``dimensions`` (the names).
    """
    names = [f"d{i}" for i in range(1, len(transformation) + 1)]
    with whole(path) as partial, partial.open("wb") as file:
        if path.suffix == ".npz":
            np.savez(file, transformation=transformation, dimensions=np.array(names))
            return
        file.write(f"{','.join(['', *names])}\n".encode())
        for name, row in zip(names, transformation.tolist(), strict=True):
            file.write(f"{','.join([name, *map(repr, row)])}\n".encode())


def _dependence(documents: Sequence[Document], fields: Sequence[str]) -> list[str]:
    """Warnings if equal documents, or those of the same speaker or author, are taken to be independent."""
    copies = len(documents) - len({document.text for document in documents})
    too_narrow = "p is too small and the intervals are too narrow"
    warnings = [f"{copies:,} documents repeat another one: {too_narrow}."] if copies else []
    for field in fields:
        repeated = repeating_field(documents, field)
        if repeated is not None:
            warnings.append(
                f"Many documents have the same “{repeated}” within one “{field}”. If those documents resemble each "
                f"other, {too_narrow}: compare with --group-by {repeated}."
            )
            break
    return warnings


def group_tables(answers: Mapping[tuple[str, ...], GroupComparison], unit: str) -> list[str]:
    """Tables of two groups, and remarks, for a terminal; ``unit`` names what is counted."""
    rows, lines = [], []
    for key, answer in answers.items():
        first, second = answer.groups
        rows.append((*key, second, first, *_norm_cells(answer.distance)))
        for name, group in answer.groups.items():
            lines.append((*key, name, str(group.units), str(group.occurrences), _near(group.neighbours)))
    if not rows:
        return []
    remarks = _remarks({", ".join(key): answer.distance for key, answer in answers.items()}, unit)
    names = _names(answers)
    nearest = table((*names, "group", unit, "occurrences", "nearest"), lines)
    return [table((*names, "group", "compared with", "distance²", *_NORM_HEAD), rows), *remarks, nearest]


def formula_tables(answers: Mapping[tuple[str, ...], Explanation], unit: str) -> list[str]:
    """Tables of the coefficients of a formula, and remarks, for a terminal; ``unit`` as for two groups."""
    rows, lines, lengths = [], [], {}
    for key, answer in answers.items():
        for c in answer.coefficients:
            against = "per unit" if c.reference is None else c.reference
            rows.append((*key, c.name, against, str(c.units), *_norm_cells(c.length)))
            more, less = (f"more {c.field}", f"less {c.field}") if c.level is None else (c.level, against)
            lines.append((*key, more, _near(c.towards)))
            lines.append((*key, less, _near(c.away)))
            lengths[", ".join([*key, c.name])] = c.length
    if not rows:
        return []
    names = _names(answers)
    parts = [table((*names, "coefficient", "compared with", unit, "length²", *_NORM_HEAD), rows)]
    return [*parts, *_remarks(lengths, unit), table((*names, "towards", "nearest"), lines)]


def _names(answers: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Heads of the columns that name an answer: its target and, of several, its vector file."""
    return ("target", "vectors")[: max(map(len, answers))]


_NORM_HEAD = ("95 % from", "to", "p", "detectable", "uncorrected")


def _norm_cells(norm: SquaredNorm) -> tuple[str, ...]:
    low, high = norm.interval or (None, None)
    of_norm = (norm.estimate, low, high, norm.detectable, norm.uncorrected)
    *cells, detectable, uncorrected = ("–" if value is None else f"{value:.3g}" for value in of_norm)
    return (*cells, number(norm.p, 3), detectable, uncorrected)


def _remarks(norms: Mapping[str, SquaredNorm], unit: str) -> list[str]:
    """Reasons of missing numbers, and the names of those that rest on too few documents or groups."""
    reasons = [f"{name}: {norm.reason}" for name, norm in norms.items() if norm.reason]
    few = [
        name
        for name, norm in norms.items()
        if norm.interval and norm.degrees_of_freedom and norm.degrees_of_freedom < FEWEST_DEGREES
    ]
    if few:
        reasons.append(
            f"Under {FEWEST_DEGREES:g} degrees of freedom, because few {unit} decide them: {', '.join(few)}. Their "
            "intervals are rough."
        )
    return ["\n".join(reasons)] if reasons else []


def _near(neighbours: Sequence[Neighbour]) -> str:
    return ", ".join(neighbour.word for neighbour in neighbours[:SHOWN])


def _two_groups(documents: Sequence[Document], by: str, named: str | None, warnings: list[str]) -> dict[str, list[int]]:
    """Indices of the documents of two groups: the named ones, or the two with most text in alphabetical order."""
    by_value = split_documents(documents, by)
    names = named_groups(named, by_value, by) if named else sorted(list(by_value)[:2])
    if named is None and len(by_value) > 2:
        if all(number_of(value) is not None for value in by_value):
            message = (
                f"“{by}” has {len(by_value):,} values. Compare two periods with --at, two values with --groups, or "
                f"relate the use of words to the number with --formula {by}."
            )
            raise InputError("many-groups", message, field="by")
        warnings.append(f"“{by}” has {len(by_value):,} values; these are the two with most text. Choose with --groups.")
    values = [dict(document.metadata)[by] for document in documents]
    return {name: [i for i, value in enumerate(values) if value == name] for name in names}


def _targets(arguments: argparse.Namespace, language: str | None) -> list[str]:
    if arguments.target:
        return split_words(arguments.target)
    cues, _ = chosen_cues(arguments.cues, None, language or ENGLISH)
    return cues or []


def _add_years(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", dest="first", type=int, metavar="YEAR", help="only documents of this year and later")
    parser.add_argument("--to", dest="last", type=int, metavar="YEAR", help="only documents of this year and earlier")


def _chosen(arguments: argparse.Namespace, left_out: LeftOut) -> Collection:
    """The documents of the corpus in the chosen years."""
    whole = collection(arguments.corpus, DataStore.default(), left_out, arguments.text_field, arguments.language)
    return replace(whole, documents=of_years(whole.documents, arguments.first, arguments.last, left_out))
