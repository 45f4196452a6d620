import { createFiles } from "../../../src/files/files.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { WriteAction } from "../../../src/model/action.ts";
import { never, permitFor } from "./workspace.ts";

// Starts a write that never ends, and says so once its first bytes were taken. Its parent kills it.
const [journal = "", path = ""] = process.argv.slice(2);

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("half");
  process.send?.("half");
  await new Promise((done) => setTimeout(done, 2 ** 31 - 1));
}

const permit = permitFor<WriteAction>({
  kind: "write",
  path: path as AbsolutePath,
  disposition: "overwrite",
  makeParents: false,
  mode: 0o644,
});
await createFiles({ journal: journal as AbsolutePath }).write(permit, endless(), never);
