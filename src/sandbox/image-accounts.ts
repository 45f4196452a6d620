import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import { Problem } from "../model/problem.ts";
import { type Accounts, plainAccounts } from "./accounts.ts";
import type { Engine } from "./engine.ts";
import { createContainer, isMissing, removeContainer } from "./engine-container.ts";

/** A file of accounts is small; what is larger is not read. Bytes. */
const most = 1024 * 1024;

/** Reads an image's accounts out of a container that never starts. @throws Problem */
export async function readImageAccounts(
  engine: Engine,
  image: string,
  labels: Record<string, string>,
): Promise<Accounts> {
  const reader = await createContainer(engine, "create a reader of the image", {
    Image: image,
    Entrypoint: ["/nonexistent"],
    Cmd: [],
    Labels: labels,
    NetworkDisabled: true,
  });
  try {
    const read = async (name: string): Promise<string | undefined> => {
      try {
        const archive = await engine.call(`read ${name}`, (docker) =>
          docker.getContainer(reader).getArchive({ path: name }),
        );
        return await onlyFile(archive, name);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    };
    const [passwd, group] = await Promise.all([read("/etc/passwd"), read("/etc/group")]);
    return { passwd: passwd ?? plainAccounts.passwd, group: group ?? plainAccounts.group };
  } finally {
    await removeContainer(engine, reader);
  }
}

/** The one file of an archive, as text; undefined where it is none, such as a link. */
async function onlyFile(archive: NodeJS.ReadableStream, name: string): Promise<string | undefined> {
  const entries = archive.pipe(extract());
  for await (const entry of entries) {
    if (entry.header.type !== "file") return undefined;
    if ((entry.header.size ?? 0) > most)
      throw new Problem("failed_precondition", `image: its ${name} is larger than ${most} bytes`, { field: "image" });
    return (await buffer(entry)).toString("utf8");
  }
  return undefined;
}
