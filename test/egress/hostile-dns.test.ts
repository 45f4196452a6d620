import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../src/egress/address.ts";
import type { AddressRules } from "../../src/egress/address-rules.ts";
import { checkTarget } from "../../src/egress/check.ts";
import { createResolve } from "../../src/egress/resolve.ts";
import { message, type RawAnswer, rawRecord, startRawDns, type Sections } from "./support/raw-dns.ts";

const rules: AddressRules = { allow: [], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] };
let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

/** What becomes of a name whose server answers so. */
async function reasonFor(answer: RawAnswer): Promise<string> {
  const server = await startRawDns(answer);
  close = server.close;
  const resolve = createResolve({ servers: [server.address], timeoutMs: 300, tries: 1 });
  return (await checkTarget("name.test", { rules, resolve }, new AbortController().signal)).reason;
}

function address(text: string): Buffer {
  return Buffer.from(parseAddress(text)?.bytes ?? []);
}

/** The same message to both questions. */
const says =
  (sections: Sections): RawAnswer =>
  (query, question) =>
    message(query, question, sections);
/** Addresses of the family that was asked for. */
const addresses =
  (...texts: string[]): RawAnswer =>
  (query, question, type) => {
    const data = texts.map(address).filter(({ length }) => length === (type === "A" ? 4 : 16));
    return message(query, question, { answers: data.map((bytes) => rawRecord(type === "A" ? 1 : 28, bytes)) });
  };
const good = [8, 8, 8, 8];
const pointerToItself = Buffer.from([0xc0, 28]);
const other = Buffer.from("\x05other\x04test\0", "latin1");

describe("a DNS server that answers", () => {
  it.each<[string, RawAnswer, string]>([
    ["a public address", addresses("8.8.8.8"), "ok"],
    ["both families", addresses("8.8.8.8", "2606:4700::1111"), "ok"],
    ["the unspecified address", addresses("0.0.0.0"), "addr_private"],
    ["the unspecified IPv6 address", addresses("::"), "addr_private"],
    ["broadcast", addresses("255.255.255.255"), "addr_special"],
    ["a metadata address", addresses("100.100.100.200"), "addr_metadata"],
    ["a mapped public address", addresses("::ffff:8.8.8.8"), "addr_special"],
    ["a mapped metadata address behind a good one", addresses("8.8.8.8", "::ffff:a9fe:a9fe"), "addr_metadata"],
    ["NAT64 as DNS64 makes it", addresses("64:ff9b::808:808"), "addr_special"],
    ["a bad address last of many", addresses(...tens("9.9.9."), "10.0.0.1"), "addr_private"],
    ["more addresses than anybody needs", addresses(...tens("9.9.9."), ...tens("9.9.8.")), "dns_failure"],
    ["one family, and says the other does not exist", onlyA(0x8183), "ok"],
    ["one family, and fails for the other", onlyA(0x8182), "dns_failure"],
    ["one family, and refuses the other", onlyA(0x8185), "dns_failure"],
    ["one family, and is silent for the other", onlyA(undefined), "dns_timeout"],
    [
      "that there is no such name, with an address",
      says({ flags: 0x8183, answers: [rawRecord(1, good)] }),
      "dns_nxdomain",
    ],
    ["nothing", says({}), "dns_empty"],
    ["an address in the authority section only", says({ authority: [rawRecord(1, good)] }), "dns_empty"],
    ["an address in the additional section only", says({ additional: [rawRecord(1, good)] }), "dns_empty"],
    ["an alias of itself", says({ answers: [rawRecord(5, [0xc0, 12])] }), "dns_empty"],
    [
      "an alias and its private address",
      says({ answers: [rawRecord(5, other), rawRecord(1, [10, 0, 0, 5], other)] }),
      "addr_private",
    ],
    ["an address of another class", says({ answers: [rawRecord(1, good, undefined, 3)] }), "dns_empty"],
    ["a format error", says({ flags: 0x8181 }), "dns_failure"],
    ["a server failure", says({ flags: 0x8182 }), "dns_failure"],
    ["that it knows no such query", says({ flags: 0x8184 }), "dns_failure"],
    ["that it will not", says({ flags: 0x8185 }), "dns_failure"],
    ["an address of three bytes", says({ answers: [rawRecord(1, [8, 8, 8])] }), "dns_failure"],
    // The first four bytes are taken for the address, and judged.
    ["an IPv4 record of sixteen bytes", says({ answers: [rawRecord(1, address("::1"))] }), "addr_private"],
    ["a name that points at itself", says({ answers: [rawRecord(1, good, pointerToItself)] }), "dns_failure"],
    [
      "a cut message",
      (query, question) => message(query, question, { answers: [rawRecord(1, good)] }).subarray(0, -6),
      "dns_failure",
    ],
    ["no message", () => Buffer.from("no message"), "dns_failure"],
    [
      "another question's number",
      (query, question) => {
        const said = message(query, question, { answers: [rawRecord(1, good)] });
        said.writeUInt16BE(said.readUInt16BE(0) ^ 0xffff, 0);
        return said;
      },
      "dns_timeout",
    ],
    [
      "another question",
      (query) =>
        message(query, Buffer.from("\x04evil\x04test\0\0\x01\0\x01", "latin1"), { answers: [rawRecord(1, good)] }),
      "dns_timeout",
    ],
    [
      "that the rest is to be had over TCP, where nobody is",
      says({ flags: 0x8380, answers: [rawRecord(1, good)] }),
      "dns_failure",
    ],
  ])("%s", async (_what, answer, reason) => {
    expect(await reasonFor(answer)).toBe(reason);
  });
});

