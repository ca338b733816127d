"""One labelled text or pair of texts a line: TREC questions, SST sentences, PPDB paraphrase judgements."""

from __future__ import annotations

import math
from functools import partial

from tasks.datasets.examples import LabelledPair, LabelledText
from tasks.datasets.readers.lines import LineByLine, Lines


def trec_question(line: str, lines: Lines) -> LabelledText:
    """``COARSE:fine question``; the label is the coarse class (Li & Roth 2002)."""
    label, colon, rest = line.partition(":")
    _, blank, question = rest.partition(" ")
    if not (colon and blank):
        raise lines.damaged(" is not `COARSE:fine question`. Fetch the file again.")
    return LabelledText(words(question), label)


trec_questions = partial(LineByLine, example=trec_question)


def labelled_sentence(line: str, lines: Lines) -> LabelledText:
    """``sentence TAB label``, no header, and no quote character: quotation marks are words (SST-2)."""
    sentence, label = lines.fields(line, "\t", 2)
    return LabelledText(words(sentence), label)


labelled_sentences = partial(LineByLine, example=labelled_sentence)


def ppdb_pair(line: str, lines: Lines) -> LabelledPair:
    """Mean score, tag, phrase 1, phrase 2, judgements; class: ceil(score), 0 counts as 1 (docs/protocol.md §2.2)."""
    score, _, first, second, _ = lines.fields(line, "\t", 5)
    try:
        value = float(score)
    except ValueError:
        raise lines.damaged(f" starts with {score!r}, which is not a score. Fetch it again.") from None
    return LabelledPair(words(first), words(second), str(max(1, math.ceil(value))))


ppdb_pairs = partial(LineByLine, example=ppdb_pair)


def words(text: str) -> tuple[str, ...]:
    """Words of a published, already tokenised text: split at spaces and nothing else."""
    return tuple(word for word in text.split(" ") if word)
