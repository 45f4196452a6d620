import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AgentsService } from "../../src/gen/sallyport/v1/agents_pb.ts";
import { AnswerKind, ApprovalsService, RulesFile } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { Access, Lasts, Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { FetchService } from "../../src/gen/sallyport/v1/fetch_pb.ts";
import { FileKind, FilesService, WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { PolicyService } from "../../src/gen/sallyport/v1/policy_pb.ts";
import { SessionsService } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { jsonLines, runCli } from "./support/run-cli.ts";
import { mount, startTestServer, type TestServer } from "./support/test-server.ts";
import { Problem } from "../../src/model/problem.ts";

const requests: object[] = [];
const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
let server: TestServer;
let folder: string;

function seen<T extends object>(request: T): T {
  requests.push(request);
  return request;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-cli-"));
  server = await startTestServer(
    mount(FilesService, {
      async *read(request) {
        const { path } = seen(request);
        if (path === "/missing") throw new Problem("not_found", "path: no such file", { field: "path" });
        yield { part: { case: "header", value: { entryId: "e1" } } };
        yield { part: { case: "data", value: allBytes } };
        yield { part: { case: "trailer", value: { bytes: 256n, truncated: path === "/long" } } };
      },
      async write(parts) {
        const chunks: Uint8Array[] = [];
        for await (const { part } of parts) {
          if (part.case === "start") seen(part.value);
          if (part.case === "data") chunks.push(Uint8Array.from(part.value));
        }
        return {
          bytes: BigInt(Buffer.concat(chunks).length),
          info: { name: Buffer.concat(chunks).toString("hex").slice(0, 20) },
        };
      },
      list: (request) => {
        seen(request);
        const modifiedAt = "2026-11-30T10:00:00.123456789Z";
        return {
          truncated: true,
          entries: [
            { name: "src", kind: FileKind.FOLDER, mode: 0o755, uid: 1000, gid: 1000, size: 4096n, modifiedAt },
            { name: "a\u001b[31m\nb", kind: FileKind.FILE, mode: 0o640, size: 7n, modifiedAt },
          ],
        };
      },
      stat: (request) => ({ info: { name: seen(request).path, kind: FileKind.SYMLINK, mode: 0o777 } }),
    }),
    mount(FetchService, {
      async *stream({ spec }) {
        seen(spec ?? {});
        const status = spec?.url.endsWith("/404") === true ? 404 : 200;
        yield { part: { case: "header", value: { status, finalUrl: spec?.url ?? "" } } };
        yield { part: { case: "data", value: allBytes } };
        yield { part: { case: "trailer", value: { bytes: 256n, truncated: spec?.maxBytes === 256n } } };
      },
    }),
    mount(PolicyService, {
      check: (request) => {
        seen(request);
        const what = request.subject?.what;
        const settled = what?.case === "read" ? Verdict.ALLOW : what?.case === "fetch" ? Verdict.ASK : Verdict.DENY;
        const effect = { kind: { case: "run" as const, value: { program: "x", text: "x\u202e y" } } };
        return {
          verdict: Verdict.ASK,
          settled,
          findings: [{ effect, verdict: Verdict.ASK, because: "nobody allowed it" }],
          ...(settled === Verdict.DENY ? { denial: { missing: 'allow shell "x"', next: "ask" } } : {}),
        };
      },
      explain: (request) => ({ text: `line one\u001b[2J\nline two\n${seen(request).cwd}\n` }),
      listRules: (request) => {
        seen(request);
        return {
          rules: [{ id: "r1", source: RuleSource.USER, capability: "shell", match: ["npm *"], effect: Verdict.ALLOW }],
        };
      },
      addRule: ({ rule }) => ({ rule: { ...seen(rule ?? { $typeName: "sallyport.v1.Rule" }), id: "r2" } as never }),
      removeRule: (request) => {
        seen(request);
        return {};
      },
    }),
    mount(AuditService, {
      query: (request) => {
        seen(request);
        return {
          records: [
            {
              sequence: 3n,
              at: "2026-11-30T10:00:00.000Z",
              kind: "refused",
              agent: "local",
              entryId: "e7",
              bodyJson: '{"verdict":"deny","intent":{"kind":"read","path":"/a\u0085"}}',
            },
          ],
          nextBeforeSequence: 3n,
        };
      },
      async *follow(request) {
        seen(request);
        yield { record: { sequence: 4n, kind: "opened" } };
        yield { record: { sequence: 5n, kind: "closed" } };
      },
      verify: (_request, { metadata }) =>
        metadata("authorization").length > 0
          ? { ok: false, records: 9n, firstBadSequence: 4n, reason: "hash differs" }
          : { ok: true, records: 9n },
    }),
    mount(SessionsService, {
      list: () => ({
        sessions: [
          {
            id: "s1",
            agent: "local",
            workspace: "/w",
            mode: Mode.ALLOW_ALL,
            tier: Tier.FULL,
            scopes: [{ root: "/w" }, { root: "/d", access: Access.READ_WRITE, lasts: Lasts.ALWAYS }],
          },
        ],
      }),
      open: (request) => ({ session: { id: "s2", key: seen(request).key } }),
      close: (request) => {
        seen(request);
        return {};
      },
      update: (request) => ({ session: { id: seen(request).sessionId, mode: request.mode } }),
      get: (request) => ({
        session: {
          id: seen(request).sessionId,
          agent: "bot",
          workspace: "/w",
          scopes: [
            { root: "/w", access: Access.READ_WRITE, lasts: Lasts.SESSION },
            { root: "/d\u001b[31m", lasts: Lasts.ONCE, expiresAt: "2030-01-01T00:00:00.000Z" },
          ],
        },
      }),
      listStanding: () => ({
        standing: [
          { agent: "bot", workspace: "/w", scope: { root: "/d", access: Access.READ_WRITE, lasts: Lasts.ALWAYS } },
        ],
      }),
      revokeStanding: (request) => {
        seen(request);
        return {};
      },
    }),
    mount(AgentsService, {
      list: () => ({ agents: [{ name: "bot", tier: Tier.BUILDER, tokens: 1 }] }),
      createToken: (request) => ({ token: `sp_${seen(request).agent}` }),
      revokeTokens: () => ({ revoked: 2 }),
      usage: () => ({
        requests: 10n,
        bytes: 99n,
        budgets: [{ name: "files.day", unit: "bytes", used: 5n, limit: 9n }],
      }),
    }),
    mount(ApprovalsService, {
      list: () => ({
        questions: [
          {
            id: "q1",
            agent: "bot",
            title: "run x\u001b]0;owned\u0007",
            detail: "bash\n| rm x\u001b[2J",
            answers: [AnswerKind.ALLOW, AnswerKind.EDIT_AND_ALLOW],
            editable: "rm x",
            places: [{ file: RulesFile.WORKSPACE, path: "/c/p.yaml" }],
          },
        ],
      }),
      answer: (request) => {
        if (seen(request).questionId === "gone") throw new Problem("failed_precondition", "web answered first");
        return {
          rules: [{ id: "r9", source: RuleSource.USER, capability: "shell", match: ["x"] }],
          notCounted: request.also.map((questionId) => ({ questionId, reason: "closed\u001b[2J" })),
        };
      },
      tryEdit: (request) => {
        const { edited } = seen(request);
        if (edited === "sudo id")
          throw new Problem("failed_precondition", "run sudo: blocked\u001b[2J", { field: "edited" });
        return { title: `run ${edited}`, detail: `bash\n| ${edited}\u001b[2J`, plan: "p1" };
      },
      listProposals: () => ({
        proposals: [
          {
            draft: { capability: "shell", match: "eslint *", effect: Verdict.ALLOW },
            replaces: ["w1", "w2"].map((id) => ({
              id,
              source: RuleSource.WORKSPACE,
              capability: "shell",
              match: [`eslint ${id}`],
            })),
            wouldHaveAllowed: ["run eslint \u202ex"],
            wouldHaveAllowedTotal: 3,
          },
        ],
      }),
    }),
  );
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  requests.length = 0;
});

function cli(args: readonly string[], input: string | Uint8Array = "") {
  return runCli(args, input, { SALLYPORT_SOCKET: server.socket });
}

describe("read and write", () => {
  test("read prints the bytes as they are, JSON Lines with --json, and fails where a cap cut them", async () => {
    const plain = await cli(["read", "some/file"]);
    expect([plain.code, plain.err]).toEqual([0, ""]);
    expect(plain.stdout.equals(allBytes)).toBe(true);
    expect(requests).toMatchObject([{ path: resolve("some/file"), sessionId: "", length: 0n }]);
    const json = await cli(["read", "/x", "--json", "--length", "9"]);
    expect(jsonLines(json.out)).toMatchObject([
      { event: "header", entryId: "e1" },
      { event: "data", data: Buffer.from(allBytes).toString("base64") },
      { event: "trailer", bytes: "256", truncated: false },
    ]);
    expect((await cli(["read", "/long"])).code).toBe(1);
    const missing = await cli(["read", "/missing"]);
    expect([missing.code, missing.err]).toEqual([1, "sallyport: path: no such file (not_found)\n"]);
  });

  test("write takes standard input or a file, and says how", async () => {
    const from = join(folder, "content");
    await writeFile(from, allBytes);
    const piped = await cli(["write", "/a", "--json"], Buffer.alloc(2_000_000, 1));
    expect(jsonLines(piped.out)).toMatchObject([{ bytes: "2000000" }]);
    const named = await cli(["write", "/b", "--from", from, "--create", "--parents", "--permissions", "755", "--json"]);
    expect(jsonLines(named.out)).toMatchObject([{ bytes: "256", info: { name: "00010203040506070809" } }]);
    expect(requests).toMatchObject([
      { path: "/a", disposition: WriteDisposition.OVERWRITE, makeParents: false, mode: 0 },
      { path: "/b", disposition: WriteDisposition.CREATE, makeParents: true, mode: 0o755 },
    ]);
    const absent = await cli(["write", "/c", "--from", join(folder, "absent")]);
    expect(absent.code).toBe(1);
    expect(absent.err).toContain("ENOENT");
    expect((await cli(["write", "/c", "--create", "--append"])).code).toBe(2);
    expect(requests.length).toBe(2);
  });
});

describe("ls and stat", () => {
  test("a long listing that is aligned and safe for a terminal", async () => {
    const { code, out, err } = await cli(["ls", "/w", "--limit", "2"]);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "drwxr-xr-x  1000:1000  4096  2026-11-30 10:00:00  src",
        "-rw-r-----  0:0           7  2026-11-30 10:00:00  a\\u{1b}[31m\\nb",
        "",
      ].join("\n"),
    );
    expect(err).toContain("more entries");
    expect(requests).toMatchObject([{ path: "/w", limit: 2 }]);
    const json = await cli(["ls", "--json"]);
    expect(jsonLines(json.out)).toMatchObject([{ name: "src", kind: "FILE_KIND_FOLDER" }, { name: "a\u001b[31m\nb" }]);
    expect((await cli(["stat", "x"])).out).toContain(`lrwxrwxrwx  0:0  0    ${resolve("x")}`);
  });
});

