import { randomBytes } from "node:crypto";
import { Problem } from "../model/problem.ts";
import type { ContainerOptions } from "./container-options.ts";
import { asEngineError, type Engine } from "./engine.ts";
import { persist } from "./persist.ts";

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

/** Makes a container of an image and returns its id. `what` names the call for the message. @throws Problem; nothing is left then. */
export async function createContainer(
  engine: Engine,
  what: string,
  options: ContainerOptions,
  signal?: AbortSignal,
): Promise<string> {
  // By a name of its own it can be removed also where the engine's answer, with the id, was lost.
  const name = `sallyport-${randomBytes(8).toString("hex")}`;
  const making = engine.docker.createContainer({ ...options, name });
  try {
    const container = await engine.call(what, () => making, { image: options.Image, ...(signal ? { signal } : {}) });
    return container.id;
  } catch (error) {
    // It may still come into being after the deadline or the caller's leave.
    void Promise.allSettled([making]).then(() => removeContainer(engine, name));
    throw error;
  }
}

/**
 * Removes a container, by its id or name, with the volumes that only it has. Resolves when it is gone; where the engine refuses or does
 * not answer, when it has been tried once: it is tried again until the engine says that it is gone.
 */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  await persist(() => isRemoved(engine, id));
}

/** Whether a container is missing, by the failure of a call that was about it. */
export function isMissing(error: unknown): boolean {
  return asEngineError(error instanceof Problem ? error.cause : error).statusCode === 404;
}

async function isRemoved(engine: Engine, id: string): Promise<boolean> {
  const container = engine.docker.getContainer(id);
  // It removes itself as well, so either may find it gone.
  const answers = await Promise.allSettled([
    engine.call("wait for removal", () => container.wait({ condition: "removed" })),
    engine.call("remove", () => container.remove({ force: true, v: true })),
  ]);
  return answers.some((answer) => answer.status === "fulfilled" || isMissing(answer.reason));
}
