// The pieces, drawn in a square of 100 by 100.
import { svg } from "./dom.js";

const SHAPES = {
  p: ["M50 17a13.5 13.5 0 0 1 9 23.5c3 1 5 3 5 5.5h-5.5c0 12 4 18 11 24 3.5 3 5 6 5 11h-49c0-5 1.5-8 5-11 7-6 11-12 11-24h-5.5c0-2.5 2-4.5 5-5.5a13.5 13.5 0 0 1 9-23.5z"],
  n: ["M35 15l8 8c20 0 33 14 33 36 0 9-3 14-3 22H31c0-11 5-17 12-23 4-3.5 6-7 6-11-4 4-8 6-13 6l-6 6c-2 2-5 2-7 0l-4-4c-2-2-2-4-.5-6.5 4-6 6-11 8-17 1-4 4-8 8-10z", "M59 33c7 6 10 14 9 26"],
  b: ["M50 10a6 6 0 0 1 4.5 10c9 7 15.5 15 15.5 25 0 7-4 12-9 15l3 8c8 1 10 6 10 13H26c0-7 2-12 10-13l3-8c-5-3-9-8-9-15 0-10 6.5-18 15.5-25a6 6 0 0 1 4.5-10z", "M50 33v17M42 41h16M38 61h24"],
  r: ["M26 18h11v8h8v-8h10v8h8v-8h11v19l-8 7v23l7 6v8H27v-8l7-6V44l-8-7z", "M34 44h32M34 66h32"],
  q: ["M20 29a5 5 0 1 1 4 1l9 20 3-25a5 5 0 1 1 4-1l10 23 10-23a5 5 0 1 1 4 1l3 25 9-20a5 5 0 1 1 4-1l-7 36c3 3 4 6 4 9v7H23v-7c0-3 1-6 4-9z", "M28 66c14-4 30-4 44 0"],
  k: ["M46.5 9h7v7h7v7h-7v8c4-3 9-5 14-5 9 0 15 6 15 15 0 10-8 17-13 24v16h-39V65c-5-7-13-14-13-24 0-9 6-15 15-15 5 0 10 2 14 5v-8h-7v-7h7z", "M31 66c12-4 26-4 38 0M50 32c-5 8-5 20 0 28 5-8 5-20 0-28z"],
};

/** A piece, from its letter in FEN. */
export function pieceShape(letter) {
  const [outline, ...lines] = SHAPES[letter.toLowerCase()];
  const side = letter < "a" ? "white" : "black";
  const inner = lines.map((line) => svg("path", { d: line, class: "inner" }));
  return svg("g", { class: `piece ${side}` }, svg("path", { d: outline }), inner);
}

/** The same as a picture of its own. */
export const pieceIcon = (letter) => svg("svg", { viewBox: "10 4 80 84", "aria-hidden": "true" }, pieceShape(letter));