describe("fetch", () => {
  test("passes method, headers, body and limits, and prints the body's bytes", async () => {
    const { code, stdout } = await cli([
      "fetch",
      "https://x.io/a",
      "--header=Accept: text/html",
      "--header=X:  y:z ",
      "-da=b",
      "--timeout=5s",
      "--max-bytes=999",
    ]);
    expect(code).toBe(0);
    expect(stdout.equals(allBytes)).toBe(true);
    expect(requests).toMatchObject([
      {
        url: "https://x.io/a",
        method: "POST",
        headers: [
          { name: "Accept", value: "text/html" },
          { name: "X", value: "y:z" },
        ],
        body: Buffer.from("a=b"),
        maxBytes: 999n,
        timeoutMs: 5000,
      },
    ]);
  });

  test("-o writes a file, and a status of 400 fails only with --fail, before the file is touched", async () => {
    const file = join(folder, "body");
    expect((await cli(["fetch", "https://x.io/", "-o", file, "-d", "@-", "-X", "PUT"], "from stdin")).code).toBe(0);
    expect((await readFile(file)).equals(allBytes)).toBe(true);
    expect(requests).toMatchObject([{ method: "PUT", body: Buffer.from("from stdin") }]);
    await writeFile(file, "old");
    const failed = await cli(["fetch", "https://x.io/404", "--fail", "-o", file]);
    expect([failed.code, failed.out, failed.err]).toEqual([22, "", "sallyport: the server answered 404\n"]);
    expect(await readFile(file, "utf8")).toBe("old");
    expect((await cli(["fetch", "https://x.io/404"])).code).toBe(0);
    expect((await cli(["fetch", "https://x.io/", "--max-bytes", "256"])).code).toBe(1);
  });
});

