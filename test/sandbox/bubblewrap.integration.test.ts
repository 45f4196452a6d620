import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createBubblewrapRuntime } from "../../src/sandbox/bubblewrap/bubblewrap-runtime.ts";
import { Cgroups } from "../../src/sandbox/bubblewrap/cgroups.ts";
import { unpackContractImage } from "./contract/image.ts";
import { ensureEngine, initPath, owner } from "./engine.ts";
import { Bench, path, run, type BenchKind } from "./harness.ts";

beforeAll(ensureEngine);

const root = process.getuid?.() === 0;
const kind: BenchKind = { make: createBubblewrapRuntime, image: "machine" };

describe("an ordinary user's sandbox", () => {
  const script = join(import.meta.dirname, "bubblewrap-child.ts");
  const user = root ? { uid: owner.uid, gid: owner.gid } : {};
  const readable = [process.execPath, script, initPath].every(
    (file) => spawnSync("test", ["-r", file], user).status === 0,
  );

  test.skipIf(!readable)(
    "is in a user namespace, and as closed as root's (skipped where no other user can read the tests)",
    () => {
      const texts = [
        "id -u; id -g; whoami; touch own ~/own /tmp/own && echo written; touch /x /usr/x /etc/x /dev/x 2>/dev/null || echo refused",
        "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; grep -c . /etc/passwd; grep -E '^(Cap|Seccomp:)' /proc/self/status | grep -vc ':.0*$'",
      ];
      const { stdout, stderr } = spawnSync(process.execPath, [script, ...texts], {
        ...user,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: "/", TMPDIR: tmpdir() },
      });
      expect(stderr).toBe("");
      const found = JSON.parse(stdout) as Record<"outputs" | "enforces", string[]> &
        Record<"hostile" | "asked", string>;
      const self = root ? owner : { uid: process.getuid?.(), gid: process.getgid?.() };
      expect(found.outputs[0]).toBe(`${self.uid}\n${self.gid}\nsallyport\nwritten\nrefused\n`);
      // Loopback only, accounts of the sandbox's own, and of the capability sets and the filter only the filter is not nothing.
      expect(found.outputs[1]).toBe("lo\n3\n1\n");
      expect(found.hostile).toMatch(/guards seen[^]*\nvsock FAILED\n$/);
      expect(found.hostile).not.toContain("SUCCEEDED");
      expect(found.enforces).toContain("pids-limit");
      // Where this user may make control groups, what is asked for holds; elsewhere it is refused.
      if (found.enforces.includes("memory-limit")) expect(found.asked).toBe("opened");
      else expect(found.asked).toMatch(/^limits\.memoryBytes: bubblewrap cannot hold it here/);
    },
  );
});

describe("without control groups", () => {
  test("a limit that was asked for is refused, and the defaults hold for each process", async () => {
    const useCgroups = false;
    await using strict = new Bench(
      {},
      { ...kind, make: (options) => createBubblewrapRuntime({ ...options, useCgroups }) },
    );
    expect((await strict.runtime.probe()).enforces).not.toContain("memory-limit");
    await expect(strict.open()).rejects.toMatchObject({ code: "failed_precondition", field: "limits.memoryBytes" });
    const { limits } = strict.spec();
    const defaultLimits = { ...limits, memoryBytes: 64 * 1024 * 1024 };
    await using loose = new Bench(
      {},
      { ...kind, make: (options) => createBubblewrapRuntime({ ...options, useCgroups, defaultLimits }) },
    );
    const sandbox = await loose.open({ limits: defaultLimits });
    const { stdout } = await run(
      sandbox,
      "ulimit -d; head -c 100000000 /dev/zero | tail -c 99999999 2>/dev/null | wc -c",
    );
    expect(stdout).toBe(`${64 * 1024}\n0\n`);
    await expect(loose.open({ limits: { ...defaultLimits, cpus: 0.5 } })).rejects.toMatchObject({
      field: "limits.cpus",
    });
  });
});

describe("a root folder as the image", () => {
  test("is what commands see, with its accounts and one of their own", async () => {
    const folder = await unpackContractImage();
    await using bench = new Bench({}, kind);
    const sandbox = await bench.open({ image: folder });
    const { stdout } = await run(
      sandbox,
      "readlink /bin/ls; whoami; grep -c guest /etc/passwd; ls -d /usr /root 2>/dev/null; touch /bin/x || echo refused; touch x && echo written",
    );
    expect(stdout).toBe("busybox\nsallyport\n1\nrefused\nwritten\n");
  });

  test("is refused where it could be written, is relative, is the machine's, or is not there", async () => {
    await using bench = new Bench({}, kind);
    const inside = join(bench.workspace, "root");
    mkdirSync(inside);
    for (const image of [inside, "root", "/", "/no/such/root", `${inside}/../root`])
      await expect(bench.open({ image }), image).rejects.toMatchObject({ code: "failed_precondition", field: "image" });
  });
});

describe("what a crash leaves", () => {
  test.skipIf(!root)(
    "is found by its owner, ended and removed (skipped where only root may make control groups)",
    async () => {
      await using bench = new Bench({}, kind);
      const earlier = await Cgroups.open(bench.owner, "0123456789abcdef");
      const group = await earlier.make(bench.spec().limits);
      expect(group.entrances.length).toBeGreaterThan(0);
      const left = spawn("sleep", ["1000"]);
      const gone = once(left, "exit");
      for (const entrance of group.entrances) writeFileSync(entrance, String(left.pid));
      const running = await bench.open();
      expect(await bench.runtime.removeOrphans()).toBe(1);
      expect(await gone).toEqual([null, "SIGKILL"]);
      expect((await run(running, "echo still")).stdout).toBe("still\n");
      expect(await bench.runtime.removeOrphans()).toBe(0);
    },
  );
});

test("where there is no bwrap the reason says what to install", async () => {
  await using bench = new Bench(
    {},
    { ...kind, make: (options) => createBubblewrapRuntime({ ...options, program: "/no/such/bwrap" }) },
  );
  expect(await bench.runtime.probe()).toMatchObject({
    available: false,
    reason: expect.stringContaining("apt-get install bubblewrap") as string,
  });
  await expect(bench.open()).rejects.toMatchObject({ code: "failed_precondition" });
});

test("a workspace in a folder that is otherwise the sandbox's own is shown there", async () => {
  await using bench = new Bench({}, kind);
  const home = path(join(bench.workspace, "home"));
  mkdirSync(home);
  const { stdout } = await run(await bench.open({ home }), "cd; pwd; ls -d /home 2>/dev/null; touch x || echo refused");
  expect(stdout).toBe(`${home}\nrefused\n`);
});
