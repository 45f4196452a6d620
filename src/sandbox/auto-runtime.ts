import type { Features, SandboxSpec } from "../model/runtime.ts";
import { runtimeProblem } from "./runtime-problem.ts";
import type { WarmRuntime, WarmSandbox } from "./warm-sandbox.ts";

/**
 * The first of several runtimes that works. Once one has been found it stays, and one that is there and only cannot answer now is waited for: an engine
 * that fails must not silently make way for a weaker runtime.
 */
export class AutoRuntime implements WarmRuntime {
  readonly name = "auto";
  readonly #candidates: readonly WarmRuntime[];
  #chosen: WarmRuntime | undefined;
  #choosing: Promise<Features> | undefined;

  constructor(candidates: readonly WarmRuntime[]) {
    this.#candidates = candidates;
  }

  probe(): Promise<Features> {
    if (this.#chosen !== undefined) return this.#chosen.probe();
    // Several may ask at once; what is missing may be there the next time.
    this.#choosing ??= this.#choose().finally(() => (this.#choosing = undefined));
    return this.#choosing;
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    if (this.#chosen === undefined) {
      const features = await this.probe();
      if (this.#chosen === undefined) throw runtimeProblem(features);
    }
    return this.#chosen.create(spec, signal);
  }

  async removeOrphans(): Promise<number> {
    return (await this.#chosen?.removeOrphans()) ?? 0;
  }

  async #choose(): Promise<Features> {
    const reasons: string[] = [];
    let last: Features | undefined;
    for (const candidate of this.#candidates) {
      const features = await candidate.probe();
      if (features.available) {
        this.#chosen = candidate;
        return features;
      }
      last = features;
      reasons.push(`${candidate.name}: ${features.reason}`);
      if (features.passing === true) break;
    }
    const none: Features = last ?? {
      name: this.name,
      available: false,
      reason: "",
      version: "",
      enforces: [],
      carrier: "attach",
    };
    return {
      ...none,
      name: this.name,
      passing: none.passing === true,
      reason: `no sandbox, no exec; ${reasons.join("; ")}`,
    };
  }
}
