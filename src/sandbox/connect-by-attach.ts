import { attach } from "./attach.ts";
import type { Made, Making } from "./boot-container.ts";
import { optionsOf } from "./container-options.ts";
import { label } from "./labels.ts";
import { demultiplex } from "./demultiplex.ts";
import { createContainer, removeContainer } from "./engine-container.ts";
import { SocketCarrier } from "./socket-carrier.ts";
import { authoritiesInVolume, fillTrustVolume } from "./trust-volume.ts";
import { authoritiesWith } from "./trusted-authorities.ts";

/** Makes a container whose init speaks over the engine's attach stream. @throws Problem; nothing is left then. */
export async function connectByAttach(making: Making, signal: AbortSignal): Promise<Made> {
  const { context, spec } = making;
  const { engine, startDeadlineMs, owner, instance } = context;
  const labels = { [label.owner]: owner, [label.instance]: instance };
  const name = await context.initVolume(spec.image);
  const trust =
    spec.authority === undefined
      ? undefined
      : await fillTrustVolume(engine, authoritiesWith(spec.authority), spec.image, labels);
  let id: string;
  try {
    const options = optionsOf(making, { kind: "volume", name, authorities: trust?.name });
    id = await createContainer(engine, "create", options, signal);
  } catch (error) {
    await trust?.remove();
    throw error;
  }
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
  const remove = async (): Promise<void> => {
    await removeContainer(engine, id);
    await trust?.remove();
  };
  return { id, connect, authorities: trust === undefined ? undefined : authoritiesInVolume, remove };
}
