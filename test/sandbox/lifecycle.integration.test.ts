import { fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/model/runtime.ts";
import { createDockerRuntime } from "../../src/sandbox/docker-runtime.ts";
import { busyboxImage, docker, ensureEngine, initPath, makeFolder } from "./engine.ts";
import { Bench, finish, never, path, run, spawn, waitFor } from "./harness.ts";
import { containersOf, untilNoneOf } from "./list-containers.ts";

beforeAll(ensureEngine);

/** Files of the runtime folder besides what every sandbox is given: the copy of init, and the accounts. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^[0-9a-f]{16}(\/(init|passwd-[0-9a-f]{16}|group-[0-9a-f]{16}))?$/.test(name),
  );
}

describe("closing", () => {
  test.each(["socket", "attach"] as const)(
    "removes the container over the %s carrier, ends its commands and leaves no file",
    async (carrier) => {
      await using bench = new Bench({ carrier });
      const sandbox = await bench.open();
      const process = await spawn(sandbox, { text: "echo ready; sleep 1000" });
      await waitFor(process, "ready");
      await sandbox.close();
      await expect(finish(process)).rejects.toMatchObject({ code: "unavailable" });
      expect(await containersOf(docker, bench.owner)).toHaveLength(0);
      expect(filesOf(bench.runtimeFolder)).toEqual([]);
      expect(await sandbox.gone).toBe("closed");
      await expect(spawn(sandbox, { text: "true" })).rejects.toMatchObject({ code: "unavailable" });
    },
  );

  test("by somebody else is noticed, and told to those who wait", async () => {
    await using bench = new Bench();
    const sandbox = await bench.open();
    const process = await spawn(sandbox, { argv: ["sleep", "1000"] });
    await docker.getContainer(sandbox.id).kill();
    await expect(finish(process)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("gone") as string,
    });
    await sandbox.gone;
    await untilNoneOf(docker, bench.owner);
  });
});

describe("a sidecar that is killed", () => {
  test.each(["socket", "attach"] as const)("leaves no container over the %s carrier", async (carrier) => {
    await using bench = new Bench({ carrier });
    const child = fork(join(import.meta.dirname, "sidecar-child.ts"), [
      carrier,
      bench.owner,
      bench.runtimeFolder,
      bench.workspace,
    ]);
    const [message] = (await once(child, "message")) as [unknown];
    expect(message).toBe("running");
    expect(await containersOf(docker, bench.owner)).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    await untilNoneOf(docker, bench.owner);
  });
});

describe("orphans", () => {
  test("in the runtime folder are removed too", async () => {
    await using bench = new Bench();
    mkdirSync(join(bench.runtimeFolder, "0123456789abcdef/s-1"), { recursive: true });
    writeFileSync(join(bench.runtimeFolder, "other"), "");
    const sandbox = await bench.open();
    await bench.runtime.removeOrphans();
    expect(filesOf(bench.runtimeFolder)).toEqual(["other"]);
    expect((await run(sandbox, "echo fine")).stdout).toBe("fine\n");
  });

  test("of an earlier start are removed, the own containers and those of others are not", async () => {
    await using bench = new Bench();
    await using stranger = new Bench();
    const [own, others] = [await bench.open(), await stranger.open()];
    const orphan = await docker.createContainer({
      Image: busyboxImage,
      Cmd: ["/bin/true"],
      Labels: { "dev.sallyport.owner": bench.owner, "dev.sallyport.instance": "earlier" },
    });
    expect(await bench.runtime.removeOrphans()).toBe(1);
    await expect(orphan.inspect()).rejects.toMatchObject({ statusCode: 404 });
    expect((await run(own, "echo own")).stdout).toBe("own\n");
    expect((await run(others, "echo others")).stdout).toBe("others\n");
    expect(await bench.runtime.removeOrphans()).toBe(0);
  });
});

describe("an image", () => {
  test("that is not there is named, with what to do", async () => {
    await using bench = new Bench();
    await expect(bench.open({ image: "sallyport-test-missing:1" })).rejects.toMatchObject({
      code: "failed_precondition",
      field: "image",
      message: expect.stringMatching(/sallyport-test-missing:1.*docker pull/) as string,
    });
    expect(await containersOf(docker, bench.owner)).toHaveLength(0);
  });

  test("with volumes, a health check, an entry point and a user of its own changes nothing", async () => {
    const container = await docker.createContainer({ Image: busyboxImage, Cmd: ["/bin/true"] });
    const changes = [
      'VOLUME ["/data"]',
      'HEALTHCHECK --interval=1s CMD ["/bin/touch", "/data/health"]',
      'ENTRYPOINT ["/bin/false"]',
      "USER 0",
      "ENV LEAK=image PATH=/bin:/from-image",
    ];
    await container.commit({
      repo: "sallyport-test-loud",
      tag: "latest",
      changes: changes.join("\n"),
    });
    await container.remove();
    await using bench = new Bench();
    const sandbox = await bench.open({ image: "sallyport-test-loud" });
    const { stdout } = await run(sandbox, {
      argv: ["sh", "-c", "grep ' /data ' /proc/mounts; echo $LEAK; echo $PATH; id -u; ls /data"],
    });
    const [mount, leak, image, uid] = stdout.split("\n");
    expect(mount).toMatch(/^tmpfs \/data tmpfs rw,nosuid,nodev/);
    expect([leak, image]).toEqual(["", "/bin:/from-image"]);
    expect(uid).not.toBe("0");
    expect((await docker.getContainer(sandbox.id).inspect()).State.Health).toBeUndefined();
    await sandbox.close();
    await docker.getImage("sallyport-test-loud").remove();
  });
});

describe("scopes that are never mounted", () => {
  const socketFolder = mkdtempSync(join(tmpdir(), "sp-sock-"));
  afterAll(() => rmSync(socketFolder, { recursive: true, force: true }));

  test.each([
    "/",
    "/proc",
    "/proc/1",
    "/sys/fs",
    "/dev",
    "/dev/shm",
    "/run",
    "/var/lib/docker",
    "/var/lib",
    "/no/such/folder",
  ])("%s", async (root) => {
    await using bench = new Bench();
    const spec = bench.spec();
    await expect(
      bench.open({
        scopes: [...spec.scopes, { root: path(root), access: "ro", lasts: "session" }],
      }),
    ).rejects.toMatchObject({
      code: "failed_precondition",
      field: "scopes",
      message: expect.stringContaining(`scope ${root}:`) as string,
    });
    expect(await containersOf(docker, bench.owner)).toHaveLength(0);
  });

  test("links to them, Sallyport's own folders and links to those", async () => {
    await using bench = new Bench();
    const state = makeFolder("sp-state-");
    const link = (target: string, name: string): string => {
      symlinkSync(target, join(bench.workspace, name));
      return join(bench.workspace, name);
    };
    for (const root of [
      link("/proc", "p"),
      link("/", "r"),
      link(state, "s"),
      state,
      bench.runtimeFolder,
      link("/var/run", "v"),
    ]) {
      const scopes = [...bench.spec().scopes, { root: path(root), access: "ro" as const, lasts: "session" as const }];
      await expect(bench.open({ scopes, hidden: [path(state)] }), root).rejects.toMatchObject({
        code: "failed_precondition",
        field: "scopes",
      });
    }
  });

  test("a folder that a link stands for since it was granted, at its end or on the way", async () => {
    await using bench = new Bench();
    const outside = makeFolder("sp-outside-");
    mkdirSync(join(outside, "sub"));
    mkdirSync(join(bench.workspace, "own"));
    symlinkSync(outside, join(bench.workspace, "swapped"));
    for (const root of ["swapped", "swapped/sub"].map((name) => path(join(bench.workspace, name))))
      for (const spec of [
        {
          scopes: [...bench.spec().scopes, { root, access: "rw" as const, lasts: "session" as const }],
        },
        { workspace: root, scopes: [{ root, access: "rw" as const, lasts: "session" as const }] },
      ])
        await expect(bench.open(spec)).rejects.toMatchObject({
          code: "failed_precondition",
          field: "scopes",
        });
    expect(await containersOf(docker, bench.owner)).toHaveLength(0);
  });

  test("a workspace that is no scope", async () => {
    await using bench = new Bench();
    await expect(bench.open({ scopes: [] })).rejects.toMatchObject({ code: "failed_precondition" });
  });
});

describe("a permit", () => {
  test("of another session, for other scopes or another image does not run", async () => {
    await using bench = new Bench();
    const sandbox = await bench.open();
    const { parseSessionId } = await import("../../src/model/ids.ts");
    const session = parseSessionId("other");
    if (session === undefined) throw new Error("no id");
    await expect(spawn(sandbox, { text: "true", session })).rejects.toMatchObject({
      code: "internal",
    });
    await expect(spawn(sandbox, { text: "true", scopes: [] })).rejects.toMatchObject({
      code: "failed_precondition",
    });
    await expect(spawn(sandbox, { text: "true", image: "other" })).rejects.toMatchObject({
      code: "internal",
    });
  });

  test("runs one command, and a forged one none", async () => {
    await using bench = new Bench();
    const sandbox = await bench.open();
    const { permit } = await import("./harness.ts");
    const once_ = permit(sandbox.spec, { text: "echo once" });
    expect((await finish(await sandbox.spawn(once_, never))).stdout).toBe("once\n");
    await expect(sandbox.spawn(once_, never)).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("used before") as string,
    });
    const forged = Object.create(Object.getPrototypeOf(once_) as object) as typeof once_;
    await expect(sandbox.spawn(forged, never)).rejects.toMatchObject({
      code: "internal",
      message: "forged permit",
    });
  });
});

describe("an engine", () => {
  const folder = mkdtempSync(join(tmpdir(), "sp-engine-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("that is not there: the error says what to install", async () => {
    await using bench = new Bench({ engineHost: `unix://${folder}/none.sock` });
    expect(await bench.runtime.probe()).toMatchObject({
      available: false,
      reason: expect.stringMatching(/no sandbox, no exec.*install Docker/) as string,
    });
    await expect(bench.open()).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("install Docker") as string,
    });
  });

  test("that stops answering is given up at the deadline", async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(join(folder, "dead.sock"), resolve));
    await using bench = new Bench({
      engineHost: `unix://${folder}/dead.sock`,
      engineDeadlineMs: 200,
    });
    const silent = {
      code: "unavailable",
      message: expect.stringMatching(/engine did not answer .* within 200 ms/) as string,
    };
    await expect(bench.open()).rejects.toMatchObject(silent);
    await expect(bench.runtime.removeOrphans()).rejects.toMatchObject(silent);
    expect(await bench.runtime.probe()).toMatchObject({ available: false, reason: silent.message });
    server.close();
  });

  test("that lacks the wished OCI runtime is not used", async () => {
    await using bench = new Bench({ ociRuntime: "no-such-runtime" });
    await expect(bench.open()).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("no-such-runtime") as string,
    });
  });

  test.each(["tcp://192.0.2.1:2375", "ssh://-oProxyCommand=x", "http://x", "tcp://"])(
    "at %s is refused",
    async (engineHost) => {
      await using bench = new Bench();
      const runtime = createDockerRuntime({
        engineHost,
        runtimeFolder: bench.runtimeFolder,
        initPath,
        owner: bench.owner,
        timeoutMs: 1,
        outputBytes: 1,
      });
      await expect(runtime.removeOrphans()).rejects.toMatchObject({ code: "invalid_argument" });
    },
  );
});

test("cancelling while a sandbox is made leaves nothing, whenever it comes", async () => {
  await using bench = new Bench();
  for (const delay of [0, 10, 40, 90, 150, 220, 300]) {
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), delay);
    const made = await bench.runtime.create(bench.spec(), leaving.signal).catch((error: unknown) => error);
    if (made instanceof Error) expect(made).toMatchObject({ code: "cancelled" });
    else await (made as Sandbox).close();
  }
  await untilNoneOf(docker, bench.owner);
  expect(filesOf(bench.runtimeFolder)).toEqual([]);
});

test("an init that is not built: the error says what to run", async () => {
  await using bench = new Bench({ initPath: "/no/such/init" });
  await expect(bench.open()).rejects.toMatchObject({
    code: "failed_precondition",
    message: expect.stringContaining("make") as string,
  });
});

test("an init that cannot run: the error comes at once and says so", async () => {
  const folder = makeFolder("sp-bad-");
  writeFileSync(join(folder, "init"), "#!/bin/false\n");
  chmodSync(join(folder, "init"), 0o755);
  await using bench = new Bench({ initPath: join(folder, "init"), startDeadlineMs: 50_000 });
  await expect(bench.open()).rejects.toMatchObject({
    code: "failed_precondition",
    message: expect.stringContaining("init ended before it connected") as string,
  });
  await untilNoneOf(docker, bench.owner);
});

test("a scope that is /tmp itself takes the place of the sandbox's own", async () => {
  await using bench = new Bench();
  const sandbox = await bench.open({
    scopes: [...bench.spec().scopes, { root: path("/tmp"), access: "ro", lasts: "session" }],
  });
  expect((await run(sandbox, "touch /tmp/x || echo refused; touch x && echo written")).stdout).toBe(
    "refused\nwritten\n",
  );
});

test("more CPUs than the machine has are no error", async () => {
  await using bench = new Bench();
  const sandbox = await bench.open({ limits: { ...bench.spec().limits, cpus: 4096 } });
  expect((await run(sandbox, "echo fine")).stdout).toBe("fine\n");
});
