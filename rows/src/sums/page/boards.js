// Boards of sums: those of Statistics, and those of the page that `slider-attacks summarize` writes.
import { capital, html, squareName } from "./elements.js";

/** How many milliseconds of a frame boards may take that are not seen. */
const SLICE = 4;
/** The numbers of a square: of positions, and of all their values; and both per position. */
const MEASURES = ["count", "share", "sum", "mean"];
const TITLES = { maps: "Attack maps", kind_maps: "Attack maps by piece", counts: "Numbers of attackers", pins: "Checks and pins", xrays: "X-rays" };

/** A name as words. */
export const words = (name) => name.replaceAll("_", " ");

/** What people call a product. */
export const productTitle = ({ name }) => TITLES[name] || capital(words(name));

/** What people call a column. */
export const columnTitle = (name) => capital(words(name.replace("difference_", "White minus Black: ")));

/** A number of a board as text. What is rare is not nothing. */
export function heatText(number, isMinus, isMean) {
  const size = Math.abs(number);
  if (size === 0) return "0";
  const sign = number < 0 ? "−" : isMinus ? "+" : "";
  if (size < 0.01) return isMean ? `${sign}<0.01` : `${sign}<1%`;
  return sign + (isMean ? size.toFixed(size >= 10 ? 0 : 2) : `${Math.round(100 * size)}%`);
}

/** All numbers of a square as text. */
function numbersText(part, square) {
  const text = (measure) => {
    const number = part[measure][square];
    const digits = measure === "count" || measure === "sum" ? String(number) : number.toFixed(4).replace(/^-(0\.0000)$/, "$1");
    return `${measure} ${part.isMinus && digits[0] !== "-" ? "+" : ""}${digits}`;
  };
  // How many positions one group has more than another one says nothing about their squares.
  return MEASURES.filter((measure) => part[measure] && !(part.isOfGroups && "count sum".includes(measure))).map(text).join(", ");
}

/** The numbers of the columns of a group, which are computed once. A column of sets has no sums but those of positions. */
const measurements = new WeakMap();
function measured(group) {
  const { positions, columns } = group;
  const each = (numbers) => numbers?.map((number) => number / Math.max(1, positions));
  const parts = () => columns.map(({ name, isSingle, hasSum, present, sum }) => {
    const shown = hasSum ? sum : undefined;
    return { name, column: name, isSingle, count: present, share: each(present), sum: shown, mean: each(shown) };
  });
  return measurements.get(group) ?? measurements.set(group, parts()).get(group);
}

/** What one part has more than another one. */
const less = (one, other, more) => ({ ...one, isMinus: true, ...more, ...Object.fromEntries(MEASURES.map((measure) => [measure, one[measure]?.map((number, at) => number - other[measure][at])])) });

/** What boards show of a group, or of what it has more than another one: the numbers of each side, or White minus Black. */
function partsOf(group, other, isMinus) {
  const own = measured(group);
  const others = other && measured(other);
  const all = others ? own.map((part, at) => less(part, others[at], { isOfGroups: true })) : own;
  if (!isMinus) return all;
  const named = new Map(all.map((part) => [part.name, part]));
  return all.flatMap((part) => {
    const black = part.name.startsWith("white_") && named.get(part.name.replace("white", "black"));
    return black ? [less(part, black, { name: part.name.replace("white", "difference") })] : [];
  });
}

/** A name whose letters, which may go from right to left, turn nothing around it. */
export const isolated = (name) => `\u2068${name}\u2069`;

