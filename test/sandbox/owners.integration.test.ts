import { chownSync, lstatSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureEngine } from "./engine.ts";
import { Bench, path, run } from "./harness.ts";

beforeAll(ensureEngine);

const root = process.getuid?.() === 0;
const obstacle = root ? undefined : "only root can give folders to others";
if (obstacle !== undefined) console.warn(`other owners of workspaces are not tested here: ${obstacle}`);

describe.skipIf(obstacle !== undefined)("commands are the workspace's owner, whoever runs the sidecar", () => {
  test.each([
    ["an ordinary user", 4321, 99, "socket"],
    ["an ordinary user, over attach", 4321, 99, "attach"],
    ["a high number without a name", 1_234_567, 7_654_321, "socket"],
    ["root", 0, 0, "socket"],
  ] as const)("%s", async (_, uid, gid, carrier) => {
    await using bench = new Bench({ carrier });
    const workspace = path(realpathSync(mkdtempSync(join(tmpdir(), "sp-owner-"))));
    try {
      chownSync(workspace, uid, gid);
      const scopes = [{ root: workspace, access: "rw", lasts: "session" }] as const;
      const sandbox = await bench.open({ workspace, scopes });
      const { stdout } = await run(
        sandbox,
        "id -u; id -g; id -G; echo x > file; mkdir folder; stat -c %u:%g file; grep Cap /proc/self/status",
      );
      expect(stdout).toMatch(new RegExp(`^${uid}\n${gid}\n${gid}\n${uid}:${gid}\n(Cap\\w+:\t0{16}\n)+$`));
      for (const name of ["file", "folder"]) expect(lstatSync(join(workspace, name))).toMatchObject({ uid, gid });
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  });

  test("and not the owner of another folder that is granted, whose files stay his", async () => {
    await using bench = new Bench();
    const folder = path(realpathSync(mkdtempSync(join(tmpdir(), "sp-owner-"))));
    try {
      chownSync(folder, 4321, 99);
      const spec = bench.spec();
      const sandbox = await bench.open({ scopes: [...spec.scopes, { root: folder, access: "rw", lasts: "session" }] });
      const { exit } = await run(sandbox, { argv: ["touch", `${folder}/file`] });
      expect(exit.code).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
