// Layers: what the columns of products look like on the board, and as text.
import { copyButton, pieceName, squaresOf, svg } from "./dom.js";
import { words } from "../../rows/src/sums/page/boards.js";
import { capital, html, squareName } from "../../rows/src/sums/page/elements.js";

/** Letters of the marks of pieces, by the last word of a column's name; others have the first letter of that word. */
const MARKS = { checkers: "+", pinned: "P", hanging: "H", wins: "×", forks: "Y", skewers: "S", "relatively pinned": "p", discovered: "D", batteries: "B",
  overloaded: "O", trapped: "T", passed: "↑", isolated: "i", doubled: "d", backward: "b", ring: "R" };
/** The products that are shown first; all others follow under "more". */
const SHOWN_FIRST = ["maps", "counts", "pins", "hanging", "forks", "threats", "exchanges", "xrays"];
/** Layers that go together. */
export const PRESETS = [
  ["Attacks", "white_attacks,black_attacks"],
  ["Control", "white_attackers,black_attackers"],
  ["Tactics", "white_king_checkers,black_king_checkers,white_pinned,black_pinned,white_hanging,black_hanging,white_forks,black_forks,white_skewers,black_skewers,threats"],
  ["Pawns", "white_passed,black_passed,white_isolated,black_isolated,white_doubled,black_doubled,white_backward,black_backward,white_outposts,black_outposts"],
  ["King safety", "white_king_ring,black_king_ring,white_safe_checks,black_safe_checks,white_king_attacks,black_king_attacks"],
];
/** Where the number of a column is full, so that the same number has the same colour in each position. */
const FULL = { attackers: 4, gains: 9, mobility: 14 };
const VALUES = "PNBRQK";

/** What is known of each column before there is a position. */
export function describe(products) {
  const columns = new Map();
  for (const product of products) {
    for (const { name, meaning, kind } of product.columns) {
      const [, side, rest] = /^(?:(white|black)_)?(.*)$/.exec(name);
      let draw = kind;
      if (kind === "board") draw = product.name === "xrays" ? "hatch" : meaning.startsWith("the square") ? "area" : "mark";
      const last = Object.keys(MARKS).find((word) => words(rest).endsWith(word));
      columns.set(name, { name, meaning, kind, draw, product, side: side || "both", rest,
        title: capital(words(name)), mark: MARKS[last] || rest[0], full: FULL[Object.keys(FULL).find((word) => rest.endsWith(word))] || 16 });
    }
  }
  return columns;
}

/** The products in the order of the page. */
export const inOrder = (products) => [
  ...SHOWN_FIRST.map((name) => products.find((product) => product.name === name)).filter(Boolean),
  ...products.filter((product) => !SHOWN_FIRST.includes(product.name)),
];
export const isFirst = (product) => SHOWN_FIRST.includes(product.name);

/** What the button of a column says: its side, if the other column of its product is the other side of the same. */
export function buttonText(column) {
  const { product, side, rest } = column;
  if (product.name === "kind_maps") return capital(rest.replace("_attacks", "s"));
  const isPair = product.columns.length === 2 && product.columns.every(({ name }) => name.endsWith(rest));
  return isPair && side !== "both" ? capital(side) : column.title;
}

/** A layer as text, and the number that the text begins with. */
export function layerText(column, value, pieces) {
  if (column.kind === "number") return [String(value), value];
  if (column.kind === "key") return [value, 1];
  if (column.kind === "threats") {
    const name = (letter, square) => `${pieceName(letter)} ${squareName(square)}`;
    const texts = value.map(([attacker, from, to, victim]) => {
      const verb = (attacker < "a") === (victim < "a") ? "defends" : "attacks";
      return `${name(attacker, from)} ${verb} ${name(victim, to)}`;
    });
    return [texts.join("; ") || "none", value.length];
  }
  if (column.kind === "numbers") {
    const texts = value.flatMap((number, square) => (number > 0 ? [`${squareName(square)} ${number}`] : []));
    return [texts.join(", ") || "0 everywhere", texts.length];
  }
  const squares = squaresOf(value);
  const texts = squares.map((square) => (column.draw === "mark" && pieces[square] !== "." ? `${pieceName(pieces[square])} ` : "") + squareName(square));
  return [texts.join(", ") || "none", squares.length];
}

/** What is copied of a layer. */
export function layerCode(column, value) {
  if (column.kind === "board") return value;
  if (column.kind === "threats") return value.map(([attacker, from, to, victim]) => `${attacker}${squareName(from)}x${victim}${squareName(to)}`).join(" ");
  return String(value);
}

/** What readers of screens tell of a square. */
export function squareText(columns, values, square) {
  return columns.flatMap((column) => {
    const value = values[column.name];
    if (value === undefined) return [];
    if (column.kind === "board") return (BigInt(value) >> BigInt(square)) & 1n ? [words(column.name)] : [];
    if (column.kind === "numbers") return value[square] > 0 ? [`${words(column.name)} ${value[square]}`] : [];
    if (column.kind === "threats") {
      const of = value.filter(([, from]) => from === square).map(([, , to]) => squareName(to));
      return of.length ? [`threatens ${of.join(" and ")}`] : [];
    }
    return [];
  });
}

