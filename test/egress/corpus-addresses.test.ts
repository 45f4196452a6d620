import { describe, expect, it } from "vitest";
import { parseAddress } from "../../src/egress/address.ts";
import { internalHost, objectionToAddress, type AddressRules } from "../../src/egress/address-rules.ts";
import { parseAllowRange } from "../../src/egress/allow-range.ts";
import { classify } from "../../src/egress/classify.ts";
import { forgotten, vectors, type Vector } from "./support/corpus.ts";

const rules: AddressRules = {
  allow: [],
  ports: [80, 443],
  ownAddresses: () => ["8.8.4.4", "2001:4860:4860::8844"],
  ownPorts: () => [4141],
};

/** Cases whose input is no list of addresses. */
const inWords: Readonly<Record<string, readonly string[]>> = { V043: ["8.8.4.4", "2001:4860:4860::8844"] };

function addressesOf({ id, input }: Vector): readonly string[] {
  return inWords[id] ?? input.split(/[\s,()/]+/).filter((word) => parseAddress(word) !== undefined);
}

function verdict(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return "no address";
  return objectionToAddress(address, 443, rules) === undefined ? "ALLOW" : "REFUSE";
}

describe.each(["A", "B"])("addresses, group %s", (group) => {
  it.each(vectors(group))("$id $input", (vector) => {
    const addresses = addressesOf(vector);
    expect(addresses).not.toEqual([]);
    const expected = vector.expected.split(" ")[0];
    for (const text of addresses) {
      expect([text, verdict(text)]).toEqual([text, expected]);
      // The literal as a host must meet the same answer, with and without brackets.
      const spelled = text.includes(":") ? [text, `[${text}]`] : [text, `${text}.`];
      for (const host of spelled)
        expect([host, internalHost(host, 443, rules) === undefined]).toEqual([host, expected === "ALLOW"]);
    }
  });

  it("leaves no case out", () => {
    expect(forgotten(group, Object.fromEntries(vectors(group).map((vector) => [vector.id, vector])))).toEqual([]);
  });
});

describe("classify", () => {
  it.each([
    ["127.0.0.1", "addr_private", "loopback (RFC 1122)"],
    ["10.0.0.1", "addr_private", "private use (RFC 1918)"],
    ["169.254.169.254", "addr_metadata", "cloud metadata"],
    ["168.63.129.16", "addr_metadata", "wire server (Azure)"],
    ["fd00:ec2::254", "addr_metadata", "cloud metadata (AWS)"],
    ["::ffff:10.0.0.1", "addr_special", "IPv4-mapped (RFC 4291) for 10.0.0.1"],
    ["64:ff9b::a9fe:a9fe", "addr_metadata", "NAT64 for 169.254.169.254, cloud metadata"],
    ["::ffff:a83f:8110", "addr_metadata", "IPv4-mapped for 168.63.129.16, wire server (Azure)"],
    ["2606:4700::5efe:6464:64c8", "addr_metadata", "ISATAP for 100.100.100.200"],
    ["2002:7f00:1::", "addr_special", "6to4 (RFC 3056) for 127.0.0.1"],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "addr_special", "Teredo (RFC 4380) for 192.0.2.45"],
    ["2606:4700::200:5efe:a00:1", "addr_special", "ISATAP for 10.0.0.1"],
    ["4000::1", "addr_special", "outside the global unicast space"],
  ])("names %s", (text, reason, name) => {
    const address = parseAddress(text);
    const found = address === undefined ? undefined : classify(address);
    expect(found).toMatchObject({ kind: "special", reason });
    expect(found?.kind === "special" ? found.name : "").toContain(name);
  });

  it("knows every edge of every block", () => {
    for (const [text, kind] of [
      ["9.255.255.255", "public"],
      ["100.63.255.255", "public"],
      ["172.31.255.255", "special"],
      ["191.255.255.255", "public"],
      ["198.17.255.255", "public"],
      ["198.20.0.0", "public"],
      ["1fff:ffff::1", "special"],
      ["2000::1", "public"],
      ["2003::1", "public"],
      ["3ffe:ffff::1", "public"],
      ["4000::", "special"],
      ["2606:4700::5efe:808:808", "public"],
    ]) {
      const address = parseAddress(text ?? "");
      expect([text, address === undefined ? "none" : classify(address).kind]).toEqual([text, kind]);
    }
  });
});

