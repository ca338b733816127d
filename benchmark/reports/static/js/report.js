// Opens a collapsed section when a link leads to it, and all sections (not their tables) for printing.
const open = () => {
  const here = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  for (let box = here?.closest("details"); box; box = box.parentElement?.closest("details")) box.open = true;
  here?.scrollIntoView();
};
addEventListener("hashchange", open);
open();
addEventListener("beforeprint", () => {
  for (const box of document.querySelectorAll("details.section")) box.open = true;
});
