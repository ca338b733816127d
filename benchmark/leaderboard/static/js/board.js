// Optional: counts the selected entries, copies the link, applies a choice at once, and makes every cell accessible by
// arrow keys and taps.
const form = document.querySelector("form.compare");
if (form) {
  const button = form.querySelector("button.compare"), most = Number(form.dataset.most), words = button.textContent;
  const boxes = () => [...form.querySelectorAll('input[name="e"]')];
  const count = () => {
    const ticked = boxes().filter((box) => box.checked).length;
    button.disabled = ticked < 2;
    button.textContent = ticked ? `Compare ${ticked} (max. ${most})` : words;
    for (const box of boxes()) {
      box.disabled = !box.checked && ticked >= most;
      if (box.disabled) box.title = `At most ${most} entries can be compared; untick one first`;
      else box.removeAttribute("title");
    }
  };
  form.addEventListener("change", count);
  addEventListener("pageshow", count);
  count();
}
for (const select of document.querySelectorAll(":is(.filters, .sentence) :is(select, [name=licensed])")) {
  select.addEventListener("change", () => {
    if (select.name === "suite") select.form.version?.remove(); // versions belong to a suite
    select.form.requestSubmit();
  });
}
for (const form of document.querySelectorAll("form:is(.filters, .sentence)")) {
  form.addEventListener("submit", () => {
    for (const field of form.querySelectorAll("input:not([type=checkbox]), select")) if (!field.value) field.disabled = true;
    const boxes = [...form.querySelectorAll('input[name="c"]')];
    if (boxes.every((box) => box.checked === box.defaultChecked) && !new URLSearchParams(location.search).has("c")) {
      for (const box of boxes) box.disabled = true; // the default columns are left out of the URL
    }
  });
}
const link = document.querySelector("[data-copy]");
if (link && navigator.clipboard) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    navigator.clipboard.writeText(link.href).then(() => { link.textContent = "Link copied"; });
  });
}
const table = document.querySelector(".board table");
if (table) {
  const cells = () => [...table.querySelectorAll("tbody td:not(.rank)")].filter((cell) => cell.offsetParent);
  const reach = (cell) => {
    for (const other of table.querySelectorAll('tbody td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0; // the table is a single tab stop; arrow keys move within it
  };
  const go = (cell) => { if (cell) { reach(cell); cell.focus({ preventScroll: true }); cell.scrollIntoView({ block: "nearest", inline: "nearest" }); } };
  const first = cells()[0];
  if (first) reach(first);
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("tbody td:not(.rank)");
    if (cell) go(cell);
  });
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("tbody td"), row = cell?.parentElement, nth = cell?.cellIndex;
    if (!cell || cell !== event.target) return;
    const to = {
      ArrowRight: cell.nextElementSibling, ArrowLeft: cell.previousElementSibling?.matches("td") && cell.previousElementSibling,
      ArrowDown: row.nextElementSibling?.cells[nth], ArrowUp: row.previousElementSibling?.cells[nth],
    }[event.key];
    if (event.key === "Escape") cell.blur();
    if (to) { event.preventDefault(); go(to); }
  });
}
