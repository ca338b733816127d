"""What can be typed after ``python -m tasks``, and which function runs it.

Nothing here imports numpy, torch or a suite, so that help and the answer to a wrong argument come at once.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from tasks.files import of_archive
from tasks.local_training.plan import ALGORITHMS, Plan

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a command is added to."""
SUITES = ("open-2026", "demo", "veceval-2016")
MODES = ("fixed", "fine-tuned")
"""As in tasks.suites and tasks.results, which take long to import; a test compares them."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
VECTORS = "vectors in any form that sites take; archive.zip:member for a file in an archive"
EVALUATE = """\
It takes minutes: about five for 36,000 words of 100 dimensions on two cores, more for more dimensions or fewer cores.

Exit status: 0 every task that applies to the file has a score; 1 some have none, and the report says why; 2 an argument
or the file is wrong.

With --out, every finished cell is kept in a folder beside the report until that is written: after Ctrl-C or a crash,
the same command with --resume measures the rest.

Examples:
  python -m tasks evaluate vectors.txt.gz --out report.json
  python -m tasks evaluate vectors.txt.gz --out report.json --resume
  python -m tasks evaluate vectors.txt.gz --task pos,ner --mode fixed --seeds 1
  python -m tasks evaluate first.txt.gz --run second.txt.gz --run third.txt.gz --task stability
"""


def positive(text: str) -> int:
    """An integer of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 1")
    return int(text)


def existing(text: str) -> Path:
    """The path of a file that can be read, or of a file in an archive (``archive.zip:member``)."""
    path, _ = of_archive(Path(text))
    if not path.is_file() or not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{text!r} is not a file that can be read")
    return Path(text)


