import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFetcher } from "../../src/egress/fetcher.ts";
import type { Credential } from "../../src/egress/intercepting/credential.ts";
import { createInterception } from "../../src/egress/intercepting/interception.ts";
import type { RequestLine } from "../../src/egress/request-line.ts";
import type { FetchIntent } from "../../src/model/intent.ts";
import { testAuthority } from "./support/certificates.ts";
import { admitFetch, fetchIntent, type Lab, openLab, reasonOf } from "./support/lab.ts";
import { type Listening, startHttps } from "./support/servers.ts";
import { placeholder, secret, testCredential } from "./support/test-credential.ts";

let lab: Lab;
let origin: Listening;
/** `METHOD host path authorization` of each request that an origin saw over TLS. */
const seen: string[] = [];
const lines: RequestLine[] = [];
/** Redirects that the gate was asked about. */
const asked: FetchIntent[] = [];
/** Where `/redirect` leads. */
let location: string;

beforeEach(async () => {
  seen.length = 0;
  lines.length = 0;
  asked.length = 0;
  lab = await openLab();
  origin = await startHttps(({ method = "", url = "", headers }, response) => {
    seen.push(`${method} ${headers.host ?? ""} ${url} ${headers.authorization ?? "-"}`);
    if (url.split("?")[0] === "/redirect") response.writeHead(302, { location });
    response.end("secure hello");
  });
  lab.open(origin.port);
  location = at("/there");
});
afterEach(async () => {
  expect(lab.canary.accepted()).toBe(0);
  await Promise.all([lab.close(), origin.close()]);
});

const at = (path: string, host = "ok.test"): string => `https://${host}:${origin.port}${path}`;

const credential = (more: Partial<Credential> = {}): Credential => testCredential(origin.port, more);

async function fetched(url: string, more: Partial<FetchIntent> = {}, one: Partial<Credential> = {}): Promise<string> {
  const fetcher = createFetcher({
    ...lab.parts,
    ca: [testAuthority],
    interception: createInterception({ hosts: [], credentials: [credential(one)] }),
    wouldRefuse: ({ host }) => (host === "other.test" ? "ask" : undefined),
    onRequest: (line) => void lines.push(line),
  });
  const intent = fetchIntent(url, { maxBytes: 1000, timeoutMs: 9000, ...more });
  const result = await fetcher.fetch(
    admitFetch(lab, intent),
    async (hop) => {
      asked.push(hop);
      return admitFetch(lab, hop);
    },
    AbortSignal.timeout(9000),
  );
  let text = "";
  for await (const chunk of result.body) text += Buffer.from(chunk).toString();
  return text;
}

