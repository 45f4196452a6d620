import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Access, Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { ChangeKind, ContentKind, SearchEnd, WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { repository, type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

let sallyport: RunningSallyport;
let client: SallyportClient;
let session: string;
let round = 0;

beforeAll(async () => {
  sallyport = await startSallyport();
  client = sallyport.client();
});
afterAll(() => sallyport.remove());
beforeEach(async () => {
  round += 1;
  mkdirSync(at(""), { recursive: true });
  ({ session: { id: session } = { id: "" } } = await client.sessions.open({ key: `r${round}`, mode: Mode.ALLOW_ALL }));
});

/** A path in a folder of the test's own. */
function at(name: string): string {
  return join(sallyport.workspace, `r${round}`, name);
}

function make(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
}

/** Denies or asks for reading or writing, in this session only. */
async function rule(capability: string, effect: Verdict, match: string): Promise<void> {
  await client.policy.addRule({
    sessionId: session,
    rule: { source: RuleSource.SESSION, capability, match: [match], effect },
  });
}

/** Runs the command line in the test's folder. */
function cli(
  args: readonly string[],
  input: string | Buffer = "",
): { status: number | null; stdout: Buffer; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repository, "src/main.ts"), ...args, "--session", session],
    {
      cwd: at(""),
      input,
      env: { ...process.env, SALLYPORT_SOCKET: sallyport.socket },
    },
  );
  return { status, stdout, stderr: stderr.toString() };
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

