import { describe, expect, it } from "vitest";
import { internalHost, objectionToHost, type AddressRules } from "../../src/egress/address-rules.ts";
import { EgressProblem } from "../../src/egress/egress-problem.ts";
import { parseHost } from "../../src/egress/host.ts";
import { parseTargetUrl } from "../../src/egress/target-url.ts";
import { forgotten, vectors, type Vector } from "./support/corpus.ts";

const rules: AddressRules = { allow: [], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] };

/** What is decided of a URL before any query: a reason, or the name that would be resolved. */
function verdict(url: string): string {
  try {
    const { host, port } = parseTargetUrl(url);
    return objectionToHost(host, port, rules)?.reason ?? `name ${host.text}`;
  } catch (error) {
    if (error instanceof EgressProblem) return error.reason;
    throw error;
  }
}

const refusedAddress = /^addr_/;
const refusedUrl = /^bad_(?:url|host|port)$/;
const name = (host: string) => new RegExp(`^name ${host.replaceAll(".", "\\.")}$`);

/** Inputs that the list describes in words or abbreviates, and outcomes that it leaves open. */
const special: Readonly<Record<string, readonly (readonly [url: string, verdict: RegExp])[]>> = {
  // Refused by newer URL parsers; older ones make it an xn-- name that no resolver knows.
  V101: [["http://١٢٧.٠.٠.١/", /^(?:bad_url|name xn--)/]],
  V105: [
    ["http://exam\tple.com/", refusedUrl],
    ["http://exam\nple.com/", refusedUrl],
    ["http://exam\\tple.com/", /^host_denied$/],
  ],
  V106: [["http://example.com@127.0.0.1/", refusedUrl]],
  V109: [
    ["http://example.com\\@127.0.0.1/", name("example.com")],
    ["http://example.com\\\\@127.0.0.1/", name("example.com")],
  ],
  V111: [
    ["http://127.0.0.1#@example.com/", refusedAddress],
    ["http://example.com?@127.0.0.1/", name("example.com")],
  ],
  V112: [["http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", refusedUrl]],
  V113: [["http://google.com:80+&@127.88.23.245:22/#+@google.com:80/", refusedUrl]],
  V115: ["//127.0.0.1/", "", "http://", "not a url"].map((url) => [url, refusedUrl] as const),
  V122: [22, 25, 6379, 11_211, 2375].map((port) => [`http://example.com:${port}/`, /^port_denied$/] as const),
  V125: [
    [`http://${"a".repeat(64)}.test/`, refusedUrl],
    [`http://${"a".repeat(63)}.test/`, /^name a/],
    [`http://${`${"a".repeat(49)}.`.repeat(5)}test/`, refusedUrl],
  ],
  V128: [
    ["ws://x/", /^bad_scheme$/],
    ["jar:http://a/", /^bad_scheme$/],
    ["dict://a/", /^bad_scheme$/],
    ["ldap://a/", /^bad_scheme$/],
    ...[
      "file:///etc/passwd",
      "gopher://127.0.0.1:6379/_x",
      "ftp://x/",
      "data:,hi",
      "javascript:1",
      "blob:http://a/",
      "about:blank",
    ].map((url) => [url, /^bad_scheme$/] as const),
  ],
  V129: [[`http://example.com/${"a".repeat(100_000)}`, refusedUrl]],
};

const outcomes: Readonly<Record<string, RegExp>> = { REFUSE: /^(?:addr_|host_denied)/, "REFUSE(url)": refusedUrl };

function casesOf({ id, input, expected }: Vector): readonly (readonly [string, RegExp])[] {
  return special[id] ?? input.split(", ").map((url) => [url, outcomes[expected] ?? /^no such outcome$/] as const);
}

describe("URLs, group C", () => {
  it.each(vectors("C"))("$id $input", (vector) => {
    for (const [url, expected] of casesOf(vector))
      expect([url, verdict(url)]).toEqual([url, expect.stringMatching(expected)]);
  });

  it("mentions no case that the list does not have", () => {
    expect(Object.keys(special).filter((id) => !vectors("C").some((vector) => vector.id === id))).toEqual([]);
  });
});

