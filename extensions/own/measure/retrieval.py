"""One's own queries and texts to find: the texts are ranked by the cosine of mean vectors, next to BM25 on words alone.

Nothing is trained. The unit of all statistics is the query (docs/protocol.md §8.10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bm25s
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from extensions.own.measure.measure import OwnData, Response, Tell, cut
from extensions.own.measure.report import OwnFacts
from extensions.shared.measure.documents import number_of
from extensions.shared.measure.texts import (
    NAME_THE_COLUMN,
    TEXT,
    UNLIMITED,
    TextLimits,
    documents_of,
    language_of_texts,
    name_of,
)
from tasks.baseline.corpus_text import words_in
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.languages import language_name
from tasks.probes import Floats
from tasks.text import LeftOut, listed, shown
from tasks.vectors import UNKNOWN

DEPTH = 10
"""Texts that a user is assumed to read."""
DIGITS = 6
"""Of a cosine: equal texts must have equal ones, whatever their place in a matrix product."""
QUERY_ID, TEXT_ID, RELEVANCE = "query-id", "corpus-id", "score"
"""Columns of the judgements, as in BEIR (Thakur et al. 2021)."""
FILES = {"queries": ("queries",), "texts": ("texts", "corpus"), "judgements": ("judgements", "qrels")}
"""Names of the files in a folder, without their suffixes."""
_ENDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_BLOCK = 2**22
"""Scores in memory at a time."""
_QUOTED = 3
"""Texts quoted in an answer."""


@dataclass(frozen=True)
class Retrieval(OwnData):
    """Queries, the texts to find, and which of them are relevant.

    Parameters
    ----------
    queries, texts : as given; a text begins with its title, if it has one.
    words : of the queries, then of the texts.
    relevant : 1 where a text is relevant to a query, shape (queries, texts); each query has at least one.
    judgements : number of judgements, those without relevance included.
    left_out : the records that cannot be used, and the queries without a relevant text.
    itself : place of the text that is the query itself, with the same id and words, or ``UNKNOWN``; shape (queries,).
        The query doesn't find it.
    language : ISO 639-1; None if it is neither stated nor found.
    units : the queries are independent, shape (queries,).
    """

    queries: Sequence[str]
    texts: Sequence[str]
    words: Sequence[tuple[str, ...]]
    relevant: csr_array
    judgements: int
    left_out: LeftOut
    itself: NDArray[np.int64]
    language: str | None
    units: NDArray[np.int64]

    kind = "retrieval"
    floor = "words alone (BM25)"
    is_cross_validated = False

    @property
    def every_text(self) -> Sequence[tuple[str, ...]]:
        return self.words

    def facts(self) -> OwnFacts:
        queries, texts = len(self.queries), len(self.texts)
        where = f" in {language_name(self.language)}" if self.language else ""
        repeated = int((self.itself != UNKNOWN).sum())
        are_texts = f"; queries that are texts themselves, and don't find themselves: {repeated:,}"
        return {
            "sentence": f"{queries:,} queries, {texts:,} texts{where}; {self.relevant.nnz / queries:.1f} relevant to a "
            f"query on average{are_texts * (repeated > 0)}",
            "texts": texts,
            "tested": queries,
            "labels": None,
            "divisions": 0,
            "queries": queries,
            "judgements": self.judgements,
            "left_out": self.left_out.count,
            "reasons": [str(error) for error in self.left_out.first],
        }

    def example(self, i: int) -> tuple[str, str]:
        return self.queries[i], self._quoted(i, self.relevant[[i]].indices[:_QUOTED].tolist())

    def by_words_alone(self, tell: Tell) -> Response:
        """BM25 on lower-cased words, without punctuation."""
        plain = [_plain(text_words) for text_words in self.words]
        index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
        index.index(plain[len(self.queries) :], show_progress=False)

        def scores(first: int, end: int) -> Floats:
            bm25 = [index.get_scores_from_ids(index.get_tokens_ids(text_words)) for text_words in plain[first:end]]
            block = np.array(bm25, dtype=np.float64)
            block[block == 0] = -np.inf
            return block

        return self._response(scores, tell)

    def by_vectors(self, means: Floats, tell: Tell) -> Response:
        """The cosine of query and text; without a known word, neither finds nor is found."""
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        units = np.divide(means, lengths, where=lengths > 0, out=np.zeros_like(means))
        queries, texts = np.split(units, [len(self.queries)])
        is_known, has_words = np.split(lengths[:, 0] > 0, [len(self.queries)])

        def scores(first: int, end: int) -> Floats:
            block: Floats = np.round(queries[first:end] @ texts.T, DIGITS)
            block[~(is_known[first:end, None] & has_words)] = -np.inf
            return block

        return self._response(scores, tell)

    def _response(self, scores: Callable[[int, int], Floats], tell: Tell) -> Response:
        """Precision and recall of the first texts, from the scores of blocks of queries; −inf: not found."""
        queries, texts = self.relevant.shape
        size = max(1, _BLOCK // texts)
        hits, answers = np.zeros(queries), []
        for first in range(0, queries, size):
            tell(first / queries)
            end = min(first + size, queries)
            block = scores(first, end)
            itself = self.itself[first:end]
            block[np.flatnonzero(itself != UNKNOWN), itself[itself != UNKNOWN]] = -np.inf
            hits[first:end] = expected_hits(block, self.relevant[first:end].toarray() > 0)
            best = np.sort(np.argpartition(-block, DEPTH - 1, axis=1)[:, :DEPTH], axis=1)
            for i, (row, places) in enumerate(zip(block, best, strict=True), start=first):
                ordered = places[np.argsort(-row[places], kind="stable")][:_QUOTED]
                answers.append(self._quoted(i, ordered[np.isfinite(row[ordered])].tolist()))
        relevant = np.diff(self.relevant.indptr)
        values = {f"precision@{DEPTH}": hits / DEPTH, f"recall@{DEPTH}": hits / relevant}
        return Response(values, answers)

    def _quoted(self, query: int, places: Sequence[int]) -> str:
        """The beginnings of texts, each with a mark of its relevance to a query."""
        relevant = self.relevant[[query]].indices
        marked = [f"{'✓' if i in relevant else '✗'} {cut(self.texts[i], 95)}" for i in places]
        return " · ".join(marked) or "nothing"


def _plain(words: Sequence[str]) -> list[str]:
    """Lower-cased words with a letter or digit."""
    return [word.lower() for word in words if any(map(str.isalnum, word))]


def expected_hits(scores: Floats, is_relevant: NDArray[np.bool_]) -> Floats:
    """Number of relevant texts among the first ``DEPTH``, of each query.

    Of texts with the same score, any may come first: the expected value over their orders.

    Parameters
    ----------
    scores : shape (queries, texts), at least ``DEPTH`` texts; −inf: not found.
    is_relevant : of the same shape.
    """
    last = np.partition(scores, -DEPTH, axis=1)[:, [-DEPTH]]
    above, tied = scores > last, (scores == last) & np.isfinite(last)
    room = DEPTH - above.sum(axis=1)
    share = (tied & is_relevant).sum(axis=1) / np.maximum(tied.sum(axis=1), 1)
    return np.asarray((above & is_relevant).sum(axis=1) + room * share, dtype=np.float64)


def _in_folder(folder: Path) -> Mapping[str, Path]:
    """The files ``queries``, ``texts`` and ``judgements`` of a folder, also by their names in BEIR.

    Raises
    ------
    InputError
        one is missing, or there are two.
    """
    paths = [path for part in (folder, folder / "qrels") if part.is_dir() for path in sorted(part.iterdir())]
    files = {}
    for part, names in FILES.items():
        names = (*names, "test") if part == "judgements" else names
        named = (path for path in paths if name_of(path) in names and path.is_file())
        of_folder = [path for path in named if any(suffix.lower() in _ENDS for suffix in path.suffixes)]
        if len(of_folder) != 1:
            names_there = listed([path.name for path in of_folder])
            what = f"the files {names_there}; keep one" if of_folder else f"no file {part}.csv"
            remedy = "Name the files queries, texts and judgements: .csv, .tsv or .jsonl."
            raise InputError("folder", f"{folder.absolute().name} has {what}. {remedy}", field="data")
        files[part] = of_folder[0]
    return files


def retrieval(folder: Path, language: str | None = None, limits: TextLimits = UNLIMITED) -> Retrieval:
    """Read queries and texts (fields ``id`` or ``_id``, ``text`` and ``title``), and judgements of their relevance.

    Parameters
    ----------
    folder : its judgements have the fields ``query-id``, ``corpus-id`` and ``score``: above 0, which is also the
        default, is relevant.
    language : None: found from the words of the texts.
    limits : of each file; there may be ten times as many judgements as texts.

    Raises
    ------
    InputError
        a file or field is missing, two records have one id, a judgement names an unknown id, or there are too few
        texts or queries with a relevant text; a file exceeds a limit; or the texts are in a language without spaces,
        and not segmented.
    """
    left_out, files = LeftOut(), _in_folder(folder)
    queries, texts, judgements = files["queries"], files["texts"], files["judgements"]
    of_query, of_text = _by_id(queries, left_out, limits), _by_id(texts, left_out, limits)
    if len(of_text) <= DEPTH:
        message = f"{texts.name} has only {len(of_text)} texts; more than {DEPTH} are needed."
        raise InputError("few-texts", message, field="data")
    query_places, text_places = ({name: i for i, name in enumerate(of)} for of in (of_query, of_text))
    pairs, count = set(), 0
    for judgement in _records(judgements, left_out, QUERY_ID, replace(limits, records=DEPTH * limits.records)):
        count += 1
        fields = dict(judgement.metadata) | {QUERY_ID: judgement.text}
        i = _place(query_places, fields, QUERY_ID, queries, judgement.id)
        j = _place(text_places, fields, TEXT_ID, texts, judgement.id)
        score = number_of(fields.get(RELEVANCE, "1"))
        if score is None:
            message = f"The judgement {judgement.id} has the {RELEVANCE} “{shown(fields[RELEVANCE])}”. Write a number."
            raise InputError("no-number", message, field="data")
        if score > 0:
            pairs.add((i, j))
    itself = {i: text_places[name] for name, i in query_places.items() if _is_same(of_query[name], of_text.get(name))}
    pairs.difference_update(itself.items())
    judged = sorted({i for i, _ in pairs})
    if not count:
        left_out.refuse()
    if len(judged) < 2:
        message = f"{judgements.name} has relevant texts for {len(judged)} of the queries; at least two are needed."
        raise InputError("few-queries", message, field="data")
    every_query = list(of_query.values())
    for i in sorted(set(range(len(every_query))).difference(judged)):
        left_out.add(InputError("no-judgement", f"The query {every_query[i].id} has no relevant text.", field="data"))
    row = {i: place for place, i in enumerate(judged)}
    rows, columns = np.array(sorted((row[i], j) for i, j in pairs)).T
    query_texts = [every_query[i].text for i in judged]
    searched = [_with_title(document) for document in of_text.values()]
    words = [words_in(text) for text in (*query_texts, *searched)]
    if not any(_plain(text_words) for text_words in words[len(query_texts) :]):
        raise InputError("no-words", f"No text of {texts.name} has a word.", field="data")
    return Retrieval(
        query_texts,
        searched,
        words,
        csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(query_texts), len(searched))),
        count,
        left_out,
        np.array([itself.get(i, UNKNOWN) for i in judged], dtype=np.int64),
        language_of_texts(searched, language),
        np.arange(len(query_texts), dtype=np.int64),
    )


def _records(path: Path, left_out: LeftOut, field: str, limits: TextLimits) -> Iterator[Document]:
    """The records with a field, which has a fixed name here."""
    try:
        yield from documents_of(path, left_out, field, limits)
    except InputError as error:
        message = error.message.replace(NAME_THE_COLUMN, f"Write a header with the column “{field}”.")
        raise replace(error, message=message) from None


def _by_id(path: Path, left_out: LeftOut, limits: TextLimits) -> dict[str, Document]:
    """Records by their id."""
    by_id: dict[str, Document] = {}
    for document in _records(path, left_out, TEXT, limits):
        fields = dict(document.metadata)
        name = fields.get("id", fields.get("_id", ""))
        if not name:
            message = f"The record {document.id} has no id. Give every query and every text a field “id”."
            raise InputError("no-id", message, field="data")
        if name in by_id:
            message = f"The id “{shown(name)}” {document.id} is also that of the record {by_id[name].id}."
            raise InputError("same-id", f"{message} Give each an id of its own.", field="data")
        by_id[name] = document
    return by_id


def _place(places: Mapping[str, int], fields: Mapping[str, str], field: str, path: Path, where: str) -> int:
    name = fields.get(field, "")
    if name not in places:
        what = f"the {field} “{shown(name)}”, which is not in {path.name}" if name else f"no {field}"
        raise InputError("unknown-id", f"The judgement {where} has {what}.", field="data")
    return places[name]


def _is_same(query: Document, text: Document | None) -> bool:
    """Whether a text with the id of a query is the query itself; ids that only coincide have other words."""
    return text is not None and words_in(query.text) in (words_in(text.text), words_in(_with_title(text)))


def _with_title(document: Document) -> str:
    title = dict(document.metadata).get("title", "")
    return f"{title} {document.text}".strip()
