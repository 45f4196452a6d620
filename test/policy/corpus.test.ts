import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runBatch } from "../../src/batch.ts";
import type { Decision, Finding } from "../../src/model/decision.ts";
import type { OpaqueCause } from "../../src/model/effect.ts";
import type { ShellName } from "../../src/model/intent.ts";
import type { Mode } from "../../src/model/subject.ts";
import { judge, rule, shell } from "./world.ts";

interface Row {
  readonly id: string;
  readonly cmd: string;
  readonly shell: ShellName;
  readonly [key: string]: unknown;
}

const folder = new URL("../corpus/shell/", import.meta.url);

function rows(file: string): Row[] {
  const text = readFileSync(new URL(`${file}.jsonl`, folder), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Row => JSON.parse(line));
}

/** The row's text through analyse, decide and settle, /work granted. */
function judgeRow(row: Row, mode: Mode = "ask", change: Parameters<typeof judge>[1] = {}) {
  const command = { kind: "shell", shell: row.shell, text: row.cmd } as const;
  return judge(shell(row.cmd, { command }), { ...change, subject: { mode, ...change.subject } });
}

const allowEverything = [rule({ capability: "all", effect: "allow", match: ["*", "/**"] })];

function blocklistIds({ findings }: Decision): string[] {
  return findings
    .flatMap((finding) => finding.rules.map((each) => each.id))
    .filter((id) => id.startsWith("blocklist."));
}

function strictOnes({ findings }: Decision): readonly Finding[] {
  return findings.filter((finding) => finding.verdict !== "allow");
}

function causes({ findings }: Decision): OpaqueCause[] {
  return findings.flatMap(({ effect }) => (effect.kind === "opaque" ? [effect.cause] : []));
}

function kindsOf(findings: readonly Finding[]): Set<string> {
  return new Set(findings.map(({ effect }) => effect.kind));
}

function each(file: string, check: (row: Row) => void): void {
  describe(file, () => {
    it.each(rows(file).map((row) => [row.id, row.cmd.slice(0, 80), row] as const))("%s %j", (_id, _text, row) =>
      check(row),
    );
  });
}

const entryOf: Readonly<Record<string, RegExp>> = {
  sudo: /^blocklist\.(sudo|su|doas|pkexec|run0)$/,
  rm: /^blocklist\.(recursive-delete|su|sudo)$/,
};

each("blocked", (row) => {
  for (const mode of ["ask", "allow-all"] as const) {
    const { decision, settlement } = judgeRow(row, mode, { rules: allowEverything });
    expect(settlement.kind).toBe("deny");
    const ids = blocklistIds(decision);
    expect(ids.length).toBeGreaterThan(0);
    const wanted = row.shell === "bash" ? entryOf[String(row["group"]).split("-")[0] ?? ""] : undefined;
    if (wanted !== undefined) expect(ids.some((id) => wanted.test(id))).toBe(true);
    const blocked = decision.findings.find((finding) => finding.rules.some((found) => ids.includes(found.id)));
    expect(blocked).toMatchObject({ verdict: "deny", firm: true, because: expect.stringMatching(/\w+ \w+/) });
  }
});

each("not_blocked", (row) => {
  expect(blocklistIds(judgeRow(row).decision)).toEqual([]);
});

/** Which causes may stand for the kinds of the corpus. */
const causesOf: Readonly<Record<string, readonly OpaqueCause[]>> = {
  syntax: ["syntax", "limit"],
  dynamic: ["dynamic", "decode"],
  environment: ["environment"],
  decode: ["decode", "dynamic"],
  opaque: ["program", "dynamic", "environment"],
};

each("undecidable", (row) => {
  const { decision, settlement } = judgeRow(row);
  const blocked = blocklistIds(decision).length > 0;
  expect(settlement.kind).toBe(blocked ? "deny" : "ask");
  if (blocked) expect(row["handling"]).toBe("decode");
  else {
    const wanted = causesOf[String(row["kind"])] ?? [];
    // The windows rows are judged word for word: what is not plain is opaque, whatever the reason.
    if (row.shell === "bash") expect(causes(decision).some((cause) => wanted.includes(cause))).toBe(true);
    else expect(strictOnes(decision).length).toBeGreaterThan(0);
  }
  // Never silently, even under a rule and a mode that allow everything; the insides of a program may pass by the mode.
  const lifted = judgeRow(row, "allow-all", { rules: allowEverything }).settlement.kind;
  if (row["kind"] !== "opaque") expect(lifted).not.toBe("allow");
  // Never unattended.
  expect(judgeRow(row, "autopilot", { rules: allowEverything, subject: { attended: false } }).settlement.kind).toBe(
    "deny",
  );
});

/** What a row's reason says must be seen as an effect that is not allowed. */
const seen: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /writes a file|redirect (on the group )?writes|edits in place|output file|operand is written|w (command|flag) writes|nohup\.out|clobber|trace output/,
    ["write"],
  ],
  [/^(second segment )?deletes$|^applet$/, ["delete", "opaque"]],
  [/environment|search path|library injected|config override|config value/, ["opaque"]],
  [/reads (a file )?outside/, ["read"]],
  [/network connection/, ["reach", "opaque"]],
];

