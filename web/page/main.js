// The page: its state, its link, and what the person does.
import { Board } from "./board.js";
import { complain, copyButton, copyOnClick, focusBeforeMessage, hexOf, pieceName, rove, roveRow, say, squareNumber, squaresOf, svg } from "./dom.js";
import { productTitle } from "../../rows/src/sums/page/boards.js";
import { byId, capital, html, plural, squareName } from "../../rows/src/sums/page/elements.js";
import { Engine } from "./engine.js";
import { List, openFile } from "./files.js";
import { buttonText, definitions, describe, drawLayers, inOrder, isFirst, LayerRow, PRESETS, squareText } from "./layers.js";
import { readLink, writeLink } from "./link.js";
import { Methods } from "./methods.js";
import { savePng, saveSvg } from "./picture.js";
import { pieceIcon } from "./pieces.js";
import { sampleFile } from "./sample.js";
import { OwnSet } from "./sets.js";
import { Summary } from "./summary.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const KINGS = "4k3/8/8/8/8/8/8/4K3 w - -";
const EXAMPLE = "r1bqk2r/ppp2pp1/2np1n1p/1Bb1p1B1/4P3/2PP4/PP3PPP/RN1QK1NR w KQkq -";
const MODES = ["board", "methods", "summary"];
/** What is usual: the parts of a link, in their order. `run` puts the options of products between these two. */
const USUAL = { mode: "board", fen: EXAMPLE, flip: "0", edit: "0", layers: "white_attacks,black_attacks", set: "" };
const USUAL_METHOD = { method: "fill-up", slider: "queen", square: "d4", occ: "0x00540a8020004208", line: "diagonal" };

const link = {};
let engine, about, columns, board, list, methods, summary, own;
let position = { columns: {}, pieces: {} };
/** The rows of the layers, by name. */
const rows = new Map();
/** The legal moves: from, to, the letter of a promotion, SAN, and the FEN after it. */
let plays = [];
/** The moves that the person has played from a position, and how many of them are on the board. */
let line = { fen: "", moves: [], at: 0 };
/** The squares of the last move. */
let lastMove = [];
/** Why the board shows something else than what is chosen, if it does. */
let staleness = "";
/** Whether the person has chosen a square: before that, no piece shows what it attacks. */
let hasChosen = false;

const options = () => about.options.map(({ name }) => `${name} ${link[name]}`).join("\n");
const layers = () => link.layers.split(",").filter(Boolean);
const shown = () => [...columns.values()].filter(({ name }) => layers().includes(name));

/** Shows the state, and keeps it in the link: as a new step of the history, unless it replaces the last one. */
function update(isNew = true) {
  show();
  pending.isNew ||= isNew;
  // Browsers drop changes of the link if there are many in a short time, as when somebody holds a key.
  clearTimeout(pending.timer);
  const wait = pending.last + (isNew ? 60 : 120) - performance.now();
  if (wait > 0) pending.timer = setTimeout(keep, wait);
  else keep();
}

const pending = { isNew: false, timer: 0, last: -1000 };

