// The library: a module of WebAssembly, text in, objects out.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An instance of the module. After a trap, a new one takes its place. */
export class Engine {
  constructor(module) {
    this.module = module;
    this.start();
  }

  start() {
    this.exports = new WebAssembly.Instance(this.module, {}).exports;
  }

  /** Calls a function with an input: text, bytes, or a list of these. The answer may have a member `error`. */
  call(name, input = "", ...rest) {
    try {
      return JSON.parse(decoder.decode(this.bytes(name, input, ...rest)));
    } catch (error) {
      this.start();
      return { error: `an error in the page itself, which is a fault of it: ${error}`, isFault: true };
    }
  }

  /** The bytes of an answer, until the next call. */
  bytes(name, input, ...rest) {
    const parts = [input].flat().map((part) => (typeof part === "string" ? encoder.encode(part) : part));
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    // The memory may be another one after this.
    const place = this.exports.room(bytes);
    const room = new Uint8Array(this.exports.memory.buffer, place, bytes);
    parts.reduce((at, part) => (room.set(part, at), at + part.length), 0);
    const length = this.exports[name](...rest);
    return new Uint8Array(this.exports.memory.buffer, this.exports.answer(), length);
  }
}