def writable(text: str) -> Path:
    """The path of a file that can be written."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a directory, not a file")
    at = path if path.exists() else path.parent
    if not (path.exists() or at.is_dir()) or not os.access(at, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written; check that its directory exists")
    return path


def check(commands: Commands) -> None:
    parser = commands.add_parser(
        "check",
        help="is this vector file ready to upload?",
        description="Reads a vector file as a site would and reports errors. Exit status: 0 ready, 2 not ready.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=VECTORS)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")
    _suite(parser, "compare words with this suite's tasks (default: %(default)s)")
    parser.add_argument("--language", default="en", help="language of the words, ISO 639-1 (default: %(default)s)")
    parser.set_defaults(run="tasks.cli.check:run")


def evaluate(commands: Commands) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="evaluate a vector file and write its report",
        description="Measures a vector file on every task of a suite and prints the report.",
        epilog=EVALUATE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=existing, help=VECTORS)
    _measurement(parser)
    parser.add_argument("--task", help="only these tasks (comma-separated)")
    parser.add_argument("--mode", choices=MODES, help="only this mode of the extrinsic tasks")
    parser.add_argument(
        "--run",
        dest="runs",
        type=existing,
        action="append",
        default=[],
        metavar="FILE",
        help="another run of the same settings, for stability; repeatable",
    )
    parser.add_argument("--name", help="name in the report (default: the file's)")
    parser.add_argument("--language", default="en", help="language of the vectors (ISO 639-1, default %(default)s)")
    parser.add_argument("--out", type=writable, metavar="FILE", help="write the report here as JSON")
    parser.add_argument("--resume", action="store_true", help="take what an interrupted run with this --out finished")
    parser.set_defaults(run="tasks.cli.evaluate:run")


def compare(commands: Commands) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare two vector files by the neighbours of words",
        description="Prints the ranking correlation of two vector files on their common vocabulary (per cue, over "
        "random cues and, exactly, over every common word), the overlap of nearest neighbours, and the words that "
        "moved most and least.",
    )
    parser.add_argument("a", type=existing, help="vector file")
    parser.add_argument("b", type=existing, help="vector file")
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "--cues",
        help="comma-separated sets: a list (political-en, political-es, political-de, or one of the data "
        "directory's cue-lists/*.txt), random, all (default: the political list of the language, random and all)",
    )
    wanted.add_argument("--words", help="compare only these cues, separated by commas")
    parser.add_argument("--language", default="en", help="language of the vectors (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run="tasks.cli.compare:run")


def baseline(commands: Commands) -> None:
    parser = commands.add_parser(
        "baseline",
        help="train a suite's SVD-PPMI baseline",
        description="Trains the suite's SVD-PPMI vectors on its prescribed corpus and writes them. With --recompute or "
        "--publish it evaluates them too. Exit status: 0, or 1 when recomputed scores disagree with published ones. "
        "With --language and --corpus it makes the baseline of another language, for error reductions in it.",
    )
    _measurement(parser)
    parser.add_argument("--language", default="en", help="of the baseline (ISO 639-1, default: %(default)s)")
    parser.add_argument(
        "--corpus", type=existing, metavar="FILE", help="text in that language, as `corpus --dump` writes it"
    )
    parser.add_argument(
        "--dimensions", type=positive, help="of the vectors (default: the suite's; others to compare equals)"
    )
    parser.add_argument(
        "--out", type=writable, help="write the vectors here (default: baseline-SUITE-VERSION[-LANGUAGE]-dN.txt.gz)"
    )
    parser.add_argument("--recompute", action="store_true", help="evaluate them and compare with the published scores")
    parser.add_argument("--publish", action="store_true", help="evaluate them and publish these scores")
    parser.add_argument(
        "--changed",
        action="store_true",
        help="with --publish: keep scores published under this version or an earlier one for tasks whose definition "
        "is unchanged, if the vectors are the same: bit for bit, or by the scores of all word tasks",
    )
    parser.set_defaults(run="tasks.cli.baseline:run")


def datasets(commands: Commands) -> None:
    parser = commands.add_parser(
        "datasets",
        help="list the data sets, or fetch what is missing",
        description="Lists every data set with its licence and where it was found or why it is missing. `fetch` "
        "downloads sets by id, or all that a suite needs. Exit status of fetch: 0 all present, 2 something is missing.",
    )
    parser.add_argument("action", nargs="?", choices=("list", "fetch"), default="list", help="default: %(default)s")
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these data sets")
    parser.add_argument("--suite", choices=SUITES, help="only what this suite needs, including its corpus")
    parser.add_argument("--json", action="store_true", help="print one JSON array instead of a table")
    parser.set_defaults(run="tasks.cli.datasets:run")


def corpus(commands: Commands) -> None:
    parser = commands.add_parser(
        "corpus",
        help="write the text that baselines are trained on",
        description="Writes a suite's prescribed corpus text and compares its SHA-256 with the prescribed one; "
        "with --dump, the text of a Wikipedia in any language, in the same form. A file gets its name when complete.",
    )
    _suite(parser, "default: %(default)s")
    parser.add_argument("--dump", type=existing, metavar="FILE", help="a pages-articles dump (.xml.bz2) of a Wikipedia")
    parser.add_argument("--language", default="en", help="of the dump (ISO 639-1, default: %(default)s)")
    parser.add_argument(
        "--paragraphs",
        action="store_true",
        help="with --dump: paragraphs as they are, not tokenised, for languages without spaces and your own segmenter",
    )
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="gzipped if the name ends in .gz")
    parser.set_defaults(run="tasks.cli.corpus:run")


def treebank(commands: Commands) -> None:
    parser = commands.add_parser(
        "treebank",
        help="check the CoNLL-U files of a treebank, for a task in another language",
        description="Reads three CoNLL-U files as the site will, and prints the tables of their declaration with sizes "
        "and hashes. Exit status: 0, or 2 where a file is not CoNLL-U.",
    )
    parser.add_argument("id", help="of the treebank, such as ud-german-gsd")
    for part in ("train", "dev", "test"):
        parser.add_argument(part, type=existing, help=f"file of the {part} part")
    parser.set_defaults(run="tasks.cli.treebank:run")


def words(commands: Commands) -> None:
    parser = commands.add_parser(
        "words",
        help="write the list of words that fastText and static token models are composed for",
        description="Writes the words that vectors of an open vocabulary are composed for, one per line: those of the "
        "suite's corpus by falling frequency, then those of its data sets.",
    )
    _suite(parser, "default: %(default)s")
    parser.add_argument(
        "--random", type=positive, metavar="DIMENSIONS", help="write random vectors of these words, to try things on"
    )
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="where to write the list")
    parser.set_defaults(run="tasks.cli.words:run")


def train(commands: Commands) -> None:
    parser = commands.add_parser(
        "train",
        help="train skip-gram, CBOW, fastText or GloVe vectors on a corpus",
        description="Trains vectors on a text collection (sotu, inaugural, wiki-corpus) or on a text file with one "
        "paragraph per line. Writes each run as a file to upload, with its technical criteria beside it as JSON.",
    )
    parser.add_argument("corpus", help="id of a text collection, or a text file, plain or gzipped")
    parser.add_argument("--algorithm", choices=ALGORITHMS, default=ALGORITHMS[0], help="default: %(default)s")
    parser.add_argument("--window", type=int, default=Plan.window, help="tokens on each side (default %(default)s)")
    parser.add_argument("--dimensions", type=int, default=Plan.dimensions, help="default: %(default)s")
    parser.add_argument("--minimum-count", type=int, default=Plan.minimum_count, help="default: %(default)s")
    parser.add_argument("--iterations", type=int, help="passes (default 5; GloVe: until it converges, at most 100)")
    parser.add_argument("--runs", type=int, default=1, help="number of runs, with consecutive seeds (at most 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run (default %(default)s)")
    parser.add_argument("--punctuation", action="store_true", help="keep tokens without a letter")
    parser.add_argument("--language", default="en", help="of a text file (ISO 639-1, default: %(default)s)")
    parser.add_argument(
        "--resample",
        choices=("documents",),
        help="draw each run's documents (lines, if the text has none) with replacement: how much a result depends on "
        "the corpus (Antoniak & Mimno 2018)",
    )
    parser.add_argument(
        "--processes", type=positive, default=CORES, help="runs trained at a time (default: the cores, %(default)s)"
    )
    parser.add_argument(
        "--threads", type=positive, default=1, help="threads of GloVe's matrix products (default %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY", help="default: the current one")
    parser.set_defaults(run="tasks.cli.train:run")


def tag(commands: Commands) -> None:
    parser = commands.add_parser(
        "tag",
        help="write a corpus with marked words, for separability",
        description="Marks a random half (seeded) of the occurrences of some words with _tp, so that vectors "
        "trained on the text show how near the two halves are. Train on the file, then evaluate the task separability.",
    )
    parser.add_argument("corpus", help="id of a text collection, or a text file, plain or gzipped")
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="gzipped if the name ends in .gz")
    parser.add_argument("--words", type=positive, help="number of words (default 100)")
    parser.add_argument("--minimum-count", type=int, default=10, help="minimum count you will train with (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--punctuation", action="store_true", help="keep tokens without a letter")
    parser.set_defaults(run="tasks.cli.tag:run")


def subgroups(commands: Commands) -> None:
    parser = commands.add_parser("subgroups", help="compare groups of speakers of one corpus")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    split = actions.add_parser("split", help="write the text of each group as a file to train on")
    split.add_argument("corpus", help="a collection of documents with metadata (sotu)")
    split.add_argument("--by", default="party", help="metadata field (party, president, type; default party)")
    split.add_argument("--at", type=int, metavar="YEAR", help="two periods instead: before this year, and from it on")
    split.add_argument("--groups", help="only these values (comma-separated; default: all)")
    split.add_argument("--from", dest="first", type=int, metavar="YEAR", help="only documents of this year and later")
    split.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY")
    split.set_defaults(run="tasks.cli.subgroups:run_split")
    compare = actions.add_parser("compare", help="compare the vectors of each group with a reference")
    compare.add_argument("--reference", type=existing, required=True, help="vector file")
    compare.add_argument(
        "--group", action="append", required=True, metavar="NAME=FILE[,FILE…]", help="a group and its runs; repeatable"
    )
    compare.add_argument("--cues", default="political-en", help="a list of cues, or random (default political-en)")
    compare.add_argument("--language", default="en")
    compare.add_argument("--json", action="store_true", help="print one JSON object")
    compare.set_defaults(run="tasks.cli.subgroups:run_compare")


def associate(commands: Commands) -> None:
    parser = commands.add_parser(
        "associate",
        help="association tests: WEAT's ten, or your own word lists",
        description="Measures how much nearer one list of target words is to one list of attributes than another list "
        "is, compared with a second list of attributes: effect size d, 95 % interval over target words, and "
        "permutation p (Caliskan, Bryson & Narayanan 2017). Without lists or names, the ten published tests.",
        epilog="Exit status: 0 every test has an answer; 1 some have none, and the reason is printed; 2 an argument or "
        "the file is wrong. A list with a fifth of unknown words, or more, has no answer.",
    )
    parser.add_argument("file", type=existing, help="vector file")
    parser.add_argument(
        "--test",
        nargs="+",
        metavar="NAME",
        help="tests by name: weat-6, parties-morality; a wrong name lists all",
    )
    lists = "a file with one word a line, or the name of a political list that ships with the program"
    parser.add_argument("--targets", nargs=2, metavar="LIST", help=f"two lists of target words: each {lists}")
    parser.add_argument("--attributes", nargs=2, metavar="LIST", help="two lists of attribute words")
    _suite(parser, "whose rule looks words up (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run="tasks.cli.associate:run")


def contexts(commands: Commands) -> None:
    parser = commands.add_parser(
        "contexts",
        help="do two groups of a corpus use a word differently?",
        description="Embeds every occurrence of a word from the vectors around it (à la carte, Khodak et al. 2018) and "
        "compares two groups of documents: distance of their means with interval and permutation p, and the nearest "
        "words of each (Rodriguez, Spirling & Stewart 2023).",
        epilog="Exit status: 0 every target has an answer; 1 some have none, and the reason is printed; 2 an argument "
        "or a file is wrong.",
    )
    parser.add_argument(
        "corpus", help="a collection of documents (sotu), or a file of JSON lines with a text and other fields"
    )
    parser.add_argument("vectors", type=existing, help="vector file")
    targets = parser.add_mutually_exclusive_group(required=True)
    targets.add_argument("--target", metavar="WORDS", help="words of the corpus, separated by commas")
    targets.add_argument("--cues", metavar="LIST", help="a list of cues, such as political-en")
    parser.add_argument("--by", required=True, metavar="FIELD", help="field of the documents that groups them (party)")
    parser.add_argument("--groups", help="two values of it, separated by a comma (default: the two with most text)")
    parser.add_argument("--from", dest="first", type=int, metavar="YEAR", help="only documents of this year and later")
    parser.add_argument("--to", dest="last", type=int, metavar="YEAR", help="only documents of this year and earlier")
    _suite(parser, "whose rule looks words up (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run="tasks.cli.contexts:run")


def drift(commands: Commands) -> None:
    parser = commands.add_parser(
        "drift",
        help="which words changed between two corpora or periods?",
        description="Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes on their common "
        "words) and prints the words whose vectors changed most, with intervals over the anchors; beside it the share "
        "of their nearest words that changed, which needs no alignment and so no equal dimensions (Gonen et al. 2020).",
    )
    parser.add_argument("a", type=existing, help="vector file")
    parser.add_argument("b", type=existing, help="vector file")
    parser.add_argument("--words", help="also print these words, separated by commas")
    parser.add_argument("--floor", type=existing, metavar="FILE", help="another run on A's corpus: what noise changes")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run="tasks.cli.drift:run")


def languages(commands: Commands) -> None:
    parser = commands.add_parser(
        "languages",
        help="which tasks are there for which languages?",
        description="Prints the tasks that need words of a language, by language. Other tasks are for all languages.",
    )
    _suite(parser, "default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print one JSON object: tasks by language code")
    parser.set_defaults(run="tasks.cli.languages:run")


def translate(commands: Commands) -> None:
    parser = commands.add_parser(
        "translate",
        help="are a dictionary's translations nearest neighbours after alignment?",
        description="Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes) learnt from "
        "half of a bilingual dictionary's words, and prints how many words of the other half have a right translation "
        "among the first 1, 5 and 10 words, by cosine and by CSLS (Conneau et al. 2018).",
        epilog="A dictionary is MUSE's form: a word, a blank or tab, and its translation on each line, UTF-8; a word "
        "may have several lines.",
    )
    parser.add_argument("a", type=existing, help="vector file of the dictionary's first side")
    parser.add_argument("b", type=existing, help="vector file of its second side")
    parser.add_argument("--dictionary", type=existing, required=True, metavar="FILE", help="pairs of words")
    parser.add_argument("--seeds", type=positive, default=3, help="random splits to measure (default %(default)s)")
    parser.add_argument(
        "--most-words", type=positive, default=200_000, help="first words of each file to use (default %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run="tasks.cli.translate:run")


COMMANDS: Mapping[str, Callable[[Commands], None]] = {
    "check": check,
    "evaluate": evaluate,
    "compare": compare,
    "associate": associate,
    "contexts": contexts,
    "drift": drift,
    "translate": translate,
    "baseline": baseline,
    "datasets": datasets,
    "languages": languages,
    "corpus": corpus,
    "treebank": treebank,
    "words": words,
    "train": train,
    "tag": tag,
    "subgroups": subgroups,
}


def _suite(parser: argparse.ArgumentParser, words: str) -> None:
    parser.add_argument("--suite", choices=SUITES, default=SUITES[0], help=words)


def _measurement(parser: argparse.ArgumentParser) -> None:
    """Options of every command that evaluates."""
    _suite(parser, f"{', '.join(SUITES)} (default: %(default)s)")
    parser.add_argument("--seeds", type=positive, help="number of seeds (default: the suite's)")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument(
        "--threads", type=positive, default=1, help="threads per process (default %(default)s, as on the site)"
    )
    parser.add_argument("--workers", type=positive, default=CORES, help="processes (default: one per core)")