/** Writes the link. */
function keep() {
  clearTimeout(pending.timer);
  const { isNew } = pending;
  Object.assign(pending, { isNew: false, last: performance.now() });
  const target = writeLink(link, USUAL);
  if (target === (location.hash || "#")) return;
  const address = `${location.href.split("#")[0]}${target}`;
  if (isNew) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

function show() {
  document.documentElement.dataset.mode = link.mode;
  for (const mode of MODES) {
    const isOn = link.mode === mode;
    byId(`view-${mode}`).hidden = !isOn;
    byId(`tab-${mode}`).setAttribute("aria-selected", String(isOn));
    byId(`tab-${mode}`).setAttribute("tabindex", isOn ? "0" : "-1");
  }
  showPosition();
  if (link.mode === "methods") methods.draw();
  list.refilter();
  if (link.mode === "summary") summary.refresh();
}

const NO_POSITION = "This is no legal position, so most layers wait.";
/** The FEN that the field shows. Until it changes, what a person types there stays. */
let fenShown;

const isEditing = () => link.edit === "1";

function showPosition() {
  const answer = engine.call("position", `${link.fen}\n${options()}`);
  if (fenShown !== link.fen) byId("text").value = fenShown = link.fen;
  if (board.isFlipped !== (link.flip === "1")) board.turn(link.flip === "1");
  byId("flip").setAttribute("aria-pressed", String(link.flip === "1"));
  byId("edit").setAttribute("aria-pressed", String(isEditing()));
  byId("editor").hidden = !isEditing();
  board.grid.classList.toggle("edits", isEditing());
  const isWhite = link.fen.split(/\s+/)[1] !== "b";
  byId("side").textContent = `${isWhite ? "White" : "Black"} to move`;
  position = { columns: {}, pieces: {}, ...answer };
  plays = answer.error ? [] : engine.call("plays", link.fen);
  if (!Array.isArray(plays)) plays = [];
  if (position.board) board.show(position.board);
  if (answer.error) {
    // About the board as a whole, there is no column.
    if (link.mode === "board") complain(capital(answer.error.replace(/^column \d+: (?=expected one \w+ king)/, "")));
    byId("position-note").textContent = NO_POSITION;
    byId("position-text").textContent = "";
  } else {
    const { legal_moves: moves, checkmate, stalemate } = position.columns;
    const side = isWhite ? "White" : "Black";
    byId("position-note").textContent = checkmate ? `Checkmate: ${isWhite ? "Black" : "White"} has won` : stalemate ? "Stalemate: a draw" : `${side} to move, ${plural(moves, "legal move")}`;
    const stand = (letters) => [...letters].flatMap((letter) => {
      const squares = [...position.board].flatMap((other, square) => (other === letter ? [squareName(square)] : []));
      return squares.length ? [`${pieceName(letter).split(" ")[1]} ${squares.join(", ")}`] : [];
    }).join("; ");
    byId("position-text").textContent = `White: ${stand("KQRBNP")}. Black: ${stand("kqrbnp")}.`;
  }
  byId("print-fen").textContent = link.fen;
  if (staleness) byId("position-note").textContent = staleness;
  byId("position-note").classList.toggle("wrong", staleness !== "");
  byId("stage").classList.toggle("stale", staleness !== "");
  for (const control of document.querySelectorAll("[data-option]")) control.value = link[control.dataset.option];
  showEditor();
  showLine();
  showFindings();
  showLayers();
}

/** The controls of what a board does not show. */
function showEditor() {
  if (!isEditing()) return;
  const [, side, castling = "-", passant = "-"] = link.fen.split(/\s+/);
  for (const box of document.querySelectorAll("#castling input")) box.checked = castling.includes(box.value);
  // The square behind a pawn that may have moved by two squares.
  const [rank, pawn, up] = side === "b" ? [2, "P", 1] : [5, "p", -1];
  const empty = (square) => board.pieces[square] === ".";
  const places = [...Array(8).keys()].map((file) => file + 8 * rank).filter((square) => empty(square) && board.pieces[square + 8 * up] === pawn && empty(square - 8 * up)).map(squareName);
  byId("passant").replaceChildren(...["-", ...new Set([...places, ...(passant === "-" ? [] : [passant])])].map((name) => html("option", { value: name, selected: name === passant }, name === "-" ? "none" : name)));
}

/** Another field of the FEN. */
function setField(at, value) {
  const fields = link.fen.split(/\s+/);
  while (fields.length < 4) fields.push(["w", "-", "-"][fields.length - 1]);
  fields[at] = value;
  setFen(fields.join(" "));
}

/** The square of the piece that pins that of a square to its king: the first one on the line from the king through it. */
function pinnerOf(pieces, square) {
  const king = [...pieces].indexOf(pieces[square] < "a" ? "K" : "k");
  const [right, up] = [(square & 7) - (king & 7), (square >> 3) - (king >> 3)].map(Math.sign);
  let at = square + right + 8 * up;
  while (pieces[at] === ".") at += right + 8 * up;
  return at;
}

/** What there is to see, in words: each finding turns its layer on. */
function showFindings() {
  const of = (name) => (position.columns[name] ? squaresOf(position.columns[name]) : []);
  const name = (square) => board.pieces[square].toUpperCase().replace("P", "") + squareName(square);
  const words = { king_checkers: "gives check", pinned: "is pinned", hanging: "hangs", relatively_pinned: "is pinned to a more valuable piece", forks: "forks", trapped: "is trapped" };
  const found = Object.entries(words).flatMap(([rest, verb]) => ["white", "black"].flatMap((side) => of(`${side}_${rest}`).filter((square) => rest !== "relatively_pinned" || !/p/i.test(board.pieces[square])).map((square) => [`${side}_${rest}`, `${name(square)} ${verb}${rest === "pinned" ? ` by ${name(pinnerOf(board.pieces, square))}` : ""}`])));
  byId("findings").replaceChildren(...found.slice(0, 6).map(([layer, text]) => html("button", { type: "button", class: `finding ${layer.slice(0, 5)}`, "aria-pressed": String(layers().includes(layer)), onclick: () => toggle([layer]) }, text)));
  if (found.length === 0) byId("findings").textContent = position.fen ? "Nothing is pinned, hangs or is forked." : "";
}

/** The moves that the person has played, to walk through. */
function showLine() {
  byId("line").hidden = line.moves.length === 0;
  byId("line").replaceChildren("Your moves: ", ...line.moves.flatMap(({ san }, at) => [html(at + 1 === line.at ? "strong" : "span", {}, san), " "]));
  const signs = { first: -1, back: -1, forward: 1, last: 1 };
  for (const [id, by] of Object.entries(signs)) byId(id).setAttribute("aria-disabled", String(!canStep(by)));
}

const canStep = (by) => (by < 0 ? line.at > 0 : line.at < line.moves.length) || list.canStep(by);

/** Goes on or back by some moves: in what the person has played, or else in the game or the list. */
function step(by) {
  const isOwn = by < 0 ? line.at > 0 : line.at < line.moves.length;
  if (!isOwn) return list.step(by);
  line.at = Math.max(0, Math.min(line.moves.length, line.at + by));
  const move = line.moves[line.at - 1];
  setFen(move?.fen ?? line.fen, true, false, { moves: line, last: move?.squares ?? line.before });
  say(move?.san ?? "The position before your moves");
}

/** Plays a legal move. If a pawn becomes another piece, the person says which. */
async function play(from, to) {
  const found = plays.filter(([start, end]) => start === from && end === to);
  if (found.length === 0) return false;
  let move = found[0];
  if (found.length > 1) {
    const letter = await promoted(link.fen.split(" ")[1] === "b");
    move = found.find(([, , other]) => other === letter);
    if (!move) return showPosition(), true;
  }
  const [, , , san, fen] = move;
  // The move of the game that is open goes on in it.
  if (line.moves.length === 0 && list.follow(fen)) return say(san), true;
  const kept = line.moves.length > 0 ? line : { fen: link.fen, moves: [], at: 0, before: lastMove };
  kept.moves = [...kept.moves.slice(0, kept.at), { san, fen, squares: [from, to] }];
  kept.at = kept.moves.length;
  setFen(fen, true, true, { moves: kept, last: [from, to] });
  board.go(to);
  say(`${san}.${byId("position-note").textContent.startsWith("C") ? " Checkmate" : ""}${counts()}`);
  return true;
}

/** Asks what a pawn becomes. */
function promoted(isBlack) {
  const dialog = byId("promote");
  dialog.firstChild.replaceChildren(...[..."QRBN"].map((letter) => html("button", { value: letter, "aria-label": pieceName(letter).split(" ")[1] }, pieceIcon(isBlack ? letter.toLowerCase() : letter))));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue), { once: true }));
}

