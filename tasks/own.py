"""Vectors on one's own labelled texts: a logistic regression on mean vectors, next to one on words alone.

The same probe as the suite's (docs/protocol.md §2.8, §8.10). Nothing leaves the machine.
"""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tasks.baseline.corpus_text import TOKEN
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.formats import ReadRequest, read
from tasks.gate import POINTS, Judgement, judge
from tasks.local_training.documents import documents_of, having
from tasks.probes import FOLDS, Floats, probe, text_vectors
from tasks.processes import Progress, no_progress
from tasks.statistics.intervals import resampled_error
from tasks.text import LeftOut, shown
from tasks.vectors import LookUp

REPEATS = 2
SEED = 1
LEAST_OF_LABEL = 7
"""Texts of every label: each training part must have five, for the choice of C within it."""
WORDS = "words alone (TF-IDF)"
"""Name of the floor: what the texts' words tell without vectors."""
TRAIN, TEST = "train", "test"
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Labelled:
    """Labelled texts, and the divisions into training and test texts.

    Parameters
    ----------
    texts : as given; ``words`` : of each, at least one.
    labels : shape (n,).
    divisions : places of the training and the test texts; ``repeats`` times ``FOLDS`` of them, or the user's one.
    """

    texts: Sequence[str]
    words: Sequence[tuple[str, ...]]
    labels: NDArray[np.str_]
    divisions: Sequence[tuple[Places, Places]]

    @property
    def is_cross_validated(self) -> bool:
        return len(self.divisions) > 1


@dataclass(frozen=True)
class SetScore:
    """One set of features on the texts.

    Parameters
    ----------
    name : of the vector file, or ``WORDS``.
    dimensions : None for words alone.
    known : share of the words with a vector, in [0, 1]; None for words alone.
    accuracy, macro_f1 : in [0, 1], means over the divisions.
    by_division : accuracy in each division, shape (divisions,).
    predicted : label given to each text in its first test part, empty if it was in none; shape (n,).
    right : share of its test parts in which a text's label was right; NaN if it was in none; shape (n,).
    seconds : of training and testing, without reading the file.
    """

    name: str
    dimensions: int | None
    known: float | None
    accuracy: float
    macro_f1: float
    by_division: NDArray[np.float64]
    predicted: NDArray[np.str_]
    right: NDArray[np.float64]
    seconds: float


def labelled(
    path: Path,
    label_field: str,
    left_out: LeftOut,
    *,
    text_field: str = "text",
    split_field: str | None = None,
    group_field: str | None = None,
) -> Labelled:
    """Read labelled texts from JSON lines or a table, and divide them.

    Parameters
    ----------
    split_field : with the values ``train`` and ``test``; None: stratified ``FOLDS``-fold cross-validation, twice.
    group_field : texts with the same value, such as an author, are never in both parts of a division.

    Raises
    ------
    InputError
        there are no such fields, fewer than two labels, or too few texts with a label or in a part.
    """
    try:
        documents = having(list(documents_of(path, left_out, text_field)), label_field, left_out)
    except InputError as error:
        remedy = " Name the field of the labels with --label-field." if error.code == "no-field" else ""
        raise replace(error, message=error.message + remedy) from None
    kept: list[Document] = []
    words: list[tuple[str, ...]] = []
    for document in documents:
        own = tuple(TOKEN.findall(unicodedata.normalize("NFKC", document.text)))
        if own:
            kept.append(document)
            words.append(own)
        else:
            left_out.add(InputError("no-words", f"Document {document.id} has no word.", field="data"))
    labels = np.array([dict(document.metadata)[label_field].strip() for document in kept])
    counts = Counter(labels.tolist())
    if len(counts) < 2:
        found = f"only the label “{shown(next(iter(counts)))}”" if counts else "no labelled text with a word"
        raise InputError("one-label", f"{path.name} has {found}; a classifier needs two labels.", field="data")
    if split_field:
        divisions = [_given_split(kept, labels, split_field)]
    else:
        divisions = list(_divisions(kept, labels, group_field))
    return Labelled([document.text for document in kept], words, labels, divisions)


def _given_split(documents: Sequence[Document], labels: NDArray[np.str_], field: str) -> tuple[Places, Places]:
    parts = np.array([dict(document.metadata).get(field, "").strip().lower() for document in documents])
    others = sorted(set(parts.tolist()) - {TRAIN, TEST})
    if others:
        message = f"“{field}” has the value “{shown(others[0])}”. Write {TRAIN} or {TEST} for every text, or leave out "
        raise InputError("split", f"{message}--split-field for cross-validation.", field="split-field")
    train, test = (np.flatnonzero(parts == part) for part in (TRAIN, TEST))
    if not len(test):
        raise InputError("split", f"No text has the value {TEST} in “{field}”.", field="split-field")
    _check_counts(labels[train], FOLDS, f"the part {TRAIN}")
    return train, test


