"""Phrases that a reader of English stumbles over do not come back: in pages, documentation, code and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("benchmark", "extensions", "plots", "research", "static/js", "tasks", "tests", "vecboard", "workers")
LEFT_OUT = {
    "tasks/datasets/demo_words.txt": "lists of words, told among them",
    "tests/test_wording.py": "the phrases themselves",
}
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)

PHRASES = {
    "anew": "again",
    "whoever": "anyone who, the person who",
    "whosever": "whoever's, no matter whose",
    "for ever": "forever, or say until when",
    "told": "shown, reported, given",
    "is no": "is not a",
    "can not": "cannot",
    "oftener": "more often",
    "frozen boards": "permanent links",
    "headline figure": "headline score",
    "second figure": "second score",
    "had better": "should",
    "turned round": "reversed",
    "beside it": "next to it, also",
    "at best and at worst": "the bounds of",
    "mean harm": "are malicious",
    "gives rights to": "allows, controls",
}
"""What not to write, and what to write instead."""
EXAMPLES = {
    "anew": "it is computed anew",
    "whoever": "Whoever has the link",
    "whosever": "whosever the entries",
    "for ever": "kept for ever",
    "told": "the error is told with its line",
    "is no": "this is no number",
    "can not": "it can not be read",
    "oftener": "drawn oftener",
    "frozen boards": "the values of frozen boards",
    "headline figure": "the headline figure is a share",
    "second figure": "a second figure counts them",
    "had better": "had better send at once",
    "turned round": "a score that is turned round",
    "beside it": "with its criteria beside it",
    "at best and at worst": "seconds to the end, at best and at worst",
    "mean harm": "archives that mean harm",
    "gives rights to": "what the header gives rights to",
}
FINE = (
    "two entries that cannot be told apart, nor told\n    apart by a test",
    "there is no score, and there\n    are no figures; it is no longer there; a page is no wider than a screen",
    "a name that nobody renewed; forever; the canned text",
)
_IS_NO = re.compile(
    r"(\bthere\s+)?\b(?:is|are)\s+no\s+(?!(?:longer|more|less|better|worse|greater|wider)\b)\w", re.IGNORECASE
)


def places(phrase: str, text: str) -> list[int]:
    """The lines on which the phrase begins."""
    if phrase.split()[-1] not in text.lower():
        return []
    if phrase == "is no":
        starts = [match.start() for match in _IS_NO.finditer(text) if match[1] is None]
    else:
        after = r"(?!\s+apart\b)" if phrase == "told" else ""
        words = r"\s+".join(phrase.split())
        starts = [match.start() for match in re.finditer(rf"\b{words}\b{after}", text, re.IGNORECASE)]
    return [text.count("\n", 0, start) + 1 for start in starts]


def prose(path: Path) -> str:
    """The text of a file with its lines in place; blocks in pages of the documentation are left out."""
    text = path.read_text(encoding="utf-8")
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text) if path.suffix == ".md" else text


def written() -> Iterator[Path]:
    """Every file with sentences of ours."""
    yield from sorted(ROOT.glob("*.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))
    yield from sorted(path for path in (ROOT / ".github").rglob("*") if path.suffix in (".md", ".yml"))
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".html", ".js", ".py", ".txt") and not {"migrations", "vendor"} & set(path.parts):
                yield path


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_found_on_its_line(phrase: str) -> None:
    assert places(phrase, f"first\n{EXAMPLES[phrase]}\n") == [2]
    assert [text for text in FINE if places(phrase, text)] == []


def test_no_sentence_has_a_phrase_that_readers_stumble_over() -> None:
    found = [
        f"{name}:{line}: “{phrase}”; write {better}"
        for path in written()
        if (name := path.relative_to(ROOT).as_posix()) not in LEFT_OUT
        for phrase, better in PHRASES.items()
        for line in places(phrase, prose(path))
    ]
    assert found == []


def test_files_that_are_left_out_exist() -> None:
    assert [name for name in LEFT_OUT if not (ROOT / name).is_file()] == []
