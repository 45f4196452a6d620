import type Docker from "dockerode";
import { asEngineError, type Engine } from "./engine.ts";

/** How a removal went; going: something else of the engine's removes or holds it. */
export type Removal = "removed" | "missing" | "going";

/** Removes something of an engine that may be gone or going. `what` names the call for the message. @throws Problem for any other failure */
export function removal(engine: Engine, what: string, remove: (docker: Docker) => Promise<unknown>): Promise<Removal> {
  return engine.call(what, async (docker) => {
    try {
      await remove(docker);
      return "removed";
    } catch (error) {
      const { statusCode } = asEngineError(error);
      if (statusCode === 404) return "missing";
      if (statusCode === 409) return "going";
      throw error;
    }
  });
}
