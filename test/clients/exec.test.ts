import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { ExecService } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { SessionsService, type SessionsServiceOpenRequest } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { eventually } from "./support/eventually.ts";
import { cliEntry, jsonLines, runCli, startCli } from "./support/run-cli.ts";
import { scriptedRun, sudoDenial, type ExecLog } from "./support/scripted-exec.ts";
import { startFromShell } from "./support/terminal.ts";
import { mount, startTestServer, type TestServer } from "./support/test-server.ts";

const log: ExecLog = { starts: [], steps: [], cancelled: 0 };
const opens: SessionsServiceOpenRequest[] = [];
const updates: [string, Mode][] = [];
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer(
    mount(ExecService, { run: scriptedRun(log) }),
    mount(SessionsService, {
      open(request) {
        opens.push(request);
        return { session: { id: `session of ${request.key}`, mode: Mode.ASK } };
      },
      update(request) {
        updates.push([request.sessionId, request.mode]);
        return {};
      },
    }),
  );
});
afterAll(() => server.close());
beforeEach(() => {
  log.starts.length = 0;
  log.steps.length = 0;
  log.cancelled = 0;
  opens.length = 0;
  updates.length = 0;
});

function exec(...args: string[]) {
  return runCli(["exec", "--socket", server.socket, ...args]);
}

describe("exit codes", () => {
  test.each([
    [["exit", "0"], 0],
    [["exit", "37"], 37],
    [["killed"], 137],
    [["sudo", "-n", "true"], 126],
    [["missing"], 127],
    [["nosession"], 125],
    [["broken"], 125],
  ])("%j exits %i", async (words, code) => {
    expect((await exec("--", ...words)).code).toBe(code);
  });

  test("no server is 125 and says what to do; bad usage is 2", async () => {
    const none = await runCli(["exec", "--socket", "/nonexistent/s.sock", "true"]);
    expect(none.code).toBe(125);
    expect(none.err).toContain("cannot reach the server at /nonexistent/s.sock");
    expect(none.err).toContain("sallyport serve");
    for (const args of [
      [],
      ["-c", "x", "--", "y"],
      ["--bogus"],
      ["--timeout", "soon", "x"],
      ["--address", "a:1", "x"],
      ["-e", "=x", "x"],
    ])
      expect([args, (await exec(...args)).code]).toEqual([args, 2]);
    expect(log.starts).toEqual([]);
  });

  test.each([
    [
      "exit 0",
      `sallyport: 'exit 0' is taken for the name of one program; as shell text it runs with sallyport exec -c 'exit 0'\n`,
    ],
    [
      "it's|x",
      String.raw`sallyport: 'it'\''s|x' is taken for the name of one program; as shell text it runs with sallyport exec -c 'it'\''s|x'`,
    ],
  ])("a whole text as one word, %s, is told how it would run as text", async (text, hint) => {
    expect((await exec(text)).err).toContain(hint);
    expect((await exec("--", "exit", "0")).err).toBe("");
  });

  test("a limit and a cut are noted on stderr", async () => {
    const { err } = await exec("killed");
    expect(err).toBe("sallyport: output was cut at its limit\nsallyport: ended by the timeout limit\n");
  });
});

describe("a refusal", () => {
  test("is a readable block on stderr, safe for a terminal, and nothing on stdout", async () => {
    const { out, err } = await exec("--", "sudo", "-n", "true");
    expect(out).toBe("");
    expect(err.split("\n")).toEqual([
      "sallyport: refused",
      "  effect   run sudo -n true",
      "  rule     blocklist.sudo",
      "  source   hardcoded",
      "  because  root is not for agents\\u{1b}[2J",
      "  missing  nothing lifts this",
      "  next     run it yourself",
      "",
    ]);
  });

  test("is the last JSON line with --json, and does not eat the caller's input", async () => {
    const { code, out, err } = await exec("--json", "sudo");
    expect([code, err]).toEqual([126, ""]);
    expect(jsonLines(out)).toEqual([
      { error: { code: "permission_denied", message: "refused", denial: { ...sudoDenial, entryId: "" } } },
    ]);
    expect(out).not.toContain("\u001b");
  });
});

