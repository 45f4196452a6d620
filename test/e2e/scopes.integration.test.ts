import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import type { Question } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Access, Lasts, Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type CommandResult, runCommand } from "./support/run-command.ts";
import { allow, type Script, scriptedApprover } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

const always = { answer: AnswerKind.ALWAYS_ALLOW } as const;

describe("folders outside the workspace", () => {
  let sallyport: RunningSallyport;
  let admin: SallyportClient;
  let agent: SallyportClient;
  let token: string;
  let outside: string;
  let sessionId: string;

  beforeAll(async () => {
    sallyport = await startSallyport();
    admin = sallyport.client();
    ({ token } = await admin.agents.createToken({ agent: "robot", tier: Tier.FULL }));
    agent = sallyport.client(token);
    const session = await agent.sessions.open({ key: "scopes" });
    sessionId = session.session?.id ?? "";
  });
  afterAll(() => sallyport.remove());

  beforeEach(() => {
    outside = realpathSync(mkdtempSync(join(tmpdir(), "sp-out-")));
    for (const name of ["file", "other"]) writeFileSync(join(outside, name), `real ${name}\n`);
    mkdirSync(join(outside, "keep"));
    return () => rmSync(outside, { recursive: true, force: true });
  });

  /** Runs shell text as the agent while a person answers; what was asked comes along. */
  async function run(
    text: string,
    script: Script = () => allow,
    session = sessionId,
  ): Promise<CommandResult & { readonly asked: readonly Question[] }> {
    const approver = scriptedApprover(admin, script);
    try {
      const result = await runCommand(agent, { sessionId: session, command: { shell: text } });
      return { ...result, asked: approver.seen };
    } finally {
      await approver.stop();
    }
  }

  /** Python text with double quotes only. */
  const python = (body: string): string => `python3 -c '${body}'`;

  describe("that a person opens for one command", () => {
    it("is there for that command, read-only, and is asked for again", async () => {
      const file = join(outside, "file");
      const first = await run(`cat ${file}`);
      expect(first).toMatchObject({ stdout: "real file\n", end: { code: 0 } });
      expect(first.asked).toHaveLength(1);
      expect(first.asked[0]?.title).toBe(
        `Run cat ${file} in ${sallyport.workspace}, with ${file} mounted read-only for this command`,
      );
      expect(first.asked[0]?.findings.map(({ because }) => because)).toEqual([
        `${outside} is outside the granted folders; ${file} will be mounted read-only`,
      ]);
      await expect(run(`cat ${file}`, () => ({ answer: AnswerKind.DENY }))).rejects.toMatchObject({
        code: "permission_denied",
      });
      const curious = await run(`cat ${file}; ${python(`import os; print(os.listdir("${outside}"))`)}`);
      expect(curious.stdout).toBe("real file\n['file']\n");
      const meddling = await run(`cat ${file}; ${python(`open("${file}", "a")`)}`);
      expect(meddling.stderr).toContain("Read-only file system");
    });

    it("is changed, filled and emptied where that was asked for", async () => {
      await run(
        `echo more >> ${outside}/file; echo new > ${outside}/made; rm ${outside}/other; mv ${outside}/keep ${outside}/kept`,
      );
      expect(readFileSync(join(outside, "file"), "utf8")).toBe("real file\nmore\n");
      expect(readFileSync(join(outside, "made"), "utf8")).toBe("new\n");
      expect(["other", "keep", "kept"].map((name) => existsSync(join(outside, name)))).toEqual([false, false, true]);
    });

    it("may be the folder that the command runs in", async () => {
      const approver = scriptedApprover(admin, () => allow);
      const { stdout } = await runCommand(agent, { sessionId, cwd: outside, command: { shell: "pwd; cat file" } });
      await approver.stop();
      expect(stdout).toBe(`${outside}\nreal file\n`);
      expect(approver.seen[0]?.title).toContain(`with ${outside} mounted read-only`);
    });

    it("is not there for the command that runs at the same time", async () => {
      const spy = python(
        `import os, time\nwhile not os.path.exists("stop"): time.sleep(0.01)\nprint(os.path.exists("${outside}"))`,
      );
      const spying = run(spy, (question) => (question.title.includes("import os, time") ? allow : undefined));
      await run(`cat ${outside}/file`, (question) => (question.title.startsWith("Run cat") ? allow : undefined));
      writeFileSync(join(sallyport.workspace, "stop"), "");
      expect((await spying).stdout).toBe("False\n");
      rmSync(join(sallyport.workspace, "stop"));
    });

    it("is the place that the person saw: a link that is turned while the question waits opens nothing", async () => {
      const link = join(sallyport.workspace, "link");
      symlinkSync(join(outside, "file"), link);
      const turn: Script = () => {
        unlinkSync(link);
        symlinkSync(join(outside, "other"), link);
        return allow;
      };
      await expect(run("cat link", turn)).rejects.toMatchObject({ code: "aborted" });
      rmSync(link);
    });

    it("is never a whole home, and nobody is asked for what could not be kept", async () => {
      const name = `.sallyport-test-${process.pid}`;
      await expect(run(`touch ~/${name}`)).rejects.toMatchObject({
        code: "permission_denied",
        denial: { ruleId: "mount.refused", because: expect.stringContaining("a whole home") as string },
      });
      const listed = await run("ls -A ~");
      expect(listed.asked[0]?.findings[0]?.because).toContain("never mounted");
      expect(listed.stdout).toBe("");
    });

    it("leaves the image's own files alone", async () => {
      const release = await run("cat /etc/hostname");
      expect(release.stdout).toBe("sandbox\n");
    });
  });

  describe("that a rule opens", () => {
    it("is there without a question, for this command and for every later one, and nothing beside it", async () => {
      const file = join(outside, "file");
      expect(await run(`cat ${file}`, () => always)).toMatchObject({ stdout: "real file\n" });
      expect(await run(`cat ${file}`)).toMatchObject({ stdout: "real file\n", asked: [] });
      const opened = await agent.sessions.open({ key: "later", unattended: true });
      const later = await run(`cat ${file}`, () => allow, opened.session?.id);
      expect(later).toMatchObject({ stdout: "real file\n", asked: [] });
      const other = await run(`cat ${outside}/other`);
      expect(other.asked).toHaveLength(1);
    });

    it("is the folder where something is made or removed, which the rule of the answer names", async () => {
      const first = await run(`rm ${outside}/other`, () => always);
      expect(first.asked[0]?.allowDrafts.map(({ match }) => match)).toEqual([`rm ${outside}/other`, outside]);
      expect(existsSync(join(outside, "other"))).toBe(false);
      writeFileSync(join(outside, "other"), "again");
      expect(await run(`rm ${outside}/other`)).toMatchObject({ asked: [], end: { code: 0 } });
      expect(existsSync(join(outside, "other"))).toBe(false);
    });

    it("is the whole place of the rule, as a command in it expects", async () => {
      const rule = { source: RuleSource.USER, capability: "fs_read", match: [`${outside}/**`], effect: Verdict.ALLOW };
      const added = await admin.policy.addRule({ rule });
      const { stdout, asked } = await run(`cat ${outside}/file; ls ${outside}/`);
      expect(asked).toEqual([]);
      expect(stdout).toBe("real file\nfile\nkeep\nother\n");
      await admin.policy.removeRule({ source: RuleSource.USER, ruleId: added.rule?.id ?? "" });
      expect((await run(`cat ${outside}/file`)).asked).toHaveLength(1);
    });

    it("hides what another rule denies in it", async () => {
      const rules = [
        { source: RuleSource.USER, capability: "fs_read", match: [outside], effect: Verdict.ALLOW },
        { source: RuleSource.USER, capability: "fs_read", match: [`${outside}/other`], effect: Verdict.DENY },
      ];
      const added = [];
      for (const rule of rules) added.push(await admin.policy.addRule({ rule }));
      const { stdout } = await run(
        `cat ${outside}/file; ${python(`import glob; print(open(glob.glob("${outside}/oth*")[0]).read())`)}`,
      );
      expect(stdout).toBe("real file\n\n");
      for (const { rule } of added) await admin.policy.removeRule({ source: RuleSource.USER, ruleId: rule?.id ?? "" });
    });

    it("is opened by a mode as well", async () => {
      const { session } = await admin.sessions.open({ key: "all", mode: Mode.ALLOW_ALL });
      const { stdout } = await runCommand(admin, {
        sessionId: session?.id ?? "",
        command: { shell: `cat ${outside}/file` },
      });
      expect(stdout).toBe("real file\n");
    });
  });

  describe("that an admin grants", () => {
    const grant = (more: object) => admin.sessions.update({ sessionId, addScopes: [{ root: outside, ...more }] });
    const rootsOf = async (id = sessionId): Promise<readonly string[]> =>
      ((await admin.sessions.get({ sessionId: id })).session?.scopes ?? []).map(({ root }) => root);

    it("is no agent's to grant", async () => {
      for (const lasts of [Lasts.ONCE, Lasts.SESSION, Lasts.ALWAYS]) {
        const scope = { root: outside, access: Access.READ_ONLY, lasts };
        await expect(agent.sessions.update({ sessionId, addScopes: [scope] })).rejects.toMatchObject({
          code: "permission_denied",
        });
        await expect(agent.sessions.open({ key: `wide${lasts}`, scopes: [scope] })).rejects.toMatchObject({
          code: "permission_denied",
        });
      }
      for (const root of ["/", "/proc", "/dev/shm", join(sallyport.home, "state/sallyport")])
        await expect(
          admin.sessions.update({ sessionId, addScopes: [{ root, access: Access.READ_ONLY }] }),
        ).rejects.toMatchObject({ code: "invalid_argument", field: "add_scopes[0].root" });
      await expect(agent.sessions.listStanding({})).rejects.toMatchObject({ code: "permission_denied" });
    });

    it("is there for the session without a question, until it is taken back", async () => {
      await grant({ access: Access.READ_ONLY });
      expect(await run(`cat ${outside}/file`)).toMatchObject({ stdout: "real file\n", asked: [] });
      await admin.sessions.update({ sessionId, removeScopes: [outside] });
      const after = await run(`cat ${outside}/file; ${python(`import os; print(os.listdir("${outside}"))`)}`);
      expect(after.asked).toHaveLength(1);
      expect(after.stdout).toBe("real file\n['file']\n");
    });

    it("keeps a read-only part in it, whatever a program tries and a mode says", async () => {
      await grant({ access: Access.READ_WRITE });
      const part = { root: join(outside, "keep"), access: Access.READ_ONLY };
      await admin.sessions.update({ sessionId, addScopes: [part] });
      const meddling = [
        `open("${outside}/made", "w")`,
        `print("made")`,
        `import os; os.rename("${outside}/keep", "${outside}/gone")`,
      ];
      const renamed = await run(python(meddling.join("\n")));
      expect(renamed.stdout).toBe("made\n");
      expect(renamed.stderr).toContain("Device or resource busy");
      expect((await run(python(`open("${outside}/keep/x", "w")`))).stderr).toContain("Read-only file system");
      expect(existsSync(join(outside, "keep/x"))).toBe(false);
      await admin.sessions.update({ sessionId, removeScopes: [outside, part.root] });
    });

    it("once is spent by the first command or file call that uses it", async () => {
      await grant({ access: Access.READ_ONLY, lasts: Lasts.ONCE });
      expect(await run("ls")).toMatchObject({ asked: [] });
      expect(await rootsOf()).toContain(outside);
      expect(await run(`cat ${outside}/file`)).toMatchObject({ stdout: "real file\n", asked: [] });
      expect(await rootsOf()).not.toContain(outside);
      expect((await run(`cat ${outside}/file`)).asked).toHaveLength(1);

      await grant({ access: Access.READ_ONLY, lasts: Lasts.ONCE });
      const stat = (): Promise<unknown> => agent.files.stat({ sessionId, path: join(outside, "file") });
      await agent.policy.check({ sessionId, subject: { what: { case: "read", value: join(outside, "file") } } });
      expect(await stat()).toMatchObject({ info: { size: 10n } });
      const approver = scriptedApprover(admin, () => ({ answer: AnswerKind.DENY }));
      await expect(stat()).rejects.toMatchObject({ code: "permission_denied" });
      await approver.stop();
      expect(approver.seen).toHaveLength(1);
    });

    it("ends with its time", async () => {
      await grant({ access: Access.READ_ONLY, expiresAt: new Date(Date.now() + 2000).toISOString() });
      const verdict = async (): Promise<Verdict> =>
        (await admin.policy.check({ sessionId, subject: { what: { case: "read", value: join(outside, "file") } } }))
          .verdict;
      expect(await verdict()).toBe(Verdict.ALLOW);
      await expect.poll(verdict, { timeout: 30_000 }).toBe(Verdict.ASK);
      expect((await run(`cat ${outside}/file`)).asked).toHaveLength(1);
      await expect(grant({ access: Access.READ_ONLY, expiresAt: "2020-01-01T00:00:00Z" })).rejects.toMatchObject({
        code: "invalid_argument",
      });
    });
  });

  it("that is granted always is there for later sessions and after a restart, until it is taken back", async () => {
    const place = { agent: "robot", workspace: sallyport.workspace, root: outside };
    const scope = { root: outside, access: Access.READ_WRITE, lasts: Lasts.ALWAYS };
    await admin.sessions.update({ sessionId, addScopes: [scope] });
    await sallyport.stop();
    const again = await startSallyport({ home: sallyport.home, workspace: sallyport.workspace });
    try {
      admin = again.client();
      agent = again.client(token);
      const { session } = await agent.sessions.open({ key: "after the restart" });
      const later = session?.id ?? "";
      const granted = await run(
        `cat ${outside}/file; echo more >> ${outside}/file`,
        (question) => {
          expect(question.title).not.toContain("mounted");
          return allow;
        },
        later,
      );
      expect(granted.stdout).toBe("real file\n");
      expect(readFileSync(join(outside, "file"), "utf8")).toBe("real file\nmore\n");
      expect((await admin.sessions.listStanding({})).standing).toMatchObject([
        { agent: "robot", workspace: place.workspace, scope: { root: outside, lasts: Lasts.ALWAYS } },
      ]);
      await expect(agent.sessions.update({ sessionId: later, removeScopes: [outside] })).rejects.toMatchObject({
        code: "permission_denied",
      });
      await admin.sessions.revokeStanding(place);
      expect((await run(`cat ${outside}/file`, () => allow, later)).asked).toHaveLength(1);
      const notes = (await admin.audit.query({ filter: { kind: "note" } })).records.map(({ bodyJson }) => bodyJson);
      expect(notes.some((note) => note.includes("take back a folder"))).toBe(true);
    } finally {
      await again.stop();
    }
  });
});
