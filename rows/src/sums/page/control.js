// The page that `slider-attacks summarize` writes: its groups, what is shown of them, and what is said of a square.
import { Boards, isolated, legendText, productTitle } from "./boards.js";
import { byId, html, plural } from "./elements.js";

const data = JSON.parse(byId("sums").textContent);
const [host, detail] = [byId("groups"), byId("detail")];
const hint = detail.textContent;
const columnsOf = (columns) => data.columns.map((column, at) => ({ ...column, present: columns[at][0], sum: columns[at][1] ?? columns[at][0] }));
const all = { positions: data.positions, columns: columnsOf(data.sums) };
const groups = data.groups.map(({ keys, positions, sums }, at) => ({ id: `g${at}`, keys, positions, columns: columnsOf(sums), isShown: true }));
const hasBoards = data.columns.some(({ isSingle }) => !isSingle);
const isSums = data.columns.some(({ hasSum }) => hasSum);

/** The values of the keys. */
const valuesOf = ({ keys }) => keys.map((value) => value ?? "unknown");
const nameOf = (group) => valuesOf(group).map(isolated).join(", ");
const titleOf = ({ keys }) => keys.flatMap((value, at) => [...(at ? [", "] : []), html("bdi", {}, data.by[at]), " ", html("bdi", {}, value ?? "unknown")]);

/** How much a group differs from all positions: the mean of the differences of the shares of all squares. */
function differenceOf({ positions, columns }) {
  const share = (numbers, count, at) => numbers[at] / Math.max(1, count);
  const boards = columns.flatMap(({ isSingle, present }, at) => (isSingle ? [] : [[present, all.columns[at].present]]));
  const differences = boards.flatMap(([own, others]) => own.map((_, at) => Math.abs(share(own, positions, at) - share(others, all.positions, at))));
  return differences.reduce((sum, difference) => sum + difference, 0) / Math.max(1, differences.length);
}

const products = new Map(data.products.flatMap(({ name, columns }) => columns.map((column) => [column, { name }])));
const boards = new Boards(host, products, "h3");

/** A group, or the difference of two, without its boards. */
function sectionOf(id, ...children) {
  const cards = html("div", { class: "cards" });
  return { cards, element: html("section", { class: "group" }, html("h2", { id }), ...children, cards) };
}

for (const group of groups) {
  group.difference = Number(differenceOf(group).toFixed(6));
  const points = `Its shares differ from those of all positions by ${(100 * group.difference).toFixed(1)} points on average.`;
  Object.assign(group, sectionOf(group.id, groups.length > 1 && hasBoards && html("p", { class: "note" }, points)));
  const title = titleOf(group);
  group.element.firstChild.append(...title, `${title.length > 0 ? ": " : ""}${plural(group.positions, "position")}`);
  group.element.dataset.difference = group.difference;
  group.link = html("li", {}, html("a", { href: `#${group.id}` }, nameOf(group)));
}
host.classList.toggle("one", new Set(data.columns.filter(({ isSingle }) => !isSingle).map(({ name }) => boards.title({ column: name }))).size < 2);
host.append(...groups.map(({ element }) => element));
byId("links").append(...groups.map(({ link }) => link));
byId("definitions").append(...data.products.flatMap((product) => [html("dt", {}, productTitle(product)), html("dd", {}, `${product.definition}.`)]));
byId("measures").hidden = !isSums;
byId("sides").hidden = !data.columns.some(({ name }) => name.startsWith("white_") && data.columns.some((other) => other.name === name.replace("white", "black")));
byId("contents").hidden = groups.length < 2;
byId("order").parentElement.hidden = !hasBoards;

/** The difference of two groups, above all others. */
const compared = sectionOf("compared", html("p", { class: "note" }));

