"""Word pairs, analogy questions, word lists, oracles, priming times and metaphors."""

from __future__ import annotations

from tasks.datasets.dataset import Assembled, DataFile, DataSet, Packaged, Plain, Twin, github, plain, published
from tasks.datasets.readers import (
    Analogies,
    LineByLine,
    Phrases,
    Priming,
    WordGroups,
    WordLists,
    listed_word,
    oracle_word,
    related_words,
    scored_pair,
)

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
    reader=LineByLine({
        name.removesuffix(".txt"): f"word-sim/{name}" for name, _, _ in _WORD_SIM_FILES
    }, scored_pair),
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
    reader=LineByLine({
        f"{name}-{code}": f"similarity-de-it-ru/{file.format(language)}.txt"
        for code, language in {"de": "german", "it": "italian", "ru": "russian"}.items()
        for name, file in {
            "simlex-999": "simlex-{}", "ws-353-all": "wordsim353-{}", "ws-353-rel": "wordsim353-{}-rel",
            "ws-353-sim": "wordsim353-{}-sim",
        }.items()
    }, scored_pair, heading=True),
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
    reader=LineByLine({"all": "veceval-vocabulary/common_vocabulary.txt"}, listed_word),
    notes="103,647 lower-cased words; the vectors of all other words make <unk> in veceval-2016.",
)  # fmt: skip


_QVEC = github("ytsvetko/qvec", "b341c520f21a0d165442fba607070fb415ea22b6", "oracles")
_QVEC_2 = github("ytsvetko/qvec", "b341c520f21a0d165442fba607070fb415ea22b6")
_SPP = github("doomlab/SPP-Analysis", "c1d034e96fd6620215ad4c694f4c94ef28b54548", "datasets")
_SPP_FOLDS = github("JomnTAL/spp-wordsim", "854f9e36385714b7519183f93ded806d70900301", "data/folds")
_LEXNET = github("vered1986/LexNET", "4beb38119bd7bc367154f56e2e16012420959717", "datasets")
_METAPHOR_AN = github("ytsvetko/metaphor", "6eff584b8a61d89378dd21a1e18387b1bda884aa", "resources/AdjN")
_METAPHOR_AN_2 = github("ytsvetko/metaphor", "6eff584b8a61d89378dd21a1e18387b1bda884aa", "input")
_ORACLES = (
    "ptb.pos_tags",
    "semcor_noun_verb.supersenses.da",
    "semcor_noun_verb.supersenses.en",
    "semcor_noun_verb.supersenses.it",
)

_PRIMING_TABLES = (
    ("assoc_relatedLDT.csv", 433_512, "4edc489e155e5350f236d2c4d365bdc8de2209dd42aa7577300238d97f3dc3de"),
    ("assoc_relatedN.csv", 423_678, "5d761ad5eba7574ae0dabcb55321faa892eb9da9e710467bffe839d34f795445"),
    ("other_assoc_relatedLDT.csv", 436_907, "13a1e740dd4a72ec99578462e3db8c0df7a39fa958497e5ca45d5970328e5834"),
    ("other_assoc_relatedN.csv", 427_052, "d12e966a5dd775f15f2983e8124936788192d1f73f340f4c0c93e605f0684c4c"),
    ("items_spreadsheet.xls", 2_003_456, "5be9ec47626ce02a26fbb2e3b04e42cbb786b9ee26840009ab03c27a2249a179"),
)
_PRIMING_FOLDS = (
    ("fold_0.csv", 9_733, "975815b0e2d7cda21c0c9b469bd8a92c0c9bcc6abeb6f63e378078c94ce32346"),
    ("fold_1.csv", 9_725, "cd03803cde6ca68dd0e346b7c7471b7f411f12743e2488ff2022fa718c0d8436"),
    ("fold_2.csv", 9_600, "732d9a434887ebf279a9c04ff4d4bd077403552ec21df96e6868b656d8c3d0e2"),
    ("fold_3.csv", 9_642, "0f29706b7a12a433ffa5bccf5d09700324f2eacfe2b4762a1c44452cf978bfb2"),
    ("fold_4.csv", 9_719, "a1ab711f04cd07a01fd8be1b30d9cad379e3567bff41234642bc66f47a71d04d"),
    ("fold_5.csv", 9_620, "ac65f844d44b3abdde965db93a19faa3cfb2295c7158e92cad946143dae070b0"),
    ("fold_6.csv", 9_648, "f471923aad434bc4c61186a4972f0746c9b7be88b6227a143899743dce51bc19"),
    ("fold_7.csv", 9_678, "0fcd5677ae6934f75fc4f9cc700679578fc24ca0e708d686b2ce287d7960bb80"),
    ("fold_8.csv", 9_733, "2abdedfe63c64afa35c43f07a2cc30247402c2bed39311d297640fa3310fd559"),
    ("fold_9.csv", 9_729, "c8632fd800b6d0c47d97659b8250c2dfc2aa0cbdb550f391b449c023acc13cce"),
)

