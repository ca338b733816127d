"""Word tasks, linear probes and association tests, declared (docs/protocol.md §4, §2.8, §6.1)."""

from __future__ import annotations

from tasks import metrics
from tasks.base import (
    ANALOGY,
    ASSOCIATION,
    INTRUSION,
    MEAN_VECTOR_PROBE,
    METAPHOR,
    NEWSGROUPS,
    ODD_ONE_OUT,
    PRIMING,
    QVEC,
    QVEC_CCA,
    SIMILARITY,
    WORD_MAP,
    Task,
)
from tasks.languages import ENGLISH, language_name
from tasks.metrics import ACCURACY, DISTANCE_RATIO, EFFECT_SIZE, PRECISION_AT_1, SPEARMAN, TRUSTWORTHINESS

SIMILARITY_SHOWS = "Do vectors rank pairs of words by similarity as people do?"
ANALOGY_SHOWS = "Do differences of vectors represent relations between words?"
QVEC_SHOWS = "Do single dimensions represent linguistic properties of words?"
QVEC_CCA_SHOWS = "Do the vectors, after the best linear map, represent linguistic properties of words?"
GROUPS_SHOW = "Can the vectors pick out the odd word, such as a fruit among four months?"
INTRUSION_SHOWS = "Are the top words of a dimension so similar that an intruder stands out?"
PRIMING_SHOWS = "Do people react faster to a word after one that is near it in the vectors?"
PROBE_SHOWS = "What does a linear classifier read from the mean of a text's vectors?"
ASSOCIATION_SHOWS = "Which of two lists of words do the vectors place nearer to the first of two lists of attributes?"
METAPHOR_SHOWS = "Do the vectors of an adjective and a noun show whether the two are meant literally?"

WORDSIM = "Finkelstein et al. (2001), Placing Search in Context, WWW"
WORDSIM_PARTS = "Agirre et al. (2009), A Study on Similarity and Relatedness, NAACL"
SIMLEX = "Hill, Reichart & Korhonen (2015), SimLex-999, Computational Linguistics 41(4)"
LEVIANT = "Leviant & Reichart (2015), Separated by an Un-common Language, arXiv:1508.00106"
PARALEX = "Sumbler et al. (2018), ParaLex: A Multilingual Resource for Evaluating Semantic Similarity Models, LREC"
GOOGLE_ANALOGIES = "Mikolov et al. (2013), Efficient Estimation of Word Representations in Vector Space"
MSR_ANALOGIES = "Mikolov, Yih & Zweig (2013), Linguistic Regularities in Continuous Space Word Representations, NAACL"
TSVETKOV = "Tsvetkov, Faruqui, Ling, Lample & Dyer (2015), Evaluation of Word Vector Representations, EMNLP"
TSVETKOV_2016 = "Tsvetkov, Faruqui & Dyer (2016), Correlation-based Intrinsic Evaluation of Word Vectors, RepEval"
DIST_RATIO = "Sun et al. (2016), Sparse Word Embeddings Using l1 Regularized Online Learning, IJCAI"
AUGUSTE = "Auguste, Rey & Favre (2017), RepEval; times: Hutchison et al. (2013), Behavior Research Methods 45"
NEWSWEEDER = "Lang (1995), NewsWeeder, ICML; as a probe: Tsvetkov et al. (2015), EMNLP"
SENTI = "Socher et al. (2013), EMNLP; as a probe: Tsvetkov et al. (2015), EMNLP"
METAPHORS = "Tsvetkov et al. (2014), Metaphor Detection with Cross-Lingual Model Transfer, ACL"
T_SNE = "van der Maaten & Hinton (2008), JMLR 9; trustworthiness: Venna & Kaski (2001), ICANN"
CALISKAN = (
    "Caliskan, Bryson & Narayanan (2017), Semantics derived automatically from language corpora contain human-like "
    "biases, Science 356"
)
TOO_SMALL = "Too small to rank by: it distinguishes few entries."
"""Note of word tasks that tell less than 30 % of the pairs of entries apart (docs/trust.md#each-task)."""


def _similarity(part: str, title: str, citation: str, note: str = "") -> Task:
    return Task(
        f"sim-{part.removeprefix('EN-').lower()}", title, SIMILARITY, "word-sim", SPEARMAN, SIMILARITY_SHOWS,
        citation, modes=(None,), options={"part": part}, note=note,
    )  # fmt: skip


