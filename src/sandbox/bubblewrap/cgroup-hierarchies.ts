import { exhausted } from "../../model/exhausted.ts";

/** What bounds a sandbox: controllers of cgroups(7). */
export type Controller = "memory" | "cpu" | "pids";

/** A place below which groups can be made, with the controllers that work there. */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly controllers: readonly Controller[];
}

const wanted: readonly Controller[] = ["memory", "cpu", "pids"];

/**
 * Reads which hierarchies a machine has from the texts of `/proc/self/mountinfo` and `/proc/self/cgroup` (proc(5), cgroups(7)). In version 1 and
 * for root the hierarchy's top serves; in version 2 anybody else needs what systemd has handed to his user manager.
 */
export function findHierarchies(mounts: string, groups: string, uid: number): readonly Hierarchy[] {
  const found: Hierarchy[] = [];
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const folder = before.split(" ")[4];
    const [type, , options = ""] = after.split(" ");
    if (folder === undefined) continue;
    if (type === "cgroup") {
      const controllers = wanted.filter((controller) => options.split(",").includes(controller));
      if (controllers.length > 0) found.push({ version: 1, folder, controllers });
    } else if (type === "cgroup2") {
      const own = uid === 0 ? "" : delegated(groups, uid);
      if (own !== undefined) found.push({ version: 2, folder: `${folder}${own}`, controllers: wanted });
    }
  }
  // What one hierarchy has, another cannot: a controller belongs to one.
  const taken = new Set(found.flatMap(({ version, controllers }) => (version === 1 ? controllers : [])));
  return found.flatMap((hierarchy) => {
    if (hierarchy.version === 1) return [hierarchy];
    const controllers = hierarchy.controllers.filter((controller) => !taken.has(controller));
    return controllers.length === 0 ? [] : [{ ...hierarchy, controllers }];
  });
}

/** The group of the user's systemd, where this process runs below it: only within it may he move processes. */
function delegated(groups: string, uid: number): string | undefined {
  const own = groups.split("\n").find((line) => line.startsWith("0::"));
  const manager = `/user@${uid}.service`;
  const at = own?.indexOf(`${manager}/`) ?? -1;
  return own === undefined || at < 0 ? undefined : own.slice("0::".length, at + manager.length);
}

/** The files that hold one controller's limit and their values, in the order in which they are to be written. */
export function limitFiles(
  version: 1 | 2,
  controller: Controller,
  limits: { readonly memoryBytes: number; readonly cpus: number; readonly pids: number },
): readonly { readonly name: string; readonly value: string; readonly optional: boolean }[] {
  const file = (name: string, value: string | number, optional = false) => ({ name, value: String(value), optional });
  const quota = Math.max(1000, Math.round(limits.cpus * period));
  switch (controller) {
    case "memory":
      // Swap is bounded where the kernel counts it.
      return version === 1
        ? [
            file("memory.limit_in_bytes", limits.memoryBytes),
            file("memory.memsw.limit_in_bytes", limits.memoryBytes, true),
          ]
        : [file("memory.max", limits.memoryBytes), file("memory.swap.max", 0, true)];
    case "cpu":
      return version === 1
        ? [file("cpu.cfs_period_us", period), file("cpu.cfs_quota_us", quota)]
        : [file("cpu.max", `${quota} ${period}`)];
    case "pids":
      // bwrap itself is one.
      return [file("pids.max", limits.pids + 1)];
    default:
      return exhausted(controller);
  }
}

/** Microseconds in which a sandbox may use its share of CPU time. */
const period = 100_000;
