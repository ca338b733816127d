"""20 Newsgroups: from which of two kindred groups is a post? (Tsvetkov et al. 2015, §4; docs/protocol.md §2.8)"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.baseline.corpus_text import TOKEN
from tasks.cells import Stopwatch
from tasks.datasets.examples import Document, Example
from tasks.probes.regression import Probe, probe
from tasks.probes.texts import text_vectors
from tasks.results import Coverage, Mode, Outcomes, TaskResult
from tasks.secondary import NewsgroupFigures, PairProbe
from tasks.vectors import Embedding


def words_of(text: str) -> tuple[str, ...]:
    """Words of a post's body: headers, footer and quotes removed as scikit-learn does, split as the prescribed text is.

    Case and digits stay: the suite's look-up decides about them.
    """
    from sklearn.datasets import _twenty_newsgroups as strip

    body = strip.strip_newsgroup_footer(strip.strip_newsgroup_quoting(strip.strip_newsgroup_header(text)))
    return tuple(TOKEN.findall(unicodedata.normalize("NFKC", body)))


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """Mean accuracy over four pairs of groups, on the posts of the later dates.

    ``outcomes`` has a row for every test post, in the pairs' order; each pair has the same weight. ``secondary``:
    accuracy of each of the ``pairs``, its test posts, and the chosen C.

    Raises
    ------
    DataUnavailable
        the posts are missing.
    """
    watch = Stopwatch(task, mode, context)
    parts = {part: _posts(context.data.load(task.data)[part]) for part in ("train", "test")}
    pairs = task.options["pairs"]
    figures: dict[str, PairProbe] = {}
    right, tokens = [], np.zeros(4, dtype=np.int64)
    for done, pair in enumerate(pairs):
        context.progress(done / len(pairs), " and ".join(pair))
        sides = {
            part: text_vectors(embedding, context.suite.look_up, [words for group in pair for words in posts[group]])
            for part, posts in parts.items()
        }
        gold = {part: np.array([group for group in pair for _ in posts[group]]) for part, posts in parts.items()}
        found: Probe = probe(sides["train"].means, gold["train"], sides["test"].means)
        right.append(found.predicted == gold["test"])
        figures["/".join(pair)] = {"accuracy": float(right[-1].mean()), "n": len(right[-1]), "C": found.strength}
        test = sides["test"]
        tokens += np.array([test.known_tokens, test.tokens, test.known_types, test.types])
    outcomes = _outcomes(right)
    return watch.result(
        score=float(np.mean([flags.mean() for flags in right])),
        n=sum(len(flags) for flags in right),
        coverage=Coverage(float(tokens[0] / tokens[1]), float(tokens[2] / tokens[3])),
        secondary=NewsgroupFigures(pairs=figures),
        outcomes=outcomes,
    )


def _outcomes(right: list[NDArray[np.bool_]]) -> Outcomes:
    """Outcomes weighted so that right / total over all rows is the pairs' mean accuracy."""
    average = sum(len(flags) for flags in right) / len(right)
    weights = np.concatenate([np.full(len(flags), average / len(flags)) for flags in right])
    return Outcomes.of(correct=np.concatenate(right) * weights, total=weights)


def _posts(examples: list[Example]) -> dict[str, list[tuple[str, ...]]]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for post in examples:
        assert isinstance(post, Document)
        groups.setdefault(post.label, []).append(_words(post.text))
    return groups


_words = lru_cache(maxsize=10_000)(words_of)
