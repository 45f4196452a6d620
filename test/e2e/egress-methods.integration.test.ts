import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { testAuthority, testCertificate, testKey } from "../egress/support/certificates.ts";
import { type DnsServer, startDns } from "../egress/support/dns-server.ts";
import { runCommand } from "./support/run-command.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

let dns: DnsServer;
let servers: readonly Server[] = [];
let ports: { readonly http: number; readonly https: number };
let home: string;
let sallyport: RunningSallyport;
let client: SallyportClient;
let sessionId: string;
/** `METHOD path` of each request that came through. */
const seen: string[] = [];

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers = [...servers, server];
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  dns = await startDns();
  dns.zones.set("ok.test", { addresses: ["127.0.0.1"] });
  const answer: RequestListener = (request, response) => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.end("from the server\n");
  };
  ports = {
    http: await listen(createHttpServer(answer)),
    https: await listen(createHttpsServer({ cert: testCertificate, key: testKey }, answer)),
  };
  home = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
  const config = join(home, "config", "sallyport");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "ca.pem"), testAuthority);
  writeFileSync(
    join(config, "permissions.yaml"),
    `rules:
  - { id: net, capability: sandbox_network, effect: allow, match: "ok.test", methods: [GET, PUT] }
  - { id: curl, capability: shell, effect: allow, match: "curl *" }
  - { id: no-writes, capability: sandbox_network, effect: deny, match: "ok.test", methods: [POST, DELETE], because: only reading }
  - { id: pages, capability: web_fetch, effect: allow, match: "*ok.test:*/open*", methods: [GET, HEAD] }
`,
  );
  sallyport = await startSallyport({
    home,
    settings: `egress:
  resolver: "${dns.address}"
  allow: ["127.0.0.1/32:${ports.http}", "127.0.0.1/32:${ports.https}"]
  ca: ["${config}/ca.pem"]
`,
  });
  client = sallyport.client();
  const { session } = await client.sessions.open({ key: "methods", mode: Mode.ALLOW_ALL });
  sessionId = session?.id ?? "";
});
afterAll(async () => {
  await sallyport.remove();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await dns.close();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => void seen.splice(0));

async function run(text: string, id = sessionId): Promise<{ code: number | undefined; out: string }> {
  const { end, stdout } = await runCommand(client, { sessionId: id, command: { shell: text } });
  return { code: end.code, out: stdout };
}

describe("a rule with methods", () => {
  it.each(["http", "https"] as const)("holds for what commands ask over %s", async (scheme) => {
    const url = `${scheme}://ok.test:${ports[scheme]}/x`;
    expect(await run(`curl -fsS ${url}`)).toEqual({ code: 0, out: "from the server\n" });
    for (const refused of [`-d a=b`, `-X DELETE`, `-d a -H 'X-HTTP-Method-Override: DELETE'`]) {
      const { out } = await run(`curl -sS ${refused} ${url}`);
      expect(JSON.parse(out), refused).toMatchObject({
        rule: "user.no-writes",
        error: expect.stringContaining("only reading") as string,
      });
    }
    const { out } = await run(`curl -sS -X PUT -H 'X-HTTP-Method-Override: POST' ${url}; curl -fsS -X PUT -d x ${url}`);
    expect(out).toContain("only reading");
    expect(out.endsWith("from the server\n")).toBe(true);
    expect(seen).toEqual(["GET /x", "PUT /x"]);
  });

  it("lets a command without a person ask for what it allows, and for nothing else", async () => {
    const { session } = await client.sessions.open({ key: "alone", mode: Mode.AUTOPILOT, unattended: true });
    const url = `https://ok.test:${ports.https}/x`;
    expect(await run(`curl -fsS ${url}`, session?.id)).toEqual({ code: 0, out: "from the server\n" });
    const { out } = await run(`curl -sS -X PATCH ${url}`, session?.id);
    expect(JSON.parse(out)).toMatchObject({ error: expect.stringContaining("no rule allows this host") as string });
    expect(seen).toEqual(["GET /x"]);
  });

  it("holds for Fetch", async () => {
    const { session } = await client.sessions.open({ key: "unattended", mode: Mode.AUTOPILOT, unattended: true });
    const id = session?.id ?? "";
    const url = `https://ok.test:${ports.https}/open/x`;
    const fetched = async (method: string): Promise<number | string> => {
      try {
        return (await client.fetch.get({ spec: { sessionId: id, url, method } })).header?.status ?? 0;
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };
    expect(await fetched("GET")).toBe(200);
    expect(await fetched("POST")).toEqual(expect.stringContaining("no rule allows this host"));
    expect(seen).toEqual(["GET /open/x"]);
  });
});
