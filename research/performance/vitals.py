"""Largest paint, layout shift and slowest click of six pages of a running site.

    python -m research.performance.vitals http://127.0.0.1:8000

Needs Chromium and the packages of the tests. Each page is opened in a new context, then every fold in sight is clicked.
"""

from __future__ import annotations

import shutil
import sys

PAGES = {
    "board": "/", "report": "/r/{0}", "comparison": "/compare?e={0}&e={1}", "find": "/find", "study": "/study",
    "practice": "/practice",
}  # fmt: skip
OBSERVE = """
window.vitals = {lcp: 0, cls: 0, inp: 0};
const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note))
  .observe({type, buffered: true, durationThreshold: 16});
observe("largest-contentful-paint", (paint) => vitals.lcp = paint.startTime);
observe("layout-shift", (shift) => vitals.cls += shift.hadRecentInput ? 0 : shift.value);
observe("event", (event) => vitals.inp = event.interactionId ? Math.max(vitals.inp, event.duration) : vitals.inp);
"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(vitals), 100)))"
MOST_CLICKS = 6


def main(site: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        print(f"{'page':12} {'LCP ms':>7} {'CLS':>7} {'INP ms':>7}")
        ids: list[str] = []
        for name, path in PAGES.items():
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.add_init_script(OBSERVE)
            page.goto(site + path.format(*ids), wait_until="load")
            if not ids:
                links = page.locator(".board tbody th a").evaluate_all("links => links.map(link => link.pathname)")
                ids = [link.rpartition("/")[2] for link in links[:2]]
            vitals = page.evaluate(SETTLED)  # a click ends the observation of paints
            for fold in page.locator("main summary:visible").all()[:MOST_CLICKS]:
                fold.click()
                vitals["inp"] = page.evaluate(SETTLED)["inp"]
            print(f"{name:12} {vitals['lcp']:7.0f} {vitals['cls']:7.3f} {vitals['inp']:7.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
