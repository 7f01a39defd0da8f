// The page: its state, its link, and what the person does.
import { Board } from "./board.js";
import { byId, capital, complain, copyButton, copyOnClick, focusBeforeMessage, hexOf, html, pieceName, plural, say, squareName, squaresOf } from "./dom.js";
import { Engine } from "./engine.js";
import { List, openFile } from "./files.js";
import { buttonText, definitions, describe, drawLayers, inOrder, isFirst, layerList, productTitle, squareText } from "./layers.js";
import { readLink, writeLink } from "./link.js";
import { Methods } from "./methods.js";
import { pieceIcon } from "./pieces.js";
import { Summary } from "./summary.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const KINGS = "4k3/8/8/8/8/8/8/4K3 w - -";
const EXAMPLE = "r1bqk2r/ppp2ppp/2np1n2/1Bb1p3/4P3/2PP1N2/PP3PPP/RNBQK2R w KQkq -";
const MODES = ["board", "methods", "summary"];
/** What is usual: the parts of a link, in their order. `run` puts the options of products between these two. */
const USUAL = { mode: "board", fen: EXAMPLE, flip: "0", layers: "white_attacks,black_attacks" };
const USUAL_METHOD = { method: "fill-up", slider: "queen", square: "d4", occ: "0x00540a8020004208", line: "diagonal" };

const link = {};
let engine, about, columns, board, list, methods, summary;
let position = { columns: {}, pieces: {} };
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
  for (const mode of MODES) {
    const isOn = link.mode === mode;
    byId(`view-${mode}`).hidden = !isOn;
    byId(`tab-${mode}`).setAttribute("aria-selected", String(isOn));
    byId(`tab-${mode}`).setAttribute("tabindex", isOn ? "0" : "-1");
  }
  showPosition();
  if (link.mode === "methods") methods.draw();
}

const NO_POSITION = "This is no position: the layers wait until it is one.";
/** The FEN that the field shows. Until it changes, what a person types there stays. */
let fenShown;

function showPosition() {
  const answer = engine.call("position", `${link.fen}\n${options()}`);
  if (fenShown !== link.fen) byId("text").value = fenShown = link.fen;
  fit();
  if (board.isFlipped !== (link.flip === "1")) board.turn(link.flip === "1");
  byId("flip").setAttribute("aria-pressed", String(link.flip === "1"));
  const isWhite = link.fen.split(/\s+/)[1] !== "b";
  byId("side").textContent = `${isWhite ? "White" : "Black"} to move`;
  if (answer.error) {
    // About the board as a whole, there is no column.
    if (link.mode === "board") complain(capital(answer.error.replace(/^column \d+: (?=expected one \w+ king)/, "")));
    position = { columns: {}, pieces: {}, board: answer.board };
    if (position.board) board.show(position.board);
    byId("position-note").textContent = NO_POSITION;
    byId("position-text").textContent = "";
  } else {
    position = answer;
    board.show(position.board);
    const moves = position.columns.legal_moves;
    byId("position-note").textContent = `${plural(moves, "legal move")} for ${isWhite ? "White" : "Black"}`;
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
  showLayers();
}

function showLayers() {
  const on = shown();
  drawLayers(board, on, position.columns);
  board.name((square) => squareText(on, position.columns, square));
  byId("shown").replaceChildren(...layerList(on, position.columns, board.pieces, hide));
  document.querySelectorAll("[data-layer]").forEach((button) => button.setAttribute("aria-pressed", String(layers().includes(button.dataset.layer))));
  byId("legend").hidden = !on.some(({ draw }) => ["area", "hatch", "numbers"].includes(draw));
  showPiece();
}

/** Hides a layer by its own button: the focus goes to the next one. */
function hide(name) {
  const items = byId("shown").children;
  const at = [...items].findIndex((item) => item.dataset.column === name);
  toggle([name]);
  const next = items[Math.min(at, items.length - 1)]?.querySelector(".hide");
  (next || byId("layers-none")).focus();
}

/** How many squares the layers have that are shown, for who hears it. */
function counts() {
  if (!position.fen) return ` ${NO_POSITION}`;
  const items = [...document.querySelectorAll("#shown li")].slice(0, 3);
  return items.map((item) => ` ${item.querySelector("strong").textContent}${item.querySelector(".note").textContent}.`).join("");
}

/** What the piece attacks that has the focus or is picked up. */
function showPiece() {
  const square = board.lifted >= 0 ? board.lifted : board.focused;
  board.over.querySelectorAll(".dot").forEach((dot) => dot.remove());
  const attacks = hasChosen && position.pieces[squareName(square)];
  const host = byId("piece-attacks");
  if (!attacks) {
    host.replaceChildren(html("p", { class: "note" }, "Choose a piece to see what it attacks."));
    return;
  }
  const squares = squaresOf(attacks);
  for (const to of squares) {
    const [x, y] = board.corner(to);
    board.over.append(dot(x + 50, y + 50));
  }
  const title = `${capital(pieceName(board.pieces[square]))} ${squareName(square)} attacks`;
  host.replaceChildren(html("div", { class: "layer-head" }, pieceIconOf(board.pieces[square]), html("strong", {}, title),
    html("span", { class: "note" }, ` (${plural(squares.length, "square")})`), html("span", { class: "space" }), html("span", { class: "together" }, html("code", {}, attacks), copyButton(title, () => attacks))),
  html("p", { class: "squares" }, squares.map(squareName).join(", ") || "none"));
}

function dot(cx, cy) {
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [name, value] of Object.entries({ cx, cy, r: 9, class: "dot" })) circle.setAttribute(name, value);
  return circle;
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
  const counts = isOn ? [] : [...document.querySelectorAll("#shown li")].filter((item) => names.includes(item.dataset.column)).map((item) => item.querySelector(".squares").textContent);
  say(isOn || counts.length !== 1 ? texts.join(", ") : `${texts[0]}: ${counts[0].slice(0, 300)}`);
}