/** The patterns and heads of arrows that drawings use. */
export function definitions() {
  const hatch = (side) => svg("pattern", { id: `hatch-${side}`, width: 14, height: 14, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${side === "white" ? 45 : -45})` },
    svg("rect", { width: 5, height: 14, class: `hatch-${side}` }));
  const head = (side) => svg("marker", { id: `head-${side}`, viewBox: "0 0 10 10", refX: 7, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: "auto-start-reverse" },
    svg("path", { d: "M0 0L10 5L0 10z", class: `fill-${side}` }));
  const sides = ["white", "black", "both"];
  return svg("svg", { class: "away", "aria-hidden": "true" }, svg("defs", {}, sides.map(hatch), ["white", "black"].map(head)));
}

/** The field of a square in the colour of a side, or half of it. */
function field([x, y], side, isSplit, attributes) {
  if (!isSplit || side === "both") return svg("rect", { x, y, width: 100, height: 100, ...attributes });
  const points = side === "white" ? `${x},${y} ${x},${y + 100} ${x + 100},${y + 100}` : `${x},${y} ${x + 100},${y} ${x + 100},${y + 100}`;
  return svg("polygon", { points, ...attributes });
}

const chip = (text, side, [x, y]) => svg("g", { class: `chip ${side}`, transform: `translate(${x} ${y})` },
  svg("rect", { width: 26, height: 26, rx: 6 }), svg("text", { x: 13, y: 20 }, text));

/** Draws layers on a board. `shown` are columns, `values` those of the position. */
export function drawLayers(board, shown, values) {
  board.under.replaceChildren();
  board.over.replaceChildren();
  const columns = shown.filter(({ name }) => values[name] !== undefined);
  // A square is split if both sides have something there.
  const filled = { white: Array(64).fill(false), black: Array(64).fill(false), both: Array(64).fill(false) };
  for (const { name, side, draw } of columns) {
    if (draw === "numbers") values[name].forEach((number, square) => (filled[side][square] ||= number > 0));
    else if (draw === "area" || draw === "hatch") squaresOf(values[name]).forEach((square) => (filled[side][square] = true));
  }
  const isSplit = (square) => filled.white[square] && filled.black[square];
  const marks = Array(64).fill(0);
  const corners = Array.from({ length: 64 }, () => ({}));
  // Arrows lie under rings, and these under numbers: what tells most of a square is on top.
  const groups = ["threats", "mark", "numbers"].map((draw) => [draw, svg("g")]);
  board.over.append(...groups.map(([, group]) => group));
  const order = { threats: 0, mark: 1, numbers: 3 };
  for (const column of columns.toSorted((one, other) => (order[one.draw] ?? 2) - (order[other.draw] ?? 2))) {
    const { side, draw } = column;
    const value = values[column.name];
    const [under, over] = [svg("g", { "data-column": column.name }), svg("g", { "data-column": column.name })];
    board.under.append(under);
    groups.find(([name]) => name === draw)?.[1].append(over);
    if (draw === "numbers") {
      value.forEach((number, square) => {
        if (number === 0) return;
        const corner = board.corner(square);
        under.append(field(corner, side, isSplit(square), { "data-square": square, class: `fill-${side}`, "fill-opacity": (0.12 + 0.63 * Math.min(1, number / column.full)).toFixed(2) }));
        // Each kind of number has its corner, so that they do not lie over the piece.
        const isGain = column.rest === "gains";
        const [at, x, y, step] = isGain ? { white: ["se", 92, 93, -24], black: ["nw", 8 + 29 * Math.min(2, marks[square]), 27, 24] }[side]
          : { white: ["sw", 8, 93, -24], black: ["ne", 92, 27, 24], both: ["se", 92, 93, -24] }[side];
        const before = (corners[square][at] = (corners[square][at] ?? -1) + 1);
        const text = isGain ? `+${number}` : String(number);
        over.append(svg("text", { x: corner[0] + x, y: corner[1] + y + before * step, class: `count ${/e$/.test(at) ? "end" : ""}`, "data-square": square }, text));
      });
    } else if (draw === "area" || draw === "hatch") {
      for (const square of squaresOf(value)) {
        const paint = draw === "hatch" ? { "data-square": square, fill: `url(#hatch-${side})`, "fill-opacity": 0.8 } : { "data-square": square, class: `fill-${side}`, "fill-opacity": 0.42 };
        under.append(field(board.corner(square), side, isSplit(square), paint));
      }
    } else if (draw === "mark") {
      for (const square of squaresOf(value)) {
        const [x, y] = board.corner(square);
        const at = marks[square]++;
        const colour = column.rest.endsWith("checkers") ? "check" : side;
        over.append(svg("circle", { "data-square": square, cx: x + 50, cy: y + 50, r: Math.max(20, 46 - 6 * at), class: `ring line-${colour}` }));
        over.append(chip(column.mark, colour, [x + 4 + 29 * (at % 3), y + 4 + 29 * Math.floor(at / 3)]));
      }
    } else if (draw === "threats") {
      drawThreats(board, over, value, values);
    }
  }
}

