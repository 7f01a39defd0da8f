// Sums over the positions of a file: how often each square is attacked, and other products.
import { byId, capital, complain, copyButton, html, plural, roveRow, say, squareName } from "./dom.js";
import { productTitle } from "./layers.js";
import { startWorker } from "./work.js";

const USUAL_PRODUCTS = ["counts", "pins", "hanging"];

/** The most positions of a square that are listed, as the library has it. */
const MOST_FOUND = 200;
/** How many points of rating a group has, as the choices of groups say. */
const RATINGS = 200;
/** The value of the choice of what is subtracted that stands for nothing. It is no name: those have no line breaks. */
const NOTHING = "\n";
/** How many milliseconds of a frame boards may take that are not seen. */
const SLICE = 4;

/** A number of a board as text. What is rare is not nothing. */
function heatText(number, isMinus, isMean) {
  const size = Math.abs(number);
  if (size === 0) return "0";
  const sign = number < 0 ? "−" : isMinus ? "+" : "";
  if (size < 0.01) return isMean ? `${sign}<0.01` : `${sign}<1%`;
  return sign + (isMean ? size.toFixed(size >= 10 ? 0 : 2) : `${Math.round(100 * size)}%`);
}

/** The squares of a board, without numbers. */
function fillTable(figure) {
  const texts = Array.from({ length: 64 }, () => new Text());
  const cells = texts.map((text, square) => html("td", { "data-square": square, tabindex: "-1" }, html("div", {}, text)));
  const rows = Array.from({ length: 8 }, (_, row) => html("tr", {}, html("th", { scope: "row" }, String(8 - row)), cells.slice(8 * (7 - row), 8 * (8 - row))));
  const head = html("tr", {}, html("td", {}), [..."abcdefgh"].map((file) => html("th", { scope: "col" }, file)));
  figure.table.append(html("thead", {}, head), html("tbody", {}, rows));
  Object.assign(figure, { cells, texts });
}

/** Shows numbers on a board, where the largest of the product is `most`. Only what has changed is written. */
function drawHeat(figure, { title, numbers, isMinus }, most, isMean) {
  if (figure.cells.length === 0) fillTable(figure);
  const { element, caption, table, cells, texts } = figure;
  if (element.dataset.column !== title) {
    element.dataset.column = title;
    caption.textContent = capital(title.replaceAll("_", " "));
    table.setAttribute("aria-label", caption.textContent);
  }
  cells.forEach((cell, square) => {
    const number = numbers[square];
    const text = heatText(number, isMinus, isMean);
    const value = most > 0 ? Math.abs(number / most).toFixed(3) : "0";
    if (texts[square].data !== text) texts[square].data = text;
    if (cell.dataset.value !== value) cell.style.setProperty("--value", (cell.dataset.value = value));
    const side = number < 0 || (title.startsWith("black") && !isMinus) ? "below" : "above";
    if (cell.className !== side) cell.className = side;
    cell.title = `${squareName(square)}: ${number.toFixed(4)}`;
  });
}

/** Shows these children of an element, and no other. Those that are left out stay there: to lay them out again takes longer. */
function showChildren(host, children) {
  for (const child of host.children) child.hidden = !children.includes(child);
  for (const child of children) if (child.parentElement !== host) host.append(child);
}

