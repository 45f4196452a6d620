import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileChanges } from "../../../src/files/file-changes.ts";
import { factsLocate } from "../../../src/files/locate.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { ChangeAction } from "../../../src/model/action.ts";
import type { ChangeIntent } from "../../../src/model/intent.ts";
import type { SessionId } from "../../../src/model/ids.ts";
import { analyseChange } from "../../../src/policy/analyse-change.ts";
import { fakeFacts } from "../../policy/world.ts";
import { agentOf, changesOf, readAll } from "../support/changes.ts";
import { makeWorkspace, never, permitFor, type Workspace } from "../support/workspace.ts";

// The same act by a shell command in one tree and by the file service in its twin: afterwards both must hold the same.
let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  for (const twin of ["shell", "service"]) plant(w.at(twin));
});
afterEach(() => w.remove());

function plant(root: string): void {
  for (const folder of ["d/sub", "e"]) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ["f", "d/f", "d/sub/a", "e/f"]) writeFileSync(join(root, name), `text of ${name}`);
  symlinkSync("f", join(root, "l"));
  symlinkSync("d", join(root, "dl"));
  symlinkSync("../f", join(root, "d/l"));
  symlinkSync("../e", join(root, "d/el"));
  symlinkSync("nothing", join(root, "broken"));
}

function treeOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const stats = lstatSync(join(root, name));
      if (stats.isSymbolicLink()) return `${name} -> ${readlinkSync(join(root, name))}`;
      return stats.isFile() ? `${name}: ${readFileSync(join(root, name), "utf8")}` : `${name}/`;
    });
}

/** Judges as the walk does, on the real file system, and acts on what was judged. */
function act(changes: FileChanges, intent: ChangeIntent): Promise<unknown> {
  const { action } = analyseChange(intent, { ...fakeFacts(), locate: factsLocate }, "s" as SessionId);
  const permit = <K extends ChangeAction["kind"]>(kind: K, found: ChangeAction) => {
    if (found.kind !== kind) throw new Error("another kind");
    return permitFor<Extract<ChangeAction, { kind: K }>>(found as Extract<ChangeAction, { kind: K }>);
  };
  switch (action.kind) {
    case "remove":
      return changes.remove(permit("remove", action), agentOf("bot"), never);
    case "move":
      return changes.move(permit("move", action), readAll, never);
    case "copy":
      return changes.copy(permit("copy", action), readAll, () => undefined, never);
    case "make-directory":
      return changes.makeDirectory(permit("make-directory", action));
    default:
      throw new Error(`no command is like ${action.kind}`);
  }
}

const at = (name: string): AbsolutePath => w.at(`service/${name}`);
const remove =
  (name: string, recursive = false) =>
  (): ChangeIntent => ({ kind: "remove", path: at(name), recursive });
const move = (from: string, to: string) => (): ChangeIntent => ({
  kind: "move",
  from: at(from),
  to: at(to),
  overwrite: true,
});
const copy =
  (from: string, to: string, recursive = false) =>
  (): ChangeIntent => ({ kind: "copy", from: at(from), to: at(to), overwrite: true, recursive });
const make =
  (name: string, parents = false) =>
  (): ChangeIntent => ({
    kind: "make-directory",
    path: at(name),
    parents,
    mode: 0o755,
  });

describe("the file service and the kernel", () => {
  it.each<[string, () => ChangeIntent]>([
    ["rm l", remove("l")],
    ["rm broken", remove("broken")],
    ["rm dl", remove("dl")],
    ["rm -r dl", remove("dl", true)],
    ["rm dl/f", remove("dl/f")],
    ["rm dl/l", remove("dl/l")],
    ["rm dl/el", remove("dl/el")],
    ["rm -r dl/el", remove("dl/el", true)],
    ["rm dl/el/f", remove("dl/el/f")],
    ["rm -r dl/sub", remove("dl/sub", true)],
    ["mv -T l g", move("l", "g")],
    ["mv -T broken g", move("broken", "g")],
    ["mv -T dl g", move("dl", "g")],
    ["mv -T dl/l g", move("dl/l", "g")],
    ["mv -T f dl/g", move("f", "dl/g")],
    ["mv -T f l", move("f", "l")],
    ["mv -T e/f dl/l", move("e/f", "dl/l")],
    ["mv -T dl/sub dl/el/sub", move("dl/sub", "dl/el/sub")],
    ["cp -T l g", copy("l", "g")],
    ["cp -T dl/l g", copy("dl/l", "g")],
    ["cp -T dl/f dl/el/g", copy("dl/f", "dl/el/g")],
    ["cp -rT dl/. g", copy("dl", "g", true)],
    ["cp -T f dl/f", copy("f", "dl/f")],
    ["mkdir dl/new", make("dl/new")],
    ["mkdir -p dl/el/a/b", make("dl/el/a/b", true)],
    ["mkdir -p dl", make("dl", true)],
  ])("do the same: %s", async (command, intent) => {
    const before = treeOf(w.at("service"));
    execFileSync("bash", ["-c", command], { cwd: w.at("shell") });
    await act(changesOf(w), intent());
    const after = treeOf(w.at("service"));
    expect(after).toEqual(treeOf(w.at("shell")));
    if (command !== "mkdir -p dl") expect(after).not.toEqual(before);
  });

  it.each<[string, () => ChangeIntent]>([
    ["rm d", remove("d")],
    ["rm l/x", remove("l/x")],
    ["rm broken/x", remove("broken/x")],
    ["rm nothing", remove("nothing")],
    ["mv -T f d", move("f", "d")],
    ["mv -T d f", move("d", "f")],
    ["mv -T d d/sub/d", move("d", "d/sub/d")],
    ["mv -T f broken/x", move("f", "broken/x")],
    ["cp -T d g", copy("d", "g")],
    ["cp -T broken g", copy("broken", "g")],
    ["cp -T f d", copy("f", "d")],
    ["mkdir dl", make("dl")],
    ["mkdir l", make("l")],
    ["mkdir x/y", make("x/y")],
    ["mkdir -p l/y", make("l/y", true)],
  ])("refuse the same and leave everything: %s", async (command, intent) => {
    const before = treeOf(w.at("service"));
    expect(() => execFileSync("bash", ["-c", command], { cwd: w.at("shell"), stdio: "ignore" })).toThrow();
    await expect((async () => act(changesOf(w), intent()))()).rejects.toThrow();
    expect([treeOf(w.at("service")), treeOf(w.at("shell"))]).toEqual([before, before]);
  });
});
