import { describe, expect, it } from "vitest";
import type { Audit } from "../../src/audit/open-audit.ts";
import { auditIn, entry } from "./fixture.ts";
import { temporaryFolder } from "./folders.ts";

describe("query", () => {
  const ask = (run: (audit: Audit) => void): void => {
    let minute = 0;
    const audit = auditIn(temporaryFolder(), { clock: () => new Date(Date.UTC(2026, 10, 30, 12, minute++)) });
    audit.close(audit.open(entry("echo one", { agent: "a" })), { kind: "done", facts: {} });
    audit.refuse(entry("echo two", { agent: "b", verdict: "deny" }));
    audit.close(audit.open(entry("echo three", { agent: "b" })), { kind: "failed", reason: "no", facts: {} });
    run(audit);
    audit.stop();
  };
  const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 30, 12, minute));

  it.each([
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ agent: "b" }, [6, 5, 4]],
    [{ session: "session-of-a" }, [3, 2]],
    [{ kind: "closed" as const }, [6, 3]],
    [{ verdict: "deny" as const }, [4]],
    [{ since: at(2), until: at(4) }, [4, 3]],
    [{ text: "echo t" }, [5, 4]],
    [{ agent: "b", kind: "opened" as const, text: "three" }, [5]],
    [{ agent: "nobody" }, []],
    [{ limit: 2 }, [6, 5]],
    [{ before: 3 }, [2, 1]],
  ])("%j finds %j", (filter, seqs) => {
    ask((audit) => expect(audit.query(filter).records.map((record) => record.seq)).toEqual(seqs));
  });

  it("pages to the beginning without loss or repeat", () => {
    ask((audit) => {
      const seen: number[] = [];
      let before: number | undefined;
      do {
        const page = audit.query({ limit: 4, ...(before === undefined ? {} : { before }) });
        seen.push(...page.records.map((record) => record.seq));
        before = page.next;
      } while (before !== undefined);
      expect(seen).toEqual([6, 5, 4, 3, 2, 1]);
    });
  });

  it.each([
    ["limit", { limit: 0 }],
    ["limit", { limit: 1001 }],
    ["limit", { limit: 1.5 }],
    ["before", { before: 0 }],
    ["before", { before: 1.5 }],
    ["since", { since: new Date(Number.NaN) }],
    ["text", { text: "x".repeat(1001) }],
  ])("refuses a bad %s", (field, filter) => {
    ask((audit) =>
      expect(() => audit.query(filter)).toThrow(expect.objectContaining({ code: "invalid_argument", field })),
    );
  });
});

describe("a query in a long log", () => {
  it("gives a short page with a place to go on instead of looking at everything", () => {
    const audit = auditIn(temporaryFolder());
    const first = audit.refuse(entry("the needle", { verdict: "deny" }));
    for (let index = 0; index < 10_500; index += 1) audit.note({ kind: "note", about: index });
    const page = audit.query({ text: "the needle" });
    expect(page.records).toEqual([]);
    expect(audit.query({ text: "the needle", before: page.next ?? 0 }).records[0]?.entry).toBe(first);
    audit.stop();
  });
});

describe("follow", () => {
  it("gives what there is, then what comes, and ends with its signal", async () => {
    const audit = auditIn(temporaryFolder());
    const stop = new AbortController();
    const seen: string[] = [];
    audit.note({ kind: "note", about: "before" });
    for await (const record of audit.follow({ kind: "note", text: "e" }, 1, stop.signal)) {
      seen.push(record.body);
      if (seen.length === 1)
        setImmediate(() => {
          audit.note({ kind: "note", about: "skip this" });
          audit.note({ kind: "note", about: "later" });
        });
      if (seen.length === 2) setImmediate(() => stop.abort());
    }
    expect(seen).toEqual(['"before"', '"later"']);
    audit.stop();
  });

  it("begins with the next record where nothing else is said", async () => {
    const audit = auditIn(temporaryFolder());
    const reader = audit.follow({}, undefined, new AbortController().signal);
    audit.note({ kind: "note", about: "next" });
    expect((await reader.next()).value).toMatchObject({ body: '"next"' });
    await reader.return(undefined);
    expect(() => audit.follow({ since: new Date(Number.NaN) }, 0, new AbortController().signal)).toThrow("since");
    audit.stop();
  });

  it("lets go of a reader that leaves early, and of one that comes aborted", async () => {
    const audit = auditIn(temporaryFolder());
    for await (const record of audit.follow({}, 0, new AbortController().signal)) {
      expect(record.seq).toBe(1);
      break;
    }
    for await (const record of audit.follow({}, 0, AbortSignal.abort())) expect.unreachable(String(record.seq));
    audit.stop();
  });
});
