"use strict";
const detail = document.getElementById("detail");
// The squares of each board, which are many: they are looked for once.
const known = new WeakMap();
const cellsOf = (board) => known.get(board) ?? known.set(board, [...board.querySelectorAll("td")]).get(board);
const text = (id) => document.getElementById(id).textContent;

// The boards that are seen, or nearly, and the square that is marked on them: marks of all boards would take longer than a frame.
const near = new Set();
let marked = { board: undefined, place: -1 };
const mark = (board) => cellsOf(board)[marked.place]?.classList.toggle("same", board !== marked.board);
const observer = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    near[isIntersecting ? "add" : "delete"](target);
    if (isIntersecting) mark(target);
    else target.querySelector("td.same")?.classList.remove("same");
  }
}, { rootMargin: "100px" });
const observe = (part) => part.querySelectorAll("table").forEach((board) => observer.observe(board));
observe(document);

// Shows the numbers of a square, and marks the same square on all boards.
function show(cell) {
  const board = cell.closest("table");
  detail.textContent = [cell.ariaLabel, ...board.getAttribute("aria-labelledby").split(" ").map(text)].join(" · ");
  near.forEach((other) => cellsOf(other)[marked.place]?.classList.remove("same"));
  marked = { board, place: cellsOf(board).indexOf(cell) };
  near.forEach(mark);
}

// Each board has one place among those that the key Tab reaches: the square that had the focus last.
function enter(cell) {
  cellsOf(cell.closest("table")).forEach((other) => (other.tabIndex = other === cell ? 0 : -1));
  show(cell);
}

function step(key, control, place) {
  const column = place % 8;
  switch (key) {
    case "ArrowLeft": return column > 0 ? place - 1 : place;
    case "ArrowRight": return column < 7 ? place + 1 : place;
    case "ArrowUp": return place > 7 ? place - 8 : place;
    case "ArrowDown": return place < 56 ? place + 8 : place;
    case "Home": return control ? 0 : place - column;
    case "End": return control ? 63 : place - column + 7;
  }
}

const square = (event) => event.target instanceof Element && event.target.closest("td");
document.addEventListener("focusin", (event) => square(event) && enter(square(event)));
document.addEventListener("pointerover", (event) => square(event) && show(square(event)));
document.addEventListener("keydown", (event) => {
  const cell = square(event);
  if (!cell || event.altKey || event.metaKey || event.shiftKey) return;
  const cells = cellsOf(cell.closest("table"));
  const next = step(event.key, event.ctrlKey, cells.indexOf(cell));
  if (next === undefined) return;
  event.preventDefault();
  cells[next].focus();
});

// Shows the number and the boards that are chosen.
const choose = () => {
  for (const [id, name] of [["mean", "mean"], ["minus", "differences"]]) document.documentElement.classList.toggle(name, document.getElementById(id)?.checked === true);
};
document.querySelector("form").addEventListener("change", choose);
choose();

// Shows the groups whose names have what is typed, and their links.
document.getElementById("search")?.addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  document.querySelectorAll("nav li").forEach((item) => {
    const isShown = item.textContent.toLowerCase().includes(wanted);
    item.hidden = !isShown;
    document.querySelector(item.firstChild.hash).parentElement.hidden = !isShown;
  });
});

// Puts groups in an order, a few per frame: to move boards that were seen takes long.
const PER_FRAME = 8;
let placing;
function place(ordered, at = 0) {
  const before = ordered[at - 1] ?? document.getElementById("compared")?.parentElement ?? document.querySelector("form");
  const next = at + PER_FRAME;
  before.after(...ordered.slice(at, next));
  if (next < ordered.length) placing = requestAnimationFrame(() => place(ordered, next));
}

// Puts the groups that differ most from all positions first, and their links, or all back as they were.
const sections = [...document.querySelectorAll("section")];
document.getElementById("order")?.addEventListener("change", ({ target }) => {
  const difference = (group) => (target.value === "difference" ? -Number(group.dataset.difference) : 0);
  const ordered = sections.toSorted((one, other) => difference(one) - difference(other));
  const links = new Map([...document.querySelectorAll("nav li")].map((item) => [item.firstChild.hash.slice(1), item]));
  document.querySelector("nav ul").append(...ordered.map((group) => links.get(group.querySelector("h2").id)));
  cancelAnimationFrame(placing);
  place(ordered);
});

