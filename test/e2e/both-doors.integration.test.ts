import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { type Effect, type Finding, Mode, RuleSource, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import type { CheckSubject } from "../../src/gen/sallyport/v1/policy_pb.ts";
import { exhausted } from "../../src/model/exhausted.ts";
import { runCommand } from "./support/run-command.ts";
import { allow, scriptedApprover } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

// Every exact path of the corpus of writes, asked for at both doors of one running Sallyport: the command that touches it, and the file service.
interface Row {
  readonly id: string;
  readonly cmd: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}
type Access = "read" | "write" | "delete";
interface Touched {
  readonly access: Access;
  readonly path: string;
}

const rows = readFileSync(new URL("../corpus/shell/writes.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

const base = realpathSync(mkdtempSync(join(tmpdir(), "sp-doors-")));
const [workspace, home] = [join(base, "work"), join(base, "u")];
let sallyport: RunningSallyport;
let client: SallyportClient;

beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  sallyport = await startSallyport({ workspace, env: { HOME: home } });
  client = sallyport.client();
});
afterAll(async () => {
  await sallyport.remove();
  rmSync(base, { recursive: true, force: true });
});

/** A path of the corpus in this world, whose workspace does not lie at the root. */
function here({ cmd }: Row, path: string): string {
  if (path === "/work" || path.startsWith("/work/")) return workspace + path.slice("/work".length);
  if (path === "/home/u" || path.startsWith("/home/u/")) return home + path.slice("/home/u".length);
  return /^\/x(\/|$)/.test(path) && cmd.includes("../") ? dirname(workspace) + path : path;
}

function pathsOf(row: Row, which: "reads" | "writes"): string[] {
  return row[which].filter((path) => !/[*?[]/.test(path)).map((path) => here(row, path));
}

function touchedBy({ kind }: Effect): Touched | undefined {
  if (kind.case !== "read" && kind.case !== "write" && kind.case !== "delete") return undefined;
  return kind.value.exact ? { access: kind.case, path: kind.value.path } : undefined;
}

/** What was decided of one access: the verdict, and by what. */
function decided(findings: readonly Finding[], of: Touched): string[] {
  return findings
    .filter((finding) => isOf(finding, of))
    .map(({ verdict, rules, firm }) => `${verdict} ${rules.map(({ id }) => id).join()} ${firm ? "firm" : ""}`);
}

function isOf({ effect }: Finding, { access, path }: Touched): boolean {
  const touched = effect === undefined ? undefined : touchedBy(effect);
  return touched?.access === access && touched.path === path;
}

async function check(sessionId: string, what: CheckSubject["what"]): Promise<readonly Finding[]> {
  return (await client.policy.check({ sessionId, subject: { what } })).findings;
}

function commandOf(cmd: string): CheckSubject["what"] {
  return { case: "command", value: { form: { case: "shell", value: cmd } } } as CheckSubject["what"];
}

/** The same access at the door of the file service. */
function accessOf({ access, path }: Touched): CheckSubject["what"] {
  if (access !== "delete") return { case: access, value: path };
  return { case: "remove", value: { path } } as CheckSubject["what"];
}

/** Everything that touches a path in this way through the file service. */
function callsOf(sessionId: string, { access, path }: Touched): readonly (() => Promise<unknown>)[] {
  const from = join(workspace, "calls");
  const files = client.files;
  async function* content() {
    yield { part: { case: "start" as const, value: { sessionId, path, disposition: WriteDisposition.OVERWRITE } } };
    yield { part: { case: "data" as const, value: Buffer.from("x") } };
  }
  async function read(): Promise<void> {
    for await (const _part of files.read({ sessionId, path }));
  }
  switch (access) {
    case "read":
      return [
        read,
        () => files.stat({ sessionId, path }),
        () => files.copy({ sessionId, from: path, to: join(from, "copied") }),
      ];
    case "write":
      return [
        () => files.write(content()),
        () => files.makeDirectory({ sessionId, path }),
        () => files.copy({ sessionId, from: join(from, "f"), to: path }),
        () => files.edit({ sessionId, path, replacements: [{ oldText: "x", newText: "y" }] }),
      ];
    case "delete":
      return [
        () => files.remove({ sessionId, path, recursive: true }),
        () => files.move({ sessionId, from: path, to: join(from, "moved") }),
      ];
    default:
      return exhausted(access);
  }
}

/** The rule that refused a call; what came instead where none did. */
async function refusedBy(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "it was done";
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    return error.denial?.ruleId ?? `${error.code}: ${error.message}`;
  }
}

/** A session with rules for every exact path of the corpus, and the paths by their rules. */
async function sessionWith(key: string, effects: readonly [Verdict, Verdict] | undefined): Promise<string> {
  const opened = await client.sessions.open({ key, mode: Mode.AUTOPILOT });
  const sessionId = opened.session?.id ?? "";
  if (effects === undefined) return sessionId;
  for (const [which, capability, effect] of [
    ["reads", "fs_read", effects[0]],
    ["writes", "fs_write", effects[1]],
  ] as const) {
    const paths = [...new Set(rows.flatMap((row) => pathsOf(row, which)))];
    for (const path of paths)
      await client.policy.addRule({
        sessionId,
        rule: { source: RuleSource.SESSION, capability, match: [path.replaceAll(/[{}\\]/g, String.raw`\$&`)], effect },
      });
  }
  return sessionId;
}

/** What no mount of a sandbox can serve is refused to commands alone: the file service needs none. */
const sandboxOnly = "mount.refused";

/** Every exact access of the corpus, with the findings of its command. */
async function* accesses(sessionId: string): AsyncGenerator<{ row: Row; findings: readonly Finding[]; each: Touched }> {
  for (const row of rows) {
    const wanted = new Set([...pathsOf(row, "reads"), ...pathsOf(row, "writes")]);
    const findings = await check(sessionId, commandOf(row.cmd));
    const touched = findings.flatMap(({ effect }) => (effect === undefined ? [] : (touchedBy(effect) ?? [])));
    for (const each of touched.filter(({ path }) => wanted.has(path))) yield { row, findings, each };
  }
}

function rulesThatDeny(findings: readonly Finding[], of?: Touched): string[] {
  return findings
    .filter((each) => each.verdict === Verdict.DENY && (of === undefined || isOf(each, of)))
    .flatMap(({ rules }) => rules.map(({ id }) => id));
}

describe("both doors give one answer", () => {
  it.each([
    ["no rule speaks", undefined],
    ["writes are denied and reads ask", [Verdict.ASK, Verdict.DENY]],
    ["writes ask and reads are denied", [Verdict.DENY, Verdict.ASK]],
    ["both are allowed", [Verdict.ALLOW, Verdict.ALLOW]],
  ] as const)("for every exact path of the corpus where %s", async (key, effects) => {
    const sessionId = await sessionWith(`check: ${key}`, effects);
    let compared = 0;
    const differing: unknown[] = [];
    for await (const { row, findings, each } of accesses(sessionId)) {
      const byCommand = decided(findings, each);
      if (byCommand.every((line) => line.includes(sandboxOnly))) continue;
      const byFiles = decided(await check(sessionId, accessOf(each)), each);
      compared += 1;
      if (byCommand.join() !== byFiles.join()) differing.push({ cmd: row.cmd, ...each, byCommand, byFiles });
    }
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(240);
  });

  it.each([
    ["written", [Verdict.ASK, Verdict.DENY]],
    ["read", [Verdict.DENY, Verdict.ASK]],
  ] as const)("by the calls themselves, where nothing may be %s", async (key, effects) => {
    const sessionId = await sessionWith(`call: ${key}`, effects);
    const wrong: unknown[] = [];
    const commands = new Map<string, readonly Finding[]>();
    let calls = 0;
    for await (const { row, findings, each } of accesses(sessionId)) {
      const denying = rulesThatDeny(findings, each).filter((id) => id !== sandboxOnly);
      if (denying.length === 0) continue;
      commands.set(row.cmd, findings);
      for (const call of callsOf(sessionId, each)) {
        calls += 1;
        const by = await refusedBy(call);
        if (!denying.includes(by)) wrong.push({ cmd: row.cmd, ...each, by, denying });
      }
    }
    for (const [cmd, findings] of commands) {
      const by = await refusedBy(() => runCommand(client, { command: { shell: cmd }, sessionId }));
      if (!rulesThatDeny(findings).includes(by)) wrong.push({ cmd, by });
    }
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(100);
    expect(commands.size).toBeGreaterThan(30);
  });
});

describe("the kernel agrees inside the sandbox", () => {
  /** Whatever analysis says: the path is known to nobody before it runs. */
  const unseen = (path: string, how: string): string => `p=$(printf %s '${path}' | cat); ${how} "$p"`;

  async function open(key: string, denied: readonly (readonly [string, string])[]): Promise<string> {
    const opened = await client.sessions.open({ key, mode: Mode.ALLOW_ALL });
    const sessionId = opened.session?.id ?? "";
    for (const [capability, path] of denied)
      await client.policy.addRule({
        sessionId,
        rule: { source: RuleSource.SESSION, capability, match: [path], effect: Verdict.DENY },
      });
    return sessionId;
  }

  async function readBy(sessionId: string, path: string): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const { part } of client.files.read({ sessionId, path }))
      if (part.case === "data") parts.push(part.value);
    return Buffer.concat(parts).toString();
  }

  it("that what one row writes the other door finds, and nothing else", async () => {
    const sessionId = await open("kernel: allowed", []);
    for (const id of ["w002", "w007", "w047", "w053", "w060", "w075"]) {
      const row = rows.find((each) => each.id === id);
      if (row === undefined) throw new Error(`the corpus has no ${id}`);
      for (const name of ["a", "b"]) rmSync(join(workspace, name), { recursive: true, force: true });
      for (const path of pathsOf(row, "reads")) if (!existsSync(path)) writeFileSync(path, "read\n");
      const { end } = await runCommand(client, { command: { shell: row.cmd }, sessionId });
      expect([row.cmd, end.code]).toEqual([row.cmd, 0]);
      for (const path of pathsOf(row, "writes")) {
        const { info } = await client.files.stat({ sessionId, path });
        expect([row.cmd, info?.name]).toEqual([row.cmd, path]);
      }
    }
  });

  it("that what a rule denies at one door is shut at both", async () => {
    const [kept, secret] = [join(workspace, "kept"), join(workspace, "secret")];
    writeFileSync(kept, "old\n");
    writeFileSync(secret, "hidden\n");
    const sessionId = await open("kernel: denied", [
      ["fs_write", kept],
      ["fs_read", secret],
    ]);
    // What nobody can see before it runs is asked; the person says yes, and the kernel no.
    const approver = scriptedApprover(client, () => allow);
    for (const how of ["echo new >", "echo new >>", "rm -f", "truncate -s 0", "mv -f"]) {
      const tail = how === "mv -f" ? " moved" : "";
      const { end } = await runCommand(client, { command: { shell: unseen(kept, how) + tail }, sessionId });
      expect([how, end.code === 0, readFileSync(kept, "utf8")]).toEqual([how, false, "old\n"]);
    }
    const { stdout } = await runCommand(client, { command: { shell: unseen(secret, "cat") }, sessionId });
    await approver.stop();
    expect(stdout).toBe("");
    const opaque = new Set([
      ...(await Promise.all(callsOf(sessionId, { access: "write", path: kept }).map(refusedBy))),
      ...(await Promise.all(callsOf(sessionId, { access: "delete", path: kept }).map(refusedBy))),
      ...(await Promise.all(callsOf(sessionId, { access: "read", path: secret }).map(refusedBy))),
    ]);
    const { rules } = await client.policy.listRules({ sessionId, source: RuleSource.SESSION });
    expect([...opaque].toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
  });

  it.each(["", "/**"])("where nothing of the workspace may be written: its folder%s", async (tail) => {
    const sessionId = await open(`kernel: nothing ${tail}`, [["fs_write", `${workspace}${tail}`]]);
    writeFileSync(join(workspace, "seen"), "seen\n");
    expect((await runCommand(client, { command: { shell: "cat seen" }, sessionId })).stdout).toBe("seen\n");
  });

  it("where `..` stands behind a link", async () => {
    mkdirSync(join(workspace, "far/away"), { recursive: true });
    symlinkSync("far/away", join(workspace, "link"));
    for (const folder of ["", "far"])
      for (const name of ["open", "shut"]) writeFileSync(join(workspace, folder, name), `${folder}/${name}\n`);
    const sessionId = await open("kernel: dots", [["fs_read", join(workspace, "far/shut")]]);
    const byKernel = await runCommand(client, { command: { shell: "cat link/../open" }, sessionId });
    expect(byKernel.stdout).toBe("far/open\n");
    expect(await readBy(sessionId, `${workspace}/link/../open`)).toBe(byKernel.stdout);
    const refused = [
      await refusedBy(() => readBy(sessionId, `${workspace}/link/../shut`)),
      await refusedBy(() => runCommand(client, { command: { shell: "cat link/../shut" }, sessionId })),
    ];
    const { rules } = await client.policy.listRules({ sessionId, source: RuleSource.SESSION });
    expect(refused).toEqual([rules[0]?.id, rules[0]?.id]);
    const [checked] = await check(sessionId, { case: "read", value: `${workspace}/link/../shut` });
    expect(checked?.verdict).toBe(Verdict.DENY);
  });
});