describe("check and explain", () => {
  test("check exits 0 for allow, 1 for ask, 126 for deny and prints every finding", async () => {
    expect((await cli(["check", "--read", "/x"])).code).toBe(0);
    expect((await cli(["check", "--fetch", "https://x.io/"])).code).toBe(1);
    const denied = await cli(["check", "-C", "/w", "--", "rm", "-rf", "/"]);
    expect(denied.code).toBe(126);
    expect(denied.out.split("\n")).toEqual([
      "deny (the rules say ask)",
      "  ask    run x\\u{202e} y",
      "         nobody allowed it",
      '  missing  allow shell "x"',
      "  next     ask",
      "",
    ]);
    expect(requests[2]).toMatchObject({
      cwd: "/w",
      subject: { what: { value: { form: { value: { words: ["rm", "-rf", "/"] } } } } },
    });
    expect((await cli(["check", "--read", "/x", "--write", "/x"])).code).toBe(2);
    expect(requests.length).toBe(3);
  });

  test.each<[string[], object]>([
    [["--edit", "/x"], { case: "edit", value: "/x" }],
    [["--mv", "/x", "y"], { case: "move", value: { from: "/x", to: resolve("y") } }],
    [["--cp", "/x", "/y", "--recursive"], { case: "copy", value: { from: "/x", to: "/y", recursive: true } }],
    [["--rm", "/x"], { case: "remove", value: { path: "/x", recursive: false } }],
    [["--mkdir", "/x", "--parents"], { case: "makeDirectory", value: { path: "/x", parents: true } }],
  ])("check asks about %j", async (options, what) => {
    expect((await cli(["check", ...options])).code).toBe(126);
    expect(requests[0]).toMatchObject({ subject: { what } });
  });

  test.each([
    ["--mv", "/x"],
    ["--cp", "/x", "/y", "/z"],
    ["--read", "/x", "--recursive"],
    ["--rm", "/x", "--parents"],
    ["--rm", "/x", "--mkdir", "/y"],
  ])("check refuses %s %s %s %s", async (...options) => {
    expect((await cli(["check", ...options])).code).toBe(2);
    expect(requests).toEqual([]);
  });

  test("explain prints the text, safe for a terminal", async () => {
    expect(await cli(["explain", "-c", "ls | sh"])).toMatchObject({ code: 0, out: "line one\\u{1b}[2J\nline two\n\n" });
  });
});