WORDSIM_353 = _similarity("EN-WS-353-ALL", "WordSim-353", WORDSIM)
SIMILARITY_TASKS = (
    WORDSIM_353,
    _similarity("EN-WS-353-SIM", "WordSim-353, similarity", WORDSIM_PARTS, TOO_SMALL),
    _similarity("EN-WS-353-REL", "WordSim-353, relatedness", WORDSIM_PARTS, TOO_SMALL),
    _similarity("EN-SIMLEX-999", "SimLex-999", SIMLEX, TOO_SMALL),
    _similarity("EN-MEN-TR-3k", "MEN", "Bruni, Tran & Baroni (2014), Multimodal Distributional Semantics, JAIR 49"),
    _similarity("EN-RG-65", "RG-65", "Rubenstein & Goodenough (1965), Communications of the ACM 8(10)", TOO_SMALL),
    _similarity("EN-MC-30", "MC-30", "Miller & Charles (1991), Language and Cognitive Processes 6(1)", TOO_SMALL),
    _similarity("EN-MTurk-287", "MTurk-287", "Radinsky et al. (2011), A Word at a Time, WWW", TOO_SMALL),
    _similarity("EN-MTurk-771", "MTurk-771", "Halawi et al. (2012), Learning of Word Relatedness, KDD"),
    _similarity("EN-RW-STANFORD", "Rare words", "Luong, Socher & Manning (2013), CoNLL"),
    _similarity("EN-SimVerb-3500", "SimVerb-3500", "Gerz et al. (2016), SimVerb-3500, EMNLP"),
    _similarity("EN-VERB-143", "Verb-143", "Baker, Reichart & Korhonen (2014), EMNLP", TOO_SMALL),
    _similarity(
        "EN-YP-130", "YP-130", "Yang & Powers (2006), Verb Similarity on the Taxonomy of WordNet, GWC", TOO_SMALL
    ),
)


def _similarity_in(language: str) -> tuple[Task, ...]:
    sets = {
        "simlex-999": "SimLex-999",
        "ws-353-all": "WordSim-353",
        "ws-353-rel": "WordSim-353, relatedness",
        "ws-353-sim": "WordSim-353, similarity",
    }
    return tuple(
        Task(
            f"sim-{name}-{language}", f"{title}, {language_name(language)}", SIMILARITY, "similarity-de-it-ru",
            SPEARMAN, SIMILARITY_SHOWS, LEVIANT, modes=(None,), options={"part": f"{name}-{language}"},
            languages=(language,),
        )
        for name, title in sets.items()
    )  # fmt: skip


TRANSLATED_SIMILARITY = (*_similarity_in("de"), *_similarity_in("it"), *_similarity_in("ru"))

PARALEX_LANGUAGES = (
    "ar az bg bn ca cs da de el en es et fa fi fr he hi hr hu id is it ja jv ko lt lv ms nl no pl pt ro ru sk sl sq sv "
    "sw th tl tr uk ur vi zh"
)
WORD_GROUPS = Task(
    "odd-one-out", "Word groups", ODD_ONE_OUT, "paralex", ACCURACY, GROUPS_SHOW, PARALEX,
    modes=(None,), options={"trials": 100, "seed": 0}, note=f"A guess is right in 20 %. {TOO_SMALL}",
    languages=tuple(PARALEX_LANGUAGES.split()),
)  # fmt: skip

ANALOGIES = Task(
    "analogy-google", "Google analogies", ANALOGY, "analogy", PRECISION_AT_1, ANALOGY_SHOWS, GOOGLE_ANALOGIES,
    modes=(None,), options={"part": "questions-words"},
)  # fmt: skip
MSR = Task(
    "analogy-msr", "MSR analogies", ANALOGY, "analogy", PRECISION_AT_1, ANALOGY_SHOWS, MSR_ANALOGIES,
    modes=(None,), options={"part": "msr", "semantic_categories": 0},
)  # fmt: skip

WITHIN_DIMENSIONS = (
    "Compare within one number of dimensions, and among files that know about as many of the oracle's words: the "
    "figure rises with the dimensions, and with fewer words."
)


def _qvec(name: str, of: str, part: str, language: str = ENGLISH) -> tuple[Task, Task]:
    """QVEC and QVEC-CCA with one oracle."""
    qvec = Task(
        f"qvec-{name}", f"QVEC, {of}", QVEC, "qvec", metrics.QVEC, QVEC_SHOWS, TSVETKOV,
        modes=(None,), options={"part": part}, languages=(language,), note=WITHIN_DIMENSIONS,
    )  # fmt: skip
    cca = Task(
        f"qvec-cca-{name}", f"QVEC-CCA, {of}", QVEC_CCA, "qvec", metrics.QVEC_CCA, QVEC_CCA_SHOWS,
        TSVETKOV_2016, modes=(None,), options={"part": part}, languages=(language,), note=WITHIN_DIMENSIONS,
    )  # fmt: skip
    return qvec, cca


SUPERSENSES = "semcor_noun_verb.supersenses"
QVEC_TASKS = (
    *_qvec("en", "supersenses", f"{SUPERSENSES}.en"),
    *_qvec("ptb", "Penn Treebank tags", "ptb.pos_tags"),
    *_qvec("da", "Danish supersenses", f"{SUPERSENSES}.da", "da"),
    *_qvec("it", "Italian supersenses", f"{SUPERSENSES}.it", "it"),
)

