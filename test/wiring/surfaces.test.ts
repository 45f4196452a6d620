import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { configPaths } from "../../src/config/config-paths.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import type { OpenQuestion } from "../../src/server/ports/people.ts";
import { startSurfaces } from "../../src/wiring/surfaces.ts";
import { testAuthority, testCertificate, testKey } from "../egress/support/certificates.ts";
import { path } from "../config/files.ts";
import { macOf, secret, startReceiver } from "../webhook/support/receiver.ts";

const rules = { allow: [], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] };

async function start(text: (folder: string) => string, secrets: Readonly<Record<string, string>> = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-surfaces-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = path(folder);
  const env = { SALLYPORT_CONFIG_DIR: folder, SALLYPORT_MANAGED_DIR: join(folder, "etc") };
  const config = configPaths({ home, env });
  writeFileSync(join(folder, "cert.pem"), testCertificate);
  writeFileSync(join(folder, "key.pem"), testKey);
  writeFileSync(config.settings, text(folder), { mode: 0o600 });
  const settings = loadSettings(config, home);
  const answered: string[] = [];
  const none: readonly OpenQuestion[] = [];
  const surfaces = await startSurfaces({
    places: {
      home,
      config,
      settings,
      secrets: new Map(Object.entries({ SALLYPORT_WEBHOOK_SECRET: secret, ...secrets })),
      state: home,
      socket: path(join(folder, "s.sock")),
      runtime: home,
    },
    approvals: {
      async *watch(signal) {
        if (!signal.aborted) await once(signal, "abort");
        yield* none.map((question) => ({ kind: "opened", question }) as const);
      },
      list: () => none,
      answer(id, reply, by) {
        answered.push(`${id} ${reply.kind} ${by.agent} ${by.channel} ${by.role} ${String(by.isAgent)}`);
        return { rules: [], notCounted: [] };
      },
      tryEdit: () => {
        throw new Error("nothing is edited here");
      },
      proposals: () => [],
    },
    rules,
    log: pino({ level: "silent" }),
  });
  onTestFinished(() => surfaces.stop());
  return { surfaces, answered };
}

describe("surfaces of the settings", () => {
  it("are none where none is wanted", async () => {
    const { surfaces } = await start(() => "log: { level: info }\n");
    expect(surfaces.health).toEqual([]);
    expect(surfaces.ports).toEqual([]);
  });

  it("want a secret that cannot be guessed", async () => {
    const starting = start(() => "webhook: { url: 'http://127.0.0.1:9/' }\n", {
      SALLYPORT_WEBHOOK_SECRET: "x".repeat(31),
    });
    await expect(starting).rejects.toThrow("SALLYPORT_WEBHOOK_SECRET is shorter than 32 characters");
  });

  it("say which port they cannot have, and none of them runs then", async () => {
    const asked = await startReceiver();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const address = taken.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const at = `127.0.0.1:${address.port}`;
    const starting = start(
      () =>
        `telegram: { chats: [1], admins: [1], api_root: '${asked.url.replace("/hooks/sallyport", "")}' }\nwebhook: { url: 'http://127.0.0.1:9/', listen: { address: '${at}' } }\n`,
      { TELEGRAM_BOT_TOKEN: "1:abcdef" },
    );
    await expect(starting).rejects.toThrow(`cannot listen on ${at}`);
    expect(asked.arrived).toEqual([]);
  });

  it("take answers over TLS, for a person and no agent, on a port that no sandbox reaches", async () => {
    const receiver = await startReceiver();
    const { surfaces, answered } = await start(
      (folder) =>
        `webhook: { url: '${receiver.url}', admins: [ann], listen: { address: '127.0.0.1:0', tls: { cert: ${folder}/cert.pem, key: ${folder}/key.pem } } }\n`,
    );
    const [port = 0] = surfaces.ports;
    expect(port).toBeGreaterThan(0);
    const body = JSON.stringify({ person: { id: "ann" }, answer: { questionId: "q1", answer: "ANSWER_KIND_DENY" } });
    const time = Math.floor(Date.now() / 1000);
    const asked = request({
      host: "127.0.0.1",
      port,
      path: "/v1/answers",
      method: "POST",
      ca: testAuthority,
      checkServerIdentity: () => undefined,
      headers: {
        "content-type": "application/json",
        "sallyport-signature": `t=${time},v1=${macOf("answer", time, body)}`,
      },
    });
    asked.end(body);
    const [response] = (await once(asked, "response")) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(answered).toEqual(["q1 deny webhook-ann webhook admin false"]);
    await receiver.until(() => receiver.arrived.some(({ kind }) => kind === "ping"));
    expect(surfaces.health.map(({ name }) => name)).toEqual(["sallyport.webhook"]);
    await surfaces.stop();
    await surfaces.stop();
  });
});
