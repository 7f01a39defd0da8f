// Elements, sets of squares, and texts about them.
import { byId, fill, html } from "../../rows/src/sums/page/elements.js";

const SVG = "http://www.w3.org/2000/svg";

/** An element of SVG. */
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** The number of a square, from its name; -1 if there is none. */
export const squareNumber = (name) => (/^[a-h][1-8]$/.test(name) ? "abcdefgh".indexOf(name[0]) + 8 * (name[1] - 1) : -1);

/** The squares of a set such as "0x00000000000000ff", a1 first. */
export function squaresOf(set) {
  const bits = BigInt(set);
  const halves = [Number(bits & 0xffffffffn), Number(bits >> 32n)];
  const squares = [];
  for (let square = 0; square < 64; square++) if ((halves[square >> 5] >>> (square & 31)) & 1) squares.push(square);
  return squares;
}

/** A set as text. */
export const hexOf = (bits) => "0x" + BigInt.asUintN(64, bits).toString(16).padStart(16, "0");

const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** The name of a piece, from its letter in FEN. */
export const pieceName = (letter) => `${letter < "a" ? "white" : "black"} ${PIECES[letter.toLowerCase()]}`;

/** Tells a reader of screens what has changed. */
export function say(text) {
  const place = byId("said");
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

/** What had the focus when a message came. */
let focusedBefore;

/** Shows what is wrong; without text, nothing is. */
export function complain(text) {
  if (text && !byId("error").contains(document.activeElement)) focusedBefore = document.activeElement;
  byId("error").hidden = !text;
  byId("error-text").textContent = text || "";
}

/** Gives the focus to what had it when the message came. */
export function focusBeforeMessage() {
  const target = focusedBefore?.isConnected && focusedBefore.checkVisibility() && focusedBefore !== document.body ? focusedBefore : byId("main");
  target.focus({ preventScroll: true });
}

/** Copies a text, also where the page is not from a safe origin. */
async function copy(text, what) {
  let isDone = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html("textarea", { "aria-hidden": "true", class: "away" });
    area.value = text;
    const focus = document.activeElement;
    document.body.append(area);
    area.select();
    isDone = document.execCommand("copy");
    area.remove();
    focus?.focus();
  }
  say(isDone ? `Copied ${what}` : `The browser does not let this page copy. The text is: ${text}`);
  return isDone;
}

/** Lets a button copy what a function gives, and say so for a moment. */
export function copyOnClick(button, what, text) {
  const usual = button.textContent;
  button.addEventListener("click", async () => {
    // What stands next to it stays in its place.
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = (await copy(text(), what)) ? "Copied" : "No";
    setTimeout(() => (button.textContent = usual), 1200);
  });
  return button;
}

/** A button that copies. */
export const copyButton = (what, text) => copyOnClick(html("button", { type: "button", class: "copy", "aria-label": `Copy ${what}`, title: `Copy ${what}` }, "Copy"), what, text);

/** Lets the arrow keys go through the buttons of rows, so that the key Tab reaches only one of them. */
export function rove(host) {
  const controls = (row) => [...row.querySelectorAll("button, summary")].filter((control) => !control.disabled && control.checkVisibility() && !control.closest(".info > div"));
  const take = (control) => {
    host.querySelectorAll("[data-row] :is(button, summary)").forEach((other) => (other.tabIndex = -1));
    control.tabIndex = 0;
  };
  host.addEventListener("focusin", ({ target }) => target.closest("[data-row]") && target.matches("button, summary") && take(target));
  host.addEventListener("keydown", (event) => {
    const row = event.target.closest("[data-row]");
    if (!row || !event.target.matches("button, summary") || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [host, ...host.querySelectorAll("*")].filter((row) => row.matches("[data-row]")).filter((row) => controls(row).length > 0);
    const [at, column] = [rows.indexOf(row), controls(row).indexOf(event.target)];
    const next = { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1], Home: rows[0], End: rows.at(-1) }[event.key];
    const control = next ? controls(next)[Math.min(column, controls(next).length - 1)] : { ArrowLeft: controls(row)[column - 1], ArrowRight: controls(row)[column + 1] }[event.key];
    if (!/^(Arrow|Home|End)/.test(event.key)) return;
    event.preventDefault();
    control?.focus();
  });
  const first = host.querySelector("li button");
  if (first) first.tabIndex = 0;
}

/** The buttons of one row: the key Tab reaches one of them, and arrow keys the others. */
export function roveRow(row) {
  row.querySelectorAll("button").forEach((button, at) => (button.tabIndex = at ? -1 : 0));
  if ("row" in row.dataset) return; // its keys work
  row.dataset.row = "";
  rove(row);
}
