import { randomFillSync } from "node:crypto";
import { type EntryId, parseEntryId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";

/** Random bytes of one identifier: 128 bits. */
const idBytes = 16;

/** Identifiers that are drawn in one go: the system takes as long for all of them as for one. */
const drawn = 256;

/** Makes a source of new entry identifiers, which nobody can guess. */
export function entryIds(): () => EntryId {
  const pool = Buffer.allocUnsafeSlow(idBytes * drawn);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const id = parseEntryId(pool.toString("base64url", used, used + idBytes));
    used += idBytes;
    if (id === undefined) throw new Problem("internal", "no valid entry identifier was made");
    return id;
  };
}
