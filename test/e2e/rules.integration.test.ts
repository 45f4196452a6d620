import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { environmentOf, repository, type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

const started: RunningSallyport[] = [];

afterEach(async () => {
  for (const sallyport of started.splice(0)) await sallyport.remove();
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run({ home, socket }: RunningSallyport, ...args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, ...environmentOf(home), SALLYPORT_SOCKET: socket };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(repository, "src/main.ts"), ...args], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
    );
  });
}

async function start(): Promise<{ sallyport: RunningSallyport; rules: (text: string, name?: string) => string }> {
  const sallyport = await startSallyport();
  started.push(sallyport);
  const folder = join(sallyport.home, "config", "sallyport");
  mkdirSync(folder, { recursive: true });
  return {
    sallyport,
    rules(text, name = "permissions.yaml") {
      const file = join(folder, name);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    },
  };
}

describe("rules diff", () => {
  it("shows which recorded requests a changed file would decide differently", async () => {
    const { sallyport, rules } = await start();
    const client = sallyport.client();
    const path = (name: string): string => join(sallyport.workspace, name);
    for (const name of ["a.txt", "b.txt"]) writeFileSync(path(name), name);
    for (const name of ["a.txt", "b.txt"]) await client.files.stat({ path: path(name) });
    const { session } = await client.sessions.open({ key: "alone", unattended: true });
    const refused = client.files.stat({ sessionId: session?.id ?? "", path: "/etc/motd" });
    await expect(refused).rejects.toMatchObject({ code: "permission_denied" });

    const same = await run(sallyport, "rules", "diff", rules("rules: []\n", "next.yaml"));
    expect(same).toMatchObject({ code: 0, out: "" });
    expect(same.err).toContain("3 requests, 0 would be decided differently");

    const next = rules(
      "rules:\n  - { capability: fs_read, effect: deny, match: b.txt, because: it is mine }\n  - { capability: fs_read, effect: allow, match: /etc/motd }\n",
      "next.yaml",
    );
    const changed = await run(sallyport, "rules", "diff", next);
    expect(changed.code).toBe(1);
    const lines = changed.out.split("\n");
    expect(lines[0]).toMatch(/^deny -> allow {2}#\d+ .*\/etc\/motd$/);
    expect(lines[2]).toMatch(/^allow -> deny {2}#\d+ .*b\.txt$/);
    expect(lines[3]).toContain("it is mine");
    const json = await run(sallyport, "rules", "diff", next, "--json", "--session", session?.id ?? "");
    expect(json.out.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(json.out)).toMatchObject({ before: "deny", after: "allow" });

    await client.sessions.close({ sessionId: session?.id ?? "" });
    const closed = await run(sallyport, "rules", "diff", next);
    expect(closed.out).toBe(changed.out);
    expect(closed.err).toContain("3 requests, 2 would be decided differently");
    rules("rules:\n  - { capability: fs_read, effect: allow, match: /etc/motd }\n");
    const held = await run(sallyport, "rules", "diff", next, "--session", session?.id ?? "");
    expect(held).toMatchObject({ code: 0, out: "" });
  });

  it("refuses a file that is no rules file, with its place, and one that is not there", async () => {
    const { sallyport, rules } = await start();
    const broken = await run(
      sallyport,
      "rules",
      "diff",
      rules("rules:\n  - { capability: shel, effect: deny }\n", "n"),
    );
    expect(broken).toMatchObject({ code: 2, out: "" });
    expect(broken.err).toMatch(/n:2:\d+: .*shell/);
    const managed = rules("rules:\n  - { capability: shell, effect: allow }\n", "n");
    expect((await run(sallyport, "rules", "diff", "--source", "managed", managed)).code).toBe(2);
    expect(await run(sallyport, "rules", "diff", "/nowhere/x.yaml")).toMatchObject({ code: 2 });
  });
});

describe("check and explain", () => {
  it("take one word as shell text, and several as a program with its arguments", async () => {
    const { sallyport } = await start();
    expect(await run(sallyport, "check", "pwd && rm -rf /")).toMatchObject({ code: 126 });
    expect(await run(sallyport, "check", "rm", "-rf", "/")).toMatchObject({ code: 126 });
    expect(await run(sallyport, "check", "pwd && ls -la")).toMatchObject({ code: 0 });
    expect(await run(sallyport, "check", "--", "pwd", "&&", "x")).toMatchObject({ code: 1 });
    const explained = await run(sallyport, "explain", "pwd; sudo id");
    expect(explained.out).toContain("blocklist.sudo");
  });
});

describe("doctor", () => {
  it("shows a broken edit until it is mended, and the rules from before hold", async () => {
    const { sallyport, rules } = await start();
    const file = rules("rules:\n  - { capability: fs_read, effect: deny, match: secret.txt }\n");
    const client = sallyport.client();
    const subject = { what: { case: "read" as const, value: join(sallyport.workspace, "secret.txt") } };
    const denied = async (): Promise<boolean> => (await client.policy.check({ subject })).denial !== undefined;
    const wrong = async (): Promise<boolean> => (await client.policy.listRules({})).faults.length > 0;
    await expect.poll(denied, { timeout: 30_000 }).toBe(true);
    expect(await run(sallyport, "doctor")).toMatchObject({ code: 0 });

    rules("rules:\n  - { capability: fs_read, efect: deny }\n");
    await expect.poll(wrong, { timeout: 30_000 }).toBe(true);
    const told = await run(sallyport, "doctor");
    expect(told.code).toBe(1);
    expect(told.out).toMatch(new RegExp(`^WRONG ${file}:2:\\d+: .*effect`, "m"));
    expect(sallyport.output()).toContain("permissions are broken");
    expect(await denied()).toBe(true);

    rules("rules: []\n");
    await expect.poll(wrong, { timeout: 30_000 }).toBe(false);
    expect(await denied()).toBe(false);
    expect((await run(sallyport, "doctor")).code).toBe(0);
  });
});

describe("the record", () => {
  it("says who changes what agents may do, and holds no token", async () => {
    const { sallyport } = await start();
    const admin = sallyport.client();
    const { token } = await admin.agents.createToken({ agent: "robot", tier: Tier.BUILDER });
    const rule = { source: RuleSource.USER, capability: "shell", match: ["make *"], effect: Verdict.ALLOW };
    const added = await admin.policy.addRule({ rule });
    const { session } = await admin.sessions.open({ key: "wide", mode: Mode.ALLOW_ALL });
    const sessionId = session?.id ?? "";
    await admin.sessions.update({ sessionId, mode: Mode.ASK });
    await admin.policy.removeRule({ source: RuleSource.USER, ruleId: added.rule?.id ?? "" });
    await admin.agents.revokeTokens({ agent: "robot" });
    const { records } = await admin.audit.query({ filter: { kind: "note" } });
    const notes = records.map(({ agent, bodyJson }): unknown => ({ agent, ...JSON.parse(bodyJson) }));
    expect(notes.slice(1)).toMatchObject([
      { agent: "local", change: "make a token", for: "robot", tier: "builder", by: "local", channel: "socket" },
      { change: "add a rule", rule: { match: ["make *"], effect: "allow" } },
      { change: "open a session", mode: "allow-all", key: "wide" },
      { change: "change a session", session: sessionId, mode: "ask" },
      { change: "remove a rule", rule: added.rule?.id },
      { change: "revoke all tokens", for: "robot" },
    ]);
    expect(JSON.stringify(records.map(({ bodyJson }) => bodyJson))).not.toContain(token.slice(21));
  });
});