function showLayers() {
  drawBoard(position);
  const names = layers();
  for (const [name, row] of rows) row.show(position.columns[name], board.pieces, names.includes(name));
  document.querySelectorAll("[data-preset]").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.preset === link.layers)));
  showPiece();
}

/** Draws what a position has, which may be the one that is dragged and not yet there. */
function drawBoard({ fen, columns: values, board: pieces }) {
  const on = shown();
  drawLayers(board, on, values);
  const compute = (text) => (fen ? engine.call("set", `${fen}\n${text}\n${options()}`) : {});
  own.show(link.set, compute, (name) => namedSet(name, values, pieces ?? board.pieces));
  for (const square of squaresOf(own.value ?? 0n)) {
    const [x, y] = board.corner(square);
    board.under.append(svg("rect", { x, y, width: 100, height: 100, class: "own", "data-own": square }));
  }
  for (const square of lastMove) {
    const [x, y] = board.corner(square);
    board.under.append(svg("rect", { x: x + 5, y: y + 5, width: 90, height: 90, rx: 4, class: "last" }));
  }
  board.name((square) => squareText(on, values, square));
}

/** The set of a name in an expression: a layer, or the squares of some pieces. */
function namedSet(name, values, pieces) {
  if (columns.get(name)?.kind === "board") return values[name] === undefined ? undefined : BigInt(values[name]);
  const [, side = "", kind] = /^(?:(white|black)_)?(pawn|knight|bishop|rook|queen|king)s$/.exec(name) ?? [];
  const is = { occupied: (letter) => letter !== ".", empty: (letter) => letter === ".", white: (letter) => /[A-Z]/.test(letter), black: (letter) => /[a-z]/.test(letter) }[name]
    ?? (kind && ((letter) => letter !== "." && pieceName(letter).endsWith(kind) && pieceName(letter).startsWith(side)));
  return is && [...pieces].reduce((all, letter, square) => (is(letter) ? all | (1n << BigInt(square)) : all), 0n);
}

/** The squares where the piece may go that is picked up or dragged. */
function showTargets(from) {
  board.over.querySelectorAll(".target").forEach((mark) => mark.remove());
  if (isEditing()) return;
  for (const to of new Set(plays.filter(([start]) => start === from).map(([, end]) => end))) {
    const [x, y] = board.corner(to);
    board.over.append(svg("rect", { x: x + 5, y: y + 5, width: 90, height: 90, rx: 14, class: "target" }));
  }
}

/** How many squares the layers have that are shown, for who hears it. */
function counts() {
  if (!position.fen) return ` ${NO_POSITION}`;
  return shown().slice(0, 3).map(({ name, title }) => ` ${title}: ${rows.get(name).count.textContent}.`).join("");
}

/** What the piece attacks that the pointer is over, that is picked up, or that has the focus. */
function showPiece(seen = board.seen, pieces = position.pieces, letters = board.pieces) {
  const own = board.lifted >= 0 ? board.lifted : board.focused;
  const square = board.lifted < 0 && pieces[squareName(seen)] ? seen : own;
  board.over.querySelectorAll(".dot").forEach((dot) => dot.remove());
  const attacks = (hasChosen || square === seen) && pieces[squareName(square)];
  const host = byId("piece-attacks");
  showTargets(board.lifted);
  if (!attacks) {
    host.replaceChildren(html("p", { class: "note" }, `Click a piece to see what it attacks. ${isEditing() ? "Drag pieces anywhere, or off the board to remove them" : "Drag it to play a move"}.`));
    return;
  }
  const squares = squaresOf(attacks);
  for (const to of squares) {
    const [x, y] = board.corner(to);
    // A dot would lie over a piece.
    board.over.append(letters[to] === "." ? svg("circle", { cx: x + 50, cy: y + 50, r: 9, class: "dot" }) : svg("rect", { x: x + 4, y: y + 4, width: 92, height: 92, rx: 12, class: "dot hit" }));
  }
  const title = `${capital(pieceName(letters[square]))} ${squareName(square)} attacks`;
  host.replaceChildren(html("div", { class: "layer-head" }, pieceIconOf(letters[square]), html("strong", {}, title),
    html("span", { class: "note" }, ` (${plural(squares.length, "square")})`), html("span", { class: "space" }), html("span", { class: "together" }, html("code", {}, attacks), copyButton(title, () => attacks))),
  html("p", { class: "squares" }, squares.map(squareName).join(", ") || "none"));
}

