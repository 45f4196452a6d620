import type { Socket } from "node:net";
import { Problem } from "../model/problem.ts";
import type { SandboxSpec } from "../model/runtime.ts";
import { attach } from "./attach.ts";
import { containerOptions, type InitSource } from "./container-options.ts";
import { demultiplex } from "./demultiplex.ts";
import type { ImageFacts } from "./linked-sandbox.ts";
import type { Engine } from "./engine.ts";
import { mapUser, type EngineTraits } from "./engine-traits.ts";
import type { Link } from "./link.ts";
import { meetInit } from "./meet-init.ts";
import type { MountPlan } from "./mount-plan.ts";
import { openOneShotSocket } from "./one-shot-socket.ts";
import { planMounts } from "./plan-mounts.ts";
import { SocketCarrier } from "./socket-carrier.ts";
import { within } from "./within.ts";

/** What booting a container needs besides the spec. */
export interface BootContext {
  readonly engine: Engine;
  readonly carrier: "socket" | "attach";
  readonly traits: EngineTraits;
  readonly owner: string;
  readonly instance: string;
  readonly ociRuntime: string | undefined;
  readonly runtimeFolder: string;
  /** Path of a copy of init that no command can reach. */
  initCopy(): Promise<string>;
  /** Name of the engine's volume that holds init; `image` is any that the engine has. */
  initVolume(image: string): Promise<string>;
  readonly startDeadlineMs: number;
}

/** A container whose init has said hello and whose mounts were checked. */
export interface Booted {
  readonly id: string;
  readonly link: Link;
  readonly image: ImageFacts;
  /** Removes the container; resolves when it is gone, or when the engine will not tell. */
  readonly remove: () => Promise<void>;
}

/** Makes, starts and checks a container. Whatever fails, nothing is left behind. @throws Problem. */
export async function bootContainer(context: BootContext, spec: SandboxSpec, signal: AbortSignal): Promise<Booted> {
  const { engine } = context;
  const sockets = engine.endpoint.kind === "unix" ? [engine.endpoint.path] : [];
  const [plan, image] = await Promise.all([planMounts(spec, sockets), inspectImage(engine, spec.image, signal)]);
  const { id, connect, remove } = await (context.carrier === "socket" ? bySocket : byAttach)(
    context,
    spec,
    plan,
    image.volumes,
    signal,
  );
  try {
    const sameFiles = context.carrier === "socket" && context.ociRuntime === undefined;
    const meeting = { session: spec.session, plan, sameFiles, deadlineMs: context.startDeadlineMs };
    const { link, hasBash } = await meetInit(await connect(), meeting, signal);
    return { id, link, image: { path: image.path, hasBash }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Connecting {
  readonly id: string;
  readonly connect: () => Promise<SocketCarrier>;
  readonly remove: () => Promise<void>;
}

async function bySocket(
  context: BootContext,
  spec: SandboxSpec,
  plan: MountPlan,
  volumes: readonly string[],
  signal: AbortSignal,
): Promise<Connecting> {
  const { engine, startDeadlineMs } = context;
  const copy = await context.initCopy();
  const oneShot = await openOneShotSocket(context.runtimeFolder);
  try {
    const init: InitSource = { kind: "shared", init: copy, socket: oneShot.path };
    const id = await create(context, spec, plan, volumes, init, signal);
    const connect = async (): Promise<SocketCarrier> => {
      const ended = new AbortController();
      try {
        await engine.call("start", (docker) => docker.getContainer(id).start(), { signal });
        const first = Promise.race([oneShot.accepted, earlyDeath(engine, id, ended.signal)]);
        return new SocketCarrier(await within(first, startDeadlineMs, "init did not connect", signal));
      } finally {
        ended.abort();
        await oneShot.close();
      }
    };
    return { id, connect, remove: () => remove(engine, id) };
  } catch (error) {
    await oneShot.close();
    throw error;
  }
}

/** Rejects where a container ends before its init has connected. */
async function earlyDeath(engine: Engine, id: string, signal: AbortSignal): Promise<never> {
  let status = "unknown";
  try {
    const ended: unknown = await engine.docker.getContainer(id).wait({ abortSignal: signal });
    if (typeof ended === "object" && ended !== null && "StatusCode" in ended) status = String(ended.StatusCode);
  } catch {
    // Nobody asks any more, or it is removed already.
  }
  throw new Problem(
    "failed_precondition",
    `init ended before it connected (status ${status}): is it built for this machine?`,
  );
}

async function byAttach(
  context: BootContext,
  spec: SandboxSpec,
  plan: MountPlan,
  volumes: readonly string[],
  signal: AbortSignal,
): Promise<Connecting> {
  const { engine, startDeadlineMs } = context;
  const init: InitSource = { kind: "volume", name: await context.initVolume(spec.image) };
  const id = await create(context, spec, plan, volumes, init, signal);
  const connect = async (): Promise<SocketCarrier> => {
    // Before the start, or the hello would be lost.
    const socket: Socket = await attach(engine.endpoint, id, startDeadlineMs);
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
  return { id, connect, remove: () => remove(engine, id) };
}

async function create(
  context: BootContext,
  spec: SandboxSpec,
  plan: MountPlan,
  imageVolumes: readonly string[],
  init: InitSource,
  signal: AbortSignal,
): Promise<string> {
  const { traits, owner, instance, ociRuntime } = context;
  const user = mapUser(traits, plan.user, process.getuid?.() ?? 0);
  const options = containerOptions(spec, { plan, traits, user, imageVolumes, owner, instance, ociRuntime, init });
  const making = context.engine.docker.createContainer(options);
  try {
    const container = await context.engine.call("create", () => making, { signal, image: spec.image });
    return container.id;
  } catch (error) {
    // It may still come into being after the deadline or the caller's leave.
    void making.then((container) => remove(context.engine, container.id)).catch(() => {});
    throw error;
  }
}

async function remove(engine: Engine, id: string): Promise<void> {
  const container = engine.docker.getContainer(id);
  const removed = engine.call("wait for removal", () => container.wait({ condition: "removed" }));
  const removing = engine.call("remove", () => container.remove({ force: true }));
  // It removes itself as well, so either may find it gone. Where the engine does not answer, the next start's sweep finds it.
  await Promise.allSettled([removed, removing]);
}

async function inspectImage(
  engine: Engine,
  image: string,
  signal: AbortSignal,
): Promise<{ path: string | undefined; volumes: readonly string[] }> {
  const found = await engine.call("inspect image", (docker) => docker.getImage(image).inspect(), { signal, image });
  const variables = found.Config.Env ?? [];
  const path = variables.find((variable) => variable.startsWith("PATH="))?.slice("PATH=".length);
  const volumes: unknown = found.Config.Volumes;
  return { path, volumes: typeof volumes === "object" && volumes !== null ? Object.keys(volumes) : [] };
}