WORD_INTRUSION = Task(
    "intrusion", "Word intrusion", INTRUSION, None, DISTANCE_RATIO, INTRUSION_SHOWS, DIST_RATIO,
    modes=(None,), options={"k": 5, "runs": 10, "seed": 0}, languages=(),
)  # fmt: skip


def _priming(name: str, title: str, note: str = "") -> Task:
    return Task(
        f"priming-{name}", title, PRIMING, "spp", SPEARMAN, PRIMING_SHOWS, AUGUSTE,
        modes=(None,), options={"condition": name.replace("-", "_")},
        note=f"{note} Minus the correlation with reaction times: higher is better.".lstrip(),
    )  # fmt: skip


PRIMING_TASKS = (
    _priming("ldt-200", "Priming, lexical decision, 200 ms"),
    _priming("ldt-1200", "Priming, lexical decision, 1,200 ms"),
    _priming("nt-200", "Priming, naming, 200 ms"),
    _priming("nt-1200", "Priming, naming, 1,200 ms", TOO_SMALL),
)

KINDRED_GROUPS = [
    ["rec.sport.baseball", "rec.sport.hockey"],
    ["alt.atheism", "soc.religion.christian"],
    ["sci.med", "sci.space"],
    ["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"],
]
PROBES = (
    Task(
        "20ng", "20 Newsgroups", NEWSGROUPS, "20ng", ACCURACY, PROBE_SHOWS, NEWSWEEDER,
        modes=(None,), options={"pairs": KINDRED_GROUPS}, note="Mean accuracy over four pairs of kindred groups.",
    ),
    Task(
        "senti", "Senti", MEAN_VECTOR_PROBE, "sst2", ACCURACY, PROBE_SHOWS, SENTI,
        modes=(None,), options={"split": {"rule": "published"}},
    ),
    Task(
        "metaphor", "Metaphor", METAPHOR, "metaphor-an", ACCURACY, METAPHOR_SHOWS, METAPHORS,
        modes=(None,), options={"part": "train", "folds": 5, "trees": 500, "seed": 0},
    ),
)  # fmt: skip

MAP = Task(
    "map", "Map of 1,000 words", WORD_MAP, "qvec", TRUSTWORTHINESS, "A picture: which common words lie near which.",
    T_SNE, modes=(None,), options={"perplexity": 30, "seed": 0}, note="A picture: nobody is ranked by it.",
    descriptive=True,
)  # fmt: skip

WORD_TASKS = (
    *SIMILARITY_TASKS,
    *TRANSLATED_SIMILARITY,
    ANALOGIES,
    MSR,
    *QVEC_TASKS,
    WORD_GROUPS,
    WORD_INTRUSION,
    *PRIMING_TASKS,
    *PROBES,
    MAP,
)
"""Every word task of ``open-2026``."""


def _weat(number: int, title: str, *lists: str) -> Task:
    """A test of the source's table 1: targets X and Y, then attributes A and B, by their names in the data set."""
    return Task(
        f"weat-{number}", title, ASSOCIATION, "weat", EFFECT_SIZE, ASSOCIATION_SHOWS, CALISKAN,
        modes=(None,), options={"lists": lists}, note="Descriptive: neither sign is better.", descriptive=True,
    )  # fmt: skip


_EUROPEAN_5, _AFRICAN_5 = "european_american_names_5", "african_american_names_5"
_EUROPEAN_7, _AFRICAN_7 = "european_american_names_7", "african_american_names_7"
_NAMES = "European and African American names, pleasant"
ASSOCIATION_TASKS = (
    _weat(1, "Flowers and insects, pleasant", "flowers", "insects", "pleasant_5", "unpleasant_5a"),
    _weat(2, "Instruments and weapons, pleasant", "instruments", "weapons", "pleasant_5", "unpleasant_5a"),
    _weat(3, f"{_NAMES} (Greenwald et al.)", _EUROPEAN_5, _AFRICAN_5, "pleasant_5", "unpleasant_5b"),
    _weat(4, f"{_NAMES} (Bertrand & Mullainathan)", _EUROPEAN_7, _AFRICAN_7, "pleasant_5", "unpleasant_5b"),
    _weat(5, f"{_NAMES} (Nosek et al.)", _EUROPEAN_7, _AFRICAN_7, "pleasant_9", "unpleasant_9"),
    _weat(6, "Male and female names, career", "male_names", "female_names", "career", "family"),
    _weat(7, "Mathematics and arts, male", "math", "arts", "male_terms", "female_terms"),
    _weat(8, "Science and arts, male", "science", "arts_2", "male_terms_2", "female_terms_2"),
    _weat(9, "Mental and physical disease, temporary", "mental_disease", "physical_disease", "temporary", "permanent"),
    _weat(10, "Young and old people's names, pleasant", "young_people_names", "old_people_names", "pleasant_9",
          "unpleasant_9"),
)  # fmt: skip
"""In the source's order."""
