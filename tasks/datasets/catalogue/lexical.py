"""Oracles, priming times and metaphors: what word vectors are compared with beyond pairs and analogies."""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet, github, plain, published
from tasks.datasets.readers.lexical import Phrases, Priming, WordLists, oracle_words, related_word_pairs
from tasks.datasets.recipes import Assembled, Plain

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
    reader=oracle_words({name: f"qvec/{name}" for name in _ORACLES}),
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
    reader=related_word_pairs({
        f"{name}/{part}": f"lexical-relations/{name}/{part}.tsv"
        for name in ("ROOT09", "BLESS", "EVALution")
        for part in ("train", "val", "test")
    }),
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

DATASETS = (QVEC, SPP, METAPHOR_AN, LEXICAL_RELATIONS, WEAT)
