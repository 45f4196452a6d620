import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode, RuleSource, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { testAuthority, testCertificate, testKey } from "../egress/support/certificates.ts";
import { type DnsServer, startDns } from "../egress/support/dns-server.ts";
import { runCommand } from "./support/run-command.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

const secret = "real-secret-of-this-test-4711";

let dns: DnsServer;
let origin: Server;
let port: number;
let home: string;
let sallyport: RunningSallyport;
let client: SallyportClient;
let sessionId: string;
/** `METHOD host path authorization` of each request. */
const seen: string[] = [];

beforeAll(async () => {
  dns = await startDns();
  for (const name of ["ok.test", "other.test"]) dns.zones.set(name, { addresses: ["127.0.0.1"] });
  origin = createServer({ cert: testCertificate, key: testKey }, (request, response) => {
    const { method = "", url = "", headers } = request;
    seen.push(`${method} ${headers.host ?? ""} ${url} ${headers.authorization ?? "-"}`);
    response.end("from the server\n");
  });
  origin.listen(0, "127.0.0.1");
  await once(origin, "listening");
  port = (origin.address() as AddressInfo).port;
  home = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
  const config = join(home, "config", "sallyport");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "ca.pem"), testAuthority);
  writeFileSync(join(config, ".env"), `TEST_TOKEN=${secret}\n`, { mode: 0o600 });
  sallyport = await startSallyport({
    home,
    settings: `egress:
  resolver: "${dns.address}"
  allow: ["127.0.0.1/32:${port}"]
  ca: ["${config}/ca.pem"]
  credentials:
    - { host: "ok.test:${port}", secret: TEST_TOKEN, header: Authorization, template: "Bearer {secret}" }
log: { level: trace }
`,
  });
  client = sallyport.client();
  const { session } = await client.sessions.open({ key: "tools", mode: Mode.ALLOW_ALL });
  sessionId = session?.id ?? "";
  await client.policy.addRule({
    sessionId,
    rule: {
      source: RuleSource.SESSION,
      capability: "sandbox_network",
      match: ["https://ok.test:*/secret*"],
      effect: Verdict.DENY,
      because: "not this path",
    },
  });
});
afterAll(async () => {
  await sallyport.remove();
  origin.closeAllConnections();
  origin.close();
  await dns.close();
  rmSync(home, { recursive: true, force: true });
});

async function run(text: string): Promise<{ code: number | undefined; out: string; err: string }> {
  const { end, stdout, stderr } = await runCommand(client, { sessionId, command: { shell: text } });
  return { code: end.code, out: stdout, err: stderr };
}

const url = (path: string, host = "ok.test"): string => `https://${host}:${port}${path}`;

/** A command that the analysis cannot read, so that the proxy has to say no. */
function unread(command: string): string {
  const text = Buffer.from(command).toString("base64");
  return `python3 -c "import base64, subprocess, sys; sys.exit(subprocess.call(['bash', '-c', base64.b64decode('${text}')]))"`;
}

describe("a credential that is bound to a host", () => {
  it.each([
    ["curl", () => `curl -fsS ${url("/x")}`],
    ["curl with the placeholder", () => unread(`curl -fsS -H "Authorization: Bearer $TEST_TOKEN" ${url("/x")}`)],
    [
      "Node's fetch",
      () => `node -e "fetch('${url("/x")}').then((r) => r.text()).then((t) => process.stdout.write(t))"`,
    ],
    [
      "Python's urllib",
      () => `python3 -c "import urllib.request as u; print(u.urlopen('${url("/x")}').read().decode(), end='')"`,
    ],
  ])("is added to what %s asks it, which trusts the session's authority", async (_tool, command) => {
    seen.length = 0;
    expect(await run(command())).toMatchObject({ code: 0, out: "from the server\n" });
    expect(seen).toEqual([`GET ok.test:${port} /x Bearer ${secret}`]);
  });

  it("is added to what git and npm ask it, too", async () => {
    seen.length = 0;
    await run(`git ls-remote ${url("/repo.git")}; npm view --silent --registry ${url("/")} leaf; true`);
    const paths = seen.filter((line) => line.endsWith(` Bearer ${secret}`)).map((line) => line.split(" ")[2]);
    expect(paths).toEqual(expect.arrayContaining(["/repo.git/info/refs?service=git-upload-pack", "/leaf"]));
  });

  it("is nowhere in the sandbox", async () => {
    const { out } = await run(
      `env; cat /proc/self/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; cat /.sallyport/* 2>/dev/null; true`,
    );
    expect(out).toContain("TEST_TOKEN=sallyport-placeholder-");
    expect(out).not.toContain(secret);
    expect(out).not.toMatch(/PRIVATE KEY/);
  });

  it("is refused to a path that a rule denies, inside of TLS", async () => {
    seen.length = 0;
    const { out } = await run(unread(`curl -sS ${url("/%73ecret/x")}`));
    expect(JSON.parse(out)).toMatchObject({
      host: "ok.test",
      error: expect.stringContaining("not this path") as string,
    });
    expect(seen).toEqual([]);
  });

  it("leaves hosts without one alone: their TLS is theirs", async () => {
    seen.length = 0;
    const { code, err } = await run(`curl -sS ${url("/x", "other.test")}`);
    expect([code, err]).toEqual([60, expect.stringContaining("certificate")]);
    const trusting = await run(`curl -kfsS ${url("/x", "other.test")}`);
    expect(trusting.out).toBe("from the server\n");
    expect(seen).toEqual([`GET other.test:${port} /x -`]);
  });

  it("keeps its placeholder from plain requests to other hosts, and the value out of log and audit", async () => {
    const { out } = await run(unread(`curl -sS -d "$TEST_TOKEN" http://other.test:${port}/x`));
    expect(JSON.parse(out)).toMatchObject({ reason: "stray_credential" });
    const { records } = await client.audit.query({ limit: 500 });
    const text = JSON.stringify(records, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    expect(text).toContain("stray_credential");
    expect(text).toContain("TEST_TOKEN");
    expect(text).not.toContain(secret);
    expect(sallyport.output()).not.toContain(secret);
    expect(readFileSync(join(home, "config", "sallyport", ".env"), "utf8")).toContain(secret);
  });
});
