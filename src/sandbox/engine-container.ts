import { randomBytes } from "node:crypto";
import { exhausted } from "../model/exhausted.ts";
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
  return statusOf(error) === 404;
}

/**
 * Killed, it removes itself. Not removed by force at once: Docker Engine 20.10 notes the end of a container that ends in the moment of its removal after it has forgotten it, and lists it
 * for ever.
 */
async function isRemoved(engine: Engine, id: string): Promise<boolean> {
  const container = engine.docker.getContainer(id);
  const removed = isDone(outcomeOf(engine.call("wait for removal", () => container.wait({ condition: "removed" }))));
  const killed = await outcomeOf(engine.call("kill", () => container.kill()));
  switch (killed) {
    case "missing":
      return true;
    case "silent":
      return false;
    case "done":
      if (await removed) return true;
      break;
    case "refused":
      // It does not run: it never did, or is being removed.
      break;
    default:
      return exhausted(killed);
  }
  return (await isDone(outcomeOf(engine.call("remove", () => container.remove({ force: true, v: true }))))) || removed;
}

/** How a call about a container ended; silent: the engine said nothing. */
type Outcome = "done" | "missing" | "refused" | "silent";

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (isMissing(error)) return "missing";
    return statusOf(error) === undefined ? "silent" : "refused";
  }
}

async function isDone(outcome: Promise<Outcome>): Promise<boolean> {
  const found = await outcome;
  return found === "done" || found === "missing";
}

function statusOf(error: unknown): number | undefined {
  return asEngineError(error instanceof Problem ? error.cause : error).statusCode;
}
