// Polite polling: while the page is visible, every 3 seconds, then slower; stops at the end; the title shows the result.
"use strict";
(() => {
  const live = document.getElementById("live");
  const unreachable = document.getElementById("unreachable");
  const said = document.getElementById("said");
  const FIRST = 3000, SLOWEST = 30000, PATIENT_AFTER = 40;
  let asked = 0, failed = 0, timer = 0, heard = document.getElementById("progress").dataset.said;

  const wait = () => {
    const slower = Math.max(0, asked - PATIENT_AFTER) * 500 + failed * 5000;
    timer = window.setTimeout(ask, Math.min(FIRST + slower, SLOWEST));
  };
  const finish = () => {
    for (const form of document.querySelectorAll("[data-open-only]")) form.remove();
  };
  // Only parts that changed are replaced, so that focus, selection and opened reasons stay.
  const parts = (section) => [...section.querySelectorAll("[data-part]")];
  const plain = (part) => part.outerHTML.replaceAll(' open=""', "");
  const frame = (section) => {
    const copy = section.cloneNode(true);
    copy.removeAttribute("data-said");
    for (const part of parts(copy)) part.replaceWith(part.dataset.part);
    return copy.outerHTML;
  };
  const heading = () => document.querySelector("#progress h2");
  const show = (now, next) => {
    if (frame(now) !== frame(next)) {
      const has_focus = document.activeElement === heading();
      now.replaceWith(document.importNode(next, true));
      return has_focus && heading().focus();
    }
    const shown = parts(now);
    parts(next).forEach((part, i) => { if (plain(part) !== plain(shown[i])) shown[i].replaceWith(document.importNode(part, true)); });
  };
  const say = (text) => { // the only live region: the state and each quarter of the work
    if (said && text !== heard) said.textContent = text;
    heard = text;
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
      show(now, next);
      say(next.dataset.said);
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
  if (new URLSearchParams(window.location.search).has("new")) heading().focus();
  wait();
})();
