import { readdirSync } from "node:fs";
import { createFileChanges } from "../../../src/files/file-changes.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import { Problem } from "../../../src/model/problem.ts";
import { copyTo, editAt, makeAt, moveTo, removeAt, replaced } from "./changes.ts";

// Does the named changes in a folder, one after the other, and prints for each how it ended; then what lies in the folder and in the notes.
const [root = "", journal = "", trash = "", ...names] = process.argv.slice(2);
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

const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  copy: () => copyTo(changes, at("big"), at("copy")),
  "copy-over": () => copyTo(changes, at("big"), at("f"), { overwrite: true }),
  "copy-tree": () => copyTo(changes, at("tree"), at("copy"), { recursive: true }),
  edit: () => editAt(changes, at("f"), replaced("old", "x".repeat(1 << 20))),
  "edit-small": () => editAt(changes, at("f"), replaced("old", "new")),
  mkdir: () => makeAt(changes, at("made/a"), true),
  move: () => moveTo(changes, at("f"), at("g")),
  "move-tree": () => moveTo(changes, at("tree"), at("tree2")),
  remove: () => removeAt(changes, at("f")),
  "remove-tree": () => removeAt(changes, at("tree"), true),
};

for (const name of names) {
  try {
    await acts[name]?.();
    process.stdout.write(`${name}: done\n`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stdout.write(
      `${name}: ${error.code}: ${error.message.replaceAll(root, "ROOT").replaceAll(trash, "TRASH")}\n`,
    );
  }
}
process.stdout.write(`${readdirSync(root).toSorted().join(" ")}\n`);
process.stdout.write(`notes: ${readdirSync(journal).length}\n`);
