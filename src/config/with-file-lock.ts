import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "../model/problem.ts";

/**
 * Runs `act` while `FILE.lock` is held, so that two Sallyports do not edit the same file at once. The lock holds its owner's process id; one that a
 * killed process left behind is taken over. @throws Problem `aborted` where another process holds it.
 */
export function withFileLock<T>(file: string, act: () => T): T {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!take(lock) && !(isStale(lock) && retake(lock)))
    throw new Problem("aborted", `${file} is being edited by another process; try again`);
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Linked into place whole, so that a lock never lacks its process id. */
function take(lock: string): boolean {
  const own = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(own, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function retake(lock: string): boolean {
  rmSync(lock, { force: true });
  return take(lock);
}

function isStale(lock: string): boolean {
  try {
    process.kill(Number.parseInt(readFileSync(lock, "utf8"), 10), 0);
    return false;
  } catch (error) {
    // EPERM means that it lives and is somebody else's.
    return codeOf(error) !== "EPERM";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
