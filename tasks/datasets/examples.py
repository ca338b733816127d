"""Examples of data sets, one plain type per kind of labelled data; their split, and the units that they share."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, NotRequired, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import NDArray


class TaggedSentence(NamedTuple):
    """A sentence with one tag per token (POS, IOB2 chunk or entity tags).

    ``document`` is the number of its document in its part; None: the file doesn't mark documents.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    document: int | None = None


class LabelledText(NamedTuple):
    """A text, split at white space, with one label."""

    words: tuple[str, ...]
    label: str


class LabelledPair(NamedTuple):
    """Two texts, split at white space, with one label for the pair."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    label: str


class ScoredPair(NamedTuple):
    """Two words and their similarity as rated by people."""

    first: str
    second: str
    score: float


class AnalogyQuestion(NamedTuple):
    """``a`` is to ``b`` as ``c`` is to ``d``; ``category`` is the section of the file."""

    category: str
    a: str
    b: str
    c: str
    d: str


class ListedWord(NamedTuple):
    """One word of a word list."""

    word: str


class OracleWord(NamedTuple):
    """A word and its annotated linguistic features; the weights sum to 1."""

    word: str
    features: dict[str, float]


class PrimedTarget(NamedTuple):
    """Mean reaction times, in milliseconds, to a target after a prime (None: missing).

    Lexical decision (ldt) and naming (nt), 200 and 1,200 ms after the prime; ``condition`` is first or other associate,
    related or unrelated.
    """

    target: str
    prime: str
    condition: str
    fold: int | None
    ldt_200: float | None
    ldt_1200: float | None
    nt_200: float | None
    nt_1200: float | None


class Document(NamedTuple):
    """A whole text with its id, its label and further metadata: pairs of a name and a value."""

    id: str
    label: str
    text: str
    metadata: tuple[tuple[str, str], ...] = ()


class NeighbourList(NamedTuple):
    """A source's words for a cue, nearest first."""

    cue: str
    words: tuple[str, ...]


class WordGroup(NamedTuple):
    """Words of one kind, such as colours; ``phrases`` are the members of several words."""

    name: str
    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()


Example = (
    TaggedSentence
    | LabelledText
    | LabelledPair
    | ScoredPair
    | AnalogyQuestion
    | ListedWord
    | OracleWord
    | PrimedTarget
    | Document
    | NeighbourList
    | WordGroup
)
PARTS = ("train", "dev", "test")
"""Parts for training, for choosing among epochs, and for scoring."""
Parts = dict[str, list[Example]]
"""Published parts of a data set by name (``train``, ``dev``, ``test``, ``val``, ``all``), in file order."""


Split = dict[str, list[Example]]
Form = TypeVar("Form")


class SplitRule(TypedDict):
    """Arguments of :func:`split`, which documents the keys of each rule."""

    rule: str
    of: NotRequired[str]
    share: NotRequired[float]
    seed: NotRequired[int]
    test: NotRequired[int]
    dev_share: NotRequired[float]
    train_percent: NotRequired[int]
    dev_percent: NotRequired[int]
    without_test: NotRequired[bool]
    without_train: NotRequired[bool]
    few: NotRequired[int]


def split(parts: Parts, rule: SplitRule) -> Split:
    """Divide published parts into ``train``, ``dev`` and ``test``.

    Parameters
    ----------
    parts : from the data set's reader.
    rule : ``{"rule": "published"}``: the parts train, dev and test as they are;
        ``{"rule": "last-share", "of": part, "share": s}``: dev is the last ``int(s * n)`` examples of that part, train
        its rest, test the part ``test``;
        ``{"rule": "old-python-shuffle", "seed": 137, "test": 4000, "dev_share": 0.1}``: the part ``all`` is shuffled by
        the older Python algorithm and cut into test, dev (share of the rest) and train;
        ``{"rule": "by-word", "of": set, "train_percent": 50, "dev_percent": 15}``: the pairs of words of all parts
        ``set/…`` together, without repetitions, such that no word is in two parts; pairs across parts are left out.

        ``"without_test": True`` first removes the texts of the part ``test`` from all others (compared without case and
        extra white space; of pairs, the first text). ``"without_train": True`` then removes those of train from dev.
        ``"few": n, "seed": s`` at the end cuts train to n examples in a random order.

    Raises
    ------
    ValueError
        the rule is unknown.
    """
    if rule.get("without_test"):
        test = parts["test"]
        parts = {name: rows if name == "test" else _without(rows, test) for name, rows in parts.items()}
    divided = _divided(parts, rule)
    if rule.get("without_train"):
        divided["dev"] = _without(divided["dev"], divided["train"])
    if "few" in rule:
        order = np.random.default_rng(rule["seed"]).permutation(len(divided["train"]))
        divided["train"] = [divided["train"][i] for i in order[: rule["few"]]]
    return divided