/** Shows the boards of all groups, and the difference that is chosen. */
function draw() {
  const [isMean, isMinus] = ["measure-mean", "boards-minus"].map((id) => byId(id).checked);
  const [one, other] = ["one", "other"].map((id) => groups.find((group) => group.id === byId(id).value));
  const label = (group) => (group.keys.length > 0 ? `, ${nameOf(group)}` : "");
  const shown = groups.map((group) => ({ host: group.cards, group, label: label(group) }));
  if (one) {
    compared.element.firstChild.replaceChildren(...titleOf(one), " minus ", ...titleOf(other));
    compared.element.querySelector("p").textContent = hasBoards ? legendText(isMinus, [nameOf(one), nameOf(other)]) : "";
    shown.unshift({ host: compared.cards, group: one, other, label: ", one minus the other" });
    if (!compared.element.isConnected) host.prepend(compared.element);
  } else {
    compared.element.remove();
  }
  const most = boards.show(shown, isMean, isMinus);
  const colours = legendText(isMinus) || "Blue is White, orange is Black.";
  byId("legend").textContent = most === undefined ? "" : most === 0 ? "All numbers are 0." : colours;
  unmark();
  if (marked?.checkVisibility() && !marked.closest("figure").hidden) tell({ target: marked });
  else detail.textContent = hint;
}

for (const radio of document.querySelectorAll("form input")) radio.addEventListener("change", draw);
for (const id of ["one", "other"]) {
  byId(id).append(...groups.map((group) => html("option", { value: group.id }, nameOf(group))));
  byId(id).addEventListener("change", draw);
}
byId("other").selectedIndex = 1;

// Shows the groups whose names have what is typed, and their links.
byId("search").addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  for (const group of groups) {
    const isShown = valuesOf(group).join(", ").toLowerCase().includes(wanted);
    if (group.isShown === isShown) continue;
    group.isShown = isShown;
    group.link.hidden = group.element.hidden = !isShown;
  }
  boards.drawNear();
});

/** Puts groups in an order, a few per frame: to move boards that were seen takes long. */
const PER_FRAME = 8;
let placing;
function place(ordered, at = 0) {
  const next = at + PER_FRAME;
  const elements = ordered.slice(at, next).map(({ element }) => element);
  if (at > 0) ordered[at - 1].element.after(...elements);
  else if (compared.element.isConnected) compared.element.after(...elements);
  else host.prepend(...elements);
  if (next < ordered.length) placing = requestAnimationFrame(() => place(ordered, next));
}

// Puts the groups that differ most from all positions first, and their links, or all back as they were.
byId("order").addEventListener("change", ({ target }) => {
  const ordered = target.value === "difference" ? groups.toSorted((one, other) => other.difference - one.difference) : groups;
  byId("links").append(...ordered.map(({ link }) => link));
  cancelAnimationFrame(placing);
  place(ordered);
});

/** The square that the pointer is over, or that has the focus: it is marked on all boards that are seen. */
let marked;
let marks = [];
function unmark() {
  for (const cell of marks) cell.removeAttribute("data-same");
  marks = [];
}
function mark() {
  unmark();
  if (!marked?.isConnected) return;
  marks = [...boards.near].flatMap((card) => [...card.querySelectorAll(`[data-square="${marked.dataset.square}"]`)]).filter((cell) => cell !== marked);
  for (const cell of marks) cell.setAttribute("data-same", "");
}
boards.onNear = mark;

/** Says all numbers of a square. */
function tell({ target }) {
  const cell = target instanceof Element && target.closest("td[data-square]");
  if (!cell) return;
  marked = cell;
  mark();
  const figure = cell.closest("figure");
  boards.drawCard(figure.closest("section"));
  const title = figure.closest(".group").querySelector("h2").cloneNode(true).childNodes;
  detail.replaceChildren(cell.title, " · ", figure.querySelector("figcaption").textContent, " · ", ...title);
}
host.addEventListener("pointerover", tell);
host.addEventListener("focusin", tell);

// The boards are a task of their own, and nothing is seen before it, or it would move.
setTimeout(() => {
  draw();
  document.body.classList.add("ready");
});
