// The notice about data sets that are arriving: asked for again while the page is visible, until nothing is missing.
"use strict";
(() => {
  const EVERY = 3000;
  const ask = async () => {
    const now = document.getElementById("data");
    if (!now) return;
    if (!document.hidden) {
      try {
        const response = await fetch(now.dataset.source, { cache: "no-store" });
        const page = new DOMParser().parseFromString(response.ok ? await response.text() : "", "text/html");
        const next = page.getElementById("data");
        if (response.ok && !next) return now.remove();
        if (next && next.outerHTML !== now.outerHTML) now.replaceWith(document.adoptNode(next));
      } catch { /* restarting: ask again */ }
    }
    window.setTimeout(ask, EVERY);
  };
  window.setTimeout(ask, EVERY);
})();
