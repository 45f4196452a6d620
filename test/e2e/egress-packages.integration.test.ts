import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode, RuleSource, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type DnsServer, startDns } from "../egress/support/dns-server.ts";
import { busyboxImage, ensureEngine } from "../sandbox/engine.ts";
import { type PackageOrigin, startPackageOrigin } from "./support/package-origin.ts";
import { runCommand } from "./support/run-command.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

let dns: DnsServer;
let origin: PackageOrigin;
let sallyport: RunningSallyport;
let client: SallyportClient;

beforeAll(async () => {
  await ensureEngine();
  dns = await startDns();
  for (const name of ["ok.test", "denied.test"]) dns.zones.set(name, { addresses: ["127.0.0.1"] });
  origin = await startPackageOrigin();
  sallyport = await startSallyport({
    settings: `egress:\n  resolver: "${dns.address}"\n  allow: ["127.0.0.1/32:${origin.port}"]\nsandboxes: { spare: false }\n`,
  });
  client = sallyport.client();
});
afterAll(async () => {
  await sallyport.remove();
  origin.close();
  await dns.close();
});

/** A session in which everything may be reached but `denied.test`. */
async function openSession(key: string, image = ""): Promise<string> {
  const { session } = await client.sessions.open({ key, mode: Mode.ALLOW_ALL, image });
  const sessionId = session?.id ?? "";
  const denies = { capability: "sandbox_network", match: ["denied.test:*"], effect: Verdict.DENY };
  await client.policy.addRule({
    sessionId,
    rule: { source: RuleSource.SESSION, ...denies, because: "not this one" },
  });
  return sessionId;
}

/** A command that the analysis cannot read, so that the proxy has to say no, and nobody is asked what a script at an unknown path would do. */
function unread(command: string): string {
  const text = Buffer.from(command).toString("base64");
  return `python3 -c "import base64, subprocess, sys; sys.exit(subprocess.call(['bash', '-c', base64.b64decode('${text}')]))"`;
}

const url = (path: string, host = "ok.test"): string => `http://${host}:${origin.port}${path}`;

/** pip as it comes with Python, without a virtual environment. */
const pip = (host: string): string =>
  `python3 "$(ls /usr/share/python-wheels/pip-*.whl)/pip" install --quiet --no-cache-dir --no-compile --no-deps --retries 0 --target /tmp/pip-${host} --index-url ${url("/simple/", host)} --trusted-host ${host} leafpy`;

/** apt with folders of its own, for it is no root here. */
const apt = (host: string): string =>
  [
    `mkdir -p /tmp/${host}/lists/partial /tmp/${host}/cache/archives/partial && cd /tmp/${host} && touch status`,
    `echo "deb [trusted=yes] ${url("/apt", host)} ./" > sources.list`,
    `options="-qq -o Dir::State::Lists=$PWD/lists -o Dir::State::status=$PWD/status -o Dir::Cache=$PWD/cache -o Dir::Etc::SourceList=$PWD/sources.list -o Dir::Etc::SourceParts=/dev/null -o Acquire::Languages=none -o Acquire::Retries=0 -o APT::Sandbox::User=root"`,
    "apt-get $options update",
    "apt-get $options download leafdeb",
    "dpkg-deb -x leafdeb*.deb out",
    "cat out/opt/leaf.txt",
  ].join(" && ");

/** Milliseconds: pip alone takes its time to start on a busy machine. */
const timeout = 240_000;

describe("package managers in the sandbox reach what is allowed through the proxy", { timeout }, () => {
  it("wget", async () => {
    const sessionId = await openSession("wget", busyboxImage);
    const get = (host: string) =>
      runCommand(client, { sessionId, command: { argv: ["wget", "-q", "-O", "-", url("/page", host)] } });
    expect(await get("ok.test")).toMatchObject({ end: { code: 0 }, stdout: "a page\n" });
    await expect(get("denied.test")).rejects.toMatchObject({ code: "permission_denied" });
  });

  it.each([
    [
      "pip",
      () => unread(`${pip("ok.test")} && PYTHONPATH=/tmp/pip-ok.test python3 -c "import leafpy; print(leafpy.text)"`),
      "from the index\n",
    ],
    ["apt", () => apt("ok.test"), "from the repository\n"],
  ])("%s", async (tool, command, out) => {
    const sessionId = await openSession(tool);
    const before = origin.seen.length;
    expect(await runCommand(client, { sessionId, command: { shell: command() } })).toMatchObject({
      end: { code: 0 },
      stdout: out,
    });
    expect(origin.seen.length).toBeGreaterThan(before);
    expect(origin.seen.slice(before).every((line) => line.includes(` ok.test:${origin.port} `))).toBe(true);
  });

  it.each([
    ["pip", () => pip("denied.test"), /403|Forbidden|No matching distribution/],
    ["apt", () => apt("denied.test"), /403 +Forbidden/],
  ])("and %s fails with what the proxy says where the host is denied", async (tool, command, words) => {
    const sessionId = await openSession(tool);
    const before = [origin.seen.length, dns.log.length];
    const { end, stdout, stderr } = await runCommand(client, { sessionId, command: { shell: unread(command()) } });
    expect(end.code).not.toBe(0);
    expect(stdout + stderr).toMatch(words);
    expect([origin.seen.length, dns.log.length]).toEqual(before);
  });
});
