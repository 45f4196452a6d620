import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPermissions, type Permissions, type ReloadReport } from "../../src/config/permissions.ts";
import { parseAgentId } from "../../src/model/ids.ts";
import { path, scratch } from "./files.ts";

const agent = parseAgentId("local");
const workspace = path("/w");

function open(setUp: (files: ReturnType<typeof scratch>) => void = () => {}) {
  const files = scratch();
  setUp(files);
  const reports: ReloadReport[] = [];
  const waiting: (() => void)[] = [];
  const permissions = openPermissions({
    paths: files.paths,
    home: files.home,
    real: (same) => same,
    onReload(report) {
      reports.push(report);
      for (const wake of waiting.splice(0)) wake();
    },
  });
  onTestFinished(() => permissions.close());
  /** Resolves when a report arrived after `act`. */
  async function reported(act: () => void): Promise<ReloadReport> {
    const arrived = new Promise<void>((resolve) => waiting.push(resolve));
    act();
    await arrived;
    const last = reports.at(-1);
    if (last === undefined) throw new Error("no report");
    return last;
  }
  return { ...files, permissions, reports, reported };
}

function rules(permissions: Permissions) {
  if (agent === undefined) throw new Error("bad name");
  return permissions.rules(workspace, agent);
}

const allow = "rules:\n  # why\n  - capability: shell\n    effect: allow\n    match: ls *   # note\n";

