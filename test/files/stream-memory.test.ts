import { setFlagsFromString } from "node:v8";
import { setImmediate } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTempJournal } from "../../src/files/temp-journal.ts";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { UploadAction } from "../../src/model/action.ts";
import { tarOf } from "./support/tars.ts";
import { makeTrees } from "./support/trees.ts";
import { writeTo } from "./support/acts.ts";
import { makeWorkspace, never, permitFor, type Workspace } from "./support/workspace.ts";

// What goes through must not be kept: a file of a gigabyte would be a gigabyte of memory.
let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

const chunkBytes = 65_536;
const count = 64;

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc !== "function") throw new Error("this Node has no garbage collection to call");
  Reflect.apply(gc, undefined, []);
}

/** Chunks of one sort, and how many of them are still held when all but the last were taken. */
function watched(first: Uint8Array, last: Uint8Array) {
  const seen: WeakRef<Uint8Array>[] = [];
  const result = { held: count };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield first;
    for (let made = 0; made < count; made += 1) {
      const chunk = new Uint8Array(chunkBytes);
      seen.push(new WeakRef(chunk));
      yield chunk;
    }
    // A WeakRef holds its target until the turn of the loop ends.
    for (let turn = 0; turn < 3; turn += 1) {
      await setImmediate();
      collect();
    }
    result.held = seen.filter((each) => each.deref() !== undefined).length;
    yield last;
  }
  return { chunks: chunks(), result };
}

describe("a stream of bytes is not kept", () => {
  it("by a write", async () => {
    const { chunks, result } = watched(new Uint8Array(1), new Uint8Array(1));
    await writeTo(w, w.at("a"), chunks);
    expect(result.held).toBeLessThan(8);
  });

  it("by an upload", async () => {
    const head = tarOf({ name: "a", size: count * chunkBytes }).subarray(0, 512);
    const { chunks, result } = watched(head, new Uint8Array(1024));
    const trees = await makeTrees({
      journal: createTempJournal(w.journal as AbsolutePath),
      maxFileBytes: 1 << 30,
      maxEntries: 10,
    });
    const permit = permitFor<UploadAction>({
      kind: "upload",
      path: w.root as AbsolutePath,
      overwrite: false,
      makeParents: false,
    });
    await trees.upload(permit, () => () => "allow", chunks, never);
    expect(result.held).toBeLessThan(8);
  });
});
