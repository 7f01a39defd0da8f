"use strict";
const detail = document.getElementById("detail");
// The squares of each board, which are many: they are looked for once.
const known = new WeakMap();
const cellsOf = (board) => known.get(board) ?? known.set(board, [...board.querySelectorAll("td")]).get(board);
const boards = [...document.querySelectorAll("table")];
const text = (id) => document.getElementById(id).textContent;

// Shows the numbers of a square, and marks the same square on all boards.
function show(cell) {
  const board = cell.closest("table");
  const place = cellsOf(board).indexOf(cell);
  detail.textContent = [cell.ariaLabel, ...board.getAttribute("aria-labelledby").split(" ").map(text)].join(" · ");
  document.querySelectorAll("td.same").forEach((same) => same.classList.remove("same"));
  boards.forEach((other) => {
    if (other !== board) cellsOf(other)[place].classList.add("same");
  });
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

// Shows the groups whose names have what is typed, and their links.
document.getElementById("search")?.addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  document.querySelectorAll("nav li").forEach((item) => {
    const isShown = item.textContent.toLowerCase().includes(wanted);
    item.hidden = !isShown;
    document.querySelector(item.firstChild.hash).parentElement.hidden = !isShown;
  });
});

// Puts the groups that differ most from all positions first, and their links, or all back as they were.
const sections = [...document.querySelectorAll("section")];
document.getElementById("order")?.addEventListener("change", ({ target }) => {
  const difference = (group) => (target.value === "difference" ? -Number(group.dataset.difference) : 0);
  const ordered = sections.toSorted((one, other) => difference(one) - difference(other));
  const links = new Map([...document.querySelectorAll("nav li")].map((item) => [item.firstChild.hash.slice(1), item]));
  document.querySelector("main").append(...ordered);
  document.querySelector("nav ul").append(...ordered.map((group) => links.get(group.querySelector("h2").id)));
});
