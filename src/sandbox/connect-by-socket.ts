import { Problem } from "../model/problem.ts";
import { withAccount } from "./accounts.ts";
import type { Made, Making } from "./boot-container.ts";
import { optionsOf } from "./container-options.ts";
import { createContainer, removeContainer } from "./engine-container.ts";
import type { Engine } from "./engine.ts";
import { openOneShotSocket } from "./one-shot-socket.ts";
import type { SandboxFile } from "./runtime-folder.ts";
import { SocketCarrier } from "./socket-carrier.ts";
import { authoritiesInside, authoritiesWith } from "./trusted-authorities.ts";
import { within } from "./within.ts";

/** Makes a container whose init connects to a one-shot socket of this machine. @throws Problem; nothing is left then. */
export async function connectBySocket(making: Making, signal: AbortSignal): Promise<Made> {
  const { context, spec, user, image } = making;
  const { engine, startDeadlineMs } = context;
  const [copy, accounts] = await Promise.all([
    context.initCopy(),
    context.accounts(image.id).then((known) => context.accountFiles(withAccount(known, user, spec.home))),
  ]);
  const oneShot = await openOneShotSocket(context.runtimeFolder);
  let authorities: SandboxFile | undefined;
  try {
    if (spec.authority !== undefined) authorities = await context.sandboxFile(authoritiesWith(spec.authority));
    const shared = { init: copy, socket: oneShot.path, accounts, authorities: authorities?.path };
    const id = await createContainer(engine, "create", optionsOf(making, { kind: "shared", ...shared }), signal);
    let starting: Promise<unknown> = Promise.resolve();
    const connect = async (): Promise<SocketCarrier> => {
      const ended = new AbortController();
      try {
        starting = engine.call("start", (docker) => docker.getContainer(id).start(), { signal });
        // Init is there before the engine says that it started.
        const first = Promise.race([oneShot.accepted, starting.then(() => earlyDeath(engine, id, ended.signal))]);
        return new SocketCarrier(await within(first, startDeadlineMs, "init did not connect", signal));
      } finally {
        ended.abort();
        await oneShot.close();
      }
    };
    const remove = async (): Promise<void> => {
      // An engine that is still starting it would say that it does not run.
      await Promise.allSettled([starting]);
      await removeContainer(engine, id);
      await authorities?.remove();
    };
    return { id, connect, authorities: authorities === undefined ? undefined : authoritiesInside, remove };
  } catch (error) {
    await oneShot.close();
    await authorities?.remove();
    throw error;
  }
}

/** Rejects where a container ends before its init has connected. */
async function earlyDeath(engine: Engine, id: string, signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  let status = "unknown";
  try {
    const ended: unknown = await engine.docker.getContainer(id).wait({ abortSignal: signal });
    if (typeof ended === "object" && ended !== null && "StatusCode" in ended) status = String(ended.StatusCode);
  } catch {
    // Nobody asks any more, or it is removed already.
  }
  // 128 and SIGKILL: nothing is wrong with init, so another try may do.
  if (status === "137")
    throw new Problem("unavailable", "init was killed before it connected: by somebody outside, or for want of memory");
  throw new Problem(
    "failed_precondition",
    `init ended before it connected (status ${status}): is it built for this machine?`,
  );
}