describe("streams", () => {
  test("stdout and stderr are byte-exact", async () => {
    const { code, stdout, err } = await exec("bytes");
    expect(code).toBe(0);
    expect(stdout.equals(Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)))).toBe(true);
    expect(err).toBe("to stderr\n");
  });

  test("stdin is forwarded whole and half-closed", async () => {
    const input = Buffer.alloc(3_000_000, "0123456789abcdef");
    const { code, stdout } = await runCli(["exec", "--socket", server.socket, "cat"], input);
    expect(code).toBe(0);
    expect(stdout.equals(input)).toBe(true);
    expect(log.steps).toEqual(["closeStdin"]);
    expect(log.starts[0]?.stdin).toBe(true);
  });

  test("a command that ends while its stdin stays open ends the CLI", async () => {
    const { child, ended } = startCli(["exec", "--socket", server.socket, "exit", "5"]);
    expect((await ended).code).toBe(5);
    child.stdin.end();
  });

  test("-n forwards nothing", async () => {
    await runCli(["exec", "--socket", server.socket, "-n", "exit", "0"], "secret");
    expect(log.starts[0]?.stdin).toBe(false);
  });

  test("--json gives one object an event, bytes as base64", async () => {
    const { out } = await exec("--json", "bytes");
    expect(jsonLines(out)).toEqual([
      { event: "started", pid: 42, entryId: "e-9" },
      { event: "stdout", data: Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)).toString("base64") },
      { event: "stderr", data: Buffer.from("to stderr\n").toString("base64") },
      {
        event: "exit",
        code: 0,
        signal: null,
        durationMs: 12,
        truncated: false,
        limit: "",
        hint: "",
        usage: { userMicros: 0, systemMicros: 0, maxRssBytes: 0 },
      },
    ]);
  });

  test("a reader that goes away ends the command quietly", async () => {
    const { child, ended } = startCli(["exec", "--socket", server.socket, "yes"]);
    await once(child.stdout, "data");
    (child.stdout as unknown as { destroy(): void }).destroy();
    const result = await ended;
    expect(result.code).toBe(141);
    await eventually(() => log.cancelled).toBe(1);
  });
});

describe("interrupts", () => {
  test("Ctrl-C reaches the command and its end is passed through", async () => {
    const { child, ended } = startCli(["exec", "--socket", server.socket, "--json", "sleep", "99"]);
    await once(child.stdout, "data");
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(log.steps).toEqual(["signal 2"]);
  });

  test("a command that ignores Ctrl-C is cancelled after the grace", async () => {
    const { child, ended } = startCli(["exec", "--socket", server.socket, "--json", "stubborn"]);
    await once(child.stdout, "data");
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(log.steps[0]).toBe("signal 2");
    await eventually(() => log.cancelled).toBe(1);
  });

  test("a second Ctrl-C leaves at once, SIGTERM cancels, and the server sees the call end", async () => {
    const twice = startCli(["exec", "--socket", server.socket, "--json", "stubborn"]);
    await once(twice.child.stdout, "data");
    twice.child.kill("SIGINT");
    await eventually(() => log.steps).toEqual(["signal 2"]);
    twice.child.kill("SIGINT");
    expect((await twice.ended).code).toBe(130);
    await eventually(() => log.cancelled).toBe(1);
    const terminated = startCli(["exec", "--socket", server.socket, "--json", "stubborn"]);
    await once(terminated.child.stdout, "data");
    terminated.child.kill("SIGTERM");
    expect((await terminated.ended).code).toBe(143);
    await eventually(() => log.cancelled).toBe(2);
  });

  test("Ctrl-C while a person is asked withdraws the request", async () => {
    const { child, ended } = startCli(["exec", "--socket", server.socket, "asked"]);
    await eventually(() => log.starts.length).toBe(1);
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    await eventually(() => log.cancelled).toBe(1);
  });
});

