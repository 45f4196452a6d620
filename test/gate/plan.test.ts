import { describe, expect, it } from "vitest";
import { type Plan, planChange, planText } from "../../src/gate/plan.ts";
import type { ExecAction } from "../../src/model/action.ts";
import type { Finding, Settlement } from "../../src/model/decision.ts";
import type { FileState } from "../../src/model/gate-ports.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Scope } from "../../src/model/scope.ts";
import { judge, path, shell } from "../policy/world.ts";

const judged = judge(shell("ls"));
const allowed: Settlement = { kind: "allow", by: { kind: "rule" } };
const folder = { root: path("/o"), access: "ro", lasts: "once" } as const;
const file: FileState = { kind: "file", path: path("/w/step.sh"), state: "sha256 1" };
const cwd: FileState = { kind: "folder", path: path("/w"), state: "1 2" };

function plan(change: Partial<ExecAction> = {}, more: Partial<Plan> = {}): Plan {
  return {
    action: { ...judged.action, ...change },
    decision: judged.decision,
    settlement: allowed,
    states: [file, cwd],
    ...more,
  };
}

const scoped = (...scopes: readonly Scope[]): Plan => plan({ scopes });

describe("a plan", () => {
  it("is the same where its folders only last longer or shorter", () => {
    expect(planChange(scoped(folder), scoped({ ...folder, lasts: "session" }))).toBeUndefined();
    expect(planChange(scoped(folder), scoped({ ...folder, expiresAt: new Date(1) }))).toBeUndefined();
  });

  it.each<[string, Plan, Plan, RegExp]>([
    ["another command", plan(), plan({ command: { kind: "argv", argv: ["ls", "-l"] } }), /command was .*ls.*, is .*-l/],
    ["another folder to run in", plan(), plan({ cwd: path("/etc") }), /cwd was .*, is "\/etc"/],
    ["a variable more", plan(), plan({ env: { A: "secret" } }), /variable A is another$/],
    ["another value", plan({ env: { A: "1" } }), plan({ env: { A: "2" } }), /variable A is another$/],
    ["another image", plan(), plan({ image: "evil" }), /image was absent, is "evil"/],
    ["a wider folder", scoped(folder), scoped({ ...folder, access: "rw" }), /folder \/o was ro, is rw/],
    ["a folder more", scoped(), scoped(folder), /folder \/o was absent, is ro/],
    ["a folder less", scoped(folder), scoped(), /folder \/o was ro, is absent/],
    [
      "a script that was rewritten",
      plan(),
      plan({}, { states: [{ ...file, state: "sha256 2" }, cwd] }),
      /content of a file .*: \/w\/step\.sh$/,
    ],
    [
      "another folder in its place",
      plan(),
      plan({}, { states: [file, { ...cwd, state: "1 3" }] }),
      /a folder that it uses is another by now: \/w$/,
    ],
    ["a file more", plan(), plan({}, { states: [file, cwd, { ...file, path: path("/w/b") }] }), /: \/w\/b$/],
  ])("is another with %s, and says so", (_what, then, now, words) => {
    expect(planChange(then, now)).toMatch(words);
    expect(planChange(then, now)).not.toContain("secret");
    expect(planText(then)).not.toBe(planText(now));
    expect(planChange(then, then)).toBeUndefined();
    expect(planText(then)).toBe(planText({ ...then }));
  });

  it("is another with another host to reach", () => {
    const [finding] = judged.decision.findings;
    if (finding === undefined) throw new Error("no finding");
    const reach = { kind: "reach", host: "a.example", port: 443, capability: "sandbox_network" } as const;
    const decision = { ...judged.decision, findings: [{ ...finding, effect: reach }] };
    expect(planChange(plan(), plan({}, { decision }))).toMatch(/network was , is a\.example:443/);
  });
});

describe("the rules behind a plan", () => {
  const rule = (id: string, effect: Rule["effect"]): Rule => ({
    id,
    source: "user",
    capability: "shell",
    match: ["ls*"],
    exclude: [],
    effect,
  });
  const open = (...rules: readonly Rule[]): Settlement => {
    const [finding] = judged.decision.findings;
    if (finding === undefined) throw new Error("no finding");
    const asks: Finding = { ...finding, verdict: "ask", rules };
    return { kind: "ask", open: [asks] };
  };

  it("may have become looser, and no tighter", () => {
    const then = plan({}, { settlement: open(rule("user.a", "ask")) });
    expect(planChange(then, plan())).toBeUndefined();
    expect(planChange(then, plan({}, { settlement: open(rule("user.b", "allow")) }))).toBeUndefined();
    expect(planChange(then, plan({}, { settlement: open() }))).toBeUndefined();
    expect(planChange(then, plan({}, { settlement: open(rule("user.b", "ask")) }))).toContain(
      "user rule user.b asks for it by now",
    );
    expect(planChange(plan(), plan({}, { settlement: open() }))).toContain("more needs an answer by now");
  });
});
