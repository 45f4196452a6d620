import { describe, expect, it } from "vitest";
import { createEgressCounts } from "../../src/sessions/egress-counts.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { databaseIn } from "./fixture.ts";

const open = (folder: string) => createEgressCounts(databaseIn(folder, "s.db"));

describe("the counts of the way out", () => {
  it("survive a restart, each agent's own", () => {
    const folder = temporaryFolder();
    const counts = open(folder);
    counts.keep("ann", { day: 20_000, bytes: 70, allowance: 1.5, at: 1_728_000_000_123 });
    counts.keep("bob", { day: 20_000, bytes: 7, allowance: 0, at: 1 });
    counts.flush();
    expect(open(folder).find("ann")).toEqual({ day: 20_000, bytes: 70, allowance: 1.5, at: 1_728_000_000_123 });
    expect(open(folder).find("bob")).toEqual({ day: 20_000, bytes: 7, allowance: 0, at: 1 });
    expect(open(folder).find("eve")).toBeUndefined();
  });

  it("are what they were at the moment of storing", () => {
    const folder = temporaryFolder();
    const counts = open(folder);
    const count = { day: 1, bytes: 1, allowance: 9, at: 5 };
    counts.keep("ann", count);
    count.bytes = 2;
    expect(counts.find("ann")?.bytes).toBe(2);
    counts.flush();
    counts.keep("ann", { ...count, bytes: 3 });
    counts.flush();
    expect(open(folder).find("ann")?.bytes).toBe(3);
  });
});
