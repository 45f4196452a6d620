import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath, type AbsolutePath } from "../../src/model/absolute-path.ts";
import { trashFolders } from "../../src/wiring/trash-folders.ts";
import { present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";

const shared = "/dev/shm";
const stateFolder = (): AbsolutePath => present(parseAbsolutePath(temporaryFolder()));
const beside = `${shared}/.sallyport-trash-${userInfo().uid}`;

/** A folder on another file system than the state. */
function elsewhere(): AbsolutePath {
  const folder = mkdtempSync(`${shared}/sallyport-workspace-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  onTestFinished(() => rmSync(beside, { recursive: true, force: true }));
  return present(parseAbsolutePath(folder));
}

const isApart = statSync(shared).dev !== statSync(tmpdir()).dev;

describe("the folders of the trash", () => {
  it("are one in the state folder, where the workspace is on the same file system", () => {
    const state = stateFolder();
    expect(trashFolders(state, state)).toEqual([join(state, "trash")]);
    expect(trashFolders(state, present(parseAbsolutePath("/does/not/exist")))).toEqual([join(state, "trash")]);
  });

  it.skipIf(!isApart)("are a second private one on top of the workspace's file system otherwise", () => {
    const [state, workspace] = [stateFolder(), elsewhere()];
    expect(trashFolders(state, workspace)).toEqual([join(state, "trash"), beside]);
    expect(statSync(beside).mode & 0o777).toBe(0o700);
    expect(trashFolders(state, workspace)).toHaveLength(2);
  });

  it.skipIf(!isApart)("do not take what somebody else prepared there", () => {
    const [state, workspace] = [stateFolder(), elsewhere()];
    for (const prepare of [
      () => symlinkSync(state, beside),
      () => writeFileSync(beside, ""),
      () => {
        mkdirSync(beside);
        chmodSync(beside, 0o755);
      },
    ]) {
      prepare();
      expect(trashFolders(state, workspace)).toHaveLength(1);
      rmSync(beside, { recursive: true });
    }
  });

  it("says where it could not look", () => {
    if (!isApart) process.stderr.write(`not looked at: ${shared} is no file system of its own here\n`);
  });
});
