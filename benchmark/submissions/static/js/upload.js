// Sends the upload form in pieces: progress, remaining time, and resuming after a lost connection or a reload.
// Without this script the form is submitted as usual.
"use strict";
(() => {
  const form = document.getElementById("submit");
  const input = form.querySelector("input[type=file]");
  const field = document.getElementById("field-file");
  const button = form.querySelector("button[type=submit]");
  const sending = document.getElementById("sending");
  const bar = sending.querySelector("progress");
  const line = sending.querySelector("p");
  const resume = document.getElementById("resume");
  const most = Number(form.dataset.mostBytes);
  const MOST_FILES = 20, REMEMBERED = "vecboard-upload", FIRST_WAIT = 1000, LONGEST_WAIT = 30000, LONGEST_SILENCE = 30000, NO_ROOM = 507;

  const size = (bytes) => {
    for (const [unit, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
      if (bytes >= unit) return `${(bytes / unit).toPrecision(3)} ${name}`;
    }
    return `${bytes} bytes`;
  };
  const time = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);
  const pause = (milliseconds) => new Promise((resolve) => { window.setTimeout(resolve, milliseconds); });

  const tell = (name, message) => {
    const error = document.getElementById(`${name}-error`);
    if (!error) return false;
    error.textContent = message || "";
    error.hidden = !message;
    document.getElementById(`field-${name}`).classList.toggle("wrong", Boolean(message));
    const control = form.elements[name];
    if (control instanceof HTMLElement) control.toggleAttribute("aria-invalid", Boolean(message));
    return true;
  };
  const clear = () => {
    for (const error of form.querySelectorAll(".error[id]")) tell(error.id.replace(/-error$/, ""), "");
  };
  const refused = (errors) => {
    button.disabled = false;
    sending.hidden = true;
    let first = null;
    for (const [name, message] of Object.entries(errors)) {
      if (!tell(name, message)) tell("file", message);
      const control = form.elements[name];
      first = first || (control instanceof HTMLElement ? control : input);
    }
    for (const folded of form.querySelectorAll("details:not([open])")) folded.open = Boolean(folded.querySelector(".wrong"));
    if (first) first.focus();
  };

  // Checks before the upload
  const sizeProblem = (files) => {
    if (files.length > MOST_FILES) return `You chose ${files.length} files; a submission can have at most ${MOST_FILES} runs.`;
    const empty = files.find((file) => file.size === 0);
    if (empty) return "The file is empty; choose a vector file.";
    const total = files.reduce((sum, file) => sum + file.size, 0);
    if (total > most) return `The file is ${size(total)}; the limit is ${size(most)}. Keep only the most frequent words, or write fewer decimals.`;
    return "";
  };
  const inflated = async (bytes) => {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    const parts = [];
    let length = 0;
    try {
      while (length < 1e6) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
        length += value.length;
      }
    } catch { /* the first megabyte is a truncated stream; its decompressed start is enough */ }
    reader.cancel().catch(() => {});
    const all = new Uint8Array(length);
    parts.reduce((at, part) => { all.set(part, at); return at + part.length; }, 0);
    return all;
  };
  const isHeader = (line) => /^\s*\d+[ \t]+\d+\s*$/.test(line);
  // The first lines of a text file; null for archives of runs and other formats, which only the check reads
  const linesOf = (bytes, most) => {
    if (String.fromCharCode(...bytes.subarray(257, 262)) === "ustar" || bytes.subarray(0, 4000).some((byte) => byte < 9)) return null;
    const lines = new TextDecoder().decode(bytes.subarray(0, most)).split("\n");
    if (bytes.length >= most) lines.pop(); // cut in the middle
    return lines;
  };
  const lineProblem = (bytes) => {
    const lines = linesOf(bytes, 200000);
    if (lines === null) return "";
    const isNumber = (text) => text !== "" && Number.isFinite(Number(text));
    for (const [index, text] of lines.slice(0, 200).entries()) {
      if (text.trim() === "" || (index === 0 && isHeader(text))) continue;
      const fields = text.trim().split(/[ \t]+/);
      if (fields.slice(1).filter(isNumber).length < 2) {
        return `Line ${index + 1} is not a word followed by its numbers: “${text.slice(0, 60)}”. Write one word per line followed by its numbers, separated by spaces.`;
      }
    }
    return "";
  };
  const beginning = async (file) => {
    const start = new Uint8Array(await file.slice(0, 1e6).arrayBuffer());
    if (start[0] !== 0x1f || start[1] !== 0x8b) return start;
    return typeof DecompressionStream === "undefined" ? null : inflated(start);
  };
  const formProblem = async (file) => {
    const bytes = await beginning(file);
    if (bytes === null) return "";
    return bytes.length ? lineProblem(bytes) : "The file starts like a gzip file but cannot be decompressed; compress it again.";
  };
  const problem = async (files) => {
    if (!files.length) return "Choose a vector file.";
    const wrong = sizeProblem(files);
    if (wrong) return wrong;
    for (const file of files) {
      const found = await formProblem(file).catch(() => "The file cannot be read; choose it again.");
      if (found) return files.length > 1 ? `${file.name}: ${found}` : found;
    }
    return "";
  };

  // Summary of the chosen file, before the upload
  const language = async (words) => { // the same guess as in the check
    const known = await (await fetch(form.dataset.languages)).json();
    const first = new Set(words.slice(0, known.first).map((word) => word.toLowerCase()));
    const shares = known.languages.map(([name, common]) => [common.filter((word) => first.has(word)).length / common.length, name]);
    const [[best, name], [next]] = shares.sort((one, other) => other[0] - one[0]);
    return best >= known.least_share && best >= known.lead * next ? name : "";
  };
  const isolated = (text) => `\u2068${text}\u2069`; // isolates its text direction
  const described = async (file) => {
    const bytes = await beginning(file).catch(() => null);
    const lines = bytes === null || !bytes.length ? null : linesOf(bytes, 1e6);
    if (lines === null) return [["Words", "read after the upload"]];
    const head = isHeader(lines[0]) ? lines.shift().trim().split(/\s+/).map(Number) : null;
    const rows = lines.filter((line) => line.trim()).map((line) => line.trim().split(/[ \t]+/));
    if (!rows.length) return [];
    const words = rows.map(([word]) => word);
    const guessed = await language(words).catch(() => "");
    if (input.files[0] === file) suggest(form.elements.language, guessed);
    return [
      ["Words", head ? head[0].toLocaleString("en") : ""],
      ["Dimensions", `${head ? head[1] : rows[0].length - 1}`],
      ["First words", words.slice(0, 6).map((word) => isolated(word.slice(0, 30))).join(", ")],
      ["Language", guessed ? `looks like ${guessed}` : ""],
    ];
  };
  const summary = document.getElementById("file-summary");
  const summarise = async (files) => {
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const facts = [["File", files.length > 1 ? `${files.length} runs` : isolated(files[0].name)], ["Size", size(total)], ...await described(files[0])];
    if (input.files[0] !== files[0]) return; // another file was chosen meanwhile
    summary.querySelector("dl").replaceChildren(...facts.filter(([, fact]) => fact).map(([term, fact]) => {
      const row = document.createElement("div");
      for (const [tag, text] of [["dt", term], ["dd", fact]]) row.appendChild(document.createElement(tag)).textContent = text;
      return row;
    }));
    summary.hidden = false;
  };

  // Requests
  const token = () => form.elements.csrfmiddlewaretoken.value;
  const ask = async (url, options = {}) => {
    const response = await fetch(url, { cache: "no-store", ...options, headers: { Accept: "application/json", "X-CSRFToken": token() } });
    const answer = await response.json().catch(() => ({ errors: { file: `The site answered with status ${response.status}; try again in a minute.` } }));
    return { status: response.status, answer };
  };
  const sendPiece = (upload, part, file, progress) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    // A dropped connection may raise no error: it counts as lost after a while without progress.
    let silent = window.setTimeout(() => request.abort(), LONGEST_SILENCE);
    const heard = () => { window.clearTimeout(silent); silent = window.setTimeout(() => request.abort(), LONGEST_SILENCE); };
    request.upload.addEventListener("progress", ({ loaded }) => { heard(); progress(loaded); });
    request.addEventListener("loadend", () => window.clearTimeout(silent));
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* its status is reported below */ }
      resolve({ status: request.status, answer });
    });
    for (const name of ["error", "abort"]) request.addEventListener(name, () => reject(new Error(name)));
    request.open("PUT", `/s/${upload.id}/upload?file=${part.position}&offset=${part.offset}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", token());
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file.slice(part.offset, part.offset + upload.piece_bytes));
  });
  const remember = (upload) => { try { window.localStorage.setItem(REMEMBERED, upload.id); } catch { /* private mode */ } };
  const remembered = () => { try { return window.localStorage.getItem(REMEMBERED); } catch { return null; } };
  const forget = () => { try { window.localStorage.removeItem(REMEMBERED); } catch { /* private mode */ } };

  const send = async (upload, files) => {
    const total = upload.files.reduce((sum, file) => sum + file.bytes, 0);
    const before = () => upload.files.reduce((sum, file) => sum + file.offset, 0);
    const began = performance.now(), start = before();
    const show = (extra) => {
      const sent = Math.min(before() + extra, total);
      const seconds = (performance.now() - began) / 1000;
      const left = sent > start ? (seconds * (total - sent)) / (sent - start) : 0;
      bar.value = sent / total;
      line.textContent = `${Math.floor((100 * sent) / total)} %, ${size(sent)} of ${size(total)}${left ? `, ${time(left)} left` : ""}. If the connection breaks, it resumes.`;
    };
    button.disabled = true;
    resume.hidden = true;
    sending.hidden = false;
    show(0);
    let wait = FIRST_WAIT;
    for (const part of upload.files) {
      const file = files[part.position - 1];
      while (part.offset < part.bytes) {
        try {
          const { status, answer } = await sendPiece(upload, part, file, show);
          if (answer.errors && status !== NO_ROOM) return refused(answer.errors);
          if (answer.errors) throw Object.assign(new Error("full"), { said: answer.errors.file });
          if (status === 404) throw Object.assign(new Error("gone"), { gone: true });
          if (answer.offset === undefined || answer.offset === part.offset) throw new Error(String(status));
          part.offset = answer.offset;
          wait = FIRST_WAIT;
          show(0);
        } catch (error) {
          if (error.gone) { forget(); return refused({ file: "This upload was cancelled. Upload the file again." }); }
          line.textContent = `${error.said || `The connection was lost at ${size(before())} of ${size(total)}.`} Retrying in ${time(wait / 1000)}; the uploaded part is kept.`;
          await pause(wait);
          wait = Math.min(2 * wait, LONGEST_WAIT);
          const now = await ask(`/s/${upload.id}/upload`).catch(() => null);
          for (const known of (now && now.answer.files) || []) {
            upload.files[known.position - 1].offset = known.offset;
          }
        }
      }
    }
    line.textContent = "The file has arrived and is being stored.";
    const { answer } = await ask(`/s/${upload.id}/upload/finish`, { method: "POST" });
    if (!answer.location) return refused(answer.errors);
    forget();
    return window.location.assign(answer.location);
  };

  const begin = async () => {
    const files = [...input.files];
    const unnamed = form.elements.name.value.trim() === "";
    const wrong = await problem(files);
    if (unnamed || wrong) {
      refused({ ...(wrong && { file: wrong }), ...(unnamed && { name: "The name is missing; enter a name for these vectors." }) });
      return;
    }
    const body = new FormData(form);
    body.delete("file");
    body.set("files", JSON.stringify(files.map((file) => ({ name: file.name, bytes: file.size }))));
    const { status, answer } = await ask(form.dataset.begin, { method: "POST", body });
    if (status !== 201) { refused(answer.errors || { file: answer.error ? answer.error.message : `The site answered with status ${status}.` }); return; }
    remember(answer);
    await send(answer, files);
  };

  const url = form.elements.url;
  form.addEventListener("submit", (event) => {
    if (url && url.value.trim() !== "" && !input.files.length) return; // the site downloads the file; nothing is sent
    event.preventDefault();
    clear();
    if (url && url.value.trim() !== "") { refused({ url: "Choose a file or give a URL, not both." }); return; }
    button.disabled = true;
    begin().catch(() => refused({ file: "The site cannot be reached. Check your connection; the uploaded part is kept, and the upload resumes from there." }));
  });
  input.multiple = true;
  const suggest = (control, value) => { // until somebody types another
    if (control.value !== "" && control.value !== control.dataset.suggested) return;
    control.value = control.dataset.suggested = value;
    control.dispatchEvent(new Event("input"));
  };
  const suggestName = () => { // of a refused file, none
    if (!input.files.length) return;
    suggest(form.elements.name, input.files[0].name.replace(/(\.(gz|zip|tar|tgz|txt|vec|bin|npz|npy|parquet|arrow|feather))+$/i, "").slice(0, 80));
  };
  input.addEventListener("change", async () => {
    const files = [...input.files];
    summary.hidden = true;
    const wrong = files.length ? await problem(files) : "";
    if (input.files[0] !== files[0]) return;
    tell("file", wrong);
    if (wrong) return;
    suggestName();
    if (files.length) summarise(files).catch(() => {});
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      field.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) {
        input.files = event.dataTransfer.files;
        input.dispatchEvent(new Event("change"));
      }
    });
  }

  // Resuming after a reload or a closed page
  const offerToGoOn = async () => {
    const id = remembered();
    if (!id) return;
    const { status, answer: upload } = await ask(`/s/${id}/upload`);
    if (status !== 200 || upload.state !== "receiving") { forget(); return; }
    const here = upload.files.reduce((sum, file) => sum + file.offset, 0);
    const total = upload.files.reduce((sum, file) => sum + file.bytes, 0);
    const names = upload.files.map((file) => file.name).join(", ");
    resume.querySelector("p").textContent = `The upload of “${upload.name}” stopped at ${size(here)} of ${size(total)}. Choose ${names} again to resume.`;
    resume.hidden = false;
    const choice = resume.querySelector("input");
    choice.addEventListener("change", () => {
      const files = upload.files.map((part) => [...choice.files].find((file) => file.name === part.name && file.size === part.bytes));
      if (files.every(Boolean)) send(upload, files).catch(() => refused({ file: "The site cannot be reached. Reload the page to resume." }));
      else resume.querySelector("p").textContent = `That is a different file. Choose ${names} (${size(total)}).`;
    });
    resume.querySelector("button").addEventListener("click", async () => {
      await ask(`/s/${id}/cancel`, { method: "POST" }).catch(() => null);
      forget();
      resume.hidden = true;
    });
  };
  offerToGoOn().catch(() => {});
})();
