import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode, RuleSource, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type DnsServer, startDns } from "../egress/support/dns-server.ts";
import { runCommand } from "./support/run-command.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";
import { startToolOrigin, type ToolOrigin } from "./support/tool-origin.ts";

let dns: DnsServer;
let origin: ToolOrigin;
let sallyport: RunningSallyport;
let client: SallyportClient;
let sessionId: string;

beforeAll(async () => {
  dns = await startDns();
  dns.zones.set("ok.test", { addresses: ["127.0.0.1"] });
  dns.zones.set("denied.test", { addresses: ["127.0.0.1"] });
  origin = await startToolOrigin();
  sallyport = await startSallyport({
    settings: `egress:\n  resolver: "${dns.address}"\n  allow: ["127.0.0.1/32:${origin.port}"]\n`,
  });
  client = sallyport.client();
  const { session } = await client.sessions.open({ key: "tools", mode: Mode.ALLOW_ALL });
  sessionId = session?.id ?? "";
  await client.policy.addRule({
    sessionId,
    rule: {
      source: RuleSource.SESSION,
      capability: "sandbox_network",
      match: ["denied.test:*"],
      effect: Verdict.DENY,
      because: "not this one",
    },
  });
});
afterAll(async () => {
  await sallyport.remove();
  origin.close();
  await dns.close();
});

async function run(text: string): Promise<{ code: number | undefined; out: string; err: string }> {
  const { end, stdout, stderr } = await runCommand(client, { sessionId, command: { shell: text } });
  return { code: end.code, out: stdout, err: stderr };
}

const url = (path: string, host = "ok.test"): string => `http://${host}:${origin.port}${path}`;

describe("a tool in the sandbox reaches what is allowed through the proxy", () => {
  it.each([
    ["curl", () => `curl -fsS ${url("/page")}`, "a page\n"],
    ["curl over SOCKS", () => `curl -fsS --proxy socks5h://127.0.0.1:3128 ${url("/page")}`, "a page\n"],
    ["curl through a tunnel", () => `curl -fsS --proxytunnel ${url("/page")}`, "a page\n"],
    [
      "git clone",
      () => `cd /tmp && git clone -q ${url("/repo.git")} cloned && cat cloned/hello.txt`,
      "hello from git\n",
    ],
    [
      "npm install",
      () =>
        `mkdir -p app && cd app && npm init -y >/dev/null && npm install --silent --no-audit --no-fund --registry ${url("/")} leaf && node -p "require('leaf')"`,
      "from the registry\n",
    ],
    [
      "Node's fetch",
      () => `node -e "fetch('${url("/page")}').then((r) => r.text()).then((t) => process.stdout.write(t))"`,
      "a page\n",
    ],
    [
      "Node's http",
      () => `node -e "require('http').get('${url("/page")}', (r) => r.pipe(process.stdout))"`,
      "a page\n",
    ],
    [
      "Python's urllib",
      () => `python3 -c "import urllib.request as u; print(u.urlopen('${url("/page")}').read().decode(), end='')"`,
      "a page\n",
    ],
  ])("%s", async (_tool, command, out) => {
    const before = origin.seen.length;
    expect(await run(command())).toMatchObject({ code: 0, out });
    expect(origin.seen.length).toBeGreaterThan(before);
    expect(origin.seen.slice(before).every((line) => line.includes(` ok.test:${origin.port} `))).toBe(true);
  });
});

/** A command that the analysis cannot read, so that the proxy has to say no. */
function unread(command: string): string {
  const text = Buffer.from(command).toString("base64");
  return `python3 -c "import base64, subprocess, sys; sys.exit(subprocess.call(['bash', '-c', base64.b64decode('${text}')]))"`;
}

describe("a refused host", () => {
  it("is told to the tool in words that an agent can act on, and gets neither a query nor a connection", async () => {
    const before = [dns.log.length, origin.seen.length];
    const target = url("/page", "denied.test");
    await expect(run(`curl -sS ${target}`)).rejects.toMatchObject({ code: "permission_denied" });
    const { out } = await run(unread(`curl -sS ${target}`));
    expect(JSON.parse(out)).toMatchObject({
      host: "denied.test",
      error: expect.stringContaining("not this one") as string,
    });
    const tunnel = await run(unread(`curl -sS -o /dev/null -w '%{http_connect}' --proxytunnel ${target}; true`));
    expect(tunnel.out).toBe("403");
    expect(await run(unread(`git ls-remote ${url("/repo.git", "denied.test")}`))).toMatchObject({ code: 128 });
    expect([dns.log.length, origin.seen.length]).toEqual(before);
  });
});

/** A connection by Python: what the analysis does not see, the kernel must refuse. */
const connectTo = (address: string, port: number): string =>
  `timeout 20 python3 -c "import socket; socket.create_connection(('${address}', ${port}), 15)"`;
const sendTo = (kind: string, port: number): string =>
  `timeout 20 python3 -c "import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM${kind}).sendto(b'x' * 8, ('192.0.2.53', ${port}))"`;

describe("what goes around the proxy", () => {
  it.each([
    ["a connection to the host's loopback", () => connectTo("127.0.0.1", origin.port)],
    ["a connection to the outside", () => connectTo("192.0.2.1", 80)],
    ["a connection to the metadata address", () => connectTo("169.254.169.254", 80)],
    ["a connection to the engine's bridge", () => connectTo("172.17.0.1", 80)],
    ["a connection over IPv6", () => connectTo("2001:db8::1", 80)],
    ["curl without a proxy", () => `timeout 20 curl -sS --noproxy '*' ${url("/page")}`],
    ["a name that is looked up", () => `timeout 20 python3 -c "import socket; socket.getaddrinfo('ok.test', 80)"`],
    ["a datagram to a resolver", () => sendTo("", 53)],
    ["ICMP", () => sendTo(", s.IPPROTO_ICMP", 0)],
  ])("fails at once: %s", async (_what, command) => {
    const before = [origin.seen.length, dns.log.length];
    const { code } = await run(command());
    expect(code).not.toBe(0);
    // 124: it would have waited.
    expect(code).not.toBe(124);
    expect([origin.seen.length, dns.log.length]).toEqual(before);
  });

  it.each([
    ["curl", () => `timeout 20 curl -sS --noproxy '*' ${url("/page")}`],
    [
      "Node",
      () => `timeout 20 env -u NODE_USE_ENV_PROXY node -e "fetch('${url("/page")}').catch((e) => { throw e.cause })"`,
    ],
    ["Python", () => connectTo("192.0.2.1", 80)],
  ])("and the caller is told why: %s", async (_what, command) => {
    const { end, stderr } = await runCommand(client, { sessionId, command: { shell: command() } });
    expect({ failed: end.code !== 0, hint: end.hint, stderr }).toMatchObject({
      failed: true,
      hint: expect.stringContaining("Only the proxy in HTTP_PROXY") as string,
    });
  });
});
