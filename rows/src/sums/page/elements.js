// Elements, and texts that both pages have.

export function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** An element of HTML. Text is text: no markup is read. */
export const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const byId = (id) => document.getElementById(id);

/** The name of a square, from its number. */
export const squareName = (square) => "abcdefgh"[square & 7] + (1 + (square >> 3));

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