def _divisions(
    documents: Sequence[Document], labels: NDArray[np.str_], group_field: str | None
) -> Iterator[tuple[Places, Places]]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    _check_counts(labels, LEAST_OF_LABEL, "the file")
    groups = None
    if group_field:
        having(documents, group_field, LeftOut())  # is there such a field?
        values = [dict(document.metadata).get(group_field, "") for document in documents]
        # A text without the field is a group of its own.
        groups = np.array([value or f"\0{i}" for i, value in enumerate(values)])
        if len(set(groups.tolist())) < FOLDS:
            message = f"“{group_field}” has fewer than {FOLDS} values: cross-validation needs as many groups."
            raise InputError("few-groups", message, field="group-by")
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    for repeat in range(REPEATS):
        folds = kind(FOLDS, shuffle=True, random_state=SEED + repeat)
        for train, test in folds.split(labels, labels, groups):
            _check_counts(labels[train], FOLDS, "a training part")
            yield train, test


def _check_counts(labels: NDArray[np.str_], least: int, part: str) -> None:
    label, count = min(Counter(labels.tolist()).items(), key=lambda item: item[1], default=("", 0))
    if count < least:
        message = (
            f"The label “{shown(label)}” has {count} text{'s' * (count != 1)} in {part}, but needs {least}. Label more "
            "of them, or leave the label out."
        )
        raise InputError("few-texts", message, field="data")


def scores(
    data: Labelled, files: Sequence[Path], look_up: LookUp, scratch: Path, progress: Progress = no_progress
) -> Iterator[SetScore]:
    """Score words alone, then each vector file.

    Parameters
    ----------
    look_up : how words are looked up.
    scratch : folder for the list of the texts' words, for which open vocabularies are composed.

    Raises
    ------
    InputError
        a vector file cannot be read.
    """
    listed = scratch / "words.txt"
    listed.write_text("".join(f"{word}\n" for word in dict.fromkeys(w for own in data.words for w in own)), "utf-8")
    sets = len(files) + 1

    def telling(nth: int, name: str) -> Callable[[float], None]:
        return lambda share: progress((nth + share) / sets, name)

    yield _score(data, WORDS, None, None, _words_alone(data), telling(0, WORDS))
    for nth, path in enumerate(files, start=1):
        progress(nth / sets, f"reading {path.name}")
        embedding = read(ReadRequest(path, words=lambda: listed))
        vectors = text_vectors(embedding, look_up, data.words)
        features = ((vectors.means[train], vectors.means[test]) for train, test in data.divisions)
        known = vectors.coverage.tokens
        yield _score(data, path.name, embedding.dimensions, known, features, telling(nth, path.name))
    progress(1.0, "done")


def _words_alone(data: Labelled) -> Iterator[tuple[csr_matrix, csr_matrix]]:
    """TF-IDF of lower-cased words with sublinear counts, weighted by the training texts alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = np.empty(len(data.words), dtype=object)
    words[:] = [[word.lower() for word in own] for own in data.words]
    for train, test in data.divisions:
        weigh = TfidfVectorizer(analyzer=list, sublinear_tf=True)
        yield weigh.fit_transform(words[train]), weigh.transform(words[test])


def _score(
    data: Labelled,
    name: str,
    dimensions: int | None,
    known: float | None,
    features: Iterator[tuple[Floats | csr_matrix, Floats | csr_matrix]],
    tell: Callable[[float], None],
) -> SetScore:
    from sklearn.metrics import f1_score

    began = time.perf_counter()
    accuracies, macro = [], []
    predicted = np.full(len(data.labels), "", dtype=data.labels.dtype)
    right, tested = np.zeros(len(data.labels)), np.zeros(len(data.labels))
    for nth, ((train, test), (own, other)) in enumerate(zip(data.divisions, features, strict=True)):
        tell(nth / len(data.divisions))
        found = probe(own, data.labels[train], other).predicted
        hits = found == data.labels[test]
        accuracies.append(float(hits.mean()))
        macro.append(float(f1_score(data.labels[test], found, average="macro", zero_division=0)))
        first = test[tested[test] == 0]
        predicted[first] = found[tested[test] == 0]
        right[test] += hits
        tested[test] += 1
    share = np.divide(right, tested, where=tested > 0, out=np.full(len(right), np.nan))
    seconds = time.perf_counter() - began
    by_division = np.array(accuracies)
    means = float(by_division.mean()), float(np.mean(macro))
    return SetScore(name, dimensions, known, *means, by_division, predicted, share, seconds)


def compare(data: Labelled, new: SetScore, old: SetScore, margin: float) -> Judgement:
    """Is the accuracy of the new set not inferior to the old one's (docs/protocol.md §8.9)?

    In cross-validation, the standard error of the difference is Nadeau & Bengio's over the divisions, whose training
    texts overlap; with one split, that of the paired test texts.
    """
    difference = POINTS * (new.accuracy - old.accuracy)
    apart = POINTS * (new.right - old.right)
    apart = apart[np.isfinite(apart)]
    if data.is_cross_validated:
        error = resampled_error(POINTS * (new.by_division - old.by_division), 1 / (FOLDS - 1))
        freedom = float(len(data.divisions) - 1)
    else:
        error, freedom = float(apart.std(ddof=1)) / len(apart) ** 0.5, float(len(apart) - 1)
    return judge(difference, error, freedom, margin, examples=len(apart))


def disagreements(new: SetScore, old: SetScore) -> tuple[Places, Places]:
    """Places of the texts that only the new set gets right, and of those that only the old one does, in every test."""
    only_new, only_old = (new.right == 1) & (old.right == 0), (old.right == 1) & (new.right == 0)
    return np.flatnonzero(only_new), np.flatnonzero(only_old)
