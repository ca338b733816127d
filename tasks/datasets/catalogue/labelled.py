"""Tagged sentences, labelled texts and labelled pairs: the examples of the downstream tasks.

Licence-bound treebanks are here too: only the operator can supply them.
"""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet, Licensed, ZipMember, github, plain, published
from tasks.datasets.readers import InferencePairs, LineByLine, labelled_sentence, ppdb_pair, trec_question
from tasks.datasets.tagged import Columns, Conllu, TreebankPos

_EWT = github("UniversalDependencies/UD_English-EWT", "15d613d8447b3478787d4c278730a1e48a945efb")
_NLTK = github("nltk/nltk_data", "5db857e6f7df11eabb5e5665836db9ec8df07e28", "packages/corpora")
_WIKINEURAL = github("Babelscape/wikineural", "d2e28c770cba2b285e742529ae18ed849e336c65", "data/wikineural/en")
_SST = github("clairett/pytorch-sentiment-classification", "457ffd83de90a9d6d472d8ffc31bbffe40a8b236", "data/SST2")
_PPDB = github("paynesa/FinalCompositionality", "aaedc3313a96e9effa973f54dfe52948eff5af45")
_SNLI = github("academic-repository/cat", "9c98ebb0d26edad9a3c8e8a7314a867e1b451d81", "data/snli")
_ESNLI = github("OanaMariaCamburu/e-SNLI", "7b585a3f077fdea899780eb0473940522ae44a2e", "dataset/eSNLI")
_CONLL2000_ZIP, _QC_ZIP = published(_NLTK, [
    ("conll2000.zip", 756_607, "01e65164f268366e7caa0db92332a1955d081908c87016e2c7640c3c5279b7cd"),
    ("qc.zip", 125_456, "091fb01e50883014d150acb7d5013d787136968b3f955ae01725a65e7e80f304"),
])  # fmt: skip

UD_EWT = DataSet(
    id="ud-ewt",
    title="Universal Dependencies English Web Treebank",
    version="15d613d8447b",
    files=plain("ud-ewt", _EWT, [
        ("en_ewt-ud-train.conllu.gz", 14_203_025, "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b"),
        ("en_ewt-ud-dev.conllu", 1_805_545, "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6"),
        ("en_ewt-ud-test.conllu", 1_804_515, "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd"),
    ], notes=[
        ("LICENSE.txt", 20_014, "b3d1b0f4c6ae151f7eb78738f46ebd5ee140f8a7f76501ba26af123140d35ae7"),
    ]),
    licence="CC BY-SA 4.0",
    citation="Silveira et al. (2014), A Gold Standard Dependency Corpus for English, LREC 2014; Universal Dependencies",
    reader=Conllu({
        "train": ["ud-ewt/en_ewt-ud-train.conllu.gz"],
        "dev": ["ud-ewt/en_ewt-ud-dev.conllu"],
        "test": ["ud-ewt/en_ewt-ud-test.conllu"],
    }),
    notes="Multiword tokens (1-2) and empty nodes (8.1) are not words. The training file is stored gzipped.",
    homepage="https://universaldependencies.org/treebanks/en_ewt/",
)  # fmt: skip

CONLL_2000 = DataSet(
    id="conll2000",
    title="CoNLL-2000 shared task: text chunking",
    version="2000",
    files=(
        DataFile("conll2000/train.txt", 2_842_164, "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea",
                 ZipMember(_CONLL2000_ZIP, "conll2000/train.txt")),
        DataFile("conll2000/test.txt", 639_396, "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628",
                 ZipMember(_CONLL2000_ZIP, "conll2000/test.txt")),
        DataFile("conll2000/README", 14_343, "80395a26ff3d67e162d8c5ed4a7b9e71f8838677da04be57eeb8497b0d047633",
                 ZipMember(_CONLL2000_ZIP, "conll2000/README"), read=False),
    ),
    licence="not stated (annotation freely downloadable from the shared task's site; the words are from the Wall "
    "Street Journal part of the Penn Treebank, sections 15-18 and 20); redistributed by NLTK for research",
    citation="Tjong Kim Sang & Buchholz (2000), Introduction to the CoNLL-2000 Shared Task: Chunking, CoNLL",
    reader=Columns({
        "train": ["conll2000/train.txt"], "test": ["conll2000/test.txt"],
    }, count=3, word=0, tag=2, separator=" "),
    notes="Twelve test sentences also occur in train.",
)  # fmt: skip

