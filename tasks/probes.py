"""Linear probes: what a simple classifier reads from vectors that are not trained further (Tsvetkov et al. 2015).

Senti, 20 Newsgroups and metaphor (docs/protocol.md §2.8). A text is represented by the mean vector of its known words.
"""

from __future__ import annotations

import os
import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse
from threadpoolctl import threadpool_limits

from tasks.base import Context, Task
from tasks.baseline.corpus_text import TOKEN
from tasks.cells import Stopwatch
from tasks.datasets.examples import Document, Example, LabelledText, split_of, units_of_pairs
from tasks.extrinsic.table import Scaling, unknown_vector
from tasks.intrinsic.similarity import look_up_pairs
from tasks.results import CellResult, Coverage, Mode, Outcomes, Predictions
from tasks.secondary import MetaphorFigures, NewsgroupFigures, PairProbe, ProbeFigures
from tasks.vectors import UNKNOWN, Embedding, LookUp

Floats = NDArray[np.float64]
FOLDS = 5
SEED = 0
STRENGTHS = tuple(10.0**exponent for exponent in range(-3, 4))
"""C, the inverse of the penalty: 1e-3 … 1e3."""
MOST_STEPS = 500
FOREST_THREADS = min(4, os.cpu_count() or 1)
"""A forest takes a core as long as a GPU takes for all training."""
LARGE_HESSIAN = 1_000
"""Rows from which L-BFGS with a small tolerance is faster than Newton's method, and as exact."""


@dataclass(frozen=True)
class TextVectors:
    """Mean vectors of texts, in order.

    Parameters
    ----------
    means : float64, shape (n, D); zeros if no word is known.
    tokens, types : numbers of words and of distinct words; ``known_tokens`` and ``known_types``: in the vocabulary.
    """

    means: Floats
    tokens: int
    known_tokens: int
    types: int
    known_types: int

    @property
    def coverage(self) -> Coverage:
        return Coverage(self.known_tokens / max(self.tokens, 1), self.known_types / max(self.types, 1))


def text_vectors(embedding: Embedding, look_up: LookUp, texts: Sequence[Sequence[str]]) -> TextVectors:
    """The mean of the known words' vectors of each text; a repeated word counts each time."""
    types = sorted({word for text in texts for word in text})
    place = {word: i for i, word in enumerate(types)}
    rows = look_up.rows(embedding, types)
    is_known = rows != UNKNOWN
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    columns = np.fromiter((place[word] for text in texts for word in text), dtype=np.int64, count=int(lengths.sum()))
    of_text = np.repeat(np.arange(len(texts)), lengths)
    hits = is_known[columns]
    compact = np.cumsum(is_known) - 1
    counts = csr_array(
        (np.ones(int(hits.sum())), (of_text[hits], compact[columns[hits]])), shape=(len(texts), int(is_known.sum()))
    )
    counts.sum_duplicates()
    sums = np.asarray(counts @ embedding.matrix[rows[is_known]].astype(np.float64))
    known_counts = np.bincount(of_text[hits], minlength=len(texts))
    means = sums / np.maximum(known_counts, 1)[:, None]
    return TextVectors(means, len(columns), int(hits.sum()), len(types), int(is_known.sum()))


@dataclass(frozen=True)
class Probe:
    """Predictions for the test texts, and the C chosen by cross-validation (with its mean accuracy)."""

    predicted: NDArray[np.str_]
    strength: float
    validation: float


