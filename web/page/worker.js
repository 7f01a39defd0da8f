// Reads a file block by block, away from the page, so that the page stays quick and the work can be ended at any time.
import { Engine } from "./engine.js";

const BLOCK = 1 << 21;
const OFTEN = 200; // milliseconds between two reports of sums

/** Tells the marks, errors and counts of each block, and from time to time the sums. */
async function scanFile({ module, file, format, skip, line, options }) {
  const engine = new Engine(module);
  const begun = engine.call("begin", `${format} ${line}\n${options}`);
  if (begun?.error) return postMessage({ error: begun.error });
  const start = performance.now();
  const read = (from) => file.slice(from, from + BLOCK).arrayBuffer();
  // What is to be read next is under way while this computes.
  let next = read(skip);
  let [end, at, told, rest] = [skip, skip, start, []];
  for (;;) {
    const bytes = new Uint8Array(await next);
    end += bytes.length;
    const isLast = bytes.length === 0 || end >= file.size;
    if (!isLast) next = read(end);
    // A block begins with what the one before has left.
    rest.push(bytes);
    const block = engine.call("block", rest, isLast ? 1 : 0);
    if (block.error) {
      postMessage({ error: block.error, sums: engine.call("sums") });
      return;
    }
    const marks = block.marks.map(([entry, place, ...more]) => [entry, at + place, ...more]);
    at += block.taken;
    let { taken } = block;
    while (rest.length > 0 && taken >= rest[0].length) taken -= rest.shift().length;
    if (taken > 0) rest[0] = rest[0].subarray(taken);
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
