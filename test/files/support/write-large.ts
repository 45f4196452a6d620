import { createFiles } from "../../../src/files/files.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { WriteAction } from "../../../src/model/action.ts";
import { chunksOf, never, permitFor, problemOf } from "./workspace.ts";

// Writes a megabyte and prints what it was refused with.
const [journal = "", path = ""] = process.argv.slice(2);
const permit = permitFor<WriteAction>({
  kind: "write",
  path: path as AbsolutePath,
  disposition: "overwrite",
  makeParents: false,
  mode: 0o644,
});
const files = createFiles({ journal: journal as AbsolutePath });
const { code } = await problemOf(files.write(permit, chunksOf(Buffer.alloc(1 << 20)), never));
process.stdout.write(`${code}\n`);
