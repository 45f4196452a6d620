import { randomBytes } from "node:crypto";
import { label } from "./labels.ts";
import type { Engine } from "./engine.ts";
import { fillVolume } from "./fill-volume.ts";
import { persist } from "./persist.ts";
import { removal } from "./removal.ts";

/** Where a sandbox has the authorities that its programs trust, where they come from a volume. */
export const trustVolumeInside = "/.sallyport/trust";
export const authoritiesInVolume = `${trustVolumeInside}/authorities.pem`;

/** The labels of what belongs to one start of Sallyport. */
type Labels = Readonly<Record<string, string>>;

/** A volume for one sandbox. */
export interface TrustVolume {
  readonly name: string;
  /** Removes it, once its container is gone. Never rejects: it is tried again until the engine says that it is gone. */
  remove(): Promise<void>;
}

/** Puts the authorities of one sandbox into a volume of its own, as init is put there. `image` is any that the engine has. @throws Problem; nothing is left then. */
export async function fillTrustVolume(
  engine: Engine,
  content: string,
  image: string,
  labels: Labels,
): Promise<TrustVolume> {
  const name = `sallyport-trust-${randomBytes(8).toString("hex")}`;
  const remove = (): Promise<void> => persist(() => removeVolume(engine, name).catch(() => false));
  try {
    const file = { name: "authorities.pem", mode: 0o444, content };
    await fillVolume(engine, { volume: { name, labels }, folder: trustVolumeInside, file, image, labels });
    return { name, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes the volumes that earlier starts of this owner left. @throws Problem */
export async function removeOldVolumes(engine: Engine, owner: string, instance: string): Promise<void> {
  const filters = JSON.stringify({ label: [`${label.owner}=${owner}`] });
  const { Volumes } = await engine.call("list volumes", (docker) => docker.listVolumes({ filters }));
  for (const { Name, Labels: labels } of Volumes)
    if (labels[label.instance] !== instance) await removeVolume(engine, Name);
}

/** Tells whether it is gone; false: a container that is going holds it. @throws Problem */
async function removeVolume(engine: Engine, name: string): Promise<boolean> {
  return (await removal(engine, "remove a volume", (docker) => docker.getVolume(name).remove())) !== "going";
}
