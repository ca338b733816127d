// A folded section is in the page as the text of its noscript, for browsers without scripts; it is inserted when it opens.
const unfold = (box) => {
  for (const folded of box.querySelectorAll("noscript")) {
    if (folded.closest("details") === box) folded.outerHTML = folded.textContent;
  }
};
document.addEventListener("toggle", ({ target }) => target.open && unfold(target), true);

// Opens a collapsed section when a link leads to it, and all sections (not their tables) for printing.
const open = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) return;
  if (!document.getElementById(id)) document.querySelectorAll("details").forEach(unfold);
  const here = document.getElementById(id);
  for (let box = here?.closest("details"); box; box = box.parentElement?.closest("details")) {
    unfold(box);
    box.open = true;
  }
  here?.scrollIntoView();
};
addEventListener("hashchange", open);
open();
addEventListener("beforeprint", () => {
  for (const box of document.querySelectorAll("details.section")) {
    unfold(box);
    box.open = true;
  }
});
