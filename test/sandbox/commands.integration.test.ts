import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Process } from "../../src/model/runtime.ts";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { busyboxImage, ensureEngine, owner } from "./engine.ts";
import { Bench, finish, path, run, spawn, waitFor } from "./harness.ts";

beforeAll(ensureEngine);

/** Both outputs, byte for byte. */
async function rawOutput(process: Process): Promise<{ stdout: Buffer; stderr: Buffer }> {
  const parts: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  for await (const event of process.events) if ("data" in event) parts[event.kind].push(event.data);
  return { stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr) };
}

describe.each(["socket", "attach"] as const)("commands over the %s carrier", (carrier) => {
  let bench: Bench;
  let sandbox: WarmSandbox;
  beforeAll(async () => {
    bench = new Bench({ carrier });
    sandbox = await bench.open();
  });
  afterAll(() => bench[Symbol.asyncDispose]());
  // A command that stands still must not take the tests after it along.
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await sandbox.close();
    sandbox = await bench.open();
  });

  test("give their output, their code and their use", async () => {
    const { stdout, stderr, exit } = await run(sandbox, "echo out; echo err >&2; exit 7");
    expect({ stdout, stderr }).toEqual({ stdout: "out\n", stderr: "err\n" });
    expect(exit).toMatchObject({ kind: "exit", code: 7, signal: undefined, truncated: false });
    expect(exit.usage.maxRssBytes).toBeGreaterThan(100_000);
    expect(exit.limit).toBeUndefined();
  });

  test("begin with exactly one started and end with exactly one exit", async () => {
    const kinds: string[] = [];
    for await (const event of (await spawn(sandbox, { text: "echo a; echo b" })).events) kinds.push(event.kind);
    expect(kinds[0]).toBe("started");
    expect(kinds.at(-1)).toBe("exit");
    expect(kinds.filter((kind) => kind === "started" || kind === "exit")).toHaveLength(2);
  });

  test("that end by a signal tell which", async () => {
    expect((await run(sandbox, "kill -TERM $$")).exit).toMatchObject({ code: undefined, signal: 15 });
  });

  test("get text byte for byte", async () => {
    const text = "printf '%s' \"$BASH_EXECUTION_STRING\" # \r\n\n\n \t é € \u{1f600} '\n\n";
    expect((await run(sandbox, text)).stdout).toBe(text);
    expect((await run(sandbox, "cat <<'E'\n\n a\r\n\n\nE\n")).stdout).toBe("\n a\r\n\n\n");
  });

  test("get an argument vector byte for byte, with no shell between", async () => {
    const words = ["", " ", "$HOME", "*", "a\nb", "\r\n", "'", "--", "é"];
    const { stdout } = await run(sandbox, { argv: ["printf", "%s|", ...words] });
    expect(stdout).toBe(words.map((word) => `${word}|`).join(""));
  });

  test("see end of file at once where nobody sends input", async () => {
    expect((await run(sandbox, { argv: ["cat"] })).exit.code).toBe(0);
  });

  test("read input until it is half-closed", async () => {
    const process = await spawn(sandbox, { text: "read -r first; echo got $first; cat; echo end", stdin: true });
    await process.writeStdin(Buffer.from("one\n"));
    expect(await waitFor(process, "got one")).toBe("got one\n");
    await process.writeStdin(Buffer.from("two"));
    process.closeStdin();
    expect((await finish(process)).stdout).toBe("twoend\n");
    await process.writeStdin(Buffer.from("too late"));
  });

  test("echo megabytes through standard input and output", async () => {
    const data = Buffer.alloc(4 * 1024 * 1024 + 17, "0123456789abcdef");
    const process = await spawn(sandbox, { argv: ["cat"], stdin: true });
    const writing = (async () => {
      for (let at = 0; at < data.length; at += 300_001) await process.writeStdin(data.subarray(at, at + 300_001));
      process.closeStdin();
    })();
    const { stdout } = await finish(process);
    await writing;
    expect(Buffer.from(stdout).equals(data)).toBe(true);
  });

  test("run where they are told, with the variables they are given", async () => {
    const { stdout } = await run(sandbox, {
      text: 'pwd; echo "$GREETING"',
      cwd: path("/usr/lib"),
      env: { GREETING: "hä\nllo" },
    });
    expect(stdout).toBe("/usr/lib\nhä\nllo\n");
  });

  test("pass every byte as it is, in and out, on both streams", async () => {
    const data = Buffer.concat(
      Array.from({ length: 300 }, (_, i) => Buffer.from(Uint8Array.from({ length: 256 }, (__, b) => b ^ i))),
    );
    const code =
      "import sys; d = sys.stdin.buffer.read(); sys.stderr.buffer.write(d[::-1]); sys.stdout.buffer.write(d)";
    const process = await spawn(sandbox, { argv: ["python3", "-c", code], stdin: true });
    const writing = process.writeStdin(data).then(() => process.closeStdin());
    const { stdout, stderr } = await rawOutput(process);
    await writing;
    expect(stdout.equals(data)).toBe(true);
    expect(stderr.equals(Buffer.from(data.toReversed()))).toBe(true);
  });

  test("of a raw terminal pass every byte as it is", async () => {
    const text =
      "stty raw -echo; echo ready; head -c 256; python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)))'";
    const process = await spawn(sandbox, { text, pty: { columns: 80, rows: 24 }, stdin: true });
    await waitFor(process, "ready\n");
    const all = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    await process.writeStdin(all);
    expect((await rawOutput(process)).stdout.equals(Buffer.concat([all, all]))).toBe(true);
  });

  test("of a terminal have job control", async () => {
    const process = await spawn(sandbox, {
      argv: ["bash", "--norc", "--noprofile", "-i"],
      pty: { columns: 200, rows: 24 },
      env: { PS1: "prompt> " },
      stdin: true,
    });
    let seen = await waitFor(process, "prompt> ");
    const type = async (keys: string, until: string): Promise<void> => {
      await process.writeStdin(Buffer.from(keys));
      seen += await waitFor(process, until);
    };
    // bash says which job it brings to the foreground before it does so, and until then Ctrl-Z and Ctrl-C are the shell's own:
    // fields 5 and 8 of /proc/PID/stat (proc(5)), the process's group and the terminal's, tell when.
    const inForeground = String.raw`^[0-9]+ \(sleep\) . [0-9]+ ([0-9]+) [0-9]+ [0-9]+ \1 `;
    const foreground = () =>
      run(sandbox, `until grep -qsE '${inForeground}' /proc/[0-9]*/stat; do read -rt 0.05 < <(:); done`);
    await type("sleep 1000\n", "sleep 1000\r\n");
    await foreground();
    await type("\x1a", "Stopped");
    await type("jobs\n", "[1]+  Stopped");
    await type("bg\n", "[1]+ sleep 1000 &");
    await type("fg\n", "sleep 1000\r\n");
    await foreground();
    await type("\x03", "prompt> ");
    await type("exit 4\n", "exit 4");
    expect((await finish(process)).exit.code).toBe(4);
    expect(seen).not.toContain("no job control");
  });

  test("of a terminal have one, of the given size, which can change", async () => {
    const text = "tty; stty size; trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done";
    const process = await spawn(sandbox, { text, pty: { columns: 101, rows: 33 } });
    expect(await waitFor(process, "ready")).toContain("/dev/pts/0\r\n33 101\r\n");
    process.resize({ columns: 77, rows: 11 });
    expect((await finish(process)).stdout).toContain("11 77");
  });

  test("of a terminal read a typed line and its end of file", async () => {
    const process = await spawn(sandbox, { argv: ["cat"], pty: { columns: 80, rows: 24 }, stdin: true });
    await process.writeStdin(Buffer.from("typed\n"));
    expect(await waitFor(process, "typed\r\ntyped\r\n")).toBe("typed\r\ntyped\r\n");
    process.closeStdin();
    expect((await finish(process)).exit.code).toBe(0);
  });

  test("of a terminal may let go of it and open it again, and are not hung up on", async () => {
    const code =
      "import os, time\nfor fd in (0, 1, 2): os.close(fd)\ntime.sleep(0.3)\nos.write(os.open('/dev/tty', os.O_RDWR), b'back')\ntime.sleep(0.3)\nos._exit(9)";
    const { stdout, exit } = await run(sandbox, { argv: ["python3", "-c", code], pty: { columns: 80, rows: 24 } });
    expect({ stdout, code: exit.code }).toEqual({ stdout: "back", code: 9 });
  });

  test("of a terminal that was let go of for a while are heard and obeyed on it again", async () => {
    const code = [
      "import os, time",
      "for fd in (0, 1, 2): os.close(fd)",
      "time.sleep(0.3)",
      "tty = os.open('/dev/tty', os.O_RDWR)",
      "time.sleep(0.3)",
      "os.write(tty, b'first')",
      "os.read(tty, 10)",
      "os.write(tty, b'second')",
    ].join("\n");
    const process = await spawn(sandbox, {
      argv: ["python3", "-c", code],
      pty: { columns: 80, rows: 24 },
      stdin: true,
    });
    await waitFor(process, "first");
    await process.writeStdin(Buffer.from("\n"));
    expect((await finish(process)).stdout).toContain("second");
  });

  test("of a terminal get Ctrl-C as an interrupt", async () => {
    const process = await spawn(sandbox, {
      text: "echo ready; sleep 1000",
      pty: { columns: 80, rows: 24 },
      stdin: true,
    });
    await waitFor(process, "ready");
    await process.writeStdin(Buffer.from([3]));
    expect((await finish(process)).exit).toMatchObject({ signal: 2 });
  });

  test("get signals with their whole group", async () => {
    const process = await spawn(sandbox, {
      text: "trap 'echo caught' USR1; (trap 'echo child; exit' USR1; echo ready; while :; do sleep 0.01; done) & while ! wait; do :; done",
    });
    await waitFor(process, "ready");
    process.signal(10);
    expect((await finish(process)).stdout.split("\n").filter(Boolean).sort()).toEqual(["caught", "child"]);
  });

  test("leave files that belong to the workspace's owner", async () => {
    await run(sandbox, "echo kept > file; mkdir folder; umask > mask");
    const file = join(bench.workspace, "file");
    expect(readFileSync(file, "utf8")).toBe("kept\n");
    expect({ uid: statSync(file).uid, gid: statSync(file).gid }).toEqual(owner);
    expect(readFileSync(join(bench.workspace, "mask"), "utf8")).toBe("0022\n");
  });

  test("run side by side", async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, async (_, index) =>
        run(sandbox, { argv: ["sh", "-c", `echo ${index}; exit ${index}`] }),
      ),
    );
    expect(results.map((result) => [result.stdout, result.exit.code])).toEqual(
      results.map((_, index) => [`${index}\n`, index]),
    );
  });
});