describe("over the API", () => {
  it("reads lines, tells text from bytes, and hashes", async () => {
    make({ f: "one\ntwo\nthree\n" });
    const got = await collect(client.files.read({ sessionId: session, path: at("f"), fromLine: 2n, lines: 1n }));
    expect(got.map(({ part }) => part.case)).toEqual(["header", "data", "trailer"]);
    expect(got[0]?.part.value).toMatchObject({ content: ContentKind.TEXT, encoding: "us-ascii" });
    expect(Buffer.from(got[1]?.part.value as Uint8Array).toString()).toBe("two\n");
    expect(got[2]?.part.value).toMatchObject({ lines: 1n, truncated: false, endOfFile: false });
    const { info } = await client.files.stat({ sessionId: session, path: at("f"), sha256: true });
    expect(Buffer.from(info?.sha256 ?? []).toString("hex")).toBe(
      createHash("sha256").update("one\ntwo\nthree\n").digest("hex"),
    );
  });

  it("lets one of two writers of the same version through", async () => {
    make({ f: "old" });
    const sha256 = createHash("sha256").update("old").digest();
    const write = (text: string) =>
      client.files.write(
        (async function* () {
          const ifMatch = { version: { case: "sha256" as const, value: sha256 } };
          yield {
            part: {
              case: "start" as const,
              value: { sessionId: session, path: at("f"), disposition: WriteDisposition.OVERWRITE, ifMatch },
            },
          };
          yield { part: { case: "data" as const, value: Buffer.from(text) } };
        })(),
      );
    const ends = await Promise.allSettled([write("a"), write("b")]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(ends.find((end) => end.status === "rejected")).toMatchObject({
      reason: { code: "aborted", field: "if_match" },
    });
  });

  it("shows nowhere what a rule denies, and skips what asks", async () => {
    make({ "secret/a": "needle", "d/.env": "needle", "d/open": "needle", "asks/b": "needle" });
    await rule("fs_read", Verdict.DENY, at("secret"));
    await rule("fs_read", Verdict.DENY, `${at("")}/**/.env`);
    await rule("fs_read", Verdict.ASK, at("asks"));
    const autopilot = await client.sessions.update({ sessionId: session, mode: Mode.AUTOPILOT });
    expect(autopilot.session?.mode).toBe(Mode.AUTOPILOT);
    const request = { sessionId: session, path: at("") };
    const { entries } = await client.files.list({ ...request, depth: 9 });
    expect(entries.map(({ name }) => name)).toEqual(["asks", "d", "d/open"]);
    const hits = await collect(client.files.search({ ...request, pattern: "needle", includeHidden: true }));
    expect(hits.map(({ path }) => path)).toEqual([at("d/open"), ""]);
    expect(hits.at(-1)?.summary).toMatchObject({ hits: 1n, end: SearchEnd.COMPLETE });
    const named = await collect(client.files.search({ ...request, glob: "*", includeHidden: true }));
    expect(named.map(({ path }) => path)).toEqual([at("asks"), at("d"), at("d/open"), ""]);
    const parts = await collect(client.files.download(request));
    expect(
      Buffer.concat(parts.map(({ part }) => (part.case === "data" ? part.value : new Uint8Array()))).includes("secret"),
    ).toBe(false);
    expect(parts.at(-1)?.part.value).toMatchObject({ leftOutCount: 1n, leftOut: [{ name: "asks" }] });
  });

  it("watches until the session is closed, or may not read the folder any more", async () => {
    make({ "d/f": "" });
    const watch = client.files.watch({ sessionId: session, path: at("d") });
    expect((await watch.next()).value).toMatchObject({ kind: ChangeKind.READY });
    writeFileSync(at("d/new"), "");
    expect((await watch.next()).value).toMatchObject({ kind: ChangeKind.CHANGED, path: at("d/new") });
    await rule("fs_read", Verdict.DENY, at("d"));
    await expect(watch.next()).rejects.toMatchObject({ code: "permission_denied" });
    const other = client.files.watch({ sessionId: session, path: at("") });
    await other.next();
    await client.sessions.close({ sessionId: session });
    await expect(other.next()).rejects.toMatchObject({ code: "not_found" });
  });

  it("ends a watch over a folder that is granted no more", async () => {
    const outside = join(sallyport.home, `outside${round}`);
    mkdirSync(outside);
    await client.sessions.update({
      sessionId: session,
      mode: Mode.AUTOPILOT,
      addScopes: [{ root: outside, access: Access.READ_ONLY }],
    });
    const watch = client.files.watch({ sessionId: session, path: outside });
    await watch.next();
    await client.sessions.update({ sessionId: session, removeScopes: [outside] });
    await expect(watch.next()).rejects.toMatchObject({ code: "permission_denied" });
  });

  it("unpacks into what may be written, and refuses what leads out", async () => {
    make({ "src/a": "one", "src/.git/hooks/x": "no" });
    const archive = execFileSync("tar", ["-C", at("src"), "-cf", "-", "."]);
    const upload = (data: Buffer) =>
      client.files.upload(
        (async function* () {
          yield { part: { case: "start" as const, value: { sessionId: session, path: at("to"), makeParents: true } } };
          yield { part: { case: "data" as const, value: data } };
        })(),
      );
    await client.sessions.update({ sessionId: session, mode: Mode.ALLOW_ALL });
    const done = await upload(archive);
    expect(done).toMatchObject({ files: 1n });
    // A hook asks in every mode, and there is nobody to ask entry by entry.
    expect(done.leftOut.map(({ name }) => name)).toContain(".git/hooks/x");
    symlinkSync("..", at("src/up"));
    await expect(upload(execFileSync("tar", ["-C", at("src"), "-cf", "-", "up"]))).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining('"up"') as string,
    });
  });

  it("keeps an agent that may only read from unpacking", async () => {
    const { token } = await client.agents.createToken({ agent: "reader", tier: Tier.READ_ONLY });
    const upload = sallyport.client(token).files.upload(
      (async function* () {
        yield { part: { case: "start" as const, value: { path: at("to") } } };
      })(),
    );
    await expect(upload).rejects.toMatchObject({ code: "permission_denied", denial: { ruleId: "tier.builder" } });
  });

  it("takes and gives names that are not UTF-8 by their bytes", async () => {
    const pathBytes = Buffer.concat([Buffer.from(at("a")), Buffer.from([0xff])]);
    await client.files.write(
      (async function* () {
        yield {
          part: {
            case: "start" as const,
            value: { sessionId: session, pathBytes, disposition: WriteDisposition.CREATE },
          },
        };
        yield { part: { case: "data" as const, value: Buffer.from("needle") } };
      })(),
    );
    expect(readFileSync(pathBytes, "utf8")).toBe("needle");
    const { info } = await client.files.stat({ sessionId: session, pathBytes });
    expect([info?.name, Buffer.from(info?.rawName ?? []).equals(pathBytes)]).toEqual([at("a\ufffd"), true]);
    const [hit] = await collect(client.files.search({ sessionId: session, path: at(""), pattern: "needle" }));
    expect(Buffer.from(hit?.pathBytes ?? []).equals(pathBytes)).toBe(true);
    const missing = client.files.stat({
      sessionId: session,
      pathBytes: Buffer.concat([pathBytes, Buffer.from([0xfe])]),
    });
    await expect(missing).rejects.toMatchObject({ code: "not_found" });
    await rule("fs_read", Verdict.DENY, `${at("")}/**`);
    await expect(client.files.stat({ sessionId: session, pathBytes })).rejects.toMatchObject({
      code: "permission_denied",
    });
    const { records } = await client.audit.query({ filter: { sessionId: session }, limit: 1 });
    expect(records[0]?.bodyJson).toContain(String.raw`a\udcff`);
  });
});

