"""The section of the report page that links the forms of others."""

from __future__ import annotations

from benchmark.reports.page import Section

# Nothing but links: the texts themselves would be a twentieth of the page.
SECTIONS = (Section("other-forms", "Model card and other forms", lambda _: {}, "exports/section.html", place="share"),)
