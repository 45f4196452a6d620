import { exhausted } from "../../../model/exhausted.ts";
import type { AbsolutePath } from "../../../model/absolute-path.ts";
import type { Effect, PathEffect, RunEffect } from "../../../model/effect.ts";
import type { BlockWorld } from "../../blocklist/block-world.ts";
import { forkBombRule, matchCommand } from "../../blocklist/match-command.ts";
import type { ProgramWorld } from "../programs/program-effects.ts";
import { shown } from "../programs/words.ts";
import type { BlockedRun, ShellAnalysis } from "../shell-analysis.ts";
import type { SimpleCommand } from "../simple-command.ts";
import type { Found } from "../walk/walk.ts";
import { commandEffects } from "./command-effects.ts";
import { resolveWord } from "./resolve-word.ts";
import { runEffect } from "./run-effect.ts";

/** Gathers what a walk finds. */
export interface Composer {
  readonly add: (found: Found) => void;
  /** What was gathered so far. */
  readonly analysis: () => ShellAnalysis;
}

/** Turns found commands into effects and blocklist hits, each once, in the order of the text. Links that commands make are put into `links`. */
export function composer(block: BlockWorld, world: ProgramWorld, links: Map<AbsolutePath, AbsolutePath>): Composer {
  const effects = new Map<string, Effect>();
  const supposed = new Map<string, PathEffect>();
  const blocked = new Map<string, BlockedRun>();
  // Texts repeat themselves: the same command in the same place gives nothing new.
  const seen = new Set<string>();
  const put = (effect: Effect): void => {
    const key = keyOf(effect);
    if (!effects.has(key)) effects.set(key, effect);
  };
  const suppose = (effect: PathEffect): void => {
    supposed.set(keyOf(effect), effect);
  };
  const check = (command: SimpleCommand, run: () => RunEffect): void => {
    for (const rule of matchCommand(command, block)) {
      const effect = run();
      blocked.set(`${rule.id} ${effect.text}`, { rule, effect });
    }
  };
  const add = (found: Found): void => {
    switch (found.kind) {
      case "command": {
        const key = commandKey(found.command, found.checked, links.size);
        if (key !== undefined && seen.has(key)) return;
        if (key !== undefined) seen.add(key);
        const run = runEffect(found.command);
        if (found.command.argv.length > 0) put(run);
        if (found.checked) check(found.command, () => run);
        const done = commandEffects(found.command, run, world);
        for (const effect of done.effects) put(effect);
        for (const effect of done.supposed) suppose(effect);
        for (const { path, target } of done.links) links.set(path, target);
        return;
      }
      case "check":
        return check(found.command, () => runEffect(found.command));
      case "named":
        for (const { path, exact } of resolveWord(found.word, found.cwds, world))
          suppose({ kind: "read", path, exact });
        return;
      case "bomb": {
        const effect: RunEffect = { kind: "run", program: found.text, argv: [found.text], text: found.text };
        blocked.set(`bomb ${found.text}`, { rule: forkBombRule(), effect });
        return;
      }
      case "opaque":
        return put({ kind: "opaque", text: clipped(found.text), why: found.why, cause: found.cause });
    }
  };
  return {
    add,
    analysis: () => ({
      effects: [...effects.values()],
      blocked: [...blocked.values()],
      // What is an effect is no supposition.
      supposed: [...supposed].filter(([key]) => !effects.has(key)).map(([, effect]) => effect),
    }),
  };
}

/** Tells commands apart by all that their effects depend on; undefined where that is more than words and folders. */
function commandKey(
  { argv, assignments, redirects, wrappers, cwds, stdin, tainted }: SimpleCommand,
  checked: boolean,
  links: number,
): string | undefined {
  if (assignments.length > 0 || redirects.length > 0 || wrappers.length > 0) return undefined;
  return [
    checked,
    tainted,
    links,
    stdin.kind,
    cwds.join("\0"),
    ...argv.map((word) => `${word.kind}${shown(word)}`),
  ].join("\0");
}

/** Long texts are of no use to a person, and many of them would cost memory. */
function clipped(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}…`;
}

function keyOf(effect: Effect): string {
  switch (effect.kind) {
    case "run":
      return `run ${effect.readOnly === true} ${effect.text} ${effect.aliases?.join("\n") ?? ""}`;
    case "read":
    case "write":
    case "delete":
      return `${effect.kind} ${effect.exact} ${effect.path}`;
    case "reach":
      return `reach ${effect.host} ${effect.port}`;
    case "use":
      return `use ${effect.name}`;
    case "opaque":
      return `opaque ${effect.cause} ${effect.why} ${effect.text}`;
    default:
      return exhausted(effect);
  }
}
