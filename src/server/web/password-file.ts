import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import type { PasswordHash } from "./password-hash.ts";

/** The page's password on disk, as a hash. */
export interface PasswordFile {
  /** The hash of now; undefined where none was ever made. @throws Problem `failed_precondition` where the file is not to be trusted. */
  read(): PasswordHash | undefined;
  /** Puts another in its place, for the owner alone. */
  write(hash: PasswordHash): void;
  /** Differs after each change. */
  stamp(): string;
}

const maxBytes = 4096;

/** The file at `path`. It is read anew each time: `sallyport web password --reset` writes it beside a running server. */
export function passwordFile(path: AbsolutePath): PasswordFile {
  return {
    read() {
      const text = readOwn(path);
      return text === undefined ? undefined : parse(path, text);
    },
    write(hash) {
      const draft = `${path}.${randomBytes(6).toString("hex")}`;
      const file = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        writeSync(file, `${JSON.stringify(hash)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
    },
    stamp() {
      const found = statSync(path, { throwIfNoEntry: false, bigint: true });
      return found === undefined ? "" : `${found.ino}:${found.mtimeNs}`;
    },
  };
}

function readOwn(path: AbsolutePath): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new Problem("failed_precondition", `cannot read ${path}`, { cause });
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0)
      throw new Problem("failed_precondition", `${path} must be a file that only its owner may read: chmod 600 it`);
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString("utf8", 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function parse(path: AbsolutePath, text: string): PasswordHash {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && isHash(value)) return value;
  } catch {
    // Told below.
  }
  throw new Problem("failed_precondition", `${path} holds no password: run \`sallyport web password --reset\``);
}

function isHash(value: object): value is PasswordHash {
  const { kind, n, r, p, salt, hash } = value as Readonly<Record<string, unknown>>;
  const power = typeof n === "number" && n >= 2 ** 10 && n <= 2 ** 20 && Number.isInteger(Math.log2(n));
  const text = (part: unknown, bytes: number): boolean =>
    typeof part === "string" && Buffer.from(part, "base64url").length === bytes;
  return kind === "scrypt" && power && r === 8 && p === 1 && text(salt, 16) && text(hash, 32);
}
