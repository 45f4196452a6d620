import { lstatSync } from "node:fs";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { lookAt } from "./look-at.ts";
import type { MountPlan } from "./mount-plan.ts";

/**
 * Whether every folder of a plan still lies where it lay when it was mounted, the same one and reached by no link, and whether the workspace is still that user's
 * whom commands run as.
 */
export async function isCurrent({ mounts, user }: MountPlan, workspace: AbsolutePath): Promise<boolean> {
  const owner = await lookAt(workspace).catch(() => undefined);
  if (Number(owner?.uid) !== user.uid || Number(owner?.gid) !== user.gid) return false;
  const same = mounts.map(async (mount) => {
    if (mount.kind !== "folder") return true;
    const found = await lookAt(mount.source).catch(() => undefined);
    return found?.dev === mount.identity.device && found.ino === mount.identity.inode;
  });
  return (await Promise.all(same)).every(Boolean);
}

/**
 * Whether everything that is guarded is still the file or folder that was mounted. Where something outside has replaced it, the kernel has taken the mount away, and
 * commands could write what is there now. Asked before every command, so it costs a few system calls and no more.
 */
export function isGuarded({ mounts }: MountPlan): boolean {
  return mounts.every((mount) => {
    if (mount.kind !== "folder" || mount.guard !== true) return true;
    const found = lstatSync(mount.source, { bigint: true, throwIfNoEntry: false });
    return found?.dev === mount.identity.device && found.ino === mount.identity.inode;
  });
}
