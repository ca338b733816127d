// Polite polling: while the page is visible, every 3 seconds, then slower; stops at the end; the title shows the result.
"use strict";
(() => {
  const live = document.getElementById("live");
  const unreachable = document.getElementById("unreachable");
  const FIRST = 3000, SLOWEST = 30000, PATIENT_AFTER = 40;
  let asked = 0, failed = 0, timer = 0;

  const wait = () => {
    const slower = Math.max(0, asked - PATIENT_AFTER) * 500 + failed * 5000;
    timer = window.setTimeout(ask, Math.min(FIRST + slower, SLOWEST));
  };
  const finish = () => {
    for (const form of document.querySelectorAll("[data-open-only]")) form.remove();
  };
  const ask = async () => {
    if (document.hidden) return;
    asked += 1;
    try {
      const response = await fetch(live.dataset.source, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (response.status === 404) return window.location.reload();
      if (!response.ok) throw new Error(String(response.status));
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const next = page.getElementById("progress");
      const now = document.getElementById("progress");
      if (!next) return window.location.reload(); // an unfinished report is finished
      if (next.outerHTML !== now.outerHTML) now.replaceWith(document.adoptNode(next));
      document.title = `${next.querySelector("h2").textContent}: ${live.dataset.name} – Vecboard`;
      failed = 0;
      if (next.dataset.final === "yes") {
        unreachable.hidden = true;
        return finish();
      }
    } catch {
      failed += 1; // offline or restarting: retry with an increasing delay
    }
    unreachable.hidden = failed < 2;
    wait();
  };
  document.addEventListener("visibilitychange", () => {
    window.clearTimeout(timer);
    if (!document.hidden && document.querySelector("#progress[data-final=no]")) ask();
  });
  wait();
})();
