"""Word pairs, analogy questions and word lists."""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet, github, plain
from tasks.datasets.readers.word_tasks import Analogies, WordGroups, headed_pairs, listed_words, scored_pairs
from tasks.datasets.recipes import Packaged, Plain, Twin

_WORD_SIM = github("mfaruqui/eval-word-vectors", "94b3dd9fdbac7ed08dbee7179cd5ee464acf0594")
_TRANSLATED = github("nmrksic/eval-multilingual-simlex", "357851b264ca5c031c707a4f2b0acd9344aa287e", "evaluation")
_PARALEX = github("gavagai-corp/ParaLex", "8b2125296a1f2da176bb9da4fc2ac27f323efd2f")
_GOOGLE = github("kushmadlani/embedtrics", "b58d4e952d3100421a902b6368676116f8b4ffe6", "data")
_MSR = github("zhezhaoa/ngram2vec", "e57c623a5dfe5df4ea0be3f04ad52045aaa6360f", "testsets/analogy")
_VECEVAL = github("NehaNayak/veceval", "211c74b453dcc1a1cfea211de0913427141faf4c", "embeddings")

_WORD_SIM_FILES = [
    ("EN-MC-30.txt", 543, "33ee05911496ff83d95cac351d0746c6f63b9181b605cb7d307f4daa8864511b"),
    ("EN-MEN-TR-3k.txt", 53_593, "888b13580faa362c7b11da0a670258cf1b1eb4bf0ecbcd418918729a3bd3f43a"),
    ("EN-MTurk-287.txt", 7_218, "a9ae3a9decb75a9700fe0cf18b048c1344774d9f40e0196baf8e34d4cd9d1ce5"),
    ("EN-MTurk-771.txt", 19_628, "04dc297c9e86b6fa7cf8ef0e4ba2e2c8d3399ec68d92fb7a53c0b4aae27198b5"),
    ("EN-RG-65.txt", 1_210, "c243f3a91c3f5d8cf67f21a67f6fb80bde8b6bb060851a6a48e6f2d68ec98c9f"),
    ("EN-RW-STANFORD.txt", 49_851, "5108d54dfc746f44f9c3d7e31d2857c37cf71430bc1594175a61a3b89bb0ae1f"),
    ("EN-SIMLEX-999.txt", 18_024, "405394ffb7d25f6d0e3c041f87c9f27d29dc6b047506769953e85c4523b11685"),
    ("EN-SimVerb-3500.txt", 65_315, "9d84274e7ad029fd3cf69dd0516e9ade624bbef9bd4e2050f6cc1fa01471e0f5"),
    ("EN-VERB-143.txt", 3_320, "7259e19961c81912aa4c72de0102e480b2ad2bb9f4ce97d036fbde8e1a403001"),
    ("EN-WS-353-ALL.txt", 7_405, "ce12919b240af45bdf46d243601eaca2b6212b159b5e7e9b435ee7ee40c5619c"),
    ("EN-WS-353-REL.txt", 5_134, "66a7c88100624d0a391605ff61ce84e11d11ee620d51ec0298da49592838f8fa"),
    ("EN-WS-353-SIM.txt", 4_002, "f1da938998863c94e53f72f984a5c6e215f0b46c323aae8f0f4930703a339107"),
    ("EN-YP-130.txt", 2_614, "7643fdbc6158c3424061e2cba450c71285767266ff9f3db947bfc1f1f5ce67ab"),
]

WORD_SIM = DataSet(
    id="word-sim",
    title="Word similarity and relatedness sets (13 files)",
    version="94b3dd9fdbac",
    files=(
        *plain("word-sim", f"{_WORD_SIM}/data/word-sim", _WORD_SIM_FILES),
        *plain("word-sim", _WORD_SIM, notes=[
            ("LICENSE", 1_071, "d966f71dc26b1a28af0c2176721a503ad4abf6267638c64d3bed2be6034840d1"),
        ]),
    ),
    licence="repository: MIT; the single sets carry the terms of their authors (freely distributed for research)",
    citation="Faruqui & Dyer (2014), Community Evaluation and Exchange of Word Vectors at wordvectors.org, ACL 2014; "
    "and the papers of the individual sets",
    reader=scored_pairs({
        name.removesuffix(".txt"): f"word-sim/{name}" for name, _, _ in _WORD_SIM_FILES
    }),
    notes="Scales differ between files; a few pairs occur twice; VERB-143 has 144 pairs.",
    homepage="http://wordvectors.org",
)  # fmt: skip

