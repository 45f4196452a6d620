import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Certificates, makeCertificates } from "./certificates.ts";
import { EngineProxy } from "./engine-proxy.ts";
import { busyboxImage, ensureEngine } from "./engine.ts";
import { Bench, finish, run, spawn } from "./harness.ts";

describe("an engine over TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "sp-tls-"));
  const proxy = new EngineProxy();
  let certificates: Certificates;
  let engineHost: string;
  beforeAll(async () => {
    await ensureEngine();
    certificates = makeCertificates(folder);
    const port = await proxy.listenTls({ ...certificates.server, requestCert: true, rejectUnauthorized: true });
    engineHost = `tcp://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("carries commands, their streams and their end over its attach stream", async () => {
    await using bench = new Bench({ engineHost, certFolder: certificates.client });
    expect(await bench.runtime.probe()).toMatchObject({ available: true, carrier: "attach" });
    const sandbox = await bench.open({ image: busyboxImage });
    const data = Buffer.alloc(1024 * 1024 + 17, "0123456789abcdef");
    const process = await spawn(sandbox, { argv: ["cat"], stdin: true });
    const writing = (async () => {
      await process.writeStdin(data);
      process.closeStdin();
    })();
    expect((await finish(process)).stdout).toBe(data.toString());
    await writing;
    expect((await run(sandbox, { argv: ["sh", "-c", "exit 7"] })).exit.code).toBe(7);
    await sandbox.close();
    expect(await sandbox.gone).toBe("closed");
  });

  test("is not used where the client's certificate is a stranger's, or the engine's cannot be checked", async () => {
    await using stranger = new Bench({ engineHost, certFolder: certificates.stranger });
    expect(await stranger.runtime.probe()).toMatchObject({ available: false });
    await expect(stranger.open({ image: busyboxImage })).rejects.toMatchObject({ code: "unavailable" });
    await using elsewhere = new Bench({
      engineHost: engineHost.replace("127.0.0.1", "localhost"),
      certFolder: certificates.client,
    });
    // The certificate is for the address, not for the name.
    await expect(elsewhere.open({ image: busyboxImage })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/altnames|does not match/) as string,
    });
  });

  test("whose certificates are not there is named with the file", async () => {
    await using bench = new Bench({ engineHost, certFolder: join(folder, "none") });
    await expect(bench.open()).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("ca.pem") as string,
    });
  });

  test("that is cut off ends what runs, and is told", async () => {
    await using bench = new Bench({ engineHost, certFolder: certificates.client });
    const sandbox = await bench.open({ image: busyboxImage });
    const process = await spawn(sandbox, { argv: ["sleep", "1000"] });
    proxy.cut();
    await expect(finish(process)).rejects.toMatchObject({ code: "unavailable" });
    await sandbox.gone;
    const again = await bench.open({ image: busyboxImage });
    expect((await run(again, { argv: ["echo", "again"] })).stdout).toBe("again\n");
  });
});