/** What the colours mean: of White minus Black, and of one group minus another one, whose names these are. */
export function legendText(isMinus, groups) {
  if (!groups) return isMinus ? "Blue: White has more. Orange: Black has more." : "";
  const what = isMinus ? "White has more than Black, most" : "more";
  return `Blue: ${what} in ${isolated(groups[0])}. Orange: ${what} in ${isolated(groups[1])}.`;
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
function drawHeat(figure, part, most, isMean) {
  if (figure.cells.length === 0) fillTable(figure);
  const { element, caption, table, cells, texts, label } = figure;
  if (element.dataset.column !== part.name) {
    element.dataset.column = part.name;
    caption.textContent = columnTitle(part.name);
    table.setAttribute("aria-label", caption.textContent + label);
  }
  element.classList.toggle("signed", part.isMinus === true);
  const isBlack = part.name.startsWith("black") && !part.isMinus;
  const numbers = numbersOf(part, isMean);
  cells.forEach((cell, square) => {
    const number = numbers[square];
    const text = heatText(number, part.isMinus, isMean);
    const value = most > 0 ? Math.abs(number / most).toFixed(3) : "0";
    if (texts[square].data !== text) {
      texts[square].data = text;
      cell.ariaLabel = `${squareName(square)}: ${text}`;
    }
    if (cell.dataset.value !== value) cell.style.setProperty("--value", (cell.dataset.value = value));
    const side = number < 0 || isBlack ? "below" : "above";
    if (cell.className !== side) cell.className = side;
    const title = `${squareName(square)}: ${numbersText(part, square)}`;
    if (cell.title !== title) cell.title = title;
  });
}

/** The numbers that a board shows. The mean of a set is its share. */
const numbersOf = (part, isMean) => (isMean && part.mean) || part.share;

/** Shows these children of an element in their order, and no other. Those that are left out stay there: to lay them out again takes longer. */
function showChildren(host, children) {
  for (const child of host.children) child.hidden = !children.includes(child);
  let last;
  for (const child of children) {
    const isPlaced = child.parentElement === host && (!last || last.compareDocumentPosition(child) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (!isPlaced && last) last.after(child);
    else if (!isPlaced) host.prepend(child);
    last = child;
  }
}

/** Boards of groups: for each product a card with its boards. Those that are seen are drawn first. */
export class Boards {
  /** `products` has the product of each column: its name, and what a card says of it. `heading` is the level of their titles. */
  constructor(root, products, heading) {
    Object.assign(this, { root, products, heading });
    this.clear();
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", ({ target }) => target.matches("td") && this.enter(target));
    // On paper, all boards are seen.
    addEventListener("beforeprint", () => [...this.waiting.keys()].forEach((card) => this.drawCard(card)));
  }

  /** Forgets all boards. */
  clear() {
    this.observer?.disconnect();
    /** The cards of each element that has some, how to draw those that do not show the last numbers yet, and those that are seen. */
    [this.cards, this.waiting, this.near, this.entered] = [new Map(), new Map(), new Set(), undefined];
    this.observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) this.near[isIntersecting ? "add" : "delete"](target);
      this.drawNear();
      this.onNear?.();
    }, { rootMargin: "100px" });
  }

  /** Shows groups, each in an element, and returns the largest number of all boards, or nothing if there are none. */
  show(groups, isMean, isMinus) {
    this.waiting.clear();
    const all = groups.map((group) => ({ ...group, parts: partsOf(group.group, group.other, isMinus) }));
    // Each product has its own scale, so that what is rare is seen as well; and so have the differences of groups.
    const most = { group: new Map(), minus: new Map() };
    const scale = ({ other }) => most[other ? "minus" : "group"];
    for (const group of all) {
      for (const part of group.parts.filter(({ isSingle }) => !isSingle)) {
        const title = this.title(part);
        scale(group).set(title, Math.max(scale(group).get(title) ?? 0, ...numbersOf(part, isMean).map(Math.abs)));
      }
    }
    for (const group of all) this.showGroup(group, scale(group), isMean);
    this.drawNear();
    const largest = [...most.group.values(), ...most.minus.values()];
    return largest.length > 0 ? Math.max(...largest) : undefined;
  }

  title({ column }) {
    return productTitle(this.products.get(column) ?? { name: column });
  }

  showGroup({ host, label = "", parts }, scale, isMean) {
    const known = this.cards.get(host) ?? this.cards.set(host, new Map()).get(host);
    const products = Map.groupBy(parts.filter(({ isSingle }) => !isSingle), (part) => this.title(part));
    const cards = [...products].map(([title, parts]) => {
      const card = known.get(title) ?? known.set(title, this.card(title)).get(title);
      const { definition } = this.products.get(parts[0].column) ?? {};
      const text = `${definition ? `${definition}. ` : ""}The strongest colour is ${heatText(scale.get(title), false, isMean)}.`;
      if (card.note.textContent !== text) card.note.textContent = text;
      const figures = parts.map(({ column }) => card.figures.get(column) ?? card.figures.set(column, figureOf(column, label)).get(column));
      card.element.style.gridRow = `span ${Math.ceil(parts.length / 2)}`;
      showChildren(card.pair, figures.map(({ element }) => element));
      this.waiting.set(card.element, () => parts.forEach((part, at) => drawHeat(figures[at], part, scale.get(title), isMean)));
      return card.element;
    });
    const singles = parts.filter(({ isSingle }) => isSingle);
    const texts = singles.map((part) => html("p", {}, `${columnTitle(part.name)}: ${isMean ? "mean" : part.isMinus ? "share" : "above 0 in"} ${heatText(numbersOf(part, isMean)[0], part.isMinus, isMean)}`));
    host.querySelectorAll(":scope > p").forEach((text) => text.remove());
    showChildren(host, cards);
    host.prepend(...texts);
  }

  /** The boards of a product, which stay as their numbers change. */
  card(title) {
    const [note, pair] = [html("p", { class: "note" }), html("div", { class: "pair" })];
    const element = html("section", { class: "stat" }, html(this.heading, {}, title), note, pair);
    this.observer.observe(element);
    return { element, note, pair, figures: new Map() };
  }

  /** Draws the boards that are seen, and leaves the others to later frames: all of them take longer than one. */
  drawNear() {
    for (const card of this.near) this.drawCard(card);
    this.root.setAttribute("aria-busy", String(this.waiting.size > 0));
    cancelAnimationFrame(this.frame);
    if (this.waiting.size > 0) this.frame = requestAnimationFrame(() => this.drawRest());
    if (!this.entered?.checkVisibility()) {
      const first = [...this.root.querySelectorAll("[data-square='56']")].find((cell) => cell.checkVisibility() && !cell.closest("figure").hidden);
      if (first) this.enter(first);
    }
  }

  drawRest() {
    const start = performance.now();
    for (const card of this.waiting.keys()) {
      if (performance.now() - start > SLICE) break;
      this.drawCard(card);
    }
    this.drawNear();
  }

  drawCard(card) {
    this.waiting.get(card)?.();
    this.waiting.delete(card);
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
    if (!target.matches("td") || event.altKey || event.metaKey || event.shiftKey || (event.ctrlKey && !/^(Home|End)$/.test(key))) return;
    if (key === "Enter") return target.click();
    const figures = [...this.root.querySelectorAll("figure")].filter((figure) => figure.checkVisibility() && !figure.hidden);
    const square = Number(target.dataset.square);
    const [file, rank, at] = [square & 7, square >> 3, figures.indexOf(target.closest("figure"))];
    const corner = event.ctrlKey ? 1 : 0;
    const [right, up, on] = { ArrowLeft: [-1, 0, -1], ArrowRight: [1, 0, 1], ArrowUp: [0, 1, -1], ArrowDown: [0, -1, 1], PageUp: [0, 0, -1], PageDown: [0, 0, 1], Home: [-file, corner * (7 - rank), 0], End: [7 - file, -corner * rank, 0] }[key] ?? [];
    if (right === undefined) return;
    event.preventDefault();
    const isPast = file + right < 0 || file + right > 7 || rank + up < 0 || rank + up > 7 || (right === 0 && up === 0 && on !== 0);
    const figure = figures[isPast ? at + on : at];
    const other = ((file + right) & 7) + 8 * ((rank + up) & 7);
    if (figure) this.drawCard(figure.closest("section"));
    figure?.querySelector(`[data-square="${other}"]`)?.focus();
  }
}

/** The board of a column, which keeps its cells as its numbers change. Its table is made as it is drawn. */
function figureOf(column, label) {
  const [caption, table] = [html("figcaption"), html("table", { class: "heat", role: "grid" })];
  return { element: html("figure", { "data-find": column }, caption, table), caption, table, label, cells: [], texts: [] };
}
