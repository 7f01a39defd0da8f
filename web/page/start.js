// Unpacks what the page holds deflated, in letters of seven bits, and starts it.

/** The bytes that an element of the page holds. */
async function unpacked(id) {
  const letters = document.getElementById(id).textContent;
  const bytes = new Uint8Array((7 * letters.length) >> 3);
  for (let [at, bits, count] = [0, 0, 0], place = 0; place < letters.length; place++) {
    bits |= (letters.charCodeAt(place) & 127) << count;
    count += 7;
    if (count < 8) continue;
    bytes[at++] = bits;
    bits >>= 8;
    count -= 8;
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

async function start() {
  const [page, worker, style, ...parts] = JSON.parse(new TextDecoder().decode(await unpacked("scripts")));
  // What is not seen at first.
  const sheet = document.createElement("style");
  sheet.textContent = style; // the policy has its hash
  document.head.append(sheet);
  parts.forEach((part, at) => (document.getElementById(`later-${at}`).outerHTML = part));
  // What the scripts below ask for.
  globalThis.held = { worker, module: unpacked("wasm").then((bytes) => WebAssembly.compile(bytes)) };
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = page; // the policy has its hash
  document.body.append(script);
}

start().catch((error) => {
  document.getElementById("error").hidden = false;
  document.getElementById("error-text").textContent = `The page does not start: ${error.message}`;
});
