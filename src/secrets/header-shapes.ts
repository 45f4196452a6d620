import { alphabet, alphanumeric, plainValue, runEnd, skipBlanks, token68 } from "./alphabet.ts";
import { nothing, strike, type Shape, type Span } from "./shape.ts";

const letters = alphabet(alphanumeric);
/** What a cookie's name and value may hold (RFC 6265 section 4.1.1) and no shell acts upon. */
const cookieName = alphabet(`${alphanumeric}!#%*+-.^_~`);

/** `Bearer …` anywhere (RFC 6750). Words of plain English behind it stay. */
const bearerShape: Shape = {
  id: "bearer",
  literals: ["bearer "],
  anyCase: true,
  look(text, _at, after) {
    const from = skipBlanks(text, after);
    const end = runEnd(text, from, token68);
    const long = end - from >= 24 || (end - from >= 8 && /[0-9._=+/-]/.test(text.slice(from, end - 1)));
    return long ? strike(from, end) : nothing(end);
  },
};

/** `Basic …` anywhere (RFC 7617): base64 that decodes to a printable `user:password`. */
const basicShape: Shape = {
  id: "basic",
  literals: ["basic "],
  anyCase: true,
  look(text, _at, after) {
    const from = skipBlanks(text, after);
    const end = runEnd(text, from, token68);
    // A longer run needs no decoding to be no English.
    if (end - from >= 64) return strike(from, end);
    const decoded = Buffer.from(text.slice(from, end), "base64").toString("latin1");
    return /^[ -9;-~]*:[ -~\x80-\xff]*$/.test(decoded) ? strike(from, end) : nothing(end);
  },
};

/** `Authorization: scheme …`, whatever the scheme; also `authorization=…` and the proxy's header. */
const authorizationShape: Shape = {
  id: "authorization",
  literals: ["authorization"],
  anyCase: true,
  look(text, _at, after) {
    const name = text[after] === '"' || text[after] === "'" ? after + 1 : after;
    const colon = skipBlanks(text, name);
    if (text[colon] !== ":" && text[colon] !== "=") return nothing(colon);
    let value = skipBlanks(text, colon + 1);
    if (text[value] === '"' || text[value] === "'") value += 1;
    const scheme = runEnd(text, value, letters);
    const from = skipBlanks(text, scheme);
    const start = from > scheme ? from : value;
    const end = runEnd(text, start, plainValue);
    return end - start < 4 ? nothing(end) : strike(start, end);
  },
};

/** The values of `Cookie: a=…; b=…` and `Set-Cookie`; the names stay, so that nothing can hide among them. */
const cookieShape: Shape = {
  id: "cookie",
  literals: ["cookie:"],
  anyCase: true,
  look(text, _at, after) {
    const struck: Span[] = [];
    let name = skipBlanks(text, after);
    for (;;) {
      const equals = runEnd(text, name, cookieName);
      if (equals === name || text[equals] !== "=") return { strike: struck, resume: name };
      const value = equals + 1;
      const end = runEnd(text, value, plainValue);
      if (end > value) struck.push({ from: value, to: end });
      if (text[end] !== ";") return { strike: struck, resume: end };
      name = skipBlanks(text, end + 1);
    }
  },
};

/** `curl -u user:password` and `--user user:password`; numbers alone are user and group. */
const userOptionShape: Shape = {
  id: "user-option",
  literals: ["-u ", "--user "],
  anyCase: false,
  look(text, _at, after) {
    const from = text[after] === '"' || text[after] === "'" ? after + 1 : after;
    const end = runEnd(text, from, plainValue);
    const colon = text.slice(from, end).indexOf(":");
    if (colon < 0 || end - from - colon < 4 || /^[0-9:]*$/.test(text.slice(from, end))) return nothing(end);
    return strike(from + colon + 1, end);
  },
};

/** Secrets in header lines and in the options that make them. */
export const headerShapes: readonly Shape[] = [
  bearerShape,
  basicShape,
  authorizationShape,
  cookieShape,
  userOptionShape,
];
