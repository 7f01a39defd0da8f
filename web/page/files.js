// A file or a pasted text: what it holds, and the list of its entries. Only the entries that are shown are kept.
import { complain, say, svg } from "./dom.js";
import { byId, html, plural } from "../../rows/src/sums/page/elements.js";
import { Engine } from "./engine.js";
import { startWorker } from "./work.js";

const ROW = 44;
const BEGINNING = 1 << 17;
/** The most bytes of the file that are read for the list: more than a line or a game may have. */
const MOST_PART = 1 << 21;
/** How many entries are read for the list at a time. */
const PAGE = 64;
const MOST_UNPACKED = 256 << 20;
const MOST_ERRORS = 100;
/** The most bytes of a game that are searched for comments, and the most letters of a variation. */
const MOST_REMARKS = 1 << 17;
const MOST_REMARK = 600;

/** What unpacks zstd, as browsers unpack gzip. */
function unzstd(module) {
  const engine = new Engine(module);
  const push = (chunk, isLast, control) => {
    const answer = engine.bytes("unzstd", chunk, isLast);
    if (answer[0] === 1) throw new Error(new TextDecoder().decode(answer.subarray(1)));
    control.enqueue(answer.slice(1));
  };
  return new TransformStream({ transform: (chunk, control) => push(chunk, 0, control), flush: (control) => push("", 1, control) });
}

/** Unpacks gzip or zstd by `decompression`, as long as `isWanted` says so. Larger files than the bound are not kept in memory. */
async function unpack(file, decompression, isWanted, tell) {
  let [packed, told] = [0, 0];
  const count = new TransformStream({
    transform(chunk, control) {
      packed += chunk.length;
      control.enqueue(chunk);
    },
  });
  const [chunks, reader] = [[], file.stream().pipeThrough(count).pipeThrough(decompression).getReader()];
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read().catch((error) => {
      throw new Error(/junk|trailing|extra|additional/i.test(error.message) ? "it has several members of gzip, and browsers read only the first: unpack it first, for example with gzip -d" : `it cannot be unpacked: ${error.message}`);
    });
    if (done) return new Blob(chunks);
    bytes += value.length;
    if (bytes > MOST_UNPACKED || !isWanted()) {
      await reader.cancel();
      throw new Error("it unpacks to more than 256 MiB: unpack it first, for example with gzip -d or zstd -d");
    }
    chunks.push(value);
    if (performance.now() - told < 100) continue;
    tell("Unpacking", packed / file.size);
    told = performance.now();
  }
}

/** Tells what a file holds: its bytes, its format, and an engine that reads parts of it. Ends early if `isWanted` says no; `tell`
 * gets a text and how much is done. */
export async function openFile(engine, blob, name, isWanted, tell) {
  let file = blob;
  name = name.replaceAll("\n", " ");
  const start = (await bytesOf(file, 0, 4)).join(" ");
  const isGzip = start.startsWith("31 139");
  // Some compressors begin with a frame that is skipped.
  if (isGzip || start === "40 181 47 253" || /^(8\d|9[0-5]) 42 77 24$/.test(start)) {
    say("Unpacking");
    file = await unpack(blob, isGzip ? new DecompressionStream("gzip") : unzstd(engine.module), isWanted, tell);
    name = name.replace(/\.(gz|zst)$/i, "");
  }
  const reader = new Engine(engine.module);
  reader.call("begin", `${name}\nwhat `);
  for (let at = 0; ; at += BEGINNING) {
    const { error, format } = reader.call("block", await bytesOf(file, at, at + BEGINNING), at + BEGINNING >= file.size ? 1 : 0);
    if (error) throw Object.assign(new Error(error), { namesFile: true });
    if (format || !isWanted()) return { file, name, format, reader };
  }
}

/** Bytes of a file. */
const bytesOf = async (file, start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer());

const NAGS = ["", "!", "?", "!!", "??", "!?", "?!", "□", "", "", "=", "", "", "∞", "⩲", "⩱", "±", "∓", "+-", "-+"];

