// Optional: counts the words of a list while it is typed, and sends the file with its progress.
// Without this script the form is submitted as usual.
"use strict";
(() => {
  const size = (bytes) => (bytes >= 1e6 ? `${(bytes / 1e6).toPrecision(3)} MB` : `${Math.ceil(bytes / 1e3)} kB`);

  const countWords = (list) => {
    const said = Object.assign(document.createElement("p"), { className: "count" });
    said.setAttribute("aria-live", "polite");
    list.after(said);
    const show = () => {
      const words = new Set(list.value.split(/[\s,;\u060c\u061b\u3001\uff0c\uff1b]+/).map((word) => word.replace(/^"+|"+$/g, "")).filter(Boolean));
      said.textContent = words.size ? `${words.size} ${list.dataset.words}${words.size === 1 ? "" : "s"} read` : "";
    };
    list.addEventListener("input", show);
    show();
  };

  const tell = (form, message) => {
    const error = document.getElementById("file-error");
    error.textContent = message;
    error.hidden = !message;
    document.getElementById("field-file").classList.toggle("wrong", Boolean(message));
    form.elements.file.toggleAttribute("aria-invalid", Boolean(message));
    if (message) form.elements.file.focus();
  };

  const begin = () => {
    const form = document.getElementById("send");
    if (!form) return;
    for (const list of form.querySelectorAll("[data-words]")) countWords(list);
    const search = document.querySelector("form.add");
    search?.addEventListener("submit", () => { // what is ticked stays ticked
      for (const chosen of search.querySelectorAll("[name=e]")) chosen.remove();
      for (const { value } of document.querySelectorAll("[name=e]:checked")) search.append(Object.assign(document.createElement("input"), { type: "hidden", name: "e", value }));
    });
    const sending = document.getElementById("sending");
    const button = form.querySelector("button[type=submit]");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [file] = form.elements.file.files;
      const most = Number(form.dataset.mostBytes);
      const isMissing = !file && form.elements.file.required;
      tell(form, isMissing ? "No file was sent; choose one." : file?.size > most ? `The file has ${size(file.size)}; the limit is ${size(most)}. Send a part of it.` : "");
      if (isMissing || file?.size > most) return;
      const stop = (message) => { sending.hidden = true; button.disabled = false; tell(form, message); };
      const request = new XMLHttpRequest();
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        sending.querySelector("progress").value = loaded / total;
        sending.querySelector("p").textContent = loaded < total ? `${Math.floor((100 * loaded) / total)} % of ${size(total)} sent` : "The file has arrived and is being stored.";
      });
      request.addEventListener("load", () => {
        if (request.status === 200 && request.responseURL !== window.location.href) { window.location.assign(request.responseURL); return; }
        const page = new DOMParser().parseFromString(request.responseText, "text/html");
        document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
        begin();
        (document.querySelector("[aria-invalid]") || document.querySelector("main .error, main h1"))?.scrollIntoView();
      });
      request.addEventListener("error", () => stop("The site cannot be reached. Check your connection, and send the file again."));
      request.open("POST", form.action);
      request.setRequestHeader("Accept", "text/html");
      button.disabled = true;
      sending.hidden = false;
      request.send(new FormData(form));
    });
  };
  begin();
})();
