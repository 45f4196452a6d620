import type { ImagedSpec } from "./imaged-spec.ts";
import type { Accounts } from "./accounts.ts";
import { connectByAttach } from "./connect-by-attach.ts";
import { connectBySocket } from "./connect-by-socket.ts";
import { type EngineImage, inspectImage } from "./engine-container.ts";
import type { Engine } from "./engine.ts";
import { mapUser, type EngineTraits, type UserMapping } from "./engine-traits.ts";
import type { Holds } from "./held-names.ts";
import { isCurrent, isGuarded } from "./is-current.ts";
import type { Booted } from "./linked-sandbox.ts";
import { meetInit } from "./meet-init.ts";
import type { MountPlan } from "./mount-plan.ts";
import { planMounts } from "./plan-mounts.ts";
import type { SandboxFile } from "./runtime-folder.ts";
import type { SocketCarrier } from "./socket-carrier.ts";

/** What booting a container needs besides the spec. */
export interface BootContext {
  readonly engine: Engine;
  readonly carrier: "socket" | "attach";
  readonly traits: EngineTraits;
  readonly owner: string;
  readonly instance: string;
  readonly runtimeFolder: string;
  /** Path of a copy of init that no command can reach. */
  initCopy(): Promise<string>;
  /** Accounts of an image, by its id. */
  accounts(image: string): Promise<Accounts>;
  /** Paths of files with these accounts. */
  accountFiles(accounts: Accounts): Promise<Accounts>;
  /** Names that one sandbox keeps taken. */
  holds(): Holds;
  /** A file for one sandbox. */
  sandboxFile(content: string): Promise<SandboxFile>;
  /** Name of the engine's volume that holds init; `image` is any that the engine has. */
  initVolume(image: string): Promise<string>;
  readonly startDeadlineMs: number;
}

/** A container that is about to be made. */
export interface Making {
  readonly context: BootContext;
  readonly spec: ImagedSpec;
  readonly plan: MountPlan;
  readonly user: UserMapping;
  readonly image: EngineImage;
}

/** A container that was made and has not started. */
export interface Made {
  readonly id: string;
  /** Starts it; resolves when its init can be heard. */
  readonly connect: () => Promise<SocketCarrier>;
  /** Path inside of the file with trusted authorities; absent: there is none. */
  readonly authorities?: string | undefined;
  /** Removes the container; resolves when it is gone, or when the engine will not tell. */
  readonly remove: () => Promise<void>;
}

/** Makes, starts and checks a container. Whatever fails, nothing is left behind. @throws Problem. */
export async function bootContainer(context: BootContext, spec: ImagedSpec, signal: AbortSignal): Promise<Booted> {
  const holds = context.holds();
  try {
    return await boot(context, spec, holds, signal);
  } catch (error) {
    await holds.release();
    throw error;
  }
}

async function boot(context: BootContext, spec: ImagedSpec, holds: Holds, signal: AbortSignal): Promise<Booted> {
  const { engine, carrier, traits, startDeadlineMs } = context;
  const sockets = engine.endpoint.kind === "unix" ? [engine.endpoint.path] : [];
  const [plan, image] = await Promise.all([planMounts(spec, sockets, holds), inspectImage(engine, spec.image, signal)]);
  const user = mapUser(traits, plan.user, process.getuid?.() ?? 0);
  const making = { context, spec, plan, user, image };
  const { id, connect, authorities, remove } = await (carrier === "socket" ? connectBySocket : connectByAttach)(
    making,
    signal,
  );
  try {
    const sameFiles = carrier === "socket" && traits.ociRuntime === undefined;
    const meeting = { session: spec.session, plan, sameFiles, deadlineMs: startDeadlineMs };
    const { link, hasBash } = await meetInit(await connect(), meeting, signal);
    return {
      id,
      link,
      image: { path: image.path, hasBash, authorities },
      remove: async () => {
        await remove();
        await holds.release();
      },
      isCurrent: () => isCurrent(plan, spec.workspace),
      isGuarded: () => isGuarded(plan),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
