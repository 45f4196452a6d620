import { Problem } from "../model/problem.ts";
import type { SessionId } from "../model/ids.ts";
import type { Carrier } from "./carrier.ts";
import { bashPath } from "./command-line.ts";
import { Link } from "./link.ts";
import type { MountPlan } from "./mount-plan.ts";
import { within } from "./within.ts";

/** What a new sandbox's init is met with. */
export interface Meeting {
  readonly session: SessionId;
  readonly plan: MountPlan;
  /** Whether device and inode mean the same inside and here. */
  readonly sameFiles: boolean;
  readonly deadlineMs: number;
}

/**
 * Waits for init's hello and looks round from inside: is what is mounted what was judged, and is there a bash?
 * @throws Problem; the carrier is ended then.
 */
export async function meetInit(
  carrier: Carrier,
  { session, plan, sameFiles, deadlineMs }: Meeting,
  signal: AbortSignal,
): Promise<{ readonly link: Link; readonly hasBash: boolean }> {
  const link = new Link(carrier, session);
  try {
    // Asked at once: init answers after its hello.
    const looking = lookRound(link, sameFiles ? plan : undefined);
    looking.catch(() => {});
    await within(link.ready, deadlineMs, "init did not say hello", signal);
    // The hello proves that init ran, not that it still does: containers can be frozen at any time.
    return { link, hasBash: await within(looking, deadlineMs, "init did not look round", signal) };
  } catch (error) {
    link.end("could not be used");
    throw error;
  }
}

/** Resolves with whether there is a bash. `plan`: what must be mounted; undefined where that cannot be told. */
async function lookRound(link: Link, plan: MountPlan | undefined): Promise<boolean> {
  const [bash] = await Promise.all([link.stat(bashPath), plan === undefined ? undefined : compareMounts(link, plan)]);
  return bash.errno === 0;
}

/** Whoever mounts follows links, and a command in an older sandbox of the session could have put one there after the check. */
async function compareMounts(link: Link, plan: MountPlan): Promise<void> {
  const compared = plan.mounts.map(async (mount) => {
    if (mount.kind !== "folder") return;
    const found = await link.stat(mount.target);
    if (found.errno !== 0 || found.device !== mount.identity.device || found.inode !== mount.identity.inode)
      throw new Problem("aborted", `scope ${mount.target}: it was replaced while the sandbox was made; try again`);
  });
  await Promise.all(compared);
}
