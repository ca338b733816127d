// A rater's page: arrow keys choose; an answer is resent after a lost connection; drafts are kept.
"use strict";
(() => {
  const RETRY = 2000;
  const offline = document.getElementById("offline");
  let shown = performance.now();
  let sending = false;

  const begin = () => {
    shown = performance.now();
    sending = false;
    const form = document.querySelector("form[data-draft]");
    if (form) restore(form);
    const field = document.querySelector("[aria-invalid=true]") || document.querySelector(".words input");
    field?.focus();
    return Boolean(field);
  };

  // Where there is no text field, focusing the heading tells a screen reader that the page has changed.
  const announce = () => {
    const heading = document.querySelector("#main h1");
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };

  // Unsaved input is kept in this tab.
  const draftKey = (form) => `draft-${form.dataset.draft}`;
  const restore = (form) => {
    let draft = {};
    try { draft = JSON.parse(sessionStorage.getItem(draftKey(form)) || "{}"); } catch { /* ignore a broken draft */ }
    for (const input of form.querySelectorAll("input[type=text]")) if (!input.value && draft[input.name]) input.value = draft[input.name];
  };
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-draft]");
    if (!form) return;
    const values = Object.fromEntries([...form.querySelectorAll("input[type=text]")].map((input) => [input.name, input.value]));
    try { sessionStorage.setItem(draftKey(form), JSON.stringify(values)); } catch { /* storage is full or off */ }
  });

  // The response is a whole page; only the body is replaced, to avoid a flash between two items.
  const exchange = async (response) => {
    const next = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of ["body > header", "#main"]) {
      const now = document.querySelector(part), then = next.querySelector(part);
      if (now && then) now.replaceWith(document.adoptNode(then));
    }
    document.title = next.title;
    if (response.redirected) window.history.replaceState(null, "", response.url);
    window.scrollTo(0, 0);
    if (!begin()) announce();
  };

  const send = async (form, data) => {
    try {
      const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(data), redirect: "follow" });
      if (response.status >= 500) throw new Error(String(response.status));
      offline.hidden = true;
      await exchange(response);
    } catch {
      offline.hidden = false; // the same answer again: the site counts it once
      window.setTimeout(() => send(form, data), RETRY);
    }
  };

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form.once");
    if (!form) return;
    event.preventDefault();
    if (sending) return;
    sending = true;
    const time = form.querySelector("[name=milliseconds]");
    if (time) time.value = String(Math.round(performance.now() - shown));
    const data = new FormData(form, event.submitter);
    event.submitter?.setAttribute("aria-pressed", "true");
    send(form, data);
  });

  document.addEventListener("keydown", (event) => {
    const form = document.querySelector("form[data-keys]");
    if (!form || event.repeat || event.altKey || event.ctrlKey || event.metaKey) return;
    const side = { ArrowLeft: "left", ArrowRight: "right" }[event.key];
    if (!side) return;
    event.preventDefault();
    form.querySelector(`button[value=${side}]`).click();
  });

  document.addEventListener("keydown", (event) => {
    // Enter moves to the next field; in the last one it saves.
    if (event.key !== "Enter" || !event.target.matches(".words input")) return;
    const fields = [...document.querySelectorAll(".words input")];
    const next = fields[fields.indexOf(event.target) + 1];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  begin();
})();
