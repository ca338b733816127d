// A link to a folded section opens it; printing opens the sections, but not the tables in them.
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