/** The positions before changes by hand. */
const before = [];
/** Whether the position came by hand or from the link, and not from a walk through a file. */
let wasByHand = true;

function setFen(fen, isNew = true, isByHand = isNew) {
  if (isByHand) complain("");
  // Of a walk through a file, what was there before it.
  if (fen !== link.fen && (isByHand || wasByHand)) before.push(link.fen);
  if (before.length > 200) before.shift();
  wasByHand = isByHand || (wasByHand && fen === link.fen);
  staleness = "";
  link.fen = fen;
  fenShown = undefined;
  update(isNew);
  showUndo();
}

/** What the list shows. The first position of a file is a step of the history. */
function showEntry(fen, isFirst, message) {
  // What was there before a walk through a file keeps its place in the history.
  if (fen) return setFen(fen, isFirst || wasByHand, false);
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

const boardActions = {
  place(letter, square) {
    const before = board.pieces[square];
    if (letter === "." && before === ".") return;
    setBoard(replaced(board.pieces, square, letter));
    say(letter === "." ? `${pieceName(before)} removed from ${squareName(square)}.${counts()}` : `${pieceName(letter)} on ${squareName(square)}.${counts()}`);
  },
  move(from, to) {
    const letter = board.pieces[from];
    let pieces = replaced(board.pieces, from, ".");
    if (to >= 0) pieces = replaced(pieces, to, letter);
    setBoard(pieces);
    if (to >= 0) board.go(to);
    say(to < 0 ? `${pieceName(letter)} removed.${counts()}` : `${pieceName(letter)} from ${squareName(from)} to ${squareName(to)}.${counts()}`);
  },
  press(square) {
    if (!hand) return false;
    boardActions.place(hand, square);
    return true;
  },
  choose: (letter) => takeInHand(letter),
  lift(square) {
    if (square >= 0) {
      const attacks = position.pieces[squareName(square)];
      const squares = attacks ? squaresOf(attacks).map(squareName) : [];
      say(`${pieceName(board.pieces[square])} picked up. It attacks ${squares.join(", ") || "nothing"}`);
    }
    showLayers();
  },
  putDown(square) {
    say(`${pieceName(board.pieces[square])} stays on ${squareName(square)}`);
  },
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
  document.body.append(html("button", { type: "button", id: "hand", hidden: true, onclick: stop }));
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

function buildLayers() {
  let number = 0;
  for (const product of inOrder(about.products)) {
    number++;
    const names = product.columns.map(({ name }) => name);
    const title = productTitle(product);
    const buttons = names.map((name) => {
      const column = columns.get(name);
      return html("button", { type: "button", "data-layer": name, "aria-pressed": "false", "aria-label": product.name === "kind_maps" ? `${capital(column.side)} ${buttonText(column).toLowerCase()}: attacks` : column.title, title: capital(column.meaning), class: `layer ${column.side}`, onclick: () => toggle([name]) }, buttonText(column));
    });
    // Many columns have a row for each side.
    const ofSide = (side) => buttons.filter((_, at) => columns.get(names[at]).side === side);
    const rows = names.length > 2 ? ["white", "black", "both"].map(ofSide).filter((row) => row.length > 0) : [buttons];
    const key = number <= 9 ? html("kbd", {}, String(number)) : "";
    const meanings = product.columns.map(({ name, meaning }) => html("p", {}, html("strong", {}, columns.get(name).title), `: ${meaning}`));
    const info = html("details", { class: "info" }, html("summary", { "aria-label": `Definition: ${title}` }, "i"),
      html("div", {}, html("p", {}, `${product.definition}.`), product.name === "kind_maps" ? "" : meanings, product.options.map(buildOption)));
    const group = html("div", { class: "product", role: "group", "aria-label": title }, html("div", { class: "product-head" }, html("h3", {}, title), key, html("span", { class: "space" }), info), rows.map((row) => html("div", { class: "buttons" }, product.name === "kind_maps" && html("span", { class: "note" }, capital(columns.get(row[0].dataset.layer).side)), row)));
    byId(isFirst(product) ? "layers" : "layers-others").append(group);
    if (number <= 9) shortcuts.set(String(number), () => toggle(names));
  }
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
  shortcuts.set(",", () => list.step(-1));
  shortcuts.set(".", () => list.step(1));
  shortcuts.set("?", () => byId("help").showModal());
  addEventListener("keydown", (event) => {
    if (board.cancelDrag || methods.board.cancelDrag) {
      // While a piece is dragged, other keys wait.
      if (event.key === "Escape") [board, methods.board].forEach((board) => board.cancelDrag?.());
      return event.preventDefault();
    }
    if (event.key === "Escape" && hand && !byId("help").open) return takeInHand(hand);
    if (event.key === "Escape" && board.lifted >= 0) return board.leave();
    if (event.key === "Escape" && !byId("error").hidden && !byId("help").open) return closeMessage();
    const isTyping = event.target.closest?.("textarea, select, input:not([type=radio]):not([type=checkbox]), dialog");
    if (isTyping || event.repeat && event.key !== "," && event.key !== "." || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !byId("keys").checked) return;
    const action = shortcuts.get(event.key);
    if (!action || (link.mode !== "board" && event.key !== "?")) return;
    event.preventDefault();
    action();
  });
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

/** Shows what was typed or pasted. */
function take(text) {
  if (text.trim() && isLine(text)) {
    const { fen, error } = engine.call("typed", text);
    // What is no board changes nothing, and stays in the field.
    byId("text").value = text.trim();
    fit();
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

/** A field of one line is as high as its text needs, on a narrow screen. */
function fit() {
  const { style } = byId("text");
  style.height = "auto";
  style.height = `${Math.min(120, byId("text").scrollHeight + 2)}px`;
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
    if (!text || (isPart && isLine(text))) return;
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
    return location.href;
  });
  on("help-open", () => byId("help").showModal());
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
    byId("summary-start").focus();
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
  [staleness, fenShown, wasByHand] = ["", undefined, true];
  Object.assign(link, state);
  const typed = engine.call("typed", link.fen);
  if (typed.error) wrong.push(`the position of the link is not known: ${typed.error}`);
  link.fen = typed.fen ?? USUAL.fen;
  // To go back is to undo.
  if (before.includes(link.fen)) before.length = before.lastIndexOf(link.fen);
  showUndo();
  const known = [["mode", MODES], ["flip", ["0", "1"]]];
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

async function run() {
  engine = new Engine(await held.module);
  about = engine.call("products");
  Object.assign(USUAL, Object.fromEntries(about.options.map(({ name, usual }) => [name, usual])), USUAL_METHOD);
  Object.assign(link, USUAL);
  columns = describe(about.products);
  document.body.append(definitions());
  const keys = "Arrow keys move. Enter picks a piece up and puts it down. The question mark opens help.";
  board = new Board(byId("board"), "Chess board", keys, boardActions);
  methods = new Methods(engine, about, link, () => {
    complain("");
    update(false);
  });
  list = new List(engine, showEntry);
  summary = new Summary(engine, about, options);
  buildPalette();
  buildLayers();
  buildSource();
  buildTheme();
  buildTools();
  buildKeys();
  byId("about").textContent = `Version ${about.version}, backend ${about.backend}.`;
  addEventListener("popstate", () => {
    follow();
    say(byId("position-note").textContent);
  });
  addEventListener("resize", fit);
  follow();
  summary.open(undefined);
  document.body.classList.add("ready");
}

run().catch((error) => complain(`the page does not start: ${error.message}`));
