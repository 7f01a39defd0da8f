// A bitboard of one's own: an expression such as `white_attacks & ~black_attacks`. The library evaluates it in the language of
// conditions. What that lacks is evaluated here: shifts, decimal numbers, layers of the page alone, boards that are no position.
import { copyOnClick, hexOf, squareNumber, squaresOf } from "./dom.js";
import { byId, html, plural } from "../../rows/src/sums/page/elements.js";

const ALL = (1n << 64n) - 1n;
const A_FILE = 0x0101010101010101n;
const H_FILE = A_FILE << 7n;
/** The most letters of an expression. */
const MOST = 400;

/** The rank of each square turned upside down. */
const flip = (set) => [...Array(8).keys()].reduce((all, rank) => all | (((set >> BigInt(8 * rank)) & 255n) << BigInt(56 - 8 * rank)), 0n);
const mirror = (set) => squaresOf(set).reduce((all, square) => all | (1n << BigInt(square ^ 7)), 0n);
const FUNCTIONS = { flip, mirror, north: (set) => set << 8n, south: (set) => set >> 8n, east: (set) => (set & ~H_FILE) << 1n, west: (set) => (set & ~A_FILE) >> 1n };

/** The value of an expression. `known(name)` is the set of a name, if there is one. */
export function evaluate(text, known) {
  if (text.length > MOST) throw new Error(`expected at most ${MOST} letters, found ${text.length}`);
  const tokens = [...text.matchAll(/\s*(0x[0-9a-f_]+|\d+|[a-z]\w*|<<|>>|[&|^~()-]|\S)/gi)].map((found) => [found[1], found.index + found[0].length - found[1].length + 1]);
  let at = 0;
  const peek = () => tokens[at]?.[0];
  const wrong = (what) => new Error(`column ${tokens[at]?.[1] ?? text.length + 1}: ${what}, found ${peek() === undefined ? "the end" : JSON.stringify(peek())}`);
  const expect = (sign) => {
    if (peek() !== sign) throw wrong(`expected ${sign}`);
    at++;
  };
  const one = () => {
    const token = peek();
    if (token === "~") return at++, ~one() & ALL;
    if (token === "(") {
      at++;
      const inner = level(0);
      expect(")");
      return inner;
    }
    if (/^\d/.test(token ?? "")) {
      const digits = token.replaceAll("_", "");
      const number = /^(0x[0-9a-f]+|\d+)$/i.test(digits) ? BigInt(digits) : -1n;
      if (number < 0n || number > ALL) throw wrong("expected a number below 2^64");
      return at++, number;
    }
    if (Object.hasOwn(FUNCTIONS, token ?? "")) {
      at++;
      expect("(");
      const inner = level(0);
      expect(")");
      return FUNCTIONS[token](inner) & ALL;
    }
    const set = /^[a-h][1-8]$/.test(token ?? "") ? 1n << BigInt(squareNumber(token)) : known(token ?? "");
    if (set === undefined) throw wrong("expected a number, a square or the name of a layer");
    return at++, set;
  };
  // As in C: shifts bind most, then &, ^ and |. A minus takes squares away.
  const signs = [["|"], ["^"], ["&", "-"], ["<<", ">>"]];
  const level = (depth) => {
    if (depth === signs.length) return one();
    let value = level(depth + 1);
    while (signs[depth].includes(peek())) {
      const sign = tokens[at++][0];
      const other = level(depth + 1);
      if (depth === 3 && other > 63n) throw new Error(`column ${tokens[at - 1][1]}: expected a shift by 0 to 63`);
      value = { "|": () => value | other, "^": () => value ^ other, "&": () => value & other, "-": () => value & ~other, "<<": () => (value << other) & ALL, ">>": () => value >> other }[sign]();
    }
    return value;
  };
  const value = level(0);
  if (at < tokens.length) throw wrong("expected & | ^ - << or >>");
  return value;
}

/** The value of an expression, in the language of conditions or in that of this page. */
function valueOf(text, compute, known) {
  const { set, error } = text.length > MOST ? {} : compute(text);
  if (set) return BigInt(set);
  try {
    return evaluate(text, known);
  } catch (wrong) {
    // Only this page has shifts and sets as decimal numbers. Those of ranks and texts are none.
    const rest = text.replace(/"[^"]*"|'[^']*'|\b(ranks|files)\s*\([^()]*\)/g, "x");
    throw error && !/<<|>>|(^|\W)\d+(\W|$)/.test(rest) ? new Error(error) : wrong;
  }
}

/** The layer of one's own: its field, and what is shown of it. `changed(text)` is told what the link has to hold. */
export class OwnSet {
  constructor(changed) {
    Object.assign(this, { text: "", value: undefined, isClicked: false, changed });
    this.field = byId("own-text");
    this.field.addEventListener("change", () => changed(this.field.value.trim()));
    byId("own-click").addEventListener("click", () => {
      this.isClicked = !this.isClicked;
      byId("own-click").setAttribute("aria-pressed", String(this.isClicked));
    });
    const forms = { hex: (hex) => hex, C: (hex) => `UINT64_C(${hex})`, Rust: (hex) => `${hex}_u64`, decimal: (hex) => String(BigInt(hex)) };
    byId("own-copy").append(...["hex", "C", "Rust", "decimal"].map((name) => copyOnClick(html("button", { type: "button", class: "copy", "aria-label": `Copy as ${name}` }, name), `the bitboard as ${name}`, () => forms[name](hexOf(this.value ?? 0n)))));
  }

  /** Computes the set for a position, with `compute`, as the library does, or from the sets that are `known`. */
  show(text, compute, known) {
    this.text = text;
    if (document.activeElement !== this.field) this.field.value = text;
    let [shown, isWrong] = ["", false];
    this.value = undefined;
    try {
      if (text) this.value = valueOf(text.replace(/\s+/g, " "), compute, known);
      if (text) shown = `${hexOf(this.value)}, ${plural(squaresOf(this.value).length, "square")}`;
    } catch (error) {
      [shown, isWrong] = [error.message, true];
    }
    byId("own-result").textContent = shown;
    byId("own-result").classList.toggle("wrong", isWrong);
    byId("own-copy").hidden = this.value === undefined;
  }

  /** Adds a square to the set, or takes it away. */
  click(square) {
    const set = (this.value ?? 0n) ^ (1n << BigInt(square));
    this.changed(hexOf(set));
  }
}
