import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AuditFilterSchema } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { RuleSchema } from "../../src/gen/sallyport/v1/common_pb.ts";
import {
  DisconnectPolicy,
  CommandSchema,
  type ExecStart,
  ExecStartSchema,
} from "../../src/gen/sallyport/v1/exec_pb.ts";
import { FetchSpecSchema } from "../../src/gen/sallyport/v1/fetch_pb.ts";
import {
  FilesServiceListRequestSchema,
  CopyRequestSchema,
  MakeDirectoryRequestSchema,
  MoveRequestSchema,
  ReadRequestSchema,
  RemoveRequestSchema,
  WriteStartSchema,
} from "../../src/gen/sallyport/v1/files_pb.ts";
import { CheckSubjectSchema } from "../../src/gen/sallyport/v1/policy_pb.ts";
import {
  AuthorizeRequestSchema,
  RevokeStandingRequestSchema,
  SessionsServiceOpenRequestSchema,
  SessionsServiceUpdateRequestSchema,
} from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { Problem } from "../../src/model/problem.ts";
import { parseChannel } from "../../src/model/subject.ts";
import { decodeAuditFilter } from "../../src/server/decode/audit-filter.ts";
import { decodeCheckSubject } from "../../src/server/decode/check-subject.ts";
import { decodeExecStart, decodeRunToEnd } from "../../src/server/decode/exec-start.ts";
import { decodeFetchSpec } from "../../src/server/decode/fetch-spec.ts";
import { decodeList, decodePart, decodeRead, decodeWriteStart } from "../../src/server/decode/file-requests.ts";
import { decodeNewRule } from "../../src/server/decode/rule.ts";
import {
  decodeAuthorize,
  decodeOpen,
  decodeRevokeStanding,
  decodeUpdate,
} from "../../src/server/decode/session-requests.ts";
import { sure } from "./open-server.ts";

const workspace = sure(parseAbsolutePath("/work/space"));
const channel = sure(parseChannel("socket"));

/** `field: reason` of what a decoder refuses, or what it made. */
function outcome(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_argument") throw error;
    expect(error.message.startsWith(`${sure(error.field)}: `)).toBe(true);
    return error.message;
  }
}

const shell = { form: { case: "shell" as const, value: "ls" } };
const argv = (...words: string[]) => ({ form: { case: "argv" as const, value: { words } } });

