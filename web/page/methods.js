// The methods: what a slider attacks, step by step, as the library computes it.
import { Board } from "./board.js";
import { complain, copyButton, hexOf, say, squareNumber, squaresOf, svg } from "./dom.js";
import { byId, capital, html, plural, squareName } from "../../rows/src/sums/page/elements.js";

const LETTERS = { queen: "Q", rook: "R", bishop: "B" };

/** What steps do that have no rule of their own below. */
const EXPLAINED = {
  "occupancy": "All pieces on the board.",
  "halves or-ed": "The upper half of the board, laid over the lower one: on these lines, pieces do not overlap. 32 bits are left.",
  "upper << 3 or-ed": "The ends of the file are left out: a piece there hides nothing. The upper half, shifted by three files, is laid over the lower one without overlap. 32 bits are left.",
  "lowest row": "The pieces of the line, moved down to the first rank.",
  "shifted, inner": "The rank as eight bits. Its first and last bit are left out: a piece there hides nothing.",
  "8 x inner + file": "The index into the table, which has a byte for each of 64 occupancies of the inner squares, and for each of 8 files of the slider.",
  "flipped": "The board, flipped at its long diagonal: the files become ranks.",
  "pseudo-rotated": "Each file, rotated by a different number of squares: the diagonals of this direction become ranks.",
  "on its rank": "The looked-up byte, on the rank of the turned slider.",
  "turned back": "The same turn, undone.",
  "times the A-file": "The byte, repeated on all ranks: one multiplication.",
  "& H-file": "Only the h-file is kept: the byte stands upright there.",
  "upper bits index": "A shift leaves the bits at the top. How many depends on the rank of the slider: the table is small.",
  "inner bits index": "The bits between the first and the last one: a number below 64.",
};

/** What a step does, for who sees it for the first time. `before` is the step before it, `mask` that of the line. */
function explain(step, before, mask, { method, line }) {
  const { kind, value } = step;
  const caption = step.caption.replace(/ +/g, " ");
  const copies = squaresOf(value);
  const index = before?.kind === "index" ? ` (${parseInt(before.value, 16)})` : "";
  if (caption === "masked line" && method === "rotated" && line !== "rank") return "The pieces on the slider's line, for comparison: this method rotates the whole board, and extracts the line at the end.";
  if (caption === "as the A-file") return `The file, moved to the a-file by a shift.${squaresOf(before.value).length > copies.length ? " Its ends are left out: a piece there hides nothing." : ""}`;
  if (caption === "x rank's factor") return `A factor with ${copies.length} bits, one for each rank of the slider, found by trial.`;
  if (caption === "masked line") return ["Only those on the slider's line count: an AND with its mask, ", html("code", {}, mask)];
  if (caption in EXPLAINED) return EXPLAINED[caption];
  if (/^[x×] /.test(caption)) return `A factor with ${plural(copies.length, "bit")}: the product is the sum of ${plural(copies.length, "copy", "copies")}, shifted by ${copies.join(", ")}.`;
  if (caption === "= product" && before.caption.endsWith("factor")) return "The sum of the shifted copies. Carries make the upper bits differ for different pieces on the line.";
  if (caption === "= product") return before.caption.endsWith("a1-h8") ? "The sum of the shifted copies. Each bit of the byte lands on its own rank of the h-file." : "The sum of the shifted copies. The bits of the line come together, one beside the other.";
  if (kind === "index") return `A shift leaves the inner bits of the line: a number below ${2 ** step.bits}.`;
  if (caption === "table entry") return `The table entry at this index${index}, computed in advance.`;
  if (caption === "looked-up byte") return `The table entry at this index${index}: the attacks along one rank, computed in advance.`;
  if (caption === "entry attacks") return `The entry of the table of this square at this index${index}: the squares that the slider attacks along this line.`;
  if (caption.startsWith("or")) return "The board combined with a shifted copy: the pieces of the line move down without overlap.";
  if (caption.includes("attacks")) return "The squares that the slider attacks along this line.";
  return "";
}

/** How many upper bits of a step the next one takes as an index. */
const indexBits = (step, next) => (next?.kind === "index" && (step.caption.includes("product") || /^(>>|upper)/.test(next.caption)) ? next.bits : 0);

