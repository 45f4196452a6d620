import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { pack } from "tar-stream";
import type { Engine } from "./engine.ts";

/** Where init lies inside where it comes from a volume. */
export const initVolumeInside = "/.sallyport/bin";

/**
 * Puts init into a volume of the engine, for engines that do not see this machine's files, and returns the volume's name. A volume,
 * because engines refuse to write into a container whose root is read-only, and because one serves every image. It is mounted read-only.
 */
export async function fillInitVolume(
  engine: Engine,
  initPath: string,
  image: string,
  labels: Record<string, string>,
): Promise<string> {
  const init = await readFile(initPath);
  const name = `sallyport-init-${createHash("sha256").update(init).digest("hex").slice(0, 16)}`;
  const carrier = await engine.call(
    "create the carrier of init",
    (docker) =>
      docker.createContainer({
        Image: image,
        // Never started: it only gives the engine a way into the volume.
        Entrypoint: ["/nonexistent"],
        Cmd: [],
        Labels: labels,
        NetworkDisabled: true,
        HostConfig: { Mounts: [{ Type: "volume", Source: name, Target: initVolumeInside }] },
      }),
    { image },
  );
  try {
    const archive = pack();
    archive.entry({ name: "init", mode: 0o755, uid: 0, gid: 0 }, init);
    archive.finalize();
    const tar = await buffer(archive);
    await engine.call("put init", () => carrier.putArchive(tar, { path: initVolumeInside }));
  } finally {
    await engine.call("remove the carrier of init", () => carrier.remove({ force: true }));
  }
  return name;
}
