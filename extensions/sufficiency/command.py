"""``suffices``: pre-trained vectors against vectors trained on a corpus."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from extensions.shared.measure.documents import collection
from extensions.shared.measure.options import add_documents, report_left_out
from extensions.shared.measure.vectors import NamedVectors
from extensions.sufficiency.measure.candidates import LOCAL
from extensions.sufficiency.measure.decide import VERDICTS, about, signed
from extensions.sufficiency.measure.measure import Settings, suffices
from extensions.sufficiency.measure.people_lists import published_in, read_lists
from extensions.sufficiency.measure.report import CandidateUsed, CorpusUsed, CueFigures, Estimate, SufficiencyReport
from tasks.cli.check import FOLDER
from tasks.cli.tables import (
    CORES,
    add_json,
    as_json,
    existing,
    existing_vectors,
    positive,
    step_bar,
    table,
)
from tasks.datasets.store import DataStore
from tasks.languages import ENGLISH, language_name
from tasks.local_training.plan import ALGORITHMS
from tasks.political.human import PUBLISHED
from tasks.text import LeftOut, split_words

SHOWN = 10
TWO_TRUTHS = (
    "People name today's associations, which pre-trained vectors match; local vectors match these speakers. Where the "
    "two disagree, neither is wrong: choose by whose use of words you study."
)
ONE_IN_TWENTY = "Of the intervals of single cues, one in twenty misses the truth."


def add_suffices(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Trains vectors on parts of a corpus and compares them with pre-trained ones on its other parts: do the words "
        "near a cue there have a higher cosine with it than words of equal frequency that are not near it? The figure "
        "is the area under the curve, 0.5 by chance. Prints a verdict by a fixed rule, the learning curve, windows and "
        "dimensions, and the cues that differ most. The question is that of Rodriguez & Spirling (2022)."
    )
    add_documents(parser)
    parser.add_argument(
        "--pretrained",
        type=_vectors,
        nargs="+",
        action="extend",
        required=True,
        metavar="FILE",
        help=f"{FOLDER}; python -m vecboard public ID --save FILE gets published ones",
    )
    parser.add_argument(
        "--group-by",
        metavar="FIELD",
        help="field of those who speak (president): their documents are trained or tested on together",
    )
    parser.add_argument("--cues", default="", metavar="WORDS", help="your own cues, separated by commas or blanks")
    parser.add_argument(
        "--people",
        type=existing,
        metavar="LISTS",
        help=f"people's words for cues, JSON {{cue: [word, …]}} (default for English: the lists of {PUBLISHED})",
    )
    parser.add_argument("--random-cues", type=positive, default=Settings.random_cues, help="default: %(default)s")
    parser.add_argument("--repeats", type=positive, default=Settings.repeats, help="partitions (default: %(default)s)")
    parser.add_argument("--algorithm", choices=ALGORITHMS, default=Settings.algorithm, help="default: %(default)s")
    parser.add_argument("--window", type=int, default=Settings.window, help="tokens on each side (default %(default)s)")
    parser.add_argument("--dimensions", type=int, default=Settings.dimensions, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=Settings.seed, help="default: %(default)s")
    parser.add_argument(
        "--processes", type=positive, default=CORES, help="trainings at a time (default: the cores, %(default)s)"
    )
    add_json(parser)


def _vectors(text: str) -> Path:
    """The path of vectors; the message for anything else says where to get some."""
    try:
        return existing_vectors(text)
    except argparse.ArgumentTypeError as error:
        message = f"{error}; get published vectors as a file with python -m vecboard public ID --save FILE"
        raise argparse.ArgumentTypeError(message) from error


def run_suffices(arguments: argparse.Namespace) -> int:
    """Compare, and print the report."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: ends the trainings, removes their folder
    store, left_out = DataStore.default(), LeftOut()
    documents = collection(arguments.corpus, store, left_out, arguments.text_field, arguments.language)
    people = arguments.people
    settings = Settings(
        group_by=arguments.group_by,
        cues=tuple(split_words(arguments.cues)),
        random_cues=arguments.random_cues,
        repeats=arguments.repeats,
        window=arguments.window,
        dimensions=arguments.dimensions,
        algorithm=arguments.algorithm,
        seed=arguments.seed,
        processes=arguments.processes,
        people={people.name: read_lists(people)} if people else published_in(documents.language, store),
    )
    vectors = [NamedVectors(path.name, path, documents.language or ENGLISH) for path in arguments.pretrained]
    with step_bar("comparing", even=True) as progress:
        report = suffices(documents, vectors, settings, progress, left_out)
    print(as_json(report) if arguments.json else report_text(report))
    report_left_out(left_out, "Documents and cues")
    return 0


