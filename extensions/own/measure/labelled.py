"""One's own labelled texts: a logistic regression on mean vectors, next to one on words alone.

The same probe as the suite's (docs/protocol.md §2.8, §8.10).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from extensions.own.measure.measure import OwnData, Response, Tell
from extensions.own.measure.report import OwnFacts
from extensions.shared.measure.documents import having
from extensions.shared.measure.texts import TEXT, UNLIMITED, TextLimits, documents_of, language_of_texts
from tasks.baseline.corpus_text import words_in
from tasks.datasets.examples import Document, numbered
from tasks.errors import InputError
from tasks.languages import language_name
from tasks.probes import FOLDS, Floats, probe
from tasks.statistics.effects import LEAST_UNITS, SharedUnits
from tasks.text import LeftOut, shown

REPEATS = 2
SEED = 1
LEAST_OF_LABEL = 7
"""Texts of every label: each training part must have five, for the choice of C within it."""
TRAIN, TEST = "train", "test"
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Labelled(OwnData):
    """Labelled texts, and the divisions into training and test texts.

    Parameters
    ----------
    texts : as given; ``words`` : of each, at least one.
    labels : shape (n,).
    divisions : places of the training and the test texts; ``REPEATS`` times ``FOLDS`` of them, or the user's one.
    left_out : the records that cannot be used.
    language : ISO 639-1; None if it is neither stated nor found.
    same : a number for each text, equal where the words are the same, shape (n,).
    units : the number of its group, such as its author, or ``same``, shape (n,).
    """

    texts: Sequence[str]
    words: Sequence[tuple[str, ...]]
    labels: NDArray[np.str_]
    divisions: Sequence[tuple[Places, Places]]
    left_out: LeftOut
    language: str | None
    same: Places
    units: Places

    kind = "labelled"
    floor = "words alone (TF-IDF)"

    @property
    def is_cross_validated(self) -> bool:
        return len(self.divisions) > 1

    @property
    def every_text(self) -> Sequence[tuple[str, ...]]:
        return self.words

    def facts(self) -> OwnFacts:
        labels, (train, test) = len(set(self.labels.tolist())), self.divisions[0]
        repeated = len(self.same) - len(set(self.same.tolist()))
        if self.is_cross_validated:
            how = f"{FOLDS}-fold cross-validation, {REPEATS} times"
            how += f"; texts that repeat another one, and stay with it: {repeated:,}" * (repeated > 0)
        else:
            also_trained = int(np.isin(self.same[test], self.same[train]).sum())
            how = f"{len(train):,} to train on, {len(test):,} to test"
            how += f"; test texts that equal one to train on: {also_trained:,}" * (also_trained > 0)
        where = f" in {language_name(self.language)}" if self.language else ""
        return {
            "sentence": f"{len(self.labels):,} texts{where}, {labels} labels; {how}",
            "texts": len(self.labels),
            "tested": len(self.labels) if self.is_cross_validated else len(test),
            "labels": labels,
            "divisions": len(self.divisions),
            "queries": None,
            "judgements": None,
            "left_out": self.left_out.count,
            "reasons": [str(error) for error in self.left_out.first],
        }

    def example(self, i: int) -> tuple[str, str]:
        return self.texts[i], str(self.labels[i])

    def by_words_alone(self, tell: Tell) -> Response:
        """TF-IDF of lower-cased words, and of bigrams in two training texts or more, with sublinear counts.

        Most bigrams are in one training text only, and would need several times as much memory.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        terms = np.empty(len(self.words), dtype=object)
        for place, words_of_text in enumerate(self.words):
            words = [word.lower() for word in words_of_text]
            terms[place] = [*words, *map(" ".join, pairwise(words))]

        def features() -> Iterator[tuple[csr_matrix, csr_matrix]]:
            for train, test in self.divisions:
                counts = Counter(chain.from_iterable(map(set, terms[train])))
                vocabulary = sorted(term for term, count in counts.items() if count > 1 or " " not in term)
                weigh = TfidfVectorizer(analyzer=list, sublinear_tf=True, vocabulary=vocabulary)
                yield weigh.fit_transform(terms[train]), weigh.transform(terms[test])

        return self._response(features(), tell)

    def by_vectors(self, means: Floats, tell: Tell) -> Response:
        return self._response(((means[train], means[test]) for train, test in self.divisions), tell)

    def _response(self, features: Iterator[tuple[Floats | csr_matrix, Floats | csr_matrix]], tell: Tell) -> Response:
        predicted = []
        for place, ((train, _), (of_train, of_test)) in enumerate(zip(self.divisions, features, strict=True)):
            tell(place / len(self.divisions))
            predicted.append(probe(of_train, self.labels[train], of_test).predicted)
        return self.response(np.concatenate([test for _, test in self.divisions]), np.concatenate(predicted))

    def response(self, tested: Places, predicted: NDArray[np.str_]) -> Response:
        """The values of a text are the means over its tests, and its answer is that of the first one.

        Parameters
        ----------
        tested : place of the text of each test; ``predicted`` : its label there; both of shape (tests,).
        """
        gold, n = self.labels[tested], len(self.labels)
        tests = np.bincount(tested, minlength=n)
        of_tests = {"accuracy": (predicted == gold).astype(np.float64), "macro-F1": macro_f1(gold, predicted)}
        sums = {name: np.bincount(tested, values, n) for name, values in of_tests.items()}
        answers = np.full(n, "", dtype=self.labels.dtype)
        answers[tested[::-1]] = predicted[::-1]
        return Response({name: of / np.where(tests, tests, np.nan) for name, of in sums.items()}, answers.tolist())


