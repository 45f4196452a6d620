import { buffer } from "node:stream/consumers";
import { pack } from "tar-stream";
import type { Engine } from "./engine.ts";
import { createContainer, removeContainer } from "./engine-container.ts";

/** One file for a volume of the engine, and how it gets there. */
export interface VolumeFilling {
  /** Made where it is not there; the labels are its own. */
  readonly volume: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  /** Where the volume is mounted meanwhile. */
  readonly folder: string;
  readonly file: { readonly name: string; readonly mode: number; readonly content: string | Buffer };
  /** Any image that the engine has: nothing of it is run. */
  readonly image: string;
  /** Labels of the container that carries the file, by which it is found after a crash. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Puts a file into a volume, for engines that do not see this machine's files: by a container that is never started and only gives a way in.
 * @throws Problem
 */
export async function fillVolume(
  engine: Engine,
  { volume, folder, file, image, labels }: VolumeFilling,
): Promise<void> {
  const carrier = await createContainer(engine, "create the carrier of a file", {
    Image: image,
    Entrypoint: ["/nonexistent"],
    Cmd: [],
    Labels: { ...labels },
    NetworkDisabled: true,
    HostConfig: {
      Mounts: [
        {
          Type: "volume",
          Source: volume.name,
          Target: folder,
          VolumeOptions: {
            NoCopy: true,
            Labels: { ...volume.labels },
            DriverConfig: { Name: "local", Options: {} },
          },
        },
      ],
    },
  });
  try {
    const archive = pack();
    archive.entry({ name: file.name, mode: file.mode, uid: 0, gid: 0 }, file.content);
    archive.finalize();
    const tar = await buffer(archive);
    await engine.call("put a file", (docker) => docker.getContainer(carrier).putArchive(tar, { path: folder }));
  } finally {
    await removeContainer(engine, carrier);
  }
}
