// Polls results that a worker computes, while the page is visible; less often while nothing changes. The page keeps its place.
"use strict";
(() => {
  const notice = document.querySelector("[data-waiting]");
  if (!notice) return;
  const FIRST = 1000, SLOWEST = 15000;
  const source = notice.dataset.waiting || window.location.href;
  let pause = FIRST;
  const places = (part) => [...part.querySelectorAll("a, button, summary, [tabindex]")];
  const show = (next) => {
    const now = document.getElementById("result");
    if (next.outerHTML === now.outerHTML) return false;
    const focused = places(now).indexOf(document.activeElement);
    const open = [...now.querySelectorAll("details")].map((one) => one.open);
    now.replaceWith(document.adoptNode(next));
    next.querySelectorAll("details").forEach((one, nth) => { one.open = open[nth] ?? one.open; });
    if (focused >= 0) places(next)[focused]?.focus({ preventScroll: true });
    return true;
  };
  const ask = async () => {
    if (document.hidden) return window.setTimeout(ask, FIRST);
    try {
      const response = await fetch(source, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (response.status === 404) return window.location.reload();
      if (!response.ok) throw new Error(String(response.status));
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const result = page.getElementById("result");
      if (!result) return window.location.reload(); // a refusal, or an answer, which the page shows in another place
      pause = show(result) ? FIRST : Math.min(pause * 1.4, SLOWEST);
      const next = page.querySelector("[data-waiting]");
      if (!next) { // said to screen readers only: the answer itself begins with its verdict
        notice.textContent = notice.dataset.done;
        return notice.classList.replace("notice", "hidden");
      }
      if (next.textContent !== notice.textContent) notice.textContent = next.textContent;
    } catch {
      pause = Math.min(pause * 2, SLOWEST); // offline or restarting
    }
    window.setTimeout(ask, pause);
  };
  window.setTimeout(ask, pause);
})();
