import { describe, expect, it } from "vitest";
import { parseSessionId } from "../../src/model/ids.ts";
import type { Scope } from "../../src/model/scope.ts";
import type { Tier } from "../../src/model/subject.ts";
import type { SessionChange, SessionDraft } from "../../src/sessions/session-draft.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { admin, agent, channel, databaseIn, draft, path, rule, sessionsIn } from "./fixture.ts";

const problem = (code: string, field?: string): unknown =>
  expect.objectContaining({ code, ...(field === undefined ? {} : { field }) });
const tester = agent("tester");

describe("open", () => {
  it("makes a session with a random identifier and the workspace as its first folder", () => {
    const { session, existing } = sessionsIn(temporaryFolder()).open(tester, draft());
    expect(existing).toBe(false);
    expect(session.subject).toMatchObject({
      agent: "tester",
      channel: "socket",
      role: "member",
      tier: "operator",
      mode: "ask",
      attended: true,
    });
    expect(session.subject.session).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(session.scopes).toEqual([{ root: "/home/u/projects/a", access: "rw", lasts: "session" }]);
    expect(session.limits).toEqual({
      memoryBytes: 2 ** 31,
      cpus: 2,
      pids: 512,
      tmpBytes: 2 ** 28,
      openFiles: 1024,
      fileBytes: 2 ** 34,
    });
  });

  it("finds the same again, and another for every difference", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    expect(sessions.open(tester, draft())).toMatchObject({ existing: true, session: { subject: { session: id } } });
    const others = [
      sessions.open(tester, draft({ key: "other" })),
      sessions.open(tester, draft({ channel: channel("chat:1") })),
      sessions.open(tester, draft({ workspace: path("/home/u/projects/b") })),
      sessions.open(agent("tester", { channel: channel("tcp") }), draft()),
      sessions.open(agent("other"), draft()),
    ];
    expect(others.map(({ existing }) => existing)).toEqual(others.map(() => false));
    expect(new Set(others.map(({ session }) => session.subject.session)).size).toBe(others.length);
  });

  const needAdmin: readonly (readonly [string, Partial<SessionDraft>])[] = [
    ["mode", { mode: "autopilot" }],
    ["mode", { mode: "allow-all" }],
    ["workspace", { workspace: path("/home/u") }],
    ["workspace", { workspace: path("/home/u/projects-b") }],
    ["scopes", { scopes: [{ root: path("/etc"), access: "ro", lasts: "session" }] }],
    ["image", { image: "evil.example/x" }],
    ["limits", { limits: { cpus: 3 } }],
    ["limits", { limits: { openFiles: 1025 } }],
    ["limits", { limits: { fileBytes: 2 ** 35 } }],
  ];
  it.each(needAdmin)("gives a wider %s to an admin only", (field, change) => {
    const sessions = sessionsIn(temporaryFolder());
    expect(() => sessions.open(tester, draft(change))).toThrow(problem("permission_denied", field));
    expect(() => sessions.open({ ...admin, isAgent: true }, draft(change))).toThrow(
      problem("permission_denied", field),
    );
    expect(sessions.list(admin)).toEqual([]);
    expect(sessions.open(admin, draft(change)).existing).toBe(false);
  });

  it("gives nobody a tier above the own", () => {
    const sessions = sessionsIn(temporaryFolder());
    expect(() => sessions.open(tester, draft({ tier: "full" }))).toThrow(problem("permission_denied"));
    expect(sessions.open(tester, draft({ tier: "builder" })).session.subject.tier).toBe("builder");
  });

  it("lets an agent have less", () => {
    const { session } = sessionsIn(temporaryFolder()).open(
      tester,
      draft({ mode: "supervised", image: "node:24", limits: { cpus: 0.5 }, attended: false }),
    );
    expect(session).toMatchObject({
      subject: { mode: "supervised", attended: false },
      image: "node:24",
      limits: { cpus: 0.5, pids: 512 },
    });
  });

  const bad: readonly (readonly [string, Partial<SessionDraft>])[] = [
    ["key", { key: "x".repeat(129) }],
    ["key", { key: "a\nb" }],
    ["image", { image: "--privileged" }],
    ["image", { image: "a b" }],
    ["image", { image: "x".repeat(513) }],
    ["limits.cpus", { limits: { cpus: Number.NaN } }],
    ["limits.pids", { limits: { pids: 0 } }],
    [
      "scopes",
      {
        scopes: Array.from(
          { length: 33 },
          (_, index) => ({ root: path(`/s/${index}`), access: "ro", lasts: "session" }) as const,
        ),
      },
    ],
    ["scopes", { scopes: [{ root: path("/home/u/projects/a"), access: "ro", lasts: "session" }] }],
    [
      "scopes",
      {
        scopes: (["ro", "rw"] as const).map((access) => ({ root: path("/srv/x"), access, lasts: "session" as const })),
      },
    ],
    ["scopes", { scopes: [{ root: path("/srv/x"), access: "ro", lasts: "session", expiresAt: new Date() }] }],
  ];
  it.each(bad)("refuses a bad %s", (field, change) => {
    expect(() => sessionsIn(temporaryFolder()).open(admin, draft(change))).toThrow(problem("invalid_argument", field));
  });

  it("is bounded per agent, and makes room of what is idle", () => {
    let now = 0;
    const evicted: string[] = [];
    const sessions = sessionsIn(temporaryFolder(), {
      perAgent: 2,
      idleMs: 1000,
      clock: () => new Date(now),
      onEvicted: ({ key }) => evicted.push(key),
    });
    const first = sessions.open(tester, draft({ key: "1" })).session.subject.session;
    sessions.open(tester, draft({ key: "2" }));
    now = 900;
    sessions.touch(first);
    expect(() => sessions.open(tester, draft({ key: "3" }))).toThrow(problem("resource_exhausted"));
    sessions.open(agent("other"), draft());
    now = 1500;
    sessions.open(tester, draft({ key: "3" }));
    expect(evicted).toEqual(["2"]);
    expect(sessions.list(tester).map(({ key }) => key)).toEqual(["3", "1"]);
  });
});

