import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask } from "./support/raw-client.ts";
import { type Listening, startRaw } from "./support/servers.ts";

let p: ProxyLab;
let origin: Listening;
/** What each connection to the origin received. */
let received: Buffer[][];
beforeEach(async () => {
  p = await openProxyLab({ headerMs: 300, idleMs: 300 });
  received = [];
  origin = await startRaw((socket) => {
    const parts: Buffer[] = [];
    received.push(parts);
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      // Answers as soon as a head is there: what comes after the first request must never be taken for another.
      if (Buffer.concat(parts).includes("\r\n\r\n")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
  p.lab.open(origin.port);
});
afterEach(() => Promise.all([p.close(), origin.close()]));

const strange = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  "\t",
  " ",
  "\v",
  "\f",
  "\u0085",
  "\u00a0",
  ":",
  ",",
  ";",
  "0",
  "\r\n ",
  "\r\n\r\n",
  "\n\n",
  "\r\nTransfer-Encoding: chunked",
  "\r\nContent-Length: 3",
  "\r\nTransfer_Encoding: chunked",
  "\r\nTransfer-Encoding: x\x0bchunked",
  "\r\nConnection: Content-Length, Host",
  "\r\nHost: evil.test",
  "\r\nUpgrade: h2c",
  "\r\nTE: trailers",
  "\r\nTrailer: Content-Length",
  "\r\nExpect: 100-continue",
  "\nX: y",
  "\rX: y",
];
const inner = "GET /smuggled HTTP/1.1\r\nHost: ok.test\r\n\r\n";

const bodies = [
  `Content-Length: ${inner.length}\r\n\r\n${inner}`,
  `Transfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
  `Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
  `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
  `Content-Length: 0\r\n\r\n${inner}`,
  `\r\n${inner}`,
];

/** Requests that hold another, with something strange put in somewhere, or put over a character. */
function mutated(place: string): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(160), put: fc.constantFrom(...strange), over: fc.nat(1) });
  const method = fc.constantFrom("POST", "GET", "PUT", "DELETE", "OPTIONS", "HEAD");
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
  return fc
    .tuple(method, fc.constantFrom(...bodies), edits)
    .map(([verb, body, changes]) =>
      changes.reduce(
        (text, { at, put, over }) => text.slice(0, at) + put + text.slice(at + over),
        `${verb} http://${place}/outer HTTP/1.1\r\nHost: ${place}\r\nX: y\r\n${body}`,
      ),
    );
}

/** Whether bytes are one request that every server reads alike, and whose body ends where the bytes do or before it was whole. */
function isOneReading(bytes: Buffer, place: string): boolean {
  const cut = bytes.indexOf("\r\n\r\n");
  if (cut < 0) return bytes.length === 0;
  const [line = "", ...lines] = bytes.subarray(0, cut).toString("latin1").split("\r\n");
  const fields = lines.map((each) => /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(each));
  if (!/^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.1$/.test(line) || fields.some((found) => found === null)) return false;
  const of = (wanted: RegExp) => fields.filter((found) => wanted.test(found?.[1] ?? "")).map((found) => found?.[2]);
  const [lengths, codings] = [of(/^content[-_]length$/i), of(/^transfer[-_]encoding$/i)];
  if (lengths.length + codings.length > 1 || of(/^host$/i).join() !== place) return false;
  const body = bytes.subarray(cut + 4).toString("latin1");
  if (codings.length > 0) return codings[0] === "chunked" && isChunked(body);
  return body.length <= Number(lengths[0] ?? 0);
}

function isChunked(body: string): boolean {
  let at = 0;
  while (at < body.length) {
    const size = /^([0-9a-f]+)\r\n/.exec(body.slice(at))?.[1];
    // Cut off in its middle is no other reading.
    if (size === undefined) return /^[0-9a-f]*\r?$/.test(body.slice(at));
    at += size.length + 2 + Number.parseInt(size, 16) + 2;
    if (Number.parseInt(size, 16) === 0) return at >= body.length;
  }
  return true;
}

it("sends on nothing that can be read in two ways, whatever came, and nothing that was not judged", async () => {
  const place = `ok.test:${origin.port}`;
  const texts = fc.sample(mutated(place), { seed: 20_261_130, numRuns: 400 });
  for (let at = 0; at < texts.length; at += 20) {
    await Promise.all(texts.slice(at, at + 20).map((text) => ask(p.port, text)));
    for (const parts of received.splice(0)) {
      const bytes = Buffer.concat(parts);
      if (!isOneReading(bytes, place)) throw new Error(JSON.stringify({ bytes: bytes.toString("latin1") }));
    }
  }
  expect(p.intents.length).toBeGreaterThan(50);
  const judged = new Set(p.intents.map(({ url }) => url));
  expect([...judged].filter((url) => url?.includes("smuggled"))).toEqual([]);
}, 60_000);
