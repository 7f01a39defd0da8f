// Unpacks what the page holds, in letters of seven bits, and starts it.

/** The bytes that letters hold. */
function packedBytes(letters) {
  const bytes = new Uint8Array((7 * letters.length) >> 3);
  for (let [at, bits, count] = [0, 0, 0], place = 0; place < letters.length; place++) {
    bits |= (letters.charCodeAt(place) & 127) << count;
    count += 7;
    if (count < 8) continue;
    bytes[at++] = bits;
    bits >>= 8;
    count -= 8;
  }
  return bytes;
}

/**
 * So many bytes out of raw LZMA with lc = 3, lp = 0 and pb = 0, as web/build writes it. A place is that of a probability: 12 of
 * matches, 60 of repeated ones, 256 of slots of distances, 128 of distances, 16 of their low bits, twice 274 of lengths, literals.
 */
function unpackedBytes(packed, size) {
  const bytes = new Uint8Array(size);
  const chances = new Uint16Array(1024 + 8 * 768).fill(1024);
  const distances = [0, 0, 0, 0];
  // Numbers of 32 bits, which elsewhere are objects.
  const [range, code] = [Uint32Array.of(0xffffffff), new Uint32Array(1)];
  let [from, at, state] = [1, 0, 0];
  while (from < 5) code[0] = (code[0] << 8) | packed[from++];
  const next = () => {
    range[0] <<= 8;
    code[0] = (code[0] << 8) | packed[from++];
  };
  const bit = (place) => {
    const bound = (range[0] >>> 11) * chances[place];
    const isSet = code[0] >= bound;
    if (isSet) {
      range[0] -= bound;
      code[0] -= bound;
      chances[place] -= chances[place] >> 5;
    } else {
      range[0] = bound;
      chances[place] += (2048 - chances[place]) >> 5;
    }
    if (range[0] < 0x1000000) next();
    return isSet ? 1 : 0;
  };
  const tree = (place, bits) => {
    let node = 1;
    for (let left = bits; left; left--) node = (node << 1) | bit(place + node);
    return node - (1 << bits);
  };
  const reversed = (place, bits) => {
    let [node, value] = [1, 0];
    for (let which = 0; which < bits; which++) {
      const set = bit(place + node);
      node = (node << 1) | set;
      value |= set << which;
    }
    return value;
  };
  const length = (place) => {
    if (!bit(place)) return 2 + tree(place + 2, 3);
    return bit(place + 1) ? 18 + tree(place + 18, 8) : 10 + tree(place + 10, 3);
  };
  const distance = (count) => {
    const slot = tree(72 + 64 * Math.min(count - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    let value = (2 | (slot & 1)) << bits;
    if (slot < 14) return value + reversed(328 + value - slot, bits);
    for (let which = bits - 1; which >= 4; which--) {
      range[0] >>>= 1;
      if (code[0] >= range[0]) {
        code[0] -= range[0];
        value += 2 ** which;
      }
      if (range[0] < 0x1000000) next();
    }
    return value + reversed(456, 4);
  };
  while (at < size) {
    if (!bit(state)) {
      const place = 1024 + 768 * (at ? bytes[at - 1] >> 5 : 0);
      let node = 1;
      // After a match, the byte that would continue it says what is likely, up to the first bit that differs.
      for (let likely = bytes[at - 1 - distances[0]]; state > 6 && node < 256; likely <<= 1) {
        const expected = (likely >> 7) & 1;
        node = (node << 1) | bit(place + ((1 + expected) << 8) + node);
        if ((node & 1) !== expected) break;
      }
      while (node < 256) node = (node << 1) | bit(place + node);
      bytes[at++] = node;
      state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
      continue;
    }
    let count = 1;
    const isLate = state > 6;
    if (!bit(12 + state)) {
      count = length(472);
      distances.pop();
      distances.unshift(distance(count));
      state = isLate ? 10 : 7;
    } else {
      let which = 0;
      let isShort = false;
      if (bit(24 + state)) which = bit(36 + state) ? 2 + bit(48 + state) : 1;
      else isShort = !bit(60 + state);
      distances.unshift(...distances.splice(which, 1));
      if (!isShort) count = length(746);
      state = (isLate ? 11 : 8) + (isShort && !isLate ? 1 : 0);
    }
    for (const end = at + count; at < end; at++) bytes[at] = bytes[at - 1 - distances[0]];
  }
  return bytes;
}

/**
 * In a worker: unpacks the library, and sends it, or why there is none. Chromium compiles a function when it is called first, for
 * all threads, so those that the page calls first are called here.
 */
function unpackLibrary() {
  onmessage = async ({ data }) => {
    try {
      const module = await WebAssembly.compile(unpackedBytes(packedBytes(data.letters), data.size));
      const { exports } = await WebAssembly.instantiate(module);
      const input = new TextEncoder().encode("4k3/8/8/8/8/8/8/4K2R w K -");
      for (const name of ["products", "typed", "position", "plays"]) {
        const place = exports.room(input.length);
        new Uint8Array(exports.memory.buffer, place, input.length).set(input);
        exports[name]();
      }
      postMessage({ module });
    } catch ({ message }) {
      postMessage({ error: message });
    }
  };
}

/** The letters of an element of the page, and how many bytes they stand for. */
function packed(id) {
  const element = document.getElementById(id);
  return { letters: element.textContent, size: Number(element.dataset.size) };
}

/** The library as a module. A worker unpacks it, so that the page answers meanwhile. */
async function library() {
  const texts = [packedBytes, unpackedBytes, `(${unpackLibrary})()`];
  const address = URL.createObjectURL(new Blob([texts.join("\n")], { type: "text/javascript" }));
  const worker = new Worker(address);
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.module ? resolve(data.module) : reject(new Error(data.error)));
    worker.onmessageerror = () => reject(new Error("the browser does not hand over the library"));
    worker.onerror = ({ message }) => reject(new Error(message || "the browser does not start a worker"));
    worker.postMessage(packed("wasm"));
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(address);
  });
}

/** The scripts: what browsers unpack themselves is there sooner. */
async function start() {
  const bytes = new Blob([packedBytes(packed("scripts").letters)]);
  const text = await new Response(bytes.stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
  const [page, worker, style, ...parts] = JSON.parse(text);
  // What is not seen at first.
  const sheet = document.createElement("style");
  sheet.textContent = style; // the policy has its hash
  document.head.append(sheet);
  parts.forEach((part, at) => (document.getElementById(`later-${at}`).outerHTML = part));
  // What the scripts below ask for.
  globalThis.held = { worker, module };
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = page; // the policy has its hash
  document.body.append(script);
}

function complainOfStart(error) {
  document.getElementById("error").hidden = false;
  document.getElementById("error-text").textContent = `The page does not start: ${error.message}`;
}

const module = library();
module.catch(complainOfStart);
start().catch(complainOfStart);
