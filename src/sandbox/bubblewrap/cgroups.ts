import { createHash } from "node:crypto";
import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits } from "../../model/runtime.ts";
import { type Controller, findHierarchies, type Hierarchy, limitFiles } from "./cgroup-hierarchies.ts";

/** The groups of one sandbox. */
export interface Cgroup {
  /** Writing a process there puts it and its children to come into the group. */
  readonly entrances: readonly string[];
  /** What a sandbox is shown of it, so that programs see their limits and init sees kills for want of memory. */
  readonly shown: readonly { readonly source: string; readonly target: string }[];
  /** Kills what is still in it, and removes it. */
  remove(): Promise<void>;
}

/** How long the kernel may take to let go of a killed group. */
const removalTries = 150;
const removalPauseMs = 20;

/** Control groups for the sandboxes of one Sallyport. */
export class Cgroups {
  /** What they hold here; empty where none can be made. */
  readonly controllers: readonly Controller[];
  readonly #hierarchies: readonly Hierarchy[];
  readonly #instance: string;
  #count = 0;

  private constructor(hierarchies: readonly Hierarchy[], instance: string) {
    this.#hierarchies = hierarchies;
    this.#instance = instance;
    this.controllers = hierarchies.flatMap(({ controllers }) => controllers);
  }

  /** Finds where groups can be made; where none can, the result holds nothing. `owner` and `instance` tell this Sallyport and this start from others. */
  static async open(owner: string, instance: string): Promise<Cgroups> {
    const [mounts, groups] = await Promise.all(
      ["mountinfo", "cgroup"].map((name) => readFile(`/proc/self/${name}`, "utf8").catch(() => "")),
    );
    const found = findHierarchies(mounts ?? "", groups ?? "", process.getuid?.() ?? -1);
    const name = createHash("sha256").update(owner).digest("hex").slice(0, 16);
    const usable = await Promise.all(found.map((hierarchy) => prepare(hierarchy, name)));
    return new Cgroups(usable.flat(), instance);
  }

  /** Makes groups of nothing. */
  static none(): Cgroups {
    return new Cgroups([], "");
  }

  /** Makes the groups of one sandbox with its limits. @throws the error of the system call; nothing is left then. */
  async make(limits: SandboxLimits): Promise<Cgroup> {
    const name = `${this.#instance}-${this.#count++}`;
    const made = this.#hierarchies.map((hierarchy) => ({ hierarchy, folder: join(hierarchy.folder, name) }));
    const remove = async (): Promise<void> => {
      await Promise.all(made.map(({ folder }) => removeGroup(folder)));
    };
    try {
      for (const { hierarchy, folder } of made) {
        await mkdir(folder);
        for (const controller of hierarchy.controllers)
          for (const { name: file, value, optional } of limitFiles(hierarchy.version, controller, limits))
            await writeFile(join(folder, file), value).catch((error: unknown) => {
              if (!optional) throw error;
            });
      }
    } catch (error) {
      await remove();
      throw error;
    }
    return {
      entrances: made.map(({ folder }) => join(folder, "cgroup.procs")),
      shown: made.flatMap(({ hierarchy, folder }) => {
        if (!hierarchy.controllers.includes("memory")) return [];
        return [{ source: folder, target: hierarchy.version === 1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup" }];
      }),
      remove,
    };
  }

  /** Ends and removes the groups of earlier starts; returns how many sandboxes they were of. */
  async sweep(): Promise<number> {
    const swept = new Set<string>();
    for (const { folder } of this.#hierarchies)
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (!entry.isDirectory() || entry.name.startsWith(`${this.#instance}-`)) continue;
        await removeGroup(join(folder, entry.name));
        swept.add(entry.name);
      }
    return swept.size;
  }
}

/** The folder for this Sallyport's groups in a hierarchy, with the controllers that can be set there; nothing where it cannot be made. */
async function prepare(hierarchy: Hierarchy, name: string): Promise<Hierarchy[]> {
  const folder = join(hierarchy.folder, "sallyport", name);
  const trial = join(folder, `trial-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    if (hierarchy.version === 2)
      // Refused where processes live in the group itself, and for a controller that it was not given.
      for (const parent of [hierarchy.folder, join(hierarchy.folder, "sallyport"), folder])
        for (const controller of hierarchy.controllers)
          await writeFile(join(parent, "cgroup.subtree_control"), `+${controller}`).catch(() => {});
    await mkdir(trial, { recursive: true });
    try {
      const usable = await Promise.all(
        hierarchy.controllers
          .map(async (controller) => {
            const files = limitFiles(hierarchy.version, controller, { memoryBytes: 0, cpus: 1, pids: 1 });
            const needed = files.filter(({ optional }) => !optional).map(({ name: file }) => file);
            await Promise.all([...needed, "cgroup.procs"].map((file) => access(join(trial, file), constants.W_OK)));
            return controller;
          })
          .map((one) => one.catch(() => undefined)),
      );
      const controllers = usable.flatMap((controller) => controller ?? []);
      return controllers.length === 0 ? [] : [{ ...hierarchy, folder, controllers }];
    } finally {
      await rmdir(trial);
    }
  } catch {
    return [];
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let round = 0; round < removalTries; round++) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    }
    const members = await readFile(join(folder, "cgroup.procs"), "utf8").catch(() => "");
    for (const pid of members.split("\n").filter((line) => line !== "")) kill(Number(pid));
    await sleep(removalPauseMs);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