WIKINEURAL_EN = DataSet(
    id="wikineural-en",
    title="WikiNEuRal English (val and test)",
    version="d2e28c770cba",
    files=plain("wikineural-en", _WIKINEURAL, [
        ("val.conllu", 2_815_514, "d5c2bbcbfd7092ab46057befabe071ee8c68b5b3a0623ca319874c019b6d560d"),
        ("test.conllu", 2_796_788, "088187d12574de9120f31fce908ce3c626b349b6b93f20886d5351b936ed0849"),
    ]),
    licence="CC BY-NC-SA 4.0 (non-commercial)",
    citation="Tedeschi, Maiorca, Campolungo, Cecconi & Navigli (2021), WikiNEuRal: Combined Neural and Knowledge-based "
    "Silver Data Creation for Multilingual NER, Findings of EMNLP 2021",
    reader=Columns({
        "val": ["wikineural-en/val.conllu"], "test": ["wikineural-en/test.conllu"],
    }, count=3, word=1, tag=2),
    notes="Silver labels: Wikipedia sentences annotated by machine. The published training file is not used.",
)  # fmt: skip

SST2 = DataSet(
    id="sst2",
    title="Stanford Sentiment Treebank, binary sentences (SST-2)",
    version="457ffd83de90",
    files=plain("sst2", _SST, [
        ("train.tsv", 720_259, "ec192f833a64da08f475488a77b0d0b47db47acd0f458bd18433fc793b569920"),
        ("dev.tsv", 92_057, "eddea6b39e601dd4e7a672b53cc40fdf6019fa80522f351206c24340ca5d9359"),
        ("test.tsv", 188_749, "831169c7e2e429d6026e1bdbb542f33b636e3e596caad9602ebc953c205928b7"),
    ]),
    licence="not stated (SST is distributed for research by Stanford; repository without licence)",
    citation="Socher et al. (2013), Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank, "
    "EMNLP 2013",
    reader=LineByLine({
        "train": "sst2/train.tsv", "dev": "sst2/dev.tsv", "test": "sst2/test.tsv",
    }, labelled_sentence),
    notes="Label 1 is positive, 0 negative. Hyphens are split. Two test sentences also occur in train.",
    homepage="https://nlp.stanford.edu/sentiment/",
)  # fmt: skip

TREC_QC = DataSet(
    id="trec-qc",
    title="TREC question classification (Li & Roth)",
    version="2002",
    files=(
        DataFile("trec-qc/train_5500.label", 335_858,
                 "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
                 ZipMember(_QC_ZIP, "qc/train.txt")),
        DataFile("trec-qc/TREC_10.label", 23_354, "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
                 ZipMember(_QC_ZIP, "qc/test.txt")),
        DataFile("trec-qc/README", 1_878, "850a450a50e13d8596d309169ae04cdac5546de61b8e2f414777b1a448ddbf34",
                 ZipMember(_QC_ZIP, "qc/README"), read=False),
    ),
    licence="not stated (freely downloadable for research from the authors' site; redistributed by NLTK)",
    citation="Li & Roth (2002), Learning Question Classifiers, COLING 2002; Li & Roth (2006), Learning question "
    "classifiers: the role of semantic information",
    reader=LineByLine({
        "train": "trec-qc/train_5500.label", "test": "trec-qc/TREC_10.label",
    }, trec_question, encoding="latin-1"),
    notes="Latin-1. 70 lines of train are repeated; ten test questions also occur in train. Label: the coarse class.",
)  # fmt: skip

PPDB_NLI = DataSet(
    id="ppdb-nli",
    title="PPDB 2.0 human paraphrase labels",
    version="2015",
    files=plain("ppdb-nli", _PPDB, [
        ("ppdb-sample.tsv", 1_367_916, "d7c6bcac64099352b32d18eb710bec8533e9b6663507aff1781e90df0082515d"),
    ], notes=[
        ("wiki-sample.tsv", 656_062, "2f6ed9c40de0505c490e956082d4fd2c0fa2ec3fea3a25295dbd5bec64f0c4cf"),
    ]),
    licence="not stated for the label files (PPDB itself is CC BY 3.0 US; the labels were distributed freely by the "
    "authors)",
    citation="Pavlick, Rastogi, Ganitkevitch, Van Durme & Callison-Burch (2015), PPDB 2.0, ACL 2015 (short papers)",
    reader=LineByLine({"all": "ppdb-nli/ppdb-sample.tsv"}, ppdb_pair),
    notes="Five judgements for most pairs, two to four for the others; the score is their mean. No published split.",
)  # fmt: skip

