import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEgressCheck } from "../../src/wiring/egress-check.ts";

/** A target, and what is right for it by the RFCs, the WHATWG URL standard and the registries. */
interface FoundTarget {
  readonly target: string;
  readonly verdict: string;
  readonly reason: string;
  readonly host?: string;
}

const file = join(import.meta.dirname, "../corpus/egress-targets.jsonl");
const targets = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as FoundTarget);
const check = createEgressCheck({ allow: [], resolver: undefined });

describe("targets that were thought of since the first list", () => {
  // In one test for each kind of answer: a test for each of the lines would take longer to start than to run.
  it.each([...new Set(targets.map(({ reason }) => reason))])("%s", async (reason) => {
    const cases = targets.filter((found) => found.reason === reason);
    const judged = await Promise.all(cases.map(({ target }) => check.target(target)));
    expect(judged.map((found) => pick(found))).toEqual(cases.map((found) => pick(found)));
  });

  it("are many", () => {
    expect(targets.length).toBeGreaterThan(3500);
  });
});

function pick(found: object): object {
  const { target, verdict, reason, host } = found as FoundTarget;
  return { target, verdict, reason, ...(host === undefined ? {} : { host }) };
}
