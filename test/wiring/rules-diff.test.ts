import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { entryBody } from "../../src/audit/entry-body.ts";
import { type AuditRecord, AuditRecordSchema } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { Entry } from "../../src/model/gate-ports.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { SessionFolders } from "../../src/model/session.ts";
import { createRulesDiff, type Difference } from "../../src/wiring/rules-diff.ts";
import { recordedFolders, recordedRequest } from "../../src/wiring/recorded-request.ts";
import { entry, present } from "../audit/fixture.ts";

const at = (text: string): AbsolutePath => present(parseAbsolutePath(text));
const work: SessionFolders = {
  workspace: at("/work"),
  scopes: [
    { root: at("/work"), access: "rw", lasts: "session" },
    { root: at("/data"), access: "ro", lasts: "always", expiresAt: new Date(0) },
  ],
};

/** A read that was allowed, as it is recorded. */
function read(path: string, folders?: SessionFolders): AuditRecord {
  const past: Entry = {
    ...entry("x"),
    intent: { kind: "stat", path: at(path) },
    decision: {
      verdict: "allow",
      findings: [
        {
          effect: { kind: "read", path: at(path), exact: true },
          verdict: "allow",
          rules: [],
          because: "",
          firm: false,
        },
      ],
    },
    ...(folders === undefined ? {} : { folders }),
  };
  const { agent, session: sessionId } = past.subject;
  return create(AuditRecordSchema, { agent, sessionId, bodyJson: JSON.stringify(entryBody(past)) });
}

/** What a file of the user makes of a record of a closed session, where `rules` hold now. */
function difference(record: AuditRecord, file: string, rules: readonly Rule[] = []): Promise<Difference> {
  const differenceOf = createRulesDiff({
    candidate: {
      text: { file: "/next.yaml", text: file, hash: createHash("sha256").update(file).digest("hex") },
      source: "user",
    },
    home: at("/home/u"),
    real: (path) => path,
    session: () => Promise.resolve(undefined),
    fileRules: ({ workspace }, agent) => (workspace === "/work" && agent === "tester" ? rules : []),
  });
  return differenceOf(record);
}

const denies = "rules:\n  - { capability: fs_read, effect: deny, match: b.txt, because: it is mine }\n";

describe("a request of a closed session", () => {
  it("is judged with the folders in its record", async () => {
    const changed = await difference(read("/work/b.txt", work), denies);
    expect(changed).toMatchObject({ kind: "changed", before: "allow", after: "deny" });
    expect(JSON.stringify(changed)).toContain("it is mine");
    for (const path of ["/work/a.txt", "/data/b.txt"])
      expect(await difference(read(path, work), denies), path).toEqual({ kind: "same" });
    // Relative patterns are about the workspace of then.
    const other = { ...work, workspace: at("/data") };
    expect(await difference(read("/data/b.txt", other), denies)).toMatchObject({ before: "allow", after: "deny" });
  });

  it("is judged with the rules of the files, without those that are replaced", async () => {
    const rule = (source: Rule["source"]): Rule => ({
      id: `${source}.x`,
      source,
      capability: "fs_read",
      match: ["/work/b.txt"],
      exclude: [],
      effect: "deny",
    });
    const record = read("/work/b.txt", work);
    expect(await difference(record, denies, [rule("workspace")])).toEqual({ kind: "same" });
    const lifted = await difference(record, "rules: []\n", [rule("user")]);
    expect(lifted).toMatchObject({ kind: "changed", before: "deny", after: "allow" });
  });

  it("is left out where its record does not say what folders it had", async () => {
    expect(await difference(read("/work/b.txt"), denies)).toEqual({ kind: "unknown" });
    const many = Array.from({ length: 2000 }, (_, index) => ({
      ...present(work.scopes[0]),
      root: at(`/work/${index}`),
    }));
    const record = read("/work/b.txt", { ...work, scopes: many });
    expect(recordedRequest(record.bodyJson)).toBeDefined();
    expect(await difference(record, denies)).toEqual({ kind: "unknown" });
  });
});

it("reads folders back from a record, and none that are broken", () => {
  const { bodyJson } = read("/work/b.txt", work);
  expect(recordedFolders(bodyJson)).toEqual({
    workspace: "/work",
    scopes: [
      { root: "/work", access: "rw", lasts: "session" },
      { root: "/data", access: "ro", lasts: "session" },
    ],
  });
  for (const [from, to] of [
    ['"workspace":"/work"', '"workspace":"work"'],
    ['"access":"ro"', '"access":"all"'],
    ['{"root":"/data","access":"ro"}', '"[1 more]"'],
  ] as const)
    expect(recordedFolders(bodyJson.replace(from, to)), to).toBe(undefined);
});