def macro_f1(gold: NDArray[np.str_], predicted: NDArray[np.str_]) -> Floats:
    """Values whose mean is the mean F1 of the labels: the score plus its influence values, shape (n,).

    With S texts of a label plus texts that get it, and F its F1 = 2 · right / S, a text changes F by
    (2 · right − F) / S if it has the label and by −F / S if it gets it.

    Parameters
    ----------
    gold, predicted : labels, shape (n,).
    """
    names, places = np.unique(np.concatenate([gold, predicted]), return_inverse=True)
    counts, (true, answer) = np.bincount(places), np.split(places, 2)
    right = true == answer
    f1 = 2 * np.bincount(true[right], minlength=len(names)) / counts
    change = (2 * right - f1[true]) / counts[true] - f1[answer] / counts[answer]
    return np.asarray(f1.mean() + len(gold) / len(names) * change, dtype=np.float64)


def labelled(
    path: Path,
    label_field: str,
    *,
    text_field: str = TEXT,
    split_field: str | None = None,
    group_field: str | None = None,
    language: str | None = None,
    limits: TextLimits = UNLIMITED,
) -> Labelled:
    """Read labelled texts from JSON lines or a table, and divide them.

    Equal texts are in the same part of a division, except in the user's own, and count as one unit.

    Parameters
    ----------
    split_field : with the values ``train`` and ``test``; None: stratified ``FOLDS``-fold cross-validation, twice.
    group_field : texts with the same value, such as an author, count as one unit, and are never in both parts of a
        division, except in the user's own.
    language : None: found from the words of the texts.
    limits : of the file.

    Raises
    ------
    InputError
        there are no such fields, fewer than two labels, or too few texts with a label or in a part; the file exceeds a
        limit; or the texts are in a language without spaces, and not segmented.
    """
    left_out = LeftOut()
    try:
        documents = having(list(documents_of(path, left_out, text_field, limits)), label_field, left_out)
    except InputError as error:
        remedy = " Name the field of the labels with --label-field." if error.code == "no-field" else ""
        raise replace(error, message=error.message + remedy) from None
    used: list[Document] = []
    words: list[tuple[str, ...]] = []
    for document in documents:
        of_text = words_in(document.text)
        if of_text:
            used.append(document)
            words.append(of_text)
        else:
            left_out.add(InputError("no-words", f"Document {document.id} has no word.", field="data"))
    labels = np.array([dict(document.metadata)[label_field] for document in used])
    counts = Counter(labels.tolist())
    if len(counts) < 2:
        what = f"only the label “{shown(next(iter(counts)))}”" if counts else "no labelled text with a word"
        raise InputError("one-label", f"{path.name} has {what}; a classifier needs two labels.", field="data")
    texts = [document.text for document in used]
    language = language_of_texts(texts, language)
    same = numbered(tuple(map(str.lower, of_text)) for of_text in words)
    units = same
    if group_field:
        having(used, group_field, LeftOut())  # is there such a field?
        values = (dict(document.metadata).get(group_field, "") for document in used)
        # A text without the field is a group of its own.
        units = numbered(value or place for place, value in enumerate(values))
    if split_field:
        divisions = [_given_split(used, labels, split_field)]
        _check_units(units[divisions[0][1]], LEAST_UNITS, group_field)
    else:
        _check_units(units, FOLDS, group_field)
        divisions = list(stratified(labels, units, same))
    return Labelled(texts, words, labels, divisions, left_out, language, same, units)


