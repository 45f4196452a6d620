import { readFileSync, symlinkSync, writeFileSync, existsSync, mkdirSync, rmSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Dockerode from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { runCommand } from "./support/run-command.ts";
import { type Script, scriptedApprover } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";
import { listContainers } from "../sandbox/list-containers.ts";

describe("the walk", () => {
  let sallyport: RunningSallyport;
  let admin: SallyportClient;
  let agent: SallyportClient;
  let token: string;

  beforeAll(async () => {
    sallyport = await startSallyport();
    admin = sallyport.client();
    ({ token } = await admin.agents.createToken({ agent: "robot", tier: Tier.FULL }));
    agent = sallyport.client(token);
  });
  afterAll(() => sallyport.remove());

  /** Runs `act` while a person answers by the script; returns the titles that the person saw. */
  async function answering<T>(script: Script, act: () => Promise<T>): Promise<{ result: T | Error; titles: string[] }> {
    const approver = scriptedApprover(admin, script);
    const result = await act().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    await approver.stop();
    return { result, titles: approver.seen.map((question) => question.title) };
  }

  const saying =
    (answer: AnswerKind, message = ""): Script =>
    () => ({ answer, message });

  it("runs a read-only command without a question", async () => {
    writeFileSync(join(sallyport.workspace, "note.txt"), "line\r\n\r\nend");
    const { result, titles } = await answering(saying(AnswerKind.DENY), () => runCommand(agent, "cat note.txt"));
    expect(titles).toEqual([]);
    expect(result).toMatchObject({ stdout: "line\r\n\r\nend", stderr: "", end: { code: 0 } });
  });

  it("asks for what no rule allows, shows it whole, and runs it after a yes", async () => {
    const { result, titles } = await answering(saying(AnswerKind.ALLOW), () =>
      runCommand(agent, "python3 -c 'print(6*7)' > answer.txt"),
    );
    expect(titles).toHaveLength(1);
    expect(titles[0]).toContain("python3 -c 'print(6*7)' > answer.txt");
    expect(result).toMatchObject({ end: { code: 0 } });
    expect(readFileSync(join(sallyport.workspace, "answer.txt"), "utf8")).toBe("42\n");
  });

  it("does not run it after a no, and tells the agent what the person said", async () => {
    const { result } = await answering(saying(AnswerKind.DENY, "not today"), () => runCommand(agent, "touch nope.txt"));
    expect(result).toMatchObject({ code: "permission_denied", denial: { because: "not today", source: "person" } });
    expect(existsSync(join(sallyport.workspace, "nope.txt"))).toBe(false);
  });

  it("writes the rule of an Always allow, word for word as it was shown, and does not ask again", async () => {
    let shown: string[] = [];
    const script: Script = (question) => {
      shown = question.allowDrafts.map((draft) => draft.match);
      return { answer: AnswerKind.ALWAYS_ALLOW };
    };
    const first = await answering(script, () => runCommand(agent, "python3 --version"));
    expect(first.result).toMatchObject({ end: { code: 0 } });
    expect(shown).toHaveLength(1);
    const kept = readFileSync(join(sallyport.home, "config/sallyport/permissions.yaml"), "utf8");
    expect(kept).toContain(shown[0]);
    const second = await answering(saying(AnswerKind.DENY), () => runCommand(agent, "python3 --version"));
    expect(second.titles).toEqual([]);
    expect(second.result).toMatchObject({ end: { code: 0 } });
  });

  it("writes a denying rule of an Always deny, which then needs no person", async () => {
    await answering(saying(AnswerKind.ALWAYS_DENY), () => runCommand(agent, "make all"));
    const again = await answering(saying(AnswerKind.ALLOW), () => runCommand(agent, "make all"));
    expect(again.titles).toEqual([]);
    expect(again.result).toMatchObject({ code: "permission_denied", denial: { source: "user" } });
  });

  it.each(["sudo id", "rm -rf ~", "rm -fr /", 'sh -c "rm -rf $HOME"', "find / -delete", "env sudo -n true"])(
    "refuses %s in every mode, without asking",
    async (text) => {
      for (const mode of [Mode.ASK, Mode.ALLOW_ALL]) {
        const { session } = await admin.sessions.open({ key: `blocklist-${mode}`, mode });
        const { result, titles } = await answering(saying(AnswerKind.ALLOW), () =>
          runCommand(admin, { sessionId: session?.id ?? "", command: { shell: text } }),
        );
        expect(titles).toEqual([]);
        expect(result).toMatchObject({
          code: "permission_denied",
          denial: { source: "hardcoded", ruleId: expect.stringMatching(/^blocklist\./) as string },
        });
      }
    },
  );

  it("never lets an agent answer, or widen itself", async () => {
    const running = runCommand(agent, "id -u -n -z").catch((error: unknown) => error);
    const watch = admin.approvals.watch({});
    let questionId = "";
    for await (const { event } of watch) {
      if (event.case !== "opened") continue;
      questionId = event.value.id;
      break;
    }
    await expect(agent.approvals.answer({ questionId, answer: AnswerKind.ALLOW })).rejects.toMatchObject({
      code: "permission_denied",
    });
    await admin.approvals.answer({ questionId, answer: AnswerKind.DENY });
    await running;
    await expect(agent.sessions.open({ key: "wide", mode: Mode.ALLOW_ALL })).rejects.toMatchObject({
      code: "permission_denied",
    });
    await expect(agent.agents.createToken({ agent: "friend", tier: Tier.FULL })).rejects.toMatchObject({
      code: "permission_denied",
    });
    await expect(
      agent.policy.addRule({
        rule: { source: RuleSource.USER, capability: "shell", match: ["*"], effect: Verdict.ALLOW },
      }),
    ).rejects.toMatchObject({ code: "permission_denied" });
  });

  it("reads, writes, lists and describes files of the workspace, and asks outside of it", async () => {
    const path = join(sallyport.workspace, "deep/er/file.bin");
    const bytes = Buffer.from([0, 1, 2, 255, 13, 10]);
    async function* parts() {
      yield {
        part: { case: "start" as const, value: { path, disposition: WriteDisposition.CREATE, makeParents: true } },
      };
      yield { part: { case: "data" as const, value: bytes } };
    }
    const { result } = await answering(saying(AnswerKind.ALLOW), () => agent.files.write(parts()));
    expect(result).toMatchObject({ bytes: 6n });
    expect(readFileSync(path)).toEqual(bytes);
    expect((await agent.files.stat({ path })).info).toMatchObject({ size: 6n });
    expect(
      (await agent.files.list({ path: join(sallyport.workspace, "deep/er") })).entries.map((entry) => entry.name),
    ).toEqual(["file.bin"]);
    const outside = await answering(saying(AnswerKind.DENY), async () => {
      for await (const part of agent.files.read({ path: "/etc/hostname" })) void part;
    });
    expect(outside.titles).toHaveLength(1);
    expect(outside.result).toMatchObject({ code: "permission_denied" });
  });

  it("judges where a link leads, not what it is called", async () => {
    symlinkSync("/etc/passwd", join(sallyport.workspace, "innocent.txt"));
    const { result, titles } = await answering(saying(AnswerKind.DENY), async () => {
      for await (const part of agent.files.read({ path: join(sallyport.workspace, "innocent.txt") })) void part;
    });
    expect(titles.join()).toContain("/etc/passwd");
    expect(result).toMatchObject({ code: "permission_denied" });
  });

  it("gives the same answer to file service and command for Sallyport's own folders", async () => {
    const own = join(sallyport.home, "config/sallyport/permissions.yaml");
    const byCommand = await answering(saying(AnswerKind.ALLOW), () => runCommand(agent, `echo x > ${own}`));
    expect(byCommand.result).toMatchObject({ code: "permission_denied" });
    async function* parts() {
      yield { part: { case: "start" as const, value: { path: own, disposition: WriteDisposition.OVERWRITE } } };
    }
    const byFiles = await answering(saying(AnswerKind.ALLOW), () => agent.files.write(parts()));
    expect(byFiles.result).toMatchObject({ code: "permission_denied" });
    expect([...byCommand.titles, ...byFiles.titles]).toEqual([]);
  });

  it("hides from every program what a rule denies by its path, from the next command on", async () => {
    const { session } = await admin.sessions.open({ key: "denied", mode: Mode.ALLOW_ALL });
    const sessionId = session?.id ?? "";
    mkdirSync(join(sallyport.workspace, "vault"));
    writeFileSync(join(sallyport.workspace, "vault/key"), "hidden-content");
    writeFileSync(join(sallyport.workspace, "vault.txt"), "hidden-content");
    // The words do not name the files: only the container's walls answer.
    const look = { sessionId, command: { argv: ["python3", "look.py"] } };
    writeFileSync(
      join(sallyport.workspace, "look.py"),
      `for name in ("vault/key", "vault.txt"):
    try:
        print(open(name).read())
    except OSError as error:
        print(error.strerror)
`,
    );
    expect((await runCommand(admin, look)).stdout).toContain("hidden-content");
    for (const match of ["vault", "vault.txt"])
      await admin.policy.addRule({
        sessionId,
        rule: { source: RuleSource.SESSION, capability: "fs_read", match: [match], effect: Verdict.DENY },
      });
    expect((await runCommand(admin, look)).stdout).not.toContain("hidden-content");
    expect(readFileSync(join(sallyport.workspace, "vault/key"), "utf8")).toBe("hidden-content");
  });

  it("kills the command of a client that hangs up, and says so in the record", async () => {
    const { session } = await admin.sessions.open({ key: "hang-up", mode: Mode.ALLOW_ALL });
    const sessionId = session?.id ?? "";
    const marker = join(sallyport.workspace, "still-there");
    let entryId = "";
    for await (const event of admin.exec({
      sessionId,
      command: { shell: `echo up; setsid sh -c 'sleep 600; touch ${marker}' & sleep 600` },
    })) {
      if (event.kind === "started") entryId = event.entryId;
      if (event.kind === "stdout") break;
    }
    await expect
      .poll(async () => (await admin.audit.query({ filter: { entryId } })).records.map((record) => record.kind).at(-1))
      .toMatch(/closed|abandoned/);
    await expect
      .poll(
        async () =>
          (await runCommand(admin, { sessionId, command: { shell: "ps -eo args | grep -c '[s]leep 600' || true" } }))
            .stdout,
      )
      .toBe("0\n");
    expect(existsSync(marker)).toBe(false);
  });

  it("withdraws the question of a caller that went away", async () => {
    const controller = new AbortController();
    const pending = agent.commands.runToEnd(
      { start: { command: { form: { case: "shell", value: "touch later" } } } },
      { signal: controller.signal },
    );
    pending.catch(() => undefined);
    for await (const { event } of admin.approvals.watch({})) {
      if (event.case === "opened") controller.abort();
      if (event.case === "closed") break;
    }
    await expect(pending).rejects.toMatchObject({ code: "cancelled" });
    expect((await admin.approvals.list({})).questions).toEqual([]);
  });

  it("withdraws the question of a session that is closed, and records that nothing was allowed", async () => {
    const { session } = await agent.sessions.open({ key: "closing" });
    const sessionId = session?.id ?? "";
    const pending = runCommand(agent, { sessionId, command: { shell: "touch never" } });
    pending.catch(() => undefined);
    for await (const { event } of admin.approvals.watch({})) {
      if (event.case === "opened") await agent.sessions.close({ sessionId });
      if (event.case === "closed") break;
    }
    await expect(pending).rejects.toMatchObject({ code: "cancelled" });
    expect((await admin.approvals.list({})).questions).toEqual([]);
    const { records } = await admin.audit.query({ filter: { sessionId } });
    expect(records.map((record) => record.kind)).toContain("refused");
  });

  it("refuses an unattended agent instead of asking, naming what is missing", async () => {
    const { session } = await agent.sessions.open({ key: "night", unattended: true });
    await expect(
      runCommand(agent, { sessionId: session?.id ?? "", command: { shell: "touch x" } }),
    ).rejects.toMatchObject({
      code: "permission_denied",
      denial: { missing: expect.stringMatching(/./) as string },
    });
  });

  it("keeps what was approved to what was shown: a working folder that became a link is refused", async () => {
    const folder = join(sallyport.workspace, "swap");
    mkdirSync(folder);
    const script: Script = () => {
      rmSync(folder, { recursive: true });
      symlinkSync("/etc", folder);
      return { answer: AnswerKind.ALLOW };
    };
    const { result } = await answering(script, () =>
      runCommand(agent, { cwd: folder, command: { shell: "touch passwd-" } }),
    );
    expect(result).toMatchObject({ code: expect.stringMatching(/aborted|permission_denied/) as string });
    rmSync(folder);
  });

  it("keeps what was approved to what was there: a script that was rewritten meanwhile is refused", async () => {
    const file = join(sallyport.workspace, "step.sh");
    writeFileSync(file, "echo one\n");
    const { result } = await answering(
      () => {
        writeFileSync(file, "echo twice\n");
        return { answer: AnswerKind.ALLOW };
      },
      () => runCommand(agent, "sh step.sh"),
    );
    expect(result).toMatchObject({ code: "aborted", message: expect.stringContaining("content of a file") as string });
    const { result: again } = await answering(saying(AnswerKind.ALLOW), () => runCommand(agent, "sh step.sh"));
    expect(again).toMatchObject({ stdout: "twice\n" });
  });

  it("closes a session with everything in it", async () => {
    const { session } = await admin.sessions.open({ key: "short", mode: Mode.ALLOW_ALL });
    const sessionId = session?.id ?? "";
    const call = runCommand(admin, { sessionId, command: { shell: "sleep 600" } }).catch((error: unknown) => error);
    await expect
      .poll(async () => (await admin.audit.query({ filter: { sessionId } })).records.length)
      .toBeGreaterThan(0);
    await admin.sessions.close({ sessionId });
    expect(await call).toMatchObject({
      code: expect.stringMatching(/unavailable|aborted|cancelled|failed_precondition/) as string,
    });
    await expect(admin.sessions.get({ sessionId })).rejects.toMatchObject({ code: "not_found" });
  });

  it("streams half a gigabyte through without holding it", async () => {
    const { session } = await admin.sessions.open({ key: "stream", mode: Mode.ALLOW_ALL });
    let bytes = 0;
    for await (const event of admin.exec({
      sessionId: session?.id ?? "",
      command: { shell: "head -c 536870912 /dev/zero" },
      maxOutputBytes: 1 << 30,
    }))
      if (event.kind === "stdout") bytes += event.data.length;
    expect(bytes).toBe(536_870_912);
    const status = readFileSync(`/proc/${sallyport.process.pid}/status`, "utf8");
    const peakKib = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]);
    expect(peakKib).toBeLessThan(400 * 1024);
  });

  it("feeds standard input and ends it with a half-close; none means end of file at once", async () => {
    const { session } = await admin.sessions.open({ key: "stdin", mode: Mode.ALLOW_ALL });
    const sessionId = session?.id ?? "";
    const call = admin.exec({ sessionId, command: { argv: ["cat"] }, stdin: true });
    let text = "";
    for await (const event of call) {
      if (event.kind === "started") {
        await call.writeStdin(Buffer.from("one\ntwo"));
        call.closeStdin();
      }
      if (event.kind === "stdout") text += Buffer.from(event.data).toString();
    }
    expect(text).toBe("one\ntwo");
    expect((await runCommand(admin, { sessionId, command: { argv: ["cat"] } })).stdout).toBe("");
  });

  it("holds no container once it stopped", async () => {
    const second = await startSallyport();
    await runCommand(second.client(), "pwd");
    expect(await second.stop()).toBe(0);
    const left = (await listContainers(new Dockerode())).filter((info) =>
      info.Mounts.some((mount) => mount.Source === second.workspace),
    );
    expect(left).toEqual([]);
    expect(readdirSync(join(second.home, "run/sallyport")).filter((name) => name.endsWith(".sock"))).toEqual([]);
    rmSync(second.home, { recursive: true });
  });
});
