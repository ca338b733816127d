"""``python -m tasks claim``: one claim about a corpus, over every choice that could have been made otherwise."""

from __future__ import annotations

import argparse
import csv
import io
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, fields
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from extensions.associations.measure.contexts import Tokens
from extensions.associations.measure.groups import (
    in_periods,
    merged,
    named_groups,
    of_years,
    repeating_field,
    split_at,
    split_documents,
)
from extensions.associations.measure.regression import Unit
from extensions.associations.measure.word_lists import question_named, read_list, shipped_list, shipped_names
from extensions.claim.measure.answer import TITLES, Answer, answer
from extensions.claim.measure.counts import CountedCorpus, Ints
from extensions.claim.measure.effects import KINDS, LISTS, ClaimWords, Kind
from extensions.claim.measure.study import LOCAL, Analysis, FinishedModels, Settings, Study, run
from extensions.claim.measure.vectors import TRAINERS, looked_up
from extensions.shared.measure.documents import collection, having
from extensions.shared.measure.options import add_documents, report_left_out
from extensions.shared.measure.vectors import NamedVectors
from tasks.baseline.corpus_text import text_lines
from tasks.cli.tables import (
    CORES,
    add_json,
    as_json,
    existing_vectors,
    positive,
    step_bar,
    table,
)
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import temporary_folder, write_whole
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut, split_words, with_minus

CLAIMS = """\
A list is a file of words, the name of a political list that ships with the program, or words joined by commas.

The effect is measured in the whole corpus and in bootstrap samples of its documents, or of the values of --group-by,
with every window, number of dimensions and start, with the lists complete and without each word. With --by, it is the
second group minus the first, and the values of --group-by are dealt to the groups at random for p; otherwise words are.

Exit status: 0 the finding is stable; 1 it isn't shown, or depends on choices; 2 an argument or the corpus is wrong.

Examples:
  python -m tasks claim sotu --association parties-morality --from 1945 --group-by president
  python -m tasks claim sotu --axis freedom,liberty taxes,spending government --by party --group-by president
  python -m tasks claim speeches.csv --drift welfare --by year --at 1980 --group-by speaker --out welfare
"""


def add_claim(parser: argparse.ArgumentParser) -> None:
    parser.description = "Measures one claim about a corpus over every choice that could have been made otherwise."
    parser.epilog, parser.formatter_class = CLAIMS, argparse.RawDescriptionHelpFormatter
    add_documents(parser)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument(
        "--association", nargs="+", metavar="LIST", help="targets X and Y, attributes A and B; or a test"
    )
    kinds.add_argument(
        "--axis", nargs=3, metavar="LIST", help="positive pole, negative pole, words placed between them"
    )
    kinds.add_argument("--nearest", nargs=2, metavar=("WORD", "LIST"), help="a word, and words claimed to be near it")
    kinds.add_argument("--drift", metavar="WORD", help="a word claimed to have changed between two groups or periods")
    kinds.add_argument("--groups", metavar="WORD", help="a word claimed to be used differently by two groups")
    parser.add_argument("--by", metavar="FIELD", help="field of two groups: the claim is about their difference")
    parser.add_argument("--at", type=float, metavar="VALUE", help="with --by: before this value, and from it on")
    parser.add_argument("--between", metavar="A,B", help="two values of the field of --by, if it has more")
    parser.add_argument("--group-by", metavar="FIELD", help="field of those who speak: resampled and dealt as a whole")
    parser.add_argument("--from", dest="first", type=int, metavar="YEAR", help="only documents of this year and later")
    parser.add_argument("--to", dest="last", type=int, metavar="YEAR", help="only documents of this year and earlier")
    parser.add_argument(
        "--pretrained", type=existing_vectors, nargs="+", default=[], metavar="FILE", help="more starts"
    )
    parser.add_argument("--windows", type=_numbers, default=Settings.windows, metavar="N,…", help="default: 2,5,10")
    parser.add_argument("--dimensions", type=_numbers, default=Settings.dimensions, metavar="N,…", help="50,100,200")
    parser.add_argument("--samples", type=positive, default=Settings.samples, help="default: %(default)s")
    parser.add_argument("--deals", type=positive, default=Settings.deals, help="default: %(default)s")
    parser.add_argument("--minimum-count", type=positive, default=Settings.minimum_count, help="default: %(default)s")
    parser.add_argument("--algorithm", choices=TRAINERS, default=Settings.algorithm, help="default: %(default)s")
    parser.add_argument("--seed", type=positive, default=Settings.seed, help="default: %(default)s")
    parser.add_argument("--processes", type=positive, default=CORES, help="models at a time (default: the cores)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write the table and curve; run again to resume")
    add_json(parser)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(positive(part) for part in text.split(",")))