function pieceIconOf(letter) {
  const icon = pieceIcon(letter);
  icon.classList.add("swatch");
  return icon;
}

/** Turns layers on, or off if all of them are on. */
function toggle(names) {
  const before = layers();
  const isOn = names.every((name) => before.includes(name));
  const after = isOn ? before.filter((name) => !names.includes(name)) : [...before, ...names.filter((name) => !before.includes(name))];
  link.layers = after.join(",");
  update();
  const texts = names.map((name) => `${columns.get(name).title} ${isOn ? "off" : "on"}`);
  say(isOn || names.length !== 1 ? texts.join(", ") : `${texts[0]}: ${rows.get(names[0]).text.slice(0, 300)}`);
}

/** The positions before changes by hand. */
const before = [];
/** Whether the position came by hand or from the link, and not from a walk through a file. */
let wasByHand = true;

function setFen(fen, isNew = true, isByHand = isNew, { moves = { fen, moves: [], at: 0 }, last = [] } = {}) {
  if (isByHand) complain("");
  // Of a walk through a file, what was there before it.
  if (fen !== link.fen && (isByHand || wasByHand)) before.push(link.fen);
  if (before.length > 200) before.shift();
  wasByHand = isByHand || (wasByHand && fen === link.fen);
  staleness = "";
  link.fen = fen;
  [line, lastMove] = [moves, last];
  fenShown = undefined;
  update(isNew);
  showUndo();
}

/** What the list shows. The first position of a file is a step of the history. */
function showEntry(fen, isFirst, message, move = "") {
  if (fen) {
    // What was there before a walk through a file keeps its place in the history.
    const last = [move.slice(0, 2), move.slice(2, 4)].map(squareNumber).filter((square) => square >= 0);
    return setFen(fen, isFirst || wasByHand, false, { last });
  }
  staleness = message;
  showPosition();
}

function closeMessage() {
  complain("");
  focusBeforeMessage();
}

/** Whether there is something to undo. A button that is disabled would lose the focus. */
function showUndo() {
  byId("undo").setAttribute("aria-disabled", String(before.length === 0));
}

/** Another board with the other fields as they are, as far as they fit it. */
function setBoard(pieces) {
  const { fen, error } = engine.call("changed", `${link.fen}\n${pieces}`);
  if (error) complain(error);
  else setFen(fen);
}

const replaced = (pieces, square, letter) => pieces.slice(0, square) + letter + pieces.slice(square + 1);

/** The position while a piece is dragged, until the next frame. */
let hypothesis;

const boardActions = {
  place(letter, square) {
    if (!isEditing()) return say("Edit is off: pieces only move");
    const before = board.pieces[square];
    if (letter === "." && before === ".") return;
    setBoard(replaced(board.pieces, square, letter));
    if (letter !== ".") board.go(square);
    say(letter === "." ? `${pieceName(before)} removed from ${squareName(square)}.${counts()}` : `${pieceName(letter)} on ${squareName(square)}.${counts()}`);
  },
  async move(from, to) {
    hypothesis = undefined;
    const letter = board.pieces[from];
    if (!isEditing()) {
      if (await play(from, to)) return;
      board.show(board.pieces);
      // Another piece is chosen instead.
      if (to >= 0 && boardActions.lifts(to) && board.clicked < 0 && from !== to) return board.lift(to);
      showLayers();
      const refusal = `${capital(pieceName(letter))} ${squareName(from)} has no legal move ${to < 0 ? "there" : `to ${squareName(to)}`}. Edit lets pieces go anywhere`;
      byId("position-note").textContent = refusal;
      return say(refusal);
    }
    let pieces = replaced(board.pieces, from, ".");
    if (to >= 0) pieces = replaced(pieces, to, letter);
    setBoard(pieces);
    if (to >= 0) board.go(to);
    say(to < 0 ? `${pieceName(letter)} removed.${counts()}` : `${pieceName(letter)} from ${squareName(from)} to ${squareName(to)}.${counts()}`);
  },
  press(square) {
    if (own.isClicked) return own.click(square), true;
    if (!hand) return false;
    boardActions.place(hand, square);
    return true;
  },
  choose: (letter) => takeInHand(letter),
  /** Whether the piece of a square can play a move, so that one click picks it up. */
  lifts: (square) => !isEditing() && !own.isClicked && plays.some(([from]) => from === square),
  lift(square) {
    if (square >= 0) {
      const attacks = position.pieces[squareName(square)];
      const squares = attacks ? squaresOf(attacks).map(squareName) : [];
      say(`${pieceName(board.pieces[square])} picked up. It attacks ${squares.join(", ") || "nothing"}`);
    }
    showLayers();
  },
  putDown(square) {
    showLayers();
    say(`${pieceName(board.pieces[square])} stays on ${squareName(square)}`);
  },
  drag: (from) => showTargets(from),
  /** Shows the position with the piece where it is dragged. */
  over(from, to, letter) {
    if (hypothesis) return Object.assign(hypothesis, { to });
    hypothesis = { to };
    requestAnimationFrame(() => {
      const target = hypothesis?.to;
      hypothesis = undefined;
      if (target === undefined || !board.cancelDrag) return;
      let pieces = from >= 0 ? replaced(board.pieces, from, ".") : board.pieces;
      if (target >= 0) pieces = replaced(pieces, target, letter || board.pieces[from]);
      const { fen } = engine.call("changed", `${link.fen}\n${pieces}`);
      const there = { columns: {}, pieces: {}, ...engine.call("position", `${fen}\n${options()}`) };
      drawBoard(there);
      showPiece(target, there.pieces, pieces);
      showTargets(from);
    });
  },
  peek: (square) => showPiece(square),
  walks: () => canStep(1) || canStep(-1),
  focus() {
    hasChosen = true;
    showPiece();
  },
  still: () => showLayers(),
};