describe("a session of somebody else", () => {
  it("is not there, for an admin it is", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    for (const stranger of [agent("other"), agent("other", { role: "admin" }), { ...admin, role: "member" as const }]) {
      expect(() => sessions.get(stranger, id)).toThrow(problem("not_found"));
      expect(() => sessions.update(stranger, id, { mode: "supervised" })).toThrow(problem("not_found"));
      expect(() => sessions.close(stranger, id)).toThrow(problem("not_found"));
      expect(sessions.list(stranger)).toEqual([]);
    }
    expect(sessions.get(admin, id).subject.agent).toBe("tester");
    expect(sessions.list(admin)).toHaveLength(1);
    const unknown = parseSessionId("unknown");
    if (unknown === undefined) throw new Error("no identifier");
    expect(() => sessions.get(admin, unknown)).toThrow(problem("not_found"));
  });

  it("never lends its mode to another channel", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(admin, draft({ mode: "allow-all" })).session.subject.session;
    expect(sessions.get(admin, id).subject.mode).toBe("allow-all");
    expect(sessions.get({ ...admin, channel: channel("web") }, id).subject.mode).toBe("ask");
    // Whoever oversees it must know it.
    expect(sessions.list({ ...admin, channel: channel("web") })).toMatchObject([{ subject: { mode: "allow-all" } }]);
    expect(sessions.list({ ...admin, isAgent: true, channel: channel("web") })).toEqual([]);
    const own = sessions.open(tester, draft()).session.subject.session;
    expect(() => sessions.get(agent("tester", { channel: channel("tcp") }), own)).toThrow(problem("not_found"));
  });

  it("never lends a tier that its agent has lost", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    expect(sessions.get(agent("tester", { tier: "read-only" }), id).subject.tier).toBe("read-only");
  });
});

