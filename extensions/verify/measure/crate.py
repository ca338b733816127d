"""Metadata of a bundle: an RO-Crate (version 1.2, https://w3id.org/ro/crate/1.2) and a citation in CFF 1.2."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from tasks.languages import tagged
from tasks.results import Report, json_text
from tasks.suite import Suite

METADATA = "ro-crate-metadata.json"
_SPECIFICATION, _REPOSITORY = "https://w3id.org/ro/crate/1.2", "https://github.com/vecboard/vecboard"
DEVELOPERS = "The Vecboard developers"
TERMS = "Data sets and vectors have their own terms; definitions.json names those of the data sets."


@dataclass(frozen=True)
class About:
    """Facts of a bundle that its report doesn't have: its date, and the URL of its page (empty without a site).

    ``author`` is the person whose measurement it is, ``vector_authors`` those of the vectors (empty: not stated).
    """

    published: date
    url: str = ""
    author: str = DEVELOPERS
    vector_authors: str = ""


def crate(report: Report, suite: Suite, about: About, files: Mapping[str, tuple[bytes, str, str]]) -> str:
    """The JSON-LD text, with size and SHA-256 of every file.

    Parameters
    ----------
    files : content, media type and description by name; the signature, which signs this text, has no content yet.
    """
    vectors, used = report.vectors, report.suite
    root: dict[str, object] = {
        "@id": "./", "@type": "Dataset", "name": title(report, suite), "datePublished": about.published.isoformat(),
        "description": "Scores, the outcome of every test example, what fixes each number, and hashes of the data sets "
        "and vectors, which are not part of it.",
        "license": {"@id": "#terms"}, "publisher": {"@id": "#vecboard"}, "mentions": {"@id": "#measurement"},
        "hasPart": [{"@id": name} for name in files],
    }  # fmt: skip
    graph = [
        {"@id": METADATA, "@type": "CreativeWork", "conformsTo": {"@id": _SPECIFICATION}, "about": {"@id": "./"}},
        root | ({"url": about.url} if about.url else {}),
        *(
            {"@id": name, "@type": "File", "name": name, "description": what, "encodingFormat": kind}
            | ({"contentSize": str(len(content)), "sha256": hashlib.sha256(content).hexdigest()} if content else {})
            for name, (content, kind, what) in files.items()
        ),
        {
            "@id": "#vectors", "@type": "CreativeWork", "name": vectors["name"],
            "inLanguage": tagged(vectors["language"]), "identifier": f"sha256:{vectors['sha256']}",
            **({"creditText": about.vector_authors} if about.vector_authors else {}),
        },
        {
            "@id": "#measurement", "@type": "CreateAction", "name": f"Measurement on {suite.title}",
            "creditText": about.author,
            "instrument": {"@id": _REPOSITORY}, "object": {"@id": "#vectors"}, "result": {"@id": "./"},
        },
        {
            "@id": _REPOSITORY, "@type": "SoftwareApplication", "name": f"Vecboard, {suite.title}", "url": _REPOSITORY,
            "version": f"{used['version']} ({used['hash']})",
        },
        {"@id": "#vecboard", "@type": "Organization", "name": "Vecboard", "url": _REPOSITORY},
        {"@id": "#terms", "@type": "CreativeWork", "name": "Terms of the sources", "description": TERMS},
    ]  # fmt: skip
    return json_text({"@context": f"{_SPECIFICATION}/context", "@graph": graph})


def citation(report: Report, suite: Suite, about: About) -> str:
    """The text of ``CITATION.cff``; its values are JSON's, which are valid YAML."""
    fields = {
        "cff-version": "1.2.0", "type": "dataset", "title": title(report, suite),
        "message": "Cite the report with its suite version, the papers of its tasks, and the vectors.",
        "authors": [{"name": about.author}], "date-released": about.published.isoformat(),
        "identifiers": [{"type": "other", "value": f"sha256:{report.vectors['sha256']}", "description": "vectors"}],
        "url": about.url or _REPOSITORY,
    }  # fmt: skip
    if about.vector_authors:
        vectors = {"type": "data", "title": report.vectors["name"], "authors": [{"name": about.vector_authors}]}
        fields["references"] = [vectors]
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())


def title(report: Report, suite: Suite) -> str:
    return f"Report of {report.vectors['name']} on {suite.title}, version {report.suite['version']}"