/** A small drawn board, or the bits of a number. `indexed` upper bits are marked. */
function drawStep(step, slider, mask, indexed = 0) {
  const { kind, value, bits } = step;
  const number = BigInt(value);
  const parts = [];
  if (kind === "squares" || kind === "word") {
    const on = new Set(squaresOf(value));
    for (let square = 0; square < 64; square++) {
      const [x, y] = [10 * (square & 7), 70 - 10 * (square >> 3)];
      const isLine = kind === "squares" && mask.has(square);
      parts.push(svg("rect", { x: x + 0.5, y: y + 0.5, width: 9, height: 9, rx: 1.5, class: on.has(square) ? "bit on" : isLine ? "bit line" : "bit" }));
      // The upper bits become the index: the whole trick.
      if (square >= 64 - indexed) parts.push(svg("rect", { x: x + 1, y: y + 1, width: 8, height: 8, rx: 1.5, class: "bit-index" }));
      if (kind === "squares" && square === slider) parts.push(svg("circle", { cx: x + 5, cy: y + 5, r: 3, class: "bit-slider" }));
    }
    return svg("svg", { viewBox: "0 0 80 80", class: "mini", "aria-hidden": "true" }, parts);
  }
  for (let bit = 0; bit < bits; bit++) {
    const isOn = (number >> BigInt(bit)) & 1n;
    parts.push(svg("rect", { x: 10 * bit + 0.5, y: 0.5, width: 9, height: 9, rx: 1.5, class: isOn ? "bit on" : "bit" }),
      svg("text", { x: 10 * bit + 5, y: 17, class: "bit-number" }, String(bit)));
  }
  return svg("svg", { viewBox: `0 0 ${10 * Math.max(8, bits)} 20`, class: "mini", "aria-hidden": "true" }, parts);
}

/** The mode in which methods are seen. `link` holds what the link holds, and `changed` is called after a change. */
export class Methods {
  constructor(engine, about, link, changed) {
    Object.assign(this, { engine, about, link, changed });
    const keys = "Arrow keys move. Enter puts a piece on a square or takes it away; on the slider, it picks it up and puts it down. Q, R and B put a slider.";
    this.board = new Board(byId("methods-board"), "Board of the slider", keys, {
      press: (square) => this.toggle(square),
      move: (from, to) => (to >= 0 ? this.put(to) : this.draw()),
      still: () => this.draw(),
      // The steps follow the slider while it is dragged, once a frame.
      over: (from, to) => {
        const isWaiting = this.dragged !== undefined;
        this.dragged = to;
        if (isWaiting) return;
        requestAnimationFrame(() => {
          const square = this.dragged;
          this.dragged = undefined;
          if (this.board.cancelDrag && square >= 0) this.draw(square);
        });
      },
      lift: (square) => {
        if (square >= 0) say(`${this.link.slider} picked up`);
        this.draw();
      },
      putDown: (square) => say(`${this.link.slider} stays on ${squareName(square)}`),
      place: (letter, square) => (letter === "." ? this.clearSquare(square) : /[qrb]/i.test(letter) ? this.put(square, letter) : this.toggle(square)),
    });
    this.board.isEager = true;
    this.board.grid.classList.add("eager");
    const choice = (name, values, host, text = capital) => byId(host).append(...values.map((value) =>
      html("label", {}, html("input", { type: "radio", name, value, onchange: () => this.set({ [name]: value }) }), html("span", {}, text(value)))));
    choice("slider", ["queen", "rook", "bishop"], "sliders");
    choice("line", about.lines, "lines");
    byId("method").append(...about.methods.map(({ name, source }) => html("option", { value: name }, `${name}: ${source}`)));
    byId("method").addEventListener("change", (event) => this.set({ method: event.target.value }));
    byId("occ").addEventListener("change", (event) => {
      const text = event.target.value.trim();
      // As the command has it.
      const isNumber = /^(0x[0-9a-f]+|\d+)$/i.test(text) && text.length < 100 && BigInt(text) < 1n << 64n;
      if (isNumber) this.set({ occ: hexOf(BigInt(text)) });
      else complain(`expected 0x and hexadecimal digits, or a decimal number, below 2^64, found ${JSON.stringify(text.slice(0, 40))}`);
    });
    byId("occ-clear").addEventListener("click", () => this.set({ occ: hexOf(0n) }));
    byId("occ-random").addEventListener("click", () => {
      const [one, other] = crypto.getRandomValues(new BigUint64Array(2));
      this.set({ occ: hexOf(one & other) });
    });
  }

  get square() {
    return squareNumber(this.link.square);
  }

  /** Changes something, and tells what comes of it. */
  set(change, text) {
    Object.assign(this.link, change);
    this.changed();
    say(`${[text, byId("steps-title").textContent, byId("method-result").querySelector("strong")?.textContent].filter(Boolean).join(". ")}.`);
  }

  put(square, letter) {
    const slider = Object.keys(LETTERS).find((name) => LETTERS[name] === letter?.toUpperCase());
    this.set({ square: squareName(square), ...(slider && { slider }) });
  }

  toggle(square) {
    if (square === this.square) return false;
    const occ = BigInt(this.link.occ) ^ (1n << BigInt(square));
    this.set({ occ: hexOf(occ) }, `${squareName(square)} ${(occ >> BigInt(square)) & 1n ? "is occupied" : "is empty"}`);
    return true;
  }

