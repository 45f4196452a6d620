import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureEngine, initPath } from "./engine.ts";
import { PodmanService } from "./podman-service.ts";

const script = join(import.meta.dirname, "rootless-child.ts");

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** An ordinary user who may map others (subuid(5)): whoever runs this, or where that is root the first one. */
function findUser(): User | undefined {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const names = readText("/etc/subuid")
    .split("\n")
    .flatMap((line) => line.split(":")[0] ?? []);
  const users = readText("/etc/passwd")
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([name = ""]) => name !== "" && names.includes(name))
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }));
  return self.uid === 0 ? users.find(({ uid }) => uid > 0) : users.find(({ uid }) => uid === self.uid);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function obstacleOf(user: User | undefined): string | undefined {
  const podman = PodmanService.obstacle();
  if (podman !== undefined) return podman;
  if (user === undefined) return "no ordinary user here may map others (/etc/subuid)";
  if (spawnSync("newuidmap").error !== undefined) return "newuidmap is not installed (apt-get install uidmap)";
  const readable = [process.execPath, script, initPath].every(
    (file) => spawnSync("test", ["-r", file], user).status === 0,
  );
  return readable ? undefined : "no other user can read the tests";
}

const user = findUser();
const obstacle = obstacleOf(user);
if (obstacle !== undefined) console.warn(`a rootless Podman is not tested here: ${obstacle}`);

test.skipIf(obstacle !== undefined)("commands of a rootless Podman are its own user, inside and outside", async () => {
  await ensureEngine();
  const home = mkdtempSync(join(tmpdir(), "sp-rootless-"));
  try {
    if (user !== undefined && process.getuid?.() === 0) chownSync(home, user.uid, user.gid);
    const child = spawnSync(process.execPath, [script], {
      ...user,
      encoding: "utf8",
      cwd: home,
      timeout: 50_000,
      env: { PATH: process.env["PATH"], HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: tmpdir() },
    });
    expect(child.stderr).toBe("");
    const found = JSON.parse(child.stdout) as { available: boolean; reason: string; inside: string; owner: number };
    expect(found).toMatchObject({ inside: `${user?.uid}\n`, owner: user?.uid });
    // Under control groups of the first version it can hold no limits, and so makes no sandboxes.
    if (!found.available) expect(found.reason).toMatch(/cannot enforce .*memory-limit/);
  } finally {
    // Files of mapped users are not this user's to remove.
    if (process.getuid?.() !== 0) spawnSync("podman", ["unshare", "rm", "-rf", home]);
    else rmSync(home, { recursive: true, force: true });
  }
});
