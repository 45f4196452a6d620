import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles, type Files } from "../../../src/files/files.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { Action } from "../../../src/model/action.ts";
import type { Below, EntryVerdict } from "../../../src/model/gate-ports.ts";
import type { EntryId, SessionId } from "../../../src/model/ids.ts";
import { Permit } from "../../../src/model/permit.ts";
import { Problem } from "../../../src/model/problem.ts";

/** A folder of its own with a file service. */
export interface Workspace {
  readonly root: string;
  readonly journal: string;
  readonly files: Files;
  readonly below: Below;
  /** A path in the workspace. */
  readonly at: (name: string) => AbsolutePath;
  readonly remove: () => void;
}

/** `verdict` says what may be read and written below a folder: everything, unless a test says otherwise. */
export function makeWorkspace(
  limits: { maxReadBytes?: number; maxWriteBytes?: number } = {},
  verdict: EntryVerdict = () => "allow",
): Workspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-files-")));
  const root = join(base, "w");
  const journal = join(base, "journal");
  mkdirSync(root);
  return {
    root,
    journal,
    below: () => verdict,
    files: createFiles({ journal: journal as AbsolutePath, ...limits }),
    at: (name) => join(root, name) as AbsolutePath,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

const session = "s" as SessionId;

/** A permit as the gate would issue it. */
export function permitFor<A extends Action>(action: Omit<A, "session">): Permit<A> {
  return Permit.issue({ ...action, session } as unknown as A, "e" as EntryId);
}

export const never = new AbortController().signal;

export async function* chunksOf(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

/** The code and message of the problem that a promise rejects with; throws where it does not. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
