"""Documents and political text."""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet, github, plain, published
from tasks.datasets.readers.documents import JsonDocuments, NeighbourLists, ZippedDocuments
from tasks.datasets.recipes import Assembled, Published

_SOTU = github("statsmaths/sotu", "052215725abfb11663812ffdc7270001c34a46ec", "data")
_INAUGURAL = github("nltk/nltk_data", "5db857e6f7df11eabb5e5665836db9ec8df07e28", "packages/corpora")
_POLITICAL_NEIGHBOURS = github("prodriguezsosa/turingTT", "47aa47c6474cf350f28e4fd2ed389922becc2f71")
# Hosts of this archive have packed it differently; the files made from it are verified.
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

DATASETS = (NEWSGROUPS_20, SOTU, INAUGURAL, POLITICAL_NEIGHBOURS)