describe("audit", () => {
  test("query, follow and verify", async () => {
    const query = await cli([
      "audit",
      "query",
      "--agent",
      "local",
      "--kind",
      "refused",
      "--since",
      "2026-01-01T00:00:00Z",
      "--limit",
      "5",
    ]);
    expect(query.out).toBe("     3  2026-11-30T10:00:00.000Z  refused    local  deny  read /a\\u{85}  e7\n");
    expect(query.err).toContain("--before 3");
    expect(requests).toMatchObject([
      { limit: 5, filter: { agent: "local", kind: "refused", since: "2026-01-01T00:00:00Z" } },
    ]);
    const json = await cli(["audit", "query", "--json"]);
    expect(json.out).not.toContain("\u0085");
    expect(jsonLines(json.out)).toMatchObject([
      { sequence: "3", bodyJson: '{"verdict":"deny","intent":{"kind":"read","path":"/a\u0085"}}' },
    ]);
    const follow = await cli(["audit", "follow", "--after", "3", "--json"]);
    expect(jsonLines(follow.out)).toMatchObject([{ sequence: "4" }, { sequence: "5" }]);
    expect(await cli(["audit", "verify"])).toMatchObject({ code: 0, out: "the chain holds: 9 records\n" });
    expect(await cli(["audit", "verify", "--token", "sp_x"])).toMatchObject({
      code: 1,
      out: "the chain is broken at record 4 of 9: hash differs\n",
    });
  });
});