QVEC = DataSet(
    id="qvec",
    title="QVEC linguistic oracles",
    version="b341c520f21a",
    files=(
        *plain("qvec", _QVEC, [
            ("ptb.pos_tags", 520_599, "644f0199ea6b402bf7006200480e03733a59180b96f25c1be6c5e333b0201ed8"),
            ("semcor_noun_verb.supersenses.da", 482_735,
             "ba907d6dfe066f6260f5128605798deab127f7a1519f09619dede9a1bdcf598e"),
            ("semcor_noun_verb.supersenses.en", 442_048,
             "faf61ff5c7e73c641cd0725b569c849c0dd2e9c22e42e056c09d3548bc445394"),
            ("semcor_noun_verb.supersenses.it", 604_162,
             "3d2ddfb57a7b6edbe054e641e34796a674c749d451626e3b1c7463acbe3c6b1c"),
        ]),
        *plain("qvec", _QVEC_2, notes=[
            ("LICENSE.md", 25_313, "a221a27af5e4ef5a9cecce097c718c28f1aaf7d368cb57c994aa447c68d9defc"),
            ("README.md", 2_108, "5fc74d13abca83bcb11fc6ef0baa041315a5506283405fb4cf37651f546fab4e"),
        ]),
    ),
    licence="ODbL 1.0 (Open Database License, repository LICENSE.md)",
    citation="Tsvetkov, Faruqui, Ling, Lample & Dyer (2015), Evaluation of Word Vector Representations by Subspace "
    "Alignment, EMNLP 2015",
    reader=LineByLine({name: f"qvec/{name}" for name in _ORACLES}, oracle_word),
    notes="One linguistic feature vector per word; the weights of a word sum to 1.",
)  # fmt: skip

SPP = DataSet(
    id="spp",
    title="Semantic Priming Project, by-item lexical decision and naming times",
    version="c1d034e96fd6",
    files=(
        DataFile("spp/derived/spp_by_item.csv", 1_096_045,
                 "62e174e0707fafd857bc80c2a728dc5c58f1097b9526ea37a0a3bedfa671cd8f", Assembled(
                     published(_SPP, _PRIMING_TABLES) + published(_SPP_FOLDS, _PRIMING_FOLDS), "priming-table")),
    ),
    licence="not stated (data made freely available for research by the authors; the repositories that carry them, "
    "SPP-Analysis and spp-wordsim, are GPL-3.0)",
    citation="Hutchison, Balota, Neely, Cortese, Cohen-Shikora, Tse, Yap, Bengson, Niemeyer & Buchanan (2013), The "
    "semantic priming project, Behavior Research Methods 45; folds: Auguste, Rey & Favre (2017), Evaluation "
    "of word embeddings against cognitive processes, RepEval 2017",
    reader=Priming("spp/derived/spp_by_item.csv"),
    notes="One row per target and condition, computed from 15 published files. 13 (200 ms) and 11 (1200 ms) naming "
    "values are missing.",
)  # fmt: skip

METAPHOR_AN = DataSet(
    id="metaphor-an",
    title="Metaphorical and literal adjective-noun pairs",
    version="6eff584b8a61",
    files=(
        *plain("metaphor-an", _METAPHOR_AN, [
            ("training_adj_noun_met_en.txt", 13_607,
             "df307adff65c0be85f70e7783b063d73d68f10869b3264fc1f7b962fd5ea2cd8"),
            ("training_adj_noun_nonmet_en.txt", 12_505,
             "b569421d81db6e4ae6efff4e016d49d958f01146d8e097188a001a037dfa03e0"),
        ]),
        DataFile("metaphor-an/AdjN-README", 590, "869deee407d49d90dcf0f0963f653d80c66b23bcf724c51c173b00373e968df1",
                 Plain(f"{_METAPHOR_AN}/README"), read=False),
        *plain("metaphor-an", _METAPHOR_AN_2, [
            ("an_mets.txt", 1_330, "1d79dc90a38414d08484e3e1408e5e930e8082f1cf4faacb23e4aaa497ad7ead"),
            ("an_nonmets.txt", 1_230, "949e080fb6b793d7ca52547ca7bbf096ba4c49bb689793ae4c93a5f3f0e09cd2"),
        ]),
        DataFile("metaphor-an/input-README", 1_724, "9dc3d79e0b1892433c4363c745f0f7a34fe3d48299b555b8dacf207809305265",
                 Plain(f"{_METAPHOR_AN_2}/README"), read=False),
        *plain("metaphor-an", _METAPHOR_AN_2, [
            ("svo_mets.txt", 2_365, "c18e384c2058f29e7f599119f3cb203283062ece84205980fe9693c450f7364b"),
            ("svo_nonmets.txt", 2_102, "387f82150b154668d1e49fb8b8586cf38c1d3bbb89b8b1d714763444ee2ea011"),
        ]),
    ),
    licence="ODbL 1.0 (Open Database License, repository LICENSE.md)",
    citation="Tsvetkov, Boytsov, Gershman, Nyberg & Dyer (2014), Metaphor Detection with Cross-Lingual Model Transfer,"
    " ACL 2014",
    reader=Phrases({
        "train": {
            "metaphorical": "metaphor-an/training_adj_noun_met_en.txt",
            "literal": "metaphor-an/training_adj_noun_nonmet_en.txt",
        },
        "test": {"metaphorical": "metaphor-an/an_mets.txt", "literal": "metaphor-an/an_nonmets.txt"},
        "svo": {"metaphorical": "metaphor-an/svo_mets.txt", "literal": "metaphor-an/svo_nonmets.txt"},
    }),
    notes="The literal training list has 879 lines although its README says 884; 18 of the 200 test pairs occur in "
    "train.",
)  # fmt: skip

