// The board as a picture: SVG that needs no style sheet, and PNG.
import { svg } from "./dom.js";
import { html } from "../../rows/src/sums/page/elements.js";

const SIZE = 1200;
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "text-anchor", "paint-order"];

/** A copy whose elements have as attributes what style sheets say of them. */
function styled(element) {
  const copy = element.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [at, one] of [element, ...element.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(one);
    for (const name of STYLES) copies[at].setAttribute(name, style.getPropertyValue(name));
    copies[at].removeAttribute("class");
  }
  return copy;
}

/** The text of the drawing of a board. */
function drawn(board) {
  const copy = styled(board.drawing);
  copy.removeAttribute("aria-hidden");
  copy.prepend(styled(document.getElementById("hatch-white").closest("defs")), svg("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor }));
  copy.setAttribute("width", SIZE);
  copy.setAttribute("height", SIZE);
  return new XMLSerializer().serializeToString(copy);
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export const saveSvg = (board) => save(new Blob([drawn(board)], { type: "image/svg+xml" }), "board.svg");

export async function savePng(board) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(drawn(board))}`;
  await image.decode();
  const canvas = html("canvas", { width: SIZE, height: SIZE });
  canvas.getContext("2d").drawImage(image, 0, 0);
  save(await new Promise((done) => canvas.toBlob(done)), "board.png");
}