describe("rules, sessions, agents and approvals", () => {
  test("rules", async () => {
    const list = await cli(["rules", "list", "--source", "user"]);
    expect(list.out).toBe("source  verdict  capability  match  id  because\nuser    allow    shell       npm *  r1\n");
    await cli([
      "rules",
      "add",
      "deny",
      "shell",
      "npm publish*",
      "yarn publish*",
      "--exclude",
      "*--dry-run*",
      "--because",
      "no",
    ]);
    await cli(["rules", "remove", "r1", "--source", "session"]);
    expect(requests).toMatchObject([
      { source: RuleSource.USER },
      {
        source: RuleSource.USER,
        effect: Verdict.DENY,
        capability: "shell",
        match: ["npm publish*", "yarn publish*"],
        exclude: ["*--dry-run*"],
        because: "no",
      },
      { source: RuleSource.SESSION, ruleId: "r1" },
    ]);
    expect((await cli(["rules", "add", "maybe", "shell", "x"])).code).toBe(2);
    expect((await cli(["rules", "remove", "r1", "--source", "managed"])).code).toBe(2);
  });

  test("sessions", async () => {
    expect((await cli(["sessions", "list"])).out).toContain(
      "s1       local                allow-all (unattended)  full  /w         /d (rw, always)",
    );
    await cli([
      "sessions",
      "open",
      "--key",
      "k",
      "--mode",
      "autopilot",
      "--unattended",
      "--scope",
      "/data:rw",
      "--scope",
      "/ref",
    ]);
    await cli(["sessions", "mode", "s1", "allow-all"]);
    await cli(["sessions", "close", "s1"]);
    expect(requests).toMatchObject([
      {
        key: "k",
        mode: Mode.AUTOPILOT,
        unattended: true,
        scopes: [
          { root: "/data", access: Access.READ_WRITE, lasts: Lasts.SESSION, expiresAt: "" },
          { root: "/ref", access: Access.READ_ONLY },
        ],
      },
      { sessionId: "s1", mode: Mode.ALLOW_ALL },
      { sessionId: "s1" },
    ]);
  });

  test("folders of sessions", async () => {
    expect((await cli(["sessions", "grant", "s1", "/data"])).code).toBe(0);
    const before = Date.now();
    await cli(["sessions", "grant", "s1", "data", "--rw", "--lasts", "once", "--expires", "2h"]);
    await cli(["sessions", "grant", "s1", "/a:rw", "--ro", "--lasts", "always", "--expires", "tomorrow"]);
    await cli(["sessions", "revoke", "s1", "/data"]);
    await cli(["sessions", "revoke-standing", "bot", "/w", "/d"]);
    const [, second] = requests as { readonly addScopes: readonly { readonly expiresAt: string }[] }[];
    const expires = Date.parse(second?.addScopes[0]?.expiresAt ?? "");
    expect(expires - before).toBeGreaterThanOrEqual(7_200_000);
    expect(expires - Date.now()).toBeLessThanOrEqual(7_200_000);
    expect(requests).toMatchObject([
      {
        sessionId: "s1",
        addScopes: [{ root: "/data", access: Access.READ_ONLY, lasts: Lasts.SESSION, expiresAt: "" }],
      },
      { addScopes: [{ root: resolve("data"), access: Access.READ_WRITE, lasts: Lasts.ONCE }] },
      { addScopes: [{ root: "/a:rw", access: Access.READ_ONLY, lasts: Lasts.ALWAYS, expiresAt: "tomorrow" }] },
      { sessionId: "s1", addScopes: [], removeScopes: ["/data"] },
      { agent: "bot", workspace: "/w", root: "/d" },
    ]);
    expect((await cli(["sessions", "grant", "s1", "/data", "--lasts", "forever"])).code).toBe(2);
    expect((await cli(["sessions", "grant", "s1", "/data", "--ro", "--rw"])).code).toBe(2);

    const shown = await cli(["sessions", "show", "s1"]);
    expect(shown.out.split("\n").slice(-4)).toEqual([
      "folder        access  lasts    expires",
      "/w            rw      session",
      String.raw`/d\u{1b}[31m  ro      once     2030-01-01T00:00:00.000Z`,
      "",
    ]);
    expect((await cli(["sessions", "standing"])).out).toBe(
      "agent  workspace  folder  access  lasts   expires\nbot    /w         /d      rw      always\n",
    );
  });

  test("agents", async () => {
    expect((await cli(["agents", "list", "--json"])).out).toContain('"tier":"TIER_BUILDER"');
    expect((await cli(["agents", "create-token", "bot", "--tier", "operator"])).out).toBe("sp_bot\n");
    expect(requests).toMatchObject([{ agent: "bot", tier: Tier.OPERATOR }]);
    expect((await cli(["agents", "revoke", "bot"])).out).toBe("2 tokens no longer count\n");
    expect((await cli(["agents", "usage", "bot"])).out).toBe(
      "requests   10\nrefused    0\ncommands   0\nbytes      99\nfiles.day  5 of 9 bytes\n",
    );
  });

  test("approvals", async () => {
    expect((await cli(["approvals", "list"])).out).toContain("run x\\u{1b}]0;owned\\u{7}");
    const answered = await cli(["approvals", "answer", "q1", "always-deny", "--message", "no, never"]);
    expect([answered.code, answered.out]).toEqual([0, 'wrote user rule r9: shell "x"\n']);
    expect(requests).toMatchObject([{ questionId: "q1", answer: AnswerKind.ALWAYS_DENY, message: "no, never" }]);
    expect((await cli(["approvals", "answer", "gone", "allow"])).code).toBe(1);
    expect((await cli(["approvals", "answer", "q1", "perhaps"])).code).toBe(2);
  });

  test("an edited command is answered only with the plan of what was shown", async () => {
    const blind = await cli(["approvals", "answer", "q1", "edit-and-allow", "--edit", "ls"]);
    expect([blind.code, blind.out]).toEqual([2, ""]);
    expect(blind.err).toContain("approvals try-edit");
    expect(requests).toEqual([]);
    const tried = await cli(["approvals", "try-edit", "q1", "ls"]);
    expect([tried.code, tried.out]).toMatchObject([
      0,
      expect.stringMatching(/run ls\n[^]*\| ls\\u\{1b\}\[2J\n[^]*Plan: p1\n$/),
    ]);
    expect((await cli(["approvals", "try-edit", "q1", "ls", "--json"])).out).toContain('"plan":"p1"');
    const refused = await cli(["approvals", "try-edit", "q1", "sudo id"]);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("run sudo: blocked\\u{1b}[2J");
    expect(requests).toHaveLength(3);
  });

  test("approvals show, and every kind of answer", async () => {
    const shown = await cli(["approvals", "show", "q1"]);
    expect(shown.out).not.toContain("\u001b");
    for (const text of ["| rm x\\u{1b}[2J", "Answers: allow, edit-and-allow", "  workspace: /c/p.yaml", "  rm x"])
      expect(shown.out).toContain(text);
    expect((await cli(["approvals", "show", "q2"])).code).toBe(1);
    expect((await cli(["approvals", "answer", "q1", "allow-for", "--for", "2h"])).code).toBe(0);
    await cli(["approvals", "answer", "q1", "edit-and-allow", "--edit", "ls; ls", "--plan", "p1"]);
    await cli(["approvals", "answer", "q1", "always-allow", "--file", "workspace"]);
    const several = await cli(["approvals", "answer", "q1", "deny", "--also", "q2", "--also", "q3"]);
    expect([several.code, several.err]).toEqual([
      1,
      "sallyport: not counted for q2: closed\\u{1b}[2J\nsallyport: not counted for q3: closed\\u{1b}[2J\n",
    ]);
    expect(requests).toMatchObject([
      { answer: AnswerKind.ALLOW_FOR, forSeconds: 7200 },
      { answer: AnswerKind.EDIT_AND_ALLOW, edited: "ls; ls", plan: "p1" },
      { answer: AnswerKind.ALWAYS_ALLOW, file: RulesFile.WORKSPACE },
      { answer: AnswerKind.DENY, also: ["q2", "q3"] },
    ]);
    for (const wrong of [
      ["--for", "soon"],
      ["--for", "0"],
      ["--file", "mine"],
    ])
      expect((await cli(["approvals", "answer", "q1", "allow-for", ...wrong])).code).toBe(2);
  });

  test("rules proposals shows what one would allow, and accepts one", async () => {
    const shown = await cli(["rules", "proposals"]);
    expect(shown.out).toBe(
      [
        '1. allow shell "eslint *"',
        "   in place of 2:",
        '     workspace rule w1: shell "eslint w1"',
        '     workspace rule w2: shell "eslint w2"',
        "   It would also have allowed 3:",
        "     run eslint \\u{202e}x",
        "     and 2 more",
        "",
      ].join("\n"),
    );
    expect((await cli(["rules", "proposals", "--accept", "1"])).code).toBe(0);
    expect(requests).toMatchObject([
      { source: RuleSource.WORKSPACE, capability: "shell", match: ["eslint *"], effect: Verdict.ALLOW },
      { source: RuleSource.WORKSPACE, ruleId: "w1" },
      { source: RuleSource.WORKSPACE, ruleId: "w2" },
    ]);
    expect((await cli(["rules", "proposals", "--accept", "2"])).code).toBe(1);
    expect((await cli(["rules", "proposals", "--accept", "none"])).code).toBe(2);
  });

  test("approve without a terminal is a usage error that says what to use instead", async () => {
    const { code, err } = await cli(["approve"]);
    expect(code).toBe(2);
    expect(err).toContain("sallyport approvals answer");
  });
});
