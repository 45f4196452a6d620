import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lookAtRuntimes } from "../../src/wiring/look-at-runtimes.ts";

const folder = mkdtempSync(join(tmpdir(), "sp-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => void execFileSync("docker", ["version"], { stdio: "pipe" }));

/** Looks with these settings and variables, and nothing of the machine's own configuration. */
async function look(settings: string, env: NodeJS.ProcessEnv = {}): ReturnType<typeof lookAtRuntimes> {
  const config = mkdtempSync(join(folder, "c-"));
  mkdirSync(join(config, "run"), { mode: 0o700 });
  writeFileSync(join(config, "sallyport.yaml"), `${settings}\nstate: ${config}/state\n`, { mode: 0o600 });
  return lookAtRuntimes({
    PATH: process.env["PATH"],
    XDG_RUNTIME_DIR: join(config, "run"),
    SALLYPORT_CONFIG_DIR: config,
    ...env,
  });
}

const nowhere = { DOCKER_HOST: `unix://${folder}/none.sock` };

describe("the doctor's look at the runtimes", () => {
  test("names each, what it enforces, and the one that is used", async () => {
    const { ok, lines } = await look("runtime: auto");
    expect(ok).toBe(true);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^docker \d+\S* runs commands: no-network, no-capabilities, read-only-root, seccomp/);
    expect(lines.filter((line) => line.includes("runs commands"))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/cannot name .* open files/);
  });

  test("says that an engine which was named and does not answer is replaced by nothing", async () => {
    const { ok, lines } = await look("runtime: auto", nowhere);
    expect(ok).toBe(false);
    expect(lines[0]).toMatch(/^docker is not there: no container engine answers at .*none\.sock/);
    expect(lines.at(-1)).toMatch(/^Commands are refused/);
  });

  test("takes the one that the settings name, and no other", async () => {
    const { ok, lines } = await look("runtime: runsc");
    expect(ok).toBe(false);
    expect(lines.join("\n")).toMatch(/runsc is not there: the container engine has no runtime runsc/);
    expect(lines.some((line) => line.includes("runs commands"))).toBe(false);
  });

  test("shows what is wrong with the settings, with its place", async () => {
    const { ok, lines } = await look("runtime: dokker");
    expect(ok).toBe(false);
    expect(lines.join("\n")).toMatch(/sallyport\.yaml:1:\d+: .*docker/);
  });
});