describe("decoding a command", () => {
  const home = {
    workspace,
    limits: { memoryBytes: 1000, cpus: 1, pids: 10, tmpBytes: 1, openFiles: 64, fileBytes: 5000 },
  };
  const start = (more: object): ExecStart => create(ExecStartSchema, { command: shell, ...more });
  const decode = (more: object) => outcome(() => decodeExecStart("start", start(more), home));

  it("fills in what is left out", () => {
    expect(decode({})).toEqual({
      kind: "exec",
      command: { kind: "shell", shell: "bash", text: "ls" },
      cwd: "/work/space",
      env: {},
      stdin: false,
      background: false,
      limits: { timeoutMs: 0, outputBytes: 0 },
    });
    expect(
      decode({
        command: argv("ls", ""),
        cwd: "/a/./b/../c",
        env: { A_1: "x\ny", __proto__x: "" },
        stdin: true,
        pty: { columns: 1, rows: 4096 },
        background: true,
        onDisconnect: DisconnectPolicy.KEEP,
        timeoutMs: 86_400_000,
        idleTimeoutMs: 86_400_000,
        graceMs: 0,
        maxOutputBytes: 5n,
        endAtMaxOutput: true,
        limits: { memoryBytes: 1000n, cpuMs: 7, pids: 10, openFiles: 64, fileBytes: 5000n },
      }),
    ).toEqual({
      kind: "exec",
      command: { kind: "argv", argv: ["ls", ""] },
      cwd: "/a/c",
      env: { A_1: "x\ny", __proto__x: "" },
      stdin: true,
      background: true,
      keep: true,
      pty: { columns: 1, rows: 4096 },
      limits: {
        timeoutMs: 86_400_000,
        idleMs: 86_400_000,
        graceMs: 0,
        outputBytes: 5,
        endAtOutput: true,
        memoryBytes: 1000,
        cpuMs: 7,
        pids: 10,
        openFiles: 64,
        fileBytes: 5000,
      },
    });
    expect(decode({ onDisconnect: DisconnectPolicy.KILL, limits: {} })).toEqual(decode({}));
  });

  it.each<[string, object, string]>([
    ["no command", { command: undefined }, "start.command: must be set"],
    ["an empty one", { command: {} }, "start.command: must hold shell or argv"],
    ["empty text", { command: { form: { case: "shell", value: "" } } }, "start.command.shell: holds no command"],
    ["blank text", { command: { form: { case: "shell", value: " \n\t" } } }, "start.command.shell: holds no command"],
    [
      "NUL in it",
      { command: { form: { case: "shell", value: "a\0b" } } },
      "start.command.shell: holds a NUL character",
    ],
    [
      "half a pair in it",
      { command: { form: { case: "shell", value: "a\ud800" } } },
      "start.command.shell: holds half of a surrogate pair",
    ],
    [
      "too long text",
      { command: { form: { case: "shell", value: "a".repeat(32_769) } } },
      "start.command.shell: longer than 32768 UTF-16 units",
    ],
    ["no words", { command: argv() }, "start.command.argv.words: the program must be set"],
    ["an empty program", { command: argv("", "a") }, "start.command.argv.words: the program must be set"],
    ["NUL in a word", { command: argv("a", "b\0") }, "start.command.argv.words[1]: holds a NUL character"],
    [
      "too many words",
      { command: argv(...Array.from({ length: 4097 }, () => "a")) },
      "start.command.argv.words: more than 4096 words",
    ],
    [
      "too many bytes of words",
      { command: argv("a", "ü".repeat(40_000), "ü".repeat(40_000)) },
      "start.command.argv.words: more than 131072 bytes together",
    ],
    ["a relative folder", { cwd: "a" }, "start.cwd: must be an absolute path"],
    ["a folder of dots", { cwd: "./" }, "start.cwd: must be an absolute path"],
    ["NUL in the folder", { cwd: "/a\0" }, "start.cwd: holds a NUL character"],
    ["too long a folder", { cwd: `/${"a".repeat(4095)}` }, "start.cwd: longer than 4095 bytes"],
    ["a variable's name with =", { env: { "A=B": "c" } }, 'start.env: "A=B" is no name of letters, digits and `_`'],
    ["an empty one", { env: { "": "c" } }, 'start.env: "" is no name of letters, digits and `_`'],
    ["one with a line end", { env: { "A\n": "c" } }, 'start.env: "A\\n" is no name of letters, digits and `_`'],
    ["one beyond ASCII", { env: { Ä: "c" } }, 'start.env: "Ä" is no name of letters, digits and `_`'],
    [
      "a function for bash",
      { env: { "BASH_FUNC_x%%": "c" } },
      'start.env: "BASH_FUNC_x%%" is no name of letters, digits and `_`',
    ],
    ["NUL in a value", { env: { A: "\0" } }, "start.env[A]: holds a NUL character"],
    ["too long a value", { env: { A: "a".repeat(32_769) } }, "start.env[A]: longer than 32768 bytes"],
    [
      "too many variables",
      { env: Object.fromEntries(Array.from({ length: 257 }, (_value, index) => [`A${index}`, ""])) },
      "start.env: more than 256 variables",
    ],
    ["a terminal without columns", { pty: { rows: 1 } }, "start.pty.columns: 0 is not between 1 and 4096"],
    ["one without rows", { pty: { columns: 1 } }, "start.pty.rows: 0 is not between 1 and 4096"],
    ["one that is too wide", { pty: { columns: 4097, rows: 1 } }, "start.pty.columns: 4097 is not between 1 and 4096"],
    ["too long a time", { timeoutMs: 86_400_001 }, "start.timeout_ms: 86400001 is not between 0 and 86400000"],
    [
      "too long a silence",
      { idleTimeoutMs: 86_400_001 },
      "start.idle_timeout_ms: 86400001 is not between 0 and 86400000",
    ],
    ["too long a grace", { graceMs: 60_001 }, "start.grace_ms: 60001 is not between 0 and 60000"],
    ["an unknown policy", { onDisconnect: 3 }, "start.on_disconnect: 3 is no known value"],
    [
      "more memory than the session has",
      { limits: { memoryBytes: 1001n } },
      "start.limits.memory_bytes: 1001 is above the session's limit of 1000",
    ],
    ["more processes", { limits: { pids: 11 } }, "start.limits.pids: 11 is above the session's limit of 10"],
    [
      "more open files",
      { limits: { openFiles: 65 } },
      "start.limits.open_files: 65 is above the session's limit of 64",
    ],
    [
      "larger files",
      { limits: { fileBytes: 2n ** 64n - 1n } },
      "start.limits.file_bytes: 18446744073709551615 is more than 9007199254740991",
    ],
    [
      "too much output",
      { maxOutputBytes: 2n ** 64n - 1n },
      "start.max_output_bytes: 18446744073709551615 is more than 9007199254740991",
    ],
  ])("refuses %s", (_name, more, message) => {
    expect(decode(more)).toBe(message);
  });

  it("holds an environment's name that objects have a meaning for", () => {
    const env: Record<string, string> = {};
    Object.defineProperty(env, "__proto__", { value: "x", enumerable: true });
    expect(JSON.stringify(decode({ env }))).toContain('"__proto__":"x"');
  });

  it("takes no part of a stream for one that returns all at once, and caps its output", () => {
    const decodeEnd = (more: object) => outcome(() => decodeRunToEnd("start", start(more), home, 100));
    expect(decodeEnd({ stdin: true })).toBe("start.stdin: must be unset: use Run");
    expect(decodeEnd({ pty: { columns: 1, rows: 1 } })).toBe("start.pty: must be unset: use Run");
    expect(decodeEnd({ background: true })).toBe("start.background: must be unset: use Run");
    expect(decodeEnd({ onDisconnect: DisconnectPolicy.KEEP })).toBe("start.on_disconnect: must be unset: use Run");
    expect(decodeEnd({})).toMatchObject({ limits: { outputBytes: 100 } });
    expect(decodeEnd({ maxOutputBytes: 5n })).toMatchObject({ limits: { outputBytes: 5 } });
    expect(decodeEnd({ maxOutputBytes: 500n })).toMatchObject({ limits: { outputBytes: 100 } });
  });
});