def probe(train: Floats | csr_matrix, labels: NDArray[np.str_], test: Floats | csr_matrix) -> Probe:
    """Fit on train and predict test; C is chosen by stratified 5-fold cross-validation on train (seed 0).

    Of equally good values of C, the smallest is chosen. Dense columns are standardised, sparse ones taken as they are.

    Parameters
    ----------
    train : shape (n, D), finite; ``labels`` : shape (n,), at least five of each of two classes or more; ``test`` :
        (m, D).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    is_sparse, classes = issparse(train), len(np.unique(labels))
    # The Hessian of several classes has as many blocks each way.
    size = train.shape[1] * (classes if classes > 2 else 1)
    few = not is_sparse and size < 0.5 * train.shape[0]
    if few and classes > 2 and size > LARGE_HESSIAN:
        model = LogisticRegression(solver="lbfgs", max_iter=10 * MOST_STEPS, tol=1e-6)
    else:
        model = LogisticRegression(solver="newton-cholesky" if few else "lbfgs", max_iter=MOST_STEPS, tol=1e-4)
    search = GridSearchCV(
        make_pipeline("passthrough" if is_sparse else StandardScaler(), model),
        {"logisticregression__C": list(STRENGTHS)},
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=SEED),
    )
    # For small matrices a second thread costs more than it saves, and the numbers would depend on it.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # A separable fold at C = 1e3 converges slowly; its predictions settle long before.
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(train, labels)
    return Probe(search.predict(test), float(search.best_params_["logisticregression__C"]), float(search.best_score_))


def evaluate_sentences(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Test accuracy of the probe fitted on train; dev is not used.

    ``secondary``: the chosen C and its mean accuracy in cross-validation on train.

    Raises
    ------
    DataUnavailable
        the sentences are missing.
    """
    watch = Stopwatch(task, mode, context)
    parts = split_of(LabelledText, context.data.load(task.data), task.options["split"])
    train, test = (
        text_vectors(embedding, context.suite.look_up, [example.words for example in parts[part]])
        for part in ("train", "test")
    )
    gold = {part: np.array([example.label for example in parts[part]]) for part in ("train", "test")}
    context.progress(0.1, f"{len(gold['train']):,} sentences")
    fitted = probe(train.means, gold["train"], test.means)
    right = fitted.predicted == gold["test"]
    outcomes = Outcomes.of(correct=right, total=np.ones(len(right)))
    return watch.result(
        score=task.metric.of(outcomes),
        n=len(right),
        coverage=test.coverage,
        secondary=ProbeFigures(C=fitted.strength, validation=fitted.validation),
        outcomes=replace(outcomes, predictions=Predictions.of_labels(gold["test"].tolist(), fitted.predicted.tolist())),
    )


def words_of(text: str) -> tuple[str, ...]:
    """Words of a post's body, without headers, footer and quotes (by scikit-learn), tokenised like the prescribed text.

    Case and digits stay, as the suite's look-up handles them.
    """
    from sklearn.datasets import _twenty_newsgroups as strip

    body = strip.strip_newsgroup_footer(strip.strip_newsgroup_quoting(strip.strip_newsgroup_header(text)))
    return tuple(TOKEN.findall(unicodedata.normalize("NFKC", body)))


