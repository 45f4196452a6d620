import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../src/egress/address.ts";
import { internalHost, type AddressRules } from "../../src/egress/address-rules.ts";
import { EgressProblem } from "../../src/egress/egress-problem.ts";
import { parseHost } from "../../src/egress/host.ts";
import { sniffClientHello } from "../../src/egress/proxying/client-hello.ts";
import { parseTargetUrl } from "../../src/egress/target-url.ts";

const rules: AddressRules = { allow: [], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] };

/** Text made of what hosts and URLs are made of, and of what breaks them. */
const hostile = fc
  .array(
    fc.constantFrom(
      "127",
      "0",
      "1",
      "0x7f",
      "017",
      ".",
      "..",
      ":",
      "[",
      "]",
      "@",
      "%",
      "%00",
      "%2e",
      "\\",
      "/",
      "?",
      "#",
      "a",
      "xn--",
      "-",
      "_",
      "localhost",
      "test",
      "ffff",
      "::",
      "\0",
      "\u3002",
      "①",
      "é",
      " ",
      "\t",
      "*",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

function outcome<T>(work: () => T): T | "refused" {
  try {
    return work();
  } catch (error) {
    if (error instanceof EgressProblem) return "refused";
    throw error;
  }
}

describe("hostile text", () => {
  it("is a canonical host, or refused: reading it again changes nothing", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const host = outcome(() => parseHost(text));
        if (host === "refused") return;
        expect(host.text).toMatch(/^[a-z0-9._:-]+$/);
        expect(parseHost(host.text)).toEqual(host);
        // Whatever looks like an address to the system is one to us.
        expect(host.kind).toBe(parseAddress(host.text) === undefined ? "name" : "address");
        expect(internalHost(text, 443, rules)).toBe(internalHost(host.text, 443, rules));
      }),
      { numRuns: 5000 },
    );
  });

  it("of a name's characters is what the URL parser makes of it, or refused", () => {
    const pieces = fc.constantFrom(
      "a",
      "z9",
      "7",
      "08",
      "0x1f",
      "x",
      "-",
      "_",
      ".",
      "xn--",
      "xn--nxasmq6b",
      "-a",
      "a-",
      "255",
      "1",
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 9 }).map((parts) => parts.join("")),
        (text) => {
          const host = outcome(() => parseHost(text));
          if (host !== "refused") expect(host.text).toBe(URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, ""));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("is a URL whose host is the one that the URL parser sees, or refused", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const url = outcome(() => parseTargetUrl(`http://${text}`));
        if (url === "refused") return;
        const seen = new URL(`http://${text}`).hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
        expect(url.host.text).toBe(seen);
        expect(parseTargetUrl(url.text)).toEqual({ ...url, fragment: "" });
      }),
      { numRuns: 5000 },
    );
  });

  it("as the first bytes of a tunnel never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        sniffClientHello(Uint8Array.from([22, 3, 1, 0, bytes.length, ...bytes]));
        sniffClientHello(Uint8Array.from([22, 3, 1, 0, bytes.length + 4, 1, 0, 0, bytes.length, ...bytes]));
      }),
      { numRuns: 2000 },
    );
  });
});
