import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Problem } from "../model/problem.ts";

/** A lock that is held until it is released or the process ends, however it ends. */
export interface Lock {
  release(): void;
}

/** Takes the lock on a file at once; undefined where another process, or another part of this one, holds it. */
export type HoldLock = (path: string) => Lock | undefined;

/** SQLITE_BUSY (sqlite.org/rescode.html). */
const busy = 5;

/**
 * A file lock by an exclusive transaction of SQLite: Node has no flock of its own, and a file that holds a process number can be stale.
 * The file stays: removing it would let two holders lock two files of one name.
 * @throws Problem `failed_precondition` where the file cannot be made or locked at all.
 */
export function holdLock(path: string): Lock | undefined {
  let database: DatabaseSync | undefined;
  try {
    // Never opened by hand once it exists: closing any descriptor of a file drops this process's POSIX locks on it (fcntl(2)).
    if (!existsSync(path)) closeSync(openSync(path, "wx", 0o600));
    database = new DatabaseSync(path);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    if (isBusy(cause)) return undefined;
    throw new Problem("failed_precondition", `cannot lock ${path}`, { cause });
  }
  const held = database;
  return {
    release() {
      if (held.isOpen) held.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === busy;
}
