"""Commands that fetch, list and make: data sets, texts, word lists, vectors."""

from __future__ import annotations

from pathlib import Path

from tasks.cli.arguments.options import CORES, SUITES, Commands, add_json, add_suite, existing, positive, writable
from tasks.datasets.examples import PARTS
from tasks.local_training.plan import ALGORITHMS, Plan


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
    parser.add_argument(
        "--keep-trying",
        action="store_true",
        help="fetch: do not stop until everything is there; pauses grow after failures",
    )
    add_json(parser, "print one JSON array instead of a table")


def languages(commands: Commands) -> None:
    parser = commands.add_parser(
        "languages",
        help="which tasks are there for which languages?",
        description="Prints the tasks that need words of a language, by language. Other tasks are for all languages.",
    )
    add_suite(parser, "default: %(default)s")
    add_json(parser, "print one JSON object: tasks by language code")


def corpus(commands: Commands) -> None:
    parser = commands.add_parser(
        "corpus",
        help="write the text that baselines are trained on",
        description="Writes a suite's prescribed corpus text and compares its SHA-256 with the prescribed one; "
        "with --dump, the text of a Wikipedia in any language, in the same form. A file gets its name when complete.",
    )
    add_suite(parser, "default: %(default)s")
    parser.add_argument("--dump", type=existing, metavar="FILE", help="a pages-articles dump (.xml.bz2) of a Wikipedia")
    parser.add_argument("--language", default="en", help="of the dump (ISO 639-1, default: %(default)s)")
    parser.add_argument(
        "--paragraphs",
        action="store_true",
        help="with --dump: paragraphs as they are, not tokenised, for languages without spaces and your own segmenter",
    )
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="gzipped if the name ends in .gz")


def treebank(commands: Commands) -> None:
    parser = commands.add_parser(
        "treebank",
        help="check the CoNLL-U files of a treebank, for a task in another language",
        description="Reads three CoNLL-U files as the site will, and prints the tables of their declaration with sizes "
        "and hashes. Exit status: 0, or 2 where a file is not CoNLL-U.",
    )
    parser.add_argument("id", help="of the treebank, such as ud-german-gsd")
    for part in PARTS:
        parser.add_argument(part, type=existing, help=f"file of the {part} part")


def words(commands: Commands) -> None:
    parser = commands.add_parser(
        "words",
        help="write the list of words that fastText and static token models are composed for",
        description="Writes the words that vectors of an open vocabulary are composed for, one per line: those of the "
        "suite's corpus by falling frequency, then those of its data sets.",
    )
    add_suite(parser, "default: %(default)s")
    parser.add_argument(
        "--random", type=positive, metavar="DIMENSIONS", help="write random vectors of these words, to try things on"
    )
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="where to write the list")


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
