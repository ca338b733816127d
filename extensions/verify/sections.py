"""The section of the report page with the bundle."""

from __future__ import annotations

from benchmark.reports.page import Section

SECTIONS = (Section("bundle", "Bundle", lambda _: {}, "verify/section.html", place="share"),)