describe("on the command line", () => {
  it("searches, with the exit codes of grep", () => {
    make({ "src/a.ts": "x = 1\n\ty = 2\n", "b.md": "x\n" });
    expect(cli(["files", "search", "x"])).toMatchObject({ status: 0, stderr: "" });
    expect(cli(["files", "search", "y =", "src"]).stdout.toString()).toBe("src/a.ts:2:    y = 2\n");
    expect(cli(["files", "search", "", "--glob", "*.md"]).stdout.toString()).toBe("b.md\n");
    expect(cli(["files", "search", "nothing"])).toMatchObject({ status: 1, stderr: "" });
    expect(cli(["files", "search", "("])).toMatchObject({ status: 2 });
    const json = cli(["files", "search", "x", "--json", "--limit", "1"]);
    expect(json.status).toBe(1);
    expect(
      json.stdout
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown)
        .at(-1),
    ).toMatchObject({
      summary: { hits: "1", end: "SEARCH_END_LIMIT" },
    });
  });

  it("moves folders as archives", () => {
    make({ "from/a": "one", "from/d/b": "two" });
    const packed = cli(["files", "download", "from"]);
    expect(packed).toMatchObject({ status: 0, stderr: "" });
    expect(cli(["files", "upload", "to", "--parents"], packed.stdout)).toMatchObject({ status: 0, stderr: "" });
    execFileSync("diff", ["-r", at("from"), at("to")]);
    const again = cli(["files", "upload", "to"], packed.stdout);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain("left out a:");
    expect(cli(["files", "upload", "to", "--force"], packed.stdout)).toMatchObject({ status: 0 });
    expect(cli(["files", "download", "from", "-o", "out.tar"])).toMatchObject({ status: 0, stdout: Buffer.alloc(0) });
    expect(execFileSync("tar", ["-tf", at("out.tar")], { encoding: "utf8" })).toBe("a\nd/\nd/b\n");
    expect(cli(["files", "download", "from", "-o", "out.tar"]).status).not.toBe(0);
    expect(cli(["files", "upload", "to"], "no archive").status).toBe(2);
  });

  it("watches until it is interrupted", async () => {
    make({ f: "" });
    const child = spawn(process.execPath, [join(repository, "src/main.ts"), "files", "watch", "--session", session], {
      cwd: at(""),
      env: { ...process.env, SALLYPORT_SOCKET: sallyport.socket },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      output += chunk.toString();
      if (output.includes("watching") && !output.includes("changed")) writeFileSync(at("f"), "x");
      if (output.includes("changed")) child.kill("SIGTERM");
    }
    expect(output).toBe(`watching ${at("").replace(/\/$/, "")}\nchanged  f\n`);
  });

  it("reads lines, writes on a condition, and lists deep and sorted", () => {
    make({ f: "1\n2\n3\n", "d/g": "12345" });
    expect(cli(["read", "f", "--lines", "2-3"]).stdout.toString()).toBe("2\n3\n");
    expect(cli(["read", "f", "--lines", "2"]).stdout.toString()).toBe("2\n");
    expect(cli(["read", "f", "--max", "3"])).toMatchObject({ status: 1 });
    expect(cli(["read", "f", "--lines", "0"]).status).toBe(2);
    const hex = createHash("sha256").update("1\n2\n3\n").digest("hex");
    expect(cli(["stat", "f", "--sha256"]).stdout.toString()).toContain(hex);
    expect(cli(["write", "f", "--if-sha256", hex], "new").status).toBe(0);
    expect(cli(["write", "f", "--if-sha256", hex], "newer").stderr).toContain("if_match");
    const listed = cli(["ls", "-R", "--sort", "size", "--json"]).stdout.toString().trim().split("\n");
    const names = listed
      .map((line) => JSON.parse(line) as { name: string; kind: string })
      .filter(({ kind }) => kind === "FILE_KIND_FILE");
    expect(names.map(({ name }) => name)).toEqual(["f", "d/g"]);
  });
});
