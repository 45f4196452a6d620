import { exhausted } from "../../../model/exhausted.ts";
import type { AbsolutePath } from "../../../model/absolute-path.ts";
import type { Effect, PathEffect, RunEffect } from "../../../model/effect.ts";
import type { BlockWorld } from "../../blocklist/block-world.ts";
import { forkBombRule, matchCommand } from "../../blocklist/match-command.ts";
import { limits } from "../limits.ts";
import type { ProgramWorld } from "../programs/program-effects.ts";
import type { BlockedRun, ShellAnalysis } from "../shell-analysis.ts";
import type { SimpleCommand } from "../simple-command.ts";
import type { Found } from "../walk/walk.ts";
import type { Work } from "../../work.ts";
import { commandEffects, wrapperEffects } from "./command-effects.ts";
import { commandKey } from "./command-key.ts";
import { EffectSet } from "./effect-set.ts";
import { type Forms, FormReader } from "./forms.ts";
import { resolveWord } from "./resolve-word.ts";
import { runEffect } from "./run-effect.ts";

/** Turns the commands that a walk finds into effects and blocklist hits, each once, in the order of the text. */
export class Composer {
  readonly #block: BlockWorld;
  readonly #world: ProgramWorld;
  readonly #links: Map<AbsolutePath, AbsolutePath>;
  readonly #work: Work;
  readonly #effects = new EffectSet<Effect>();
  readonly #supposed = new EffectSet<PathEffect>();
  /** How often a path was supposed, again ones too. */
  #looks = 0;
  readonly #blocked = new Map<string, BlockedRun>();
  readonly #fed = new Map<RunEffect, string>();
  /** Texts repeat themselves: the same command in the same place gives nothing new. */
  readonly #seen = new Set<string>();
  #forms: FormReader | undefined;
  /** An input may be as long as the text, and many commands may share it: here each has a number. */
  #inputs: Map<string, number> | undefined;

  /** `links`: filled with the symbolic links that commands make. */
  constructor(block: BlockWorld, world: ProgramWorld, links: Map<AbsolutePath, AbsolutePath>, work: Work) {
    this.#block = block;
    this.#world = world;
    this.#links = links;
    this.#work = work;
  }

  add(found: Found): void {
    switch (found.kind) {
      case "command":
        return this.#addCommand(found.command, found.checked);
      case "check": {
        const around = this.#formsOf(found.command);
        if (this.#isNew(found.command, around, "check")) this.#check(found.command, around);
        return;
      }
      case "named":
        return this.#suppose(
          resolveWord(found.word, found.cwds, this.#world).map(({ path, exact }) => ({ kind: "read", path, exact })),
        );
      case "bomb": {
        const effect: RunEffect = { kind: "run", program: found.text, argv: [found.text], text: found.text };
        this.#blocked.set(`bomb ${found.text}`, { rule: forkBombRule(), effect });
        return;
      }
      case "opaque":
        return this.#effects.add({
          kind: "opaque",
          text: clipped(found.text),
          why: found.why,
          cause: found.cause,
        });
      default:
        return exhausted(found);
    }
  }

  /** What was gathered so far. */
  analysis(): ShellAnalysis {
    return {
      effects: this.#effects.list,
      blocked: [...this.#blocked.values()],
      // What is an effect is no supposition.
      supposed: this.#supposed.list.filter((effect) => !this.#effects.has(effect)),
      fed: this.#fed,
    };
  }

  #addCommand(command: SimpleCommand, checked: boolean): void {
    const around = this.#formsOf(command);
    if (!this.#isNew(command, around, checked ? "checked" : "unchecked")) return;
    const run = runEffect(command, around);
    if (command.argv.length > 0) this.#effects.add(run, around);
    if (command.stdin.kind === "literal") this.#fed.set(run, command.stdin.text);
    if (checked) this.#check(command, around, run);
    for (const argv of command.wrappers) this.#addWrapper({ ...command, argv, assignments: [], wrappers: [] });
    const { effects, supposed, links } = commandEffects(command, run, this.#world);
    this.#work.spend(effects.length);
    for (const effect of effects) this.#effects.add(effect);
    this.#suppose(supposed);
    for (const { path, target } of links) this.#links.set(path, target);
  }

  #addWrapper(wrapper: SimpleCommand): void {
    if (!this.#isNew(wrapper, undefined, "around")) return;
    for (const effect of wrapperEffects(wrapper, this.#world)) this.#effects.add(effect);
  }

  #check(command: SimpleCommand, around: Forms | undefined, run?: RunEffect): void {
    for (const rule of matchCommand(command, this.#block)) {
      const effect = run ?? runEffect(command, around);
      this.#blocked.set(`${rule.id} ${effect.text}`, { rule, effect });
    }
  }

  /** Paths may be made as they are asked for, so that no more are made than are looked at. */
  #suppose(paths: Iterable<PathEffect>): void {
    if (!this.#isFull())
      for (const effect of paths) {
        this.#supposed.add(effect);
        this.#looks += 1;
        this.#work.spend(1);
        if (this.#isFull()) break;
      }
    if (this.#isFull())
      this.#effects.add({
        kind: "opaque",
        text: "files",
        why: "it names more files than are looked at",
        cause: "unread",
      });
  }

  #isFull(): boolean {
    return this.#supposed.list.length >= limits.supposed || this.#looks >= limits.supposedLooks;
  }

  #formsOf({ wrappers }: SimpleCommand): Forms | undefined {
    return wrappers.length === 0 ? undefined : (this.#forms ??= new FormReader()).read(wrappers);
  }

  #isNew(command: SimpleCommand, around: Forms | undefined, how: string): boolean {
    this.#work.spend(2 + command.argv.length * 0.2);
    const key = commandKey(command, around, `${how} ${this.#links.size} ${this.#inputOf(command)}`);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    this.#work.spend(5 + (how === "check" ? 0.3 : 1) * command.argv.length * command.cwds.length);
    return true;
  }

  #inputOf({ stdin }: SimpleCommand): string | number {
    if (stdin.kind !== "literal") return stdin.kind;
    this.#inputs ??= new Map();
    const number = this.#inputs.get(stdin.text) ?? this.#inputs.size;
    this.#inputs.set(stdin.text, number);
    return number;
  }
}

/** Long texts are of no use to a person, and many of them would cost memory. */
function clipped(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}…`;
}
