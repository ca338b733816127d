"""The sections of the report page, in order; each is a declaration in a module and a template.

Those of features follow the word tasks.
"""

from __future__ import annotations

from benchmark.features import modules
from benchmark.reports.page import Section
from benchmark.reports.sections.downstream import CLASSES, LEARNING, UNKNOWN_WORDS
from benchmark.reports.sections.political import POLITICAL
from benchmark.reports.sections.reuse import DATA_SETS
from benchmark.reports.sections.word_tasks import ASSOCIATIONS, WORD_TASKS

SECTIONS: tuple[Section, ...] = (
    WORD_TASKS,
    POLITICAL,
    ASSOCIATIONS,
    *(section for module in modules("sections") for section in module.SECTIONS),
    LEARNING,
    CLASSES,
    UNKNOWN_WORDS,
    DATA_SETS,
)
if len({section.slug for section in SECTIONS}) < len(SECTIONS):
    raise ValueError("Two sections of the report have the same slug.")
