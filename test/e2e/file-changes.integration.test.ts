import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { AnswerKind, type Question } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Access, Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { runCommand } from "./support/run-command.ts";
import { type Script, scriptedApprover } from "./support/scripted-approver.ts";
import { repository, type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

let sallyport: RunningSallyport;
let admin: SallyportClient;
let agent: SallyportClient;
let token: string;
let session: string;
let round = 0;

beforeAll(async () => {
  sallyport = await startSallyport({ settings: "files: { size: 64KiB, day: 1MiB, entries: 50 }\n" });
  admin = sallyport.client();
  ({ token } = await admin.agents.createToken({ agent: "robot", tier: Tier.FULL }));
  agent = sallyport.client(token);
});
afterAll(() => sallyport.remove());
beforeEach(async () => {
  round += 1;
  mkdirSync(at(""));
  session = await openSession(Mode.AUTOPILOT);
});

async function openSession(mode: Mode): Promise<string> {
  const opened = await agent.sessions.open({ key: `r${round}`, mode: Mode.ASK });
  const id = opened.session?.id ?? "";
  await admin.sessions.update({ sessionId: id, mode });
  return id;
}

/** A path in a folder of the test's own. */
function at(name: string): string {
  return join(sallyport.workspace, `r${round}`, name);
}

async function rule(capability: string, effect: Verdict, match: string): Promise<void> {
  const draft = { source: RuleSource.SESSION, capability, match: [match], effect };
  await admin.policy.addRule({ sessionId: session, rule: draft });
}

const yes: Script = () => ({ answer: AnswerKind.ALLOW });
const no: Script = () => ({ answer: AnswerKind.DENY });

/** Does something while a person answers; gives what came of it, and what the person was asked. */
async function answering<T>(
  script: Script,
  act: () => Promise<T>,
): Promise<{ result: T | Error; seen: readonly Question[] }> {
  const approver = scriptedApprover(admin, script);
  const result = await act().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  await approver.stop();
  return { result, seen: approver.seen };
}

function cli(args: readonly string[], input = "") {
  // What lies in the trash belongs to the agent, whatever session it came from.
  const where = args[1] === "list" ? [] : ["--session", session];
  const main = [join(repository, "src/main.ts"), "files", ...args, ...where];
  const env = { ...process.env, SALLYPORT_SOCKET: sallyport.socket, SALLYPORT_TOKEN: token };
  const { status, stdout, stderr } = spawnSync(process.execPath, main, { cwd: at(""), input, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("changes of files", () => {
  it("go from the command line through the whole walk, and are recorded", async () => {
    await rule("fs_write", Verdict.ALLOW, `${at("")}/**`);
    expect(cli(["mkdir", "-p", "docs/old"]).status).toBe(0);
    writeFileSync(at("docs/a.txt"), "colour\nof\ncolour\n");
    const edited = cli(["edit", "docs/a.txt", "--old", "colour", "--new", "color", "--count", "2"]);
    expect([edited.status, edited.stdout]).toEqual([
      0,
      expect.stringContaining("@@ -1,3 +1,3 @@\n-colour\n+color\n of\n-colour\n+color\n"),
    ]);
    expect(cli(["edit", "docs/a.txt"], edited.stdout).status).toBe(1);
    expect(cli(["cp", "-r", "docs", "copy"]).status).toBe(0);
    expect(cli(["mv", "copy/a.txt", "docs/old/b.txt"]).status).toBe(0);
    const removed = cli(["rm", "-r", "docs"]);
    expect([removed.status, removed.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{32} {2}\/.*\/docs\n$/)]);
    expect(readdirSync(at(""), { recursive: true })).toEqual(["copy", "copy/old"]);
    const [id = ""] = removed.stdout.split(" ");
    expect(cli(["trash", "list"]).stdout).toContain(id);
    expect(cli(["trash", "restore", id]).status).toBe(0);
    expect(readFileSync(at("docs/old/b.txt"), "utf8")).toBe("color\nof\ncolor\n");
    const { records } = await admin.audit.query({ filter: { sessionId: session } });
    const kinds = records.flatMap(({ bodyJson }) => /"intent":\{[^}]*"kind":"([a-z-]+)"/.exec(bodyJson)?.[1] ?? []);
    for (const kind of ["make-directory", "edit", "copy", "move", "remove", "restore"]) expect(kinds).toContain(kind);
    // The record says that something was changed, not what.
    expect(records.map(({ bodyJson }) => bodyJson).join("")).not.toContain("colour");
  });

  it("are asked about with what they change, and the agent does not see that", async () => {
    writeFileSync(at("f"), "secret plan\n");
    await rule("fs_write", Verdict.ASK, at("f"));
    const seenByAgent: string[] = [];
    const waiting: Script = () => undefined;
    const approver = scriptedApprover(admin, waiting);
    const edit = agent.files.edit({
      sessionId: session,
      path: at("f"),
      replacements: [{ oldText: "plan", newText: "map" }],
    });
    for await (const { event } of agent.approvals.watch({})) {
      if (event.case !== "opened") continue;
      seenByAgent.push(event.value.detail);
      break;
    }
    const { questions } = await admin.approvals.list({});
    expect(questions[0]?.detail).toContain("| -secret plan\n| +secret map");
    expect(seenByAgent).toEqual([`file\n| ${at("f")}`]);
    await admin.approvals.answer({ questionId: questions[0]?.id ?? "", answer: AnswerKind.ALLOW });
    expect((await edit).diff).toContain("+secret map");
    await approver.stop();
  });

  it("say how much a removal takes, and take nothing after a no", async () => {
    mkdirSync(at("d"));
    for (const name of ["a", "b", "c"]) writeFileSync(at(`d/${name}`), name);
    const remove = () => agent.files.remove({ sessionId: session, path: at("d"), recursive: true });
    const refused = await answering(no, remove);
    expect(refused.seen.map(({ title, detail }) => [title, detail.split("\n").slice(-6)])).toEqual([
      [
        `Remove ${at("d")} with all it holds`,
        ["what goes", "| 4 files and folders, 3 bytes", "with", "| a", "| b", "| c"],
      ],
    ]);
    expect([refused.result, existsSync(at("d/a"))]).toMatchObject([{ code: "permission_denied" }, true]);
    const { result } = await answering(yes, remove);
    expect([result, existsSync(at("d"))]).toMatchObject([{ entries: 4n }, false]);
  });

  it("are not done where what a person saw is something else by then", async () => {
    writeFileSync(at("f"), "one\n");
    await rule("fs_write", Verdict.ASK, at("f"));
    const meanwhile: Script = () => {
      writeFileSync(at("f"), "one\ntwo\n");
      return { answer: AnswerKind.ALLOW };
    };
    const acts: readonly (() => Promise<unknown>)[] = [
      () => agent.files.edit({ sessionId: session, path: at("f"), replacements: [{ oldText: "one", newText: "1" }] }),
      () => agent.files.remove({ sessionId: session, path: at("f") }),
      () => agent.files.move({ sessionId: session, from: at("f"), to: at("g") }),
    ];
    for (const act of acts) {
      writeFileSync(at("f"), "one\n");
      expect((await answering(meanwhile, act)).result).toMatchObject({ code: "aborted" });
      expect(readFileSync(at("f"), "utf8")).toBe("one\ntwo\n");
    }
  });

  it("show the content of a write", async () => {
    await rule("fs_write", Verdict.ASK, at("w"));
    async function* parts() {
      const start = { sessionId: session, path: at("w"), disposition: WriteDisposition.CREATE };
      yield { part: { case: "start" as const, value: start } };
      yield { part: { case: "data" as const, value: Buffer.from("new line\n") } };
    }
    const { seen } = await answering(yes, () => agent.files.write(parts()));
    expect(seen[0]?.detail).toContain(`| +++ ${at("w")}\n| @@ -0,0 +1,1 @@\n| +new line`);
    expect(readFileSync(at("w"), "utf8")).toBe("new line\n");
  });

  it("meet the same law as commands", async () => {
    await rule("fs_write", Verdict.ALLOW, `${at("")}/**`);
    await rule("fs_write", Verdict.DENY, at("kept"));
    await rule("fs_read", Verdict.DENY, at("key.pem"));
    mkdirSync(at("kept"));
    writeFileSync(at("key.pem"), "key");
    writeFileSync(at("f"), "f");
    symlinkSync("kept", at("l"));
    const cases: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => agent.files.remove({ sessionId: session, path: at("kept"), recursive: true }), "rm -r kept"],
      [() => agent.files.remove({ sessionId: session, path: at(""), recursive: true }), "rm -r ."],
      [() => agent.files.move({ sessionId: session, from: at("key.pem"), to: at("x") }), "mv -T key.pem x"],
      [() => agent.files.copy({ sessionId: session, from: at("f"), to: at("l/x") }), "cp -T f l/x"],
      [() => agent.files.makeDirectory({ sessionId: session, path: at("l/x") }), "mkdir l/x"],
      [() => agent.files.remove({ sessionId: session, path: "/", recursive: true }), "rm -r /"],
    ];
    for (const [act, text] of cases) {
      await expect(act()).rejects.toMatchObject({ code: "permission_denied" });
      await expect(
        runCommand(agent, { command: { shell: text }, sessionId: session, cwd: at("") }),
      ).rejects.toMatchObject({
        code: "permission_denied",
      });
    }
    expect(readdirSync(at(""))).toEqual(["f", "kept", "key.pem", "l"]);
  });

  it("never reach the trash itself, and no sandbox sees it", async () => {
    await rule("fs_write", Verdict.ALLOW, `${at("")}/**`);
    writeFileSync(at("f"), "gone");
    const { trashId } = await agent.files.remove({ sessionId: session, path: at("f") });
    const entry = join(sallyport.home, "state/sallyport/trash", trashId, "entry");
    expect(readFileSync(entry, "utf8")).toBe("gone");
    await admin.sessions.update({ sessionId: session, mode: Mode.ALLOW_ALL });
    for (const act of [
      () => agent.files.stat({ sessionId: session, path: entry }),
      () => agent.files.copy({ sessionId: session, from: entry, to: at("x") }),
      () => agent.files.remove({ sessionId: session, path: entry }),
      () => agent.files.move({ sessionId: session, from: at(""), to: join(entry, "x") }),
    ])
      await expect(act()).rejects.toMatchObject({ code: "permission_denied" });
    await admin.sessions.update({
      sessionId: session,
      addScopes: [{ root: sallyport.home, access: Access.READ_ONLY }],
    });
    const { stdout } = await runCommand(agent, {
      command: { shell: `find ${sallyport.home} -name ${trashId} 2>&1; ls ${sallyport.home}` },
      sessionId: session,
    });
    expect([stdout.includes(trashId), stdout.includes("work")]).toEqual([false, true]);
    await rule("fs_write", Verdict.DENY, at("f"));
    await expect(agent.files.restore({ sessionId: session, trashId })).rejects.toMatchObject({
      code: "permission_denied",
    });
    await agent.files.restore({ sessionId: session, trashId, to: at("g") });
    expect(readFileSync(at("g"), "utf8")).toBe("gone");
  });

  it("end at the limits of the settings", async () => {
    await rule("fs_write", Verdict.ALLOW, `${at("")}/**`);
    writeFileSync(at("big"), "x".repeat(65 * 1024));
    mkdirSync(at("d"));
    for (let file = 0; file < 60; file += 1) writeFileSync(at(`d/${file}`), "");
    writeFileSync(at("half"), "y".repeat(40 * 1024));
    for (const act of [
      () => agent.files.copy({ sessionId: session, from: at("big"), to: at("x") }),
      () => agent.files.copy({ sessionId: session, from: at("d"), to: at("x"), recursive: true }),
      () => agent.files.remove({ sessionId: session, path: at("d"), recursive: true }),
      async () => {
        for (;;) {
          await agent.files.copy({ sessionId: session, from: at("half"), to: at("y") });
          rmSync(at("y"));
        }
      },
    ])
      await expect(act()).rejects.toMatchObject({ code: "resource_exhausted" });
    expect(readdirSync(at(""))).toEqual(["big", "d", "half"]);
    const { status, stderr } = cli(["cp", "half", "z"]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("robot has read and written 1048576 bytes of files today"),
    ]);
  });
});
