"""The suites, as explicit tuples. Protocol numbers live here and nowhere else."""

from __future__ import annotations

from tasks.base import Task
from tasks.families import ANALOGY, PAIR, SENTENCE, SIMILARITY, WINDOW
from tasks.results import Mode
from tasks.suite import Corpus, Suite, TrainingSettings
from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS, LOWER_CASED

POS_SHOWS = "Syntax: the class of a word, from the word and its four neighbours."
CHUNK_SHOWS = "Syntax: where noun, verb and other phrases begin and end."
NER_SHOWS = "Names: which words are people, places, organisations or other names."
SENTIMENT_SHOWS = "Meaning of a sentence: does a review praise or blame?"
QUESTIONS_SHOWS = "Meaning of a sentence: what kind of answer does a question ask for?"
NLI_SHOWS = "Meaning of a phrase: how nearly do two phrases say the same?"
SIMILARITY_SHOWS = "Do people and vectors rank pairs of words alike by similarity?"
ANALOGY_SHOWS = "Do differences of vectors carry relations between words?"

TOUTANOVA = "Toutanova et al. (2003), NAACL; universal tags: Petrov et al. (2012), LREC"
UD_EWT = "Silveira et al. (2014), A Gold Standard Dependency Corpus for English, LREC"
CONLL_2000 = "Tjong Kim Sang & Buchholz (2000), CoNLL"
CONLL_2003 = "Tjong Kim Sang & De Meulder (2003), CoNLL"
WIKINEURAL = "Tedeschi et al. (2021), WikiNEuRal, Findings of EMNLP"
SST = "Socher et al. (2013), EMNLP"
TREC = "Li & Roth (2002), COLING; Li & Roth (2006)"
PPDB = "Pavlick et al. (2015), PPDB 2.0, ACL; Ganitkevitch et al. (2013)"
WORDSIM = "Finkelstein et al. (2001), Placing Search in Context, WWW"
GOOGLE_ANALOGIES = "Mikolov et al. (2013), Efficient Estimation of Word Representations in Vector Space"

LAST_TENTH_OF_TRAIN = {"rule": "last-share", "of": "train", "share": 0.1}
PUBLISHED = {"rule": "published"}
OLD_PYTHON_SHUFFLE = {"rule": "old-python-shuffle", "seed": 137, "test": 4000, "dev_share": 0.1}

CHUNKING = Task(
    "chunk", "Chunking", WINDOW, "conll2000", "accuracy", CHUNK_SHOWS, CONLL_2000,
    options={"split": LAST_TENTH_OF_TRAIN, "spans": True},
)  # fmt: skip
SENTIMENT = Task(
    "sentiment", "Sentiment", SENTENCE, "sst2", "accuracy", SENTIMENT_SHOWS, SST,
    options={"split": PUBLISHED, "limit": 50},
)  # fmt: skip
QUESTIONS = Task(
    "questions", "Questions", SENTENCE, "trec-qc", "accuracy", QUESTIONS_SHOWS, TREC,
    options={"split": LAST_TENTH_OF_TRAIN, "limit": 30},
)  # fmt: skip
NLI = Task(
    "nli", "Phrase inference", PAIR, "ppdb-nli", "accuracy", NLI_SHOWS, PPDB,
    options={"split": OLD_PYTHON_SHUFFLE, "limit": 10},
)  # fmt: skip
WORDSIM_353 = Task(
    "sim-ws-353-all", "WordSim-353", SIMILARITY, "word-sim", "spearman", SIMILARITY_SHOWS, WORDSIM,
    modes=(None,), options={"part": "EN-WS-353-ALL"},
)  # fmt: skip
ANALOGIES = Task(
    "analogy-google", "Google analogies", ANALOGY, "analogy", "precision at 1", ANALOGY_SHOWS, GOOGLE_ANALOGIES,
    modes=(None,), options={"part": "questions-words"},
)  # fmt: skip

OPEN_2026 = Suite(
    id="open-2026",
    version=1,
    title="Open 2026",
    description="The site's default: six downstream tasks on openly available data, and word tasks.",
    tasks=(
        Task("pos", "Part-of-speech tagging", WINDOW, "ud-ewt", "accuracy", POS_SHOWS, UD_EWT,
             options={"split": PUBLISHED, "spans": False}),
        CHUNKING,
        Task("ner", "Named entities", WINDOW, "wikineural-en", "span F1", NER_SHOWS, WIKINEURAL,
             options={"split": {"rule": "last-share", "of": "val", "share": 0.1}, "spans": True, "shapes": True},
             note="Labels are silver (made automatically); licence CC BY-NC-SA 4.0: not for commercial use."),
        SENTIMENT,
        QUESTIONS,
        NLI,
        WORDSIM_353,
        ANALOGIES,
    ),
    look_up=AS_WRITTEN_THEN_CASE_THEN_DIGITS,
    scale=0.1,
    unknown="mean",
    training={},
    seeds=3,
    corpus=Corpus("wiki-corpus", "English Wikipedia sample of 2015", None, "CC BY-SA 3.0", "see PROTOCOL"),
    baseline_dimensions=100,
)  # fmt: skip
