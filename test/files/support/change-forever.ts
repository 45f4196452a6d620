import { readFileSync, writeSync } from "node:fs";
import { createFileChanges } from "../../../src/files/file-changes.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { Below } from "../../../src/model/gate-ports.ts";
import { copyTo, editAt, moveTo, removeAt, replaced, restoreTo } from "./changes.ts";

// Does one kind of change again and again, and says so after each. Its parent kills it, in the middle of one most likely.
const [kind = "", root = "", journal = "", trash = ""] = process.argv.slice(2);
const at = (name: string) => `${root}/${name}` as AbsolutePath;
const changes = createFileChanges({
  journal: journal as AbsolutePath,
  trash: { folders: [trash as AbsolutePath], retentionMs: 1e9, maxBytes: 1e12, clock: () => new Date() },
  maxFileBytes: 1e9,
  maxEntries: 1000,
  onTrouble: (error) => {
    throw error;
  },
});

/** Entries after which a copy is half done. */
const halfWay = 6;

/** Says that it is half way, and goes no further. */
function holdStill(): void {
  writeSync(1, "half");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

async function once(): Promise<void> {
  switch (kind) {
    case "edit": {
      const now = readFileSync(at("f"), "utf8").split("\n")[0] ?? "";
      await editAt(changes, at("f"), replaced(`${now}\n`, `${Number(now) + 1}\n`));
      return;
    }
    case "copy": {
      let seen = 0;
      const below: Below = () => () => {
        seen += 1;
        if (seen === halfWay) holdStill();
        return "allow";
      };
      await copyTo(changes, at("tree"), at("copy"), { recursive: true, below });
      return;
    }
    case "remove": {
      const { id, path } = await removeAt(changes, at("tree"), true);
      await restoreTo(changes, id, path);
      return;
    }
    default:
      await moveTo(changes, at("tree"), at("other"));
      await moveTo(changes, at("other"), at("tree"));
  }
}

for (let round = 0; ; round += 1) {
  await once();
  process.send?.(round);
}