/** The piece of the palette that clicks put on the board. */
let hand = "";
function takeInHand(letter) {
  hand = hand === letter ? "" : letter;
  document.querySelectorAll("#palette button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.letter === hand)));
  const text = `Squares that you choose ${hand === "." ? "become empty" : hand ? `get a ${pieceName(hand)}` : "are not changed any more"}`;
  byId("hand").hidden = !hand;
  byId("hand").textContent = `${text}. Stop`;
  say(text);
}

function buildPalette() {
  // It lies over the page, so that nothing moves under a finger.
  const stop = ({ target }) => {
    takeInHand(hand);
    if (document.activeElement === target || document.activeElement === document.body) board.go(board.focused);
  };
  byId("error").before(html("button", { type: "button", id: "hand", hidden: true, onclick: stop }));
  for (const letter of "KQRBNP.kqrbnp") {
    const name = letter === "." ? "Remove pieces" : pieceName(letter);
    const button = html("button", { type: "button", "data-letter": letter, "aria-pressed": "false", "aria-label": name, title: name }, letter === "." ? "✕" : pieceIcon(letter));
    if (letter === ".") button.addEventListener("click", () => takeInHand(letter));
    else {
      button.addEventListener("pointerdown", (event) => board.grab(event, -1, letter));
      // Keys and readers of screens click without a pointer.
      button.addEventListener("click", (event) => event.detail === 0 && takeInHand(letter));
    }
    byId("palette").append(button);
  }
}

async function buildLayers() {
  let number = 0;
  for (const product of inOrder(about.products)) {
    if (number % 4 === 0) await pause();
    number++;
    const names = product.columns.map(({ name }) => name);
    const title = productTitle(product);
    const isKinds = product.name === "kind_maps";
    const items = names.map((name) => {
      const column = columns.get(name);
      const row = new LayerRow(column, isKinds ? column.title : buttonText(column), toggle);
      rows.set(name, row);
      return row.item;
    });
    const key = number <= 9 ? html("kbd", {}, String(number)) : "";
    const meanings = product.columns.map(({ name, meaning }) => html("p", {}, html("strong", {}, columns.get(name).title), `: ${meaning}`));
    const info = html("details", { class: "info" }, html("summary", { "aria-label": `Definition: ${title}`, tabindex: "-1" }, "i"),
      html("div", {}, html("p", {}, `${product.definition}.`), isKinds ? "" : meanings, product.options.map(buildOption)));
    const group = html("div", { class: "product", role: "group", "aria-label": title }, html("div", { class: "product-head", "data-row": true }, html("h3", {}, title), key, html("span", { class: "space" }), info), html("ul", {}, items));
    byId(isFirst(product) ? "layers" : "layers-others").append(group);
    if (number <= 9) shortcuts.set(String(number), () => toggle(names));
  }
  for (const [name, of] of PRESETS) {
    const choose = () => {
      link.layers = of;
      update();
      say(`${name}.${counts()}`);
    };
    byId("presets").append(html("button", { type: "button", "data-preset": of, "aria-pressed": "false", onclick: choose }, name));
  }
  rove(byId("layers"));
  rove(byId("layers-others"));
  roveRow(byId("presets"));
  roveRow(byId("palette"));
}

/** What is wrong with a value of an option, as the library says. */
const optionError = (name, value) => engine.call("position", `${KINGS}\nwhat \n${name} ${value}`).error;

/** Controls of an option of products. Two products may have the same. */
function buildOption(name) {
  const labels = { through: "X-rays pass through pieces of", victims: "Threats to pieces of", values: "Values of pawn, knight, bishop, rook, queen", pinned: "Pinned pieces" };
  const { choices, help } = about.options.find((option) => option.name === name);
  const label = labels[name] || help;
  const change = ({ target }) => {
    const value = target.value.replace(/\s/g, "");
    const error = optionError(name, value);
    if (error) {
      target.value = link[name];
      return complain(error);
    }
    link[name] = value;
    complain("");
    update();
    say(`${label}: ${value}`);
  };
  const control = choices.length > 0 ? html("select", { "data-option": name, onchange: change }, choices.map((value) => html("option", { value }, value)))
    : html("input", { "data-option": name, onchange: change, size: 12, spellcheck: "false" });
  return html("label", { class: "option" }, html("span", {}, label), control);
}

const shortcuts = new Map();

function buildKeys() {
  shortcuts.set("0", () => byId("layers-none").click());
  shortcuts.set("f", () => byId("flip").click());
  shortcuts.set("w", () => byId("side").click());
  shortcuts.set("u", () => byId("undo").click());
  shortcuts.set("e", () => byId("edit").click());
  for (const [key, by] of [[",", -1], [".", 1], ["ArrowLeft", -1], ["ArrowRight", 1]]) shortcuts.set(key, () => step(by));
  shortcuts.set("?", () => byId("help").showModal());
  addEventListener("keydown", (event) => {
    if (board.cancelDrag || methods.board.cancelDrag) {
      // While a piece is dragged, other keys wait.
      if (event.key === "Escape") [board, methods.board].forEach((board) => board.cancelDrag?.());
      return event.preventDefault();
    }
    if (event.key === "Escape" && hand && !byId("help").open) return takeInHand(hand);
    if (event.key === "Escape" && board.lifted >= 0) return board.leave();
    if (event.key === "Escape" && byId("sheet").getAttribute("aria-expanded") === "true" && !byId("help").open) return turnSheet();
    if (event.key === "Escape" && !byId("error").hidden && !byId("help").open) return closeMessage();
    const isTyping = event.target.closest?.("textarea, select, input:not([type=radio]):not([type=checkbox]), dialog");
    if (isTyping || event.repeat && !/^([,.]|Arrow\w+)$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || (!byId("keys").checked && event.key.length === 1)) return;
    // Tabs and radio buttons have their own arrow keys.
    if (event.key.startsWith("Arrow") && event.target.matches?.("[role=tab], input")) return;
    const action = shortcuts.get(event.key);
    if (!action || (link.mode !== "board" && event.key !== "?")) return;
    event.preventDefault();
    action();
  });
}

/** On a phone: raises the layers from below, under the board, or puts them back. On a tablet: shows them in place of the list. */
function turnSheet(isOpen = byId("sheet").getAttribute("aria-expanded") !== "true") {
  byId("sheet").setAttribute("aria-expanded", String(isOpen));
  byId("sheet").textContent = isOpen ? "Close layers" : "Layers";
  if (isOpen) byId("strip").scrollIntoView({ block: matchMedia("(max-width: 49.99rem)").matches ? "start" : "nearest" });
  // The focus must not stay in the panel that is hidden now.
  if (!document.activeElement.checkVisibility()) byId("sheet").focus();
  list.draw();
}

/** How many files were opened or closed: one that takes long must not take the place of a later one. */
let openings = 0;

/** Opens what is dropped, chosen or pasted. */
async function open(blob, name, warning = "") {
  const ticket = ++openings;
  const isWanted = () => ticket === openings;
  complain(warning);
  byId("opening").hidden = true;
  const tell = (text, share) => {
    byId("opening").hidden = false;
    byId("opening-text").textContent = `${text} ${name}`;
    byId("opening-progress").value = share;
  };
  try {
    const opened = await openFile(engine, blob, name, isWanted, tell);
    if (!isWanted()) return; // another one was chosen meanwhile
    if (hand) takeInHand(hand);
    turnSheet(false);
    list.open(opened);
    summary.open(opened);
    if (link.mode === "methods") {
      link.mode = "board"; // which has the list
      update();
    }
    say(`${name} opened`);
  } catch (error) {
    if (isWanted()) complain(error.namesFile ? error.message : `${name}: ${error.message}`);
  } finally {
    if (isWanted()) byId("opening").hidden = true;
  }
}

/** Opens the first of some files that were dropped. */
function openDropped({ items, files }) {
  if (items[0]?.webkitGetAsEntry?.()?.isDirectory) return complain("A folder cannot be opened: drop one of its files");
  const [file] = files;
  if (file) open(file, file.name, files.length > 1 ? `${files.length} files were dropped, and one can be open: ${file.name}` : "");
}

/** Whether a text is a position, and not like that of a file. */
const isLine = (text) => !/[\r\n]/.test(text.trim()) && !/^\s*(\[|1\.)/.test(text);

/** Whether a text is a position as a whole. */
const isPosition = (text) => isLine(text) && !engine.call("typed", text).error;

/** Other forms of a position or a game: the FEN in a link of Lichess, or moves without numbers as PGN. */
function translated(text) {
  const [, fen] = /^\s*https?:\/\/(?:www\.)?lichess\.org\/(?:\S*?\/)??((?:[pnbrqk1-8]+(?:\/|%2F)){7}[pnbrqk1-8]+[\w%-]*)/i.exec(text) ?? [];
  if (fen) return fen.replaceAll("%2F", "/").replaceAll(/%20|_/g, " ").replace(/\?.*/, "");
  const moves = text.trim().replace(/^(position\s+)?startpos\s+moves\s+/, "");
  const isMove = /^(\d+\.+)?([KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNqrbn])?|[O0]-[O0](-[O0])?)[+#]?[!?]*$/;
  return moves && moves.split(/\s+/).every((word) => isMove.test(word) || /^\d+\.+$|^(1-0|0-1|1\/2-1\/2|\*)$/.test(word)) ? `1. ${moves}` : text;
}

/** Shows what was typed or pasted. */
function take(typed) {
  const text = translated(typed);
  if (text.trim() && isLine(text)) {
    const { fen, error } = engine.call("typed", text);
    // What is no board changes nothing, and stays in the field.
    byId("text").value = text.trim();
    if (error) return complain(error);
    link.mode = "board";
    setFen(fen);
    say(`The position is shown.${counts()}`);
  } else if (text.trim()) {
    open(new Blob([text]), "pasted text");
  } else {
    byId("text").value = link.fen;
    complain("The field was empty: it shows the position of the board again");
  }
}

function buildSource() {
  byId("source").addEventListener("submit", (event) => {
    event.preventDefault();
    take(byId("text").value);
  });
  byId("text").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    take(byId("text").value);
  });
  byId("text").addEventListener("focus", () => byId("text").select());
  byId("text").addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    const { value, selectionStart, selectionEnd } = event.target;
    // A part of the field is changed as in any other.
    const isPart = selectionEnd - selectionStart < value.length;
    if (!text || (isPart && isLine(text) && !isPosition(text) && translated(text) === text)) return;
    event.preventDefault();
    take(text);
  });
  // Outside of a field, there is only one place for it.
  addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    if (!text?.trim() || event.defaultPrevented || event.target.closest?.("textarea, input, dialog")) return;
    event.preventDefault();
    take(text);
  });
  byId("file").addEventListener("change", ({ target }) => {
    const [file] = target.files;
    if (file) open(file, file.name);
    target.value = "";
  });
  const isFile = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    byId("drop").hidden = false;
  });
  addEventListener("dragleave", (event) => !event.relatedTarget && (byId("drop").hidden = true));
  addEventListener("drop", (event) => {
    byId("drop").hidden = true;
    if (!isFile(event)) return;
    event.preventDefault();
    openDropped(event.dataTransfer);
  });
  byId("opening-stop").addEventListener("click", () => {
    openings++;
    byId("opening").hidden = true;
    byId("text").focus();
    say("Stopped");
  });
}