describe("on a terminal", () => {
  test("-t hands the terminal over: keys as they are, size changes, the exit code, and gives it back", async () => {
    const terminal = startFromShell([cliEntry, "exec", "--socket", server.socket, "-t", "tty"]);
    await eventually(() => log.starts.length).toBe(1);
    expect(log.starts[0]).toMatchObject({ stdin: true, pty: { columns: 100, rows: 40 } });
    // The terminal is handed over before the command's first output, so Ctrl-C is a key like any other now.
    await terminal.shows("ready");
    terminal.press("hello\u0003\u001a\r");
    await terminal.shows("hello");
    await eventually(terminal.raw).toContain("hello\u0003\u001a\r");
    terminal.pty.resize(77, 33);
    await terminal.shows("size 77x33");
    terminal.press("\u0004");
    await terminal.shows("[code 0]");
    await terminal.shows("[end]");
    expect(terminal.screen()).toMatch(/(?<!-)icanon/);
    expect(log.steps).toContain("resize");
    expect(log.steps).not.toContain("signal 2");
    await terminal.exited;
  });

  test("-t gives the terminal back when the server breaks off", async () => {
    const broken = startFromShell([cliEntry, "exec", "--socket", server.socket, "-t", "ttybroken"]);
    await broken.shows("[code 125]");
    await broken.shows("[end]");
    expect(broken.screen()).toMatch(/(?<!-)icanon/);
    await broken.exited;
  });

  test("Ctrl-C without -t interrupts the command; from a terminal nothing is forwarded unless -i", async () => {
    const terminal = startFromShell([cliEntry, "exec", "--socket", server.socket, "sleep", "99"]);
    await eventually(() => log.starts.length).toBe(1);
    expect(log.starts[0]?.stdin).toBe(false);
    terminal.press("\u0003");
    await terminal.shows("[code 130]");
    await terminal.exited;
    const interactive = startFromShell([cliEntry, "exec", "--socket", server.socket, "-i", "cat"]);
    await eventually(() => log.starts.length).toBe(2);
    expect(log.starts[1]).toMatchObject({ stdin: true });
    interactive.press("line\r\u0004");
    await interactive.shows("[code 0]");
    await interactive.exited;
  });
});

describe("what is asked for", () => {
  test("argv after -- or without it, shell text, folder, variables, limits", async () => {
    await exec("--", "exit", "0", "--json", "-c");
    await exec("exit", "0", "--json");
    await exec("-c", "exit 0", "-C", "sub", "-e", "A=1", "-e", "B=x=y", "--timeout", "90s", "--max-output", "1000");
    expect(log.starts.map((start) => start.command?.form)).toMatchObject([
      { case: "argv", value: { words: ["exit", "0", "--json", "-c"] } },
      { case: "argv", value: { words: ["exit", "0", "--json"] } },
      { case: "shell", value: "exit 0" },
    ]);
    expect(log.starts[2]).toMatchObject({
      sessionId: "",
      cwd: resolve("sub"),
      env: { A: "1", B: "x=y" },
      timeoutMs: 90_000,
      maxOutputBytes: 1000n,
    });
  });

  test("the session: none, a named one, or the session `cli` of a folder with a mode", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-cli-"));
    await exec("exit", "0");
    await exec("--session", "abc", "exit", "0");
    expect(opens).toEqual([]);
    await exec("--workspace", folder, "--mode", "supervised", "exit", "0");
    expect(log.starts.map((start) => start.sessionId)).toEqual(["", "abc", "session of cli"]);
    expect(opens).toMatchObject([{ workspace: folder, key: "cli", mode: Mode.SUPERVISED }]);
    expect(updates).toEqual([["session of cli", Mode.SUPERVISED]]);
    expect((await exec("--session", "abc", "--mode", "ask", "exit", "0")).code).toBe(2);
    await rm(folder, { recursive: true });
  });
});
