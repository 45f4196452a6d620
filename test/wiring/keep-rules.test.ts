import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Keeping } from "../../src/approvals/keeping.ts";
import { openPermissions } from "../../src/config/permissions.ts";
import type { Decision } from "../../src/model/decision.ts";
import type { RuleDraft } from "../../src/model/rule.ts";
import { keepRules } from "../../src/wiring/keep-rules.ts";
import { ruleProposals } from "../../src/wiring/rule-proposals.ts";
import { rulesPlaces } from "../../src/wiring/rules-places.ts";
import { sessionRules } from "../../src/wiring/session-rules.ts";
import { auditIn, entry } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { scratch } from "../config/files.ts";
import { admin, agent, draft, sessionsIn } from "../sessions/fixture.ts";

/** Real files, sessions and audit. */
function setUp() {
  const { home, paths, put } = scratch();
  const permissions = openPermissions({ paths, home, real: (same) => same, onReload: () => {} });
  onTestFinished(() => permissions.close());
  const sessions = sessionsIn(temporaryFolder());
  const world = ({ workspace }: { readonly workspace: typeof home }) => ({
    home,
    workspace,
    real: (same: typeof home) => same,
  });
  let changes = 0;
  const keep = keepRules({
    permissions,
    sessions,
    addToSession: sessionRules(sessions, world),
    onChange: () => void (changes += 1),
  });
  const { session } = sessions.open(agent("tester"), draft());
  const audit = auditIn(temporaryFolder());
  onTestFinished(() => audit.stop());
  const keeping = (lasts: Keeping["lasts"], ...matches: readonly string[]): Keeping => ({
    drafts: matches.map((match): RuleDraft => ({ capability: "shell", match, effect: "allow" })),
    by: { kind: "person", name: "alice", channel: "web" },
    subject: session.subject,
    lasts,
  });
  const { workspace } = session;
  const propose = ruleProposals({ permissions, sessions, audit, world, workspace });
  return { keep, keeping, permissions, sessions, session, paths, put, audit, propose, changes: () => changes };
}

describe("rules of an answer", () => {
  it("go to the user's file, all of them, and once", () => {
    const { keep, keeping, paths, changes } = setUp();
    const always = { kind: "always", file: "user" } as const;
    expect(keep(keeping(always, "a *", "b"))).toMatchObject([
      { source: "user", match: ["a *"], because: "answered by alice on web" },
      { source: "user", match: ["b"] },
    ]);
    const text = readFileSync(paths.user, "utf8");
    expect(keep(keeping(always, "b", "a *")).map(({ match }) => match)).toEqual([["b"], ["a *"]]);
    expect(readFileSync(paths.user, "utf8")).toBe(text);
    expect(changes()).toBe(2);
  });

  it("go to the file of the session's workspace, which the question names", () => {
    const { keep, keeping, paths, session, sessions } = setUp();
    const places = rulesPlaces(paths, sessions)(session.subject);
    expect(places.map(({ file }) => file)).toEqual(["user", "workspace"]);
    keep(keeping({ kind: "always", file: "workspace" }, "a"));
    expect(readFileSync(places[1]?.path ?? "", "utf8")).toContain("a");
    expect(keep(keeping({ kind: "always", file: "workspace" }, "a"))).toMatchObject([{ source: "workspace" }]);
  });

  it("are none where one of them cannot be a rule, or the file changed since it was read", () => {
    const { keep, keeping, paths, put } = setUp();
    const bad = keeping({ kind: "always", file: "user" }, "a", "b");
    const drafts = [
      ...bad.drafts,
      { capability: "fs_read", match: `/x/${"y".repeat(100_000)}`, effect: "allow" } as const,
    ];
    expect(() => keep({ ...bad, drafts })).toThrow(/./);
    expect(() => readFileSync(paths.user)).toThrow("ENOENT");
    put(paths.user, "rules: []\n");
    expect(() => keep(bad)).toThrow("changed since it was read");
    expect(readFileSync(paths.user, "utf8")).toBe("rules: []\n");
  });

  it("go to the session with their end, and replace what says the same", () => {
    const { keep, keeping, sessions, session } = setUp();
    const until = new Date(Date.now() + 60_000);
    const [kept] = keep(keeping({ kind: "session", until }, "a"));
    expect(kept).toMatchObject({ source: "session", match: ["a"], expiresAt: until });
    keep(keeping({ kind: "session" }, "a", "b"));
    const { rules } = sessions.get(admin, session.subject.session);
    expect(rules.map(({ match, expiresAt }) => [match[0], expiresAt])).toEqual([
      ["a", undefined],
      ["b", undefined],
    ]);
    expect(rules[0]?.id).toBe(kept?.id);
  });

  it("are none for a session that is gone", () => {
    const { keep, keeping, sessions, session } = setUp();
    sessions.close(admin, session.subject.session);
    expect(() => keep(keeping({ kind: "session" }, "a"))).toThrow("no such session");
  });
});

describe("proposals", () => {
  const signal = new AbortController().signal;

  it("name one rule for three answers, and what else it would have allowed in the past", async () => {
    const { keep, keeping, audit, propose, session, sessions, permissions } = setUp();
    const always = { kind: "always", file: "user" } as const;
    const { workspace, scopes } = session;
    const request = (text: string, folders = { workspace, scopes }): void => {
      const [program = "", ...rest] = text.split(" ");
      const effect = { kind: "run", program, argv: [program, ...rest], text } as const;
      const decision: Decision = {
        verdict: "ask",
        findings: [{ effect, verdict: "ask", rules: [], because: "nobody spoke", firm: false }],
      };
      const about = { subject: { ...session.subject, tier: "full" }, decision, verdict: "deny", folders } as const;
      audit.refuse(entry(text, about));
    };
    for (const text of ["eslint a.ts", "eslint --cache c.ts", "eslint --cache c.ts", "rm -rf x", "eslint"])
      request(text);
    keep(keeping(always, "eslint a.ts", "eslint b.ts"));
    expect(await propose(signal)).toEqual([]);
    permissions.add({ source: "user" }, { capability: "shell", match: ["eslint d.ts"], exclude: [], effect: "allow" });
    // A rule that nobody answered is no answer.
    expect(await propose(signal)).toEqual([]);
    keep(keeping(always, "eslint c.ts"));
    expect(await propose(signal)).toMatchObject([
      {
        draft: { capability: "shell", match: "eslint *", effect: "allow" },
        replaces: [{ match: ["eslint a.ts"] }, { match: ["eslint b.ts"] }, { match: ["eslint c.ts"] }],
        wouldHaveAllowed: ["run eslint --cache c.ts"],
        total: 1,
      },
    ]);
    // A closed session's requests are judged with the folders of their records.
    sessions.close(admin, session.subject.session);
    expect(await propose(signal)).toMatchObject([{ wouldHaveAllowed: ["run eslint --cache c.ts"], total: 1 }]);
    request("eslint after.ts");
    expect(await propose(signal)).toMatchObject([{ total: 2 }]);
  });
});
