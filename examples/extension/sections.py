"""The section of the report page that leads to the page of this folder."""

from __future__ import annotations

from benchmark.reports.page import Section

# Only a link: a report is shown often, and reading vectors for it would slow it down.
SECTIONS = (Section("lengths", "Length of the words", lambda _: {}, "lengths/section.html"),)