describe("permissions", () => {
  it("joins managed, user, workspace and agent rules and keeps the list while nothing changes", () => {
    const { permissions } = open(({ paths, put }) => {
      put(paths.user, allow);
      put(`${paths.managed[0]}`, "rules: [{capability: mcp, effect: deny}]");
      put(paths.workspace(workspace), "rules: [{capability: fs_write, effect: ask, match: src}]");
      if (agent !== undefined) put(paths.agent(agent), "rules: [{capability: skill, effect: allow}]");
    });
    expect(rules(permissions).map((rule) => rule.source)).toEqual(["managed", "user", "workspace", "agent"]);
    expect(rules(permissions)).toBe(rules(permissions));
  });

  it("reloads a file that is replaced by a rename, twice", async () => {
    const { permissions, reported, paths, put } = open(({ paths, put }) => put(paths.user, allow));
    for (const effect of ["deny", "ask"]) {
      const report = await reported(() => {
        put(`${paths.user}.new`, `rules: [{capability: shell, effect: ${effect}}]`);
        renameSync(`${paths.user}.new`, paths.user);
      });
      expect(report).toEqual({ file: paths.user, faults: [], rules: 1 });
      expect(rules(permissions)[0]?.effect).toBe(effect);
    }
  });

  it("keeps the last good rules on a broken edit, says so, and recovers", async () => {
    const { permissions, reported, paths } = open(({ paths, put }) =>
      put(paths.user, "rules: [{capability: shell, effect: deny}]"),
    );
    const before = rules(permissions);
    const report = await reported(() => writeFileSync(paths.user, "rules: [{capability: shell, efect: allow}]"));
    expect(report.faults.length).toBeGreaterThan(0);
    expect(report.rules).toBe(1);
    expect(rules(permissions)).toBe(before);
    expect(permissions.faults()).toEqual(report.faults);
    await reported(() => writeFileSync(paths.user, "rules: []"));
    expect(permissions.faults()).toEqual([]);
    expect(rules(permissions)).toEqual([]);
  });

  it("lets rules go when their file is gone", async () => {
    const { permissions, reported, paths } = open(({ paths, put }) => put(paths.user, allow));
    await reported(() => rmSync(paths.user));
    expect(rules(permissions)).toEqual([]);
  });

  it("does not start with a broken file, and does not judge by a broken workspace file", () => {
    expect(() => open(({ paths, put }) => put(paths.user, "rules: 1"))).toThrow("must be a list of rules");
    const { permissions } = open(({ paths, put }) => put(paths.workspace(workspace), "rules: 1"));
    expect(() => rules(permissions)).toThrow("must be a list of rules");
  });

  it("adds a rule and keeps the comments", () => {
    const { permissions, paths } = open(({ paths, put }) => put(paths.user, allow));
    const added = permissions.add(
      { source: "user" },
      { capability: "fs_write", match: ["/w/[a]*"], exclude: [], effect: "allow", because: "said so" },
    );
    expect(added).toMatchObject({ source: "user", capability: "fs_write", because: "said so" });
    expect(readFileSync(paths.user, "utf8")).toBe(
      `rules:\n  # why\n  - capability: shell\n    effect: allow\n    match: ls * # note\n  - capability: fs_write\n    effect: allow\n    match:\n      - /w/[a]*\n    because: said so\n`,
    );
    expect(rules(permissions).map((rule) => rule.capability)).toEqual(["shell", "fs_write"]);
  });

  it("adds to a file that is not there, and removes again", () => {
    const { permissions, paths } = open();
    const place = { source: "workspace", workspace } as const;
    const added = permissions.add(place, { capability: "shell", match: ["npm ci"], exclude: [], effect: "allow" });
    expect(added.origin).toBe(`${paths.workspace(workspace)}:2`);
    expect(rules(permissions)).toHaveLength(1);
    expect(() => permissions.remove(place, "workspace.nothing")).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    permissions.remove(place, added.id);
    expect(rules(permissions)).toEqual([]);
  });

  it("refuses an edit where the file changed since it was read, and one that would not load", () => {
    const { permissions, paths } = open(({ paths, put }) => put(paths.user, allow));
    expect(() =>
      permissions.add(
        { source: "user" },
        { capability: "fs_read", match: ["{a,b}".repeat(9)], exclude: [], effect: "allow" },
      ),
    ).toThrow("alternatives");
    expect(readFileSync(paths.user, "utf8")).toBe(allow);
    writeFileSync(paths.user, `${allow}# by hand\n`);
    expect(() =>
      permissions.add({ source: "user" }, { capability: "shell", match: ["x"], exclude: [], effect: "allow" }),
    ).toThrow(expect.objectContaining({ code: "aborted" }));
    permissions.reload();
    permissions.add({ source: "user" }, { capability: "shell", match: ["x"], exclude: [], effect: "allow" });
    expect(readFileSync(paths.user, "utf8")).toContain("# by hand");
  });

  it("refuses a link that leads nowhere, for somebody meant rules to be there", () => {
    const nowhere = ({ paths }: ReturnType<typeof scratch>) => {
      mkdirSync(paths.folder, { recursive: true });
      symlinkSync("gone.yaml", paths.user);
    };
    expect(() => open(nowhere)).toThrow("leads nowhere");
  });

  it("follows a link that stays in the folder, and keeps it at an edit; refuses one that leads out", () => {
    const { permissions, paths } = open(({ paths, put }) => {
      put(`${paths.folder}/real/permissions.yaml`, allow);
      symlinkSync("real/permissions.yaml", paths.user);
    });
    permissions.add({ source: "user" }, { capability: "shell", match: ["x"], exclude: [], effect: "allow" });
    expect(rules(permissions)).toHaveLength(2);
    expect(lstatSync(paths.user).isSymbolicLink()).toBe(true);
    const outside = ({ paths, put, home }: ReturnType<typeof scratch>) => {
      put(`${home}/work/rules/permissions.yaml`, allow);
      mkdirSync(dirname(dirname(paths.workspace(workspace))), { recursive: true });
      symlinkSync(`${home}/work/rules`, dirname(paths.workspace(workspace)));
    };
    expect(() => rules(open(outside).permissions)).toThrow("leads out of");
  });

  it("waits for nobody: an edit under another's lock is refused, a dead one's lock is taken over", () => {
    const { permissions, paths, put } = open(({ paths, put }) => put(paths.user, allow));
    const rule = { capability: "shell", match: ["x"], exclude: [], effect: "allow" } as const;
    put(`${paths.user}.lock`, `${process.pid}\n`);
    expect(() => permissions.add({ source: "user" }, rule)).toThrow(expect.objectContaining({ code: "aborted" }));
    put(`${paths.user}.lock`, `${spawnSync("true").pid}\n`);
    permissions.add({ source: "user" }, rule);
    expect(rules(permissions)).toHaveLength(2);
  });
});
