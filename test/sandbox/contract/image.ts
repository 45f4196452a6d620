import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type Docker from "dockerode";
import { pack } from "tar-stream";

/** The small image of the contract: busybox, and this machine's bash with its libraries. */
export const contractImage = "sallyport-test-contract";

/** Puts the image into an engine that may not have it. */
export async function ensureContractImage(docker: Docker): Promise<void> {
  const archive = await contractTar();
  const key = createHash("sha256").update(archive).digest("hex").slice(0, 16);
  if (await has(docker, `${contractImage}:${key}`)) return;
  for (const tag of [key, "latest"])
    await buffer(await docker.importImage(Readable.from(archive), { repo: contractImage, tag }));
}

async function has(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect();
    return true;
  } catch {
    return false;
  }
}

async function contractTar(): Promise<Buffer> {
  const archive = pack();
  const then = { mtime: new Date(0) };
  const applets = execFileSync("/bin/busybox", ["--list"], { encoding: "utf8" }).trim().split("\n");
  archive.entry({ name: "tmp", type: "directory", mode: 0o1777, ...then });
  for (const name of ["bin", "etc", "proc", "sys", "dev", "home", "root", "run", "var"])
    archive.entry({ name, type: "directory", mode: 0o755, ...then });
  archive.entry({ name: "etc/passwd", ...then }, "root:x:0:0:root:/root:/bin/bash\nguest:x:4321:4321::/:/bin/sh\n");
  archive.entry({ name: "etc/group", ...then }, "root:x:0:\nguests:x:4321:\n");
  archive.entry({ name: "bin/busybox", mode: 0o755, ...then }, readFileSync("/bin/busybox"));
  for (const applet of applets)
    if (applet !== "busybox") archive.entry({ name: `bin/${applet}`, type: "symlink", linkname: "busybox", ...then });
  archive.entry({ name: "bin/bash", mode: 0o755, ...then }, readFileSync(realpathSync("/bin/bash")));
  // The loader's path is in every program, so the libraries lie where they lie here.
  const libraries = execFileSync("ldd", ["/bin/bash"], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
  for (const library of libraries)
    archive.entry({ name: library.slice(1), mode: 0o755, ...then }, readFileSync(realpathSync(library)));
  archive.finalize();
  return buffer(archive);
}

/** Unpacks the image into a new folder, which is a root folder then; returns its path. */
export async function unpackContractImage(): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sp-image-")));
  chmodSync(folder, 0o755);
  execFileSync("tar", ["-x", "-C", folder], { input: await contractTar() });
  return folder;
}

/** Compiles the hostile command into a folder that everybody may enter; returns its path. */
export function compileHostile(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const program = join(folder, "hostile");
  const source = join(import.meta.dirname, "hostile.c");
  execFileSync("cc", ["-Wall", "-Wextra", "-Werror", "-static", "-O1", "-D_GNU_SOURCE", "-o", program, source], {
    stdio: "pipe",
  });
  chmodSync(program, 0o755);
  return program;
}