LEXICAL_RELATIONS = DataSet(
    id="lexical-relations",
    title="Word pairs with their semantic relation: ROOT09, BLESS, EVALution",
    version="4beb38119bd7",
    files=plain("lexical-relations", _LEXNET, [
        ("BLESS/train.tsv", 375_418, "b263f0e9e149d46e9041c58d05450888b310ae53c74d8b7c7ae6560d976c63b5"),
        ("BLESS/val.tsv", 26_772, "0dc10e33b07b68df6f6417c9b0cf6bc6e0cdb3a8dc2eb0f6c8e33063a8ca87e7"),
        ("BLESS/test.tsv", 133_937, "d0aa1bc1a5f011bd33d8602427365c77d8654fc3cf7c83ca7bf5d9f6b61a0c11"),
        ("EVALution/train.tsv", 102_968, "c0c0b543d4c04e6ff2b008281c0fd4d31a8b274d92edf1c9dcf67c54a9278680"),
        ("EVALution/val.tsv", 7_461, "b589816890ea53f3066c9298012aeb88441f53099335d5ee7e8607975a8fbb7e"),
        ("EVALution/test.tsv", 37_123, "e18e71b687a389ad7efcc1a0750e1fbf6c175a5a4f1497f6429ed7a33289e683"),
        ("ROOT09/train.tsv", 184_829, "a6ef6425da3ae382c4e627effe90209af4dff73d51e959831d4e1d0f974ddf75"),
        ("ROOT09/val.tsv", 13_351, "859c24559045d5519336410fccc90534fa78d8566126fecc970cc64569c8a485"),
        ("ROOT09/test.tsv", 66_121, "ac90719e645eb180415ecca22ca0c772d076f738bfef47971345ea914c6238c5"),
    ]),
    licence="repository: Apache-2.0; the single sets: authors' terms, not stated here",
    citation="Santus, Lenci, Chiu, Lu & Huang (2016), Nine Features in a Random Forest to Learn Taxonomical Semantic "
    "Relations (ROOT09), LREC; Baroni & Lenci (2011), How We BLESSed Distributional Semantic Evaluation, GEMS; Santus, "
    "Yung, Lenci & Huang (2015), EVALution 1.0, LDL; files: Shwartz & Dagan (2016), CogALex-V",
    reader=LineByLine({
        f"{name}/{part}": f"lexical-relations/{name}/{part}.tsv"
        for name in ("ROOT09", "BLESS", "EVALution")
        for part in ("train", "val", "test")
    }, related_words),
    notes="The three published parts share words, so each set is read as one part and divided by word (see the task). "
    "Relations have different names in the three sets; some words are capitalised or have spaces or hyphens.",
)  # fmt: skip

WEAT = DataSet(
    id="weat",
    title="Word lists of the Word Embedding Association Test",
    version="1998132a3e80",
    files=plain("weat", github("dccuchile/wefe", "1998132a3e809481a7456d952f7473d191990946", "wefe/datasets/data"), [
        ("WEAT.json", 7_255, "1a4a448a1825b29c67a7ebb7733343084b015f5b8ed720b2d9e193840a3d49a1"),
    ]),
    licence="MIT (repository of the files)",
    citation="Caliskan, Bryson & Narayanan (2017), Semantics derived automatically from language corpora contain "
    "human-like biases, Science 356",
    reader=WordLists("weat/WEAT.json"),
    notes="The lists of tests 1 to 10. Names that the source left out as too rare are left out here too.",
)  # fmt: skip

DATASETS = (
    WORD_SIM,
    SIMILARITY_DE_IT_RU,
    PARALEX,
    ANALOGY,
    VECEVAL_VOCABULARY,
    QVEC,
    SPP,
    METAPHOR_AN,
    LEXICAL_RELATIONS,
    WEAT,
)
