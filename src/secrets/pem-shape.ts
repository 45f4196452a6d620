import { base64, runEnd } from "./alphabet.ts";
import { nothing, type Found, type Shape, type Span } from "./shape.ts";

const begin = "-----BEGIN ";
const end = "-----END ";
const dashes = "-----";

/** Longest label between the dashes, such as `ENCRYPTED PRIVATE KEY`. */
const longestLabel = 64;

/** Shortest run of base64 that counts as a line of a key. Shorter ones are words. */
const shortestLine = 16;

/**
 * A private key in PEM (RFC 7468), also with its line ends written as `\n`, also without its end. Only runs of base64 are struck,
 * so that a command between the lines stays visible.
 */
export const pemShape: Shape = {
  id: "private-key",
  literals: [begin],
  anyCase: false,
  look(text, _at, after) {
    const label = text.slice(after, after + longestLabel);
    const close = label.indexOf(dashes);
    if (close < 0 || !label.slice(0, close).includes("PRIVATE KEY")) return nothing(after);
    const from = after + close + dashes.length;
    const next = text.indexOf(dashes, from);
    return strikeLines(text, from, next < 0 ? text.length : next, next >= 0 && text.startsWith(end, next));
  },
};

function strikeLines(text: string, from: number, to: number, closed: boolean): Found {
  const struck: Span[] = [];
  let last: Span | undefined;
  let at = from;
  while (at < to) {
    // Line ends that are written as backslash and `n` begin with a letter of the alphabet.
    if (text[at] === "\\") at += 2;
    else if (!base64.has(text.charCodeAt(at))) at += 1;
    else {
      const stop = runEnd(text, at, base64, to);
      last = { from: at, to: stop };
      if (stop - at >= shortestLine) struck.push(last);
      at = stop;
    }
  }
  // The last line of a key is often short.
  if (closed && last !== undefined && struck.length > 0 && struck.at(-1) !== last) struck.push(last);
  return { strike: struck, resume: to };
}