describe("update", () => {
  const extra = { root: path("/srv/data"), access: "ro", lasts: "session" } as const;
  const vendor = { root: path("/home/u/projects/a/vendor"), access: "ro", lasts: "session" } as const;
  const workspace = path("/home/u/projects/a");

  const wider: readonly (readonly [string, SessionChange])[] = [
    ["mode", { mode: "autopilot" }],
    ["add_scopes", { addScopes: [{ ...extra, root: path("/etc") }] }],
    ["add_scopes", { addScopes: [{ ...extra, access: "rw" }] }],
    ["add_scopes", { addScopes: [{ ...extra, lasts: "always" }] }],
    ["remove_scopes", { removeScopes: [vendor.root] }],
    ["add_rules", { addRules: [rule("new", "allow")] }],
    ["remove_rules", { removeRules: ["denies"] }],
    ["add_rules", { addRules: [rule("denies", "allow")] }],
    ["remove_rules", { addRules: [rule("denies", "ask")] }],
  ];
  it.each(wider)("that widens needs an admin: %s %j", (field, change) => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    const before = sessions.update(admin, id, {
      addScopes: [extra, vendor],
      addRules: [rule("denies", "deny"), rule("allows", "allow")],
    });
    expect(() => sessions.update(tester, id, change)).toThrow(problem("permission_denied", field));
    expect(() => sessions.update({ ...admin, isAgent: true }, id, change)).toThrow(problem("not_found"));
    expect(sessions.get(tester, id)).toEqual(before);
    expect(sessions.update(admin, id, change)).not.toMatchObject({
      scopes: before.scopes,
      rules: before.rules,
      subject: before.subject,
    });
  });

  it("that narrows is free", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    sessions.update(admin, id, { addScopes: [{ ...extra, access: "rw" }], addRules: [rule("allows", "allow")] });
    const narrowed = sessions.update(tester, id, {
      mode: "supervised",
      addScopes: [extra, { root: workspace, access: "ro", lasts: "session" }],
      addRules: [rule("denies", "deny")],
      removeRules: ["allows"],
    });
    expect(narrowed).toMatchObject({
      subject: { mode: "supervised" },
      scopes: [{ root: workspace, access: "ro" }, extra],
      rules: [{ id: "denies" }],
    });
    expect(sessions.update(tester, id, { removeScopes: [extra.root] }).scopes).toHaveLength(1);
    expect(() =>
      sessions.update(tester, id, { addScopes: [{ root: workspace, access: "rw", lasts: "session" }] }),
    ).toThrow(problem("permission_denied"));
  });

  const bad: readonly (readonly [string, SessionChange])[] = [
    ["remove_scopes", { removeScopes: [workspace] }],
    ["remove_scopes", { removeScopes: [path("/nowhere")] }],
    ["add_scopes", { addScopes: Array.from({ length: 33 }, (_, index) => ({ ...extra, root: path(`/s/${index}`) })) }],
    [
      "add_scopes",
      { addScopes: [{ root: workspace, access: "rw", lasts: "session", expiresAt: new Date("2100-01-01") }] },
    ],
    ["add_scopes", { addScopes: [{ root: workspace, access: "ro", lasts: "once" }] }],
    ["add_scopes", { addScopes: [{ root: workspace, access: "ro", lasts: "always" }] }],
    ["add_scopes", { addScopes: [{ ...extra, expiresAt: new Date() }] }],
    ["add_rules", { addRules: [{ ...rule("x", "deny"), source: "user" }] }],
    ["add_rules", { addRules: Array.from({ length: 201 }, (_, index) => rule(String(index), "deny")) }],
  ];
  it.each(bad)("refuses a bad %s", (field, change) => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    expect(() => sessions.update(admin, id, change)).toThrow(problem("invalid_argument", field));
  });

  it("of a folder ends with its time", () => {
    let now = 0;
    const sessions = sessionsIn(temporaryFolder(), { clock: () => new Date(now) });
    const id = sessions.open(tester, draft()).session.subject.session;
    sessions.update(admin, id, { addScopes: [{ ...extra, expiresAt: new Date(1000) }] });
    now = 999;
    expect(sessions.get(tester, id).scopes).toHaveLength(2);
    now = 1000;
    expect(sessions.get(tester, id).scopes).toHaveLength(1);
  });

  it("of a folder lies above a lasting one, which comes back", () => {
    let now = 0;
    const folder = temporaryFolder();
    const sessions = sessionsIn(folder, { clock: () => new Date(now) });
    const id = sessions.open(tester, draft()).session.subject.session;
    const accesses = (): string[] => sessions.get(tester, id).scopes.map(({ access, lasts }) => `${access} ${lasts}`);
    const add = (scope: Partial<Scope>): unknown => sessions.update(admin, id, { addScopes: [{ ...extra, ...scope }] });
    add({ access: "ro" });
    add({ access: "rw", expiresAt: new Date(500) });
    add({ access: "rw", expiresAt: new Date(1000) });
    expect(accesses()).toEqual(["rw session", "rw session"]);
    now = 1000;
    expect(accesses()).toEqual(["rw session", "ro session"]);
    add({ access: "rw", lasts: "once" });
    expect(accesses()).toEqual(["rw session", "rw once"]);
    sessions.spend(id, [extra.root]);
    expect(accesses()).toEqual(["rw session", "ro session"]);
    add({ access: "rw", expiresAt: new Date(2000) });
    expect(sessionsIn(folder, { clock: () => new Date(3000) }).get(tester, id).scopes).toHaveLength(2);
    add({ access: "rw" });
    now = 2000;
    expect(accesses()).toEqual(["rw session", "rw session"]);
    sessions.update(admin, id, { removeScopes: [extra.root] });
    expect(accesses()).toEqual(["rw session"]);
  });
});

