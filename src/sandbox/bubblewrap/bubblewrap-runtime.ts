import { Problem } from "../../model/problem.ts";
import type { Features, SandboxLimits, SandboxSpec } from "../../model/runtime.ts";
import { LinkedSandbox, type SandboxDefaults } from "../linked-sandbox.ts";
import { RuntimeFolder } from "../runtime-folder.ts";
import { runtimeProblem } from "../runtime-problem.ts";
import type { WarmRuntime, WarmSandbox } from "../warm-sandbox.ts";
import { bootBubblewrap, type BubblewrapContext } from "./boot-bubblewrap.ts";
import { Cgroups } from "./cgroups.ts";
import { machineImage } from "./root-folder.ts";
import { probeBubblewrap } from "./probe-bubblewrap.ts";

/** What a bubblewrap runtime is made with. */
export interface BubblewrapRuntimeOptions {
  /** As of `DockerRuntimeOptions`. */
  readonly runtimeFolder: string;
  readonly initPath: string;
  readonly owner: string;
  /** As of `RuntimeOptions`; where it is not given, every limit must hold. */
  readonly defaultLimits?: SandboxLimits;
  readonly startDeadlineMs?: number;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly killDeadlineMs?: number;
  /** bwrap's name or path; looked for in PATH where it is not given. */
  readonly program?: string;
  /** False: no control groups, as where none can be made. */
  readonly useCgroups?: boolean;
}

/** Sandboxes without an engine, by bwrap(1). Nothing is started before the first call. */
export function createBubblewrapRuntime(options: BubblewrapRuntimeOptions): WarmRuntime {
  return new BubblewrapRuntime(options);
}

const holders = [
  ["memoryBytes", "memory-limit"],
  ["cpus", "cpu-limit"],
  ["pids", "pids-limit"],
] as const;

/** Without control groups a machine holds the defaults as far as it can; what somebody asked for must hold. @throws Problem `failed_precondition` */
function checkLimits(limits: SandboxLimits, defaults: SandboxLimits | undefined, enforces: readonly string[]): void {
  for (const [name, holder] of holders)
    if (!enforces.includes(holder) && limits[name] !== defaults?.[name])
      throw new Problem(
        "failed_precondition",
        `limits.${name}: bubblewrap cannot hold it here, for this user may make no control groups: leave it at its default, or use a container engine`,
        { field: `limits.${name}` },
      );
}

class BubblewrapRuntime implements WarmRuntime {
  readonly name = "bubblewrap";
  readonly #options: BubblewrapRuntimeOptions;
  readonly #folder: RuntimeFolder;
  readonly #defaults: SandboxDefaults;
  #opening: Promise<BubblewrapContext> | undefined;
  #features: Features | undefined;

  constructor(options: BubblewrapRuntimeOptions) {
    this.#options = options;
    this.#folder = new RuntimeFolder(options.runtimeFolder);
    const { timeoutMs, outputBytes, startDeadlineMs = 30_000, killDeadlineMs = 5_000 } = options;
    this.#defaults = { timeoutMs, outputBytes, startDeadlineMs, killDeadlineMs };
  }

  async probe(): Promise<Features> {
    const features = await probeBubblewrap(await this.#open());
    // What is missing may be there the next time.
    if (features.available) this.#features = features;
    return features;
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    if (signal.aborted) throw new Problem("cancelled", "cancelled before the sandbox was made");
    const features = this.#features ?? (await this.probe());
    if (!features.available) throw runtimeProblem(features);
    checkLimits(spec.limits, this.#options.defaultLimits, features.enforces);
    const imaged = { ...spec, image: spec.image ?? machineImage };
    const booted = await bootBubblewrap(
      await this.#open(),
      { ...imaged, hidden: [...spec.hidden, this.#folder.hidden] },
      signal,
    );
    return new LinkedSandbox(imaged, booted, this.#defaults);
  }

  async removeOrphans(): Promise<number> {
    await this.#folder.removeOld();
    // A sandbox dies with its sidecar; its groups are what is left.
    return (await this.#open()).cgroups.sweep();
  }

  #open(): Promise<BubblewrapContext> {
    return (this.#opening ??= this.#makeContext());
  }

  async #makeContext(): Promise<BubblewrapContext> {
    const { initPath, owner, program = "bwrap", useCgroups = true } = this.#options;
    return {
      program,
      rights: process.getuid?.() === 0 ? "root" : "user",
      folder: this.#folder,
      initPath,
      cgroups: useCgroups ? await Cgroups.open(owner, this.#folder.instance) : Cgroups.none(),
      startDeadlineMs: this.#defaults.startDeadlineMs,
    };
  }
}