describe("decoding a fetch", () => {
  const url = "https://example.com/a";
  const decode = (more: object) => outcome(() => decodeFetchSpec("spec", create(FetchSpecSchema, { url, ...more })));
  const headers = (...names: string[]) => ({ headers: names.map((name) => ({ name, value: "v" })) });

  it("fills in what is left out, and copies the body", () => {
    expect(decode({})).toEqual({
      kind: "fetch",
      url,
      method: "GET",
      headers: [],
      body: undefined,
      maxBytes: 1_048_576,
      timeoutMs: 30_000,
      hop: 0,
    });
    const body = Buffer.from("abc");
    const decoded = decode({ body, method: "POST", headers: [{ name: "X-A", value: "a\tü" }] });
    body.fill(0);
    expect(decoded).toMatchObject({ method: "POST", headers: [["X-A", "a\tü"]], body: new Uint8Array([97, 98, 99]) });
  });

  it.each<[string, object, string]>([
    ["no URL", { url: "" }, "spec.url: must be set"],
    ["a relative one", { url: "/a" }, "spec.url: is no absolute URL"],
    ["another scheme", { url: "file:///etc/passwd" }, "spec.url: must be http or https"],
    ["a user name", { url: "https://me@example.com/" }, "spec.url: must hold no user name and no password"],
    ["a password", { url: "https://:x@example.com/" }, "spec.url: must hold no user name and no password"],
    ["a line end in it", { url: "https://a\n.com/" }, "spec.url: holds a blank or a control character"],
    ["a blank before it", { url: " https://a.com/" }, "spec.url: holds a blank or a control character"],
    ["NUL in it", { url: "https://a.com/\0" }, "spec.url: holds a NUL character"],
    ["too long a one", { url: `https://a.com/${"a".repeat(8192)}` }, "spec.url: longer than 8192 bytes"],
    [
      "an unknown method",
      { method: "CONNECT" },
      "spec.method: must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    ],
    [
      "a method in small letters",
      { method: "get" },
      "spec.method: must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    ],
    [
      "too many headers",
      headers(...Array.from({ length: 65 }, (_v, index) => `a${index}`)),
      "spec.headers: more than 64",
    ],
    ["an empty header", headers(""), "spec.headers[0].name: must be set"],
    ["a header with a colon", headers("ok", "a:b"), "spec.headers[1].name: is no field name"],
    ["Host", headers("HOST"), "spec.headers[0].name: HOST is not the caller's to set"],
    ["a hop-by-hop header", headers("Connection"), "spec.headers[0].name: Connection is not the caller's to set"],
    [
      "a proxy's header",
      headers("proxy-authorization"),
      "spec.headers[0].name: proxy-authorization is not the caller's to set",
    ],
    [
      "a line end in a value",
      { headers: [{ name: "a", value: "b\r\nc: d" }] },
      "spec.headers[0].value: holds a control character or one beyond Latin-1",
    ],
    ["NUL in a value", { headers: [{ name: "a", value: "\0" }] }, "spec.headers[0].value: holds a NUL character"],
    [
      "too long a value",
      { headers: [{ name: "a", value: "b".repeat(4097) }] },
      "spec.headers[0].value: longer than 4096 bytes",
    ],
    ["too large a body", { body: new Uint8Array(4_194_305) }, "spec.body: longer than 4194304 bytes"],
    ["too large an answer", { maxBytes: 67_108_865n }, "spec.max_bytes: 67108865 is more than 67108864"],
    ["too long a time", { timeoutMs: 600_001 }, "spec.timeout_ms: 600001 is not between 0 and 600000"],
  ])("refuses %s", (_name, more, message) => {
    expect(decode(more)).toBe(message);
  });

  it("refuses nothing at all", () => {
    expect(outcome(() => decodeFetchSpec("spec", undefined))).toBe("spec: must be set");
  });
});

describe("decoding file requests", () => {
  it.each<[string, () => unknown, unknown]>([
    [
      "a read",
      () => decodeRead(parseAbsolutePath, create(ReadRequestSchema, { path: "/a", offset: 3n })),
      { kind: "read", path: "/a", offset: 3, length: 0 },
    ],
    ["a read of nothing", () => decodeRead(parseAbsolutePath, create(ReadRequestSchema, {})), "path: must be set"],
    [
      "a relative read",
      () => decodeRead(parseAbsolutePath, create(ReadRequestSchema, { path: "~/a" })),
      "path: must be an absolute path",
    ],
    [
      "a read too far out",
      () => decodeRead(parseAbsolutePath, create(ReadRequestSchema, { path: "/a", offset: 2n ** 60n })),
      "offset: 1152921504606846976 is more than 9007199254740991",
    ],
    [
      "a read too long",
      () => decodeRead(parseAbsolutePath, create(ReadRequestSchema, { path: "/a", length: 2n ** 60n })),
      "length: 1152921504606846976 is more than 9007199254740991",
    ],
    [
      "a write",
      () =>
        decodeWriteStart(
          parseAbsolutePath,
          "start",
          create(WriteStartSchema, { path: "/a", disposition: 3, makeParents: true }),
        ),
      { kind: "write", path: "/a", disposition: "append", makeParents: true, mode: 0o644 },
    ],
    [
      "a write to nowhere",
      () => decodeWriteStart(parseAbsolutePath, "start", create(WriteStartSchema, { disposition: 1 })),
      "start.path: must be set",
    ],
    [
      "a write without a disposition",
      () => decodeWriteStart(parseAbsolutePath, "start", create(WriteStartSchema, { path: "/a" })),
      "start.disposition: must be set",
    ],
    [
      "a write with an unknown one",
      () => decodeWriteStart(parseAbsolutePath, "start", create(WriteStartSchema, { path: "/a", disposition: 4 as 3 })),
      "start.disposition: 4 is no known value",
    ],
    [
      "a write with a set-user-ID bit",
      () =>
        decodeWriteStart(
          parseAbsolutePath,
          "start",
          create(WriteStartSchema, { path: "/a", disposition: 1, mode: 0o4755 }),
        ),
      "start.mode: 2541 is not between 0 and 511",
    ],
    [
      "a part that is too long",
      () => decodePart("data", new Uint8Array(1_048_577)),
      "data: longer than 1048576 bytes in one message",
    ],
    [
      "a list",
      () => decodeList(parseAbsolutePath, create(FilesServiceListRequestSchema, { path: "/" })),
      {
        kind: "list",
        path: "/",
        limit: 1000,
        depth: 1,
        honorIgnoreFiles: false,
        order: { by: "name", descending: false },
      },
    ],
    [
      "a list without end",
      () => decodeList(parseAbsolutePath, create(FilesServiceListRequestSchema, { path: "/", limit: 10_001 })),
      "limit: 10001 is not between 0 and 10000",
    ],
  ])("decodes %s", (_name, decode, expected) => {
    expect(outcome(decode)).toEqual(expected);
  });
});

describe("decoding session requests", () => {
  const open = (more: object) => outcome(() => decodeOpen(create(SessionsServiceOpenRequestSchema, more), channel));

  it.each(["terminal", "web", "telegram", "webhook"])("keeps the name %s for those who answer there", (name) => {
    expect(() => decodeOpen(create(SessionsServiceOpenRequestSchema, { channel: name }), channel)).toThrow(
      "is kept for a surface",
    );
    expect(open({ channel: `${name}:ops` })).toMatchObject({ channel: `${name}:ops` });
  });

  it("fills in what is left out", () => {
    expect(open({})).toEqual({
      workspace: undefined,
      key: "",
      mode: "ask",
      attended: true,
      image: undefined,
      scopes: [],
      channel: "socket",
    });
    expect(
      open({
        workspace: "/a/",
        key: "k",
        mode: 1,
        unattended: true,
        image: "registry.example:5000/a/b@sha256:0",
        channel: "chat:7",
        scopes: [
          { root: "/b", access: 1, expiresAt: "2030-01-02T03:04:05.5+01:00" },
          { root: "/c", access: 2, lasts: 1 },
          { root: "/d", access: 2, lasts: 3 },
        ],
      }),
    ).toEqual({
      workspace: "/a",
      key: "k",
      mode: "supervised",
      attended: false,
      image: "registry.example:5000/a/b@sha256:0",
      channel: "chat:7",
      scopes: [
        { root: "/b", access: "ro", lasts: "session", expiresAt: new Date("2030-01-02T02:04:05.500Z") },
        { root: "/c", access: "rw", lasts: "once" },
        { root: "/d", access: "rw", lasts: "always" },
      ],
    });
  });

  it.each<[string, object, string]>([
    ["a relative workspace", { workspace: "a" }, "workspace: must be an absolute path"],
    ["too long a key", { key: "ü".repeat(65) }, "key: longer than 128 bytes"],
    ["an unknown mode", { mode: 9 }, "mode: 9 is no known value"],
    ["a negative mode", { mode: -1 }, "mode: -1 is no known value"],
    ["an image that is a flag", { image: "--privileged" }, "image: is no image reference"],
    ["an image with a blank", { image: "a b" }, "image: is no image reference"],
    [
      "a channel in capitals",
      { channel: "Web" },
      "channel: is no channel's name (lower-case letters, digits, `.`, `_`, `:`, `-`; 63 at most)",
    ],
    ["a folder without access", { scopes: [{ root: "/a" }] }, "scopes[0].access: must be set"],
    ["a folder for ever", { scopes: [{ root: "/a", access: 1, lasts: 4 }] }, "scopes[0].lasts: 4 is no known value"],
    ["a folder without a path", { scopes: [{ access: 1 }] }, "scopes[0].root: must be set"],
    [
      "too many folders",
      { scopes: Array.from({ length: 33 }, () => ({ root: "/a", access: 1 })) },
      "scopes: more than 32",
    ],
    ...["tomorrow", "2030-01-02", "2030-13-02T03:04:05Z", "2030-01-02T03:04:05", "+02030-01-02T03:04:05Z"].map(
      (expiresAt): [string, object, string] => [
        `the time ${expiresAt}`,
        { scopes: [{ root: "/a", access: 2, expiresAt }] },
        "scopes[0].expires_at: must be an RFC 3339 time",
      ],
    ),
  ])("refuses %s", (_name, more, message) => {
    expect(open(more)).toBe(message);
  });

  it("decodes a change", () => {
    const update = (more: object) => outcome(() => decodeUpdate(create(SessionsServiceUpdateRequestSchema, more)));
    expect(update({})).toEqual({ mode: undefined, addScopes: [], removeScopes: [] });
    expect(update({ mode: 4, removeScopes: ["/a"] })).toMatchObject({ mode: "allow-all", removeScopes: ["/a"] });
    expect(update({ removeScopes: ["/a", "b"] })).toBe("remove_scopes[1]: must be an absolute path");
    expect(update({ removeScopes: Array.from({ length: 33 }, () => "/a") })).toBe("remove_scopes: more than 32");
    expect(update({ addScopes: [{ root: "a", access: 1 }] })).toBe("add_scopes[0].root: must be an absolute path");
  });

  it("decodes what is taken back", () => {
    const revoke = (more: object) =>
      outcome(() => decodeRevokeStanding(create(RevokeStandingRequestSchema, { agent: "a", ...more })));
    expect(revoke({ workspace: "/w/", root: "/r" })).toEqual({ agent: "a", workspace: "/w", root: "/r" });
    expect(revoke({ workspace: "/w" })).toBe("root: must be set");
    expect(revoke({ workspace: "w", root: "/r" })).toBe("workspace: must be an absolute path");
    expect(revoke({ agent: "A", workspace: "/w", root: "/r" })).toContain("agent: is no agent's name");
  });

  it("decodes a capability", () => {
    const use = (more: object) => outcome(() => decodeAuthorize(create(AuthorizeRequestSchema, more)));
    expect(use({ capability: "mcp", name: "a/b" })).toEqual({ kind: "use", capability: "mcp", name: "a/b" });
    const list = "web_search, mcp, subagent, skill, plugin, context, diagnostics";
    for (const capability of ["", "shell", "fs_write", "MCP", "all"])
      expect(use({ capability, name: "a" })).toBe(`capability: must be one of ${list}`);
    expect(use({ capability: "mcp" })).toBe("name: must be set");
    expect(use({ capability: "mcp", name: "a".repeat(1025) })).toBe("name: longer than 1024 bytes");
  });
});

describe("decoding what is to be judged", () => {
  const check = (what: object) =>
    outcome(() =>
      decodeCheckSubject(parseAbsolutePath, "subject", create(CheckSubjectSchema, { what } as object), workspace),
    );

  it.each<[string, object, unknown]>([
    ["a command", { case: "command", value: create(CommandSchema, shell) }, { kind: "exec", cwd: "/work/space" }],
    ["a read", { case: "read", value: "/a" }, { kind: "read", path: "/a" }],
    ["a write", { case: "write", value: "/a" }, { kind: "write", path: "/a", disposition: "overwrite" }],
    ["a fetch", { case: "fetch", value: "http://a.test/" }, { kind: "fetch", url: "http://a.test/", hop: 0 }],
    [
      "a connection",
      { case: "connect", value: "a.test:443" },
      { kind: "connect", host: "a.test", port: 443, via: "tunnel" },
    ],
    ["one to an address", { case: "connect", value: "[::1]:80" }, { kind: "connect", host: "[::1]", port: 80 }],
    ["an edit", { case: "edit", value: "/a" }, { kind: "edit", path: "/a" }],
    [
      "a move",
      { case: "move", value: create(MoveRequestSchema, { from: "/a", to: "/b", overwrite: true }) },
      { kind: "move", from: "/a", to: "/b", overwrite: true },
    ],
    [
      "a copy",
      { case: "copy", value: create(CopyRequestSchema, { from: "/a", toBytes: Buffer.from("/b"), recursive: true }) },
      { kind: "copy", from: "/a", to: "/b", overwrite: false, recursive: true },
    ],
    [
      "a removal",
      { case: "remove", value: create(RemoveRequestSchema, { path: "/a", recursive: true }) },
      { kind: "remove", path: "/a", recursive: true },
    ],
    [
      "a folder",
      { case: "makeDirectory", value: create(MakeDirectoryRequestSchema, { path: "/a", parents: true }) },
      { kind: "make-directory", path: "/a", parents: true, mode: 0o755 },
    ],
  ])("takes %s", (_name, what, expected) => {
    expect(check(what)).toMatchObject(expected as object);
  });

  it.each<[string, object, string]>([
    [
      "nothing",
      { case: undefined },
      "subject: must hold one of command, read, write, fetch, connect, edit, move, copy, remove, make_directory",
    ],
    ["an edit of nothing", { case: "edit", value: "" }, "subject.edit: must be set"],
    [
      "a move to nowhere",
      { case: "move", value: create(MoveRequestSchema, { from: "/a" }) },
      "subject.move.to: must be set",
    ],
    [
      "a relative copy",
      { case: "copy", value: create(CopyRequestSchema, { from: "a", to: "/b" }) },
      "subject.copy.from: must be an absolute path",
    ],
    [
      "a removal in another session",
      { case: "remove", value: create(RemoveRequestSchema, { path: "/a", sessionId: "b" }) },
      "subject.remove.session_id: must be empty: the session stands beside it",
    ],
    [
      "a folder of strange permissions",
      { case: "makeDirectory", value: create(MakeDirectoryRequestSchema, { path: "/a", mode: 0o1777 }) },
      "subject.make_directory.mode: 1023 is not between 0 and 511",
    ],
    ["a relative read", { case: "read", value: "a" }, "subject.read: must be an absolute path"],
    ["no path", { case: "write", value: "" }, "subject.write: must be set"],
    ["no URL", { case: "fetch", value: "a.test" }, "subject.fetch: is no absolute URL"],
    ...["a.test", ":80", "a.test:", "a.test:x", "a.test:123456", "a.test:-1"].map((value): [string, object, string] => [
      `the authority ${value}`,
      { case: "connect", value },
      "subject.connect: must be a host and a port, such as example.com:443",
    ]),
    ["port 0", { case: "connect", value: "a.test:0" }, "subject.connect: 0 is not between 1 and 65535"],
    ["port 65536", { case: "connect", value: "a.test:65536" }, "subject.connect: 65536 is not between 1 and 65535"],
  ])("refuses %s", (_name, what, message) => {
    expect(check(what)).toBe(message);
  });
});

describe("decoding a rule", () => {
  const rule = { source: 3, capability: "shell", match: ["git *"], effect: 1 };
  const decode = (more: object) =>
    outcome(() => decodeNewRule("rule", create(RuleSchema, { ...rule, ...more } as object)));

  it("takes what is the caller's to set", () => {
    expect(decode({ id: "blocklist.sudo", origin: "x:1", because: "why", exclude: ["git push*"] })).toEqual({
      source: "user",
      capability: "shell",
      match: ["git *"],
      exclude: ["git push*"],
      effect: "allow",
      because: "why",
    });
    expect(decode({ source: 6, capability: "filesystem" })).not.toHaveProperty("because");
    expect(decode({ source: 4 })).toMatchObject({ source: "workspace" });
  });

  it.each<[string, object, unknown]>([
    ["no source", { source: 0 }, "rule.source: must be set"],
    ...[1, 2, 5].map((source): [string, object, unknown] => [
      `source ${source}`,
      { source },
      "rule.source: must be RULE_SOURCE_USER, RULE_SOURCE_WORKSPACE or RULE_SOURCE_SESSION",
    ]),
    ["an unknown source", { source: 7 }, "rule.source: 7 is no known value"],
    ["no capability", { capability: "" }, expect.stringMatching(/^rule\.capability: must be one of fs_read, /)],
    ["no glob", { match: [] }, "rule.match: must hold a glob"],
    ["an empty glob", { match: ["a", ""] }, "rule.match[1]: must be set"],
    ["too many globs", { match: Array.from({ length: 65 }, () => "a") }, "rule.match: more than 64"],
    ["too many exceptions", { exclude: Array.from({ length: 65 }, () => "a") }, "rule.exclude: more than 64"],
    ["too long a glob", { match: ["a".repeat(4097)] }, "rule.match[0]: longer than 4096 bytes"],
    ["no effect", { effect: 0 }, "rule.effect: must be set"],
    ["an unknown effect", { effect: 4 }, "rule.effect: 4 is no known value"],
    ["too long a reason", { because: "a".repeat(4097) }, "rule.because: longer than 4096 bytes"],
  ])("refuses %s", (_name, more, message) => {
    expect(decode(more)).toEqual(message);
  });

  it("refuses nothing at all", () => {
    expect(outcome(() => decodeNewRule("rule", undefined))).toBe("rule: must be set");
  });
});

describe("decoding a filter of records", () => {
  const decode = (more: object) => outcome(() => decodeAuditFilter("filter", create(AuditFilterSchema, more)));

  it("leaves out what is not set", () => {
    expect(outcome(() => decodeAuditFilter("filter", undefined))).toEqual({});
    expect(decode({})).toEqual({});
    expect(
      decode({
        agent: "a",
        sessionId: "s",
        entryId: "e",
        kind: "note",
        since: "2026-01-01T00:00:00Z",
        until: "2026-01-02t00:00:00z",
      }),
    ).toEqual({
      agent: "a",
      session: "s",
      entry: "e",
      kind: "note",
      since: new Date("2026-01-01T00:00:00Z"),
      until: new Date("2026-01-02T00:00:00Z"),
    });
  });

  it.each<[string, object, unknown]>([
    ["an agent's name in capitals", { agent: "A" }, expect.stringMatching(/^filter\.agent: is no agent's name/)],
    ["a session's text", { sessionId: "a b" }, "filter.session_id: is no identifier"],
    ["an entry's text", { entryId: "é" }, "filter.entry_id: is no identifier"],
    [
      "an unknown kind",
      { kind: "x" },
      "filter.kind: must be one of opened, refused, closed, abandoned, answered, note",
    ],
    ["a date without a time", { since: "2026-01-01" }, "filter.since: must be an RFC 3339 time"],
    ["a leap second's day that is none", { since: "2026-02-29T23:59:60Z" }, "filter.since: must be an RFC 3339 time"],
    ["a day that is none", { until: "2026-02-30T00:00:00Z" }, "filter.until: must be an RFC 3339 time"],
  ])("refuses %s", (_name, more, message) => {
    expect(decode(more)).toEqual(message);
  });
});
