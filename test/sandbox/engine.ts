import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import Docker from "dockerode";
import { pack } from "tar-stream";

/** Images of the tests: one with nothing but a static busybox, one with bash, Python and git. */
export const busyboxImage = "sallyport-test-busybox";
export const debianImage = "sallyport-sandbox:dev";

export const initPath = join(import.meta.dirname, "../../images/init/build/sallyport-init");
export const docker = new Docker();

/** Builds init and makes sure of the images. Fast where they are there. */
export async function ensureEngine(): Promise<void> {
  execFileSync("make", ["-s", "-C", join(import.meta.dirname, "../../images/init")], { stdio: "pipe" });
  if (!(await hasImage(busyboxImage))) await importBusybox();
  if (!(await hasImage(debianImage))) {
    // The same packages that the tests use, without the registry that the image's own build may need.
    const script = `mmdebstrap --variant=minbase --include=git,python3,gcc,libc6-dev bookworm - | docker import - ${debianImage}`;
    execFileSync("sh", ["-c", script], { stdio: "pipe" });
  }
}

/** A new folder in the temporary folder, owned by an ordinary user where the tests run as root. */
export function makeFolder(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  if (process.getuid?.() === 0) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

/** Who owns the folders of makeFolder. */
export const owner =
  process.getuid?.() === 0 ? { uid: 1234, gid: 1235 } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

async function hasImage(name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect();
    return true;
  } catch {
    return false;
  }
}

async function importBusybox(): Promise<void> {
  const archive = pack();
  const applets = execFileSync("/bin/busybox", ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const folder of ["bin", "tmp", "etc", "proc", "sys", "dev"])
    archive.entry({ name: folder, type: "directory", mode: 0o755 });
  archive.entry({ name: "bin/busybox", mode: 0o755 }, readFileSync("/bin/busybox"));
  for (const applet of applets)
    if (applet !== "busybox") archive.entry({ name: `bin/${applet}`, type: "symlink", linkname: "busybox" });
  archive.finalize();
  const stream = await docker.importImage(Readable.from(await buffer(archive)), {
    repo: busyboxImage,
    tag: "latest",
  });
  await buffer(stream);
}
