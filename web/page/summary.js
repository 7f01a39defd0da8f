// Sums over the positions of a file: how often each square is attacked, and other products.
import { complain, copyButton, roveRow, say } from "./dom.js";
import { Boards, columnTitle, legendText, productTitle } from "../../rows/src/sums/page/boards.js";
import { byId, html, plural, squareName } from "../../rows/src/sums/page/elements.js";
import { startWorker } from "./work.js";

const USUAL_PRODUCTS = ["counts", "pins", "hanging"];

/** The most positions of a square that are listed, as the library has it. */
const MOST_FOUND = 200;
/** How many points of rating a group has, as the choices of groups say. */
const RATINGS = 200;
/** The value of the choice of what is subtracted that stands for nothing. It is no name: those have no line breaks. */
const NOTHING = "\n";

/** The mode in which a file is summed. */
export class Summary {
  /** `choose(entry, fen, column, square)` shows a position of the file, where this column has this square. */
  constructor(engine, about, options, choose) {
    Object.assign(this, { engine, options, choose, opened: undefined, sums: undefined });
    /** The product of each column. Threats are summed by side. */
    this.product = new Map(about.products.filter(({ isProduct }) => isProduct).flatMap((product) => product.columns.map(({ name }) => [name, product])));
    for (const side of ["white", "black"]) this.product.set(`${side}_threats`, this.product.get("threats"));
    const products = about.products.filter(({ isProduct, columns }) => isProduct && columns.every(({ kind }) => kind !== "key"));
    byId("summary-products").append(...products.map(({ name, definition }) => html("label", { title: definition },
      html("input", { type: "checkbox", value: name, checked: USUAL_PRODUCTS.includes(name) }), html("span", {}, productTitle({ name })))));
    this.boards = new Boards(byId("summary-boards"), this.product, "h2");
    byId("summary-start").addEventListener("click", () => this.start());
    byId("summary-by").addEventListener("change", () => this.sums && this.start());
    byId("summary-stop").addEventListener("click", (event) => {
      // The second click of a double click on the button that was there before.
      if (event.detail > 0 && performance.now() - this.started < 400) return;
      this.stop();
    });
    byId("summary-boards").addEventListener("click", ({ target }) => {
      const column = target.closest("figure")?.dataset.find;
      const square = target.closest("td")?.dataset.square;
      if (square && column) this.find(column, Number(square));
    });
    byId("found-close").addEventListener("click", () => this.leave());
    for (const id of ["measure-share", "measure-mean", "boards-sides", "boards-minus", "summary-group", "summary-minus"]) byId(id).addEventListener("change", () => this.draw());
  }

  open(opened) {
    this.stop();
    this.leave();
    this.opened = opened;
    this.sums = undefined;
    byId("summary-name").textContent = opened ? opened.name : "no file yet: open one, drop it anywhere, or paste a text into the field above";
    byId("summary-start").disabled = !opened;
    // What to press first.
    byId("sample").classList.toggle("main", !opened);
    byId("summary-status").textContent = "";
    byId("summary-result").hidden = true;
  }

  /** Sums and lists again if the options of products are others than before. */
  refresh() {
    const options = this.options();
    if ((this.sums || this.worker) && this.used !== options) this.start(false);
    if (this.sought && this.sought.options !== options) this.find(this.sought.column, this.sought.square);
  }

  start(withFocus = true) {
    this.used = this.options();
    const what = [...document.querySelectorAll("#summary-products input:checked")].map(({ value }) => value);
    if (!this.opened || what.length === 0) return complain(this.opened ? "choose a product to sum" : "open a file first");
    complain("");
    this.stop();
    this.sums = undefined;
    this.last = undefined;
    this.drawn = { took: 0, end: -1 };
    this.boards.clear();
    byId("summary-boards").replaceChildren();
    this.started = performance.now();
    byId("summary-status").textContent = "Reading";
    byId("summary-result").hidden = true;
    byId("summary-progress").hidden = false;
    byId("summary-progress").value = 0;
    byId("summary-stop").hidden = false;
    byId("summary-start").hidden = true;
    if (withFocus) byId("summary-stop").focus();
    say("Summing");
    this.worker = startWorker(this.engine.module, { ...this.opened, options: `by ${byId("summary-by").value}\nwhat ${what.join(",")}\n${this.used}` }, (report) => this.report(report));
  }

  /** Lists the positions where a column has a square. */
  find(column, square) {
    this.leave();
    const product = this.product.get(column)?.name;
    if (!product || !this.opened) return;
    this.sought = { column, square, options: this.options() };
    byId("found").hidden = false;
    const title = `${columnTitle(column)}, ${squareName(square)}`;
    byId("found-title").textContent = title;
    const isGames = this.opened.format === "PGN";
    let count = 0;
    const report = ({ error, found = [], isDone }) => {
      byId("found-list").append(...found.map(([entry, fen]) => html("li", {}, html("button", { type: "button", onclick: () => this.choose(entry, fen, column, square) }, `${isGames ? "Game" : "Position"} ${(entry + 1).toLocaleString("en")}`, html("span", { class: "note" }, ` ${fen.split(" ")[0]}`)))));
      count += found.length;
      byId("found-title").textContent = `${title}: ${count >= MOST_FOUND ? `the first ${MOST_FOUND} positions` : plural(count, "position")}`;
      if (!error && !isDone && count < MOST_FOUND) return;
      this.finder?.stop();
      roveRow(byId("found-list"));
      say(byId("found-title").textContent);
      if (error) complain(error);
    };
    this.finder = startWorker(this.engine.module, { ...this.opened, options: `what ${product}\nfind ${column} ${squareName(square)}\n${this.sought.options}` }, report);
    byId("found").scrollIntoView({ block: "nearest" });
  }