/** The kind of a threat: a piece that defends, one that attacks more than it is worth or what nothing defends, or any other. */
export function threatKind([attacker, , to, victim], values) {
  if ((attacker < "a") === (victim < "a")) return "defends";
  const worth = (letter) => VALUES.indexOf(letter.toUpperCase());
  const hanging = BigInt(values[victim < "a" ? "white_hanging" : "black_hanging"] ?? 0);
  // A bishop is worth what a knight is.
  const isMore = worth(victim) > worth(attacker) && !(attacker.toUpperCase() === "N" && victim.toUpperCase() === "B");
  return isMore || (hanging >> BigInt(to)) & 1n ? "strong" : "equal";
}

function drawThreats(board, over, threats, values) {
  for (const threat of threats) {
    const [attacker, from, to, victim] = threat;
    const [[x, y], [toX, toY]] = [board.corner(from), board.corner(to)];
    const [width, height] = [toX - x, toY - y];
    const length = Math.hypot(width, height);
    const [stepX, stepY] = [width / length, height / length];
    // Next to the middle, so that two arrows between the same pieces are two.
    const [sideX, sideY] = [-stepY * 7, stepX * 7];
    const side = attacker < "a" ? "white" : "black";
    over.append(svg("line", {
      "data-threat": `${attacker}${squareName(from)}x${victim}${squareName(to)}`,
      x1: x + 50 + 26 * stepX + sideX, y1: y + 50 + 26 * stepY + sideY,
      x2: toX + 50 - 24 * stepX + sideX, y2: toY + 50 - 24 * stepY + sideY,
      class: `arrow line-${side} ${threatKind(threat, values)}`, "marker-end": `url(#head-${side})`,
    }));
  }
}

/** The sign of a layer next to its name. */
export function swatch(column) {
  const { side, draw } = column;
  const colour = column.rest.endsWith("checkers") ? "check" : side;
  const box = svg("svg", { viewBox: "0 0 26 26", class: "swatch", "aria-hidden": "true" });
  if (draw === "mark") box.append(chip(column.mark, colour, [0, 0]));
  else if (draw === "threats") box.append(svg("path", { d: "M3 20L19 8", class: "line-white arrow" }), svg("path", { d: "M7 24L23 12", class: "line-black arrow" }));
  else if (draw === "number" || draw === "key") box.append(svg("text", { x: 13, y: 20, class: "number" }, "n"));
  else box.append(svg("rect", { x: 1, y: 1, width: 24, height: 24, rx: 5, ...(draw === "hatch" ? { fill: `url(#hatch-${side})` } : { class: `fill-${side}`, "fill-opacity": 0.6 }) }));
  if (draw === "numbers") box.append(svg("text", { x: 13, y: 20, class: "number" }, column.rest === "gains" ? "+" : "3"));
  return box;
}

/** How many squares a set has. */
const bitsOf = (set) => [...set.slice(2)].reduce((sum, digit) => sum + Number("0112122312232334"[parseInt(digit, 16)]), 0);

/** The row of a layer: a button that turns it on, how many squares it has, and its bitboard to copy. */
export class LayerRow {
  constructor(column, text, toggle) {
    this.column = column;
    const { name, kind } = column;
    this.button = html("button", { type: "button", "data-layer": name, "aria-pressed": "false", title: capital(column.meaning), class: `layer ${column.side}`, tabindex: "-1", onclick: () => toggle([name]) }, swatch(column), html("span", {}, text, html("span", { class: "away" }, column.title.startsWith(text) ? column.title.slice(text.length) : "")));
    this.count = html("span", { class: "layer-count" });
    this.code = kind === "board" || kind === "key" ? html("code") : "";
    this.copy = copyButton(column.title, () => layerCode(column, this.value));
    this.copy.tabIndex = -1;
    this.squares = html("p", { class: "squares", hidden: true });
    this.item = html("li", { "data-column": name, "data-row": true }, html("div", { class: "layer-row" }, this.button, this.count, this.code, this.copy), this.squares);
  }

  /** Shows the value of the layer, if there is one, and whether it is on. */
  show(value, pieces, isOn) {
    const { kind } = this.column;
    this.value = value;
    const isThere = value !== undefined;
    const [text, count] = !isThere ? ["", 0] : kind === "board" && !isOn ? ["", bitsOf(value)] : layerText(this.column, value, pieces);
    // What does not change costs nothing.
    const set = (element, text) => element.textContent !== text && (element.textContent = text);
    set(this.count, !isThere ? "–" : kind === "key" ? "" : String(count));
    if (this.code) set(this.code, isThere ? value : "");
    this.copy.disabled = !isThere;
    // The key Tab must reach one button of the list.
    if (!isThere && this.copy.tabIndex === 0) [this.copy.tabIndex, this.button.tabIndex] = [-1, 0];
    this.item.classList.toggle("on", isOn);
    this.button.setAttribute("aria-pressed", String(isOn));
    this.squares.hidden = !isOn || count === 0 || kind === "number" || kind === "key";
    this.text = text;
    if (isOn) set(this.squares, text);
  }
}
