import { Problem } from "../../model/problem.ts";
import type { Features, SandboxSpec } from "../../model/runtime.ts";
import { LinkedSandbox, type SandboxDefaults } from "../linked-sandbox.ts";
import { RuntimeFolder } from "../runtime-folder.ts";
import type { WarmRuntime, WarmSandbox } from "../warm-sandbox.ts";
import { bootBubblewrap, type BubblewrapContext } from "./boot-bubblewrap.ts";
import { Cgroups } from "./cgroups.ts";
import { missing, probeBubblewrap } from "./probe-bubblewrap.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** What a bubblewrap runtime is made with. */
export interface BubblewrapRuntimeOptions {
  /** As of `DockerRuntimeOptions`. */
  readonly runtimeFolder: string;
  readonly initPath: string;
  readonly owner: string;
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

class BubblewrapRuntime implements WarmRuntime {
  readonly name = "bubblewrap";
  readonly #options: BubblewrapRuntimeOptions;
  readonly #folder: RuntimeFolder;
  readonly #defaults: SandboxDefaults;
  #opening: Promise<BubblewrapContext | undefined> | undefined;
  #features: Features | undefined;

  constructor(options: BubblewrapRuntimeOptions) {
    this.#options = options;
    this.#folder = new RuntimeFolder(options.runtimeFolder);
    const { timeoutMs, outputBytes, startDeadlineMs = 30_000, killDeadlineMs = 5_000 } = options;
    this.#defaults = { timeoutMs, outputBytes, startDeadlineMs, killDeadlineMs };
  }

  async probe(): Promise<Features> {
    const context = await this.#open();
    if (context === undefined) return missing(`there is no filter of system calls for ${process.arch} processors`);
    const filter = await this.#folder.file("filter", context.filter);
    const features = await probeBubblewrap({ ...context, filter });
    // What is missing may be there the next time.
    if (features.available) this.#features = features;
    return features;
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    if (signal.aborted) throw new Problem("cancelled", "cancelled before the sandbox was made");
    const features = this.#features ?? (await this.probe());
    const context = await this.#open();
    if (!features.available || context === undefined) throw new Problem("failed_precondition", features.reason);
    const { id, link, image, remove } = await bootBubblewrap(
      context,
      { ...spec, hidden: [...spec.hidden, this.#folder.hidden] },
      signal,
    );
    return new LinkedSandbox(id, spec, link, image, this.#defaults, remove);
  }

  async removeOrphans(): Promise<number> {
    await this.#folder.removeOld();
    // A sandbox dies with its sidecar; its groups are what is left.
    return (await (await this.#open())?.cgroups.sweep()) ?? 0;
  }

  #open(): Promise<BubblewrapContext | undefined> {
    return (this.#opening ??= this.#makeContext());
  }

  async #makeContext(): Promise<BubblewrapContext | undefined> {
    const { initPath, owner, program = "bwrap", useCgroups = true } = this.#options;
    const filter = seccompFilter(process.arch);
    if (filter === undefined) return undefined;
    return {
      program,
      rights: process.getuid?.() === 0 ? "root" : "user",
      folder: this.#folder,
      initPath,
      filter,
      cgroups: useCgroups ? await Cgroups.open(owner, this.#folder.instance) : Cgroups.none(),
      startDeadlineMs: this.#defaults.startDeadlineMs,
    };
  }
}
