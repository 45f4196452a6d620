import { openSync, closeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";

/** Opens a database of the state folder, readable by its owner alone. @throws Problem `failed_precondition`. */
export function openStore(folder: AbsolutePath, file: string): DatabaseSync {
  const path = `${folder}/${file}`;
  try {
    // SQLite gives its journal files the mode of the database.
    closeSync(openSync(path, "a", 0o600));
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;");
    return database;
  } catch (cause) {
    throw new Problem(
      "failed_precondition",
      `${path}: ${cause instanceof Error ? cause.message : "cannot be opened"}`,
      { cause },
    );
  }
}