  clearSquare(square) {
    if (square === this.square) return say("The slider stays: put it on another square");
    this.set({ occ: hexOf(BigInt(this.link.occ) & ~(1n << BigInt(square))) }, `${squareName(square)} is empty`);
  }

  /** Whether a link holds what can be drawn. */
  check() {
    const { method, slider, square, line, occ } = this.link;
    const known = [
      ["method", method, this.about.methods.some(({ name }) => name === method)],
      ["slider", slider, Object.hasOwn(LETTERS, slider)],
      ["square", square, squareNumber(square) >= 0],
      ["line", line, this.about.lines.includes(line)],
      ["occ", occ, /^0x[0-9a-f]{16}$/.test(occ)],
    ];
    return known.filter(([, , isKnown]) => !isKnown).map(([name, value]) => [name, `the ${name} of the link is not known: ${JSON.stringify(value.slice(0, 40))}`]);
  }

  draw(square = this.square) {
    const { method, slider, occ } = this.link;
    const name = squareName(square);
    const answer = this.engine.call("method", `${method} ${slider} ${name} ${occ}`);
    if (answer.error) return complain(answer.error);
    byId("method").value = method;
    byId("occ").value = occ;
    const about = this.about.methods.find((other) => other.name === method);
    byId("method-about").textContent = `A queen costs ${about.operations.replace(/, (\d+) other/, " and $1 other operations")}; the tables have ${about.tableBytes.toLocaleString("en")} bytes. Source: ${about.source}.`;
    document.querySelectorAll("#sliders input").forEach((input) => (input.checked = input.value === slider));
    const lines = answer.lines.map(({ line }) => line);
    const shown = answer.lines.find(({ line }) => line === this.link.line) || answer.lines[0];
    document.querySelectorAll("#lines input").forEach((input) => {
      input.checked = input.value === shown.line;
      input.disabled = !lines.includes(input.value);
    });
    const attacked = new Set(squaresOf(answer.attacks));
    const occupied = new Set(squaresOf(occ));
    const onLine = new Set(squaresOf(shown.attacks));
    const mask = new Set(squaresOf(shown.mask));
    const { board } = this;
    // A piece that is dragged is drawn by who drags it.
    if (!board.cancelDrag) board.show(Array.from({ length: 64 }, (_, at) => (at === square ? LETTERS[slider] : ".")).join(""));
    board.under.replaceChildren();
    board.over.replaceChildren();
    for (let at = 0; at < 64; at++) {
      const [x, y] = board.corner(at);
      if (mask.has(at)) board.under.append(svg("rect", { x, y, width: 100, height: 100, class: "fill-both", "fill-opacity": 0.16 }));
      if (attacked.has(at)) board.under.append(svg("rect", { x, y, width: 100, height: 100, class: "fill-white", "fill-opacity": onLine.has(at) ? 0.6 : 0.28 }));
      if (occupied.has(at) && at !== square) board.under.append(svg("rect", { x: x + 22, y: y + 22, width: 56, height: 56, rx: 14, class: "blocker" }));
    }
    board.name((at) => [...(occupied.has(at) && at !== square ? ["occupied"] : []), ...(attacked.has(at) ? ["attacked"] : [])]);
    const steps = shown.steps.map((step, number) => {
      const { caption, kind, value, bits } = step;
      const decimal = parseInt(value, 16);
      const isBits = kind === "index" || kind === "row";
      const code = isBits ? `0b${decimal.toString(2).padStart(bits, "0")} = ${decimal}` : value;
      const squares = kind === "squares" ? squaresOf(value).map(squareName).join(", ") || "none" : "";
      return html("li", { class: "step", "data-caption": caption, "data-value": value },
        html("h3", {}, html("span", { class: "note" }, `${number + 1} `), caption), drawStep(step, square, mask, indexBits(step, shown.steps[number + 1])),
        html("div", { class: "layer-head" }, html("code", {}, code), html("span", { class: "space" }), copyButton(`step ${number + 1}`, () => value)),
        html("p", { class: "note" }, explain(step, shown.steps[number - 1], shown.mask, { method, line: shown.line })), squares && html("p", { class: "away" }, squares));
    });
    byId("steps").replaceChildren(...steps);
    byId("steps-note").hidden = !byId("steps").querySelector(".bit-index");
    byId("steps-title").textContent = `${capital(shown.line)} of ${name}, ${plural(steps.length, "step")}`;
    const squares = squaresOf(answer.attacks).map(squareName);
    byId("method-result").replaceChildren(html("div", { class: "layer-head" }, html("strong", {}, `All lines: the ${slider} attacks ${plural(squares.length, "square")}`),
      html("span", { class: "space" }), html("code", {}, answer.attacks), copyButton("the attack set", () => answer.attacks)), html("p", { class: "squares" }, squares.join(", ") || "none"));
  }
}
