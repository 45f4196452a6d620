import type { Making } from "./boot-container.ts";
import { containerOptions, type InitSource } from "./container-options.ts";
import type { Engine } from "./engine.ts";

/** What an engine says of an image. */
export interface EngineImage {
  readonly id: string;
  /** PATH that it sets; undefined: none. */
  readonly path: string | undefined;
  /** Folders that it declares as volumes. */
  readonly volumes: readonly string[];
}

/** Looks at an image. @throws Problem `failed_precondition` where the engine does not have it. */
export async function inspectImage(engine: Engine, image: string, signal: AbortSignal): Promise<EngineImage> {
  const { Id, Config } = await engine.call("inspect image", (docker) => docker.getImage(image).inspect(), {
    signal,
    image,
  });
  const path = (Config.Env ?? []).find((variable) => variable.startsWith("PATH="))?.slice("PATH=".length);
  const volumes: unknown = Config.Volumes;
  return { id: Id, path, volumes: typeof volumes === "object" && volumes !== null ? Object.keys(volumes) : [] };
}

/** Makes a container and returns its id. @throws Problem; nothing is left then. */
export async function createContainer(
  { context, spec, plan, user, image }: Making,
  init: InitSource,
  signal: AbortSignal,
): Promise<string> {
  const { engine, traits, owner, instance } = context;
  const setup = { plan, traits, user, imageVolumes: image.volumes, owner, instance, init };
  const making = engine.docker.createContainer(containerOptions(spec, setup));
  try {
    const container = await engine.call("create", () => making, { signal, image: spec.image });
    return container.id;
  } catch (error) {
    // It may still come into being after the deadline or the caller's leave.
    void making.then((container) => removeContainer(engine, container.id)).catch(() => {});
    throw error;
  }
}

/** Removes a container; resolves when it is gone, or when the engine will not tell. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  const container = engine.docker.getContainer(id);
  const removed = engine.call("wait for removal", () => container.wait({ condition: "removed" }));
  const removing = engine.call("remove", () => container.remove({ force: true }));
  // It removes itself as well, so either may find it gone. Where the engine does not answer, the next start's sweep finds it.
  await Promise.allSettled([removed, removing]);
}
