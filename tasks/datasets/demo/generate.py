"""The six generated sets: seeded, so that every machine makes the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.demo import grammar, texts
from tasks.datasets.demo.draw import Draw, Words
from tasks.datasets.examples import PARTS, Example, Parts


@dataclass(frozen=True)
class Generated:
    """A reader that reads nothing: it makes its examples.

    Parameters
    ----------
    words : content words of a part; those of train, dev and test have none in common.
    example : makes one example from draws and words.
    seed : of the draws.
    sizes : examples of train, dev and test.
    """

    words: Callable[[str], Words]
    example: Callable[[Draw, Words], Example]
    seed: int
    sizes: tuple[int, int, int]

    def __call__(self, read: Read) -> Parts:
        draw = Draw(self.seed)
        parts: Parts = {}
        for part, size in zip(PARTS, self.sizes, strict=True):
            words = self.words(part)
            parts[part] = [self.example(draw, words) for _ in range(size)]
        return parts


POS = Generated(grammar.grammar_words, grammar.pos_sentence, 101, (900, 200, 400))
CHUNK = Generated(grammar.grammar_words, grammar.chunk_sentence, 102, (900, 200, 400))
NER = Generated(grammar.name_words, grammar.name_sentence, 103, (900, 200, 400))
SENTIMENT = Generated(texts.opinion_words, texts.opinion, 104, (1000, 200, 400))
QUESTIONS = Generated(texts.topic_words, texts.question, 105, (1000, 200, 400))
NLI = Generated(texts.topic_words, texts.phrase_pair, 106, (2000, 300, 500))
