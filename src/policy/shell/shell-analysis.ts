import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Effect, PathEffect, RunEffect } from "../../model/effect.ts";
import type { Facts } from "../../model/facts.ts";
import type { Rule } from "../../model/rule.ts";
import type { Work } from "../work.ts";

/** Where a command would run, and what analysis may know of the machine. */
export interface ShellWorld {
  readonly cwd: AbsolutePath;
  readonly facts: Facts;
  /** Counts over all texts of one command; its own where none is given. */
  readonly work?: Work;
}

/** A run that the blocklist forbids, with the entry that says so (`rule.id` is `blocklist.<entry>`). */
export interface BlockedRun {
  readonly rule: Rule;
  readonly effect: RunEffect;
}

/** What a text would do. */
export interface ShellAnalysis {
  /** One `run` per simple command after unwrapping, and what each does. Paths are not yet resolved through symbolic links. */
  readonly effects: readonly Effect[];
  /** Blocklist hits: nothing lifts them. */
  readonly blocked: readonly BlockedRun[];
  /** What words name that nobody understands to the end: only rules that deny or ask hear of it. */
  readonly supposed?: readonly PathEffect[];
  /** What runs are known to be given as standard input. */
  readonly fed?: ReadonlyMap<RunEffect, string>;
}