function buildTheme() {
  const names = { auto: "system theme", light: "light", dark: "dark" };
  const signs = { auto: "◐", light: "☀", dark: "☾" };
  let theme = "auto";
  const set = (next) => {
    theme = next in names ? next : "auto";
    document.documentElement.dataset.theme = theme;
    byId("theme").textContent = signs[theme];
    byId("theme").setAttribute("aria-label", `Colours: ${names[theme]}`);
    byId("theme").title = `Colours: ${names[theme]}`;
  };
  try {
    set(localStorage.getItem("slider-attacks-theme"));
  } catch {
    set("auto");
  }
  byId("theme").addEventListener("click", () => {
    set({ auto: "light", light: "dark", dark: "auto" }[theme]);
    say(`Colours: ${names[theme]}`);
    try {
      localStorage.setItem("slider-attacks-theme", theme);
    } catch {
      // Not every browser keeps anything for a page from a folder.
    }
  });
}

function buildTools() {
  const on = (id, action) => byId(id).addEventListener("click", action);
  on("skip", (event) => {
    // The link of the page holds what is seen, so this must not change it.
    event.preventDefault();
    if (link.mode === "board") board.go(board.focused);
    else if (link.mode === "methods") methods.board.go(methods.board.focused);
    else byId("main").focus();
  });
  on("flip", () => {
    link.flip = link.flip === "1" ? "0" : "1";
    update();
    say(link.flip === "1" ? "Black is below" : "White is below");
  });
  on("side", () => {
    const [place, side = "w", castling = "-"] = link.fen.split(/\s+/);
    setFen(`${place} ${side === "b" ? "w" : "b"} ${castling} -`);
    say(byId("side").textContent);
  });
  on("edit", () => {
    if (isEditing() && hand) takeInHand(hand);
    link.edit = isEditing() ? "0" : "1";
    update();
    say(isEditing() ? "Edit is on: pieces go anywhere" : "Edit is off: moves are legal");
  });
  for (const [id, by] of Object.entries({ first: -Infinity, back: -1, forward: 1, last: Infinity })) on(id, () => step(by));
  byId("castling").append(...["K", "Q", "k", "q"].map((right) => html("label", { class: "check" }, html("input", { type: "checkbox", value: right, onchange: () => {
    const rights = [...document.querySelectorAll("#castling input:checked")].map(({ value }) => value).join("");
    setField(2, rights || "-");
  } }), html("span", {}, `${right < "a" ? "White" : "Black"} O-O${right.toUpperCase() === "Q" ? "-O" : ""}`))));
  byId("passant").addEventListener("change", ({ target }) => setField(3, target.value));
  on("undo", () => {
    // The button of the browser may have gone back, too.
    while (before.at(-1) === link.fen) before.pop();
    showUndo();
    if (before.length === 0) return say("There is nothing to undo");
    const fen = before.pop();
    setFen(fen);
    // That is no change to be undone.
    before.pop();
    showUndo();
    say(`Undone.${counts()}`);
  });
  on("start", () => {
    setFen(START);
    say(`The initial position.${counts()}`);
  });
  on("kings", () => {
    setFen(KINGS);
    say(`Kings only.${counts()}`);
  });
  copyOnClick(byId("fen-copy"), "the FEN", () => link.fen);
  on("layers-none", () => {
    link.layers = "";
    update();
    say("All layers off");
  });
  copyOnClick(byId("link"), "the link", () => {
    keep();
    if (location.protocol === "file:") complain("This page is a file of this computer, so its link works only here. For others, copy the FEN.");
    return location.href;
  });
  on("save-svg", () => saveSvg(board));
  on("save-png", () => savePng(board).catch((error) => complain(`the picture cannot be made: ${error.message}`)));
  on("help-open", () => byId("help").showModal());
  byId("service").hidden = !location.protocol.startsWith("http");
  on("error-close", closeMessage);
  on("list-close", () => {
    openings++;
    list.close();
    summary.open(undefined);
    staleness = "";
    showPosition();
    byId("text").focus();
    say("The file is closed");
  });
  on("list-sum", () => {
    link.mode = "summary";
    update();
    byId(summary.worker ? "summary-stop" : "summary-start").focus();
  });
  on("sample", async () => {
    await open(sampleFile(), "famous games");
    link.mode = "summary";
    update();
    summary.start();
  });
  on("occ-board", () => methods.set({ occ: hexOf([...board.pieces].reduce((all, letter, square) => (letter === "." ? all : all | (1n << BigInt(square))), 0n)) }));
  for (const mode of MODES) {
    on(`tab-${mode}`, () => {
      link.mode = mode;
      complain("");
      update();
    });
    byId(`tab-${mode}`).addEventListener("keydown", (event) => {
      const step = { ArrowLeft: 2, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = byId(`tab-${MODES[(MODES.indexOf(mode) + step) % 3]}`);
      next.click();
      next.focus();
    });
  }
}

/** Shows what the link says, and tells what is wrong with it. */
function follow() {
  clearTimeout(pending.timer);
  pending.isNew = false;
  const { state, wrong } = readLink(location.hash, USUAL);
  [staleness, fenShown, wasByHand, lastMove] = ["", undefined, true, []];
  line = { fen: "", moves: [], at: 0 };
  Object.assign(link, state);
  const typed = engine.call("typed", link.fen);
  if (typed.error) wrong.push(`the position of the link is not known: ${typed.error}`);
  link.fen = typed.fen ?? USUAL.fen;
  // To go back is to undo.
  if (before.includes(link.fen)) before.length = before.lastIndexOf(link.fen);
  showUndo();
  const known = [["mode", MODES], ["flip", ["0", "1"]], ["edit", ["0", "1"]]];
  for (const [name, values] of known) {
    if (values.includes(link[name])) continue;
    wrong.push(`the part ${name} of the link is not known: ${JSON.stringify(link[name].slice(0, 40))}`);
    link[name] = USUAL[name];
  }
  for (const { name } of about.options) {
    const error = optionError(name, link[name].slice(0, 40).replaceAll("\n", " "));
    if (!error) continue;
    wrong.push(`the part ${name} of the link: ${error}`);
    link[name] = USUAL[name];
  }
  const strange = layers().filter((name) => !columns.has(name));
  if (strange.length > 0) {
    wrong.push(`the link has a layer ${JSON.stringify(strange[0].slice(0, 40))}, which there is not`);
    link.layers = layers().filter((name) => columns.has(name)).join(",");
  }
  for (const [name, message] of methods.check()) {
    wrong.push(message);
    link[name] = USUAL[name];
  }
  complain("");
  show();
  if (wrong.length > 0) complain(capital(wrong.join("; ")));
}

/** Ends a task, so that the browser answers before the next one. */
const pause = () => new Promise((done) => setTimeout(done));

async function run() {
  engine = new Engine(await held.module);
  await pause();
  about = engine.call("products");
  Object.assign(USUAL, Object.fromEntries(about.options.map(({ name, usual }) => [name, usual])), USUAL_METHOD);
  Object.assign(link, USUAL);
  columns = describe(about.products);
  document.body.append(definitions());
  const keys = "Arrow keys move. Enter picks a piece up and puts it down. The question mark opens help.";
  board = new Board(byId("board"), "Chess board", keys, boardActions);
  await pause();
  methods = new Methods(engine, about, link, () => {
    complain("");
    update(false);
  });
  list = new List(engine, options, showEntry);
  own = new OwnSet((text) => {
    link.set = text;
    update();
    say(byId("own-result").textContent);
  });
  summary = new Summary(engine, about, options, async (entry, fen, column, square) => {
    link.mode = "board";
    // Why the position is in the list.
    if (columns.has(column) && !layers().includes(column)) link.layers = [...layers(), column].join(",");
    update();
    await list.goEntry(entry);
    list.goFen(fen);
    board.go(square);
  });
  await pause();
  buildPalette();
  await buildLayers();
  await pause();
  buildTheme();
  buildTools();
  byId("sheet").addEventListener("click", () => turnSheet());
  // The list is left of the board where there is room, and the key Tab follows the eye.
  const wide = matchMedia("(min-width: 70rem)");
  const placeList = () => byId("stage")[wide.matches ? "before" : "after"](byId("list-panel"));
  wide.addEventListener("change", placeList);
  placeList();
  byId("about").textContent = `Version ${about.version}, backend ${about.backend}.`;
  addEventListener("popstate", () => {
    follow();
    say(byId("position-note").textContent);
  });
  await pause();
  follow();
  await pause();
  summary.open(undefined);
  // Files, pasted texts and keys reach the window although `main` is inert, so nothing may come after these.
  buildSource();
  buildKeys();
  document.body.classList.add("ready");
  byId("main").inert = false;
}

run().catch((error) => complain(`the page does not start: ${error.message}`));