SNLI = DataSet(
    id="snli",
    title="Stanford Natural Language Inference: 20,000 pairs of train, and the official test",
    version="9c98ebb0d26e, 7b585a3f077f",
    files=(
        *plain("snli", _SNLI, [
            ("train.csv", 1_969_082, "f1bca476f3011e031e634862b2a42294a1e5bcd6187daae82b1187f529d60613"),
            ("test.csv", 220_911, "89d5aa158b10c3212c6f1c59e3996327e7c6ee6ea83da2527c99ee5a4817326a"),
        ]),
        *plain("snli", _ESNLI, [
            ("s1.test", 738_834, "62cb8107dc3c56a4376e5e521842be24e0d61c92c346b94917da2bbf2a47d8be"),
            ("s2.test", 398_274, "1174f3ad30a3c30fc0f9eeffc1b3b6a79e0514026c5a658968a8e2a324b311a1"),
            ("labels.test", 108_118, "e25c363e5cc70d5494d6e6555d8053eced22dca836e0f03067530eaad3d4f5f5"),
        ]),
    ),
    licence="CC BY-SA 4.0 (captions of Flickr30k); the repositories that carry these copies state Apache-2.0 (cat) and "
    "MIT (e-SNLI) for their own work",
    citation="Bowman, Angeli, Potts & Manning (2015), A large annotated corpus for learning natural language "
    "inference, EMNLP 2015",
    reader=InferencePairs(
        {"train": "snli/train.csv", "dev": "snli/test.csv"},
        {"test": ("snli/s1.test", "snli/s2.test", "snli/labels.test")},
        {"1": "neutral", "2": "contradiction", "3": "entailment"},
    ),
    notes="Both .csv files are from the official train part; how they were drawn is not stated. They are raw text, the "
    "test is published in tokens; one rule splits both, and changes 14 of the 19,648 published texts. Quotation marks "
    "are straight. One premise of train is also in test, 274 of dev are also in train.",
    homepage="https://nlp.stanford.edu/projects/snli/",
)  # fmt: skip


_SECTIONS = {"train": range(19), "dev": range(19, 22), "test": range(22, 25)}
_WSJ_WHERE = Licensed(
    "it is licensed by the Linguistic Data Consortium (LDC99T42, Treebank-3). Put the .pos files of "
    "tagged/pos/wsj below "
    "the data directory as wsj-pos/00/wsj_0001.pos to wsj-pos/24/wsj_2454.pos; see docs/data.md."
)
_CONLL_WHERE = Licensed(
    "its text (Reuters Corpus RCV1) is licensed by NIST. Put eng.train, eng.testa and eng.testb below the data "
    "directory "
    "as conll2003/eng.train and so on; see docs/data.md."
)

WSJ_POS = DataSet(
    id="wsj-pos",
    title="Wall Street Journal part-of-speech tags (Penn Treebank 3)",
    version="LDC99T42",
    files=tuple(DataFile(f"wsj-pos/{section:02d}/*.pos", None, None, _WSJ_WHERE) for section in range(25)),
    licence="LDC User Agreement (Treebank-3, LDC99T42); not redistributable",
    citation="Marcus, Santorini & Marcinkiewicz (1993), Building a Large Annotated Corpus of English, Computational "
    "Linguistics 19(2); universal tags: Petrov, Das & McDonald (2012), LREC",
    reader=TreebankPos(
        {part: [f"wsj-pos/{section:02d}/*.pos" for section in sections] for part, sections in _SECTIONS.items()},
    ),
    notes="Sections 0-18, 19-21 and 22-24 are train, dev and test. Tags are mapped to the 12 universal ones.",
    homepage="https://catalog.ldc.upenn.edu/LDC99T42",
    revision=2,
)

CONLL_2003 = DataSet(
    id="conll2003",
    title="CoNLL-2003 named entities, English",
    version="2003",
    files=tuple(
        DataFile(f"conll2003/{name}", None, None, _CONLL_WHERE) for name in ("eng.train", "eng.testa", "eng.testb")
    ),
    licence="Reuters Corpus agreement with NIST (text); not redistributable",
    citation="Tjong Kim Sang & De Meulder (2003), Introduction to the CoNLL-2003 Shared Task: "
    "Language-Independent Named "
    "Entity Recognition, CoNLL 2003",
    reader=Columns(
        {"train": ["conll2003/eng.train"], "dev": ["conll2003/eng.testa"], "test": ["conll2003/eng.testb"]},
        count=4,
        word=0,
        tag=3,
        separator=" ",
        skip="-DOCSTART-",
        iob1=True,
    ),
    notes="Four columns: word, POS, chunk, entity. Tags are converted from IOB1 to IOB2; -DOCSTART- lines are not "
    "tokens.",
    homepage="https://www.clips.uantwerpen.be/conll2003/ner/",
)

DATASETS = (UD_EWT, CONLL_2000, WIKINEURAL_EN, SST2, TREC_QC, PPDB_NLI, SNLI, WSJ_POS, CONLL_2003)
