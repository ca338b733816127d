// Counts the characters of a name that is nearly as long as its field allows.
"use strict";
(() => {
  for (const input of document.querySelectorAll("input[name=name][maxlength]")) {
    const count = document.createElement("output");
    count.className = "help";
    count.htmlFor = input.id;
    input.after(count);
    const show = () => {
      const most = input.maxLength, length = input.value.length;
      count.textContent = length > 0.75 * most ? `${length} of at most ${most} characters` : "";
    };
    input.addEventListener("input", show);
    show();
  }
})();
