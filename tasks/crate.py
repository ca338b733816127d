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
REPOSITORY = "https://github.com/vecboard/vecboard"
_SPECIFICATION = "https://w3id.org/ro/crate/1.2"
TERMS = (
    "The data sets and the vectors have their own terms, named in definitions.json and on the pages of their sources; "
    "no other licence is stated for the figures and outcomes."
)


@dataclass(frozen=True)
class About:
    """Facts of a bundle that its report doesn't have.

    Parameters
    ----------
    published : date of the report.
    url : of the report's page; empty without a site.
    """

    published: date
    url: str = ""


def crate(report: Report, suite: Suite, about: About, files: Mapping[str, tuple[bytes, str, str]]) -> str:
    """The JSON-LD text, with size and SHA-256 of every file.

    Parameters
    ----------
    files : content, media type and description by name; content that is empty has no hash (the signature, which signs
        this text).
    """
    vectors, used = report.vectors, report.suite
    named = [
        {"@id": name, "@type": "File", "name": name, "description": what, "encodingFormat": kind}
        | ({"contentSize": str(len(content)), "sha256": hashlib.sha256(content).hexdigest()} if content else {})
        for name, (content, kind, what) in files.items()
    ]
    parts = [{"@id": name} for name in files]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": _title(report, suite),
        "description": f"Scores of {vectors['name']} on {suite.title}, version {used['version']}, with the outcome of "
        "every test example, the definitions that fix each number, and hashes of the data sets and vectors. "
        "The vectors are not part of it.",
        "datePublished": about.published.isoformat(),
        "license": {"@id": "#terms"},
        "publisher": {"@id": "#vecboard"},
        "hasPart": parts,
        "mentions": {"@id": "#measurement"},
    } | ({"url": about.url} if about.url else {})
    graph: list[Mapping[str, object]] = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _SPECIFICATION},
            "about": {"@id": "./"},
        },
        root,
        *named,
        {
            "@id": "#vectors",
            "@type": "CreativeWork",
            "name": vectors["name"],
            "description": f"{vectors['words']:,} words of {vectors['dimensions']:,} dimensions",
            "inLanguage": tagged(vectors["language"]),
            "identifier": f"sha256:{vectors['sha256']}",
        },
        {
            "@id": "#measurement",
            "@type": "CreateAction",
            "name": f"Measurement on {suite.title}",
            "instrument": {"@id": REPOSITORY},
            "object": {"@id": "#vectors"},
            "result": parts[:2],
        },
        {
            "@id": REPOSITORY,
            "@type": "SoftwareApplication",
            "name": f"Vecboard, {suite.title}",
            "version": f"{used['version']} ({used['hash']})",
            "url": REPOSITORY,
        },
        {"@id": "#vecboard", "@type": "Organization", "name": "Vecboard", "url": REPOSITORY},
        {"@id": "#terms", "@type": "CreativeWork", "name": "Terms of the sources", "description": TERMS},
    ]
    return json_text({"@context": f"{_SPECIFICATION}/context", "@graph": graph})


def citation(report: Report, suite: Suite, about: About) -> str:
    """The text of ``CITATION.cff``; strings are JSON's, which are valid YAML."""
    fields = {
        "cff-version": "1.2.0",
        "message": "Cite the report with its suite version, the papers of its tasks, and the vectors.",
        "type": "dataset",
        "title": _title(report, suite),
        "authors": [{"name": "The Vecboard developers"}],
        "date-released": about.published.isoformat(),
        "repository-code": REPOSITORY,
        "identifiers": [{"type": "other", "value": f"sha256:{report.vectors['sha256']}", "description": "vectors"}],
    } | ({"url": about.url} if about.url else {})
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())


def _title(report: Report, suite: Suite) -> str:
    return f"Report of {report.vectors['name']} on {suite.title}, version {report.suite['version']}"
