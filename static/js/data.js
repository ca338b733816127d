// Polls the notice about missing data sets while the page is visible, less often while nothing changes.
"use strict";
(() => {
  const FIRST = 3000, SLOWEST = 30000;
  let pause = FIRST;
  const ask = async () => {
    const now = document.getElementById("data");
    if (!now) return;
    if (!document.hidden) {
      try {
        const response = await fetch(now.dataset.source, { cache: "no-store" });
        const page = new DOMParser().parseFromString(response.ok ? await response.text() : "", "text/html");
        const next = page.getElementById("data");
        if (response.ok && !next) return now.remove();
        const changed = next && next.outerHTML !== now.outerHTML;
        if (changed) now.replaceWith(document.adoptNode(next));
        pause = changed ? FIRST : Math.min(pause * 1.5, SLOWEST);
      } catch { /* the site is restarting; try again */ }
    }
    window.setTimeout(ask, pause);
  };
  window.setTimeout(ask, pause);
})();
