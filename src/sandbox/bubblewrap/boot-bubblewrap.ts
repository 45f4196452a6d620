import { Problem } from "../../model/problem.ts";
import type { ImagedSpec } from "../imaged-spec.ts";
import type { Holds } from "../held-names.ts";
import { isCurrent, isGuarded } from "../is-current.ts";
import type { Booted } from "../linked-sandbox.ts";
import { withAccount } from "../accounts.ts";
import { meetInit } from "../meet-init.ts";
import { openOneShotSocket } from "../one-shot-socket.ts";
import { planMounts } from "../plan-mounts.ts";
import type { RuntimeFolder, SandboxFile } from "../runtime-folder.ts";
import { SocketCarrier } from "../socket-carrier.ts";
import { authoritiesInside, authoritiesWith } from "../trusted-authorities.ts";
import { within } from "../within.ts";
import { bubblewrapArguments, type Rights } from "./bubblewrap-arguments.ts";
import type { Cgroups } from "./cgroups.ts";
import { rootFolder } from "./root-folder.ts";
import { earlyEnd, startBubblewrap, type Started } from "./start-bubblewrap.ts";

/** What booting a sandbox needs besides the spec. */
export interface BubblewrapContext {
  readonly program: string;
  readonly rights: Rights;
  readonly folder: RuntimeFolder;
  readonly initPath: string;
  readonly cgroups: Cgroups;
  readonly startDeadlineMs: number;
}

/** How long an init may take to end after its stream has, in milliseconds. */
const leaveMs = 2000;

/** Makes, starts and checks a sandbox. Whatever fails, nothing is left behind. @throws Problem. */
export async function bootBubblewrap(
  context: BubblewrapContext,
  spec: ImagedSpec,
  signal: AbortSignal,
): Promise<Booted> {
  const holds = context.folder.holds();
  try {
    return await boot(context, spec, holds, signal);
  } catch (error) {
    await holds.release();
    throw error;
  }
}

async function boot(context: BubblewrapContext, spec: ImagedSpec, holds: Holds, signal: AbortSignal): Promise<Booted> {
  const { program, rights, folder, cgroups, startDeadlineMs } = context;
  const [owned, root] = await Promise.all([planMounts(spec, [], holds), rootFolder(spec)]);
  // In a user namespace of his own nobody can be anybody else.
  const plan = rights === "root" ? owned : { ...owned, user: self() };
  const [init, empty, accounts, hosts] = await Promise.all([
    folder.initCopy(context.initPath),
    folder.file("empty", ""),
    folder.accounts(withAccount(root.accounts, plan.user, spec.home)),
    folder.file("hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"),
  ]);
  const cgroup = await cgroups.make(spec.limits).catch((cause: unknown) => {
    throw new Problem("failed_precondition", `limits: the kernel refuses them: ${String(cause)}`, { cause });
  });
  const oneShot = await openOneShotSocket(folder.path);
  let authorities: SandboxFile | undefined;
  let started: Started | undefined;
  const remove = async (): Promise<void> => {
    // An init that nobody has accepted yet would wait for ever.
    await oneShot.close();
    if (started !== undefined) await leave(started);
    await cgroup.remove();
    await authorities?.remove();
    await holds.release();
  };
  try {
    if (spec.authority !== undefined) authorities = await folder.sandboxFile(authoritiesWith(spec.authority));
    const words = bubblewrapArguments(spec, {
      rights,
      plan,
      root: root.entries,
      init,
      empty,
      socket: oneShot.path,
      shown: [
        ...cgroup.shown,
        { source: accounts.passwd, target: "/etc/passwd" },
        { source: accounts.group, target: "/etc/group" },
        { source: hosts, target: "/etc/hosts" },
        ...(authorities === undefined ? [] : [{ source: authorities.path, target: authoritiesInside }]),
      ],
      limits: looseLimits(spec, context),
    });
    started = await startBubblewrap(program, words, cgroup.entrances);
    const early = started.ended.then((end) => Promise.reject(earlyEnd(end)));
    early.catch(() => {});
    const first = Promise.race([oneShot.accepted, early]);
    const carrier = new SocketCarrier(await within(first, startDeadlineMs, "init did not connect", signal));
    const meeting = { session: spec.session, plan, sameFiles: true, deadlineMs: startDeadlineMs };
    const { link, hasBash } = await meetInit(carrier, meeting, signal);
    return {
      id: `bwrap-${started.pid}`,
      link,
      image: { path: undefined, hasBash, authorities: authorities && authoritiesInside },
      remove,
      isCurrent: () => isCurrent(owned, spec.workspace),
      isGuarded: () => isGuarded(owned),
    };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await oneShot.close();
  }
}

function self(): { uid: number; gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Bounds of single processes for what no control group bounds. The kernel counts processes by user, so only in a user namespace of one's own. */
function looseLimits(
  spec: ImagedSpec,
  { cgroups, rights }: BubblewrapContext,
): { dataBytes?: number; processes?: number } {
  return {
    ...(cgroups.controllers.includes("memory") ? {} : { dataBytes: spec.limits.memoryBytes }),
    ...(cgroups.controllers.includes("pids") || rights === "root" ? {} : { processes: spec.limits.pids }),
  };
}

/** Lets it end by itself, which it does when its stream has ended; otherwise ends it. */
async function leave(started: Started): Promise<void> {
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, leaveMs);
  await Promise.race([started.ended, patience.promise]);
  clearTimeout(timer);
  started.kill();
}
