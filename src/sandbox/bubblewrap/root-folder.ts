import type { Dirent } from "node:fs";
import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isInside, parseAbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import type { SandboxSpec } from "../../model/runtime.ts";

/** The image that stands for the programs of this machine. */
export const machineImage = "machine";

/** One entry of the sandbox's root: shown read-only, or a link. */
export type RootEntry =
  | { readonly kind: "show"; readonly source: string; readonly target: string }
  | { readonly kind: "link"; readonly to: string; readonly target: string };

/** Folders of programs and their libraries. */
const programs = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt"];

/** What programs need of /etc. Nothing that says who or where this machine is, and no key: accounts and hosts are made for the sandbox. */
const configuration = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "os-release",
  "pki/ca-trust",
  "pki/tls/certs",
  "pki/tls/cert.pem",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/cert.pem",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
];

/** What a root folder's own would be is the sandbox's. */
const ownInside = new Set(["proc", "sys", "dev", "tmp", "run", "home", "root", ".sallyport"]);

/**
 * What a sandbox of that image shows of it: of this machine its programs, of a root folder (an image that is an absolute path) all but what the sandbox makes itself.
 * @throws Problem `failed_precondition` that names the image
 */
export async function rootEntries(spec: SandboxSpec): Promise<readonly RootEntry[]> {
  if (spec.image === machineImage) return machineEntries();
  const folder = parseAbsolutePath(spec.image);
  if (folder === undefined)
    throw refuse(
      spec.image,
      `bubblewrap has no images: leave it out for the programs of this machine, name a root folder by its absolute path, or set \`runtime: docker\``,
    );
  const real = parseAbsolutePath(await realpath(folder).catch(() => ""));
  if (real === undefined) throw refuse(spec.image, "no such folder");
  // A command could change what later ones run.
  const open = spec.scopes.find(
    ({ access, root }) => access === "rw" && (isInside(root, real) || isInside(real, root)),
  );
  if (open !== undefined) throw refuse(spec.image, `it may be written in the scope ${open.root}`);
  const found = await readdir(real, { withFileTypes: true });
  const entries = await Promise.all(
    found.filter(({ name }) => !ownInside.has(name)).map((entry) => entryOf(real, entry)),
  );
  return entries.flatMap((entry) => entry ?? []);
}

async function machineEntries(): Promise<readonly RootEntry[]> {
  const root = await readdir("/", { withFileTypes: true });
  const top = await Promise.all(root.filter(({ name }) => programs.includes(name)).map((entry) => entryOf("/", entry)));
  const etc = await Promise.all(
    configuration.map(async (name): Promise<RootEntry | undefined> => {
      const path = `/etc/${name}`;
      const real = await realpath(path).catch(() => undefined);
      return real === undefined ? undefined : { kind: "show", source: real, target: path };
    }),
  );
  return [...top, ...etc].flatMap((entry) => entry ?? []);
}

async function entryOf(root: string, entry: Dirent): Promise<RootEntry | undefined> {
  const source = join(root, entry.name);
  const target = `/${entry.name}`;
  if (entry.isSymbolicLink()) return { kind: "link", to: await readlink(source), target };
  const stats = await lstat(source);
  return stats.isDirectory() || stats.isFile() ? { kind: "show", source, target } : undefined;
}

function refuse(image: string, reason: string): Problem {
  return new Problem("failed_precondition", `image: ${image}: ${reason}`, { field: "image" });
}