def _divided(parts: Parts, rule: SplitRule) -> Split:
    match rule["rule"]:
        case "published":
            return {name: parts[name] for name in PARTS}
        case "last-share":
            examples = parts[rule["of"]]
            cut = len(examples) - int(rule["share"] * len(examples))
            return {"train": examples[:cut], "dev": examples[cut:], "test": parts["test"]}
        case "old-python-shuffle":
            shuffled = [parts["all"][i] for i in old_python_permutation(len(parts["all"]), rule["seed"])]
            test = rule["test"]
            dev = test + int(rule["dev_share"] * (len(shuffled) - test))
            return {"train": shuffled[dev:], "dev": shuffled[test:dev], "test": shuffled[:test]}
        case "by-word":
            examples = [example for name in parts if name.startswith(f"{rule['of']}/") for example in parts[name]]
            return _by_word(examples, rule["train_percent"], rule["dev_percent"])
        case unknown:
            raise ValueError(f"there is no split rule {unknown!r}")


def split_of(form: type[Form], parts: Parts, rule: SplitRule) -> dict[str, list[Form]]:
    """:func:`split` for a data set whose examples all have one form.

    Raises
    ------
    TypeError
        an example has another form.
    """
    examples = split(parts, rule)
    if not all(isinstance(example, form) for of_part in examples.values() for example in of_part):
        raise TypeError(f"not every example is a {form.__name__}")
    return cast("dict[str, list[Form]]", examples)


def _without(examples: list[Example], others: list[Example]) -> list[Example]:
    """The examples whose text, or first text of a pair, is in no example of the others."""

    def text(example: Example) -> str:
        match example:
            case LabelledText(words=words) | LabelledPair(first=words):
                return " ".join(words).lower()
        return ""

    excluded = {text(example) for example in others}
    return [example for example in examples if text(example) not in excluded]


def _by_word(examples: list[Example], train: int, dev: int) -> Split:
    parts: Split = {"train": [], "dev": [], "test": []}
    for example in dict.fromkeys(examples):
        if isinstance(example, LabelledPair):
            of_words = {_part_of(" ".join(text), train, dev) for text in (example.first, example.second)}
            if len(of_words) == 1:
                parts[of_words.pop()].append(example)
    return parts


def _part_of(word: str, train: int, dev: int) -> str:
    """A word's part, by its hash, independent of the other words."""
    percent = int(hashlib.sha256(word.lower().encode()).hexdigest()[:8], 16) % 100
    return "train" if percent < train else "dev" if percent < train + dev else "test"


def old_python_permutation(n: int, seed: int) -> list[int]:
    """``range(n)`` as shuffled by ``random.shuffle`` of Python 2 (and of Python 3 with ``random=r.random``).

    Today's ``shuffle`` returns another order; the original's test set needs this one (docs/protocol.md §2.2).
    """
    generator = random.Random(seed)
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(generator.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


BLOCK = 25
"""Consecutive sentences in a unit, where a data set doesn't mark its documents.

Neighbouring sentences are from one text, so that they are easy or hard together. These are the stored blocks; analyses
merge them (:attr:`tasks.results.Outcomes.clusters`).
"""


def numbered(names: Iterable[Hashable]) -> NDArray[np.int64]:
    """Number of each name, from 0 in order of first appearance; shape (n,)."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def units_of_pairs(pairs: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
    """Units of pairs of words or texts, without case: the same word has one number, first or second; shape (2, n)."""
    return numbered(word.lower() for pair in pairs for word in pair).reshape(-1, 2).T


def units_of(examples: Sequence[Example], *, by_first: bool = False) -> NDArray[np.int64]:
    """Units that the test examples of a trained task share (:meth:`tasks.results.Outcomes.with_units`).

    Parameters
    ----------
    by_first : the unit of a pair is its first text, such as a premise.

    Returns
    -------
    int64, shape (k, n)
        of pairs: both texts (k = 2) or the first (k = 1). Of tagged sentences: their document or, unless all have one
        and there are several, a block of 25 (k = 1). Of others: none (k = 0).
    """
    pairs = [(" ".join(pair.first), " ".join(pair.second)) for pair in examples if isinstance(pair, LabelledPair)]
    if pairs:
        return numbered(first.lower() for first, _ in pairs)[None] if by_first else units_of_pairs(pairs)
    documents = [sentence.document for sentence in examples if isinstance(sentence, TaggedSentence)]
    if None not in documents and len(set(documents)) > 1:
        return numbered(documents)[None]
    return np.arange(len(documents))[None] // BLOCK if documents else np.zeros((0, len(examples)), dtype=np.int64)