/** The mode in which a file is summed. */
export class Summary {
  /** `choose(entry, fen, column, square)` shows a position of the file, where this column has this square. */
  constructor(engine, about, options, choose) {
    Object.assign(this, { engine, options, choose, opened: undefined, sums: undefined, figures: new Map(), sections: new Map() });
    /** How to draw the boards that do not show the last numbers yet, and which of the boards are seen. */
    [this.waiting, this.near] = [new Map(), new Set()];
    this.observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) this.near[isIntersecting ? "add" : "delete"](target);
      if (this.waiting.size > 0) this.drawNear();
    });
    /** The product of each column. Threats are summed by side. */
    this.product = new Map(about.products.filter(({ isProduct }) => isProduct).flatMap((product) => product.columns.map(({ name, meaning }) => [name, { product, meaning }])));
    for (const side of ["white", "black"]) this.product.set(`${side}_threats`, this.product.get("threats"));
    const products = about.products.filter(({ isProduct, columns }) => isProduct && columns.every(({ kind }) => kind !== "key"));
    byId("summary-products").append(...products.map(({ name, definition }) => html("label", { title: definition },
      html("input", { type: "checkbox", value: name, checked: USUAL_PRODUCTS.includes(name) }), html("span", {}, productTitle({ name })))));
    // On paper, all boards are seen.
    addEventListener("beforeprint", () => [...this.waiting.keys()].forEach((section) => this.drawSection(section)));
    byId("summary-start").addEventListener("click", () => this.start());
    byId("summary-by").addEventListener("change", () => this.sums && this.start());
    byId("summary-stop").addEventListener("click", (event) => {
      // The second click of a double click on the button that was there before.
      if (event.detail > 0 && performance.now() - this.started < 400) return;
      this.stop();
    });
    byId("summary-boards").addEventListener("click", ({ target }) => {
      const column = target.closest("figure")?.dataset.find;
      const square = target.closest("td")?.dataset.square;
      if (square && column) this.find(column, Number(square));
    });
    byId("summary-boards").addEventListener("keydown", (event) => this.key(event));
    byId("summary-boards").addEventListener("focusin", ({ target }) => target.matches("td") && this.enter(target));
    byId("found-close").addEventListener("click", () => this.leave());
    for (const id of ["measure-share", "measure-mean", "boards-sides", "boards-minus", "summary-group", "summary-minus"]) byId(id).addEventListener("change", () => this.draw());
  }

  open(opened) {
    this.stop();
    this.leave();
    this.opened = opened;
    this.sums = undefined;
    byId("summary-name").textContent = opened ? opened.name : "no file yet: open one, drop it anywhere, or paste a text into the field above";
    byId("summary-start").disabled = !opened;
    // What to press first.
    byId("sample").classList.toggle("main", !opened);
    byId("summary-status").textContent = "";
    byId("summary-result").hidden = true;
  }

  /** Sums and lists again if the options of products are others than before. */
  refresh() {
    const options = this.options();
    if ((this.sums || this.worker) && this.used !== options) this.start(false);
    if (this.sought && this.sought.options !== options) this.find(this.sought.column, this.sought.square);
  }

  start(withFocus = true) {
    this.used = this.options();
    const what = [...document.querySelectorAll("#summary-products input:checked")].map(({ value }) => value);
    if (!this.opened || what.length === 0) return complain(this.opened ? "choose a product to sum" : "open a file first");
    complain("");
    this.stop();
    this.sums = undefined;
    this.last = undefined;
    this.drawn = { took: 0, end: -1 };
    this.observer.disconnect();
    for (const known of [this.figures, this.sections, this.waiting, this.near]) known.clear();
    byId("summary-boards").replaceChildren();
    this.started = performance.now();
    byId("summary-status").textContent = "Reading";
    byId("summary-result").hidden = true;
    byId("summary-progress").hidden = false;
    byId("summary-progress").value = 0;
    byId("summary-stop").hidden = false;
    byId("summary-start").hidden = true;
    if (withFocus) byId("summary-stop").focus();
    say("Summing");
    this.worker = startWorker(this.engine.module, { ...this.opened, options: `by ${byId("summary-by").value}\nwhat ${what.join(",")}\n${this.used}` }, (report) => this.report(report));
  }

  /** One square of all boards is among those that the key Tab reaches: the one that had the focus last. */
  enter(cell) {
    if (this.entered) this.entered.tabIndex = -1;
    this.entered = cell;
    cell.tabIndex = 0;
  }

  /** Goes from square to square, and over the edge of a board to the next one. */
  key(event) {
    const { key, target } = event;
    if (!target.matches("td") || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (key === "Enter") return target.click();
    const figures = [...byId("summary-boards").querySelectorAll("figure")].filter((figure) => figure.checkVisibility());
    const square = Number(target.dataset.square);
    const [file, rank, at] = [square & 7, square >> 3, figures.indexOf(target.closest("figure"))];
    const [right, up, on] = { ArrowLeft: [-1, 0, -1], ArrowRight: [1, 0, 1], ArrowUp: [0, 1, -1], ArrowDown: [0, -1, 1], PageUp: [0, 0, -1], PageDown: [0, 0, 1], Home: [-file, 0, 0], End: [7 - file, 0, 0] }[key] ?? [];
    if (right === undefined) return;
    event.preventDefault();
    const isPast = file + right < 0 || file + right > 7 || rank + up < 0 || rank + up > 7 || (right === 0 && up === 0 && on !== 0);
    const figure = figures[isPast ? at + on : at];
    const other = ((file + right) & 7) + 8 * ((rank + up) & 7);
    figure?.querySelector(`[data-square="${other}"]`)?.focus();
  }

  /** Lists the positions where a column has a square. */
  find(column, square) {
    this.leave();
    const product = this.product.get(column)?.product.name;
    if (!product || !this.opened) return;
    this.sought = { column, square, options: this.options() };
    byId("found").hidden = false;
    const title = `${capital(column.replaceAll("_", " "))}, ${squareName(square)}`;
    byId("found-title").textContent = title;
    const isGames = this.opened.format === "PGN";
    let count = 0;
    const report = ({ error, found = [], isDone }) => {
      byId("found-list").append(...found.map(([entry, fen]) => html("li", {}, html("button", { type: "button", onclick: () => this.choose(entry, fen, column, square) }, `${isGames ? "Game" : "Position"} ${(entry + 1).toLocaleString("en")}`, html("span", { class: "note" }, ` ${fen.split(" ")[0]}`)))));
      count += found.length;
      byId("found-title").textContent = `${title}: ${count >= MOST_FOUND ? `the first ${MOST_FOUND} positions` : plural(count, "position")}`;
      if (!error && !isDone && count < MOST_FOUND) return;
      this.finder?.stop();
      roveRow(byId("found-list"));
      say(byId("found-title").textContent);
      if (error) complain(error);
    };
    this.finder = startWorker(this.engine.module, { ...this.opened, options: `what ${product}\nfind ${column} ${squareName(square)}\n${this.sought.options}` }, report);
    byId("found").scrollIntoView({ block: "nearest" });
  }

  leave() {
    this.finder?.stop();
    this.finder = this.sought = undefined;
    byId("found").hidden = true;
    byId("found-list").replaceChildren();
  }

  report({ error, sums, positions, wrong, bytes, seconds, isDone }) {
    if (sums) {
      this.sums = sums;
      // Drawing many boards takes longer than the time between reports: the page would answer late.
      const start = performance.now();
      if (isDone || error || start - this.drawn.end > 8 * this.drawn.took) {
        this.draw();
        this.drawn = { took: performance.now() - start, end: performance.now() };
      }
    }
    if (error) {
      this.finish(error);
      complain(error);
      return;
    }
    const speed = Math.round(positions / Math.max(seconds, 0.001));
    const rate = seconds > 0.05 ? `, ${speed.toLocaleString("en")} per second` : "";
    const errors = wrong ? `, ${plural(wrong, "line or game", "lines or games")} with an error` : "";
    const text = `${plural(positions, "position")}${rate}${errors}`;
    byId("summary-progress").value = this.opened.file.size ? bytes / this.opened.file.size : 1;
    byId("summary-status").textContent = text;
    this.last = text;
    if (isDone) this.finish(`${text}. Done${seconds < 0.01 ? "" : ` in ${seconds.toFixed(2)} seconds`}.`);
  }

  finish(text) {
    this.worker?.stop();
    this.worker = undefined;
    byId("summary-progress").hidden = true;
    const hadFocus = document.activeElement === byId("summary-stop");
    byId("summary-stop").hidden = true;
    byId("summary-start").hidden = false;
    if (hadFocus) byId("summary-start").focus();
    byId("summary-status").textContent = text;
    say(text);
  }

  stop() {
    if (this.worker) this.finish(`Stopped: ${this.last || "nothing has been read"}.${this.sums ? " The boards show what was read." : ""}`);
  }

  /** The sums of the group that is shown, and those of the group that is subtracted from it, if there is one. */
  chosenGroups() {
    const find = (id) => this.sums.groups.find(({ name }) => name === byId(id).value);
    const isNothing = byId("summary-groups").hidden || byId("summary-minus").value === NOTHING;
    return [find("summary-group") ?? this.sums, isNothing ? undefined : (find("summary-minus") ?? this.sums)];
  }

  /** What the boards show: a title and the number of each square. */
  parts() {
    const isMean = byId("measure-mean").checked;
    const [group, other] = this.chosenGroups();
    const of = ({ positions, columns }) => columns.map((column) => ({ title: column.name, isSingle: column.isSingle, numbers: (isMean ? column.sum : column.present).map((sum) => sum / Math.max(1, positions)) }));
    const minus = (all, others, isMinus = true) => all.map((part, at) => ({ ...part, isMinus, numbers: part.numbers.map((number, square) => number - others[at].numbers[square]) }));
    const all = other ? minus(of(group), of(other)) : of(group);
    if (!byId("boards-minus").checked) return all;
    const named = new Map(all.map((part) => [part.title, part]));
    return all.flatMap((part) => {
      const other = named.get(part.title.replace(/^white_/, "black_"));
      return part.title.startsWith("white_") && other ? minus([part], [other]).map((part) => ({ ...part, title: `White minus Black: ${part.title.slice(6).replaceAll("_", " ")}`, column: part.title })) : [];
    });
  }

  /** The groups that may be seen. */
  showGroups() {
    const title = (name) => (byId("summary-by").value.includes(":") && /^-?\d+$/.test(name) ? `${name} to ${Number(name) + RATINGS - 1}` : name);
    // Phases are in the order of a game, White is before Black, and what has no value comes last.
    const order = (name) => (/^no |^others$/.test(name) ? 9 : ["opening", "middlegame", "white"].indexOf(name) + 1 || 4);
    const groups = this.sums.groups.toSorted(({ name: one }, { name: other }) => order(one) - order(other) || one.localeCompare(other, "en", { numeric: true }));
    const names = groups.map(({ name, positions }) => [name, `${title(name)} (${plural(positions, "position")})`]);
    byId("summary-groups").hidden = names.length < 2;
    this.offer(byId("summary-group"), [["", "all"], ...names]);
    this.offer(byId("summary-minus"), [[NOTHING, "nothing"], ["", "all"], ...names]);
  }

  /** Offers these choices, values and texts. The one that is chosen stays so, if it is among them. */
  offer(select, choices) {
    if (select.dataset.offered === JSON.stringify(choices)) return;
    const chosen = select.length > 0 ? select.value : choices[0][0];
    select.dataset.offered = JSON.stringify(choices);
    select.replaceChildren(...choices.map(([value, text]) => html("option", { value, selected: value === chosen }, text)));
  }

  /** The board of a column, which keeps its cells as its numbers change. Its table is made as it is drawn. */
  figure(column) {
    const known = this.figures.get(column);
    if (known) return known;
    const [caption, table] = [html("figcaption"), html("table", { class: "heat", role: "grid" })];
    const figure = { element: html("figure", { "data-find": column }, caption, table), caption, table, cells: [], texts: [] };
    this.figures.set(column, figure);
    return figure;
  }

  /** The boards of a product, which stay as its numbers change. */
  section(title) {
    const known = this.sections.get(title);
    if (known) return known;
    const [note, pair] = [html("p", { class: "note" }), html("div", { class: "pair" })];
    const section = { element: html("section", { class: "stat", "aria-label": title }, html("h2", {}, title), note, pair), note, pair };
    this.sections.set(title, section);
    this.observer.observe(section.element);
    return section;
  }

  draw() {
    if (!this.sums) return;
    byId("summary-result").hidden = false;
    this.showGroups();
    const isMean = byId("measure-mean").checked;
    const parts = this.parts();
    const boards = parts.filter(({ isSingle }) => !isSingle);
    // Each product has its own scale, so that what is rare is seen as well.
    const groups = new Map();
    for (const part of boards) {
      const known = this.product.get(part.column ?? part.title);
      const title = productTitle(known?.product ?? { name: part.title });
      groups.set(title, [...(groups.get(title) ?? []), part]);
    }
    const strongest = [];
    this.waiting.clear();
    const sections = [...groups].map(([title, group]) => {
      const most = Math.max(0, ...group.flatMap(({ numbers }) => numbers.map(Math.abs)));
      strongest.push(most);
      const { element, note, pair } = this.section(title);
      const meaning = this.product.get(group[0].column ?? group[0].title)?.product.definition;
      note.textContent = `${meaning ? `${meaning}. ` : ""}The strongest colour is ${heatText(most, false, isMean)}.`;
      const figures = group.map(({ title, column = title }) => this.figure(column));
      element.style.gridRow = `span ${Math.ceil(group.length / 2)}`;
      showChildren(pair, figures.map(({ element }) => element));
      this.waiting.set(element, () => group.forEach((part, at) => drawHeat(figures[at], part, most, isMean)));
      return element;
    });
    byId("summary-legend").textContent = this.legend(boards, Math.max(...strongest));
    showChildren(byId("summary-boards"), sections);
    const singles = parts.filter(({ isSingle }) => isSingle);
    byId("summary-singles").replaceChildren(...singles.map(({ title, numbers, isMinus }) => html("p", {}, `${capital(title.replaceAll("_", " "))}: ${isMean ? "mean" : "above 0 in"} ${heatText(numbers[0], isMinus, isMean)}`)));
    byId("summary-copy").replaceChildren(copyButton("the sums as CSV", () => this.table()));
    this.drawNear();
  }

  /** Draws the boards that are seen, and leaves the others to later frames: all of them take longer than one. */
  drawNear() {
    for (const section of this.near) this.drawSection(section);
    byId("summary-boards").setAttribute("aria-busy", String(this.waiting.size > 0));
    cancelAnimationFrame(this.frame);
    if (this.waiting.size > 0) this.frame = requestAnimationFrame(() => this.drawRest());
    else if (!this.entered?.checkVisibility()) {
      const first = byId("summary-boards").querySelector("section:not([hidden]) figure:not([hidden]) [data-square='56']");
      if (first) this.enter(first);
    }
  }

  drawRest() {
    const start = performance.now();
    for (const section of this.waiting.keys()) {
      if (performance.now() - start > SLICE) break;
      this.drawSection(section);
    }
    this.drawNear();
  }

  drawSection(section) {
    this.waiting.get(section)?.();
    this.waiting.delete(section);
  }

  /** What the colours of some boards mean, the strongest of which stands for this number. */
  legend(boards, most) {
    if (boards.length === 0) return byId("boards-minus").checked ? "These products have no sides to compare." : "";
    if (most === 0) return "All numbers are 0.";
    if (!boards.some(({ isMinus }) => isMinus)) return "";
    const [group, other] = this.chosenGroups();
    if (!other) return "Blue: White has more. Orange: Black has more.";
    const what = byId("boards-minus").checked ? "White has more than Black, most" : "more";
    return `Blue: ${what} in ${group.name ?? "all"}. Orange: ${what} in ${other.name ?? "all"}.`;
  }

  /** All sums, as the command writes them to CSV without groups. */
  table() {
    const { positions, columns } = this.sums;
    const digits = (number) => String(Number(number.toFixed(6)));
    const named = new Map(columns.map((column) => [column.name, column]));
    const minus = (one, other) => one.map((number, at) => number - other[at]);
    const all = columns.flatMap((column) => {
      // After each pair of White and Black, the difference.
      const other = column.name.startsWith("black_") && named.get(column.name.replace("black", "white"));
      return other ? [column, { ...column, name: column.name.replace("black", "difference"), present: minus(other.present, column.present), sum: minus(other.sum, column.sum) }] : [column];
    });
    const rows = all.flatMap(({ name, isSingle, present, sum }) => present.map((count, square) =>
      [positions, name, isSingle ? "" : squareName(square), count, digits(count / Math.max(1, positions)), sum[square], digits(sum[square] / Math.max(1, positions))].join(",")));
    return `positions,column,square,count,share,sum,mean\n${rows.join("\n")}\n`;
  }
}