describe("a command in the session's sandbox", () => {
  it("uses it as its agent would on the session's own channel, with the tier of now", () => {
    const sessions = sessionsIn(temporaryFolder());
    const away = agent("tester", { channel: channel("tcp") });
    const id = sessions.open(away, draft({ channel: channel("tcp") })).session.subject.session;
    sessions.update(admin, id, { mode: "allow-all" });
    expect(sessions.get(admin, id).subject).toMatchObject({ mode: "ask", tier: "operator" });
    const asked: string[] = [];
    const subject = (tier: Tier) =>
      sessions.inside(id, (name) => {
        asked.push(name);
        return tier;
      }).subject;
    expect(subject("full")).toMatchObject({ agent: "tester", mode: "allow-all", tier: "operator" });
    expect(subject("read-only")).toMatchObject({ mode: "allow-all", tier: "read-only" });
    expect(asked).toEqual(["tester", "tester"]);
    sessions.close(admin, id);
    expect(() => sessions.inside(id, () => "full")).toThrow(problem("not_found"));
  });
});

describe("close", () => {
  it("ends it for good, also on disk", () => {
    const folder = temporaryFolder();
    const sessions = sessionsIn(folder);
    const id = sessions.open(tester, draft()).session.subject.session;
    expect(sessions.close(tester, id).key).toBe("default");
    expect(() => sessions.get(tester, id)).toThrow(problem("not_found"));
    expect(sessionsIn(folder).list(admin)).toEqual([]);
  });
});

describe("a restart", () => {
  it("keeps the session, but no mode that is wider than the default and nothing that was for once", () => {
    const folder = temporaryFolder();
    const before = sessionsIn(folder).open(
      admin,
      draft({
        image: "node:24",
        scopes: [{ root: path("/srv/x"), access: "ro", lasts: "session", expiresAt: new Date("2100-01-01") }],
      }),
    ).session;
    const id = before.subject.session;
    const again = sessionsIn(folder);
    expect(again.get(admin, id)).toEqual(before);
    again.update(admin, id, {
      mode: "allow-all",
      addScopes: [{ root: path("/srv/y"), access: "ro", lasts: "once" }],
      addRules: [{ ...rule("r", "deny"), because: "no" }],
    });
    const restarted = sessionsIn(folder).get(admin, id);
    expect(restarted.subject.mode).toBe("ask");
    expect(restarted.scopes).toEqual(before.scopes);
    expect(restarted.rules).toEqual([{ ...rule("r", "deny"), because: "no" }]);
  });

  it.each([
    ["$.session.subject.tier", '"root"'],
    ["$.session.subject.mode", "null"],
    ["$.session.workspace", '"relative"'],
    ["$.session.scopes[0].access", '"rwx"'],
    ["$.session.limits.cpus", "-1"],
    ["$.session.limits.openFiles", "0"],
    ["$.session.subject.session", '"another"'],
    ["$.openedOn", "1"],
  ])("forgets a session whose %s was made %s", (field, value) => {
    const folder = temporaryFolder();
    sessionsIn(folder).open(tester, draft());
    const database = databaseIn(folder, "sessions.db");
    database.prepare("UPDATE sessions SET body = json_set(body, ?, json(?))").run(field, value);
    expect(sessionsIn(folder).list(admin)).toEqual([]);
    expect(database.prepare("SELECT count(*) AS n FROM sessions").get()).toEqual({ n: 0 });
  });

  it("is not needed to see that a session could not be stored", () => {
    const database = databaseIn(temporaryFolder(), "sessions.db");
    const sessions = sessionsIn(temporaryFolder(), { database });
    database.close();
    expect(() => sessions.open(tester, draft())).toThrow(problem("unavailable"));
    expect(sessions.list(admin)).toEqual([]);
  });
});
