// Reads a file block by block, away from the page, so that the page stays quick and the work can be ended at any time.
import { Engine } from "./engine.js";

const BLOCK = 1 << 21;
const MOST_BLOCK = 1 << 24;
const OFTEN = 200; // milliseconds between two reports of sums

/** Tells the marks, errors and counts of each block, and from time to time the sums. */
async function scanFile({ module, file, format, skip, line, options }) {
  const engine = new Engine(module);
  const begun = engine.call("begin", `${format} ${line}\n${options}`);
  if (begun?.error) return postMessage({ error: begun.error });
  const start = performance.now();
  let [at, size, told] = [skip, BLOCK, start];
  for (;;) {
    const end = Math.min(at + size, file.size);
    const isLast = end === file.size;
    const block = engine.call("block", new Uint8Array(await file.slice(at, end).arrayBuffer()), isLast ? 1 : 0);
    if (block.error) {
      postMessage({ error: block.error, sums: engine.call("sums") });
      return;
    }
    const marks = block.marks.map(([entry, place, ...rest]) => [entry, at + place, ...rest]);
    at += block.taken;
    size = block.taken > 0 ? BLOCK : Math.min(2 * size, MOST_BLOCK);
    const now = performance.now();
    const { entries, positions, wrong, errors } = block;
    const report = { marks, errors, entries, positions, wrong, bytes: at, seconds: (now - start) / 1000, isDone: isLast };
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
