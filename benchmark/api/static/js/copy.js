// A button in every block with data-copy; browsers offer the clipboard to https and local pages only.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("pre[data-copy]")) {
    const text = block.textContent, button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Copy";
    button.addEventListener("click", () => navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    }));
    block.append(button);
  }
}
// A link to a folded type opens it.
const open = () => { const type = document.getElementById(location.hash.slice(1)); if (type?.tagName === "DETAILS") type.open = true; };
addEventListener("hashchange", open);
open();
