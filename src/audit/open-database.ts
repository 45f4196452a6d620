import { accessSync, chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Problem } from "../model/problem.ts";
import { storeProblem } from "./store-problem.ts";

/** Where a store lies and how it is kept. */
export interface DatabaseOptions {
  /** The state folder; made when missing, for its owner only. */
  readonly folder: string;
  /** Base name of the file, such as `audit.db`. */
  readonly file: string;
  /** True where one process at a time may have it open; the second gets a Problem. */
  readonly exclusive?: boolean;
  /**
   * `normal` (default): a commit survives the end of the process, however hard; the last ones may be lost when the machine loses power.
   * `full`: a commit survives that too, and costs a flush of the disk each.
   */
  readonly synchronous?: "normal" | "full";
}

/**
 * Opens an SQLite file of its owner's own (0600 in a 0700 folder), in WAL mode. A folder or file that is open to others is closed to
 * them; one that belongs to somebody else is refused.
 * @throws Problem `failed_precondition` where it cannot be opened, is somebody else's, or is in use by another Sallyport.
 */
export function openDatabase(options: DatabaseOptions): DatabaseSync {
  const path = join(options.folder, options.file);
  try {
    prepareFolder(options.folder);
    prepareFile(path);
    return open(path, options);
  } catch (error) {
    throw storeProblem(error, `cannot open ${path}`, options.folder);
  }
}

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = statSync(folder);
  refuseForeign(folder, found.uid);
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  // SQLite opens a file that it cannot write, and only says "disk I/O error" later.
  accessSync(folder, constants.W_OK);
}

/**
 * Makes the file before SQLite does, which would let the umask decide; the `-wal` file takes its mode from it. A file that exists is
 * never opened here: closing a descriptor drops every lock that this process has on the file (fcntl(2)).
 */
function prepareFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    closeSync(openSync(path, "wx", 0o600));
    return;
  }
  if (!found.isFile()) throw new Problem("failed_precondition", `${path} is no file`);
  refuseForeign(path, found.uid);
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function refuseForeign(path: string, owner: number): void {
  const self = process.geteuid?.();
  if (self !== undefined && owner !== self)
    throw new Problem(
      "failed_precondition",
      `${path} belongs to user ${owner}, not to the user that runs Sallyport (${self})`,
    );
}

function open(path: string, options: DatabaseOptions): DatabaseSync {
  const database = new DatabaseSync(path, { allowExtension: false });
  try {
    if (options.exclusive === true) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${options.synchronous === "full" ? "FULL" : "NORMAL"}`);
    // Takes the lock now, not at the first write.
    database.exec("BEGIN IMMEDIATE; COMMIT");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
