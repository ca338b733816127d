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

from extensions.associations.measure.groups import of_years
from extensions.associations.measure.regression import Unit
from extensions.associations.measure.word_lists import question_named, read_list, shipped_list, shipped_names
from extensions.claim.measure.answer import Answer, answer, remarks
from extensions.claim.measure.claim import Claim
from extensions.claim.measure.effects import KINDS, LISTS, Kind
from extensions.claim.measure.plan import LOCAL, Analysis, Settings
from extensions.claim.measure.study import FinishedModels, Study, run
from extensions.claim.measure.vectors import TRAINERS
from extensions.shared.measure.documents import collection
from extensions.shared.measure.options import add_documents, report_left_out
from extensions.shared.measure.vectors import NamedVectors
from tasks.cli.tables import (
    CORES,
    add_json,
    as_json,
    existing_vectors,
    positive,
    step_bar,
    table,
)
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
        write(arguments.out, result, analyses)
    print(as_json(asdict(result)) if arguments.json else text_of(result))
    report_left_out(left_out, f"Documents and {study.unit.many}" if study.unit.field else "Documents")
    return 0 if result.verdict == "stable" else 1


def study_of(arguments: argparse.Namespace, left_out: LeftOut) -> Study:
    """Read the corpus and the words of the claim."""
    kind = next(kind for kind in KINDS if getattr(arguments, kind) is not None)
    store = DataStore.default()
    texts = collection(arguments.corpus, store, left_out, arguments.text_field, arguments.language)
    documents = of_years(texts.documents, arguments.first, arguments.last, left_out)
    settings = Settings(**{field.name: getattr(arguments, field.name) for field in fields(Settings)})
    lists = _lists(kind, getattr(arguments, kind), store)
    claim = Claim(kind, lists, arguments.by, arguments.at, arguments.between, Unit(arguments.group_by))
    starts = [NamedVectors(path.name, path) for path in arguments.pretrained]
    return claim.study(documents, settings, starts, get(DEFAULT).look_up, left_out)


def _lists(kind: Kind, texts: str | Sequence[str], store: DataStore) -> list[tuple[str, ...]]:
    """The lists of a claim."""
    parts = [texts] if isinstance(texts, str) else list(texts)
    if kind == "association" and len(parts) == 1:
        return [words.words for words in question_named(parts[0], store).lists]
    if len(parts) != len(LISTS[kind]):
        raise InputError(
            "lists-missing", f"--{kind} has {len(LISTS[kind])} lists: {', '.join(LISTS[kind])}.", field=kind
        )
    return [_words(text, is_word=name == "word") for name, text in zip(LISTS[kind], parts, strict=True)]


def _words(text: str, *, is_word: bool) -> tuple[str, ...]:
    if is_word:
        return (text,)
    path = Path(text)
    try:
        is_file = path.is_file()
    except OSError:  # more words than a name of a file may have letters
        is_file = False
    if is_file:
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
        f"at most {max(seconds / 60, 0.1):.1f} minutes with --processes {arguments.processes}",
    ]
    print("; ".join(lines), file=sys.stderr, flush=True)


def write(folder: Path, result: Answer, analyses: Sequence[Analysis]) -> None:
    """Write the analyses as CSV, the answer as JSON and, in a checkout, the curve as SVG."""
    rows = io.StringIO()
    writer = csv.DictWriter(rows, [field.name for field in fields(Analysis)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, analyses))
    write_whole(folder / "analyses.csv", rows.getvalue())
    write_whole(folder / "answer.json", as_json(asdict(result)) + "\n")
    if find_spec("plots") is not None:
        from extensions.claim.measure.curve import curve_of

        write_whole(folder / "curve.svg", curve_of(result, analyses).file(title_above=True))


def text_of(result: Answer) -> str:
    """The answer for a terminal: the sentence, and the options that lower the effect most."""
    levels = sorted(result.levels, key=lambda level: level.same)
    rows = [
        (level.choice, level.option, str(level.analyses), with_minus(level.effect, ".3f"), f"{100 * level.same:.0f} %")
        for level in levels
    ]
    head = ("choice", "option", "analyses", "median effect", "same sign")
    return "\n\n".join([result.sentence, table(head, rows), *remarks(result)])
