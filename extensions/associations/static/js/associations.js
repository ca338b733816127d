// Optional: updates the result when a field of the axis changes; a letter shows its entry alone.
const form = document.querySelector("form[data-live]");
let asked;
async function answer() {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form));
  asked?.abort();
  asked = new AbortController();
  try {
    const response = await fetch(address, { signal: asked.signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const parts = [...document.querySelectorAll("[data-part]")].map((part) => [part, page.getElementById(part.id)]);
    if (!parts.every(([, next]) => next)) return form.submit(); // too many questions, for example: the page says so
    for (const [part, next] of parts) part.replaceWith(next);
    history.replaceState(null, "", address);
    showAlone();
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  }
}
form?.addEventListener("change", () => {
  const filled = (name) => Boolean(form.elements[name].value.trim());
  const axis = ["positive", "negative", "words"].filter(filled).length;
  if (form.querySelector("[name=e]") && (axis === 3 || (axis === 0 && filled("formula")))) answer();
});

let alone = "";
function showAlone() {
  for (const button of document.querySelectorAll("button.letter")) button.setAttribute("aria-pressed", String(button.textContent === alone));
  for (const mark of document.querySelectorAll(".association .mark")) mark.classList.toggle("faded", Boolean(alone) && mark.querySelector("text").textContent !== alone);
}
if (document.querySelector(".association, form[data-live]")) {
  for (const letter of document.querySelectorAll(".key .letter")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: letter.className, textContent: letter.textContent });
    button.setAttribute("aria-label", `Show ${letter.textContent} alone`);
    button.addEventListener("click", () => {
      alone = alone === button.textContent ? "" : button.textContent;
      showAlone();
    });
    letter.replaceWith(button);
  }
  showAlone();
}
