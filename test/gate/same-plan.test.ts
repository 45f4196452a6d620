import { describe, expect, it } from "vitest";
import { isSamePlan } from "../../src/gate/same-plan.ts";
import type { ExecAction } from "../../src/model/action.ts";
import type { Settlement } from "../../src/model/decision.ts";
import type { Scope } from "../../src/model/scope.ts";
import { judge, path, shell } from "../policy/world.ts";

const { action } = judge(shell("ls"));
const allowed: Settlement = { kind: "allow", by: { kind: "rule" } };
const folder = { root: path("/o"), access: "ro", lasts: "once" } as const;

function plan(...scopes: readonly Scope[]): { readonly action: ExecAction; readonly settlement: Settlement } {
  return { action: { ...action, scopes }, settlement: allowed };
}

describe("a plan with other folders", () => {
  it("is the same where they only last longer or shorter", () => {
    expect(isSamePlan(plan(folder), plan({ ...folder, lasts: "session" }))).toBe(true);
    expect(isSamePlan(plan(folder), plan({ ...folder, expiresAt: new Date(1) }))).toBe(true);
  });

  it("is another where one is wider, elsewhere, more or gone", () => {
    for (const other of [
      plan({ ...folder, access: "rw" }),
      plan({ ...folder, root: path("/p") }),
      plan(folder, { ...folder, root: path("/p") }),
      plan(),
    ])
      expect(isSamePlan(plan(folder), other)).toBe(false);
  });
});