const namesRefused = /^host_denied$/;
/** Group D as far as it is about hosts. */
const hosts: Readonly<Record<string, readonly (readonly [host: string, verdict: RegExp])[]>> = {
  V131: ["foo.localhost", "foo.localhost.", "localhost", "LOCALHOST."].map((host) => [host, namesRefused] as const),
  V132: ["ip6-localhost", "ip6-loopback", "localhost.localdomain", "myhost"].map(
    (host) => [host, namesRefused] as const,
  ),
  V133: ["metadata.google.internal", "metadata.google.internal.", "metadata"].map(
    (host) => [host, namesRefused] as const,
  ),
  V135: ["kubernetes", "kubernetes.default.svc", "a.svc.cluster.local", "a.cluster.local"].map(
    (host) => [host, namesRefused] as const,
  ),
  V136: ["host.docker.internal", "gateway.docker.internal", "host.containers.internal"].map(
    (host) => [host, namesRefused] as const,
  ),
  V139: [["EXAMPLE.com", name("example.com")]],
  V141: [
    ["[example.com]", refusedUrl],
    ["[[example.com]]", refusedUrl],
  ],
  V146: [[".example.com", refusedUrl]],
};
/** Group D as far as a URL is what turns the host into ASCII. */
const international: Readonly<Record<string, readonly [url: string, host: string]>> = {
  V148: ["http://bücher.example/", "xn--bcher-kva.example"],
  V149: ["http://ex\u0430mple.com/", "xn--exmple-4nf.com"],
};
/** Rules over names are matched in the policy room, by the canonical host that is tested here; V138 is in the resolver's tests. */
const elsewhere = { V138: "dns", V142: "rules", V143: "rules", V145: "rules", V151: "rules", V152: "rules" };

function hostVerdict(text: string): string {
  try {
    const host = parseHost(text);
    return objectionToHost(host, 443, rules)?.reason ?? `name ${host.text}`;
  } catch (error) {
    if (error instanceof EgressProblem) return error.reason;
    throw error;
  }
}

describe("hosts, group D", () => {
  it.each(Object.entries(hosts))("%s", (_id, cases) => {
    for (const [host, expected] of cases)
      expect([host, hostVerdict(host)]).toEqual([host, expect.stringMatching(expected)]);
  });

  it.each(Object.entries(international))("%s", (_id, [url, host]) => {
    expect(parseTargetUrl(url).host.text).toBe(host);
    expect(hostVerdict(new URL(url).hostname)).toBe(`name ${host}`);
  });

  it("leaves no case out", () => {
    expect(forgotten("D", hosts, international, elsewhere)).toEqual([]);
  });
});

describe("a target URL", () => {
  it("is canonical, so that equal origins have equal text", () => {
    const url = parseTargetUrl("HTTP://OK.test.:80/a/../b?c#d");
    expect(url).toMatchObject({ scheme: "http", port: 80, origin: "http://ok.test:80", path: "/b?c", fragment: "#d" });
    expect(url.text).toBe("http://ok.test/b?c");
    expect(parseTargetUrl("https://[2001:DB8::1]:8443/").origin).toBe("https://[2001:db8::1]:8443");
  });

  it("names the field and the reason", () => {
    expect(() => parseTargetUrl("http://u:p@ok.test/")).toThrow(
      expect.objectContaining({
        code: "invalid_argument",
        field: "url",
        message: "url: it holds a user name or password",
      }),
    );
    expect(() => parseTargetUrl("http://ok.test:0/")).toThrow(expect.objectContaining({ reason: "bad_port" }));
  });
});

describe("internalHost", () => {
  it("says why in one sentence, and nothing about what is public, unknown or open", () => {
    expect(internalHost("127.0.0.1", 80, rules)).toBe("127.0.0.1 is loopback (RFC 1122)");
    expect(internalHost("localhost", 80, rules)).toContain("this machine");
    expect(internalHost("ok.test", 22, rules)).toBe("port 22 is not one of the open ports (80, 443)");
    expect(internalHost("a..b", 80, rules)).toContain("label");
    for (const host of ["ok.test", "8.8.8.8", "*"])
      expect([host, internalHost(host, 443, rules)]).toEqual([host, undefined]);
  });
});
