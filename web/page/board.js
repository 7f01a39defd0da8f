// A board: squares, pieces and marks as a drawing, and over it a grid of squares for the pointer, keys and readers of screens.
import { svg, pieceName } from "./dom.js";
import { html, squareName } from "../../rows/src/sums/page/elements.js";
import { pieceShape } from "./pieces.js";

const EDGE = 30;

export class Board {
  /**
   * `keys` says what keys do. `on` has functions: `place(letter, square)` puts a piece (or none) on a square, `move(from, to)` moves one (off the board if
   * `to` is -1), `focus(square)` and `press(square)`, which returns whether it has done something.
   */
  constructor(host, label, keys, on) {
    this.on = on;
    this.pieces = ".".repeat(64);
    this.isFlipped = false;
    this.isEager = false;
    this.lifted = -1;
    this.clicked = -1;
    /** The square that the pointer is over. */
    this.seen = -1;
    /** Whether the last thing done here was done by a pointer: then, arrow keys walk through a game. */
    this.isByPointer = false;
    this.under = svg("g");
    this.shapes = svg("g");
    this.over = svg("g", { class: "over" });
    this.edge = svg("g", { class: "edge" });
    this.fields = svg("g");
    this.drawing = svg("svg", { viewBox: `0 0 ${800 + EDGE} ${800 + EDGE}`, "aria-hidden": "true" }, this.edge,
      svg("g", { transform: `translate(${EDGE} 0)` }, this.fields, this.under, this.shapes, this.over));
    this.cells = [];
    this.grid = html("div", { role: "grid", "aria-label": label, "aria-describedby": `${host.id}-keys`, class: "grid" });
    host.append(html("p", { id: `${host.id}-keys`, class: "away" }, keys));
    for (let row = 0; row < 8; row++) {
      const cells = Array.from({ length: 8 }, () => html("div", { role: "gridcell", tabindex: "-1" }));
      this.cells.push(...cells);
      this.grid.append(html("div", { role: "row" }, cells));
    }
    this.focused = 4;
    host.append(html("div", { class: "board" }, this.drawing, this.grid));
    this.grid.addEventListener("focusin", (event) => this.enter(this.cells.indexOf(event.target)));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("pointerdown", (event) => this.grab(event, this.squareAt(event)));
    // What a pointer without a button is over.
    const peek = (square) => {
      if (square === this.seen || this.cancelDrag) return;
      this.seen = square;
      this.on.peek?.(square);
    };
    this.grid.addEventListener("pointermove", (event) => event.pointerType === "mouse" && event.buttons === 0 && peek(this.squareAt(event)));
    this.grid.addEventListener("pointerleave", () => peek(-1));
    this.turn(false);
  }

  /** The square of a cell, and the cell of a square: the same sum, because turning twice changes nothing. */
  turned(place) {
    return this.isFlipped ? (7 - (place & 7)) + (place & 56) : (place & 7) + (56 - (place & 56));
  }

  /** Where a square is drawn. */
  corner(square) {
    const place = this.turned(square);
    return [100 * (place & 7), 100 * (place >> 3)];
  }

  cell(square) {
    return this.cells[this.turned(square)];
  }