// Compares two groups: their difference is a group of its own, above all others.
const [one, other] = ["one", "other"].map((id) => document.getElementById(id));

// A share as people read it, and a mean.
function shownShare(value) {
  const sign = value < 0 ? "−" : "+";
  const size = 100 * Math.abs(value);
  return size === 0 ? "0" : size < 1 ? `${sign}<1%` : `${sign}${Math.round(size)}%`;
}
const shownMean = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2).replace(/^(-)?/, (_, minus) => (minus ? "−" : "+")));

// A number of a square, as its label has it. The mean of a set is its share, and its label has no other.
function measured(cell, name) {
  const of = (name) => cell.ariaLabel.match(`${name} ([-+.\\d]+)`)?.[1];
  return Number(of(name) ?? of("share"));
}

// The squares of a section, with the product and the measures of each.
const squaresOf = (section) => [...section.querySelectorAll("figure")].flatMap((figure) =>
  [...figure.querySelectorAll("td")].map((cell) => ({ cell, scale: `${figure.dataset.product} ${figure.classList[0]}` })));

// Turns a copy of a group into what this group has more than another one.
function subtract(copy, group, other) {
  const most = {};
  const [minuends, subtrahends] = [group, other].map(squaresOf);
  const squares = squaresOf(copy).map(({ cell, scale }, at) => {
    const [share, mean] = ["share", "mean"].map((name) => measured(minuends[at].cell, name) - measured(subtrahends[at].cell, name));
    const known = (most[scale] ??= { share: 0, mean: 0 });
    Object.assign(known, { share: Math.max(known.share, Math.abs(share)), mean: Math.max(known.mean, Math.abs(mean)) });
    return { cell, share, mean, most: known };
  });
  for (const { cell, share, mean, most } of squares) {
    const measures = { share, mean };
    const hasMean = cell.ariaLabel.includes("mean");
    const seen = [shownShare(share), ...(cell.querySelector("b") ? [shownMean(mean)] : [])].join(", ");
    cell.ariaLabel = `${cell.ariaLabel.slice(0, 2)}: share ${share.toFixed(4)}${hasMean ? `, mean ${mean.toFixed(4)}` : ""}; ${seen}`;
    for (const name of ["share", "mean"]) cell.style.setProperty(`--${name}`, most[name] > 0 ? (measures[name] / most[name]).toFixed(3) : "0");
    cell.querySelector("i").firstChild.data = shownShare(share);
    if (cell.querySelector("b")) cell.querySelector("b").firstChild.data = shownMean(mean);
  }
}

// A copy of a group, for the difference of two.
function copied(group) {
  const copy = group.cloneNode(true);
  copy.hidden = false;
  // Its names are its own, and it has squares of both colours.
  copy.querySelectorAll("figcaption").forEach((caption) => (caption.id = `compared-${caption.id}`));
  copy.querySelectorAll("table").forEach((board) => board.setAttribute("aria-labelledby", `${board.closest("figure").querySelector("figcaption").id} compared`));
  copy.querySelectorAll("figure").forEach((figure) => figure.classList.remove("black"));
  copy.querySelectorAll("td.same").forEach((cell) => cell.classList.remove("same"));
  copy.querySelectorAll(":scope > p").forEach((note) => note.remove());
  copy.querySelector("h2").id = "compared";
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = "Blue: the first has more. Orange: the second has more.";
  copy.querySelector("h2").after(note);
  return copy;
}

function compare() {
  const known = document.getElementById("compared")?.parentElement;
  if (!one.value) return known?.remove();
  const [group, subtracted] = [one, other].map((select) => document.getElementById(select.value));
  const copy = known ?? copied(group.parentElement);
  const title = copy.querySelector("h2");
  title.replaceChildren(...[group, subtracted].flatMap((group, at) => [at ? " minus " : "", ...[...group.childNodes].map((node) => node.cloneNode(true))]));
  subtract(copy, group.parentElement, subtracted.parentElement);
  if (!known) {
    document.querySelector("section").before(copy);
    observe(copy);
  }
  detail.textContent = title.textContent;
}

if (one) {
  const groups = () => sections.map((section) => section.querySelector("h2").id).map((id) => new Option(document.querySelector(`nav a[href="#${id}"]`).textContent, id));
  one.append(...groups());
  other.append(...groups());
  other.selectedIndex = 1;
  one.addEventListener("change", compare);
  other.addEventListener("change", compare);
}
