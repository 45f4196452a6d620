import { fork } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { WarmSandbox } from "../../../src/sandbox/warm-sandbox.ts";
import { ensureEngine, makeFolder, owner } from "../engine.ts";
import { Bench, finish, path, run, spawn, waitFor } from "../harness.ts";
import { compileHostile } from "./image.ts";
import { kinds, makeRuntime, type Ready } from "./kinds.ts";

beforeAll(ensureEngine);

const mebibyte = 1024 * 1024;

/** Of gVisor's /proc anybody sees names and maps, init's environment is empty, and no device node reaches a device. */
const worthless = /^(open \/proc\/\d+\/(environ|maps|auxv)|readlink \/proc\/\d+\/fd\/\d+|mknod) /;

describe.each(kinds)("the runtime $name", (kind) => {
  const obstacle = kind.obstacle();
  if (obstacle !== undefined) {
    test.skip(`is not run here: ${obstacle}`, () => {});
    return;
  }
  let ready: Ready;
  let bench: Bench;
  let sandbox: WarmSandbox;
  beforeAll(async () => {
    ready = await kind.open();
    const { recipe } = ready;
    bench = new Bench({}, { make: (options) => makeRuntime(recipe, options), image: recipe.image });
    sandbox = await bench.open();
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
    await ready[Symbol.asyncDispose]();
  });
  // A command that stands still must not take the tests after it along.
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await sandbox.close();
    sandbox = await bench.open();
  });

  /** What a hostile command got that it must not have. */
  async function gets(target: WarmSandbox, program: string): Promise<string[]> {
    const { stdout } = await run(target, { argv: [program] });
    const lines = stdout.trim().split("\n");
    // It came to its end, and found whom to attack.
    expect(lines.at(-1)).toMatch(/^vsock /);
    expect(lines).toContain("guards seen");
    const got = lines.filter((line) => line.endsWith(" SUCCEEDED"));
    return kind.ownKernel ? got.filter((line) => !worthless.test(line)) : got;
  }

  test("says what it is and enforces what every sandbox needs", async () => {
    const features = await bench.runtime.probe();
    expect(features).toMatchObject({ available: true, reason: "", name: kind.name.split(" ")[0] });
    expect(features.version).toMatch(/^\d+\.\d+/);
    expect([...features.enforces].sort()).toEqual(
      ["cpu-limit", "memory-limit", "no-capabilities", "no-network", "pids-limit", "read-only-root", "seccomp"].sort(),
    );
  });

  describe("a command", () => {
    test("gives its output, its code and its use", async () => {
      const { stdout, stderr, exit } = await run(sandbox, "echo out; echo err >&2; exit 7");
      expect({ stdout, stderr }).toEqual({ stdout: "out\n", stderr: "err\n" });
      expect(exit).toMatchObject({ code: 7, signal: undefined, truncated: false });
    });

    test("that ends by a signal tells which", async () => {
      expect((await run(sandbox, "kill -TERM $$")).exit).toMatchObject({ code: undefined, signal: 15 });
    });

    test("gets its words byte for byte", async () => {
      const words = ["", " ", "$HOME", "*", "a\nb", "\r\n", "'", "--", "é"];
      const { stdout } = await run(sandbox, { argv: ["printf", "%s|", ...words] });
      expect(stdout).toBe(words.map((word) => `${word}|`).join(""));
    });

    test("sees end of file at once where nobody sends input, and input until it is half-closed", async () => {
      expect((await run(sandbox, { argv: ["cat"] })).exit.code).toBe(0);
      const process = await spawn(sandbox, { text: "read -r first; echo got $first; cat; echo end", stdin: true });
      await process.writeStdin(Buffer.from("one\n"));
      await waitFor(process, "got one");
      await process.writeStdin(Buffer.from("two"));
      process.closeStdin();
      expect((await finish(process)).stdout).toBe("twoend\n");
    });

    test("echoes a megabyte", async () => {
      const data = Buffer.alloc(mebibyte + 17, "0123456789abcdef");
      const process = await spawn(sandbox, { argv: ["cat"], stdin: true });
      const writing = (async () => {
        await process.writeStdin(data);
        process.closeStdin();
      })();
      const { stdout } = await finish(process);
      await writing;
      expect(Buffer.from(stdout).equals(data)).toBe(true);
    });

    test("has a terminal where it asks for one, with its size and its interrupt", async () => {
      const process = await spawn(sandbox, {
        text: "stty size; read -r line; stty size; echo $line; sleep 1000",
        pty: { columns: 91, rows: 33 },
        stdin: true,
      });
      expect(await waitFor(process, "\n")).toContain("33 91");
      process.resize({ columns: 120, rows: 40 });
      await process.writeStdin(Buffer.from("typed\r"));
      expect(await waitFor(process, "\r\ntyped")).toContain("40 120");
      await process.writeStdin(Buffer.from([3]));
      // Old gVisor's terminals pass it on as a character.
      if (kind.ownKernel) await process.kill();
      expect((await finish(process)).exit).toMatchObject({ signal: kind.ownKernel ? 9 : 2 });
    });

    test("runs as the workspace's owner, with a name and a home", async () => {
      const { stdout } = await run(
        sandbox,
        "id -u; id -g; whoami 2>/dev/null || echo unnamed; cd; pwd; touch own; ls; echo $HOME",
      );
      const name = kind.named ? "sallyport" : "unnamed";
      expect(stdout).toBe(`${owner.uid}\n${owner.gid}\n${name}\n/home/agent\nown\n/home/agent\n`);
      await run(sandbox, "echo x > written");
      const { uid, gid } = statSync(join(bench.workspace, "written"));
      expect({ uid, gid }).toEqual(owner);
    });

    test("has no capability, cannot gain any and is filtered", async () => {
      const { stdout } = await run(sandbox, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
      const sets = stdout.match(/^Cap\w+:\t(\w+)$/gm) ?? [];
      expect(sets.length).toBeGreaterThan(2);
      for (const set of sets) expect(set).toMatch(/:\t0{16}$/);
      // gVisor has neither line.
      if (!kind.ownKernel) expect(stdout).toMatch(/NoNewPrivs:\t1\nSeccomp:\t2/);
    });

    test("writes nowhere but in its folders, /tmp, its home and shared memory", async () => {
      const { stdout } = await run(
        sandbox,
        "for f in / /etc /usr /usr/bin /bin /lib /var /var/tmp /run /home /root /opt /.sallyport /dev /sys /proc /sys/fs/cgroup; do touch $f/x 2>/dev/null && echo $f; done; touch x /tmp/x ~/x /dev/shm/x && echo own",
      );
      expect(stdout).toBe("own\n");
    });

    test("has no descriptor but its three, may open them again, and sees nothing of the sidecar's environment", async () => {
      process.env["SIDECAR_SECRET"] = "do-not-leak";
      const { stdout } = await run(sandbox, "ls /proc/$$/fd; env; cat /proc/1/environ; echo again > /dev/stdout");
      expect(stdout).toMatch(/^0\n1\n2\n/);
      expect(stdout).not.toMatch(/^[3-9]\n/m);
      expect(stdout).not.toContain("do-not-leak");
      expect(stdout).toContain("https_proxy=http://127.0.0.1:3128\n");
      expect(stdout).toMatch(/again\n$/);
    });
  });

  describe("the network", () => {
    test("is a loopback interface that leads to nothing of the host's", async () => {
      const server = createServer((socket) => socket.end("host"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      const { stdout } = await run(
        sandbox,
        `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '
for to in 127.0.0.1/${port} 172.17.0.1/80 169.254.169.254/80 192.0.2.1/443; do (exec 3<>/dev/tcp/$to) 2>/dev/null && echo reached $to; done`,
      );
      server.close();
      expect(stdout).toBe("lo\n");
    });

    test("has the proxy's port, whose connections the sidecar gets", async () => {
      sandbox.onConnection((connection) => {
        void (async () => {
          const asked = await connection.read();
          await connection.write(Buffer.from(`you said ${Buffer.from(asked ?? []).toString()}`));
          connection.end();
        })();
      });
      const { stdout } = await run(sandbox, "exec 3<>/dev/tcp/127.0.0.1/3128; echo hello >&3; cat <&3");
      expect(stdout).toBe("you said hello\n");
    });
  });

  describe("a hostile command", () => {
    test("of the workspace's owner gets nothing that it must not have", async () => {
      expect(await gets(sandbox, compileHostile(join(bench.workspace, "tools")))).toEqual([]);
    });

    test.skipIf(process.getuid?.() !== 0)("of root gets no more", async () => {
      const workspace = path(realpathSync(mkdtempSync(join(tmpdir(), "sp-root-"))));
      chmodSync(workspace, 0o755);
      const program = compileHostile(workspace);
      const opening = bench.open({ workspace, scopes: [{ root: workspace, access: "rw", lasts: "session" }] });
      if (kind.ownKernel)
        await expect(opening).rejects.toMatchObject({ code: "failed_precondition", field: "workspace" });
      else expect(await gets(await opening, program)).toEqual([]);
    });

    test("that sends every signal to init leaves it alive", async () => {
      const { stdout } = await run(sandbox, "for n in $(seq 1 64); do kill -$n 1 2>/dev/null; done; echo alive");
      expect(stdout).toBe("alive\n");
      expect((await run(sandbox, "echo still")).stdout).toBe("still\n");
    });
  });

  describe("mounts", () => {
    const folder = makeFolder("sp-ro-");
    let arranged: WarmSandbox;
    beforeAll(async () => {
      const at = (name: string): string => join(bench.workspace, name);
      writeFileSync(join(folder, "file"), "content");
      chmodSync(join(folder, "file"), 0o666);
      for (const name of ["vendor", "state"]) {
        mkdirSync(at(name));
        chmodSync(at(name), 0o777);
      }
      writeFileSync(at("state/secret"), "hidden");
      writeFileSync(at("settings.env"), "KEY=hidden");
      chmodSync(at("settings.env"), 0o666);
      arranged = await bench.open({
        hidden: [at("state"), at("settings.env")].map(path),
        scopes: [
          { root: path(at("vendor")), access: "ro", lasts: "session" },
          { root: path(bench.workspace), access: "rw", lasts: "session" },
          { root: path(folder), access: "ro", lasts: "session" },
        ],
      });
    });

    test("are read-only where they were granted so, also inside a writable one", async () => {
      const { stdout } = await run(
        arranged,
        `cat ${folder}/file; (echo x > ${folder}/file || touch vendor/x || mv vendor v2) 2>/dev/null || echo refused; touch y && echo written`,
      );
      expect(stdout).toBe("contentrefused\nwritten\n");
    });

    test("show hidden folders and files empty and unwritable", async () => {
      const { stdout } = await run(
        arranged,
        "ls -A state; cat settings.env state/secret; for c in 'touch state/x' 'rmdir state' 'mv state s2' 'rm -f settings.env' 'mv settings.env s2'; do $c && echo $c; done; echo x > settings.env",
      );
      expect(stdout).toBe("");
      expect(readFileSync(join(bench.workspace, "settings.env"), "utf8")).toBe("KEY=hidden");
      expect(readFileSync(join(bench.workspace, "state/secret"), "utf8")).toBe("hidden");
    });

    test("are never of a folder that a link stands for since it was granted", async () => {
      const outside = makeFolder("sp-outside-");
      symlinkSync(outside, join(bench.workspace, "swapped"));
      const root = path(join(bench.workspace, "swapped"));
      const scopes = [...bench.spec().scopes, { root, access: "rw" as const, lasts: "session" as const }];
      await expect(bench.open({ scopes })).rejects.toMatchObject({ code: "failed_precondition", field: "scopes" });
    });

    test("show nothing of the machine's but what was granted", async () => {
      const { stdout } = await run(
        sandbox,
        `ls -d ${bench.runtimeFolder} ${tmpdir()}/sp-* /root/* /home/* /run/*.sock /var/run/*.sock /etc/sudoers /boot/* 2>/dev/null`,
      );
      const seen = stdout.split("\n").filter((line) => line !== "");
      expect(seen.filter((line) => ![bench.workspace, "/home/agent"].includes(line))).toEqual([]);
    });
  });

  describe("an end", () => {
    test("takes the whole tree along, daemons too, and nothing of others", async () => {
      const other = await spawn(sandbox, { text: "echo ready; read -r line; exit 5", stdin: true });
      await waitFor(other, "ready");
      const tree = await spawn(sandbox, {
        text: "(setsid bash -c 'trap \"\" TERM HUP; sleep 4243 & echo daemon; wait' &) ; sleep 4244 & wait",
      });
      await waitFor(tree, "daemon");
      await tree.kill();
      const { stdout } = await run(
        sandbox,
        "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done | grep '^sleep 424'",
      );
      expect(stdout).toBe("");
      await other.writeStdin(Buffer.from("go\n"));
      expect((await finish(other)).exit.code).toBe(5);
    });

    test("comes though something keeps the output open", async () => {
      const { stdout, exit } = await run(sandbox, "echo out; sleep 1000 & exit 3");
      expect({ stdout, code: exit.code }).toEqual({ stdout: "out\n", code: 3 });
    });
  });

  describe("a limit", () => {
    let small: WarmSandbox;
    beforeAll(async () => {
      const limits = { cpus: 1, memoryBytes: 160 * mebibyte, pids: 60, tmpBytes: 2 * mebibyte };
      small = await bench.open({ limits });
    });

    test("on /tmp holds", async () => {
      const { stdout } = await run(small, "head -c 4000000 /dev/zero > /tmp/x || echo full; wc -c < /tmp/x; rm /tmp/x");
      const [full, bytes] = stdout.split("\n");
      expect(full).toBe("full");
      expect(Number(bytes)).toBeLessThanOrEqual(2 * mebibyte);
    });

    // A kernel of its own counts its own threads of the machine, not processes.
    test.skipIf(kind.ownKernel)("on processes holds", async () => {
      // Not bash, which waits before it tries again.
      const { stdout } = await run(small, {
        argv: ["sh", "-c", "n=0; while [ $n -lt 150 ]; do sleep 1000 & n=$((n+1)); echo $n; done"],
      });
      const made = Number(stdout.trim().split("\n").at(-1));
      expect(made).toBeGreaterThan(0);
      expect(made).toBeLessThan(61);
    });

    test("on memory ends what is past it, and nothing of another sandbox", async () => {
      const hungry = run(small, "set -o pipefail; head -c 300000000 /dev/zero | tail -c 299999999 | wc -c");
      if (kind.ownKernel) await expect(hungry).rejects.toMatchObject({ code: "unavailable" });
      else expect(await hungry).toMatchObject({ stdout: "0\n", exit: { limit: "memory" } });
      expect((await run(sandbox, "echo fine")).stdout).toBe("fine\n");
    });
  });

  test("an image that is not there is named", async () => {
    await expect(bench.open({ image: "sallyport-test-missing:1" })).rejects.toMatchObject({
      code: "failed_precondition",
      field: "image",
    });
  });

  test("closing ends everything in it, and is told to those who wait", async () => {
    const closing = await bench.open();
    const process = await spawn(closing, { text: "echo ready; sleep 1000" });
    await waitFor(process, "ready");
    const before = await ready.count(bench);
    await closing.close();
    await expect(finish(process)).rejects.toMatchObject({ code: "unavailable" });
    expect(await closing.gone).toBe("closed");
    await expect(spawn(closing, { text: "true" })).rejects.toMatchObject({ code: "unavailable" });
    expect(await ready.count(bench)).toBe(before - 1);
  });

  test("cancelling while a sandbox is made leaves nothing, whenever it comes", async () => {
    const before = await ready.count(bench);
    for (const delay of [0, 60, 300]) {
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(), delay);
      const made = await bench.runtime.create(bench.spec(), leaving.signal).catch((error: unknown) => error);
      if (made instanceof Error) expect(made).toMatchObject({ code: "cancelled" });
      else await (made as WarmSandbox).close();
    }
    await until(async () => (await ready.count(bench)) === before);
  });

  test("a sidecar that is killed leaves nothing", async () => {
    await using other = new Bench({});
    const child = fork(join(import.meta.dirname, "sidecar-child.ts"));
    child.send({
      recipe: ready.recipe,
      owner: other.owner,
      runtimeFolder: other.runtimeFolder,
      workspace: other.workspace,
    });
    const [message] = (await once(child, "message")) as [unknown];
    expect(message).toBe("running");
    expect(await ready.count(other)).toBe(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until(async () => (await ready.count(other)) === 0);
  });
});

/** Asks until it is so; the test's timeout ends it. */
async function until(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 50));
}