/** What a game of PGN says about its moves, by ply: comments, signs and variations, as text. */
function remarks(pgn) {
  const found = new Map();
  const text = pgn.replace(/^[ \t]*\[[^\n]*\][ \t]*\r?$/gm, "");
  const words = text.match(/\{[^}]*\}?|;[^\n]*|\$\d+|[()]|[^\s{}();$]+/g) ?? [];
  let [ply, depth, variation] = [0, 0, []];
  const add = (text) => text && found.set(ply, [...(found.get(ply) ?? []), text]);
  for (const word of words) {
    const isComment = /^[{;]/.test(word);
    // What tools write into comments is shown elsewhere.
    const said = isComment ? word.replace(/^[{;]|\}$/g, "").replace(/\[%[^\]]*\]/g, "").replace(/\s+/g, " ").trim() : word[0] === "$" ? (NAGS[word.slice(1)] ?? word) : word;
    if (word === "(") depth++;
    if (depth > 0) variation.push(said);
    else if (isComment || word[0] === "$") add(said);
    else if (!/^(\d+\.*|\.+|1-0|0-1|1\/2-1\/2|\*|[!?]+)$/.test(word)) ply++;
    if (word === ")" && depth > 0 && --depth === 0) {
      add(variation.join(" ").replace(/\( /g, "(").replace(/ \)/g, ")").slice(0, MOST_REMARK));
      variation = [];
    }
  }
  return found;
}

/** Who played a game, or where nobody is named its event. */
function gameTitle({ White = "?", Black = "?", Event }) {
  if (White === "?" && Black === "?") return Event || undefined;
  return [html("bdi", {}, White), " – ", html("bdi", {}, Black)];
}

/** A condition as code, with a mark at the letter of this byte, from 1. */
function placeIn(text, column) {
  const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, column - 1));
  const [letter = " "] = text.slice(before.length);
  return html("code", {}, before, html("mark", {}, letter), text.slice(before.length + letter.length));
}

/** The list of a file. `options()` are those of products, for conditions. `choose(fen, isFirst)` shows a position, the first one of the file or another; without a FEN, `choose` is told
 * why there is none. */
