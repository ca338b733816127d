// The board works without this: it counts the ticked entries, copies the link, and shows a choice at once.
const form = document.querySelector("form.compare");
if (form) {
  const button = form.querySelector("button"), most = Number(form.dataset.most), words = button.textContent;
  const boxes = () => [...form.querySelectorAll('input[name="e"]')];
  const count = () => {
    const ticked = boxes().filter((box) => box.checked).length;
    button.disabled = ticked < 2;
    button.textContent = ticked ? `Compare ${ticked} (max. ${most})` : words;
    for (const box of boxes()) box.disabled = !box.checked && ticked >= most;
  };
  form.addEventListener("change", count);
  addEventListener("pageshow", count);
  count();
}
for (const select of document.querySelectorAll(".filters select")) {
  select.addEventListener("change", () => {
    if (select.name === "suite") select.form.version?.remove(); // versions belong to a suite
    select.form.requestSubmit();
  });
}
for (const form of document.querySelectorAll("form.filters")) {
  form.addEventListener("submit", () => {
    for (const field of form.querySelectorAll("input:not([type=checkbox]), select")) if (!field.value) field.disabled = true;
    const boxes = [...form.querySelectorAll('input[name="c"]')];
    if (boxes.every((box) => box.checked === box.defaultChecked) && !new URLSearchParams(location.search).has("c")) {
      for (const box of boxes) box.disabled = true; // the usual columns need no mention
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
