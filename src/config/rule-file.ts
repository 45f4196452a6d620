import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Rule } from "../model/rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import { type ConfigFault, ConfigProblem } from "./config-fault.ts";
import { type FileSource, loadPermissions } from "./load-permissions.ts";
import { readConfigFile } from "./read-config-file.ts";

/** What looking at a file again found. */
export type Look =
  | { readonly kind: "same" }
  /** The file is gone; it counts only when it is still gone at the next look. */
  | { readonly kind: "gone" }
  | { readonly kind: "loaded"; readonly rules: readonly Rule[] }
  /** Kept what was there before. */
  | { readonly kind: "broken"; readonly faults: readonly ConfigFault[] };

/** One permissions file: the last rules of it that were good, and what is wrong with it now. */
export class RuleFile {
  readonly file: AbsolutePath;
  readonly source: FileSource;
  readonly world: IndexWorld;
  /** The folder that the file must not lead out of. */
  readonly root: AbsolutePath;
  #rules: readonly Rule[];
  #hash: string | undefined;
  #faults: readonly ConfigFault[] = [];
  /** Hash of the broken text, so that one fault is told once. */
  #brokenHash: string | undefined;
  #wasGone = false;

  /** @throws ConfigProblem: without a last good state a broken file stops whoever needs it. */
  constructor(file: AbsolutePath, root: AbsolutePath, source: FileSource, world: IndexWorld) {
    this.file = file;
    this.root = root;
    this.source = source;
    this.world = world;
    const text = readConfigFile(file, root);
    this.#rules = text === undefined ? [] : loadPermissions(text, source, world);
    this.#hash = text?.hash;
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /** Hash of the text that the rules came from; undefined: there was no file. */
  get hash(): string | undefined {
    return this.#hash;
  }

  get faults(): readonly ConfigFault[] {
    return this.#faults;
  }

  /** Takes over what an edit made. */
  replace(rules: readonly Rule[], hash: string): void {
    this.#rules = rules;
    this.#hash = hash;
    this.#faults = [];
    this.#brokenHash = undefined;
  }

  look(): Look {
    try {
      const text = readConfigFile(this.file, this.root);
      if (text === undefined) return this.#gone();
      this.#wasGone = false;
      if (text.hash === this.#brokenHash) return { kind: "same" };
      if (text.hash === this.#hash && this.#faults.length === 0) return { kind: "same" };
      this.#brokenHash = text.hash;
      this.replace(loadPermissions(text, this.source, this.world), text.hash);
      return { kind: "loaded", rules: this.#rules };
    } catch (error) {
      return this.#broken(error);
    }
  }

  #gone(): Look {
    if (this.#hash === undefined && this.#faults.length === 0) return { kind: "same" };
    if (!this.#wasGone) {
      this.#wasGone = true;
      return { kind: "gone" };
    }
    this.#wasGone = false;
    this.#rules = [];
    this.#hash = undefined;
    this.#faults = [];
    this.#brokenHash = undefined;
    return { kind: "loaded", rules: this.#rules };
  }

  #broken(error: unknown): Look {
    const message = error instanceof Error ? error.message : "cannot be loaded";
    const faults = error instanceof ConfigProblem ? error.faults : [{ file: this.file, line: 0, column: 0, message }];
    const told = JSON.stringify(this.#faults) === JSON.stringify(faults);
    this.#faults = faults;
    return told ? { kind: "same" } : { kind: "broken", faults };
  }
}
