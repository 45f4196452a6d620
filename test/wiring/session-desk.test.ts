import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { factsLocate } from "../../src/files/locate.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { textFacts } from "../../src/policy/text-facts.ts";
import { sessionDesk } from "../../src/wiring/session-desk.ts";
import { present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { admin, agent, draft, path, sessionsIn } from "../sessions/fixture.ts";

/** A desk before real sessions and a real folder that holds `work`, `data` and the link `alias` to it. */
function setUp() {
  const folder = present(parseAbsolutePath(realpathSync(temporaryFolder())));
  const at = (name: string) => path(`${folder}/${name}`);
  for (const name of ["work", "data", "own"]) mkdirSync(join(folder, name));
  symlinkSync("data", join(folder, "alias"));
  const sessions = sessionsIn(temporaryFolder(), {
    defaults: {
      mode: "ask",
      limits: { memoryBytes: 1, cpus: 1, pids: 1, tmpBytes: 1 },
      workspaces: [at("work")],
      images: [],
    },
  });
  const renewed: string[] = [];
  const notes: string[] = [];
  let changes = 0;
  const desk = sessionDesk({
    sessions,
    facts: { ...textFacts({ home: path("/home/u") }), locate: factsLocate, own: [at("own")] },
    workspace: at("work"),
    end: () => Promise.resolve(),
    renew: (id) => void renewed.push(id),
    note: (_by, change, about) => void notes.push(`${change} ${JSON.stringify(about)}`),
    onChange: () => void (changes += 1),
  });
  const open = (key: string, who = agent("tester")) =>
    sessions.open(who, draft({ workspace: at("work"), key })).session.subject.session;
  return { desk, at, open, renewed, notes, changes: () => changes };
}

const nothing = { mode: undefined, addScopes: [], removeScopes: [] } as const;

describe("a session's folders", () => {
  it("are granted and taken back by their real paths, however they are written", () => {
    const { desk, at, open } = setUp();
    const id = open("a");
    const alias = { root: at("alias"), access: "ro", lasts: "session" } as const;
    expect(desk.update(admin, id, { ...nothing, addScopes: [alias] })).toMatchObject({
      scopes: [{ root: at("work") }, { root: at("data") }],
    });
    expect(desk.update(admin, id, { ...nothing, removeScopes: [at("alias")] })).toMatchObject({
      scopes: [{ root: at("work") }],
    });
  });

  it("tell nobody where a link leads that is not granted", () => {
    const { desk, at, open } = setUp();
    const refused = (): unknown => desk.update(agent("tester"), open("a"), { ...nothing, removeScopes: [at("alias")] });
    expect(refused).toThrow(`${at("alias")} is no granted folder`);
  });

  it.each([
    ["/", "never mounted"],
    ["/proc/1", "/proc is never mounted"],
    ["/dev", "/dev is never mounted"],
    ["own", "belongs to Sallyport itself"],
  ])("are never %s", (name, why) => {
    const { desk, at, open } = setUp();
    const root = name.startsWith("/") ? path(name) : at(name);
    const granting = (): unknown =>
      desk.update(admin, open("a"), { ...nothing, addScopes: [{ root, access: "ro", lasts: "session" }] });
    expect(granting).toThrow(why);
  });

  it("renew the sandboxes of all sessions that have other ones by now", async () => {
    const { desk, at, open, renewed, notes, changes } = setUp();
    const [first, second] = [open("a"), open("b")];
    open("a", agent("other"));
    const always = { root: at("data"), access: "rw", lasts: "always" } as const;
    await desk.update(admin, first, { ...nothing, mode: "supervised" });
    expect([renewed, changes()]).toEqual([[], 1]);
    await desk.update(admin, first, { ...nothing, addScopes: [always] });
    expect(renewed.splice(0).sort()).toEqual([first, second].sort());
    await desk.revokeStanding(admin, { agent: agent("tester").agent, workspace: at("work"), root: at("data") });
    expect(renewed.splice(0).sort()).toEqual([first, second].sort());
    expect(changes()).toBe(3);
    expect(notes.at(-1)).toContain("take back a folder");
    expect(desk.standing(admin)).toEqual([]);
  });
});
