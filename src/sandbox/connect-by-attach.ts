import { attach } from "./attach.ts";
import type { Made, Making } from "./boot-container.ts";
import { demultiplex } from "./demultiplex.ts";
import { createContainer, removeContainer } from "./engine-container.ts";
import { SocketCarrier } from "./socket-carrier.ts";

/** Makes a container whose init speaks over the engine's attach stream. @throws Problem; nothing is left then. */
export async function connectByAttach(making: Making, signal: AbortSignal): Promise<Made> {
  const { context, spec } = making;
  const { engine, startDeadlineMs } = context;
  const id = await createContainer(making, { kind: "volume", name: await context.initVolume(spec.image) }, signal);
  const connect = async (): Promise<SocketCarrier> => {
    // Before the start, or the hello would be lost.
    const socket = await attach(engine.endpoint, id, startDeadlineMs);
    const carrier = new SocketCarrier(
      socket,
      demultiplex(() => {}),
    );
    try {
      await engine.call("start", (docker) => docker.getContainer(id).start(), { signal });
    } catch (error) {
      carrier.destroy("could not be started");
      throw error;
    }
    return carrier;
  };
  return { id, connect, remove: () => removeContainer(engine, id) };
}
