// Optional: filters the table as you type, and names the dot under the pointer.
const filter = document.querySelector("[data-filter]");
const split = (text) => text.toLowerCase().split(/[\s,;\u060c\u061b\u3001\uff0c\uff1b]+/).filter(Boolean); // as tasks.text.split_words
const table = filter && document.querySelector(filter.dataset.filter);
if (table) {
  const rows = [...table.tBodies[0].rows].map((row) => {
    const [number, property, , , words] = [...row.cells].map((cell) => cell.textContent.toLowerCase());
    return { row, number: number.trim(), property, words: words.split(", ") };
  });
  const count = document.querySelector(".count span"), before = count.textContent, all = !filter.value;
  const read = document.querySelector("[data-read]"), size = (few) => `${few.length} word${few.length === 1 ? "" : "s"}`;
  const matches = ({ number, property, words }, one) => number === one || property.includes(one) || words.includes(one);
  filter.addEventListener("input", () => {
    const wanted = [...new Set(split(filter.value))];
    let shown = 0;
    for (const one of rows) {
      one.row.hidden = wanted.length > 0 && !wanted.some((word) => matches(one, word));
      shown += !one.row.hidden;
    }
    const unknown = wanted.filter((word) => !rows.some((one) => matches(one, word))), small = document.createElement("small");
    small.textContent = `read ${size(wanted)}` + (all && unknown.length ? `; ${unknown.length} not found: ${unknown.join(", ")}` : "");
    read.replaceChildren(...(wanted.length ? ["· ", small] : []));
    count.textContent = all ? `${shown} of ${rows.length} dimensions` : before;
  });
}

const map = document.querySelector("[data-map]");
if (map) {
  const dots = [...map.querySelectorAll(".dots circle")].map((circle) => {
    const title = circle.querySelector("title").textContent;
    circle.querySelector("title").remove(); // the mark shows it at once; the browser's own tooltip would repeat it late
    return { x: +circle.getAttribute("cx"), y: +circle.getAttribute("cy"), title, word: title.split(", ")[0], faded: circle.classList.contains("faded") };
  });
  const mark = map.querySelector(".mark"), [ring, text] = mark.children, said = document.querySelector("[data-said]");
  const find = document.querySelector("[data-find]"), width = map.viewBox.baseVal.width;
  let held = mark.getAttribute("visibility") !== "hidden" ? dots.find((dot) => dot.word === text.textContent) : undefined;
  const show = (dot) => {
    mark.setAttribute("visibility", dot ? "visible" : "hidden");
    if (!dot) return;
    const right = dot.x > width * 0.75;
    for (const [name, value] of [["cx", dot.x], ["cy", dot.y]]) ring.setAttribute(name, value);
    for (const [name, value] of [["x", dot.x], ["y", dot.y], ["dx", right ? -13 : 13], ["text-anchor", right ? "end" : "start"]]) text.setAttribute(name, value);
    text.textContent = dot.word;
  };
  const nearest = (event) => {
    const screen = map.getScreenCTM(), at = new DOMPoint(event.clientX, event.clientY).matrixTransform(screen.inverse());
    let best, least = Math.max(40, 22 / screen.a) ** 2; // a dot is at least 44 pixels across, however small the map
    for (const dot of dots) {
      const far = (dot.x - at.x) ** 2 + (dot.y - at.y) ** 2;
      if (!dot.faded && far < least) [best, least] = [dot, far];
    }
    return best;
  };
  map.addEventListener("pointermove", (event) => {
    const dot = nearest(event);
    show(dot ?? held);
    if (dot) said.textContent = dot.title;
  });
  map.addEventListener("pointerleave", () => show(held));
  map.addEventListener("click", (event) => {
    const dot = nearest(event);
    if (dot) { held = dot; find.value = dot.word; show(dot); said.textContent = dot.title; }
  });
  find.addEventListener("input", () => {
    const [wanted] = split(find.value);
    held = wanted ? dots.find((dot) => dot.word.toLowerCase() === wanted) ?? dots.find((dot) => dot.word.toLowerCase().startsWith(wanted)) : undefined;
    show(held);
    said.textContent = held ? held.title : wanted ? `“${wanted}” is not among the ${dots.length.toLocaleString("en")} words of the map.` : "Point at a dot to see its word.";
  });
}