describe("a fetch with a credential", () => {
  it("has it added for its host, in place of the placeholder", async () => {
    const headers = [["authorization", `Bearer ${placeholder}`]] as const;
    expect(await fetched(at("/x"), { headers })).toBe("secure hello");
    expect(seen).toEqual([`GET ok.test:${origin.port} /x Bearer ${secret}`]);
    expect(lines).toMatchObject([{ credentials: ["TEST_TOKEN"], verdict: "allow" }]);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it("has it in the query where it belongs there", async () => {
    await fetched(at("/x?a=1"), {}, { place: { kind: "query", name: "key" }, value: secret });
    expect(seen).toEqual([`GET ok.test:${origin.port} /x?a=1&key=${secret} -`]);
  });

  it.each([
    ["another host", () => at("/x", "other.test")],
    ["plain http", () => lab.url("/x")],
    ["another port", () => `https://ok.test:${lab.origin.port}/x`],
  ])("refuses its placeholder to %s, and sends nothing", async (_what, url) => {
    const headers = [["x-token", placeholder]] as const;
    expect(await reasonOf(fetched(url(), { headers }))).toBe("stray_credential");
    const body = Buffer.from(`${"x".repeat(100_000)}${placeholder}`);
    expect(await reasonOf(fetched(url(), { method: "POST", body }))).toBe("stray_credential");
    expect(await reasonOf(fetched(`${url()}?t=${placeholder.replace("s", "%73")}`))).toBe("stray_credential");
    expect(await reasonOf(fetched(`http://${placeholder}.evil.test/`))).toBe("stray_credential");
    const basic = Buffer.from(`me:${placeholder}`).toString("base64");
    expect(await reasonOf(fetched(url(), { headers: [["authorization", `Basic ${basic}`]] }))).toBe("stray_credential");
    expect([seen, lab.seen, lab.dns.log]).toEqual([[], [], []]);
    expect(lines.every(({ verdict, reason }) => verdict === "deny" && reason === "stray_credential")).toBe(true);
  });

  it("has it for methods and paths that it is for only, as servers read them", async () => {
    const one = { methods: ["GET"], paths: ["/mine/*"] };
    await fetched(at("/%6dine//x"), {}, one);
    await fetched(at("/mine/x"), { method: "POST" }, one);
    await fetched(at("/other"), {}, one);
    expect(seen.map((line) => line.endsWith(secret))).toEqual([true, false, false]);
    expect(await reasonOf(fetched(at("/mine/..%2fother"), {}, one))).toBe("bad_url");
  });

  it("has it only where the method is the one that is asked for", async () => {
    const headers = [["X-HTTP-Method-Override", "DELETE"]] as const;
    expect(await reasonOf(fetched(at("/x"), { method: "POST", headers }, { methods: ["POST"] }))).toBe("bad_header");
    expect(await reasonOf(fetched(at("/x"), { method: "POST", headers }))).toBe("done");
  });

  it("has it on the same host after a redirect, and not on another", async () => {
    await fetched(at("/redirect"));
    expect(seen.at(-1)).toBe(`GET ok.test:${origin.port} /there Bearer ${secret}`);
    location = at("/there", "other.test");
    await fetched(at("/redirect"));
    expect(seen.at(-1)).toBe(`GET other.test:${origin.port} /there -`);
    expect(lines.at(-1)).toMatchObject({ wouldRefuse: "ask" });
    location = at(`/there?t=${placeholder}`, "other.test");
    expect(await reasonOf(fetched(at("/redirect")))).toBe("stray_credential");
  });
});

describe("a secret that a server gives back in a header", () => {
  const query = { place: { kind: "query", name: "key" } } as const;

  it("is followed on its own host, and nobody is told it", async () => {
    location = at(`/there?key=${secret}&a=1`);
    const text = await fetched(at("/redirect"), {}, query);
    expect(seen.at(-1)).toBe(`GET ok.test:${origin.port} /there?a=1&key=${secret} -`);
    expect(text).not.toContain(secret);
    expect(asked.at(-1)?.url).toBe(at(`/there?key=${placeholder}&a=1`));
  });

  it("is not carried to another host by a redirect", async () => {
    const before = seen.length;
    location = at(`/there?next=${encodeURIComponent(`https://x/?t=${secret}`)}`, "other.test");
    expect(await reasonOf(fetched(at("/redirect"), {}, query))).toBe("stray_credential");
    expect(seen.length).toBe(before + 1);
  });
});

describe("the hops of an answer", () => {
  it("say how long each step took", async () => {
    const fetcher = createFetcher({ ...lab.parts, ca: [testAuthority] });
    const permit = admitFetch(lab, fetchIntent(at("/redirect"), { maxBytes: 1000, timeoutMs: 9000 }));
    const { hops, ...result } = await fetcher.fetch(
      permit,
      async (hop) => admitFetch(lab, hop),
      AbortSignal.timeout(9000),
    );
    await result.close();
    expect(hops.map(({ status }) => status)).toEqual([302, 200]);
    for (const { timings } of hops)
      for (const took of Object.values(timings)) {
        expect(took).toBeGreaterThan(0);
        expect(took).toBeLessThan(9000);
      }
  });
});