describe("what cannot start says why", () => {
  let bench: Bench;
  let sandbox: WarmSandbox;
  beforeAll(async () => {
    bench = new Bench();
    sandbox = await bench.open();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test.each([
    ["an unknown program", { argv: ["no-such-program"] as const }, "not_found", /command: no such program/],
    ["a path that leads nowhere", { argv: ["/no/such"] as const }, "not_found", /command: no such program/],
    ["an empty name", { argv: [""] as const }, "not_found", /command/],
    ["a folder as program", { argv: ["/usr"] as const }, "failed_precondition", /not executable/],
    ["a file that is no program", { argv: ["/etc/passwd"] as const }, "failed_precondition", /not executable/],
    ["a missing working folder", { text: "true", cwd: path("/no/such") }, "not_found", /cwd/],
    [
      "a file as working folder",
      { text: "true", cwd: path("/etc/passwd") },
      "failed_precondition",
      /cwd: not a folder/,
    ],
    ["a NUL", { text: "echo a\0b" }, "invalid_argument", /NUL/],
    ["half a surrogate pair", { text: "echo \ud800" }, "invalid_argument", /surrogate/],
    ["text that the kernel takes for too long", { text: `: ${"x".repeat(140_000)}` }, "invalid_argument", /too long/],
    [
      "more than a frame holds",
      {
        argv: [
          "echo",
          ..."y"
            .repeat(20)
            .split("")
            .map((c) => c.repeat(100_000)),
        ] as [string, ...string[]],
      },
      "invalid_argument",
      /command/,
    ],
    ["a bad variable name", { text: "true", env: { "A B": "1" } }, "invalid_argument", /env/],
  ])("%s", async (_name, wish, code, message) => {
    await expect(spawn(sandbox, wish)).rejects.toMatchObject({
      name: "Problem",
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  test("and a script without a #! line is not handed to any shell", async () => {
    await run(sandbox, "printf 'echo ran\\n' > script; chmod +x script");
    await expect(spawn(sandbox, { argv: ["./script"] })).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("#!") as string,
    });
  });

  test("and the sandbox still works afterwards", async () => {
    expect((await run(sandbox, "echo fine")).stdout).toBe("fine\n");
  });

  test("shell text where there is no bash, while argv works", async () => {
    const small = await bench.open({ image: busyboxImage });
    await expect(spawn(small, { text: "true" })).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("no /bin/bash") as string,
    });
    expect((await run(small, { argv: ["echo", "argv"] })).stdout).toBe("argv\n");
  });

  test("PowerShell", async () => {
    const { session, scopes, workspace } = sandbox.spec;
    const { Permit } = await import("../../src/model/permit.ts");
    const { permit } = await import("./harness.ts");
    const made = Permit.redeem(permit({ ...sandbox.spec, session, scopes, workspace }, {}), "exec");
    const forPowerShell = Permit.issue(
      { ...made, command: { kind: "shell" as const, shell: "powershell" as const, text: "dir" } },
      permit(sandbox.spec, {}).entry,
    );
    await expect(sandbox.spawn(forPowerShell, new AbortController().signal)).rejects.toMatchObject({
      code: "failed_precondition",
      field: "command.shell",
    });
  });
});