export class List {
  constructor(engine, options, choose) {
    Object.assign(this, { engine, options, choose, top: 0, opened: undefined, chosen: -1, total: 0, matches: undefined, marks: [], pages: new Map(), game: undefined, ply: 0 });
    this.host = byId("list");
    this.rows = byId("rows");
    this.moves = byId("moves");
    this.host.addEventListener("scroll", () => this.draw());
    this.host.addEventListener("wheel", (event) => {
      if (!this.extent().isShort || event.ctrlKey) return;
      event.preventDefault();
      const rows = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY / ROW : event.deltaY;
      this.firstRow(); // where the bar is
      this.showFrom(this.top + rows);
    });
    this.host.addEventListener("keydown", (event) => this.key(event));
    this.host.addEventListener("click", (event) => {
      const row = event.target.closest("[data-entry]");
      if (row) this.go(Number(row.dataset.entry));
    });
    byId("list-errors").addEventListener("click", (event) => {
      const error = event.target.closest("[data-entry]");
      if (error) this.goEntry(Number(error.dataset.entry));
    });
    this.moves.addEventListener("click", (event) => {
      const move = event.target.closest("[data-ply]");
      if (move) this.goPly(Number(move.dataset.ply));
    });
    this.moves.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -9999, End: 9999 }[event.key];
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.goPly(this.ply + step, true);
    });
    byId("list-go").addEventListener("submit", (event) => {
      event.preventDefault();
      // As the list writes them, with commas.
      const digits = byId("list-number").value.replace(/[\s,.'’]/g, "");
      const number = /^\d+$/.test(digits) ? Number(digits) : 0;
      if (number >= 1 && number <= this.total) this.goEntry(number - 1);
      else complain(`expected a number from 1 to ${this.total.toLocaleString("en")}`);
    });
    byId("list-where").addEventListener("submit", (event) => {
      event.preventDefault();
      this.filter(byId("where").value);
    });
    new ResizeObserver(() => this.draw()).observe(this.host);
  }

  get isGames() {
    return this.opened?.format === "PGN";
  }

  /** How many rows the list has. */
  get count() {
    return this.matches ? this.matches.entries.length : this.total;
  }

  /** The entry of a row: with a condition, only those that match have one. */
  entryOf(row) {
    return this.matches ? this.matches.entries[row] : row;
  }

  /** Looks again if the options of products are others than those of the condition. The board stays as it is. */
  refilter() {
    if (this.matches && this.matches.options !== this.options()) this.filter(this.matches.text, true);
  }

  /** Lists the entries that match a condition; without one, all of them. */
  filter(text, isAgain = false) {
    this.unfilter();
    // A line each. Blanks stay, because texts have them.
    text = text.trim().replace(/[\r\n\t]/g, " ");
    if (text && this.opened) {
      this.matches = { entries: [], plies: [], text, options: this.options(), isAgain };
      byId("where-result").hidden = false;
      byId("where-result").textContent = "Looking";
      const report = (report) => this.reportMatches(text, report);
      this.filterer = startWorker(this.engine.module, { ...this.opened, options: `what \nwhere ${text}\n${this.matches.options}` }, report);
    } else if (this.opened) {
      this.go(0);
    }
    this.draw();
  }

  /** Ends the work on a condition: all entries are listed. */
  unfilter() {
    this.filterer?.stop();
    Object.assign(this, { filterer: undefined, matches: undefined, chosen: -1, top: 0 });
    this.host.scrollTop = 0;
    byId("where-result").hidden = true;
    byId("where-result").classList.remove("wrong");
    byId("where").removeAttribute("aria-invalid");
  }

  reportMatches(text, { error, column, matches = [], matching, positions, isDone }) {
    const result = byId("where-result");
    if (error) {
      this.unfilter();
      result.hidden = false;
      result.classList.add("wrong");
      byId("where").setAttribute("aria-invalid", "true");
      result.replaceChildren(html("bdi", {}, error), ...(column ? [html("br"), placeIn(text, column)] : []));
      say(error);
      this.go(0);
      return;
    }
    const isFirst = this.count === 0 && matches.length > 0;
    for (const [entry, ply] of matches) {
      this.matches.entries.push(entry);
      this.matches.plies.push(ply);
    }
    const found = `${matching.toLocaleString("en")} of ${plural(positions, "position")} ${matching === 1 ? "matches" : "match"}`;
    result.textContent = `${found}${this.isGames ? `, in ${plural(this.count, "game")}` : ""}${isDone ? "" : " so far"}`;
    if (isDone) say(result.textContent);
    if (isFirst && !this.matches.isAgain) this.go(0);
    else this.draw();
  }

  /** Shows a file, and goes to its first entry as soon as there is one. */
  open(opened) {
    this.close();
    this.opened = opened;
    byId("list-panel").hidden = false;
    byId("list-name").textContent = opened.name;
    byId("list-what").textContent = this.isGames ? "Games" : "Positions";
    byId("list-count").textContent = "reading";
    byId("list-progress").hidden = false;
    byId("list-progress").value = 0;
    byId("list-wrong").hidden = true;
    this.errors = [];
    this.worker = startWorker(this.engine.module, { ...opened, options: "what " }, (report) => this.report(report));
    this.draw();
  }

  close() {
    this.worker?.stop();
    this.unfilter();
    byId("where").value = "";
    Object.assign(this, { opened: undefined, chosen: -1, total: 0, marks: [], pages: new Map(), game: undefined, ply: 0, summary: "", top: 0 });
    byId("list-panel").hidden = true;
    byId("list-name").textContent = "";
    for (const id of ["game", "entry-text", "list-go", "list-where"]) byId(id).hidden = true;
    byId("list-errors").replaceChildren();
  }

  report({ error, marks = [], errors = [], entries, positions, wrong, bytes, isDone }) {
    if (error) {
      byId("list-count").textContent = [this.summary, error].filter(Boolean).join("; ");
      byId("list-progress").hidden = true;
      complain(error);
      return;
    }
    const isFirst = this.total === 0 && entries > 0;
    for (const mark of marks) {
      if (this.marks.at(-1)?.[0] === mark[0]) this.marks.pop();
      this.marks.push(mark);
    }
    this.total = entries;
    byId("list-go").hidden = entries < 20;
    this.errors.push(...errors.slice(0, MOST_ERRORS - this.errors.length));
    this.summary = `${this.isGames ? `${plural(entries, "game")}, ` : ""}${plural(positions, "position")}${wrong ? `, ${plural(wrong, "error")}` : ""}`;
    byId("list-count").textContent = this.summary;
    const progress = byId("list-progress");
    progress.hidden = isDone;
    // Until all has been read, it is not known where entries begin.
    byId("list-where").hidden = !isDone || entries === 0;
    progress.value = this.opened.file.size ? bytes / this.opened.file.size : 1;
    if (isDone) {
      say(`${this.opened.name}: ${this.summary}`);
      byId("list-errors").replaceChildren(...this.errors.map(([entry, text]) => html("li", {}, html("button", { type: "button", "data-entry": entry }, html("bdi", {}, text)))));
      byId("list-wrong").hidden = wrong === 0;
      byId("list-wrong-title").textContent = `${plural(wrong, "error")}${wrong > this.errors.length ? `, the first ${this.errors.length} shown` : ""}`;
      if (entries === 0) complain(`${this.opened.name} has no positions`);
    }
    if (isFirst && !this.matches) this.go(0, true);
    else this.draw();
  }

  /** The page of entries around one: its number, and the entries. */
  async page(entry) {
    let [low, high] = [0, this.marks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.marks[middle][0] <= entry) low = middle;
      else high = middle - 1;
    }
    const [mark, [start, , place]] = this.marks[low];
    // The last mark is where the entries end that are known.
    const end = Math.min(this.marks[low + 1][1][1], start + MOST_PART);
    const passed = entry - mark - ((entry - mark) % PAGE);
    const first = mark + passed;
    const known = this.pages.get(first);
    if (known) return known;
    const { file, reader } = this.opened;
    const load = async () => {
      const head = [...place, passed, PAGE, end >= file.size ? 1 : 0].join(" ");
      const entries = reader.call("list", [`${head}\n`, await bytesOf(file, start, end)]);
      if (entries.error) throw new Error(entries.error);
      return { first, start, entries };
    };
    const page = load();
    this.pages.set(first, page);
    if (this.pages.size > 40) this.pages.delete(this.pages.keys().next().value);
    return page;
  }

  /** The entry of a row, and where its part of the file begins. */
  async entry(row) {
    const number = this.entryOf(row);
    const { first, start, entries } = await this.page(number);
    return { start, entry: entries[number - first] };
  }

  /** Chooses an entry. If it does not match the condition, all are listed again. */
  async goEntry(number) {
    if (this.matches && !this.matches.entries.includes(number)) {
      this.unfilter();
      byId("where").value = "";
    }
    await this.go(this.matches ? this.matches.entries.indexOf(number) : number);
  }

  /** Chooses the entry of a row. */
  async go(number, isFirst = false) {
    if (!this.opened || this.count === 0) return;
    if (!isFirst) complain("");
    number = Math.max(0, Math.min(this.count - 1, number));
    this.chosen = number;
    const { opened, matches } = this;
    const isLeft = () => this.opened !== opened || this.matches !== matches || this.chosen !== number;
    try {
      const { start, entry } = await this.entry(number);
      if (isLeft() || !entry) return;
      this.scrollTo(number);
      this.draw();
      byId("entry-text").hidden = this.isGames;
      byId("entry-text").replaceChildren(html("bdi", {}, entry.text || ""));
      if (entry.error && !this.isGames) {
        complain(entry.error);
        byId("game").hidden = true;
        this.choose(undefined, false, `Entry ${(this.entryOf(number) + 1).toLocaleString("en")} is no position: the board shows another one.`);
      } else if (this.isGames) {
        const bytes = await bytesOf(opened.file, start + entry.start, start + entry.end);
        const game = opened.reader.call("moves", [`${entry.place.join(" ")}\n`, bytes]);
        if (isLeft()) return;
        this.showGame(game, entry, isFirst, remarks(new TextDecoder().decode(bytes.subarray(0, MOST_REMARKS))));
      } else {
        this.choose(entry.fen, isFirst);
      }
    } catch (error) {
      complain(`the file cannot be read: ${error.message}`);
    }
  }

  /** How many rows fit, how far the list can be scrolled, and whether that is less than the height of all rows: browsers have no
   * elements of many million pixels. */
  extent() {
    const all = this.count * ROW;
    const height = Math.min(all, 8e6);
    const fitting = Math.max(1, Math.floor(this.host.clientHeight / ROW));
    return { height, fitting, most: Math.max(0, height - this.host.clientHeight), isShort: height < all };
  }

  /** The first row that is to be seen. */
  firstRow() {
    const { fitting, most, isShort } = this.extent();
    if (!isShort) return Math.floor(this.host.scrollTop / ROW);
    // A pixel of the bar is many rows: which of them is kept next to it.
    const rows = this.count - fitting;
    if (Math.abs((this.top / rows) * most - this.host.scrollTop) > 1.5) this.top = (this.host.scrollTop / most) * rows;
    return Math.round(this.top);
  }

  /** Shows other rows, from this one on. */
  showFrom(row) {
    const { fitting, most } = this.extent();
    this.top = Math.max(0, Math.min(row, this.count - fitting));
    this.host.scrollTop = (this.top / (this.count - fitting)) * most;
    this.draw();
  }

  scrollTo(number) {
    const { fitting, isShort } = this.extent();
    const first = this.firstRow();
    if (isShort) {
      if (number >= first && number < first + fitting) return;
      this.showFrom(number < first ? number : number - fitting + 1);
    } else if (number * ROW < this.host.scrollTop) {
      this.host.scrollTop = number * ROW;
    } else if ((number + 1) * ROW > this.host.scrollTop + this.host.clientHeight) {
      this.host.scrollTop = (number + 1) * ROW - this.host.clientHeight;
    }
  }

  /** Draws the rows that are to be seen. */
  async draw() {
    const { opened, matches } = this;
    if (!opened) return;
    const { height, fitting, isShort } = this.extent();
    byId("list-height").style.height = `${height}px`;
    this.host.style.height = `min(22rem, ${Math.max(1, this.count) * ROW + 2}px)`;
    const first = Math.max(0, Math.min(this.firstRow(), this.count - fitting));
    const last = Math.min(this.count, first + fitting + 2);
    const rows = [];
    try {
      for (let number = first; number < last; number++) {
        const { entry } = await this.entry(number);
        if (this.opened !== opened || this.matches !== matches) return;
        if (entry) rows.push(this.row(number, entry));
      }
    } catch (error) {
      complain(`the file cannot be read: ${error.message}`);
    }
    this.rows.style.transform = `translateY(${isShort ? Math.min(this.host.scrollTop, height - rows.length * ROW) : first * ROW}px)`;
    this.rows.replaceChildren(...rows);
    const active = this.rows.querySelector("[aria-selected=true]");
    if (active) this.host.setAttribute("aria-activedescendant", active.id);
    else this.host.removeAttribute("aria-activedescendant");
  }

  row(number, entry) {
    let [title, note] = [entry.text, [(this.entryOf(number) + 1).toLocaleString("en"), entry.place, entry.note].filter(Boolean).join(" · ")];
    if (this.isGames) {
      const { Result, Event, Date: date } = entry.tags;
      title = gameTitle(entry.tags) ?? `Game ${this.entryOf(number) + 1}`;
      note = [Result, date, title === Event ? "" : Event].filter(Boolean).join(" · ") || `game ${entry.place[3]}`;
    }
    note = entry.error ?? note;
    return html("div", { role: "option", id: `entry-${number}`, "data-entry": number, "aria-selected": String(number === this.chosen), "aria-setsize": this.count,
      "aria-posinset": number + 1, class: `row${entry.error ? " wrong" : ""}` }, html("span", { class: "row-title" }, title), html("bdi", { class: "row-note" }, note));
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const screen = Math.max(1, Math.floor(this.host.clientHeight / ROW) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: screen, PageUp: -screen, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.go(Math.max(0, this.chosen) + step);
  }

  showGame({ plies, error }, entry, isFirst, remarks) {
    Object.assign(this, { game: plies, ply: 0 });
    byId("game").hidden = false;
    byId("game-title").replaceChildren(...[gameTitle(entry.tags) ?? "Game"].flat());
    const items = plies.map(({ eval: value, clock }, ply) => {
      const { isWhite, number, text } = this.move(ply);
      const before = ply === 0 ? "" : isWhite ? `${number}.` : ply === 1 ? `${number}…` : "";
      const more = [value && `evaluation ${value}`, clock && `clock ${clock}`].filter(Boolean).join(", ");
      return html("span", { class: "turn" }, before && html("span", { class: "note" }, before),
        html("button", { type: "button", "data-ply": ply, tabindex: "-1", title: more || undefined, "aria-label": [before, text, more].filter(Boolean).join(" ") }, html("bdi", {}, text)));
    });
    const told = (ply) => remarks.get(ply)?.map((text) => html("bdi", { class: "remark" }, `${text} `)) ?? [];
    this.moves.replaceChildren(...items.flatMap((item, ply) => [item, ...told(ply)]));
    this.drawGraph();
    byId("game-error").textContent = error || "";
    byId("game-error").hidden = !error;
    if (error) say(error);
    if (plies.length > 0) this.goPly(this.matches?.plies[this.chosen] ?? 0, false, isFirst);
    else this.choose(undefined, false, "This game has no position: the board shows another one.");
  }

  /** Draws the evaluations of a game: up is White's. */
  drawGraph() {
    const values = this.game.map(({ eval: value }) => (value === null || value === undefined ? undefined : value[0] === "#" ? (value[1] === "-" ? -10 : 10) : Number(value)));
    const known = values.flatMap((value, ply) => (value === undefined ? [] : [[ply, 20 - 20 * Math.tanh(value / 4)]]));
    byId("graph").hidden = known.length < 2;
    if (known.length < 2) return;
    const most = this.game.length - 1;
    const d = `M${known[0][0]} 40${known.map(([x, y]) => `L${x} ${y.toFixed(1)}`).join("")}L${known.at(-1)[0]} 40z`;
    const graph = svg("svg", { viewBox: `0 0 ${most} 40`, preserveAspectRatio: "none", role: "img", "aria-label": "Evaluations of the game" },
      svg("path", { d }), svg("line", { x1: 0, x2: most, y1: 20, y2: 20, class: "zero" }), svg("line", { class: "now", y1: 0, y2: 40 }));
    graph.addEventListener("click", ({ clientX }) => {
      const { left, width } = graph.getBoundingClientRect();
      this.goPly(Math.round((most * (clientX - left)) / width));
    });
    byId("graph").replaceChildren(graph);
  }

  /** A move of the game: whether White makes it, its number, and its text. */
  move(ply) {
    const { san, move, number, fen } = this.game[ply];
    const isWhite = ply > 0 && fen.split(" ")[1] === "b";
    // The number is that after the move.
    return { isWhite, number: isWhite ? number : number - 1, text: ply === 0 ? "Start" : san || move };
  }

  /** Goes to a position of the game. */
  goPly(ply, withFocus = false, isFirst = false) {
    if (!this.game?.length) return;
    this.ply = Math.max(0, Math.min(this.game.length - 1, ply));
    const buttons = this.moves.querySelectorAll("[data-ply]");
    buttons.forEach((button, at) => {
      button.setAttribute("tabindex", at === this.ply ? "0" : "-1");
      if (at === this.ply) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const now = byId("graph").querySelector(".now");
    for (const name of ["x1", "x2"]) now?.setAttribute(name, this.ply);
    const button = buttons[this.ply];
    if (withFocus) button.focus();
    const [top, bottom] = [button.offsetTop - this.moves.offsetTop, button.offsetTop - this.moves.offsetTop + button.offsetHeight];
    if (top < this.moves.scrollTop) this.moves.scrollTop = top;
    else if (bottom > this.moves.scrollTop + this.moves.clientHeight) this.moves.scrollTop = bottom - this.moves.clientHeight;
    const { fen, move, eval: value, clock } = this.game[this.ply];
    byId("game-note").textContent = [value && `Evaluation ${value}`, clock && `clock ${clock}`].filter(Boolean).join(", ");
    this.choose(fen, isFirst, undefined, move ?? "");
  }

  /** Whether there is something to go on or back to. */
  canStep(by) {
    const [at, count] = this.isGames && this.game ? [this.ply, this.game.length] : [this.chosen, this.count];
    return this.opened !== undefined && at + by >= 0 && at + by < count;
  }

  /** Goes on in the game if its next position is this one. */
  follow(fen) {
    const next = this.opened && this.game?.[this.ply + 1]?.fen;
    if (next?.split(" ").slice(0, 4).join(" ") !== fen) return false;
    this.goPly(this.ply + 1);
    return true;
  }

  /** Goes to the move of the game after which this position stands. */
  goFen(fen) {
    const place = (fen) => fen.split(" ").slice(0, 4).join(" ");
    const ply = this.game?.findIndex((ply) => place(ply.fen) === place(fen)) ?? -1;
    if (ply >= 0) this.goPly(ply);
  }

  /** Goes on or back: to another move of a game, or another entry. */
  step(by) {
    if (this.isGames && this.game) {
      if (!this.canStep(Math.sign(by))) return say(by < 0 ? "The game begins here" : "The game ends here");
      this.goPly(this.ply + by, this.moves.contains(document.activeElement));
      const { isWhite, number, text } = this.move(this.ply);
      say(this.ply === 0 ? text : `${text}, move ${number} of ${isWhite ? "White" : "Black"}`);
    } else if (this.opened) {
      this.go(this.chosen + by);
      say(`Position ${this.chosen + 1} of ${this.count}`);
    }
  }
}
