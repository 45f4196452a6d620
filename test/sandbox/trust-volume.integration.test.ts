import { beforeAll, describe, expect, test } from "vitest";
import { createDockerRuntime } from "../../src/sandbox/docker-runtime.ts";
import { testAuthority } from "../egress/support/certificates.ts";
import { docker, ensureEngine, initPath } from "./engine.ts";
import { Bench, run } from "./harness.ts";

async function volumesOf(owner: string): Promise<readonly string[]> {
  const filters = JSON.stringify({ label: [`dev.sallyport.owner=${owner}`] });
  return (await docker.listVolumes({ filters })).Volumes.map(({ Name }) => Name);
}

describe("an authority of its own, where the engine does not see this machine's files", () => {
  beforeAll(ensureEngine);

  test("is in a file that programs trust and cannot write, and goes with the container", async () => {
    await using bench = new Bench({ carrier: "attach" });
    const sandbox = await bench.open({ authority: testAuthority, variables: {} });
    const looked = await run(sandbox, `cat "$SSL_CERT_FILE"; printf 'at %s' "$GIT_SSL_CAINFO"`);
    expect(looked.stdout).toContain(testAuthority.trim());
    expect(looked.stdout).toMatch(/at \/\.sallyport\/trust\/authorities\.pem$/);
    const written = await run(sandbox, `echo x >> "$SSL_CERT_FILE"; rm -f "$SSL_CERT_FILE"; test -s "$SSL_CERT_FILE"`);
    expect(written.exit.code).toBe(0);
    expect(written.stderr).toMatch(/Read-only file system/);
    expect(await volumesOf(bench.owner)).toHaveLength(1);
    await sandbox.close();
    expect(await volumesOf(bench.owner)).toEqual([]);
  });

  test("is not there where there is none", async () => {
    await using bench = new Bench({ carrier: "attach" });
    const sandbox = await bench.open();
    expect((await run(sandbox, `echo "[$SSL_CERT_FILE]"; ls /.sallyport`)).stdout).toBe("[]\nbin\n");
    expect(await volumesOf(bench.owner)).toEqual([]);
  });

  test("is removed at the next start where a crash left it", async () => {
    await using bench = new Bench({ carrier: "attach" });
    await bench.open({ authority: testAuthority });
    expect(await volumesOf(bench.owner)).toHaveLength(1);
    const { runtimeFolder, owner } = bench;
    const next = createDockerRuntime({ runtimeFolder, initPath, owner, timeoutMs: 60_000, outputBytes: 1 << 20 });
    expect(await next.removeOrphans()).toBe(1);
    await expect.poll(() => volumesOf(owner), { timeout: 20_000 }).toEqual([]);
  });
});
