import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Engine } from "./engine.ts";
import { fillVolume } from "./fill-volume.ts";

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
  const file = { name: "init", mode: 0o755, content: init };
  await fillVolume(engine, { volume: { name, labels: {} }, folder: initVolumeInside, file, image, labels });
  return name;
}