def evaluate_newsgroups(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Mean accuracy over four pairs of groups, on the posts of the later dates.

    ``outcomes`` has a row for every test post, in the order of pairs, which have equal weights, with its author and its
    thread as units. ``secondary``: for each of the ``pairs`` accuracy, number of test posts, and the chosen C.

    Raises
    ------
    DataUnavailable
        the posts are missing.
    """
    watch = Stopwatch(task, mode, context)
    texts = {part: _by_group(context.data.load(task.data)[part]) for part in ("train", "test")}
    pairs = task.options["pairs"]
    figures: dict[str, PairProbe] = {}
    labels: tuple[list[str], list[str]] = ([], [])
    right, tokens = [], np.zeros(4, dtype=np.int64)
    for done, pair in enumerate(pairs):
        context.progress(done / len(pairs), " and ".join(pair))
        sides = {
            part: text_vectors(
                embedding, context.suite.look_up, [_words(text) for group in pair for text in posts[group]]
            )
            for part, posts in texts.items()
        }
        gold = {part: np.array([group for group in pair for _ in posts[group]]) for part, posts in texts.items()}
        fitted: Probe = probe(sides["train"].means, gold["train"], sides["test"].means)
        right.append(fitted.predicted == gold["test"])
        labels[0].extend(gold["test"].tolist())
        labels[1].extend(fitted.predicted.tolist())
        figures["/".join(pair)] = {"accuracy": float(right[-1].mean()), "n": len(right[-1]), "C": fitted.strength}
        test = sides["test"]
        tokens += np.array([test.known_tokens, test.tokens, test.known_types, test.types])
    units = units_of_posts(text for pair in pairs for group in pair for text in texts["test"][group])
    return watch.result(
        score=float(np.mean([flags.mean() for flags in right])),
        n=sum(len(flags) for flags in right),
        coverage=Coverage(float(tokens[0] / tokens[1]), float(tokens[2] / tokens[3])),
        secondary=NewsgroupFigures(pairs=figures),
        outcomes=replace(_outcomes(right).with_units(units), predictions=Predictions.of_labels(*labels)),
    )


def _outcomes(right: list[NDArray[np.bool_]]) -> Outcomes:
    """Outcomes with weights for which right / total over all rows is the mean accuracy of the pairs."""
    average = sum(len(flags) for flags in right) / len(right)
    weights = np.concatenate([np.full(len(flags), average / len(flags)) for flags in right])
    return Outcomes.of(correct=np.concatenate(right) * weights, total=weights)


def _by_group(examples: list[Example]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for post in examples:
        assert isinstance(post, Document)
        groups.setdefault(post.label, []).append(post.text)
    return groups


_words = lru_cache(maxsize=10_000)(words_of)
_HEADER = r"(?im)^{}:(.*(?:\n[ \t].*)*)"
_ADDRESS = re.compile(r"(?<![^\s<>()])[^\s<>()]+@[^\s<>()]+")
_ANSWER = re.compile(r"(?i)^(?:\s*(?:re|fwd?)(?:\[\d+\])?:)+")


def _header(text: str, name: str) -> str:
    line = re.search(_HEADER.format(name), text.partition("\n\n")[0])
    return " ".join(line[1].split()) if line else ""


def subject_of(text: str) -> str:
    """The subject of a post without “Re:”; empty if it has none."""
    return _ANSWER.sub("", _header(text, "Subject")).strip()


def units_of_posts(texts: Iterable[str]) -> NDArray[np.int64]:
    """Numbers of author and thread of each post, from its headers; shape (2, n).

    The author is the address in ``From``, or all of it where it has none; the thread is ``Subject`` without “Re:”, both
    without case and extra white space. Authors and threads share no number. A missing one has a number of its own.
    """
    keys = []
    for i, text in enumerate(texts):
        sender, thread = _header(text, "From"), subject_of(text)
        address = _ADDRESS.search(sender)
        author = address[0] if address else sender
        keys.append((f"by {author}" if author else f"nobody {i}", f"on {thread}" if thread else f"nothing {i}"))
    return units_of_pairs(keys)


def evaluate_metaphor(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Accuracy of a random forest over both words' vectors, in stratified 5-fold cross-validation.

    Every pair is predicted once, by the forest of the other folds. All pairs of an adjective are in one fold, so that
    the forest cannot learn its usual label. Unknown words get the suite's ``<unk>``. Adjective and noun are the units
    of ``outcomes``. ``secondary``: accuracy of each of the ``folds`` and of pairs of both known words (``known``).

    Raises
    ------
    DataUnavailable
        the pairs are missing.
    """
    watch = Stopwatch(task, mode, context)
    examples = [e for e in context.data.load(task.data)[task.options["part"]] if isinstance(e, LabelledText)]
    pairs = [(example.words[0], example.words[-1]) for example in examples]
    labels = np.array([example.label for example in examples])
    rows, is_known, coverage = look_up_pairs(context.suite.look_up, embedding, pairs)
    vectors = embedding.matrix[rows.ravel()].astype(np.float64)
    vectors[rows.ravel() == UNKNOWN] = unknown_vector(embedding, context.suite, context.data, Scaling.as_is(embedding))
    adjectives = [adjective.lower() for adjective, _ in pairs]
    predicted, folds = cross_validated(vectors.reshape(len(pairs), -1), labels, adjectives, task, context)
    right = predicted == labels
    outcomes = Outcomes.of(correct=right, total=np.ones(len(right)))
    return watch.result(
        score=task.metric.of(outcomes),
        n=len(right),
        coverage=coverage,
        secondary=MetaphorFigures(
            folds=folds,
            known={"accuracy": float(right[is_known].mean()) if is_known.any() else None, "n": int(is_known.sum())},
        ),
        outcomes=replace(
            outcomes.with_units(units_of_pairs(pairs)),
            predictions=Predictions.of_labels(labels.tolist(), predicted.tolist()),
        ),
    )


def cross_validated(
    features: NDArray[np.float64],
    labels: NDArray[np.str_],
    groups: list[str],
    task: Task,
    context: Context,
) -> tuple[NDArray[np.str_], list[float]]:
    """Predicted labels, shape (n,), and the accuracy of each fold; every group is in one fold."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedGroupKFold

    folds, trees, seed = task.options["folds"], task.options["trees"], task.options["seed"]
    predicted = np.empty_like(labels)
    accuracies = []
    divided = StratifiedGroupKFold(folds, shuffle=True, random_state=seed).split(features, labels, groups)
    for done, (train, test) in enumerate(divided):
        context.progress(done / folds, f"fold {done + 1} of {folds}")
        # Trees are the same in any number of threads; sums of their predictions are, in one.
        forest = RandomForestClassifier(trees, random_state=seed, n_jobs=max(context.threads, FOREST_THREADS))
        forest.fit(features[train], labels[train])
        predicted[test] = forest.set_params(n_jobs=1).predict(features[test])
        accuracies.append(float((predicted[test] == labels[test]).mean()))
    return predicted, accuracies