  leave() {
    this.finder?.stop();
    this.finder = this.sought = undefined;
    byId("found").hidden = true;
    byId("found-list").replaceChildren();
  }

  report({ error, sums, positions, wrong, bytes, seconds, isDone }) {
    if (sums) {
      this.sums = sums;
      // Drawing many boards takes longer than the time between reports: the page would answer late.
      const start = performance.now();
      if (isDone || error || start - this.drawn.end > 8 * this.drawn.took) {
        this.draw();
        this.drawn = { took: performance.now() - start, end: performance.now() };
      }
    }
    if (error) {
      this.finish(error);
      complain(error);
      return;
    }
    const speed = Math.round(positions / Math.max(seconds, 0.001));
    const rate = seconds > 0.05 ? `, ${speed.toLocaleString("en")} per second` : "";
    const errors = wrong ? `, ${plural(wrong, "line or game", "lines or games")} with an error` : "";
    const text = `${plural(positions, "position")}${rate}${errors}`;
    byId("summary-progress").value = this.opened.file.size ? bytes / this.opened.file.size : 1;
    byId("summary-status").textContent = text;
    this.last = text;
    if (isDone) this.finish(`${text}. Done${seconds < 0.01 ? "" : ` in ${seconds.toFixed(2)} seconds`}.`);
  }

  finish(text) {
    this.worker?.stop();
    this.worker = undefined;
    byId("summary-progress").hidden = true;
    const hadFocus = document.activeElement === byId("summary-stop");
    byId("summary-stop").hidden = true;
    byId("summary-start").hidden = false;
    if (hadFocus) byId("summary-start").focus();
    byId("summary-status").textContent = text;
    say(text);
  }

  stop() {
    if (this.worker) this.finish(`Stopped: ${this.last || "nothing has been read"}.${this.sums ? " The boards show what was read." : ""}`);
  }

  /** The sums of the group that is shown, and those of the group that is subtracted from it, if there is one. */
  chosenGroups() {
    const find = (id) => this.sums.groups.find(({ name }) => name === byId(id).value);
    const isNothing = byId("summary-groups").hidden || byId("summary-minus").value === NOTHING;
    return [find("summary-group") ?? this.sums, isNothing ? undefined : (find("summary-minus") ?? this.sums)];
  }

  /** The groups that may be seen. */
  showGroups() {
    const title = (name) => (byId("summary-by").value.includes(":") && /^-?\d+$/.test(name) ? `${name} to ${Number(name) + RATINGS - 1}` : name);
    // Phases are in the order of a game, White is before Black, and what has no value comes last.
    const order = (name) => (/^no |^others$/.test(name) ? 9 : ["opening", "middlegame", "white"].indexOf(name) + 1 || 4);
    const groups = this.sums.groups.toSorted(({ name: one }, { name: other }) => order(one) - order(other) || one.localeCompare(other, "en", { numeric: true }));
    const names = groups.map(({ name, positions }) => [name, `${title(name)} (${plural(positions, "position")})`]);
    byId("summary-groups").hidden = names.length < 2;
    this.offer(byId("summary-group"), [["", "all"], ...names]);
    this.offer(byId("summary-minus"), [[NOTHING, "nothing"], ["", "all"], ...names]);
  }

  /** Offers these choices, values and texts. The one that is chosen stays so, if it is among them. */
  offer(select, choices) {
    if (select.dataset.offered === JSON.stringify(choices)) return;
    const chosen = select.length > 0 ? select.value : choices[0][0];
    select.dataset.offered = JSON.stringify(choices);
    select.replaceChildren(...choices.map(([value, text]) => html("option", { value, selected: value === chosen }, text)));
  }

  draw() {
    if (!this.sums) return;
    byId("summary-result").hidden = false;
    this.showGroups();
    const [group, other] = this.chosenGroups();
    const [isMean, isMinus] = ["measure-mean", "boards-minus"].map((id) => byId(id).checked);
    const most = this.boards.show([{ host: byId("summary-boards"), group, other }], isMean, isMinus);
    const names = other && [group, other].map(({ name = "all" }) => name);
    const none = isMinus ? "These products have no sides to compare." : "";
    byId("summary-legend").textContent = most === undefined ? none : most === 0 ? "All numbers are 0." : legendText(isMinus, names);
    byId("summary-copy").replaceChildren(copyButton("the sums as CSV", () => this.table()));
  }

  /** All sums, as the command writes them to CSV without groups. */
  table() {
    const { positions, columns } = this.sums;
    const digits = (number) => String(Number(number.toFixed(6)));
    const named = new Map(columns.map((column) => [column.name, column]));
    const minus = (one, other) => one.map((number, at) => number - other[at]);
    const all = columns.flatMap((column) => {
      // After each pair of White and Black, the difference.
      const other = column.name.startsWith("black_") && named.get(column.name.replace("black", "white"));
      return other ? [column, { ...column, name: column.name.replace("black", "difference"), present: minus(other.present, column.present), sum: minus(other.sum, column.sum) }] : [column];
    });
    const rows = all.flatMap(({ name, isSingle, present, sum }) => present.map((count, square) =>
      [positions, name, isSingle ? "" : squareName(square), count, digits(count / Math.max(1, positions)), sum[square], digits(sum[square] / Math.max(1, positions))].join(",")));
    return `positions,column,square,count,share,sum,mean\n${rows.join("\n")}\n`;
  }
}
