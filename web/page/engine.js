// The library: a module of WebAssembly, text in, objects out.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Compiles what the page holds: the module, deflated, as base64. */
export async function compile(base64) {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

/** An instance of the module. After a trap, a new one takes its place. */
export class Engine {
  constructor(module) {
    this.module = module;
    this.start();
  }

  start() {
    this.exports = new WebAssembly.Instance(this.module, {}).exports;
  }

  /** Calls a function with an input: text, bytes, or a list of bytes. The answer may have a member `error`. */
  call(name, input = "", ...rest) {
    const parts = typeof input === "string" ? [encoder.encode(input)] : Array.isArray(input) ? input : [input];
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    try {
      // The memory may be another one after this.
      const place = this.exports.room(bytes);
      const room = new Uint8Array(this.exports.memory.buffer, place, bytes);
      parts.reduce((at, part) => (room.set(part, at), at + part.length), 0);
      const length = this.exports[name](...rest);
      const answer = new Uint8Array(this.exports.memory.buffer, this.exports.answer(), length);
      return JSON.parse(decoder.decode(answer));
    } catch (error) {
      this.start();
      return { error: `an error in the page itself, which is a fault of it: ${error}`, isFault: true };
    }
  }
}