  /** The square under the pointer, or -1. */
  squareAt({ clientX, clientY }) {
    const box = this.grid.getBoundingClientRect();
    const [file, row] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height].map((part) => Math.floor(8 * part));
    return file < 0 || file > 7 || row < 0 || row > 7 ? -1 : this.turned(8 * row + file);
  }

  turn(isFlipped) {
    this.cancelDrag?.();
    const hadFocus = this.grid.contains(document.activeElement);
    this.isFlipped = isFlipped;
    this.fields.replaceChildren();
    this.edge.replaceChildren();
    for (let square = 0; square < 64; square++) {
      const [x, y] = this.corner(square);
      const shade = ((square & 7) + (square >> 3)) % 2 === 0 ? "dark" : "light";
      this.fields.append(svg("rect", { x, y, width: 100, height: 100, class: shade }));
      const name = squareName(square);
      if (x === 0) this.edge.append(svg("text", { x: EDGE / 2 - 2, y: y + 58 }, name[1]));
      if (y === 700) this.edge.append(svg("text", { x: EDGE + x + 50, y: 800 + EDGE - 6 }, name[0]));
    }
    this.show(this.pieces);
    this.mark();
    this.enter(this.focused, false);
    // It stays on its square.
    if (hadFocus) this.cell(this.focused).focus({ preventScroll: true });
  }

  /** Marks the cells of what was clicked and of what is picked up. */
  mark() {
    for (const [name, square] of [["lifted", this.lifted], ["clicked", this.clicked]]) {
      this.cells.forEach((cell) => cell.classList.remove(name));
      if (square >= 0) this.cell(square).classList.add(name);
    }
  }

  /** Shows pieces: 64 letters, a1 first; any other sign is an empty square. */
  show(pieces) {
    // A piece that was picked up elsewhere, or is gone, is not in hand any more.
    if (pieces !== this.pieces) this.cancelDrag?.();
    if (this.lifted >= 0 && pieces !== this.pieces) this.letGo();
    this.pieces = pieces;
    this.shapes.replaceChildren();
    this.drawn = [...pieces].map((letter, square) => {
      this.cell(square).classList.toggle("full", letter !== ".");
      if (letter === ".") return undefined;
      const [x, y] = this.corner(square);
      const shape = svg("g", { transform: `translate(${x} ${y})` }, pieceShape(letter));
      this.shapes.append(shape);
      return shape;
    });
    this.name(() => []);
  }

  /** Says what readers of screens tell of each square, in addition to the piece. */
  name(more) {
    for (let square = 0; square < 64; square++) {
      const letter = this.pieces[square];
      const what = letter === "." ? [] : [pieceName(letter)];
      const lifted = this.lifted === square ? ["picked up"] : [];
      this.cell(square).setAttribute("aria-label", [squareName(square), ...what, ...lifted, ...more(square)].join(", "));
    }
  }

  /** One square is among those that the key Tab reaches: the one that had the focus last. */
  enter(square, isReal = true) {
    if (isReal) square = this.turned(square);
    this.cells.forEach((cell) => cell.setAttribute("tabindex", "-1"));
    this.focused = square;
    this.cell(square).setAttribute("tabindex", "0");
    if (isReal) this.on.focus?.(square);
  }

  go(square) {
    this.cell(square).focus({ preventScroll: true });
    // Browsers would scroll for a square of a board that stays in sight.
    const { top, bottom } = this.cell(square).getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) this.cell(square).scrollIntoView({ block: "nearest" });
  }

  /** Keeps which piece was chosen by the last click or tap. */
  click(square) {
    this.clicked = square;
    this.mark();
  }

  letGo() {
    this.lifted = -1;
    this.mark();
  }

  lift(square) {
    this.lifted = square;
    this.mark();
    this.on.lift?.(square);
  }

  /** Leaves the piece that is picked up where it is. */
  leave() {
    const square = this.lifted;
    this.lift(-1);
    this.on.putDown?.(square);
  }

  /** A square is chosen, by a click or by a key. Without `canLift`, no piece is picked up. */
  press(square, canLift = true) {
    if (this.lifted >= 0) {
      const from = this.lifted;
      this.lift(-1);
      if (from !== square) this.on.move(from, square);
      else this.on.putDown?.(square);
    } else if (!this.on.press?.(square) && canLift && this.pieces[square] !== ".") {
      this.lift(square);
    }
  }

  key(event) {
    if (event.altKey || event.metaKey) return;
    if (this.isByPointer && this.lifted < 0 && /^Arrow(Left|Right)$/.test(event.key) && this.on.walks?.()) return;
    this.isByPointer = false;
    const place = this.turned(this.focused);
    const [column, row] = [place & 7, place >> 3];
    const next = {
      ArrowLeft: column > 0 ? place - 1 : place,
      ArrowRight: column < 7 ? place + 1 : place,
      ArrowUp: row > 0 ? place - 8 : place,
      ArrowDown: row < 7 ? place + 8 : place,
      Home: event.ctrlKey ? 0 : place - column,
      End: event.ctrlKey ? 63 : place - column + 7,
    }[event.key];
    if (next !== undefined) this.go(this.turned(next));
    else if (event.ctrlKey) return;
    else if (event.key === "Enter" || event.key === " ") this.press(this.focused);
    else if (event.key === "Escape" && this.lifted >= 0) this.leave();
    else if (event.key === "Delete" || event.key === "Backspace") this.on.place?.(".", this.focused);
    else if (/^[pnbrqk]$/i.test(event.key) && this.on.place) this.on.place(event.key, this.focused);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Follows the pointer with a piece: one from a square, or a new one if there is a letter. */
  grab(event, from, letter = "") {
    // A second finger wants to zoom.
    if (!event.isPrimary) return this.cancelDrag?.();
    if (event.button > 0) return;
    event.preventDefault();
    this.isByPointer = true;
    // A piece that is picked up may be dragged as well, and another one of the side to move takes its place.
    const wasLifted = from >= 0 && this.lifted === from;
    if (this.lifted >= 0 && !letter && (wasLifted || this.on.lifts?.(from))) this.letGo();
    // The first click on a piece shows what it does, and the second one picks it up; a piece that can play is picked up at once.
    const isKnown = wasLifted || (from >= 0 && this.clicked === from);
    const isSeen = isKnown || (from >= 0 && this.on.lifts?.(from));
    this.click(-1);
    if (from >= 0 && event.pointerType === "mouse") this.go(from);
    // A finger that begins to move on a board may want to scroll, so it drags only what was tapped before, unless hardly a square
    // has a piece.
    const isFinger = event.pointerType === "touch";
    const canMove = isFinger && !this.isEager ? isKnown && this.lifted < 0 : letter || (this.pieces[from] !== "." && this.lifted < 0);
    const [startX, startY] = [event.clientX, event.clientY];
    const box = this.grid.getBoundingClientRect();
    const scale = 800 / box.width;
    let [shape, isFar, last] = [undefined, false, from];
    const { pointerId } = event;
    const move = (event) => {
      if (event.pointerId !== pointerId) return;
      isFar ||= Math.hypot(event.clientX - startX, event.clientY - startY) >= 5;
      if (!canMove || !isFar) return;
      if (!shape) {
        shape = letter ? svg("g", {}, pieceShape(letter)) : this.drawn[from];
        this.shapes.append(shape);
        shape.classList.add("moving");
        this.on.drag?.(from);
      }
      const over = this.squareAt(event);
      if (over !== last) this.on.over?.(from, over, letter);
      last = over;
      const [x, y] = [(event.clientX - box.left) * scale - 50, (event.clientY - box.top) * scale - 50];
      shape.setAttribute("transform", `translate(${x} ${y})`);
    };
    const stop = (event) => {
      if (event.pointerId !== pointerId) return;
      for (const [name, listener] of [["pointermove", move], ["pointerup", stop], ["pointercancel", cancel]]) removeEventListener(name, listener);
      this.cancelDrag = undefined;
      if (event.type === "pointercancel") return;
      const to = this.squareAt(event);
      // A finger that has gone far has scrolled.
      if (isFar && !canMove) return;
      if (from >= 0) this.go(from);
      if (!shape && letter) return this.on.choose?.(letter);
      if (!shape && wasLifted) {
        this.mark();
        return this.on.putDown?.(from);
      }
      if (!shape && this.pieces[from] !== "." && this.lifted < 0) {
        this.click(from);
        return this.press(from, isSeen);
      }
      if (!shape) return this.press(from);
      shape.remove();
      if (letter && to >= 0) this.on.place(letter, to);
      else if (!letter && to !== from) this.on.move(from, to);
      else this.show(this.pieces), this.on.still?.();
    };
    const cancel = (event) => {
      if (event.pointerId !== pointerId) return;
      stop(event);
      this.show(this.pieces);
      this.on.still?.();
    };
    this.cancelDrag?.();
    this.cancelDrag = () => cancel({ pointerId, type: "pointercancel" });
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    addEventListener("pointercancel", cancel);
  }
}