def report_text(report: SufficiencyReport) -> str:
    """The report for a terminal."""
    candidates = {candidate["id"]: candidate for candidate in report["candidates"]}
    corpus = report["corpus"]
    unit = f"values of “{corpus['group_by']}”" if corpus["group_by"] else "documents"
    parts = [
        report["sentence"],
        f"{corpus['title']}: {corpus['tokens']:,} words in {corpus['groups']:,} {unit}{_about(corpus)}. "
        "Area under the curve, 0.5 by chance, with 95 % intervals:",
        _decisions(report, candidates),
        *(decision["sentence"] for decision in report["decisions"]),
        *(f"{used['title']}: {used['missing']}" for used in report["candidates"] if used["missing"]),
        _curve(report, candidates),
        *(
            f"Trained on about {about(tokens):,} words, local vectors overtake {candidates[name]['title']}."
            for name, tokens in report["overtakes"].items()
            if tokens
        ),
        *_settings(report, candidates),
        *_cues(report, candidates),
        *_people_text(report, candidates),
        f"{report['seconds'] / 60:.1f} minutes",
    ]
    return "\n\n".join(parts)


def _about(corpus: CorpusUsed) -> str:
    """Language of a corpus, and number of its repeated documents."""
    language, repeated = corpus.get("language"), corpus.get("repeated")
    where = f", in {language_name(language)}" if language else ""
    return where + (f"; {repeated:,} documents repeat another one" if repeated else "")


def _decisions(report: SufficiencyReport, candidates: Mapping[str, CandidateUsed]) -> str:
    """One line for every candidate that is compared: words known, area, difference from local vectors, verdict."""
    last = {point["candidate"]: point["auc"] for point in report["curve"]}
    decided = {decision["candidate"]: decision for decision in report["decisions"]}
    rows = []
    for name, area in last.items():
        candidate, decision = candidates[name], decided.get(name)
        share = candidate["share"]
        rows.append(
            (
                candidate["title"],
                "–" if share is None else f"{100 * share:.1f} %",
                _area(area),
                signed(decision["difference"], "") if decision else "",
                VERDICTS[decision["verdict"]] if decision else "",
            )
        )
    return table(("vectors", "words known", "area", "difference from local", "verdict"), rows)


def _curve(report: SufficiencyReport, candidates: Mapping[str, CandidateUsed]) -> str:
    rows = [
        (candidates[point["candidate"]]["title"], f"{point['tokens']:,}", _area(point["auc"]))
        for point in report["curve"]
        if point["tokens"]
    ]
    return "Learning curve\n" + table(("vectors", "words trained on", "area"), rows)


def _settings(report: SufficiencyReport, candidates: Mapping[str, CandidateUsed]) -> list[str]:
    rows = []
    for figures in report["settings"]:
        candidate = candidates[figures["candidate"]]
        difference = signed(figures["difference"], "") if figures["difference"]["interval"] else "–"
        rows.append((str(candidate["window"]), str(candidate["dimensions"]), _area(figures["auc"]), difference))
    head = ("window", "dimensions", "area", "difference from local")
    return ["Local vectors with other windows and dimensions\n" + table(head, rows)] if rows else []


def _cues(report: SufficiencyReport, candidates: Mapping[str, CandidateUsed]) -> list[str]:
    """The user's cues, and the random ones that differ most between the first pre-trained set and local vectors."""
    first = report["decisions"][0]["candidate"]
    measured = [cue for cue in report["cues"] if first in cue["difference"]]
    ordered = sorted(measured, key=lambda cue: cue["difference"][first]["mean"])
    title = candidates[first]["title"]
    named = {
        "Your cues": [cue for cue in report["cues"] if cue["is_own"]],
        f"Cues for which local vectors are better than {title}, most of all": ordered[:SHOWN],
        f"Cues for which {title} is better than local vectors, most of all": ordered[::-1][:SHOWN],
    }
    parts = [f"{head}\n{_cue_table(cues, first)}" for head, cues in named.items() if cues]
    return [*parts, ONE_IN_TWENTY]


def _cue_table(cues: Sequence[CueFigures], first: str) -> str:
    rows = []
    for cue in cues:
        areas, difference = cue["auc"], cue["difference"].get(first)
        figures = (
            (f"{areas[first]:.3f}", f"{areas[LOCAL]:.3f}", signed(difference, "")) if difference else ("–", "–", "–")
        )
        rows.append((cue["cue"], f"{cue['occurrences']:,}", *figures))
    return table(("cue", "occurrences", "pre-trained", "local", "difference"), rows)


def _people_text(report: SufficiencyReport, candidates: Mapping[str, CandidateUsed]) -> list[str]:
    parts = []
    for figures in report["people"]:
        rows = [(candidates[name]["title"], f"{area:.3f}") for name, area in figures["auc"].items()]
        head = f"Agreement with people's words for {figures['cues']} cues: {figures['title']}"
        parts.append(f"{head}\n{table(('vectors', 'area'), rows)}")
    return [*parts, TWO_TRUTHS] if parts else []


def _area(estimate: Estimate) -> str:
    interval = estimate["interval"]
    return f"{estimate['mean']:.3f}" + (f" ({interval[0]:.3f} to {interval[1]:.3f})" if interval else "")