SIMILARITY_DE_IT_RU = DataSet(
    id="similarity-de-it-ru",
    title="SimLex-999 and WordSim-353 in German, Italian and Russian",
    version="357851b264ca",
    files=(
        *plain("similarity-de-it-ru", _TRANSLATED, [
            ("simlex-german.txt", 27_504, "148afca63aebf62971a431b4ad481626b4ef9d7445ee99077faf72c7dfc6d72e"),
            ("simlex-italian.txt", 27_251, "29f283f71e94a7aee47d060371a6ee7859d26aea99eb93d4a57af1fa5cfa2080"),
            ("simlex-russian.txt", 40_821, "7bcd8449adf2e46a6805492443019da1e7acc520819fe3a3f719f3da5a722456"),
        ]),
        *plain("similarity-de-it-ru", f"{_TRANSLATED}/ws-353", [
            ("wordsim353-german.txt", 7_470, "a5e56d416ec5e3cb9d4ca1774842ac12feab4c9e2cc42a2bfb80a75e94f5136e"),
            ("wordsim353-german-rel.txt", 5_495, "a28bb04a1ca7f023410547077448c6529713b0fd4f1574ea86c4701b9b7004a3"),
            ("wordsim353-german-sim.txt", 4_251, "d54d0b02d5f26c308c47ee24c4530e0843c788d47e67143849d096059e9147b5"),
            ("wordsim353-italian.txt", 7_610, "5369b3c8ffa8d3562eda274c257454fbc5c0e51bb59b54d449cc15dc01eb0410"),
            ("wordsim353-italian-rel.txt", 5_590, "ba439de851b20e21cec999fdc30c7df5379d8e68b9e7f6047bde0589dd477eec"),
            ("wordsim353-italian-sim.txt", 4_352, "d1a3a871b4f71c9dff3a4043c21cfc1b69d8d176b61fb00c844cd5eb7785351b"),
            ("wordsim353-russian.txt", 12_040, "553aa56a483cabdf6a51ba2651b20ede959b46b7d42adc93ea2a668ab773c5eb"),
            ("wordsim353-russian-rel.txt", 8_843, "18e42642006a6536211d4c0da99c49b591c0593c0c3fb1a13ce09070db6623ab"),
            ("wordsim353-russian-sim.txt", 6_743, "55493b13b93d330888ad99dcb4bd57195fd63ab0cb501d3f3681b451010637bf"),
        ]),
    ),
    licence="not stated (freely available for research)",
    citation="Leviant & Reichart (2015), Separated by an Un-common Language: Towards Judgment Language Informed Vector "
    "Space Modeling, arXiv:1508.00106",
    reader=headed_pairs({
        f"{name}-{code}": f"similarity-de-it-ru/{file.format(language)}.txt"
        for code, language in {"de": "german", "it": "italian", "ru": "russian"}.items()
        for name, file in {
            "simlex-999": "simlex-{}", "ws-353-all": "wordsim353-{}", "ws-353-rel": "wordsim353-{}-rel",
            "ws-353-sim": "wordsim353-{}-sim",
        }.items()
    }),
    notes="Translated, and rated again by speakers of each language. WordSim-353 has 350 pairs here. The lines of "
    "simlex-german.txt end in CR.",
)  # fmt: skip

PARALEX = DataSet(
    id="paralex",
    title="ParaLex: paradigmatic word groups in 46 languages",
    version="8b2125296a1f",
    files=plain("paralex", _PARALEX, [
        ("ParaLex.csv", 72_975, "3e2c54b32eb22ee9796bf1314552cf77520a3ecac9e1b679824ba01eb66d8779"),
    ], notes=[
        ("LICENSE", 11_357, "b40930bbcf80744c86c46a12bc9da056641d722716c378f5659b9e555ef833e1"),
    ]),
    licence="Apache-2.0",
    citation="Sumbler et al. (2018), ParaLex: A Multilingual Resource for Evaluating Semantic Similarity Models, LREC",
    reader=WordGroups("paralex/ParaLex.csv"),
    notes="13 groups a language (Chinese: 12): months, weekdays, colours, cities, fruit and others.",
    homepage="https://github.com/gavagai-corp/ParaLex",
)  # fmt: skip

ANALOGY = DataSet(
    id="analogy",
    title="Google and MSR analogy questions",
    version="2013",
    files=(
        DataFile("analogy/questions-words.txt", 603_955,
                 "8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
                 Twin(Packaged("gensim", "test/test_data/questions-words.txt"),
                      Plain(f"{_GOOGLE}/questions-words.txt"))),
        *plain("analogy", _MSR, [
            ("msr.txt", 239_628, "6e8d8a1d83165250631e5d74689837ab11bd00b7547a1d5e7000fa8bb4e259ef"),
        ]),
    ),
    licence="not stated in the carrying repositories (Google set published with word2vec, Apache-2.0; MSR set "
    "distributed freely by Microsoft Research)",
    citation="Mikolov, Chen, Corrado & Dean (2013), Efficient Estimation of Word Representations in Vector Space; "
    "Mikolov, Yih & Zweig (2013), Linguistic Regularities in Continuous Space Word Representations, NAACL 2013",
    reader=Analogies({
        "questions-words": "analogy/questions-words.txt", "msr": "analogy/msr.txt",
    }),
    notes="171 repeated questions in questions-words.txt; 1,000 questions of msr.txt ask for a possessive ('s).",
)  # fmt: skip

VECEVAL_VOCABULARY = DataSet(
    id="veceval-vocabulary",
    title="Common vocabulary of the original evaluation",
    version="211c74b453dc",
    files=plain("veceval-vocabulary", _VECEVAL, [
        ("common_vocabulary.txt", 864_968, "1d2801900d0e202110ce8217db9e354b91aad52d7dab3ddb14b26c94c5680a87"),
    ]),
    licence="not stated",
    citation="Nayak, Angeli & Manning (2016), Evaluating Word Embeddings Using a Representative Suite of Practical "
    "Tasks, RepEval 2016",
    reader=listed_words({"all": "veceval-vocabulary/common_vocabulary.txt"}),
    notes="103,647 lower-cased words; the vectors of all other words make <unk> in veceval-2016.",
)  # fmt: skip

DATASETS = (
    WORD_SIM,
    SIMILARITY_DE_IT_RU,
    PARALEX,
    ANALOGY,
    VECEVAL_VOCABULARY,
)
