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
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WarmSandbox } from "../../../src/sandbox/warm-sandbox.ts";
import { ensureEngine, makeFolder, owner } from "../engine.ts";
import { Bench, finish, never, path, run, spawn, waitFor, type BenchKind } from "../harness.ts";
import { compileHostile } from "./image.ts";
import { kinds } from "./kinds.ts";

beforeAll(ensureEngine);

/** What a hostile command got; its last try is named where it did not come to its end. */
function succeeded(stdout: string): string[] {
  const lines = stdout.trim().split("\n");
  expect(lines.at(-1)).toMatch(/^vsock /);
  expect(lines).toContain("guards seen");
  return lines.filter((line) => line.endsWith(" SUCCEEDED"));
}

describe.each(kinds)("the runtime $name", (kind) => {
  const obstacle = kind.obstacle();
  if (obstacle !== undefined) {
    test.skip(`is not run here: ${obstacle}`, () => {});
    return;
  }
  let opened: BenchKind & AsyncDisposable;
  let bench: Bench;
  let sandbox: WarmSandbox;
  beforeAll(async () => {
    opened = await kind.open();
    bench = new Bench({}, opened);
    sandbox = await bench.open();
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
  });

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
      const data = Buffer.alloc(1024 * 1024 + 17, "0123456789abcdef");
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
        // `wait` ends when a trap has run.
        text: "stty size; trap 'stty size; echo resized' WINCH; sleep 1000 & echo ready; wait; read -r line; echo $line; sleep 1000",
        pty: { columns: 91, rows: 33 },
        stdin: true,
      });
      expect(await waitFor(process, "ready")).toContain("33 91");
      process.resize({ columns: 120, rows: 40 });
      expect(await waitFor(process, "resized")).toContain("40 120");
      await process.writeStdin(Buffer.from("typed\r"));
      await waitFor(process, "typed\r\ntyped");
      await process.writeStdin(Buffer.from([3]));
      expect((await finish(process)).exit).toMatchObject({ signal: 2 });
    });

    test("runs as the workspace's owner, with a name and a home", async () => {
      const { stdout } = await run(
        sandbox,
        "id -u; id -g; whoami 2>/dev/null || echo unnamed; cd; pwd; touch own; ls; echo $HOME",
      );
      expect(stdout).toBe(
        `${owner.uid}\n${owner.gid}\n${kind.named ? "sallyport" : "unnamed"}\n/home/agent\nown\n/home/agent\n`,
      );
      await run(sandbox, "echo x > written");
      const { uid, gid } = statSync(join(bench.workspace, "written"));
      expect({ uid, gid }).toEqual(owner);
    });

    test("has no capability, cannot gain any and is filtered", async () => {
      const { stdout } = await run(sandbox, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
      const sets = stdout.match(/^Cap\w+:\t(\w+)$/gm) ?? [];
      expect(sets.length).toBeGreaterThan(2);
      for (const set of sets) expect(set).toMatch(/:\t0{16}$/);
      // gVisor has neither line: nothing of the host's kernel is there to be filtered.
      if (kind.name !== "runsc") expect(stdout).toMatch(/NoNewPrivs:\t1\nSeccomp:\t2/);
    });

    test("writes nowhere but in its folders, /tmp, its home and shared memory", async () => {
      const { stdout } = await run(
        sandbox,
        "for f in / /etc /usr /usr/bin /bin /lib /var /var/tmp /run /home /root /opt /.sallyport /dev /sys /proc /sys/fs/cgroup; do touch $f/x 2>/dev/null && echo $f; done; touch x /tmp/x ~/x /dev/shm/x && echo own",
      );
      expect(stdout).toBe("own\n");
    });

    test("has no descriptor but its three, and nothing of the sidecar's environment", async () => {
      process.env["SIDECAR_SECRET"] = "do-not-leak";
      const { stdout } = await run(sandbox, "ls /proc/$$/fd; env; cat /proc/1/environ 2>/dev/null");
      expect(stdout).toMatch(/^0\n1\n2\n/);
      expect(stdout).not.toMatch(/^[3-9]\n/m);
      expect(stdout).not.toContain("do-not-leak");
      expect(stdout).toContain("https_proxy=http://127.0.0.1:3128\n");
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
      const reader = await bench.open();
      reader.onConnection((connection) => {
        void (async () => {
          const asked = await connection.read();
          await connection.write(Buffer.from(`you said ${Buffer.from(asked ?? []).toString()}`));
          connection.end();
        })();
      });
      const { stdout } = await run(reader, "exec 3<>/dev/tcp/127.0.0.1/3128; echo hello >&3; cat <&3");
      expect(stdout).toBe("you said hello\n");
    });
  });

  describe("a hostile command", () => {
    test("of the workspace's owner gets nothing that it must not have", async () => {
      const program = compileHostile(join(bench.workspace, "tools"));
      const { stdout } = await run(sandbox, { argv: [program] });
      expect(succeeded(stdout)).toEqual([]);
    });

    test("of root gets no more", async () => {
      const workspace = path(realpathSync(mkdtempSync(join(tmpdir(), "sp-root-"))));
      chmodSync(workspace, 0o755);
      if (process.getuid?.() !== 0) return;
      const program = compileHostile(workspace);
      const wish = { workspace, scopes: [{ root: workspace, access: "rw" as const, lasts: "session" as const }] };
      if (!kind.rootMayRun) {
        await expect(bench.open(wish)).rejects.toMatchObject({ code: "failed_precondition", field: "workspace" });
        return;
      }
      const { stdout } = await run(await bench.open(wish), { argv: [program] });
      expect(succeeded(stdout)).toEqual([]);
    });

    test("that sends every signal to init leaves it alive", async () => {
      const { stdout } = await run(sandbox, "for n in $(seq 1 64); do kill -$n 1 2>/dev/null; done; echo alive");
      expect(stdout).toBe("alive\n");
      expect((await run(sandbox, "echo still")).stdout).toBe("still\n");
    });
  });

  describe("mounts", () => {
    test("are read-only where they were granted so, also inside a writable one", async () => {
      const folder = makeFolder("sp-ro-");
      writeFileSync(join(folder, "file"), "content", { mode: 0o666 });
      mkdirSync(join(bench.workspace, "vendor"));
      chmodSync(join(bench.workspace, "vendor"), 0o777);
      const both = await bench.open({
        scopes: [
          { root: path(join(bench.workspace, "vendor")), access: "ro", lasts: "session" },
          { root: path(bench.workspace), access: "rw", lasts: "session" },
          { root: path(folder), access: "ro", lasts: "session" },
        ],
      });
      const { stdout } = await run(
        both,
        `cat ${folder}/file; (echo x > ${folder}/file || touch vendor/x || mv vendor v2) 2>/dev/null || echo refused; touch y && echo written`,
      );
      expect(stdout).toBe("contentrefused\nwritten\n");
    });

    test("show hidden folders and files empty and unwritable", async () => {
      const state = join(bench.workspace, "state");
      mkdirSync(state);
      chmodSync(state, 0o777);
      writeFileSync(join(state, "secret"), "hidden");
      writeFileSync(join(bench.workspace, "settings.env"), "KEY=hidden");
      chmodSync(join(bench.workspace, "settings.env"), 0o666);
      const masked = await bench.open({ hidden: [state, join(bench.workspace, "settings.env")].map(path) });
      const { stdout } = await run(
        masked,
        "ls -A state; cat settings.env state/secret; for c in 'touch state/x' 'rmdir state' 'mv state s2' 'rm -f settings.env' 'mv settings.env s2'; do $c && echo $c; done; echo x > settings.env",
      );
      expect(stdout).toBe("");
      expect(readFileSync(join(bench.workspace, "settings.env"), "utf8")).toBe("KEY=hidden");
      expect(readFileSync(join(state, "secret"), "utf8")).toBe("hidden");
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
        `ls -d ${bench.runtimeFolder} ${tmpdir()}/sp-* /root/* /home/* /run/*.sock /var/run/*.sock /etc/shadow /etc/sudoers /boot/* 2>/dev/null`,
      );
      const seen = stdout.split("\n").filter((line) => line !== "");
      expect(seen.filter((line) => ![bench.workspace, "/home/agent", "/etc/shadow"].includes(line))).toEqual([]);
    });
  });

  describe("an end", () => {
    test("takes the whole tree along, daemons too, and nothing of others", async () => {
      const other = await spawn(sandbox, { text: "echo ready; read -r line; exit 5", stdin: true });
      await waitFor(other, "ready");
      const tree = await spawn(sandbox, {
        text: "(setsid sleep 4242 & setsid bash -c 'trap \"\" TERM HUP; sleep 4243 & wait' &) ; sleep 4244 & echo started; wait",
      });
      await waitFor(tree, "started");
      await tree.kill();
      const { stdout } = await run(
        sandbox,
        "ps 2>/dev/null | grep -c '[s]leep 424'; ps -e -o args 2>/dev/null | grep -c '[s]leep 424'",
      );
      expect(stdout).toBe("0\n0\n");
      await other.writeStdin(Buffer.from("go\n"));
      expect((await finish(other)).exit.code).toBe(5);
    });

    test("comes though something keeps the output open", async () => {
      const { stdout, exit } = await run(sandbox, "echo out; sleep 1000 & exit 3");
      expect({ stdout, code: exit.code }).toEqual({ stdout: "out\n", code: 3 });
    });
  });

  describe("a limit", () => {
    test("on memory ends the command that is past it, and says so", async () => {
      const { limits } = bench.spec();
      const small = await bench.open({ limits: { ...limits, memoryBytes: 128 * 1024 * 1024 } });
      const { stdout, exit } = await run(
        small,
        "set -o pipefail; head -c 300000000 /dev/zero | tail -c 299999999 | wc -c",
      );
      expect(stdout).toBe("0\n");
      expect(exit.code).not.toBe(0);
      // Whatever gVisor's own kernel ends, the host's does not count.
      if (kind.name !== "runsc") expect(exit.limit).toBe("memory");
      expect((await run(await bench.open(), "echo fine")).stdout).toBe("fine\n");
    });

    test("on processes holds", async () => {
      const { limits } = bench.spec();
      const small = await bench.open({ limits: { ...limits, pids: 60 } });
      // Not bash, which waits before it tries again.
      const { stdout } = await run(small, {
        argv: ["sh", "-c", "n=0; while [ $n -lt 150 ]; do sleep 1000 & n=$((n+1)); echo $n; done"],
      });
      const made = Number(stdout.trim().split("\n").at(-1));
      expect(made).toBeGreaterThan(0);
      expect(made).toBeLessThan(61);
    });

    test("on /tmp holds", async () => {
      const { limits } = bench.spec();
      const small = await bench.open({ limits: { ...limits, tmpBytes: 2 * 1024 * 1024 } });
      const { stdout } = await run(small, "head -c 4000000 /dev/zero > /tmp/x || echo full; wc -c < /tmp/x");
      expect(stdout).toMatch(/^full\n/);
      expect(Number(stdout.split("\n")[1])).toBeLessThanOrEqual(2 * 1024 * 1024);
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
    await closing.close();
    await expect(finish(process)).rejects.toMatchObject({ code: "unavailable" });
    expect(await closing.gone).toBe("closed");
    await expect(spawn(closing, { text: "true" })).rejects.toMatchObject({ code: "unavailable" });
  });

  test("cancelling while a sandbox is made leaves nothing, whenever it comes", async () => {
    for (const delay of [0, 30, 120, 400]) {
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(), delay);
      const made = await bench.runtime.create(bench.spec(), leaving.signal).catch((error: unknown) => error);
      if (made instanceof Error) expect(made).toMatchObject({ code: "cancelled" });
      else await (made as WarmSandbox).close();
    }
    expect(
      await run(await bench.runtime.create(bench.spec(), never).then((last) => (void last.gone, last)), "echo on"),
    ).toMatchObject({ stdout: "on\n" });
  });
});