/** Addresses that are not public, and what they are refused for. */
const bad = [
  ...["10.0.0.1", "127.0.0.1", "100.64.0.1", "0.0.0.0", "::1", "fe80::1", "fc00::1", "::"].map((text) => [
    text,
    "addr_private",
  ]),
  ...["192.0.2.1", "224.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::"].map((text) => [
    text,
    "addr_special",
  ]),
  ...["2001:db8::1", "2606:4700::5efe:7f00:1", "4000::1", "ff02::1"].map((text) => [text, "addr_special"]),
  ...["169.254.169.254", "168.63.129.16", "fd00:ec2::254"].map((text) => [text, "addr_metadata"]),
] as const;

describe("a bad address", () => {
  it.each(bad)("is seen wherever it stands: %s", async (text = "", reason = "") => {
    const [near, far] = [Buffer.from("\x01a\x04test\0", "latin1"), Buffer.from("\x01b\x04test\0", "latin1")];
    const good = (type: "A" | "AAAA") => (type === "A" ? "9.9.9.9" : "2606:4700::1");
    const of = (type: "A" | "AAAA", owner?: Buffer): Buffer[] =>
      text.includes(":") === (type === "AAAA") ? [rawRecord(type === "A" ? 1 : 28, address(text), owner)] : [];
    const answers: readonly ((type: "A" | "AAAA", other: Buffer) => Buffer[])[] = [
      (type) => of(type),
      (type, other) => [other, ...of(type)],
      (type, other) => [...of(type), other],
      // The owner is another's, and the resolver takes it all the same.
      (type, other) => [...of(type, near), other],
      (type) => [rawRecord(5, near), rawRecord(5, far, near), ...of(type, far)],
      (type) => [...of(type, far), rawRecord(5, far, near), rawRecord(5, near)],
      // DNAME, with the CNAME that servers make of it (RFC 6672).
      (type) => [rawRecord(39, far, Buffer.from("\x04test\0", "latin1")), rawRecord(5, far), ...of(type, far)],
    ];
    for (const each of answers) {
      const said: RawAnswer = (query, question, type) =>
        message(query, question, { answers: each(type, rawRecord(type === "A" ? 1 : 28, address(good(type)))) });
      expect(await reasonFor(said)).toBe(reason);
      await close?.();
      close = undefined;
    }
  });

  it("is not missed in an answer that is cut anywhere, or whose counts lie", async () => {
    const whole: RawAnswer = (query, question, type) =>
      message(query, question, { answers: type === "A" ? [rawRecord(1, good), rawRecord(1, [10, 0, 0, 1])] : [] });
    const broken: ((said: Buffer) => void)[] = [6, 8, 10].map((at) => (said) => void said.writeUInt16BE(7, at));
    const cuts = Array.from({ length: 31 }, (_, index) => -1 - index);
    for (const answer of [
      ...cuts.map(
        (cut): RawAnswer =>
          (query, question, type) =>
            whole(query, question, type)?.subarray(0, cut),
      ),
      ...broken.map((lie): RawAnswer => (query, question, type) => {
        const said = whole(query, question, type);
        if (said !== undefined) lie(said);
        return said;
      }),
    ]) {
      expect(await reasonFor(answer)).toMatch(/^dns_/);
      await close?.();
      close = undefined;
    }
  });
});

function tens(start: string): string[] {
  return Array.from({ length: 40 }, (_, index) => `${start}${index + 1}`);
}

/** Answers for IPv4, and with these flags, or not at all, for IPv6. */
function onlyA(flags: number | undefined): RawAnswer {
  return (query, question, type) => {
    if (type === "A") return message(query, question, { answers: [rawRecord(1, good)] });
    return flags === undefined ? undefined : message(query, question, { flags });
  };
}
