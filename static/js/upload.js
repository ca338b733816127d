// Upload with progress, a drop target and errors at the field. Without this script the form is sent as any form.
"use strict";
(() => {
  const form = document.getElementById("submit");
  const input = form.querySelector("input[type=file]");
  const field = document.getElementById("field-file");
  const button = form.querySelector("button[type=submit]");
  const sending = document.getElementById("sending");
  const bar = sending.querySelector("progress");
  const line = sending.querySelector("p");
  const most = Number(form.dataset.mostBytes);

  const size = (bytes) => {
    for (const [unit, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
      if (bytes >= unit) return `${(bytes / unit).toPrecision(3)} ${name}`;
    }
    return `${bytes} bytes`;
  };
  const time = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);

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
    for (const error of form.querySelectorAll(".error")) tell(error.id.replace(/-error$/, ""), "");
  };
  const problem = (file) => {
    if (!file) return "Choose a gzipped vector file.";
    if (file.size === 0) return "The file is empty; choose a gzipped vector file.";
    if (file.size > most) return `The file has ${size(file.size)}; at most ${size(most)} are accepted. Keep the most frequent words only, or write fewer decimals.`;
    return "";
  };
  const stop = () => {
    button.disabled = false;
    sending.hidden = true;
  };
  const refused = (errors) => {
    stop();
    let first = null;
    for (const [name, message] of Object.entries(errors)) {
      if (!tell(name, message)) tell("file", message);
      first = first || form.elements[name];
    }
    if (first instanceof HTMLElement) first.focus();
  };

  input.addEventListener("change", () => tell("file", input.files.length ? problem(input.files[0]) : ""));
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

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clear();
    const wrong = problem(input.files[0]);
    const unnamed = form.elements.name.value.trim() === "";
    if (unnamed || wrong) {
      refused({ ...(unnamed && { name: "The name is missing; say what these vectors are called." }), ...(wrong && { file: wrong }) });
      return;
    }
    send();
  });

  const send = () => {
    const request = new XMLHttpRequest();
    const began = performance.now();
    button.disabled = true;
    sending.hidden = false;
    bar.value = 0;
    line.textContent = "Sending.";
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      const left = ((performance.now() - began) / 1000) * (total / loaded - 1);
      bar.value = loaded / total;
      line.textContent = loaded < total
        ? `${Math.floor((100 * loaded) / total)} %, ${size(loaded)} of ${size(total)}, ${time(left)} left`
        : "The file has arrived and is being stored.";
    });
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* an answer that is no JSON is handled below */ }
      if (answer.location) window.location.assign(answer.location);
      else refused(answer.errors || { file: `The site answered with status ${request.status}; try again in a minute.` });
    });
    request.addEventListener("error", () => refused({ file: "The connection broke off; nothing was kept. Check the network and send the file again." }));
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.send(new FormData(form));
  };
})();
