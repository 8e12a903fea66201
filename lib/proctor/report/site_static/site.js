/* Filters and sorting of tables. A cell with labels (evidence, verdicts) has each of them as a value.
   Without JavaScript the table is whole and in its own order. */
"use strict";
/* The first `most` of what fits the filters, and a button for all. A page that is opened at one of them shows all. */
const portion = (parts, most, after) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "show-all";
  button.addEventListener("click", () => { most = Infinity; show(); });
  after.after(button);
  let last = () => true;
  const show = (fits = last) => {
    last = fits;
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (parts.includes(target)) most = Infinity;
    const fitting = parts.filter(fits), shown = new Set(fitting.slice(0, most));
    for (const part of parts) part.hidden = !shown.has(part);
    button.hidden = shown.size === fitting.length;
    button.textContent = `Show all ${fitting.length}`;
    return fitting.length;
  };
  window.addEventListener("hashchange", () => { show(); if (location.hash) document.querySelector(":target")?.scrollIntoView(); });
  return show;
};
for (const table of document.querySelectorAll("table.filtered")) {
  const values = (row, column) => {
    const labels = [...row.cells[column].querySelectorAll("span")];
    return (labels.length ? labels : [row.cells[column]]).map((label) => label.textContent.trim());
  };
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const bar = document.createElement("div"), count = document.createElement("span"), chosen = new Map();
  bar.className = "table-filters";
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "words in a row";
  search.setAttribute("aria-label", `Show rows with these words: ${heads[0].textContent}`);
  bar.append(search);
  heads.forEach((head, column) => {
    const name = head.textContent;
    if ("filter" in head.dataset) {
      const all = [...new Set(rows.flatMap((row) => values(row, column)))].filter(Boolean).sort();
      const every = rows.every((row) => values(row, column).some(Boolean));
      if (all.length > 1 || (all.length && !every)) {
        const select = document.createElement("select");
        select.setAttribute("aria-label", `Show rows of one ${name}`);
        select.append(new Option(`any ${name}`, ""), ...all.map((value) => new Option(value, value)));
        select.addEventListener("change", () => { chosen.set(column, select.value); show(); });
        bar.append(select);
      }
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const text = (row) => row.cells[column].textContent.trim();
      rows.sort((a, b) => (down ? -1 : 1) * text(a).localeCompare(text(b), undefined, { numeric: true }));
      body.append(...rows);
      show();
    });
    head.replaceChildren(button);
  });
  bar.append(count);
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = first((row) => {
      const text = row.textContent.toLowerCase();
      return words.every((word) => text.includes(word)) &&
        [...chosen].every(([column, value]) => !value || values(row, column).includes(value));
    });
    count.textContent = `${fitting} of ${rows.length} rows`;
  };
  const first = portion(rows, 24, table.parentElement);
  search.addEventListener("input", show);
  table.parentElement.before(bar);
  show();
}

/* Long texts in a notebook's table are wrapped, and of a long table the first rows are shown. */
for (const cell of document.querySelectorAll(".cell_output td")) cell.classList.toggle("prose", cell.textContent.length > 40);
for (const box of document.querySelectorAll(".cell_output :is(.table-box, .pst-scrollable-table-container)")) {
  const rows = [...box.querySelectorAll("tbody tr")];
  if (rows.length > 10) portion(rows, 8, box)();
}

/* Galleries have filters too, for what the cards say of themselves (data-paper, data-evidence ...). */
for (const gallery of document.querySelectorAll(".gallery.filtered")) {
  const cards = [...gallery.children], bar = document.createElement("div"), count = document.createElement("span");
  const chosen = new Map(), search = document.createElement("input");
  bar.className = "table-filters";
  search.type = "search";
  search.placeholder = "words of a finding";
  search.setAttribute("aria-label", "Show figures with these words");
  bar.append(search);
  const values = (card, key) => (card.dataset[key] || "").split(" + ").filter(Boolean);
  for (const [key, name] of [["paper", "paper"], ["evidence", "evidence"], ["verdict", "verdict"], ["publishedFigure", "published figure"]]) {
    const all = [...new Set(cards.flatMap((card) => values(card, key)))];
    if (key !== "paper") all.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    const select = document.createElement("select");
    select.setAttribute("aria-label", `Show figures of one ${name}`);
    select.append(new Option(`any ${name}`, ""), ...all.map((value) => new Option(value, value)));
    select.addEventListener("change", () => { chosen.set(key, select.value); show(); });
    bar.append(select);
  }
  bar.append(count);
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = first((card) => {
      const text = `${card.textContent} ${card.querySelector("img").alt}`.toLowerCase();
      return words.every((word) => text.includes(word)) &&
        [...chosen].every(([key, value]) => !value || values(card, key).includes(value));
    });
    count.textContent = `${fitting} of ${cards.length} figures`;
  };
  const first = portion(cards, 48, gallery);
  search.addEventListener("input", show);
  gallery.before(bar);
  show();
}

/* The theme's arrows in the sidebar have no name of their own. */
for (const summary of document.querySelectorAll(".bd-sidebar-primary details > summary")) {
  const link = summary.parentElement.parentElement.querySelector("a");
  summary.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
}

/* An address of a function opens the fold that it lies in, also where the browser does not. */
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target && target.closest("details:not([open])");
  if (fold) { fold.open = true; target.scrollIntoView(); }
};
window.addEventListener("hashchange", reveal);
reveal();
