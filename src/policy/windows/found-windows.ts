import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Effect, OpaqueCause, PathEffect, RunEffect } from "../../model/effect.ts";
import { entryRule } from "../blocklist/match-command.ts";
import { isPathEffect } from "../rules/capability.ts";
import { limits } from "../shell/limits.ts";
import type { BlockedRun, ShellAnalysis } from "../shell/shell-analysis.ts";
import { windowsEntry, type WindowsEntryId } from "./windows-entries.ts";

/** Gathers what a PowerShell or cmd text would do. */
export interface FoundWindows {
  /** Notes a run: `aliases` are other names of its program. */
  readonly run: (program: string, argv: readonly string[], aliases: readonly string[], dynamic: boolean) => RunEffect;
  readonly path: (kind: PathEffect["kind"], path: AbsolutePath, exact: boolean) => void;
  /** Notes a path that a command may touch for all that its words say. */
  readonly suppose: (kind: PathEffect["kind"], path: AbsolutePath) => void;
  readonly opaque: (text: string, why: string, cause: OpaqueCause) => void;
  readonly block: (entry: WindowsEntryId, effect: RunEffect) => void;
  /** Takes over what the analysis for POSIX programs found. */
  readonly merge: (analysis: ShellAnalysis) => void;
  readonly analysis: () => ShellAnalysis;
}

/** Starts an empty gathering. Everything is kept once, in the order of the text. */
export function foundWindows(): FoundWindows {
  const effects = new Map<string, Effect>();
  const blocked = new Map<string, BlockedRun>();
  const supposed = new Map<string, PathEffect>();
  const put = (key: string, effect: Effect): void => {
    if (!effects.has(key)) effects.set(key, effect);
  };
  const opaque: FoundWindows["opaque"] = (text, why, cause) => {
    const short = text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
    put(`opaque ${cause} ${why} ${short}`, { kind: "opaque", text: short, why, cause });
  };
  const suppose = (effect: PathEffect): void => {
    if (supposed.size < limits.supposed) supposed.set(`${effect.kind} ${effect.exact} ${effect.path}`, effect);
    else opaque("files", "it names more files than are looked at", "unread");
  };
  return {
    run(program, argv, aliases, dynamic) {
      const words = argv.map(wordText);
      const text = words.join(" ");
      const rest = words.slice(1);
      const others = new Set(aliases.filter((name) => name !== argv[0]).map((name) => [name, ...rest].join(" ")));
      const effect: RunEffect = {
        kind: "run",
        program,
        argv,
        text,
        ...(others.size > 0 && { aliases: [...others] }),
        ...(dynamic && { dynamic }),
      };
      const key = `run ${program} ${text}${dynamic ? " dynamic" : ""}`;
      const known = effects.get(key);
      if (known?.kind === "run") return known;
      put(key, effect);
      return effect;
    },
    path(kind, path, exact) {
      put(`${kind} ${exact} ${path}`, { kind, path, exact });
    },
    suppose: (kind, path) => suppose({ kind, path, exact: true }),
    opaque,
    block(entry, effect) {
      blocked.set(`${entry} ${effect.text}`, { rule: entryRule(windowsEntry(entry)), effect });
    },
    merge(analysis) {
      for (const effect of analysis.effects) {
        if (effect.kind === "run") put(`run ${effect.program} ${effect.text}`, withoutSilence(effect));
        else if (effect.kind === "opaque") opaque(effect.text, effect.why, effect.cause);
        else if (isPathEffect(effect) && effect.spelled === undefined)
          put(`${effect.kind} ${effect.exact} ${effect.path}`, effect);
        else put(JSON.stringify(effect), effect);
      }
      analysis.supposed?.forEach(suppose);
      for (const each of analysis.blocked) blocked.set(`${each.rule.id} ${each.effect.text}`, each);
    },
    analysis: () => ({
      effects: [...effects.values()],
      blocked: [...blocked.values()],
      // What is an effect is no supposition.
      supposed: [...supposed].filter(([key]) => !effects.has(key)).map(([, effect]) => effect),
    }),
  };
}

/** No program runs without a question here: Windows looks for it in more places than a POSIX shell does. */
function withoutSilence(effect: RunEffect): RunEffect {
  return { ...effect, readOnly: false };
}

/** Quoted where it would not stay one word: a form for people and rules, not for a shell. */
function wordText(word: string): string {
  return /^[^\s'"]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