def run_claim(arguments: argparse.Namespace) -> int:
    """Measure, print, write; return 1 if the finding isn't stable."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: ends the processes
    left_out = LeftOut()
    study = study_of(arguments, left_out)
    with ExitStack() as stack:
        folder = arguments.out or stack.enter_context(temporary_folder())
        folder.mkdir(parents=True, exist_ok=True)
        finished = FinishedModels(folder / "models.jsonl", study.digest)
        progress = stack.enter_context(step_bar("measuring", even=True))
        run(study, finished, arguments.processes, lambda seconds: _announce(study, seconds, arguments), progress)
    result, analyses = answer(study, [finished.measured[model] for model in study.models])
    if arguments.out:
        write(arguments.out, study, result, analyses)
    print(as_json(asdict(result)) if arguments.json else text_of(study, result))
    report_left_out(left_out, f"Documents and {study.unit.many}" if study.unit.field else "Documents")
    return 0 if result.verdict == "stable" else 1


def study_of(arguments: argparse.Namespace, left_out: LeftOut) -> Study:
    """Read the corpus, its units and groups, and the words of the claim.

    Raises
    ------
    InputError
        two starts have one name, documents of one speaker would be taken to be independent, or the corpus lacks a
        field, groups or words.
    """
    kind = next(kind for kind in KINDS if getattr(arguments, kind) is not None)
    _check_starts(arguments.pretrained)
    store = DataStore.default()
    texts = collection(arguments.corpus, store, left_out, arguments.text_field, arguments.language)
    documents: Sequence[Document] = of_years(texts.documents, arguments.first, arguments.last, left_out)
    by, unit = arguments.by, Unit(arguments.group_by)
    if by is None and (arguments.at is not None or arguments.between):
        raise InputError("no-group", "--at and --between choose two groups of the field of --by.", field="by")
    if by is not None:
        documents = list(having(documents, by, left_out))
        if arguments.at is not None:
            documents = in_periods(split_at(documents, by, arguments.at, left_out), by)
        repeated = None if unit.field else repeating_field(documents, by)
        if repeated is not None:
            message = (
                f"Many documents have the same “{repeated}” within one “{by}”, so that they aren't independent: add "
                f"--group-by {repeated}, which deals whole values of it to the groups."
            )
            raise InputError("dependent", message, field="group-by")
    units = _units(documents, unit, by, left_out)
    settings = Settings(**{field.name: getattr(arguments, field.name) for field in fields(Settings)})
    tokens = Tokens.of(units)
    corpus = CountedCorpus.of(tokens, settings.windows, settings.minimum_count, len(units))
    words = ClaimWords.of(kind, _lists(kind, getattr(arguments, kind), store), corpus)
    pretrained = {}
    for path in arguments.pretrained:
        with temporary_folder() as folder:
            embedding = NamedVectors(path.name, path).with_words(corpus.words, folder)
            pretrained[path.name] = looked_up(embedding, get(DEFAULT).look_up, corpus.words)
    group_of = None if by is None else _group_of(units, by, arguments.between)
    return Study(words, corpus, tokens, settings, unit, group_of, pretrained)


def _check_starts(paths: Sequence[Path]) -> None:
    """Refuse starts of one name."""
    names = [LOCAL, *(path.name for path in paths)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = (
            f"Two starts would be named “{twice}”: a start has the name of its file, and “{LOCAL}” are the vectors of "
            "the corpus itself. Rename a file of --pretrained."
        )
        raise InputError("start-twice", message, field="pretrained")


def _units(documents: Sequence[Document], unit: Unit, by: str | None, left_out: LeftOut) -> list[Document]:
    """One document for each value of a field or, without one, for equal documents of a group."""
    if unit.field:
        return merged(documents, unit.field, [by] if by else [], left_out)
    equal: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        equal.setdefault((document.text, dict(document.metadata).get(by or "", "")), []).append(document)
    return [copies[0]._replace(text="\n".join(each.text for each in copies)) for copies in equal.values()]


def _group_of(units: Sequence[Document], by: str, between: str | None) -> Ints:
    """0 and 1 for the two groups of a field or, of several, the named ones; else -1."""
    groups = split_documents(units, by)
    names = named_groups(between, groups, by) if between else sorted(groups)
    if len(set(names)) != 2:
        message = f"“{by}” has {len(groups):,} values; name two with --between, or divide numbers with --at."
        raise InputError("not-two-groups", message, field="between")
    place = {name: i for i, name in enumerate(names)}
    return np.array([place.get(dict(document.metadata)[by], -1) for document in units], dtype=np.int64)


def _lists(kind: Kind, texts: str | Sequence[str], store: DataStore) -> list[list[str]]:
    """The lists of a claim, their words in the form of the corpus."""
    parts = [texts] if isinstance(texts, str) else list(texts)
    if kind == "association" and len(parts) == 1:
        words = [words.words for words in question_named(parts[0], store).lists]
    elif len(parts) != len(LISTS[kind]):
        raise InputError(
            "lists-missing", f"--{kind} has {len(LISTS[kind])} lists: {', '.join(LISTS[kind])}.", field=kind
        )
    else:
        words = [_words(text, is_word=name == "word") for name, text in zip(LISTS[kind], parts, strict=True)]
    return [list(dict.fromkeys(" ".join(text_lines([word])) for word in each)) for each in words]


def _words(text: str, *, is_word: bool) -> tuple[str, ...]:
    if is_word:
        return (text,)
    path = Path(text)
    if path.is_file():
        return read_list(path, path.name).words
    return shipped_list(text).words if text in shipped_names() else tuple(split_words(text))


def _announce(study: Study, seconds: float, arguments: argparse.Namespace) -> None:
    """Print the plan with its time."""
    chosen, units = study.settings, f"{study.corpus.units} {study.unit.many}"
    deals = "" if study.group_of is None else f", {chosen.deals:,} deals of them to the groups"
    lines = [
        f"Plan: {len(study.models)} models of {len(study.tokens.ids):,} words ({chosen.algorithm})",
        f"the whole corpus and {chosen.samples} samples of its {units}{deals}",
        f"windows {', '.join(map(str, chosen.windows))}; dimensions {', '.join(map(str, chosen.dimensions))}",
        f"starts: {', '.join([LOCAL, *study.pretrained])}",
        f"at most {max(seconds / 60, 0.1):.1f} minutes with {arguments.processes} processes",
    ]
    print("; ".join(lines), file=sys.stderr, flush=True)


def write(folder: Path, study: Study, result: Answer, analyses: Sequence[Analysis]) -> None:
    """Write the analyses as CSV, the answer as JSON and, in a checkout, the curve as SVG."""
    rows = io.StringIO()
    writer = csv.DictWriter(rows, [field.name for field in fields(Analysis)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, analyses))
    write_whole(folder / "analyses.csv", rows.getvalue())
    write_whole(folder / "answer.json", as_json(asdict(result)) + "\n")
    if find_spec("plots") is not None:
        from extensions.claim.measure.curve import curve_of

        write_whole(folder / "curve.svg", curve_of(study, result, analyses).file(title_above=True))


def text_of(study: Study, result: Answer) -> str:
    """The answer for a terminal: the sentence, and the options that lower the effect most."""
    levels = sorted(result.levels, key=lambda level: level.same)
    rows = [
        (level.choice, level.option, str(level.analyses), with_minus(level.effect, ".3f"), f"{100 * level.same:.0f} %")
        for level in levels
    ]
    parts = [result.sentence, table(("choice", "option", "analyses", "median effect", "same sign"), rows)]
    parts += [f"Effect: {TITLES[study.words.kind]}."]
    parts += [f"Too rare in the corpus: {', '.join(result.missing_words)}."] if result.missing_words else []
    missing = "; ".join(result.missing_settings)
    parts += [f"Left out, as they have no number in the whole corpus: {missing}."] if missing else []
    return "\n\n".join(parts)
