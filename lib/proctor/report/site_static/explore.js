/* Pictures to move (proctor/report/explore.py): each reads one JSON, draws the marks of the chosen setting, and says
   what those in ink say. It computes no number: all that it shows is text of that JSON. Without it, the saved picture
   stands on the page. */
"use strict";
const SVG = "http://www.w3.org/2000/svg", ALL = "all";
const SHAPES = ["M-1 0A1 1 0 1 1 1 0A1 1 0 1 1-1 0Z", "M-.9-.9H.9V.9H-.9Z", "M0-1.1L1 .8H-1Z", "M0-1.2L1.2 0 0 1.2-1.2 0Z",
  "M-1-.5L-.5-1 0-.5.5-1 1-.5.5 0 1 .5.5 1 0 .5-.5 1-1 .5-.5 0Z"];
const element = (name, attributes = {}, text = "", space) => {
  const made = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
};
const svg = (name, attributes, text) => element(name, attributes, text, SVG);

for (const box of document.querySelectorAll(".explorable")) {
  const it = JSON.parse(box.querySelector("script").textContent);
  const texts = Object.fromEntries(Object.entries(it.texts).map(([name, found]) => [name, found.split("\t")]));
  const rows = it.rows.split("\n").map((line) => Object.fromEntries(line.split(" ").map((code, column) => {
    const name = it.columns[column];
    return [name, texts[name][code]];
  })));
  const drawn = [it.axes.x.column, it.axes.y.column, it.of, it.group];
  const address = (row) => `${document.documentElement.dataset.content_root}notebooks/${row[it.link]}.html`;
  const named = (column) => it.names[column] ?? column, chosen = { ...it.start };
  const says = (row) => it.says.replace(/\{(\w+)\}/g, (_, column) => row[column]);

  const controls = element("div", { class: "controls" }), picture = element("div", { class: "picture" });
  for (const [column, values] of Object.entries(it.choose)) {
    const label = element("label"), slides = it.numeric.includes(column);
    const control = element(slides ? "input" : "select", { "data-column": column });
    label.append(element("span", {}, named(column)), control);
    if (slides) {
      const output = element("output");
      Object.entries({ type: "range", min: 0, max: values.length - 1, step: 1 }).forEach((pair) => control.setAttribute(...pair));
      control.value = values.indexOf(chosen[column]);
      label.append(output);
      const read = () => {
        output.textContent = chosen[column] = values[control.value];
        control.setAttribute("aria-valuetext", chosen[column]);
      };
      control.addEventListener("input", () => { read(); draw(); });
      read();
    } else {
      control.append(...values.map((value) => new Option(value, value, false, value === chosen[column])));
      control.addEventListener("change", () => { chosen[column] = control.value; draw(); });
    }
    controls.append(label);
  }
  const said = element("p", { class: "said", "aria-live": "polite" });
  const numbers = element("details", { class: "numbers" }), table = element("table");
  numbers.append(element("summary", {}, "Numbers of this setting"), table);
  numbers.addEventListener("toggle", () => draw());

  const draw = () => {
    const settled = Object.entries(chosen).filter(([, value]) => value !== ALL);
    const part = rows.filter((row) => settled.every(([column, value]) => drawn.includes(column) || row[column] === value));
    const inked = new Set(part.filter((row) =>
      settled.every(([column, value]) => !drawn.includes(column) || row[column] === value)));
    said.textContent = sentence(part, [...inked]);
    picture.replaceChildren(chart(part, inked), element("p", { class: "axis" }, named(it.axes.x.column)));
    if (numbers.open) {
      const columns = it.columns.filter((column) => column !== it.link);
      table.replaceChildren(line("th", columns.map(named)), ...part.map((row) => {
        const made = line("td", columns.map((name) => row[name]));
        if (it.link) {
          const cell = made.cells[columns.indexOf(it.of)], link = element("a", { href: address(row) }, cell.textContent);
          cell.replaceChildren(link);
        }
        return made;
      }));
    }
  };
  const line = (cell, texts) => {
    const made = element("tr");
    made.append(...texts.map((text) => element(cell, cell === "th" ? { scope: "col" } : {}, text)));
    return made;
  };
  const sentence = (part, inked) => {
    if (inked.length <= 3) return inked.map((row) => `${says(row)}.`).join(" ");
    const counts = new Map();
    for (const row of inked) {
      const name = it.group ? row[it.group] : named(it.of);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const all = inked.length < part.length ? `In ink ${inked.length} of ${part.length}: ` : "";
    return `${all}${[...counts].map(([name, n]) => `${n} ${name}`).join(", ")}.`;
  };

  const chart = (part, inked) => {
    const width = Math.max(box.clientWidth, 280), small = width < 500;
    const listed = (column) => [...new Set(part.map((row) => row[column]))];
    const bands = it.axes.y.ends.length ? 0 : listed(it.axes.y.column).length;
    const height = Math.max(it.height, bands * 15 + 70), letter = 6.9;
    const longest = Math.max(0, ...(bands ? listed(it.axes.y.column) : it.axes.y.ticks.map(number)).map((text) => text.length));
    const left = Math.min(longest * letter + 10, width * 0.46) + (bands ? 0 : 18), top = 8, bottom = height - (small && !it.axes.x.ends.length ? 40 : 24), right = width - 12;
    const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: it.link ? "group" : "img", "aria-label": box.dataset.alt });
    const scale = ({ column, ends }, from, to, log) => {
      if (!ends.length) {
        const names = listed(column), step = (to - from) / names.length;
        return { names, step: Math.abs(step), of: (text) => from + step * (names.indexOf(text) + 0.5) };
      }
      const map = log ? Math.log : Number, [low, high] = ends.map(map);
      return { of: (text) => from + (to - from) * (map(Number(text)) - low) / (high - low) };
    };
    const x = scale(it.axes.x, left, right), y = scale(it.axes.y, ...(bands ? [top, bottom] : [bottom, top]), it.log);
    for (const tick of x.names ?? it.axes.x.ticks) {
      const at = x.of(tick);
      if (!x.names) made.append(svg("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }));
      const text = svg("text", { x: at, y: bottom + 16, "text-anchor": "middle" });
      (x.names && small ? tick.split(" ") : [x.names ? tick : number(tick)]).forEach((word, number) =>
        text.append(svg("tspan", { x: at, dy: number ? 14 : 0 }, word)));
      made.append(text);
    }
    for (const tick of y.names ?? it.axes.y.ticks) {
      const at = y.of(tick), most = Math.floor((left - 10) / letter);
      if (!y.names) made.append(svg("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }));
      const text = y.names ? (tick.length > most ? `${tick.slice(0, most - 1)}…` : tick) : number(tick);
      const label = svg("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, text);
      label.append(svg("title", {}, y.names ? tick : ""));
      made.append(label);
    }
    if (!bands)
      made.append(svg("text", { class: "axis", transform: `translate(11 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, named(it.axes.y.column)));
    if (it.diagonal) {
      const [low, high] = [Math.max(it.axes.x.ends[0], it.axes.y.ends[0]), Math.min(it.axes.x.ends[1], it.axes.y.ends[1])];
      made.append(svg("line", { class: "guide", x1: x.of(low), y1: y.of(low), x2: x.of(high), y2: y.of(high) }));
    }
    const places = new Map(), cells = new Map();
    for (const row of part) {
      const [a, b] = [row[it.axes.x.column], row[it.axes.y.column]];
      if (a === "" || b === "") continue;
      const place = { x: x.of(a), y: y.of(b) };
      if (x.names && y.names) cells.set(`${a}\t${b}`, [...(cells.get(`${a}\t${b}`) ?? []), place]);
      places.set(row, place);
    }
    for (const cell of cells.values()) {
      const across = Math.max(1, Math.floor(x.step * 0.85 / 11)), lines = Math.ceil(cell.length / across);
      cell.forEach((place, turn) => {
        const full = turn < (lines - 1) * across ? across : cell.length - (lines - 1) * across;
        place.x += (turn % across - (full - 1) / 2) * 11;
        place.y += (Math.floor(turn / across) - (lines - 1) / 2) * Math.min(11, y.step / lines);
      });
    }
    const groups = it.groups.length ? it.groups : [""];
    groups.forEach((group, number) => {
      const own = part.filter((row) => places.has(row) && (!it.group || row[it.group] === group));
      if (!own.length) return;
      const layer = svg("g", { class: `g${number}` });
      if (it.joined) {
        const path = own.map((row) => `${places.get(row).x.toFixed(1)} ${places.get(row).y.toFixed(1)}`).join("L");
        const faint = !own.some((row) => inked.has(row)) && it.group in it.choose;
        layer.append(svg("path", { class: faint ? "path faint" : "path", d: `M${path}` }));
      }
      for (const row of [...own].sort((a, b) => inked.has(a) - inked.has(b))) {
        const place = places.get(row), ink = inked.has(row);
        const mark = svg("g", { class: ink ? "mark" : it.joined ? "mark hidden" : "mark faint" });
        if (it.low && row[it.low] !== "") {
          const across = it.along === "x", of = across ? x.of : y.of, fixed = across ? "y" : "x";
          mark.append(svg("line", { class: "limits", [`${fixed}1`]: place[fixed], [`${fixed}2`]: place[fixed],
            [`${it.along}1`]: of(row[it.low]), [`${it.along}2`]: of(row[it.high]) }));
        }
        const size = ink && inked.size < 4 ? 6.5 : 4.2;
        mark.append(svg("path", { class: "dot", d: SHAPES[number % 5], transform: `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)}) scale(${size})` }));
        mark.append(svg("title", {}, says(row)));
        if (it.link && row[it.link]) {
          const link = svg("a", { href: address(row), tabindex: -1 });
          link.append(mark);
          layer.append(link);
        } else layer.append(mark);
      }
      made.append(layer);
    });
    return made;
  };
  const number = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 6 });
  const legend = element("p", { class: "legend" });
  if (it.groups.length > 1) it.groups.forEach((group, number) => {
    const key = svg("svg", { width: 12, height: 12, viewBox: "-1.4 -1.4 2.8 2.8", class: `g${number}`, "aria-hidden": "true" });
    key.append(svg("path", { class: "dot", d: SHAPES[number % 5] }));
    const entry = element("span");
    entry.append(key, ` ${group}`);
    legend.append(entry);
  });
  box.querySelector("figure > a").replaceWith(controls, said, legend, picture, numbers);
  draw();
  let width = box.clientWidth;
  new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; draw(); } }).observe(box);
}
