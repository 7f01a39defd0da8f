// What the link of the page holds after the sign #: the position, the layers and what else is to be seen.

/** The link of a state, with the parts of `usual` in their order. A part that is as usual is left out. */
export function writeLink(state, usual) {
  const parts = Object.keys(usual).flatMap((name) => {
    const value = String(state[name]);
    if (value === String(usual[name])) return [];
    // FEN has no underscores, and links with spaces are cut off by many programs.
    return [`${name}=${encodeURIComponent(name === "fen" ? value.replaceAll(" ", "_") : value).replaceAll("%2F", "/").replaceAll("%2C", ",")}`];
  });
  return `#${parts.join("&")}`;
}

/** Reads a link. Whatever it holds, the result is text; what is wrong is told. */
export function readLink(hash, usual) {
  const [state, wrong] = [{ ...usual }, []];
  if (hash.length > 20000) return { state, wrong: ["the link is too long"] };
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const at = part.indexOf("=");
    const name = part.slice(0, at);
    if (!Object.hasOwn(usual, name)) {
      wrong.push(`the link has a part ${JSON.stringify(part.slice(0, 40))}, which means nothing here`);
      continue;
    }
    try {
      const value = decodeURIComponent(part.slice(at + 1));
      state[name] = name === "fen" ? value.replaceAll("_", " ") : value;
    } catch {
      wrong.push(`the part ${name} of the link is damaged`);
    }
  }
  return { state, wrong };
}
