import { opendir, type FileHandle } from "node:fs/promises";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { descriptorPath } from "../judged-path.ts";

/** The names in an open folder, in any order. @throws the system's error. */
export async function* namesOf(folder: FileHandle): AsyncGenerator<string> {
  // Latin-1 keeps every byte; Node offers no byte names here.
  for await (const { name } of await opendir(descriptorPath(folder), { encoding: "latin1", bufferSize: 256 }))
    yield pathOfBytes(Buffer.from(name, "latin1"));
}
