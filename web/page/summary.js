// Sums over the positions of a file: how often each square is attacked, and other products.
import { byId, capital, complain, copyButton, html, plural, say, squareName } from "./dom.js";
import { productTitle } from "./layers.js";
import { startWorker } from "./work.js";

const USUAL_PRODUCTS = ["maps", "counts"];

/** The mode in which a file is summed. */
export class Summary {
  constructor(engine, about, options) {
    Object.assign(this, { engine, options, opened: undefined, sums: undefined });
    const products = about.products.filter(({ isProduct, columns }) => isProduct && columns.every(({ kind }) => kind !== "key"));
    byId("summary-products").append(...products.map(({ name, definition }) => html("label", { title: definition },
      html("input", { type: "checkbox", value: name, checked: USUAL_PRODUCTS.includes(name) }), html("span", {}, productTitle({ name })))));
    byId("summary-start").addEventListener("click", () => this.start());
    byId("summary-stop").addEventListener("click", (event) => {
      // The second click of a double click on the button that was there before.
      if (event.detail > 0 && performance.now() - this.started < 400) return;
      this.stop();
    });
    for (const id of ["measure-share", "measure-mean", "boards-sides", "boards-minus"]) byId(id).addEventListener("change", () => this.draw());
  }

  open(opened) {
    this.stop();
    this.opened = opened;
    this.sums = undefined;
    byId("summary-name").textContent = opened ? opened.name : "no file yet: open one, drop it anywhere, or paste a text into the field above";
    byId("summary-start").disabled = !opened;
    byId("summary-status").textContent = "";
    byId("summary-result").hidden = true;
  }

  start() {
    const what = [...document.querySelectorAll("#summary-products input:checked")].map(({ value }) => value);
    if (!this.opened || what.length === 0) return complain(this.opened ? "choose a product to sum" : "open a file first");
    complain("");
    this.stop();
    this.sums = undefined;
    this.last = undefined;
    this.drawn = { took: 0, end: -1 };
    this.started = performance.now();
    byId("summary-status").textContent = "Reading";
    byId("summary-result").hidden = true;
    byId("summary-progress").hidden = false;
    byId("summary-progress").value = 0;
    byId("summary-stop").hidden = false;
    byId("summary-start").hidden = true;
    byId("summary-stop").focus();
    say("Summing");
    this.worker = startWorker(this.engine.module, { ...this.opened, options: `what ${what.join(",")}\n${this.options()}` }, (report) => this.report(report));
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
    if (isDone) this.finish(`${text}. Done in ${seconds.toFixed(2)} seconds.`);
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

  /** What the boards and the table show: a title and a function that gives the number of a square. */
  parts() {
    const { positions, columns } = this.sums;
    const isMean = byId("measure-mean").checked;
    const sums = (column) => (isMean ? column.sum : column.present);
    const all = columns.map((column) => ({ title: column.name, isSingle: column.isSingle, numbers: sums(column).map((sum) => sum / Math.max(1, positions)), column }));
    if (!byId("boards-minus").checked) return all;
    const named = new Map(all.map((part) => [part.title, part]));
    return all.flatMap(({ title, isSingle, numbers }) => {
      const other = named.get(title.replace(/^white_/, "black_"));
      if (!title.startsWith("white_") || !other) return [];
      return [{ title: `difference: white minus black, ${title.slice(6).replaceAll("_", " ")}`, isSingle, isMinus: true, numbers: numbers.map((number, at) => number - other.numbers[at]) }];
    });
  }

  draw() {
    if (!this.sums) return;
    byId("summary-result").hidden = false;
    const isMean = byId("measure-mean").checked;
    const parts = this.parts();
    const boards = parts.filter(({ isSingle }) => !isSingle);
    const most = Math.max(0, ...boards.flatMap(({ numbers }) => numbers.map(Math.abs)));
    const shown = (number, isMinus) => {
      const text = isMean ? Math.abs(number).toFixed(Math.abs(number) >= 10 ? 0 : 2) : `${Math.round(100 * Math.abs(number))}%`;
      const sign = parseFloat(text) === 0 ? "" : number < 0 ? "-" : isMinus ? "+" : "";
      return sign + text;
    };
    byId("summary-legend").textContent = boards.length === 0 ? (byId("boards-minus").checked ? "These products have no sides to compare." : "") : most === 0 ? "All numbers are 0." : `The strongest colour is ${shown(most, false)}${boards.some(({ isMinus }) => isMinus) ? ", blue where White has more, orange where Black has" : ""}.`;
    byId("summary-boards").replaceChildren(...boards.map(({ title, numbers, isMinus }) => {
      const cell = (square) => {
        const number = numbers[square];
        const cell = html("td", { class: number < 0 || title.startsWith("black") ? "below" : "above", title: `${squareName(square)}: ${number.toFixed(4)}` }, shown(number, isMinus));
        cell.style.setProperty("--value", most > 0 ? Math.abs(number / most).toFixed(3) : "0");
        return cell;
      };
      const rows = Array.from({ length: 8 }, (_, row) => html("tr", {}, html("th", { scope: "row" }, String(8 - row)), Array.from({ length: 8 }, (_, file) => cell(8 * (7 - row) + file))));
      const head = html("tr", {}, html("td", {}), [..."abcdefgh"].map((file) => html("th", { scope: "col" }, file)));
      return html("figure", { "data-column": title }, html("figcaption", {}, capital(title.replaceAll("_", " "))), html("table", { class: "heat", "aria-label": capital(title.replaceAll("_", " ")) }, html("thead", {}, head), html("tbody", {}, rows)));
    }));
    const singles = parts.filter(({ isSingle }) => isSingle);
    byId("summary-singles").replaceChildren(...singles.map(({ title, numbers }) => html("p", {}, `${capital(title.replaceAll("_", " "))}: ${isMean ? "mean" : "above 0 in"} ${shown(numbers[0], false)}`)));
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
