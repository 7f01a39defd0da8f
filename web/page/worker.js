// Reads a file block by block, away from the page, so that the page stays quick and the work can be ended at any time.
import { Engine } from "./engine.js";

const BLOCK = 1 << 21;
const OFTEN = 200; // milliseconds between two reports of sums

/** Tells the marks, errors and counts of each block, and from time to time the sums. */
async function scanFile({ module, file, name, options }) {
  const engine = new Engine(module);
  const begun = engine.call("begin", `${name}\n${options}`);
  if (begun?.error) return postMessage(begun);
  const start = performance.now();
  const read = (from) => file.slice(from, from + BLOCK).arrayBuffer();
  // What is to be read next is under way while this computes.
  let next = read(0);
  let [at, told] = [0, start];
  for (;;) {
    const bytes = new Uint8Array(await next);
    at += bytes.length;
    const isLast = bytes.length === 0 || at >= file.size;
    if (!isLast) next = read(at);
    const block = engine.call("block", bytes, isLast ? 1 : 0);
    if (block.error) {
      postMessage({ error: block.error, sums: engine.call("sums") });
      return;
    }
    const now = performance.now();
    const report = { ...block, bytes: at, seconds: (now - start) / 1000, isDone: isLast };
    if (isLast || now - told > OFTEN) {
      report.sums = engine.call("sums");
      told = now;
    }
    postMessage(report);
    if (isLast) return;
  }
}

addEventListener("message", ({ data }) => {
  scanFile(data).catch((error) => postMessage({ error: `the file cannot be read: ${error.message}` }));
});
