import { exhausted } from "../../../model/exhausted.ts";
import type { AbsolutePath } from "../../../model/absolute-path.ts";
import type { Effect, PathEffect, RunEffect } from "../../../model/effect.ts";
import type { BlockWorld } from "../../blocklist/block-world.ts";
import { forkBombRule, matchCommand } from "../../blocklist/match-command.ts";
import { limits } from "../limits.ts";
import type { ProgramWorld } from "../programs/program-effects.ts";
import type { BlockedRun, ShellAnalysis } from "../shell-analysis.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import type { Found } from "../walk/walk.ts";
import { commandEffects, wrapperEffects } from "./command-effects.ts";
import { type Forms, FormReader } from "./forms.ts";
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
  const forms = new FormReader();
  const inputs = new Map<string, number>();
  const put = (effect: Effect, around?: Forms): void => {
    const key = effectKey(effect, around);
    if (!effects.has(key)) effects.set(key, effect);
  };
  let looked = 0;
  const suppose = (paths: Iterable<PathEffect>): void => {
    const isFull = (): boolean => supposed.size >= limits.supposed || looked >= limits.supposedLooks;
    if (!isFull())
      for (const effect of paths) {
        supposed.set(effectKey(effect), effect);
        looked += 1;
        if (isFull()) break;
      }
    if (isFull()) put({ kind: "opaque", text: "files", why: "it names more files than are looked at", cause: "limit" });
  };
  const check = (command: SimpleCommand, run: () => RunEffect): void => {
    for (const rule of matchCommand(command, block)) {
      const effect = run();
      blocked.set(`${rule.id} ${effect.text}`, { rule, effect });
    }
  };
  const isNew = (command: SimpleCommand, around: Forms | undefined, how: string): boolean => {
    // An input may be as long as the text, and many commands may share it.
    const input = command.stdin.kind === "literal" ? numbered(inputs, command.stdin.text) : command.stdin.kind;
    const key = commandKey(command, around, `${how} ${links.size} ${input}`);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  const addCommand = (command: SimpleCommand, checked: boolean): void => {
    const around = forms.read(command.wrappers);
    if (!isNew(command, around, checked ? "checked" : "unchecked")) return;
    const run = runEffect(command, around);
    if (command.argv.length > 0) put(run, around);
    if (checked) check(command, () => run);
    for (const argv of command.wrappers) {
      const wrapper: SimpleCommand = { ...command, argv, assignments: [], wrappers: [] };
      if (isNew(wrapper, undefined, "around")) for (const effect of wrapperEffects(wrapper, world)) put(effect);
    }
    const done = commandEffects(command, run, world);
    for (const effect of done.effects) put(effect);
    suppose(done.supposed);
    for (const { path, target } of done.links) links.set(path, target);
  };
  const add = (found: Found): void => {
    switch (found.kind) {
      case "command":
        return addCommand(found.command, found.checked);
      case "check": {
        const around = forms.read(found.command.wrappers);
        if (isNew(found.command, around, "check")) check(found.command, () => runEffect(found.command, around));
        return;
      }
      case "named":
        return suppose(
          resolveWord(found.word, found.cwds, world).map(({ path, exact }) => ({ kind: "read", path, exact })),
        );
      case "bomb": {
        const effect: RunEffect = { kind: "run", program: found.text, argv: [found.text], text: found.text };
        blocked.set(`bomb ${found.text}`, { rule: forkBombRule(), effect });
        return;
      }
      case "opaque":
        return put({ kind: "opaque", text: clipped(found.text), why: found.why, cause: found.cause });
      default:
        return exhausted(found);
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

function numbered(texts: Map<string, number>, text: string): number {
  const number = texts.get(text) ?? texts.size;
  texts.set(text, number);
  return number;
}

/** Tells commands apart by all that their effects depend on. Every text stands behind its length, so that none can pass for another. */
function commandKey(
  { argv, assignments, redirects, cwds, tainted }: SimpleCommand,
  around: Forms | undefined,
  how: string,
): string {
  let key = `${how} ${tainted} ${around?.key ?? ""}`;
  for (const cwd of cwds) key += cwd === undefined ? " ?" : ` ${cwd.length} ${cwd}`;
  for (const { name, value, exported } of assignments)
    key += `${exported ? "+" : "="}${name.length} ${name}${wordKey(value)}`;
  for (const { operator, fd, target } of redirects) key += `${operator}${fd ?? ""}${wordKey(target)}`;
  for (const word of argv) key += wordKey(word);
  return key;
}

function wordKey(word: Word): string {
  if (word.kind === "literal") return `.${word.value.length} ${word.value}`;
  if (word.kind === "glob") return `*${word.pattern.length} ${word.pattern}`;
  const parts = word.parts.map((part) => (part === undefined ? "?" : `${part.length} ${part}`)).join("");
  return `$${word.text.length} ${word.text}${parts} ${word.why.length} ${word.why}`;
}

/** Long texts are of no use to a person, and many of them would cost memory. */
function clipped(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}…`;
}

function effectKey(effect: Effect, around?: Forms): string {
  switch (effect.kind) {
    case "run":
      return `run ${effect.readOnly === true} ${effect.dynamic === true} ${around?.key ?? ""}:${effect.text}`;
    case "read":
    case "write":
    case "delete":
      return `${effect.kind} ${effect.exact} ${effect.path}`;
    case "reach":
      return `reach ${effect.port} ${effect.host}`;
    case "use":
      return `use ${effect.name}`;
    case "opaque":
      return `opaque ${effect.cause} ${effect.why.length} ${effect.why}${effect.text}`;
    default:
      return exhausted(effect);
  }
}
