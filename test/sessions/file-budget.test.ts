import { describe, expect, it } from "vitest";
import { createFileBudget } from "../../src/sessions/file-budget.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { agentId, databaseIn } from "./fixture.ts";

const [ann, bob] = [agentId("ann"), agentId("bob")];

function budgetIn(folder: string, hands: { now: string }, maxDayBytes = 100) {
  return createFileBudget({ database: databaseIn(folder, "s.db"), clock: () => new Date(hands.now), maxDayBytes });
}

describe("the budget of files", () => {
  it("counts each agent for itself, up to the last byte", () => {
    const budget = budgetIn(temporaryFolder(), { now: "2026-11-30T23:59:59Z" });
    budget.spend(ann, 60);
    expect([budget.left(ann), budget.left(bob)]).toEqual([40, 100]);
    expect(() => budget.spend(ann, 41)).toThrow("ann has read and written 100 bytes of files today");
    budget.spend(ann, 40);
    expect(() => budget.left(ann)).toThrow(expect.objectContaining({ code: "resource_exhausted" }));
    expect(budget.left(bob)).toBe(100);
  });

  it("begins anew every day", () => {
    const hands = { now: "2026-11-30T23:59:59Z" };
    const budget = budgetIn(temporaryFolder(), hands);
    budget.spend(ann, 100);
    hands.now = "2026-12-01T00:00:00Z";
    expect(budget.left(ann)).toBe(100);
  });

  it("survives a restart", () => {
    const folder = temporaryFolder();
    const hands = { now: "2026-11-30T10:00:00Z" };
    const budget = budgetIn(folder, hands);
    budget.spend(ann, 70);
    budget.flush();
    expect(budgetIn(folder, hands).left(ann)).toBe(30);
    hands.now = "2026-12-02T10:00:00Z";
    expect(budgetIn(folder, hands).left(ann)).toBe(100);
  });
});