def _given_split(documents: Sequence[Document], labels: NDArray[np.str_], field: str) -> tuple[Places, Places]:
    having(documents, field, LeftOut())  # is there such a field?
    parts = np.array([dict(document.metadata).get(field, "").lower() for document in documents])
    others = sorted(set(parts.tolist()) - {TRAIN, TEST})
    if others:
        message = f"“{field}” has the value “{shown(others[0])}”. Write {TRAIN} or {TEST} for every text, or leave out "
        raise InputError("split", f"{message}--split-field for cross-validation.", field="split-field")
    train, test = (np.flatnonzero(parts == part) for part in (TRAIN, TEST))
    if len(test) < 2:
        message = f"Only {len(test)} of the texts have the value {TEST} in “{field}”; at least two are needed."
        raise InputError("split", message, field="split-field")
    _check_counts(labels[train], FOLDS, f"the part {TRAIN}")
    return train, test


def _check_units(tested: Places, least: int, group_field: str | None) -> None:
    if len(set(tested.tolist())) < least or SharedUnits(tested, tested).effective()[0] < LEAST_UNITS:
        what, field = (f"“{group_field}” has", "group-by") if group_field else ("The texts have", "data")
        message = f"{what} fewer than {least} different values among the tested texts, or nearly always the same one."
        raise InputError("few-groups", message, field=field)


def stratified(labels: NDArray[np.str_], units: Places, same: Places) -> Iterator[tuple[Places, Places]]:
    """Places of the training and test texts of each fold, with the labels as evenly as possible; units stay whole.

    Raises
    ------
    InputError
        a label has too few texts.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    _check_counts(labels, LEAST_OF_LABEL, "the file")
    kind = StratifiedKFold if len(set(units.tolist())) == len(units) else StratifiedGroupKFold
    for repeat in range(REPEATS):
        folds = kind(FOLDS, shuffle=True, random_state=SEED + repeat)
        for train, test in folds.split(labels, labels, units if kind is StratifiedGroupKFold else None):
            apart = train[~np.isin(same[train], same[test])]  # authors share texts, too
            _check_counts(labels[apart], FOLDS, "a training part")
            yield apart, test


def _check_counts(labels: NDArray[np.str_], least: int, part: str) -> None:
    label, count = min(Counter(labels.tolist()).items(), key=lambda item: item[1], default=("", 0))
    if count < least:
        message = (
            f"The label “{shown(label)}” has {count} text{'s' * (count != 1)} in {part}, but needs {least}. Label more "
            "of them, or leave the label out."
        )
        raise InputError("few-texts", message, field="data")
