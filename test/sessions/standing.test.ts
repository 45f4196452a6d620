import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../audit/folders.ts";
import { admin, agent, agentId, databaseIn, draft, path, sessionsIn } from "./fixture.ts";

const problem = (code: string, field?: string): unknown =>
  expect.objectContaining({ code, ...(field === undefined ? {} : { field }) });
const tester = agent("tester");
const workspace = path("/home/u/projects/a");
const own = { root: workspace, access: "rw", lasts: "session" } as const;
const data = { root: path("/srv/data"), access: "rw", lasts: "always" } as const;

describe("a folder that is granted always", () => {
  it("is in every session of the agent in the workspace, open or later, and over a restart", () => {
    const folder = temporaryFolder();
    const sessions = sessionsIn(folder);
    const first = sessions.open(tester, draft()).session.subject.session;
    const second = sessions.open(tester, draft({ key: "2" })).session.subject.session;
    expect(sessions.update(admin, first, { addScopes: [data] }).scopes).toEqual([own, data]);
    expect(sessions.get(tester, second).scopes).toEqual([own, data]);
    sessions.close(tester, first);
    const again = sessionsIn(folder);
    expect(again.get(tester, second).scopes).toEqual([own, data]);
    expect(again.open(tester, draft({ key: "3" })).session.scopes).toEqual([own, data]);
    const elsewhere = path("/home/u/projects/b");
    expect(again.open(tester, draft({ workspace: elsewhere })).session.scopes).toHaveLength(1);
    expect(again.open(agent("other"), draft()).session.scopes).toHaveLength(1);
  });

  it("can be given when a session is opened", () => {
    const sessions = sessionsIn(temporaryFolder());
    sessions.open(admin, draft({ scopes: [data, { ...data, root: path("/srv/x"), lasts: "session" }] }));
    expect(sessions.open(admin, draft({ key: "2" })).session.scopes).toEqual([own, data]);
    expect(() => sessions.open(tester, draft({ scopes: [data] }))).toThrow(problem("permission_denied", "scopes"));
  });

  it("is an admin's to give, to change and to take back", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    expect(() => sessions.update(tester, id, { addScopes: [data] })).toThrow(
      problem("permission_denied", "add_scopes"),
    );
    sessions.update(admin, id, { addScopes: [data] });
    for (const change of [{ addScopes: [{ ...data, access: "ro" as const }] }, { removeScopes: [data.root] }])
      expect(() => sessions.update(tester, id, change)).toThrow(problem("permission_denied"));
    const place = { agent: agentId("tester"), workspace };
    for (const who of [tester, { ...admin, isAgent: true }]) {
      expect(() => sessions.standing(who)).toThrow(problem("permission_denied"));
      expect(() => sessions.revokeStanding(who, place, data.root)).toThrow(problem("permission_denied"));
    }
    expect(sessions.standing(admin)).toMatchObject([{ ...place, scope: data }]);
  });

  it("is taken back from all sessions, through one of them or without", () => {
    const folder = temporaryFolder();
    const sessions = sessionsIn(folder);
    const [first, second] = ["1", "2"].map((key) => sessions.open(tester, draft({ key })).session.subject.session);
    if (first === undefined || second === undefined) throw new Error("no sessions");
    sessions.update(admin, first, { addScopes: [data] });
    expect(sessions.update(admin, second, { removeScopes: [data.root] }).scopes).toEqual([own]);
    expect(sessions.get(tester, first).scopes).toEqual([own]);
    sessions.update(admin, first, { addScopes: [data] });
    const place = { agent: agentId("tester"), workspace };
    sessions.revokeStanding(admin, place, data.root);
    expect(sessions.get(tester, second).scopes).toEqual([own]);
    expect(() => sessions.revokeStanding(admin, place, data.root)).toThrow(problem("not_found", "root"));
    expect(sessionsIn(folder).standing(admin)).toEqual([]);
  });

  it("gives way to what its session says of the same folder, and both are taken back together", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    sessions.update(admin, id, { addScopes: [data] });
    const narrower = { ...data, access: "ro", lasts: "session" } as const;
    expect(() => sessions.update(tester, id, { addScopes: [narrower] })).toThrow(problem("permission_denied"));
    expect(sessions.update(admin, id, { addScopes: [narrower] }).scopes).toEqual([own, narrower]);
    expect(sessions.open(tester, draft({ key: "2" })).session.scopes).toEqual([own, data]);
    expect(() => sessions.update(tester, id, { removeScopes: [data.root] })).toThrow(problem("permission_denied"));
    expect(sessions.update(admin, id, { removeScopes: [data.root] }).scopes).toEqual([own]);
    expect(sessions.update(admin, id, { addScopes: [narrower] }).scopes).toEqual([own, narrower]);
    expect(sessions.update(admin, id, { addScopes: [data] }).scopes).toEqual([own, data]);
  });

  it("ends with its time", () => {
    let now = 0;
    const sessions = sessionsIn(temporaryFolder(), { clock: () => new Date(now) });
    const id = sessions.open(tester, draft()).session.subject.session;
    sessions.update(admin, id, { addScopes: [{ ...data, expiresAt: new Date(1000) }] });
    now = 999;
    expect(sessions.get(tester, id).scopes).toHaveLength(2);
    now = 1000;
    expect(sessions.get(tester, id).scopes).toHaveLength(1);
    expect(sessions.standing(admin)).toEqual([]);
    expect(() => sessions.update(admin, id, { removeScopes: [data.root] })).toThrow(problem("invalid_argument"));
  });

  it("is bounded", () => {
    const sessions = sessionsIn(temporaryFolder());
    const id = sessions.open(tester, draft()).session.subject.session;
    const many = Array.from({ length: 33 }, (_, index) => ({ ...data, root: path(`/srv/${index}`) }));
    sessions.update(admin, id, { addScopes: many.slice(0, 32) });
    expect(() => sessions.update(admin, id, { addScopes: many.slice(32) })).toThrow(
      problem("invalid_argument", "add_scopes"),
    );
    expect(sessions.update(admin, id, { addScopes: many.slice(0, 1) }).scopes).toHaveLength(33);
  });

  it("gives its place to others when its time is over", () => {
    let now = 0;
    const sessions = sessionsIn(temporaryFolder(), { clock: () => new Date(now) });
    const id = sessions.open(tester, draft()).session.subject.session;
    const expiresAt = new Date(1000);
    const many = Array.from({ length: 32 }, (_, index) => ({ ...data, root: path(`/srv/${index}`), expiresAt }));
    sessions.update(admin, id, { addScopes: many });
    now = 1000;
    expect(sessions.update(admin, id, { addScopes: [data] }).scopes).toEqual([own, data]);
  });

  it.each(["access = 'rwx'", "root = 'relative'", "agent = 'A'"])("is forgotten where its row has %s", (change) => {
    const folder = temporaryFolder();
    sessionsIn(folder).open(admin, draft({ scopes: [data] }));
    databaseIn(folder, "sessions.db").exec(`UPDATE standing_scopes SET ${change}`);
    expect(sessionsIn(folder).standing(admin)).toEqual([]);
  });
});

describe("a folder that is granted once", () => {
  const once = { root: path("/srv/data"), access: "ro", lasts: "once" } as const;

  it("is there until it is spent, and stays spent over a restart", () => {
    const folder = temporaryFolder();
    const sessions = sessionsIn(folder);
    const id = sessions.open(tester, draft()).session.subject.session;
    const other = { ...once, root: path("/srv/other") };
    expect(() => sessions.update(tester, id, { addScopes: [once] })).toThrow(problem("permission_denied"));
    sessions.update(admin, id, { addScopes: [once, other] });
    expect(sessions.get(tester, id).scopes).toEqual([own, once, other]);
    sessions.spend(id, [once.root, workspace]);
    expect(sessions.get(tester, id).scopes).toEqual([own, other]);
    expect(sessionsIn(folder).get(tester, id).scopes).toEqual([own]);
  });

  it("is not spent where that cannot be stored", () => {
    const database = databaseIn(temporaryFolder(), "sessions.db");
    const sessions = sessionsIn(temporaryFolder(), { database });
    const id = sessions.open(tester, draft()).session.subject.session;
    sessions.update(admin, id, { addScopes: [once] });
    database.close();
    expect(() => sessions.spend(id, [once.root])).toThrow(problem("unavailable"));
  });
});