describe("allow ranges", () => {
  const opened = (range: string, address: string, port: number) => {
    const found = parseAddress(address);
    if (found === undefined) throw new Error(address);
    const withRange: AddressRules = { ...rules, allow: [parseAllowRange(range)] };
    return objectionToAddress(found, port, withRange) === undefined;
  };

  it.each([
    ["10.0.0.0/8", "10.2.3.4", 9999, true],
    ["10.0.0.0/8:8080", "10.2.3.4", 8080, true],
    ["10.0.0.0/8:8080", "10.2.3.4", 8081, false],
    ["10.0.0.0/8", "::ffff:10.2.3.4", 443, false],
    ["127.0.0.0/8", "127.0.0.1", 80, true],
    ["[fd00::/8]:443", "fd12::1", 443, true],
    ["fd00::/8", "fd12::1", 1, true],
    ["::1/128", "::1", 8080, true],
    ["8.8.4.4/32:53", "8.8.4.4", 53, true],
    // Sallyport's own port stays shut on every address of this machine, and is a port like others elsewhere.
    ["127.0.0.0/8", "127.0.0.1", 4141, false],
    ["127.0.0.0/8", "127.9.9.9", 4141, false],
    ["::1/128", "::1", 4141, false],
    ["8.8.4.4/32", "8.8.4.4", 4141, false],
    ["10.0.0.0/8", "10.0.0.1", 4141, true],
    ["1.0.0.0/8:22", "1.1.1.1", 22, true],
    ["1.0.0.0/8:22", "2.2.2.2", 22, false],
    // Metadata stays shut, however it is spelled.
    ["169.254.0.0/16", "169.254.169.254", 80, false],
    ["169.254.0.0/16", "169.254.1.1", 80, true],
    ["168.63.129.16/32", "168.63.129.16", 80, false],
    ["fd00::/8", "fd00:ec2::254", 80, false],
    ["64:ff9b::/96", "64:ff9b::a9fe:a9fe", 80, false],
    // A translator's range opens what is public behind it, and no more.
    ["64:ff9b::/96", "64:ff9b::808:808", 443, true],
    ["64:ff9b::/96", "64:ff9b::7f00:1", 443, false],
    ["64:ff9b::/96", "64:ff9b::808:404", 443, false],
    // Behind the local-use prefix the range's own length says where the IPv4 address is (RFC 6052, section 2.2).
    ["64:ff9b:1::/96", "64:ff9b:1::101:101", 443, true],
    ["64:ff9b:1::/96", "64:ff9b:1::7f00:1", 443, false],
    ["64:ff9b:1::/48", "64:ff9b:1:101:1:100::", 443, true],
    ["64:ff9b:1::/48", "64:ff9b:1:7f00:0:100::", 443, false],
    ["64:ff9b:1::/48", "64:ff9b:1:7f00:0:100:101:101", 443, false],
    ["64:ff9b:1::/48", "64:ff9b:1::101:101", 443, false],
    ["64:ff9b:1::/56", "64:ff9b:1:1:1:101::", 443, true],
    ["64:ff9b:1::/56", "64:ff9b:1:a:0:1::", 443, false],
    ["64:ff9b:1::/64", "64:ff9b:1:0:1:101:100:0", 443, true],
    ["64:ff9b:1::/64", "64:ff9b:1:0:a:0:100:0", 443, false],
    ["64:ff9b:1::/52", "64:ff9b:1:101:1:100::", 443, false],
    ["64:ff9b:1::/48", "64:ff9b:1:a9fe:a9:fe00::", 80, false],
    ["64:ff9b:1::/48", "64:ff9b:1::a9fe:a9fe", 80, false],
  ] as const)("%s for %s port %i: %s", (range, address, port, expected) => {
    expect(opened(range, address, port)).toBe(expected);
  });

  it.each([
    "0.0.0.0/0",
    "::/0",
    "0.0.0.0/1",
    "2000::/3",
    "10.0.0.1/8",
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0.0/8:0",
    "10.0.0.0/8:65536",
    "x/8",
    "",
    "127.1/8",
    "010.0.0.0/8",
    "fe80::%lo/64",
    "10.0.0.0/08",
  ])("refuses %j", (text) => {
    expect(() => parseAllowRange(text)).toThrow(
      expect.objectContaining({ code: "invalid_argument", field: "allow_ranges" }),
    );
  });
});
