import { constants } from "node:fs";
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { type AbsolutePath, isInside, parseAbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import type { ImagedSpec } from "../imaged-spec.ts";
import { type Accounts, plainAccounts } from "../accounts.ts";

/** The image that stands for the programs of this machine. */
export const machineImage = "machine";

/** One entry of the sandbox's root: shown read-only, or a link. */
export type RootEntry =
  | { readonly kind: "show"; readonly source: string; readonly target: string }
  | { readonly kind: "link"; readonly to: string; readonly target: string };

/** Folders of programs and their libraries. */
const programs = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"];

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
const ownInside = new Set(["proc", "sys", "dev", "tmp", "run", "home", "root", "etc", ".sallyport"]);
const ownInEtc = new Set(["passwd", "group", "hosts", "resolv.conf", "mtab"]);

/** What a sandbox of an image is shown of it. */
export interface RootFolder {
  readonly entries: readonly RootEntry[];
  readonly accounts: Accounts;
}

/**
 * Finds what a sandbox of that image shows: of this machine its programs, of a root folder (an image that is an absolute path) all but what the
 * sandbox makes itself.
 * @throws Problem `failed_precondition` that names the image
 */
export async function rootFolder(spec: ImagedSpec): Promise<RootFolder> {
  if (spec.image === machineImage) return { entries: await machineEntries(), accounts: plainAccounts };
  const folder = parseAbsolutePath(spec.image);
  if (folder === undefined)
    throw refuse(
      spec.image,
      "bubblewrap has no images: leave it out for the programs of this machine, name a root folder by its absolute path, or set `runtime: docker`",
    );
  const root = parseAbsolutePath(await realpath(folder).catch(() => ""));
  if (root === undefined || root === "/") throw refuse(spec.image, "no such root folder");
  // A command could change what later ones run.
  const open = spec.scopes.find((scope) => scope.access === "rw" && overlap(scope.root, root));
  if (open !== undefined) throw refuse(spec.image, `it can be written in the scope ${open.root}`);
  const [top, etc, passwd, group] = await Promise.all([
    entriesOf(root, "/", ownInside),
    entriesOf(root, "/etc", ownInEtc),
    textOf(`${root}/etc/passwd`),
    textOf(`${root}/etc/group`),
  ]);
  const accounts = { passwd: passwd ?? plainAccounts.passwd, group: group ?? plainAccounts.group };
  return { entries: [...top, ...etc], accounts };
}

function overlap(a: AbsolutePath, b: AbsolutePath): boolean {
  return isInside(a, b) || isInside(b, a);
}

async function machineEntries(): Promise<readonly RootEntry[]> {
  const top = await entriesOf("", "/", undefined);
  const etc = await Promise.all(
    configuration.map(async (name): Promise<RootEntry[]> => {
      const target = `/etc/${name}`;
      const source = await realpath(target).catch(() => undefined);
      return source === undefined ? [] : [{ kind: "show", source, target }];
    }),
  );
  return [...top.filter(({ target }) => programs.includes(target)), ...etc.flat()];
}

/** What lies directly in a folder of a root, but for some names. */
async function entriesOf(root: string, folder: string, without: ReadonlySet<string> | undefined): Promise<RootEntry[]> {
  const found = await readdir(`${root}${folder}`, { withFileTypes: true }).catch(() => []);
  const entries = found
    .filter(({ name }) => without?.has(name) !== true)
    .map(async (entry): Promise<RootEntry[]> => {
      const target = join(folder, entry.name);
      const source = `${root}${target}`;
      if (entry.isSymbolicLink()) return [{ kind: "link", to: await readlink(source), target }];
      return entry.isDirectory() || entry.isFile() ? [{ kind: "show", source, target }] : [];
    });
  return (await Promise.all(entries)).flat();
}

/** A file's text; undefined where it is none or a link, which would lead elsewhere here than inside. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, { encoding: "utf8", flag: constants.O_RDONLY | constants.O_NOFOLLOW });
  } catch {
    return undefined;
  }
}

function refuse(image: string, reason: string): Problem {
  return new Problem("failed_precondition", `image: ${image}: ${reason}`, { field: "image" });
}