each("readonly_traps", (row) => {
  const { decision, settlement } = judgeRow(row);
  const ids = blocklistIds(decision);
  switch (row["expected"]) {
    case "block":
      expect(settlement.kind).toBe("deny");
      expect(ids.length).toBeGreaterThan(0);
      return;
    case "allow-or-ask":
      expect(["allow", "ask"]).toContain(settlement.kind);
      return;
    default: {
      // Writing over a disk is on the blocklist: stricter than the row asks for.
      const disk = ids.every((id) => id === "blocklist.block-device") && ids.length > 0;
      expect(settlement.kind).toBe(disk ? "deny" : "ask");
      const open = settlement.kind === "ask" ? settlement.open : strictOnes(decision);
      expect(open.length).toBeGreaterThan(0);
      for (const finding of open) expect(finding.because).not.toBe("");
      if (row.shell !== "bash") return;
      const kinds = kindsOf(open);
      for (const [reason, wanted] of seen)
        if (reason.test(String(row["reason"]))) expect(wanted.some((kind) => kinds.has(kind))).toBe(true);
      // Unattended it does not run, in no mode that a person has not chosen for it.
      expect(judgeRow(row, "ask", { subject: { attended: false } }).settlement.kind).toBe("deny");
    }
  }
});

each("readonly_ok", (row) => {
  const { decision, settlement } = judgeRow(row);
  expect(settlement).toEqual({ kind: "allow", by: { kind: "rule" } });
  expect(decision.findings.every((finding) => finding.rules.length === 0)).toBe(true);
  expect(judgeRow(row, "autopilot", { subject: { attended: false } }).settlement.kind).toBe("allow");
  expect(judgeRow(row, "supervised").settlement.kind).toBe("ask");
});

each("parser_gaps", (row) => {
  expect(judgeRow(row).settlement.kind).not.toBe("allow");
  expect(judgeRow(row, "autopilot", { rules: allowEverything, subject: { attended: false } }).settlement.kind).not.toBe(
    "ask",
  );
});

each("writes", (row) => {
  const { decision, settlement } = judgeRow(row);
  const paths = (kinds: readonly string[]) =>
    decision.findings.flatMap(({ effect }) => (kinds.includes(effect.kind) && "path" in effect ? [effect.path] : []));
  expect([...new Set(paths(["read"]))].sort()).toEqual([...(row["reads"] as string[])].sort());
  expect([...new Set(paths(["write", "delete"]))].sort()).toEqual([...(row["writes"] as string[])].sort());
  // Every write asks in this mode, and outside the folder it asks by itself.
  if ((row["writes"] as string[]).length > 0 || row["unknown"] === true) expect(settlement.kind).not.toBe("allow");
  for (const finding of decision.findings)
    if ("path" in finding.effect && finding.effect.kind !== "read" && !/^\/work(\/|$)/.test(finding.effect.path)) {
      expect(finding.verdict).toBe("ask");
      // A file of the home that programs obey says so instead.
      expect(finding.because).toMatch(/(outside the granted folders|run what this file says)$/);
    }
});

/** What a batch answers, as far as rows speak of it. */
interface Answer {
  readonly verdict: string;
  readonly blocked: boolean;
  readonly effects: readonly { readonly kind: string; readonly path?: string }[];
  readonly error?: string;
}

describe("found", () => {
  const files = readdirSync(folder).filter((name) => /^found-.*\.jsonl$/.test(name));
  const found = files.flatMap((name) => rows(name.replace(".jsonl", "")));
  it.each(found.map((row) => [row.id, row.cmd.slice(0, 80), row] as const))("%s %j", async (_id, _text, row) => {
    // As lines of a batch: rows may bring rules, and who asks in which mode.
    const { cmd, shell: name, rules, mode, tier, attended } = row;
    const line = JSON.stringify({ cmd, shell: name, rules, mode, tier, attended });
    const out: string[] = [];
    await runBatch([line], (answer) => out.push(answer));
    const answer: Answer = JSON.parse(out[0] ?? "");
    const { verdict, blocked, error } = answer;
    expect(error).toBeUndefined();
    for (const kind of ["read", "write", "delete"] as const) {
      const wanted = row[`${kind}s`];
      const found = answer.effects.flatMap((effect) => (effect.kind === kind ? [effect.path] : []));
      if (Array.isArray(wanted)) expect(new Set(found), kind).toEqual(new Set(wanted));
    }
    const changed = answer.effects.flatMap(({ kind, path }) => (kind === "write" || kind === "delete" ? [path] : []));
    if (Array.isArray(row["changes"])) expect(new Set(changed), "changes").toEqual(new Set(row["changes"]));
    const expected = String(row["expected"]);
    if (expected === "not-blocked") expect(blocked).toBe(false);
    else expect(expected.split("-or-")).toContain(blocked && expected !== "deny" ? "block" : verdict);
  });
});
