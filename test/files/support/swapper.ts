import { renameSync } from "node:fs";

// Swaps the folder `d` for the link `l` and back, for ever, and reports every hundred rounds. Its parent ends it.
const [folder = ""] = process.argv.slice(2);
const at = (name: string) => `${folder}/${name}`;

let junk = 0;

/** Puts something in the place of `d`, also where a write made a new `d` meanwhile. */
function place(name: string): void {
  for (;;) {
    try {
      renameSync(at(name), at("d"));
      return;
    } catch {
      junk += 1;
      moveAside(`junk${junk}`);
    }
  }
}

function moveAside(name: string): void {
  try {
    renameSync(at("d"), at(name));
  } catch {
    // It is gone again: the next try will do.
  }
}

process.on("disconnect", () => process.exit(0));
function rounds(count: number): void {
  for (let round = 0; round < 100; round += 1) {
    renameSync(at("d"), at("d.real"));
    place("l");
    renameSync(at("d"), at("l"));
    place("d.real");
  }
  process.send?.(count + 100);
  setImmediate(rounds, count + 100);
}
rounds(0);
